package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static fr.spacefox.avatar.support.Needs.Tool.H2LOAD;
import static org.junit.jupiter.api.Assertions.assertEquals;

import fr.spacefox.avatar.support.Needs;
import java.nio.file.Path;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** A second machine, unplugged and plugged in again under load. */
@Needs({BOX, H2LOAD})
class ClusterIT {

    /** A machine says who it is by where it redirects to. */
    private static final String SECOND = "https://second.example.org/*.png";

    @Test
    void noRequestFailsWhenAHostIsUnplugged() throws Exception {
        String jar = Path.of("target/avatar.jar").toAbsolutePath().toString();
        try (var box = Box.installed();
                var second = new Host(box, "java", "-Xmx8m", "-Xss256k", "-jar", jar, "6666", "21", SECOND)) {
            box.awaitTrue("the second machine", () -> box.succeeds("visit http://" + Host.ADDRESS + ":6666/"));
            box.run(Documents.commands("A second machine")); // what is for the second one is here already
            InstalledSite.fetchDraws(box);
            awaitDraws(box, "of both machines", draws -> draws > 0 && draws < 64);
            String report = Load.during(box, 16, () -> {
                second.cable("down");
                awaitDraws(box, "of the first machine alone", draws -> draws == 0);
                second.cable("up");
                awaitDraws(box, "of both machines again", draws -> draws > 0 && draws < 64);
            });
            var seen = Load.of(report);
            System.out.println("a machine unplugged under load: " + seen);
            assertEquals(0, seen.failed(), report);
            assertEquals(0, seen.pictures(), report);
        }
    }

    /** Waits for the right number of draws that the second machine has made. */
    private static void awaitDraws(Box box, String whose, IntPredicate right) throws InterruptedException {
        box.awaitTrue("draws " + whose, () -> {
            // Draws are renewed when somebody asks.
            box.attempt("visit --output /dev/null 'https://avatar.spacefox.fr/x?[1-200]'");
            return right.test(Integer.parseInt(box.run("grep -l second.example.org /run/avatar/* | wc -l")));
        });
    }
}
