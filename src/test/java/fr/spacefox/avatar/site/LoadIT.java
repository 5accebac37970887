package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static fr.spacefox.avatar.support.Needs.Tool.H2LOAD;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Needs;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The site as installed, under load. */
@Needs({BOX, H2LOAD})
class LoadIT extends InstalledSite {

    @BeforeAll
    static void prepare() throws Exception {
        box.run(Documents.commands("Ten thousand at once")).ok();
    }

    private static String h2load(Box box, int clients, int requests) {
        // A client is a file descriptor, the load generator's too.
        return box.run("ulimit -n $(ulimit -H -n); exec h2load --h1 -c" + clients + " -n" + requests
                        + " https://127.0.0.1/x")
                .ok();
    }

    @Test
    void tenThousandClientsAtOnce() {
        int jvm = box.jvm();
        String report = h2load(box, 10_000, 200_000);
        var load = Load.of(report);
        System.out.println("10,000 clients at once: " + load + ", JVM "
                + box.run("grep VmRSS /proc/" + jvm + "/status").output());
        assertEquals(
                "",
                box.run("journalctl --unit avatar --output cat | grep -E 'Error|Exception' || true")
                        .ok());
        assertEquals(jvm, box.jvm());
        assertEquals(200_000, load.requests(), report);
        assertEquals(0, load.failed(), report);
        assertTrue(load.redirected() >= 190_000, report);
        assertTrue(box.run("tr '\\0' ' ' < /proc/" + jvm + "/cmdline").ok().contains(" -Xmx8m "));
    }

    /** Some may get the stand-in, because a busy machine keeps the JVM from running for a tenth of a second. */
    @Test
    void losesNoneOfAThousandClients() {
        String report = h2load(box, 1000, 50_000);
        assertEquals(0, Load.of(report).failed(), report);
        assertTrue(Load.of(report).redirected() >= 47_500, report);
    }

    /** As many clients as the fast lane has places for one address: the closed queue would show them the stand-in. */
    @Test
    void nobodyWaitsWhileTheFastLaneHasAPlace() throws Exception {
        try (var own = Box.installed()) {
            closeTheQueue(own);
            String report = h2load(own, 4, 20_000);
            assertEquals(20_000, Load.of(report).redirected(), report);
        }
    }
}
