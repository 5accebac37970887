package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

final class Redirect {

    static final String DEFAULT_URL = "https://avatar.spacefox.fr/Renard-*.png";

    private static final Pattern LOCATION =
            Pattern.compile("\r\nLocation: https://avatar\\.spacefox\\.fr/Renard-(\\d+)\\.png\r\n");

    private Redirect() {}

    static boolean is(String answer) {
        return answer.startsWith("HTTP/1.1 302 ");
    }

    /** Exactly these lines, in any order, and with the reason phrase that the JDK likes. */
    static void check(String answer) {
        assertTrue(is(answer) && answer.endsWith("\r\n\r\n"), answer);
        int number = number(answer);
        assertTrue(number >= 1 && number <= Server.COUNT, answer);
        var lines =
                answer.lines().skip(1).filter(line -> !line.isEmpty()).sorted().toList();
        String date = lines.get(2);
        String location = "Location: " + DEFAULT_URL.replace("*", "" + number);
        assertEquals(List.of("Cache-control: private, no-store", "Content-length: 0", date, location), lines);
        DateTimeFormatter.RFC_1123_DATE_TIME.parse(date.substring("Date: ".length()));
    }

    static int number(String answer) {
        Matcher location = LOCATION.matcher(answer);
        assertTrue(location.find(), answer);
        return Integer.parseInt(location.group(1)); // of an int, as COUNT is
    }
}
