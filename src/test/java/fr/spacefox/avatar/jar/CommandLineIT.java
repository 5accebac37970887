package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.jar.Server.Mode;
import fr.spacefox.avatar.support.Command;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The arguments do what the usage says, and wrong ones are named in one clear line. */
class CommandLineIT {

    private static final String WRONG = "wrong arguments";

    @ParameterizedTest
    @CsvSource({
        "0 1, http://127.0.0.1, https://avatar.spacefox.fr/Renard-1.png",
        "--pool localhost:0 1, http://127.0.0.1, https://avatar.spacefox.fr/Renard-1.png",
        "127.0.0.2:0 1 https://fox-*.b/a.png?n=*#@, http://127.0.0.2, https://fox-1.b/a.png?n=1#@",
        "--pool [::1]:0 1 http://[::1]/f%C3%BCchse-*, http://[0:0:0:0:0:0:0:1], http://[::1]/f%C3%BCchse-1",
        "0.0.0.0:0 1, http://[0:0:0:0:0:0:0:0], https://avatar.spacefox.fr/Renard-1.png",
    })
    void saysItsAddressAndPutsTheNumberInPlaceOfTheStar(String line, String address, String location) throws Exception {
        try (Server server = new Server(Server.command(line.split(" ")))) {
            assertEquals(address + ":" + server.port, server.startLine);
            server.patiently(() -> {
                String head = server.connect().send(Client.GET).head();
                assertTrue(head.contains("\r\nLocation: " + location + "\r\n"), () -> head + "wanted: " + location);
            });
            server.assertUnharmed();
        }
    }

    /** One line with what is wrong and the arguments; _ is an empty one or a space, and the first line has none. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                WRONG + " | ''",
                WRONG + " | _, 0, --pool 0, --help, --pool --pool 21, 21 --pool 0, 0 --pool 21",
                WRONG + " | 0_21, --pool_0 21, --pool 0_21, 0_21 https://b/*, 0 21_https://b/*", // two in one word
                WRONG + " | fox 21, -1 21, :80 21, localhost: 21, --fox localhost:80 21",
                WRONG + " | 0 fox, 0 0, 0 -21, 0 2.5, 0 21 _, 0 21 https://b/* surplus",
                WRONG + " | 0 21 https://b/fox.png, 0 21 https://b/a_fox-*.png",
                "For input string: \"2147483648\" | 0 2147483648, 2147483648 21",
                "port out of range:65536 | localhost:65536 21",
                "Unresolved address | fox.invalid:80 21",
                "Cannot assign requested address | 192.0.2.1:80 21", // of nobody, by RFC 5737
            })
    void refuses(String reason, String lines) throws Exception {
        for (String line : lines.split(", ")) {
            String[] words = Stream.of(line.split(" "))
                    .filter(word -> !word.isEmpty())
                    .map(word -> word.equals("_") ? "" : word.replace('_', ' '))
                    .toArray(String[]::new);
            assertRefused(reason, words);
        }
    }

    @Test
    void refusesAPortThatIsTaken() throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED, Jdk.first())) {
            assertRefused("Address already in use", "" + server.port, "21");
        }
    }

    /** Browsers differ in how they read such letters in a Location. */
    @Test
    void refusesLettersOfTheUrlOutsideAscii() throws Exception {
        // printf writes the letter: in place of it the JVM of the tests would pass a question mark in the POSIX locale.
        String url = "\"$(printf 'https://b/f\\303\\274chse-*.png')\"";
        String said = said("LC_ALL=C.UTF-8", url, "0", "1");
        assertTrue(said.startsWith(WRONG + ": 0 1 https://b/f"), said);
    }

    private static void assertRefused(String reason, String... arguments) throws IOException {
        String usage = "usage: java -jar avatar.jar [--pool] [HOST:]PORT COUNT ['URL*']";
        String wanted = reason + ": " + String.join(" ", arguments) + "\n" + usage + "\n";
        assertEquals(wanted, said("", "", arguments));
    }

    /** On stderr, by the command with a last word of the shell, which ends with status 1. A server would not end. */
    private static String said(String environment, String lastWord, String... arguments) throws IOException {
        String script = environment + " timeout 60 \"$@\" " + lastWord + " 2>&1 >/dev/null";
        List<String> command = Server.command(arguments);
        command.addAll(0, List.of("sh", "-c", script, "sh"));
        Command refused = Command.run(command.toArray(String[]::new));
        assertEquals(1, refused.status(), () -> "status of " + command + ", which says: " + refused.output());
        return refused.output();
    }

    /** All pictures are shown: each number is drawn, or, of two thousand million numbers, each eighth of them. */
    @ParameterizedTest
    @CsvSource({"0 21, 21", "--pool 0 21, 21", "0 2147483647, 8"})
    void drawsEachNumberUpToCountAsOftenAsTheOthers(String line, int ranges) throws Exception {
        long count = Long.parseLong(line.replaceFirst(".* ", ""));
        int[] times = new int[ranges];
        try (Server server = new Server(Server.command(line.split(" ")))) {
            for (int i = 0; i < 20; i++)
                server.patiently(() -> {
                    Client client = server.connect();
                    for (int j = 0; j < 210; j++)
                        times[(int) ((client.send(Client.GET).number() - 1L) * ranges / count)]++;
                });
        }
        double expected = (double) Arrays.stream(times).sum() / ranges;
        // By chance one of 21 is further away than this, six standard deviations, once in millions of runs.
        for (int n : times) assertEquals(expected, n, 0.4 * expected, () -> line + ": " + Arrays.toString(times));
    }
}
