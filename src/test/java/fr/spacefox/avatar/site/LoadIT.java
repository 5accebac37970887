package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Tools;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The site as installed, under load. */
class LoadIT {

    private static Box box;

    @BeforeAll
    static void install() throws Exception {
        Tools.need("h2load");
        box = Box.installed();
        box.run(Box.readme("Ten thousand at once")).ok();
    }

    @AfterAll
    static void discard() throws Exception {
        if (box != null) box.close();
    }

    private static String h2load(int clients, int requests) {
        // A client is a file descriptor, the load generator's too.
        return box.run("ulimit -n $(ulimit -H -n); exec h2load --h1 -c" + clients + " -n" + requests
                        + " https://127.0.0.1/x")
                .ok();
    }

    @Test
    void tenThousandClientsAtOnce() {
        int jvm = box.jvm();
        String report = h2load(10_000, 200_000);
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

    /** Some may get the stand-in only because this machine keeps the JVM from running for a tenth of a second. */
    @Test
    void losesNoneOfAThousandClients() {
        String report = h2load(1000, 50_000);
        assertEquals(0, Load.of(report).failed(), report);
        assertTrue(Load.of(report).redirected() >= 49_500, report);
    }

    /** As many clients as the fast lane has places: nobody is sent to the queue, which would show them the stand-in. */
    @Test
    void nobodyWaitsWhileTheFastLaneHasAPlace() throws Exception {
        box.run("""
                sed -i 's|rate=[0-9]*r/s|rate=1r/m|; s| burst=[0-9]*||' /etc/nginx/conf.d/avatar.conf
                systemctl restart nginx""").ok();
        try {
            String report = h2load(6, 30_000);
            assertEquals(30_000, Load.of(report).redirected(), report);
        } finally {
            box.run(Box.readme("Install")).ok();
            box.run("systemctl restart nginx").ok();
        }
    }
}
