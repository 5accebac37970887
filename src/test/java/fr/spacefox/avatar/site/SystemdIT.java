package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Tools;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The unit under a real systemd, installed by the guide's commands. */
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
        assertEquals(
                "enabled\nactive",
                box.run("systemctl is-enabled avatar; systemctl is-active avatar")
                        .ok());
        assertTrue(box.run("journalctl --unit avatar --output cat")
                .ok()
                .contains("http://localhost:6666/ -> https://avatar.spacefox.fr/Renard-*.png"));
    }

    @Test
    void runsAsNobody() {
        String owner = box.run("stat --format '%u %U' /proc/" + box.jvm()).ok();
        assertFalse(owner.startsWith("0 "), owner);
    }

    @Test
    void isWellEnclosed() {
        box.run("systemd-analyze security --offline=yes --threshold=12 /etc/systemd/system/avatar.service")
                .ok();
        assertEquals(
                "",
                box.run("systemd-analyze verify /etc/systemd/system/avatar.service")
                        .ok());
        assertEquals(Set.of("127.0.0.0/8", "::1/128"), words("IPAddressAllow"));
        assertEquals(Set.of("0.0.0.0/0", "::/0"), words("IPAddressDeny"));
    }

    /** A property of the unit that is a set; systemd prints it in any order. */
    private static Set<String> words(String property) {
        return Set.of(box.run("systemctl show --value --property=" + property + " avatar")
                .ok()
                .split(" "));
    }

    /** A wrong argument stays wrong: one attempt, and the reason in the journal. */
    @Test
    void isNotRestartedWithAWrongCount() throws Exception {
        box.run("""
                mkdir -p /etc/systemd/system/avatar.service.d
                printf '[Service]\\nEnvironment=COUNT=none\\n' > /etc/systemd/system/avatar.service.d/wrong.conf
                systemctl daemon-reload
                systemctl restart avatar""").ok();
        try {
            box.await(
                    "the end",
                    () -> box.run("systemctl is-active avatar").output().equals("failed\n") ? true : null);
            Thread.sleep(3000); // a second attempt would come after one second
            assertEquals(
                    "ExecMainStatus=2\nNRestarts=0",
                    box.run("systemctl show --property=ExecMainStatus --property=NRestarts avatar | sort")
                            .ok());
        } finally {
            box.run("systemctl revert avatar; systemctl restart avatar").ok();
        }
        awaitRedirectBy(0);
    }

    /** At most one attempt a second, and the service is back as soon as the port is free. */
    @Test
    void waitsForATakenPort() throws Exception {
        box.run("systemctl stop avatar").ok();
        Process other = box.start("exec java -Xmx8m -jar /usr/local/lib/avatar/avatar.jar 6666 1");
        try {
            box.await(
                    "the other",
                    () -> box.run("curl --silent http://localhost:6666/").status() == 0 ? true : null);
            long start = System.nanoTime();
            box.run("systemctl start avatar").ok();
            Thread.sleep(6000);
            int restarts = Integer.parseInt(box.run("systemctl show --property=NRestarts --value avatar")
                    .ok());
            long seconds = (System.nanoTime() - start) / 1_000_000_000;
            assertTrue(restarts > 0 && restarts <= seconds, restarts + " new attempts in " + seconds + " s");
        } finally {
            other.destroy();
            other.waitFor();
        }
        box.await(
                "the service",
                () -> box.curl(URL).output().contains("Location: https://avatar.spacefox.fr/") ? true : null);
        box.run("systemctl reset-failed avatar; systemctl restart avatar").ok(); // NRestarts starts again
        awaitRedirectBy(0);
    }

    /**
     * Another machine, in a network namespace of its own, asks for port 6666 as the guide says. Where the unit's
     * IPAddressDeny has no effect there is an answer, and the guide's lines have to end it.
     */
    @Test
    void thePortIsClosedToOtherMachines() throws Exception {
        Tools.need("unshare", "nft");
        assertEquals(
                "curl -i --max-time 5 http://avatar.spacefox.fr:6666/",
                box.run(Box.readme("Is port 6666 closed?")).ok());
        try (var other = new Host(box)) {
            String ask = "exec curl --silent --max-time 3 --output /dev/null --write-out '%{http_code}' http://"
                    + Host.BOX + ":";
            assertEquals(0, other.run(ask + "80/").status(), "the other machine does not reach this one");
            Command before = other.run(ask + "6666/");
            System.out.println("port 6666 from another machine: " + before + " with IPAddressDeny alone");
            if (before.status() == 0) {
                for (int times = 0; times < 2; times++) box.edit("Is port 6666 closed?");
                assertEquals(new Command(28, "000"), other.run(ask + "6666/"));
                // One rule, however often the service has been started.
                assertEquals(
                        1,
                        box.run("nft list ruleset")
                                .ok()
                                .lines()
                                .filter(line -> line.contains("drop"))
                                .count());
            } else {
                assertEquals(new Command(28, "000"), before);
            }
            awaitRedirectBy(0);
        } finally {
            box.run("systemctl revert avatar; nft flush ruleset; systemctl restart avatar")
                    .ok();
        }
        awaitRedirectBy(0);
    }

    /** Steps 3 and 5, again and again: what an authority signed is never overwritten nor removed. */
    @Test
    void theCertificateSurvivesEveryRepetition() throws Exception {
        String live = "/etc/letsencrypt/live/avatar.spacefox.fr";
        String sums = "cd " + live + " && sha256sum *";
        String own = box.run(sums).ok();
        String before = Box.readme("A certificate to begin with");
        String certificate = Box.readme("The real certificate");
        try {
            box.run(before).ok();
            assertEquals(own, box.run(sums).ok(), "step 3 repeated");

            certbot("exit 1");
            for (int times = 0; times < 2; times++) {
                assertEquals(1, box.run(certificate).status());
                assertEquals(own, box.run(sums).ok(), "certbot failed");
            }
            // Like certbot, it wants the folder for itself, leads there by symlinks, and keeps what is not due.
            certbot("""
                    domain=avatar.spacefox.fr
                    cd /etc/letsencrypt
                    [ -e renewal/$domain.conf ] && exit 0
                    mkdir -p archive renewal live
                    mkdir archive/$domain live/$domain
                    for name in fullchain privkey; do
                        cp live/$domain.self-signed/$name.pem archive/$domain/${name}1.pem
                        echo signed by an authority >> archive/$domain/${name}1.pem
                        ln -s ../../archive/$domain/${name}1.pem live/$domain/$name.pem
                    done
                    touch renewal/$domain.conf""");
            box.run(certificate).ok();
            String signed = box.run(sums).ok();
            assertTrue(!signed.equals(own));
            for (int times = 0; times < 2; times++) {
                box.run(before).ok();
                box.run(certificate).ok();
                assertEquals(signed, box.run(sums).ok(), "steps repeated");
            }
            certbot("exit 1");
            assertEquals(1, box.run(certificate).status());
            assertEquals(signed, box.run(sums).ok(), "renewal failed");

            box.run("mv /etc/nginx/conf.d/avatar.conf /away.conf; touch /etc/nginx/conf.d/avatar.conf")
                    .ok();
            try {
                assertTrue(
                        box.run(before).status() != 0 && box.run(certificate).status() != 0,
                        "no domain, and no complaint");
            } finally {
                box.run("mv /away.conf /etc/nginx/conf.d/avatar.conf").ok();
            }
            assertEquals(signed, box.run(sums).ok(), "no domain");
        } finally {
            box.run("rm -rf /usr/local/bin/certbot /etc/letsencrypt").ok();
            box.run(before).ok();
            box.run("systemctl restart nginx").ok();
        }
        awaitRedirectBy(0);
    }

    /** The authority cannot be asked from here: a program of certbot's name does what certbot does to the files. */
    private static void certbot(String script) throws Exception {
        Files.writeString(box.path("/usr/local/bin/certbot"), "#!/bin/sh -e\n" + script + "\n");
        box.run("chmod 755 /usr/local/bin/certbot").ok();
    }

    /** The guide's answer to a port that somebody else has, and its way back. */
    @Test
    void everythingRunsOnAnotherPort() throws Exception {
        box.run("cp -r /root/avatar /root/before").ok();
        try {
            box.run(Box.readme("Another port than 6666")).ok();
            for (String heading : List.of("Install", "Start"))
                box.run(Box.readme(heading)).ok();
            box.run("systemctl restart avatar").ok();
            awaitRedirectBy(0);
            assertEquals(
                    "", box.run("curl --silent http://localhost:6666/ || true").ok());
            box.run("curl --silent --fail http://localhost:6667/").ok();
        } finally {
            box.run("rm -rf /root/avatar; mv /root/before /root/avatar").ok();
            for (String heading : List.of("Install", "Update"))
                box.run(Box.readme(heading)).ok();
        }
        awaitRedirectBy(0);
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
        assertEquals(
                "10",
                box.run("systemctl show --property=NRestarts --value avatar").ok());
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
            assertEquals(
                    "ActiveState=inactive\nResult=success",
                    box.run("systemctl show --property=Result --property=ActiveState avatar")
                            .ok()
                            .lines()
                            .sorted()
                            .collect(Collectors.joining("\n")));
        } finally {
            box.run("systemctl start avatar").ok();
        }
    }

    /** The guide's two drop-ins. */
    @Test
    void anotherMachineIsLetInAndThePicturesMove() throws Exception {
        try {
            box.edit("A larger machine, or several");
            assertEquals(Set.of("127.0.0.0/8", "::1/128", "192.0.2.1/32"), words("IPAddressAllow"));
            box.edit("Pictures on another server");
            box.await(
                    "a picture elsewhere",
                    () -> box.curl(URL).output().contains("Location: https://cdn.example.org/foxes/") ? true : null);
        } finally {
            box.run("systemctl revert avatar; systemctl restart avatar").ok();
        }
        box.await(
                "the pictures as before",
                () -> box.curl(URL).output().contains("Location: https://avatar.spacefox.fr/") ? true : null);
    }

    /** The guide's two lines: another domain, another count, everything from then on by the same commands. */
    @Test
    void servesAnotherDomainAndCount() throws Exception {
        try (var other = new Box()) {
            Box.drawFoxes(30, other.path("/root/avatar"));
            for (String heading : Box.INSTALLATION) {
                other.run(Box.readme(heading)).ok();
            }
            assertEquals(
                    "",
                    other.run("grep -rF avatar.spacefox.fr /root/avatar/deploy /etc/nginx /etc/systemd || true")
                            .ok());
            var location = Pattern.compile("Location: https://avatar\\.example\\.org/Renard-(\\d+)\\.png\n");
            var numbers = new TreeSet<Integer>();
            other.await("number over 21", () -> {
                var found = location.matcher(
                        other.curl("--resolve", "avatar.example.org:443:127.0.0.1", "https://avatar.example.org/x")
                                .output());
                if (found.find()) numbers.add(Integer.valueOf(found.group(1)));
                return !numbers.isEmpty() && numbers.last() > 21 ? true : null;
            });
            assertTrue(numbers.first() >= 1 && numbers.last() <= 30, numbers::toString);
            String last = other.curl(
                            "--resolve", "avatar.example.org:443:127.0.0.1", "https://avatar.example.org/Renard-30.png")
                    .output();
            assertTrue(last.contains("immutable"), last);

            other.run(Box.readme("Remove")).ok();
            assertEquals(
                    "",
                    other.run("find /etc /usr/local /var -name '*avatar*' ! -path '/etc/letsencrypt/*'")
                            .ok());
            assertEquals(
                    "inactive", other.run("systemctl is-active avatar || true").ok());
        }
    }

    /** "Without nginx, on a local network": another machine gets a redirect, and then the picture. */
    @Test
    void servesALocalNetworkWithoutNginx() throws Exception {
        Tools.need("unshare", "python3");
        try (var alone = new Box()) {
            Box.drawFoxes(21, alone.path("/root/avatar"));
            alone.run(Box.readme("Without nginx, on a local network")).ok();
            try (var other = new Host(alone)) {
                String seen = other.run("curl --silent --location --retry 30 --retry-delay 1"
                                + " --retry-connrefused --output /dev/null"
                                + " --write-out '%{http_code} %{num_redirects} %{url_effective} %{content_type}' http://"
                                + Host.BOX + ":8080/x")
                        .ok();
                assertTrue(seen.matches("200 1 http://192\\.0\\.2\\.1:8000/Renard-\\d+\\.png image/png"), seen);
            }
            assertTrue(alone.run("tr '\\0' ' ' < /proc/" + alone.jvm() + "/cmdline")
                    .ok()
                    .contains(" -Xmx64m "));
        }
    }

    /** Each step may be repeated at any time. */
    @Test
    void everyStepCanBeRepeated() throws Exception {
        for (int times = 0; times < 2; times++) {
            for (String heading : Box.INSTALLATION.subList(1, Box.INSTALLATION.size()))
                box.run(Box.readme(heading)).ok();
            box.run(Box.readme("Update")).ok();
            awaitRedirectBy(0);
        }
    }
}
