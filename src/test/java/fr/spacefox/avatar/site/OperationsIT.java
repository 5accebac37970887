package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The recipes of deploy/operations.md. LoadIT has the ten thousand clients, CertificateIT the foreign certificate. */
@Needs(BOX)
class OperationsIT extends InstalledSite {

    private void assertLeadsTo(String start) {
        String answer = box.curl(SITE + "/x").output();
        assertTrue(answer.startsWith("HTTP/1.1 302 ") && answer.contains("\nLocation: " + start), answer);
    }

    /** Each change stands, and an update leaves it standing. */
    @Test
    void portAndAddressOfThePicturesCanChange() {
        box.run("cp /etc/default/avatar /root/settings");
        box.run("sed -i \"s/^PORT=.*/PORT=6667/; s|^URL='https:|URL='http:|\" /etc/default/avatar");
        for (int update = 0; update < 2; update++) {
            box.install("");
            String command = box.run("tr '\\0' ' ' < /proc/" + box.jvm() + "/cmdline");
            assertTrue(command.endsWith(" 6667 21 http://avatar.spacefox.fr/Renard-*.png"), command);
            assertLeadsTo("http://avatar.spacefox.fr/Renard-");
        }
        box.run("sed -i \"s|^URL=.*|URL='https://cdn.example.org/foxes/*.webp'|\" /etc/default/avatar");
        box.install("");
        assertLeadsTo("https://cdn.example.org/foxes/");
        // nginx has no draw yet, but the former pictures.
        box.run("systemctl stop avatar");
        forgetDraws(box);
        String sum = box.run("visit " + SITE + "/x | md5sum").substring(0, 32);
        box.run("md5sum /var/www/avatar/*.png | grep " + sum);
        box.run("cd /root; cp settings /etc/default/avatar; deploy/install");
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void oneDrawingHas360Colours() throws Exception {
        try (var box = new Box(Debian.OLDER.files())) {
            Files.writeString(box.path("/root/fox.svg"), """
                    <svg xmlns='http://www.w3.org/2000/svg' width='90' height='90'>
                    <rect width='90' height='90' fill='hsl(0, 100%, 50%)'/></svg>""");
            box.install("avatar.example.org fox.svg");
            String said = box.run(Documents.commands("One drawing in 360 colours"));
            String report = "360 pictures. The address for a profile: https://avatar.example.org/me.svg";
            assertTrue(said.endsWith(report), said);
            String answer = box.curl("https://avatar.example.org/x").output();
            assertTrue(answer.matches("(?s).*\nLocation: https://avatar\\.example\\.org/hue/\\d+\\.svg\n.*"), answer);
            String head = box.curl("https://avatar.example.org/hue/120.svg").output();
            assertTrue(head.contains("\nCache-Control: public, max-age=31536000, immutable\n"), head);
            assertTrue(head.contains("\nContent-Type: image/svg+xml\n"), head);
            for (String hue : List.of("1", "120", "360")) {
                String drawing = box.run("visit https://avatar.example.org/hue/" + hue + ".svg");
                assertTrue(drawing.contains("\"hsl(" + hue + ", 100%, 50%)\""), drawing);
            }
            box.install("");
        }
    }

    /** Apache and Caddy are in the other Debian's files only, so that they are not installed on this machine. */
    @ParameterizedTest
    @CsvSource({"Apache, apache2", "Caddy, caddy"})
    @Execution(ExecutionMode.CONCURRENT)
    void anotherWebServerCanStandInFront(String heading, String service) throws Exception {
        try (var box = new Box(Debian.NEWER.files())) {
            alone(box);
            box.run("""
                    systemctl stop nginx
                    tee /var/www/avatar/Renard-0.png > /var/www/avatar/notes.txt < /etc/hostname
                    sed -i 's|http://avatar.*{|&\\n    tls internal|' /etc/caddy/Caddyfile
                    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=avatar \\
                        -keyout /etc/ssl/private/avatar.key -out /etc/ssl/certs/avatar.pem""");
            // Caddy asks an authority, which is not there; its own one is.
            box.run(Documents.commands(heading)
                    .replace("avatar.example.org {", "avatar.example.org {\n    tls internal"));
            box.awaitTrue(service, () -> box.succeeds("visit --fail --output /dev/null https://avatar.example.org/"));
            assertTrue(box.run("tr '\\0' ' ' < /proc/" + box.jvm() + "/cmdline").contains(" -Xmx64m "));
            for (String request : List.of("", "a?b=c", "notes.txt", "Renard-0.png", "x --request POST --data fox")) {
                String answer = box.curl(("https://avatar.example.org/" + request).split(" "))
                        .output();
                String site = "\nLocation: https://avatar\\.example\\.org/Renard-[1-5]\\.png\\b.*";
                assertTrue(answer.matches("(?s)HTTP/1\\.1 302 .*" + site), request + ": " + answer);
                assertTrue(answer.matches("(?si).*\ncache-control: private, no-store\\b.*"), answer);
                assertFalse(answer.toLowerCase().contains("content-type"), answer);
            }
            Command picture = box.curl("--output", "/root/seen.png", "https://avatar.example.org/Renard-3.png");
            assertTrue(picture.ok().contains("\nCache-Control: public, max-age=31536000, immutable"), picture::output);
            box.run("cmp /root/seen.png /var/www/avatar/Renard-3.png");
            box.run("cd /root; deploy/remove");
            assertFalse(Files.exists(box.path("/etc/systemd/system/avatar.service")));
        }
    }

    /**
     * Debian 12's site moves to the other Debian, and gets a second machine there. A bridge in the old server joins the
     * three; it is the authority, too, and visitors come from there.
     */
    @Test
    @Needs(BOX)
    @Execution(ExecutionMode.CONCURRENT)
    void aSiteMovesAndGetsASecondMachine() throws Exception {
        try (var old = new Box(Debian.OLDER.files());
                var first = new Box(Debian.NEWER.files());
                var second = new Box(Debian.NEWER.files())) {
            old.run("ip link add eth0 type bridge; ip address add 192.0.2.9/24 dev eth0; ip link set eth0 up");
            plug(old, first, 1);
            plug(old, second, 2);
            Box.drawFoxes(14, old.path("/root/cats"));
            old.run(CertificateIT.AUTHORITY + """

                    systemctl start pebble
                    mogrify -format jpg cats/*.png
                    rm cats/*.png
                    mv cats/Renard-14.jpg .
                    mkdir -p /etc/avatar /etc/systemd/system/avatar.service.d
                    printf 'location = /robots.txt {\\n    return 200 own;\\n}\\n' > /etc/avatar/site-own.conf
                    printf '[Service]\\nNice=1\\n' > /etc/systemd/system/avatar.service.d/override.conf""");
            old.install("avatar.spacefox.fr cats");
            CertificateIT.certificate(old).ok();
            old.run(Documents.commands("Is it still right?"));
            List<String> move = Documents.blocks("Move to another server");
            old.run("cd /root; " + move.get(0));

            String copy = "cd " + old.path("/root") + "; cp -r acme.pem avatar.tar.gz cats Renard-14.jpg ";
            Command.run("sh", "-c", copy + first.path("/root")).ok();
            first.run("echo 192.0.2.9 authority >> /etc/hosts; cd /root; " + move.get(1));
            String pictures = "cd /var/www/avatar; sha256sum *";
            assertEquals(old.run(pictures), first.run(pictures));
            String certificate = CertificateIT.served(first);
            assertTrue(certificate.contains("Pebble"), certificate);
            String chain = "cat /etc/avatar/site.pem";
            assertEquals(old.run(chain), first.run(chain));
            assertEquals("own", first.run("visit " + SITE + "/robots.txt"));
            assertEquals("1", first.run("systemctl show --property=Nice --value avatar; grep -q 7 /etc/cron.d/avatar"));
            String said = first.install("avatar.spacefox.fr cats");
            assertTrue(said.endsWith("\n13 pictures. The address for a profile: " + SITE + "/me.jpg"), said);
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
                    rm /var/www/avatar/Renard-5.jpg
                    deploy/install avatar.spacefox.fr Renard-14.jpg""");
            second.run("/etc/cron.hourly/avatar; tail -n 1 /etc/systemd/system/avatar.service | grep newer");
            assertEquals(first.run(pictures), second.run(pictures));
            second.run("[ -e /var/www/avatar/Renard-14.jpg ] && ! ls /var/www/avatar | grep -w 5");
            second.awaitTrue("the copy", () -> CertificateIT.served(first).equals(CertificateIT.served(second)));
            assertNotEquals(before, CertificateIT.served(second));
            old.run("touch /root/stop");
            String got = Command.finish(visitors).ok();
            assertTrue(got.matches(" *\\d+ 200 image/jpeg"), got);

            // The first one is unplugged, and then given up.
            old.run("ip link set port1 down; ip neighbour flush dev eth0");
            assertEquals("200 image/jpeg", old.run(String.format(VISIT, 1, 2)));
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
            + " --resolve avatar.spacefox.fr:443:192.0.2.%d,192.0.2.%d https://avatar.spacefox.fr/me.jpg";

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

    private static void alone(Box box) throws IOException {
        Box.drawFoxes(5, box.path("/root/cats"));
        box.run(Documents.commands("The Java program alone"));
        // An update, with another program in place of the former one.
        box.run("cd /root; " + Documents.blocks("The Java program alone").get(1));
    }
}
