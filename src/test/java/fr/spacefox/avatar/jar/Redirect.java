package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import java.util.regex.Pattern;
import java.util.stream.Collectors;

final class Redirect {

    /** Exactly these lines, in any order, and with the reason phrase that the JDK likes. */
    private static final Pattern SORTED = Pattern.compile("Cache-control: private, no-store\nContent-length: 0\n"
            + "Date: \\w{3}, \\d\\d \\w{3} \\d{4} [0-9:]{8} GMT\nHTTP/1\\.1 302 .*\n"
            + "Location: https://avatar\\.spacefox\\.fr/Renard-(\\d+)\\.png");

    private Redirect() {}

    static boolean is(String answer) {
        return answer.startsWith("HTTP/1.1 302 ");
    }

    static void check(String answer) {
        int number = number(answer);
        assertTrue(number >= 1 && number <= Server.COUNT, answer);
    }

    static int number(String answer) {
        assertTrue(answer.endsWith("\r\n\r\n"), answer);
        var sorted = SORTED.matcher(answer.strip().lines().sorted().collect(Collectors.joining("\n")));
        assertTrue(sorted.matches(), answer);
        return Integer.parseInt(sorted.group(1)); // of an int, as COUNT is
    }
}
