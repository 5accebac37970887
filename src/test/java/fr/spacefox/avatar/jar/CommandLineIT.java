package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The arguments do what the usage says, and each wrong one is named in one clear line. */
class CommandLineIT {

    @ParameterizedTest
    @CsvSource({
        "0 1, https://avatar.spacefox.fr/Renard-*.png, https://avatar.spacefox.fr/Renard-1.png",
        "--pool 0 1, https://avatar.spacefox.fr/Renard-*.png, https://avatar.spacefox.fr/Renard-1.png",
        "--pool 0 1 http://localhost:8000/*, http://localhost:8000/*, http://localhost:8000/1",
        "0 1 https://b/?a=http://c/*, https://b/?a=http://c/*, https://b/?a=http://c/1",
        "0 1 https://b/*/fox.png, https://b/*/fox.png, https://b/1/fox.png",
        "0 1 https://b/foxes@1.2/*.png, https://b/foxes@1.2/*.png, https://b/foxes@1.2/1.png",
        "0 1 https://b?u=@&n=*&size=80, https://b?u=@&n=*&size=80, https://b?u=@&n=1&size=80",
        "0 1 https://b#@*, https://b#@*, https://b#@1",
        "0 1 https://fox-*.b/a.png, https://fox-*.b/a.png, https://fox-1.b/a.png",
        "0 1 http://[::1]/f%C3%BCchse-*.jpg, http://[::1]/f%C3%BCchse-*.jpg, http://[::1]/f%C3%BCchse-1.jpg",
    })
    void saysItsAddressAndPutsTheNumberInPlaceOfTheStar(String line, String url, String location) throws Exception {
        try (Server server = new Server(Server.command(line.split(" ")))) {
            assertEquals("http://localhost:" + server.port + "/ -> " + url, server.startLine);
            String answer = server.ask();
            assertTrue(answer.contains("\r\nLocation: " + location + "\r\n"), answer);
            server.assertUnharmed();
        }
    }

    /** Browsers differ in how they read letters outside ASCII in a Location. */
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

    /** One line that begins with the argument's name in the usage, and the usage; _ is an empty argument or a space. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PORT: | fox 21, -1 21, 65536 21, 80.0 21, _ 21, --fox 21, --pool --pool 21",
                "COUNT: | 0 fox, 0 0, 0 -21, 0 2147483648, 0 2.5, 0 _, 0 --pool, 0 --pool 21",
                "arguments: wrong number | --help, --pool, 0, --pool 0, 0 21 https://b/* surplus more",
                "URL*: Malformed escape | 0 21 https://b/%zz-*.png",
                "URL*: Illegal character | 0 21 https://b/a_fox-*.png", // nor a line end, with a header behind it
                "URL*: needs one * | 0 21 https://b/fox.png, 0 21 https://b/fox-*-*.png",
                "URL*: needs http://host | 0 21 *, 0 21 --pool, 0 21 _, 0 21 mailto:*, 0 21 file:/x*, 0 21 https:*",
                "URL*: needs http://host | 0 21 http://*, 0 21 https:///*, 0 21 http://:80/*, 0 21 http://?*",
                "URL*: needs http://host | 0 21 http://#*, 0 21 ftp://x/http://y*, 0 21 /go?http://a*",
                // A relative Location fails in some forums, and RFC 9110, 4.2.4, wants no user in it.
                "URL*: needs http://host | 0 21 /fox-*.png, 0 21 http://user@/*, 0 21 http://user@host/*?u=@",
            })
    void refuses(String begin, String lines) throws Exception {
        for (String line : lines.split(", ")) {
            String[] words = Stream.of(line.split(" "))
                    .map(word -> word.equals("_") ? "" : word.replace('_', ' '))
                    .toArray(String[]::new);
            Command refused = refusal(words);
            String said = refused.output().lines().findFirst().orElse("nothing");
            assertTrue(said.startsWith(begin), said);
            assertFalse(said.contains("Exception") || said.contains("Index") || said.contains("null"), said);
            String usage = "usage: java -jar avatar.jar [--pool] PORT COUNT ['URL*']";
            assertEquals(new Command(2, said + "\n" + usage + "\n"), refused);
        }
    }

    /** The exit status, and what is on standard error. */
    private static Command refusal(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" 2>&1 > /dev/null", "sh"));
        command.addAll(Server.command(arguments));
        return Command.run(command.toArray(String[]::new));
    }

    /** Another status than for wrong arguments: the unit starts the program again. */
    @Test
    void refusesAPortThatIsTaken() throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED)) {
            Command refused = refusal("" + server.port, "21");
            assertEquals(new Command(1, "PORT: Address already in use\n"), refused);
        }
    }

    /** All pictures are shown: each number is drawn, or, of two thousand million numbers, each eighth of them. */
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
}
