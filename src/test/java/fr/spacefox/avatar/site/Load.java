package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Command;
import java.util.regex.Pattern;
import org.junit.jupiter.api.function.Executable;

/** What h2load reports. A request failed when it was not answered by a redirect or a picture. */
record Load(long requests, long pictures, long redirected, long failed, double perSecond) {

    private static final Pattern REPORT = Pattern.compile(
            "finished in [^,]+, ([\\d.]+) req/s.*?requests: (\\d+) total, \\d+ started, (\\d+) done,"
                    + ".*?status codes: (\\d+) 2xx, (\\d+) 3xx, ",
            Pattern.DOTALL);

    /**
     * The report on twenty clients that ask for some seconds. h2load -D was seen not to end once it had stopped all:
     * then again, thrice at most.
     */
    static String during(Box box, int seconds, Executable disturbance) throws Throwable {
        String command = "timeout " + (seconds + 22) + " h2load --h1 -c20 -D" + seconds + " https://127.0.0.1/x";
        Command result;
        int attempts = 0;
        do {
            Process load = box.start(command);
            disturbance.execute();
            result = Command.finish(load);
        } while (result.status() == 124 && ++attempts < 3); // timeout's exit code
        return result.ok();
    }

    static Load of(String report) {
        var found = REPORT.matcher(report);
        assertTrue(found.find(), report);
        long total = Math.max(Long.parseLong(found.group(2)), Long.parseLong(found.group(3)));
        long pictures = Long.parseLong(found.group(4));
        long redirected = Long.parseLong(found.group(5));
        return new Load(total, pictures, redirected, total - pictures - redirected, Double.parseDouble(found.group(1)));
    }
}
