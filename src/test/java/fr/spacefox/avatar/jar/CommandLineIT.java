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

/** The arguments do what the usage says, and wrong ones are named in one clear line. */
class CommandLineIT {

    @ParameterizedTest
    @CsvSource({
        "0 1, /127.0.0.1, https://avatar.spacefox.fr/Renard-1.png",
        "--pool 0 1, /127.0.0.1, https://avatar.spacefox.fr/Renard-1.png",
        "127.0.0.2:0 1 http://localhost:8000/*, /127.0.0.2, http://localhost:8000/1",
        "localhost:0 1 https://fox-*.b/a.png?n=*#@, /127.0.0.1, https://fox-1.b/a.png?n=1#@",
        "--pool [::1]:0 1 http://[::1]/f%C3%BCchse-*, /[0:0:0:0:0:0:0:1], http://[::1]/f%C3%BCchse-1",
        "0.0.0.0:0 1, /[0:0:0:0:0:0:0:0], https://avatar.spacefox.fr/Renard-1.png",
    })
    void saysItsAddressAndPutsTheNumberInPlaceOfTheStar(String line, String address, String location) throws Exception {
        try (Server server = new Server(Server.command(line.split(" ")))) {
            assertEquals(address + ":" + server.port, server.startLine);
            String answer = server.ask();
            assertTrue(answer.contains("\r\nLocation: " + location + "\r\n"), answer);
            server.assertUnharmed();
        }
    }

    /** One line with the arguments and what is wrong with them; _ is an empty argument or a space. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "wrong arguments | _, 0, --pool, --pool 0, --help, --pool --pool 21, 0 21 https://b/* surplus",
                "wrong arguments | fox 21, -1 21, 80.0 21, :80 21, localhost: 21, _ 21, --fox 21, 21 --pool 0",
                "wrong arguments | 0 fox, 0 0, 0 -21, 0 2.5, 0 _, 0 --pool, 0 --pool 21",
                "wrong arguments | 0 21 https://b/fox.png, 0 21 https://b/a_fox-*.png, 0 21 _",
                "For input string: \"2147483648\" | 0 2147483648, 2147483648 21",
                "port out of range:65536 | 65536 21, localhost:65536 21",
                "Unresolved address | fox.invalid:80 21",
                "Cannot assign requested address | 192.0.2.1:80 21", // of nobody, by RFC 5737
            })
    void refuses(String reason, String lines) throws Exception {
        for (String line : lines.split(", ")) {
            String[] words = Stream.of(line.split(" "))
                    .map(word -> word.equals("_") ? "" : word.replace('_', ' '))
                    .toArray(String[]::new);
            assertRefused(reason, words);
        }
    }

    @Test
    void refusesAPortThatIsTaken() throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED)) {
            assertRefused("Address already in use", "" + server.port, "21");
        }
    }

    /** Browsers differ in how they read such letters in a Location. */
    @Test
    void refusesLettersOfTheUrlOutsideAscii() throws Exception {
        // printf writes the letter: in place of it the JVM of the tests would pass a question mark in the POSIX locale.
        String script = "exec \"$@\" \"$(printf 'https://b/f\\303\\274chse-*.png')\"";
        List<String> command = new ArrayList<>(List.of("env", "LC_ALL=C.UTF-8", "sh", "-c", script, "sh"));
        command.addAll(Server.command("0", "1"));
        Command refused = Command.run(command.toArray(String[]::new));
        assertTrue(refused.output().contains("-*.png: wrong arguments\nusage: "), refused::toString);
    }

    private static void assertRefused(String reason, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" 2>&1 > /dev/null", "sh"));
        command.addAll(Server.command(arguments));
        String usage = "usage: java -jar avatar.jar [--pool] [HOST:]PORT COUNT ['URL*']";
        String said = String.join(" ", arguments) + ": " + reason + "\n" + usage + "\n";
        assertEquals(new Command(1, said), Command.run(command.toArray(String[]::new)));
    }

    /** All pictures are shown: each number is drawn, or, of two thousand million numbers, each eighth of them. */
    @ParameterizedTest
    @CsvSource({"1, 1", "21, 21", "2147483647, 8"})
    void drawsEachNumberUpToCountAsOftenAsTheOthers(int count, int ranges) throws Exception {
        int[] times = new int[ranges];
        int draws = 0;
        try (Server server = new Server(Server.command("0", "" + count))) {
            while (draws < 4200) {
                try (Client client = server.connect()) {
                    for (; draws < 4200; draws++) {
                        int number = Redirect.number(client.send(Client.GET).head());
                        times[(int) ((number - 1L) * ranges / count)]++;
                    }
                } catch (IOException closed) {
                    // A client that a busy machine lets rest for two seconds has to connect again.
                }
            }
        }
        double expected = (double) draws / ranges;
        // By chance one of 21 is further away than this, six standard deviations, once in millions of runs.
        for (int n : times) assertEquals(expected, n, 0.4 * expected, Arrays.toString(times));
    }
}
