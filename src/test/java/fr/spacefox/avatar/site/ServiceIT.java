package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static fr.spacefox.avatar.support.Needs.Tool.H2LOAD;
import static fr.spacefox.avatar.support.Needs.Tool.SYSTEMD_ANALYZE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Needs;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The unit under a real systemd. */
@Needs({BOX, H2LOAD, SYSTEMD_ANALYZE})
class ServiceIT extends InstalledSite {

    @Test
    void runsNowAndAfterTheNextBoot() {
        assertEquals("enabled\nactive", box.run("systemctl is-enabled avatar; systemctl is-active avatar"));
        assertTrue(box.run("journalctl --unit avatar --output cat")
                .contains("http://localhost:6666/ -> https://avatar.spacefox.fr/Renard-*.png"));
    }

    @Test
    void runsAsNobody() {
        String owner = box.run("stat --format '%u %U' /proc/" + box.jvm());
        assertFalse(owner.startsWith("0 "), owner);
    }

    @Test
    void isWellEnclosed() {
        box.run("systemd-analyze security --offline=yes --threshold=12 /etc/systemd/system/avatar.service");
        assertEquals("", box.run("systemd-analyze verify /etc/systemd/system/avatar.service"));
        assertEquals(Set.of("127.0.0.0/8", "::1/128"), words("IPAddressAllow"));
        assertEquals(Set.of("0.0.0.0/0", "::/0"), words("IPAddressDeny"));
    }

    /** A property of the unit that is a set; systemd prints it in any order. */
    private static Set<String> words(String property) {
        return Set.of(box.run("systemctl show --value --property=" + property + " avatar")
                .split(" "));
    }

    /** A wrong argument stays wrong: one attempt, and the reason in the journal. */
    @Test
    void isNotRestartedWithAWrongCount() throws Exception {
        box.run("sed -i s/^COUNT=.*/COUNT=none/ /etc/default/avatar; systemctl restart avatar");
        try {
            box.awaitTrue(
                    "the end",
                    () -> box.attempt("systemctl is-active avatar").output().equals("failed\n"));
            Thread.sleep(3000); // a second attempt would come after one second
            assertEquals(
                    "ExecMainStatus=2\nNRestarts=0",
                    box.run("systemctl show --property=ExecMainStatus --property=NRestarts avatar | sort"));
        } finally {
            box.run("sed -i s/^COUNT=.*/COUNT=21/ /etc/default/avatar; systemctl restart avatar");
        }
        awaitRedirectBy(0);
    }

    /** At most one attempt a second, and the service is back as soon as the port is free. */
    @Test
    void waitsForATakenPort() throws Exception {
        box.run("systemctl stop avatar");
        Process other = box.start(
                "exec java -Xmx8m -jar /usr/local/lib/avatar/avatar.jar 6666 1 https://other.example.org/*.png");
        try {
            box.awaitTrue("the other", () -> box.succeeds("visit http://localhost:6666/"));
            long start = System.nanoTime();
            box.run("systemctl start avatar");
            box.awaitTrue(
                    "a new attempt",
                    () -> !box.run("systemctl show --property=NRestarts --value avatar")
                            .equals("0"));
            Thread.sleep(3000);
            String said = box.tryInstall("").output();
            assertTrue(said.contains("port 6666 is taken: java, process "), said);
            int restarts = Integer.parseInt(box.run("systemctl show --property=NRestarts --value avatar"));
            long seconds = (System.nanoTime() - start) / 1_000_000_000;
            assertTrue(restarts > 0 && restarts <= seconds, restarts + " new attempts in " + seconds + " s");
        } finally {
            other.destroy();
            other.waitFor();
        }
        box.awaitTrue("the service", () -> box.curl(SITE).output().contains("Location: https://avatar.spacefox.fr/"));
        box.run("systemctl reset-failed avatar; systemctl restart avatar"); // NRestarts starts again
        awaitRedirectBy(0);
    }

    @Test
    void comesBackFromAnyNumberOfKills() throws Exception {
        long slowest = 0;
        for (int death = 1; death <= 10; death++) { // twice what systemd's default start limit forgives
            int victim = box.jvm();
            long start = System.nanoTime();
            box.run("kill -KILL " + victim);
            awaitRedirectBy(victim);
            slowest = Math.max(slowest, (System.nanoTime() - start) / 1_000_000);
        }
        System.out.println("10 kills, each survived, in " + slowest + " ms at most");
        assertEquals("10", box.run("systemctl show --property=NRestarts --value avatar"));
        box.attempt("systemctl reset-failed avatar"); // NRestarts starts again
    }

    /** A new process that answers. */
    private void awaitRedirectBy(int victim) throws InterruptedException {
        box.awaitTrue("another process than " + victim, () -> {
            int now = box.jvm();
            return now != 0 && now != victim && jvmAnswers();
        });
    }

    @Test
    void restartsUnderLoadUnnoticed() throws Exception {
        fetchDraws(box);
        String report = Load.during(box, 8, () -> {
            for (int restart = 0; restart < 3; restart++) {
                Thread.sleep(1500);
                int before = box.jvm();
                box.run("systemctl restart avatar");
                awaitRedirectBy(before);
            }
        });
        System.out.println("3 restarts under load: " + Load.of(report));
        var seen = Load.of(report);
        assertEquals(0, seen.failed(), report);
        assertEquals(0, seen.pictures(), report);
    }

    @Test
    void stopsWithSuccess() {
        box.run("systemctl stop avatar");
        try {
            assertEquals(
                    "ActiveState=inactive\nResult=success",
                    box.run("systemctl show --property=Result --property=ActiveState avatar")
                            .lines()
                            .sorted()
                            .collect(Collectors.joining("\n")));
        } finally {
            box.run("systemctl start avatar");
        }
    }
}
