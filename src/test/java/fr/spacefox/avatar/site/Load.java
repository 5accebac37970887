package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.regex.Pattern;

/** What h2load reports. A request failed when it was not answered by a redirect or a picture. */
record Load(long pictures, long redirected, long failed) {

    private static final Pattern REPORT =
            Pattern.compile("(?s)requests: (\\d+) total, .*?status codes: (\\d+) 2xx, (\\d+) 3xx, ");

    static Load of(String report) {
        var found = REPORT.matcher(report);
        assertTrue(found.find(), report);
        long pictures = Long.parseLong(found.group(2));
        long redirected = Long.parseLong(found.group(3));
        return new Load(pictures, redirected, Long.parseLong(found.group(1)) - pictures - redirected);
    }
}
