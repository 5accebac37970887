package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Needs;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** systemd keeps the Java program running: enclosed, idle when nobody asks, and back whatever ends it. */
@Needs(BOX)
@Execution(ExecutionMode.SAME_THREAD)
class ServiceIT extends InstalledSite {

    /** So that each test finds the service up, and NRestarts at 0. */
    @BeforeEach
    void restart() throws InterruptedException {
        box.run("systemctl restart avatar");
        awaitAnotherJvmThan(0);
    }

    @Test
    void isWellEnclosedAndSaysWhereItListens() {
        box.run("journalctl --unit avatar --output cat | grep --fixed-strings --line-regexp /127.0.0.1:6666");
        assertNotEquals("0", box.run("stat --format %u /proc/" + box.jvm()));
        assertEquals("", box.run("systemd-analyze verify /etc/systemd/system/avatar.service"));
        Set<String> allowed = Set.of(property("IPAddressAllow").split(" ")); // systemd prints them in any order
        assertEquals(Set.of("127.0.0.0/8", "::1/128"), allowed);
        assertEquals(
                Set.of("0.0.0.0/0", "::/0"), Set.of(property("IPAddressDeny").split(" ")));
    }

    private String property(String name) {
        return box.run("systemctl show --value --property=" + name + " avatar");
    }

    /** As after deploy/remove, or where the folder is lost: nothing fails, and nginx serves other sites. */
    @Test
    void isSkippedWithoutASite() {
        box.run("mv /var/lib/avatar/site /srv; systemctl restart avatar; nginx -t; mv /srv/site /var/lib/avatar");
        assertEquals("inactive no", property("ActiveState") + " " + property("ConditionResult"));
    }

    /** At most one attempt in five seconds, and the service is back as soon as the port is free. */
    @Test
    void waitsForATakenPort() throws Exception {
        box.run("systemctl stop avatar");
        Process other = box.start(
                "exec java -Xmx8m -jar /var/lib/avatar/site/deploy/avatar.jar 6666 1 https://other.example.org/*.png");
        try {
            box.awaitTrue("the other", () -> box.succeeds("visit http://localhost:6666/"));
            long start = System.nanoTime();
            box.run("systemctl start avatar");
            box.awaitTrue("two new attempts", () -> Integer.parseInt(property("NRestarts")) >= 2);
            assertTrue(System.nanoTime() - start >= 10_000_000_000L, "more than one attempt in five seconds");
        } finally {
            other.destroy();
            other.waitFor();
        }
        awaitAnotherJvmThan(0);
    }

    /** However often it has started: systemd would give up behind five starts in ten seconds. */
    @Test
    void comesBackFromAKill() throws Exception {
        for (int start = 1; start <= 6; start++) box.run("systemctl restart avatar");
        int victim = box.jvm();
        box.run("kill -KILL " + victim);
        awaitAnotherJvmThan(victim);
        assertEquals("1", property("NRestarts"));
    }

    private void awaitAnotherJvmThan(int former) throws InterruptedException {
        box.awaitTrue("another process than " + former, () -> {
            int now = box.jvm();
            return now != 0 && now != former && jvmAnswers();
        });
    }

    /** While nobody asks, the JVM wakes up 30 times in ten seconds at most. */
    @Test
    void wakesSeldomWhenNobodyAsks() throws Exception {
        String sum = "cat /proc/" + box.jvm() + "/task/*/status | awk '/^voluntary/ { n += $2 } END { print n }'";
        String script = "before=$(" + sum + "); sleep 10; echo $(($(" + sum + ") - before))";
        // A thread that has ended meanwhile takes its number with it.
        box.awaitTrue("ten quiet seconds", () -> box.run(script).matches("[12]?[1-9]|[123]0"));
    }

    /** A security update of Java, which is there in place of the old one some days later, here after eight seconds. */
    @Test
    void changesToTheJavaThatIsInstalledUnnoticed() throws Throwable {
        String began = box.run("sed -i 's/sleep 3d/sleep 8/' /etc/systemd/system/avatar.service"
                + "; systemctl daemon-reload; date +%s");
        try {
            box.run("systemctl restart avatar");
            int old = box.jvm();
            awaitAnotherJvmThan(0);
            box.run("home=$(readlink -f /usr/bin/java); home=${home%/bin/java}; cp -a $home $home.new; rm -r $home"
                    + "; mv $home.new $home");
            assertTrue(box.run("readlink /proc/" + old + "/exe").endsWith(" (deleted)"));
            fetchDraws(box);
            try (var visitors = new Visitors(box, "avatar.spacefox.fr")) {
                awaitAnotherJvmThan(old);
            }
            String java = box.run("readlink /proc/" + box.jvm() + "/exe");
            assertFalse(java.endsWith(" (deleted)"), java);
            assertEquals("success", property("Result"));
            box.run("! journalctl --unit avatar --since @" + began + " --output cat | grep -i fail");
        } finally {
            box.run("sed -i 's/sleep 8/sleep 3d/' /etc/systemd/system/avatar.service; systemctl daemon-reload");
        }
    }
}
