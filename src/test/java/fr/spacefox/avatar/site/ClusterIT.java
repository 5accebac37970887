package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static fr.spacefox.avatar.support.Needs.Tool.H2LOAD;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A second machine, unplugged and plugged in again under load. */
@Needs({BOX, H2LOAD})
class ClusterIT {

    private static final String URL = "https://avatar.spacefox.fr/x";
    /** A machine says who it is by where it redirects to. */
    private static final String FIRST = "https://avatar.spacefox.fr/Renard-";

    private static final String SECOND = "https://second.example.org/";

    @Test
    void noRequestFailsWhenAHostIsUnplugged() throws Exception {
        try (var box = Box.installed();
                var second = new Host(
                        box,
                        "java",
                        "-Xmx8m",
                        "-Xss256k",
                        "-jar",
                        Path.of("target/avatar.jar").toAbsolutePath().toString(),
                        "6666",
                        "21",
                        SECOND + "*.png")) {
            box.awaitTrue(
                    "the second machine",
                    () -> box.run("visit http://" + Host.ADDRESS + ":6666/").status() == 0);
            // The guide's line, and a log of the test's own that counts the redirects of each machine.
            box.run(Documents.block("A second machine", "sh")
                                    .lines()
                                    .filter(line -> line.contains("site.sed"))
                                    .findFirst()
                                    .orElseThrow()
                            + """

                    cat >> /etc/avatar/site.sed <<'END'
                    s|access_log off;|access_log /locations locations;|
                    1i log_format locations '$sent_http_location';
                    END""")
                    .ok();
            box.install("").ok();
            awaitBoth(box);

            var counts = new ArrayList<List<Long>>();
            String report = Load.during(box, 16, () -> {
                counts.clear();
                counts.add(redirects(box));
                second.cable("down");
                Thread.sleep(2000); // what was on the way has been asked again
                counts.add(redirects(box));
                second.cable("up");
                Thread.sleep(2000); // the second machine is tried again after one second
                counts.add(redirects(box));
            });
            var seen = Load.of(report);
            System.out.println("a machine unplugged for 5 of 16 s: " + seen
                    + ", redirects of each machine in 3 s before, while, after: " + counts);
            assertEquals(0, seen.failed(), report);
            assertEquals(0, seen.pictures(), report);
            assertTrue(counts.get(0).get(0) > 0 && counts.get(0).get(1) > 0, "both are asked: " + counts);
            assertTrue(counts.get(1).get(0) > 0 && counts.get(1).get(1) == 0, "only the first can be asked: " + counts);
            assertTrue(counts.get(2).get(0) > 0 && counts.get(2).get(1) > 0, "both are asked again: " + counts);
            awaitBoth(box);
        }
    }

    /** The redirects that each machine answers within three seconds from now. */
    private static List<Long> redirects(Box box) throws IOException, InterruptedException {
        Path log = box.path("/locations");
        Files.newByteChannel(log, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)
                .close();
        Thread.sleep(3000);
        try (var lines = Files.lines(log)) {
            var found = lines.collect(Collectors.groupingBy(line -> line.startsWith(SECOND), Collectors.counting()));
            return List.of(found.getOrDefault(false, 0L), found.getOrDefault(true, 0L));
        }
    }

    /** Both machines are asked. */
    private static void awaitBoth(Box box) throws InterruptedException {
        for (String place : List.of(FIRST, SECOND)) {
            box.awaitTrue(place, () -> box.curl(URL).output().contains("Location: " + place));
        }
    }
}
