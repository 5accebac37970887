package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Client;
import fr.spacefox.avatar.support.Command;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The arguments do what the usage says, and each wrong one is named in one clear line. */
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

    /** One clear line that begins with the argument's name in the usage, and the usage. An argument _ is empty. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PORT: | fox 21, -1 21, 65536 21, 80.0 21, _ 21, --fox 21",
                "COUNT: | 0 fox, 0 0, 0 -21, 0 2147483648, 0 2.5, 0 _, 0 --pool=2",
                "arguments: | --help, --pool, 0, 0 --pool, 0 21 https://example.org/* surplus more",
                "URL*: Malformed escape | 0 21 https://example.org/%zz-*.png",
                "URL*: needs one * | 0 21 https://example.org/fox.png, 0 21 https://example.org/fox-*-*.png",
                "URL*: needs http://host | 0 21 *, 0 21 --fox, 0 21 _, 0 21 mailto:*, 0 21 file:/x*, 0 21 https:*",
                "URL*: needs http://host | 0 21 http://*, 0 21 https:///*, 0 21 http://:80/*, 0 21 http://?*",
                "URL*: needs http://host | 0 21 http://#*, 0 21 http://@/*, 0 21 http://user:password@:80/*",
                "URL*: needs http://host | 0 21 ftp://x/http://y*, 0 21 /go?http://a*",
                // A relative Location fails in some forums, and RFC 9110, 4.2.4, wants no user in it.
                "URL*: needs http://host | 0 21 /fox-*.png, 0 21 http://user@/*, 0 21 http://user@host/*?u=@",
            })
    void refuses(String begin, String lines) throws Exception {
        for (String line : lines.split(", ")) {
            Command refused = refusal(Server.command(line.replace("_", "").split(" ", -1)));
            String said = refused.output().lines().findFirst().orElse("nothing");
            assertTrue(said.startsWith(begin), said);
            assertFalse(said.contains("Exception") || said.contains("Index") || said.contains("null"), said);
            String usage = "usage: java -jar avatar.jar [--pool] PORT COUNT ['URL*']";
            assertEquals(new Command(2, said + "\n" + usage + "\n"), refused);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://example.org/a fox-*.png", "https://example.org/*\r\nSet-Cookie: fox"})
    void refusesAUrlWithASpaceOrALineEnd(String url) throws Exception {
        assertEquals(2, refusal(Server.command("0", "21", url)).status());
    }

    /** What it prints on standard error. */
    private static Command refusal(List<String> command) throws IOException {
        List<String> words = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" 2>&1 > /dev/null", "sh"));
        words.addAll(command);
        return Command.run(words.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource({
        "https://img.example.org/fox-*.webp, https://img.example.org/fox-1.webp",
        "http://localhost:8000/*, http://localhost:8000/1",
        "https://example.org/?a=http://b/*, https://example.org/?a=http://b/1",
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
        double expected = (double) draws / ranges;
        // By chance one of 21 is further away than this, six standard deviations, once in millions of runs.
        for (int n : times) assertEquals(expected, n, 0.4 * expected, Arrays.toString(times));
    }

    @Test
    void refusesAPortThatIsTaken() throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED)) {
            Command refused = refusal(Server.command("" + server.port, "21"));
            assertEquals(new Command(1, "PORT: Address already in use\n"), refused);
            Redirect.check(server.ask());
        }
    }
}
