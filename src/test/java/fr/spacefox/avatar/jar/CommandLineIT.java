package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import fr.spacefox.avatar.support.Client;
import fr.spacefox.avatar.support.Tools;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What starts it, what stops it, and what it says when it refuses to start. */
class CommandLineIT {

    private record Refusal(int exit, String out, List<String> err) {}

    private static Refusal refuse(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).start();
        try {
            assertTrue(process.waitFor(20, TimeUnit.SECONDS), "refuses to start");
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Refusal(
                    process.exitValue(),
                    out,
                    process.errorReader(StandardCharsets.UTF_8).lines().toList());
        } finally {
            process.destroyForcibly();
        }
    }

    /** Each: the argument that is wrong, by its name in the usage, and the whole command line. */
    static Stream<Arguments> badInput() {
        String url = Server.DEFAULT_URL;
        return Stream.of(
                        Stream.of("fox", "-1", "65536", "4294967296", "80.0", "", "--fox")
                                .map(port -> bad("PORT", port, "21")),
                        Stream.of("fox", "0", "-21", "2147483648", "2.5", "", "--pool=2")
                                .map(count -> bad("COUNT", "0", count)),
                        Stream.of(
                                        "https://example.org/fox.png",
                                        "https://example.org/fox-*-*.png",
                                        "https://example.org/a fox-*.png",
                                        "https://example.org/%zz-*.png",
                                        "*",
                                        "/fox-*.png", // a relative Location fails in some forums
                                        "--fox",
                                        "")
                                .map(value -> bad("URL*", "0", "21", value)),
                        Stream.of(
                                bad("arguments"),
                                bad("arguments", "--help"),
                                bad("arguments", "--pool"),
                                bad("arguments", "0"),
                                bad("arguments", "0", "--pool"),
                                bad("arguments", "0", "21", url, "surplus"),
                                bad("arguments", "0", "21", url, "surplus", "more")))
                .flatMap(cases -> cases);
    }

    private static Arguments bad(String name, String... arguments) {
        return Arguments.of(name, List.of(arguments));
    }

    @ParameterizedTest
    @MethodSource("badInput")
    void saysWhatIsWrongWithWhat(String name, List<String> arguments) throws Exception {
        Refusal refusal = refuse(Server.command(arguments.toArray(String[]::new)));
        assertEquals(2, refusal.err.size(), refusal::toString);
        String line = refusal.err.get(0);
        assertTrue(line.startsWith(name + ": "), refusal::toString);
        assertFalse(line.contains("Exception") || line.contains("Index") || line.contains("null"), refusal::toString);
        assertEquals("usage: java -jar avatar.jar [--pool] PORT COUNT ['URL*']", refusal.err.get(1));
        assertEquals("", refusal.out);
        assertEquals(2, refusal.exit);
    }

    /** Line breaks would let whoever writes the template write headers. */
    @Test
    void refusesHeadersInTheTemplate() throws Exception {
        String url = "https://example.org/*\r\nSet-Cookie: fox";
        assertEquals(2, refuse(Server.command("0", "21", url)).exit);
    }

    /** A Location has ASCII letters only (RFC 3986): others are refused or escaped, but never garbled. */
    @Test
    void sendsNoForeignLetters() throws Exception {
        // Under the POSIX locale, which the tests may run with, a question mark would arrive in place of the letter.
        String printUrl = "printf 'https://example.org/f\\303\\274chse-*.png'";
        List<String> command = new ArrayList<>(
                List.of("env", "LC_ALL=C.UTF-8", "sh", "-c", "exec \"$@\" \"$(" + printUrl + ")\"", "sh"));
        command.addAll(Server.command("0", "1"));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String line = process.inputReader(StandardCharsets.UTF_8).readLine();
        process.destroyForcibly().onExit().join();
        if (!line.contains("URL")) {
            try (Server server = Server.run(command)) {
                String answer = server.ask();
                assertTrue(answer.contains("\r\nLocation: https://example.org/f%C3%BCchse-1.png\r\n"), answer);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0 21",
                "0 1",
                "0 2147483647",
                "0 21 https://img.example.org/fox-*.webp",
                "--pool 0 21",
                "0 --pool 21",
                "0 21 --pool",
                "--pool 0 21 https://img.example.org/fox-*.webp",
                "0 21 --pool https://img.example.org/fox-*.webp",
                "0 21 https://img.example.org/fox-*.webp --pool",
            })
    void saysWhereAndWhereTo(String line) throws Exception {
        String[] arguments = line.split(" ");
        String url = Stream.of(arguments)
                .filter(argument -> argument.contains("*"))
                .findAny()
                .orElse(Server.DEFAULT_URL);
        try (Server server = Server.startWith(arguments)) {
            String here = "http://localhost:" + server.port + "/";
            assertEquals(here + " -> " + url, server.startLine);
            HttpResponse<Void> answer = HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(URI.create(here)).build(), BodyHandlers.discarding());
            assertEquals(302, answer.statusCode());
            String location = answer.headers().firstValue("Location").orElseThrow();
            assertTrue(location.startsWith(url.substring(0, url.indexOf('*'))), location);
            assertEquals(Server.SIGTERM, server.terminate());
        }
    }

    /** A stalled client holds a thread of the pool and none of the dispatcher's. */
    @ParameterizedTest
    @ValueSource(strings = {"--pool 0 21", "0 --pool 21", "0 21 --pool", "0 21 https://example.org/*.png --pool"})
    void poolsAnywhere(String line) throws Exception {
        try (Server server = Server.startWith(line.split(" "));
                Client stalled = server.connect()) {
            server.ask(); // both threads have their classes
            stalled.send("GET / HTTP/1.1\r\n");
            long start = System.nanoTime();
            server.ask();
            assertTrue(Server.millisSince(start) < 1000);
        }
    }

    @Test
    void listensOnTheGivenPort() throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        try (Server server = Server.startWith(String.valueOf(free), "21")) {
            assertEquals(free, server.port);
            assertTrue(server.ask().startsWith("HTTP/1.1 302 "));
        }
    }

    /** A tool that audits a machine sees each. */
    @Test
    void opensOneListeningSocket(@TempDir Path directory) throws Exception {
        Tools.need("strace");
        Path trace = directory.resolve("trace");
        List<String> command =
                new ArrayList<>(List.of("strace", "-f", "-o", trace.toString(), "-e", "trace=listen,socket,bind"));
        command.addAll(Server.command("0", "21"));
        try (Server server = Server.run(command)) {
            assertTrue(server.ask().startsWith("HTTP/1.1 302 "));
            List<String> calls = Files.readAllLines(trace).stream()
                    .filter(line -> line.contains(" listen("))
                    .toList();
            assertEquals(1, calls.size(), calls::toString);
        }
    }

    @Test
    void twoListenOnPortsOfTheirOwn() throws Exception {
        try (Server one = Server.start(Mode.PUBLISHED);
                Server other = Server.start(Mode.PUBLISHED)) {
            assertTrue(one.port != other.port);
            assertTrue(one.ask().startsWith("HTTP/1.1 302 "));
            assertTrue(other.ask().startsWith("HTTP/1.1 302 "));
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesAPortThatIsTaken(Mode mode) throws Exception {
        try (Server server = Server.start(mode)) {
            assertCannotStart("Address already in use", Server.command("" + server.port, "21"));
            assertTrue(server.ask().startsWith("HTTP/1.1 302 "), "the first goes on");
        }
    }

    @Test
    void refusesAPortWithoutPermission(@TempDir Path directory) throws Exception {
        List<String> command = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            // a network of its own, because containers often let everyone listen on port 1; then another user than root
            command.addAll(List.of("unshare", "--net", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
            if (!succeeds(command, "true")) {
                Tools.skip("root may listen anywhere, and unshare or setpriv fails");
            }
        } else if (canListenOnPort1()) {
            abort("this system lets everyone listen on port 1");
        }
        Path jar = Files.copy(Server.JAR, directory.resolve("avatar.jar"));
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("r--r--r--"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        command.addAll(Server.command("1", "21"));
        command.replaceAll(word -> word.equals(Server.JAR.toString()) ? jar.toString() : word);
        assertCannotStart("Permission denied", command);
    }

    private static boolean succeeds(List<String> prefix, String command) throws InterruptedException {
        List<String> words = new ArrayList<>(prefix);
        words.add(command);
        try {
            return new ProcessBuilder(words).start().waitFor() == 0;
        } catch (IOException missing) {
            return false;
        }
    }

    private static boolean canListenOnPort1() {
        try (ServerSocket socket = new ServerSocket(1)) {
            return true;
        } catch (IOException refused) {
            return false;
        }
    }

    private static void assertCannotStart(String reason, List<String> command) throws Exception {
        Refusal refusal = refuse(command);
        assertEquals(1, refusal.err.size(), refusal::toString);
        assertEquals("PORT: " + reason, refusal.err.get(0));
        assertEquals("", refusal.out);
        assertEquals(1, refusal.exit);
    }

    @Test
    void overridesMaxIdleConnections() throws Exception {
        String limit = "-Dsun.net.httpserver.maxIdleConnections=0";
        try (Server server = Server.start(Mode.PUBLISHED, Server.JAVA_HOME, limit);
                Client client = server.connect()) {
            String answer =
                    client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").rest();
            assertTrue(answer.startsWith("HTTP/1.1 302 "), answer);
        }
    }

    @ParameterizedTest
    @EnumSource
    void endsWhenTold(Mode mode) throws Exception {
        try (Server server = Server.start(mode);
                Client stalled = server.connect();
                Client idle = server.connect()) {
            idle.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").head();
            stalled.send("GET / HTTP/1.1\r\n");
            assertEquals(Server.SIGTERM, server.terminate());
            assertThrows(IOException.class, server::connect);
        }
    }
}
