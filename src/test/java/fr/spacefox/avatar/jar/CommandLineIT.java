package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.ChiSquare;
import fr.spacefox.avatar.support.Client;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The arguments: what they do, what is said about wrong ones, and when the port is opened and closed. */
class CommandLineIT {

    private static final String URL = "https://img.example.org/fox-*.webp";

    /** With --pool a client that stalls holds a thread of the pool and not the dispatcher. */
    @ParameterizedTest
    @CsvSource({
        "0 21",
        "0 21 " + URL,
        "--pool 0 21",
        "0 --pool 21",
        "0 21 --pool",
        "--pool 0 21 " + URL,
        "0 21 --pool " + URL,
        "0 21 " + URL + " --pool",
    })
    void startsWithPoolInAnyPlace(String line) throws Exception {
        String url = line.contains(URL) ? URL : Redirect.DEFAULT_URL;
        try (Server server = new Server(Server.command(line.split(" ")));
                Client first = server.connect()) {
            assertEquals("http://localhost:" + server.port + "/ -> " + url, server.startLine);
            if (line.contains("--pool")) first.send(Client.HALF_HEAD);
            String answer = assertTimeout(Duration.ofSeconds(1), () -> server.ask());
            String location = "\r\nLocation: " + url.substring(0, url.indexOf('*'));
            assertTrue(Redirect.is(answer) && answer.contains(location), answer);
            server.assertUnharmed();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fox", "-1", "65536", "80.0", "", "--fox"})
    void refusesAPortThatIsNone(String port) throws Exception {
        assertRefuses("PORT", port, "21");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fox", "0", "-21", "2147483648", "2.5", "", "--pool=2"})
    void refusesACountBelow1(String count) throws Exception {
        assertRefuses("COUNT", "0", count);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "--pool", "0", "0 --pool", "0 21 https://example.org/* surplus more"})
    void refusesTooFewOrTooManyArguments(String line) throws Exception {
        assertRefuses("arguments", line.split(" "));
    }

    @ParameterizedTest
    @CsvSource({
        "https://example.org/fox.png",
        "https://example.org/fox-*-*.png",
        "https://example.org/a fox-*.png",
        "https://example.org/%zz-*.png",
        "*",
        "/fox-*.png", // a relative Location fails in some forums
        "--fox",
        "''",
        "https:*", // from here on without a host
        "http://*",
        "https:///*",
        "http://:80/*",
        "http://?*",
        "http://#*",
        "http://@/*",
        "http://user:password@:80/*",
        "http://user@/*",
        "http://user@host/*?u=@", // RFC 9110, 4.2.4: no user in a Location
        "ftp://x/http://y*",
        "/go?http://a*",
        "mailto:*",
        "file:/x*",
    })
    void refusesAUrlWithoutSchemeHostOrOneStar(String url) throws Exception {
        assertRefuses("URL*", "0", "21", url);
    }

    @ParameterizedTest
    @CsvSource({
        "/fox-*.png, needs http://host",
        "https://example.org/fox.png, needs one *",
        "https://example.org/*/*.png, needs one *",
    })
    void saysWhatAUrlLacks(String url, String message) throws Exception {
        assertEquals(
                "URL*: " + message, refusal(Server.command("0", "21", url)).err.get(0));
    }

    /** One clear line that names the argument as the usage does, and the usage. */
    private static void assertRefuses(String culprit, String... arguments) throws Exception {
        Refusal refusal = refusal(Server.command(arguments));
        String line = refusal.err.get(0);
        assertTrue(line.startsWith(culprit + ": "), line);
        assertFalse(line.contains("Exception") || line.contains("Index") || line.contains("null"), line);
        String usage = "usage: java -jar avatar.jar [--pool] PORT COUNT ['URL*']";
        assertEquals(new Refusal(2, List.of(), List.of(line, usage)), refusal);
    }

    @Test
    void refusesAUrlWithALineEnd() throws Exception {
        String url = "https://example.org/*\r\nSet-Cookie: fox";
        assertEquals(2, refusal(Server.command("0", "21", url)).status);
    }

    /** How the program ends when it does not start: its exit status, and the lines that it printed. */
    private record Refusal(int status, List<String> out, List<String> err) {}

    private static Refusal refusal(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).start();
        try {
            assertTrue(process.waitFor(20, TimeUnit.SECONDS), "refuses to start");
            List<String> out = process.inputReader().lines().toList();
            return new Refusal(
                    process.exitValue(), out, process.errorReader().lines().toList());
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "https://img.example.org/fox-*.webp, https://img.example.org/fox-1.webp",
        "http://localhost:8000/*, http://localhost:8000/1",
        "HttpS://example.org/?a=http://b/*, HttpS://example.org/?a=http://b/1",
        "https://example.org/*/fox.png, https://example.org/1/fox.png",
        "https://example.org/foxes@1.2/*.png, https://example.org/foxes@1.2/1.png",
        "https://example.org?u=@&n=*, https://example.org?u=@&n=1",
        "https://example.org#@*, https://example.org#@1",
        "https://example.org/fox.png?n=*&size=80, https://example.org/fox.png?n=1&size=80",
        "https://fox-*.example.org/a.png, https://fox-1.example.org/a.png",
        "http://[::1]/f%C3%BCchse-*.jpg, http://[::1]/f%C3%BCchse-1.jpg",
    })
    void putsTheNumberInPlaceOfTheStar(String url, String location) throws Exception {
        try (Server server = new Server(Server.command("0", "1", url))) {
            assertTrue(server.startLine.contains(url), server.startLine);
            String answer = server.ask();
            assertTrue(answer.contains("\r\nLocation: " + location + "\r\n"), answer);
        }
    }

    @Test
    void escapesLettersOfTheUrlOutsideAscii() throws Exception {
        // printf writes the letter: in place of it the JVM of the tests would pass a question mark in the POSIX locale.
        String script = "exec \"$@\" \"$(printf 'https://example.org/f\\303\\274chse-*.png')\"";
        List<String> command = new ArrayList<>(List.of("env", "LC_ALL=C.UTF-8", "sh", "-c", script, "sh"));
        command.addAll(Server.command("0", "1"));
        try (Server server = new Server(command)) {
            String answer = server.ask();
            assertTrue(answer.contains("\r\nLocation: https://example.org/f%C3%BCchse-1.png\r\n"), answer);
        }
    }

    /** Counts how often each number is drawn or, of two thousand million numbers, each eighth of them. */
    @ParameterizedTest
    @CsvSource({"1, 1", "21, 21", "2147483647, 8"})
    void drawsEachNumberUpToCountAsOftenAsTheOthers(int count, int ranges) throws Exception {
        int[] times = new int[ranges];
        int draws = 4200;
        try (Server server = new Server(Server.command("0", "" + count));
                Client client = server.connect()) {
            for (int i = 0; i < draws; i++) {
                if (i % 500 == 0) client.send(Client.GET.repeat(500)); // few enough for the buffers on the way
                times[(int) ((Redirect.number(client.head()) - 1L) * ranges / count)]++;
            }
        }
        double statistic = ChiSquare.of(times);
        // It stays below Laurent and Massart's bound except once in e^21, more than 10^9.
        int freedom = ranges - 1;
        double bound = freedom + 2 * Math.sqrt(freedom * 21.0) + 2 * 21.0;
        assertTrue(statistic < bound, () -> statistic + " >= " + bound + " " + Arrays.toString(times));
    }

    @Test
    void listensOnTheGivenPortUnlessItIsTaken() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        List<String> command = Server.command("" + port, "21");
        try (Server server = new Server(command)) {
            assertEquals(port, server.port);
            assertEquals(new Refusal(1, List.of(), List.of("PORT: Address already in use")), refusal(command));
            Redirect.check(server.ask()); // the first goes on
        }
    }

    /** In a network of its own, because containers often let everyone listen on port 1. */
    @Test
    @Needs(Needs.Tool.ROOT)
    void refusesAPortThatNeedsPermission(@TempDir Path directory) throws Exception {
        Path jar = Files.copy(Server.JAR, directory.resolve("avatar.jar"));
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("r--r--r--"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        String nobody = "unshare --net setpriv --reuid=65534 --regid=65534 --clear-groups";
        List<String> command = new ArrayList<>(List.of(nobody.split(" ")));
        command.addAll(Server.command("1", "21"));
        command.replaceAll(word -> word.equals(Server.JAR.toString()) ? jar.toString() : word);
        assertEquals(new Refusal(1, List.of(), List.of("PORT: Permission denied")), refusal(command));
    }

    @ParameterizedTest
    @EnumSource
    void sigtermClosesThePort(Mode mode) throws Exception {
        try (Server server = Server.start(mode);
                Client stalled = server.connect();
                Client idle = server.connect()) {
            idle.send(Client.GET).head();
            stalled.send(Client.HALF_HEAD);
            server.assertEndsBySigterm();
            assertThrows(IOException.class, server::connect);
        }
    }
}
