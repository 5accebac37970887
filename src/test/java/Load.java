import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.regex.Pattern;

/** What h2load reports. A request failed when it was not answered by a redirect or a picture. */
record Load(long requests, long pictures, long redirected, long failed, double perSecond) {

    private static final Pattern REPORT = Pattern.compile("finished in [^,]+, ([\\d.]+) req/s.*?"
            + "requests: (\\d+) total, \\d+ started, (\\d+) done, \\d+ succeeded, (\\d+) failed, (\\d+) errored, (\\d+) timeout.*?"
            + "status codes: (\\d+) 2xx, (\\d+) 3xx, (\\d+) 4xx, (\\d+) 5xx", Pattern.DOTALL);

    static Load of(String report) {
        var found = REPORT.matcher(report);
        assertTrue(found.find(), report);
        long total = Math.max(Long.parseLong(found.group(2)), Long.parseLong(found.group(3)));
        long pictures = Long.parseLong(found.group(7));
        long redirected = Long.parseLong(found.group(8));
        return new Load(total, pictures, redirected, total - pictures - redirected, Double.parseDouble(found.group(1)));
    }
}
