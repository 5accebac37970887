package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Needs;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Ten thousand clients at once are answered, without a single failure. */
@Needs(BOX)
@Isolated
class LoadIT extends InstalledSite {

    @BeforeAll
    void prepare() throws Exception {
        box.run(Documents.commands("Many visitors at once"));
        awaitTheEndOfFormerWorkers(box);
    }

    /** Ten thousand clients at once, each of which is a file descriptor of the load generator too. */
    private Load load(int requests) {
        String report =
                box.run("ulimit -n $(ulimit -H -n); exec h2load --h1 -c10000 -n" + requests + " https://127.0.0.1/x");
        var load = Load.of(report);
        assertEquals(0, load.failed(), report);
        return load;
    }

    @Test
    void redirectsTenThousandClientsAtOnce() throws Exception {
        fetchDraws(box);
        int jvm = box.jvm();
        assertEquals(200_000, load(200_000).redirected());
        assertEquals("", box.run("journalctl --unit avatar --output cat | grep -E 'Error|Exception' || true"));
        assertEquals(jvm, box.jvm());
        assertTrue(box.run("tr '\\0' ' ' < /proc/" + jvm + "/cmdline").contains(" -Xmx8m "));
    }

    /** Right after a start, nginx has no draw yet: some may get a random picture, but nobody gets nothing. */
    @Test
    void failsNobodyInABurstOnEmptyDraws() throws Exception {
        forgetDraws(box);
        assertTrue(load(20_000).redirected() > 0);
        fetchDraws(box);
    }
}
