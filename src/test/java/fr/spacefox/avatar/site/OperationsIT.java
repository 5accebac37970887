package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The recipes of deploy/operations.md work. LoadIT has the one for many visitors, CertificateIT a certificate. */
@Needs(BOX)
class OperationsIT {

    /** A site changes its domain, keeps the former one, and loses its certificate. */
    @Test
    void aFormerDomainIsStillAnswered() throws Exception {
        try (var box = new Box(Debian.OLDER.files())) {
            Box.drawFoxes(5, box.path("/root/cats"));
            box.run("echo PORT=6667 > /etc/default/avatar");
            box.install("old.example.org cats");
            box.run(CertificateIT.AUTHORITY + """

                    printf '127.0.0.1 %s\\n' avatar.example.org old.example.org >> /etc/hosts
                    systemctl start pebble""");
            CertificateIT.certificate(box).ok();
            box.install("avatar.example.org");
            box.run("export REQUESTS_CA_BUNDLE=/root/acme.pem\n" + Documents.commands("A former domain"));
            String certificate = "openssl s_client -connect 127.0.0.1:443 -servername %1$s < /dev/null 2> /dev/null"
                    + " | openssl x509 -noout -checkhost %1$s -issuer | grep -e Pebble -e 'does match'";
            for (String domain : List.of("avatar.example.org", "old.example.org")) {
                String answer = box.curl("https://" + domain + "/x").output();
                assertTrue(
                        answer.matches("(?s)HTTP/1\\.1 302 .*\nLocation: https://avatar\\.example\\.org/.*"), answer);
                assertEquals(
                        2, box.run(String.format(certificate, domain)).lines().count());
            }
            String command = box.run("tr '\\0' ' ' < /proc/" + box.jvm() + "/cmdline");
            assertTrue(command.contains(" 6667 5 https://avatar.example.org/"), command);

            // The power has failed during a renewal.
            box.run("""
                    rm /etc/avatar/site-former.conf
                    truncate -s 0 /etc/letsencrypt/archive/avatar.example.org/*1.pem""");
            assertFalse(box.succeeds("systemctl restart nginx"));
            box.run("export REQUESTS_CA_BUNDLE=/root/acme.pem\n" + Documents.commands("A certificate that is gone"));
            box.run(String.format(certificate, "avatar.example.org") + " | grep Pebble");
        }
    }

    /** Apache or Caddy. */
    @ParameterizedTest
    @CsvSource({"Apache, apache2", "Caddy, caddy"})
    void anotherWebServerCanStandInFront(String heading, String service) throws Exception {
        try (var box = new Box(Debian.NEWER.files())) {
            Box.drawFoxes(5, box.path("/root/cats"));
            box.run(Documents.commands("The Java program alone"));
            // An update, with another program in place of the former one.
            box.run("cd /root; " + Documents.blocks("The Java program alone").get(1));
            box.run("""
                    cd /var/www/avatar/*/
                    tee Renard-0.png > notes.txt < /etc/hostname
                    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=avatar \\
                        -keyout /etc/ssl/private/avatar.key -out /etc/ssl/certs/avatar.pem""");
            String set = box.run("ls /var/www/avatar") + "/";
            // Caddy asks an authority, which is not there; its own one is.
            box.run(Documents.commands(heading)
                    .replace("avatar.example.org {", "avatar.example.org {\n    tls internal"));
            box.awaitTrue(service, () -> box.succeeds("visit --fail --output /dev/null https://avatar.example.org/"));
            assertTrue(box.run("tr '\\0' ' ' < /proc/" + box.jvm() + "/cmdline").contains(" -Xmx64m "));
            for (String request : List.of(
                    "",
                    "a?b=c",
                    "Renard-3.png",
                    set + "notes.txt",
                    set + "Renard-0.png",
                    "x --request POST --data fox")) {
                String answer = box.curl(("https://avatar.example.org/" + request).split(" "))
                        .output();
                String site = "\nLocation: https://avatar\\.example\\.org/" + set + "Renard-[1-5]\\.png\\b.*";
                assertTrue(answer.matches("(?s)HTTP/1\\.1 302 .*" + site), request + ": " + answer);
                assertTrue(answer.matches("(?si).*\ncache-control: private, no-store\\b.*"), answer);
                assertFalse(answer.toLowerCase().contains("content-type"), answer);
            }
            Command picture =
                    box.curl("--output", "/root/seen.png", "https://avatar.example.org/" + set + "Renard-3.png");
            assertTrue(picture.ok().contains("\nCache-Control: public, max-age=31536000, immutable"), picture::output);
            box.run("cmp /root/seen.png /var/www/avatar/" + set + "Renard-3.png");
            box.run("cd /root; deploy/remove");
            assertFalse(Files.exists(box.path("/etc/systemd/system/avatar.service")));
        }
    }

    /**
     * Debian 12's site moves to the other Debian, and gets a second machine there. A bridge in the old server joins the
     * three; it is the authority, too, and visitors come from there.
     */
    @Test
    void aSiteMovesAndGetsASecondMachine() throws Exception {
        try (var old = new Box(Debian.OLDER.files());
                var first = new Box(Debian.NEWER.files());
                var second = new Box(Debian.NEWER.files())) {
            old.run("ip link add eth0 type bridge; ip address add 192.0.2.9/24 dev eth0; ip link set eth0 up");
            plug(old, first, 1);
            plug(old, second, 2);
            Box.drawFoxes(13, old.path("/root/cats"));
            old.run(CertificateIT.AUTHORITY + """

                    systemctl start pebble
                    mkdir -p /etc/avatar /etc/systemd/system/avatar.service.d
                    printf 'location = /robots.txt {\\n    return 200 own;\\n}\\n' > /etc/avatar/site-own.conf
                    printf '[Service]\\nNice=1\\n' > /etc/systemd/system/avatar.service.d/override.conf""");
            old.install("avatar.spacefox.fr cats");
            CertificateIT.certificate(old).ok();
            old.run("ln -s /usr/bin/true /usr/sbin/sendmail\n" + Documents.commands("Watch"));
            List<String> move = Documents.blocks("Move to another server");
            old.run("cd /root; " + move.get(0));

            String copy = "cd " + old.path("/root") + "; cp -r acme.pem avatar.tar.gz cats ";
            Command.run("sh", "-c", copy + first.path("/root")).ok();
            first.run("echo 192.0.2.9 authority >> /etc/hosts; cd /root; " + move.get(1));
            String pictures = "cd /var/lib/avatar; sha256sum */Renard-* | sort";
            assertEquals(old.run(pictures), first.run(pictures));
            String certificate = CertificateIT.served(first);
            assertTrue(certificate.contains("Pebble"), certificate);
            String chain = "cat /etc/letsencrypt/live/avatar.spacefox.fr/fullchain.pem";
            assertEquals(old.run(chain), first.run(chain));
            assertEquals("own", first.run("visit https://avatar.spacefox.fr/robots.txt"));
            assertEquals("1", first.run("systemctl show --property=Nice --value avatar; grep -q 7 /etc/cron.d/avatar"));
            lead(old, 1);
            first.run(CertificateIT.RENEW);
            first.awaitTrue("the renewal", () -> !CertificateIT.served(first).equals(certificate));

            // The second machine takes everything from the first, while visitors come.
            second.run("mkdir -p /root/.ssh; echo StrictHostKeyChecking accept-new > /root/.ssh/config"
                    + "; ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519");
            first.run("mkdir -p /root/.ssh; systemctl start ssh");
            Files.copy(second.path("/root/.ssh/id_ed25519.pub"), first.path("/root/.ssh/authorized_keys"));
            List<String> recipe = Documents.blocks("A second machine");
            second.run("rm -r /root/deploy; " + recipe.get(0));
            Process visitors = old.start(VISITORS);
            lead(old, 2);
            String before = CertificateIT.served(second);
            first.run(CertificateIT.RENEW + """
                    ; cd /root
                    echo '# newer' >> deploy/avatar.service
                    rm cats/Renard-5.png
                    deploy/install avatar.spacefox.fr cats""");
            second.run("/etc/cron.hourly/avatar; tail -n 1 /etc/systemd/system/avatar.service | grep newer");
            assertEquals(first.run(pictures), second.run(pictures));
            second.awaitTrue("the copy", () -> CertificateIT.served(first).equals(CertificateIT.served(second)));
            assertNotEquals(before, CertificateIT.served(second));
            old.run("touch /root/stop");
            String got = Command.finish(visitors).ok();
            assertTrue(got.matches(" *\\d+ 200 image/png"), got);

            // The first one is unplugged, and then given up.
            old.run("ip link set port1 down; ip neighbour flush dev eth0");
            assertEquals("200 image/png", old.run(String.format(VISIT, 1, 2)));
            Files.copy(old.path("/root/acme.pem"), second.path("/root/acme.pem"));
            second.run("echo 192.0.2.9 authority >> /etc/hosts; export REQUESTS_CA_BUNDLE=/root/acme.pem\n"
                    + recipe.get(1));
            assertEquals(
                    "site-own.conf", second.run("cd /etc/avatar; ls site*.conf; [ ! -e /etc/cron.hourly/avatar ]"));
        }
    }

    /** One who knows two addresses and prefers the first. */
    private static final String VISIT = "curl -sk --http1.1 --location --max-time 60 --output /dev/null"
            + " --write-out '%%{http_code} %%{content_type}%%{errormsg}\\n'"
            + " --resolve avatar.spacefox.fr:443:192.0.2.%d,192.0.2.%d https://avatar.spacefox.fr/me.png";

    /** They come until they are stopped: what each got, and how often. */
    private static final String VISITORS = String.format(
            "until [ -e /root/stop ]; do " + VISIT + "; " + VISIT + "; sleep 0.02; done | sort | uniq -c", 1, 2, 2, 1);

    /** A cable from a box to the bridge in another one. */
    private static void plug(Box bridge, Box box, int number) throws IOException {
        String script = "ip link add port%1$d type veth peer name eth0 netns %2$d; ip link set port%1$d master eth0 up";
        String command = String.format(script, number, box.leader());
        Command.run("nsenter", "--net", "--target", "" + bridge.leader(), "sh", "-ec", command)
                .ok();
        box.run("ip address add 192.0.2." + number + "/24 dev eth0; ip link set eth0 up");
    }

    /** Where the authority finds the domain. */
    private static void lead(Box authority, int number) {
        authority.run("sed -i '/spacefox/d' /etc/hosts; echo 192.0.2." + number + " avatar.spacefox.fr >> /etc/hosts");
    }
}
