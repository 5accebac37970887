package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import fr.spacefox.avatar.support.Client;
import fr.spacefox.avatar.support.Tools;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What starts it, what stops it, and what it says when it refuses to start. */
class CommandLineIT {

    private record Refusal(int exit, String out, List<String> err) {
    }

    private static Refusal refuse(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).start();
        try {
            assertTrue(process.waitFor(20, TimeUnit.SECONDS), "refuses to start");
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Refusal(process.exitValue(), out, process.errorReader(StandardCharsets.UTF_8).lines().toList());
        } finally {
            process.destroyForcibly();
        }
    }

    /** Each: the culprit, then the arguments. */
    static Stream<List<String>> badInput() {
        String url = Server.DEFAULT_URL;
        return Stream.of(
            List.of("surplus", "0", "21", url, "surplus"),
            List.of("surplus", "0", "21", url, "surplus", "more"),
            List.of("fox", "fox", "21"),
            List.of("-1", "-1", "21"),
            List.of("65536", "65536", "21"),
            List.of("4294967296", "4294967296", "21"),
            List.of("80.0", "80.0", "21"),
            List.of("", "", "21"),
            List.of("fox", "0", "fox"),
            List.of("0", "0", "0"),
            List.of("-21", "0", "-21"),
            List.of("2147483648", "0", "2147483648"),
            List.of("2.5", "0", "2.5"),
            List.of("", "0", ""),
            List.of("https://example.org/fox.png", "0", "21", "https://example.org/fox.png"),
            List.of("https://example.org/a fox-*.png", "0", "21", "https://example.org/a fox-*.png"),
            List.of("https://example.org/%zz-*.png", "0", "21", "https://example.org/%zz-*.png"),
            List.of("*", "0", "21", "*"),
            List.of("/fox-*.png", "0", "21", "/fox-*.png"), // a relative Location fails in some forums
            List.of("", "0", "21", ""),
            List.of("--fox", "--fox", "0", "21"),
            List.of("--fox", "0", "21", "--fox"),
            List.of("--fox", "0", "21", url, "--fox"),
            List.of("--pool=2", "0", "--pool=2", "21"),
            List.of("-p", "-p", "0", "21"),
            List.of("--help", "--help"));
    }

    @ParameterizedTest
    @MethodSource("badInput")
    void namesTheCulprit(List<String> culpritAndArguments) throws Exception {
        assertBadInput(Pattern.quote(culpritAndArguments.get(0)), culpritAndArguments.subList(1, culpritAndArguments.size()));
    }

    private static void assertBadInput(String culprit, List<String> arguments) throws Exception {
        Refusal refusal = refuse(Server.command(Server.JAVA_HOME, List.of(), arguments));
        assertEquals(2, refusal.err.size(), refusal::toString);
        assertTrue(refusal.err.get(0).matches(".*(" + culprit + ").* is wrong"), refusal::toString);
        assertTrue(refusal.err.get(1).startsWith("Usage: "), refusal::toString);
        assertEquals("", refusal.out);
        assertEquals(2, refusal.exit);
    }

    @ParameterizedTest
    @CsvSource({"'', PORT|COUNT", "--pool, PORT|COUNT", "0, COUNT", "0 --pool, COUNT"})
    void namesWhatIsMissing(String line, String names) throws Exception {
        List<String> arguments = Stream.of(line.split(" ")).filter(word -> !word.isEmpty()).toList();
        assertBadInput(names, arguments);
    }

    /** Line breaks would let whoever writes the template write headers. */
    @Test
    void refusesHeadersInTheTemplate() throws Exception {
        String url = "https://example.org/*\r\nSet-Cookie: fox";
        assertEquals(2, refuse(Server.command(Server.JAVA_HOME, List.of(), List.of("0", "21", url))).exit);
    }

    /** The wire has no way to say it: such a template is refused or escaped, but never garbled. */
    @Test
    void sendsNoForeignLetters() throws Exception {
        List<String> command = Server.command(Server.JAVA_HOME, List.of(), List.of("0", "21", "https://example.org/f\u00fcchse-*.png"));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        boolean refused = process.inputReader().readLine().endsWith(" is wrong");
        process.destroyForcibly().onExit().join();
        if (!refused) {
            try (Server server = Server.run(command)) {
                String answer = server.ask();
                assertTrue(answer.chars().allMatch(c -> c < 128), answer);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
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
        String url = Stream.of(arguments).filter(argument -> argument.contains("*")).findAny().orElse(Server.DEFAULT_URL);
        try (Server server = Server.startWith(arguments)) {
            assertTrue(server.startLine.contains(url), server.startLine);
            assertTrue(server.ask().contains("\r\nLocation: " + url.substring(0, url.indexOf('*'))));
            assertEquals(Server.SIGTERM, server.terminate());
        }
    }

    /** A stalled client holds a thread of the pool and none of the dispatcher's. */
    @ParameterizedTest
    @ValueSource(strings = {"--pool 0 21", "0 --pool 21", "0 21 --pool", "0 21 https://example.org/*.png --pool"})
    void poolsAnywhere(String line) throws Exception {
        try (Server server = Server.startWith(line.split(" ")); Client stalled = server.connect()) {
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

    @Test
    void twoListenOnPortsOfTheirOwn() throws Exception {
        try (Server one = Server.start(""); Server other = Server.start("")) {
            assertTrue(one.port != other.port);
            assertTrue(one.ask().startsWith("HTTP/1.1 302 "));
            assertTrue(other.ask().startsWith("HTTP/1.1 302 "));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--pool"})
    void refusesAPortThatIsTaken(String mode) throws Exception {
        try (Server server = Server.start(mode)) {
            assertCannotStart(server.port, Server.command(Server.JAVA_HOME, List.of(), List.of(String.valueOf(server.port), "21")));
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
        command.addAll(Server.command(Server.JAVA_HOME, List.of(), List.of("1", "21")));
        command.replaceAll(word -> word.equals(Server.JAR.toString()) ? jar.toString() : word);
        assertCannotStart(1, command);
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

    private static void assertCannotStart(int port, List<String> command) throws Exception {
        Refusal refusal = refuse(command);
        assertEquals(1, refusal.err.size(), refusal::toString);
        assertTrue(refusal.err.get(0).matches(".*:" + port + " is unavailable"), refusal::toString);
        assertEquals("", refusal.out);
        assertEquals(1, refusal.exit);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--pool"})
    void overridesMaxConnections(String mode) throws Exception {
        try (Server server = Server.start(mode, Server.JAVA_HOME, "-Djdk.httpserver.maxConnections=2");
                Client one = server.connect(); Client two = server.connect()) {
            one.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").head();
            two.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").head();
            assertUnanswered(server);
        }
        try (Server server = Server.start(mode); Client one = server.connect(); Client two = server.connect()) {
            one.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").head();
            two.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").head();
            assertTrue(server.ask().startsWith("HTTP/1.1 302 "), "ours is more than 2");
        }
    }

    private static void assertUnanswered(Server server) throws IOException {
        try {
            assertEquals("", server.ask());
        } catch (SocketException reset) {
            // closed before it was read
        }
    }

    /** Without the pool only: there the engine may keep one idle connection too many. */
    @Test
    void overridesMaxIdleConnections() throws Exception {
        try (Server server = Server.start("", Server.JAVA_HOME, "-Dsun.net.httpserver.maxIdleConnections=1");
                Client one = server.connect(); Client two = server.connect()) {
            one.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").head();
            two.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").head();
            assertEquals("", two.rest(), "closed, as one is idle already");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--pool"})
    void endsWhenTold(String mode) throws Exception {
        try (Server server = Server.start(mode); Client stalled = server.connect(); Client idle = server.connect()) {
            idle.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").head();
            stalled.send("GET / HTTP/1.1\r\n");
            assertEquals(Server.SIGTERM, server.terminate());
            assertThrows(IOException.class, server::connect);
        }
    }
}
