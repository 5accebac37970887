package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Tools;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The unit under a real systemd, installed as README says. */
class SystemdIT {

    private static final String URL = "https://avatar.spacefox.fr/x";

    private static Box box;

    @BeforeAll
    static void install() throws Exception {
        Tools.need("systemd-analyze", "h2load");
        box = Box.installed();
    }

    @AfterAll
    static void discard() throws Exception {
        if (box != null) box.close();
    }

    @Test
    void runsNowAndAfterTheNextBoot() {
        assertEquals("enabled\nactive", box.run("systemctl is-enabled avatar; systemctl is-active avatar").ok());
        assertTrue(box.run("journalctl --unit avatar --output cat").ok().contains(":6666 -> https://avatar.spacefox.fr/Renard-*.png"));
    }

    @Test
    void runsAsNobody() {
        String owner = box.run("stat --format '%u %U' /proc/" + box.jvm()).ok();
        assertFalse(owner.startsWith("0 "), owner);
    }

    @Test
    void isWellEnclosed() {
        box.run("systemd-analyze security --offline=yes --threshold=12 /etc/systemd/system/avatar.service").ok();
        assertEquals("", box.run("systemd-analyze verify /etc/systemd/system/avatar.service").ok());
        assertEquals(Set.of("127.0.0.0/8", "::1/128"), words("IPAddressAllow"));
        assertEquals(Set.of("0.0.0.0/0", "::/0"), words("IPAddressDeny"));
    }

    /** A property of the unit that is a set; systemd prints it in any order. */
    private static Set<String> words(String property) {
        return Set.of(box.run("systemctl show --value --property=" + property + " avatar").ok().split(" "));
    }

    @Test
    void comesBackFromAnyNumberOfKills() throws Exception {
        long slowest = 0;
        for (int death = 1; death <= 10; death++) { // twice what systemd's default start limit forgives
            int victim = box.jvm();
            long start = System.nanoTime();
            box.run("kill -KILL " + victim).ok();
            awaitRedirectBy(victim);
            slowest = Math.max(slowest, (System.nanoTime() - start) / 1_000_000);
        }
        System.out.println("10 kills, each survived, in " + slowest + " ms at most");
        assertEquals("10", box.run("systemctl show --property=NRestarts --value avatar").ok());
        box.run("systemctl reset-failed avatar"); // NRestarts starts again
    }

    /** A new process, and nothing but 302s from it. */
    private void awaitRedirectBy(int victim) throws InterruptedException {
        box.await("another process than " + victim, () -> {
            int now = box.jvm();
            return now != 0 && now != victim && box.curl(URL).output().startsWith("HTTP/1.1 302 ") ? now : null;
        });
    }

    @Test
    void hangsAndGoesOn() throws Exception {
        int jvm = box.jvm();
        box.run("kill -STOP " + jvm).ok();
        try {
            String answer = box.curl(URL).output();
            assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
        } finally {
            box.run("kill -CONT " + jvm).ok();
        }
        box.await("a redirect", () -> box.curl(URL).output().startsWith("HTTP/1.1 302 ") ? true : null);
        assertEquals(jvm, box.jvm());
    }

    @Test
    void restartsUnderLoadUnnoticed() throws Exception {
        String report = Load.during(box, 8, () -> {
            for (int restart = 0; restart < 3; restart++) {
                Thread.sleep(1500);
                int before = box.jvm();
                box.run("systemctl restart avatar").ok();
                awaitRedirectBy(before);
            }
        });
        System.out.println("3 restarts under load: " + Load.of(report));
        var seen = Load.of(report);
        assertEquals(0, seen.failed(), report);
        assertTrue(seen.redirected() > 0 && seen.pictures() > 0, report);
    }

    @Test
    void stopsWithSuccess() {
        box.run("systemctl stop avatar").ok();
        try {
            assertEquals("ActiveState=inactive\nResult=success",
                    box.run("systemctl show --property=Result --property=ActiveState avatar").ok().lines().sorted()
                            .collect(Collectors.joining("\n")));
        } finally {
            box.run("systemctl start avatar").ok();
        }
    }

    /** README's two drop-ins. */
    @Test
    void anotherMachineIsLetInAndThePicturesMove() throws Exception {
        try {
            box.edit("More than one machine");
            assertEquals(Set.of("127.0.0.0/8", "::1/128", "192.0.2.1/32"), words("IPAddressAllow"));
            box.edit("Pictures elsewhere");
            box.await("a picture elsewhere", () -> box.curl(URL).output().contains("Location: https://cdn.example.org/foxes/") ? true : null);
        } finally {
            box.run("systemctl revert avatar; systemctl restart avatar").ok();
        }
        box.await("the pictures as before", () -> box.curl(URL).output().contains("Location: https://avatar.spacefox.fr/") ? true : null);
    }

    /** README's two lines: another domain, another count, everything from then on by the same commands. */
    @Test
    void servesAnotherDomainAndCount() throws Exception {
        try (var other = new Box()) {
            Foxes.draw(30, other.path("/root/avatar"));
            for (String heading : Box.INSTALLATION) {
                other.run(Box.readme(heading)).ok();
            }
            assertEquals("", other.run("grep -rF avatar.spacefox.fr /root/avatar/deploy /etc/nginx/conf.d /etc/systemd/system || true").ok());
            var location = Pattern.compile("Location: https://avatar\\.example\\.org/Renard-(\\d+)\\.png\n");
            var numbers = new TreeSet<Integer>();
            other.await("number over 21", () -> {
                var found = location.matcher(other.curl("--resolve", "avatar.example.org:443:127.0.0.1", "https://avatar.example.org/x").output());
                if (found.find()) numbers.add(Integer.valueOf(found.group(1)));
                return !numbers.isEmpty() && numbers.last() > 21 ? true : null;
            });
            assertTrue(numbers.first() >= 1 && numbers.last() <= 30, numbers::toString);
            String last = other.curl("--resolve", "avatar.example.org:443:127.0.0.1", "https://avatar.example.org/Renard-30.png").output();
            assertTrue(last.contains("immutable"), last);
        }
    }
}
