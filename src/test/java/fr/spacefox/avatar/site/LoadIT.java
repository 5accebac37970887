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
        box.run(Documents.commands("Ten thousand at once"));
        awaitTheEndOfFormerWorkers(box);
    }

    private static Load load(int clients, int requests) {
        // A client is a file descriptor, the load generator's too.
        String report = box.run(
                "ulimit -n $(ulimit -H -n); exec h2load --h1 -c" + clients + " -n" + requests + " https://127.0.0.1/x");
        var load = Load.of(report);
        System.out.println(clients + " clients at once: " + load + ", JVM "
                + box.attempt("grep VmRSS /proc/" + box.jvm() + "/status")
                        .output()
                        .strip());
        assertEquals(requests, load.requests(), report);
        assertEquals(0, load.failed(), report);
        return load;
    }

    @Test
    void redirectsTenThousandClientsAtOnce() throws Exception {
        fetchDraws(box);
        int jvm = box.jvm();
        assertEquals(200_000, load(10_000, 200_000).redirected());
        assertEquals("", box.run("journalctl --unit avatar --output cat | grep -E 'Error|Exception' || true"));
        assertEquals(jvm, box.jvm());
        assertTrue(box.run("tr '\\0' ' ' < /proc/" + jvm + "/cmdline").contains(" -Xmx8m "));
    }

    @Test
    void redirectsEachOfAThousandClients() throws Exception {
        fetchDraws(box);
        assertEquals(50_000, load(1000, 50_000).redirected());
    }

    /** Right after a start, nginx has no draw yet: some may get the stand-in, but nobody gets nothing. */
    @Test
    void failsNobodyInABurstOnEmptyDraws() throws Exception {
        forgetDraws(box);
        assertTrue(load(10_000, 20_000).redirected() > 0);
        fetchDraws(box);
    }
}
