package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The recipes of deploy/operations.md work. The rows have the one for many visitors, and all certificates. */
@Needs(BOX)
class OperationsIT {

    private static final String DOMAIN = "avatar.spacefox.fr";

    /** Apache or Caddy. */
    @ParameterizedTest
    @CsvSource({"Apache, apache2", "Caddy, caddy"})
    void anotherWebServerCanStandInFront(String heading, String service) throws Exception {
        try (var box = new Box(Debian.NEWER.files())) {
            Box.drawFoxes(5, box.path("/root/cats"));
            box.run("mkdir /var/www/avatar; touch /var/www/avatar/config.php");
            box.run(Documents.commands("The Java program alone"));
            String former = box.run("cd /var/www/avatar; ls -d [0-9]*");
            box.run("rm /root/cats/Renard-5.png\n" + Documents.commands("The Java program alone"));
            box.run("""
                    cd /var/www/avatar/[0-9]*
                    tee Renard-0.png > notes.txt < /etc/hostname
                    openssl req -x509 -newkey rsa -nodes -subj /CN=avatar -keyout /etc/ssl/private/avatar.key \\
                        -out /etc/ssl/certs/avatar.pem""");
            String set = box.run("cd /var/www/avatar; ls -d [0-9]*");
            // Caddy asks an authority, which is not there; its own one is.
            box.run(Documents.commands(heading)
                    .replace("avatar.example.org {", "avatar.example.org {\n    tls internal"));
            box.awaitTrue(service, () -> box.succeeds("visit --fail --output /dev/null https://avatar.example.org/"));
            String jvm = box.run("tr '\\0' ' ' < /proc/" + box.jvm() + "/cmdline");
            assertTrue(jvm.matches(".* -Xmx64m .* --pool 127\\.0\\.0\\.1:6666 4 .*"), jvm);
            for (String request : List.of(
                    "",
                    "a?b=c",
                    "Renard-3.png",
                    "config.php",
                    former + "/Renard-3.png",
                    set + "/Renard-5.png",
                    set + "/notes.txt",
                    set + "/Renard-0.png",
                    "x --request POST --data fox")) {
                String answer = box.curl(("https://avatar.example.org/" + request).split(" "))
                        .output();
                String site = "\nLocation: https://avatar\\.example\\.org/" + set + "/Renard-[1-4]\\.png\\b.*";
                assertTrue(answer.matches("(?s)HTTP/1\\.1 302 .*" + site), request + ": " + answer);
                assertTrue(answer.matches("(?si).*\ncache-control: private, no-store\\b.*"), answer);
                assertFalse(answer.toLowerCase().contains("content-type"), answer);
            }
            Command picture =
                    box.curl("--output", "/root/seen.png", "https://avatar.example.org/" + set + "/Renard-3.png");
            assertTrue(picture.ok().contains("\nCache-Control: public, max-age=31536000, immutable"), picture::output);
            box.run("cmp /root/seen.png /var/www/avatar/" + set + "/Renard-3.png");
            String left = box.run("cd /root; deploy/remove");
            assertTrue(left.endsWith("\n    rm -r /usr/local/lib/avatar\n    rm -r /var/www/avatar"), left);
        }
    }

    /** Varnish, as it is installed, is the CDN. */
    @Test
    void aCdnKeepsPicturesAndAsksForEachRedirect() throws Exception {
        try (var box = Box.installed(Debian.NEWER.files())) {
            box.run("varnishd -a 127.0.0.1:8080 -b 127.0.0.1:80 -n /tmp/cdn");
            String cdn = "visit --connect-to ::127.0.0.1:8080 --output /root/seen.png --write-out"
                    + " '%{http_code} %{redirect_url} %header{x-varnish}\\n' http://";
            // Varnish names the request, and the one by which it has got what it keeps.
            List<String> redirects =
                    box.run(cdn + DOMAIN + "/me.png#[1-100]").lines().toList();
            redirects.forEach(line -> assertTrue(line.matches("302 https://\\S+ \\d+"), line));
            String[] pictures = redirects.stream()
                    .map(line -> line.split(" ")[1].replace("https://", ""))
                    .distinct()
                    .toArray(String[]::new);
            assertTrue(pictures.length > 10, () -> String.join("\n", pictures));
            box.run(cdn + pictures[0]);
            box.run("systemctl stop nginx");
            String kept = box.run(cdn + pictures[0] + "; cmp /root/seen.png " + box.set() + "/"
                    + pictures[0].replaceFirst(".*/", ""));
            assertTrue(kept.matches("200  \\d+ \\d+"), kept);
            box.run("systemctl start nginx");

            // The authority comes by the CDN, too.
            Authority.startAuthority(box, 8080);
            box.run(Authority.get());
            Authority.assertServed("Pebble", box, DOMAIN);
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
            Authority.startAuthority(old, 80);
            for (var box : List.of(first, second)) {
                for (String file : List.of("/etc/ssl/certs/ca-certificates.crt", "/etc/letsencrypt/cli.ini"))
                    Files.copy(old.path(file), box.path(file), StandardCopyOption.REPLACE_EXISTING);
                box.run("echo 192.0.2.9 authority >> /etc/hosts");
            }
            old.run("""
                    mkdir -p /etc/avatar /etc/systemd/system/avatar.service.d '/srv/my settings'
                    echo 'location = /x { add_header Cache-Control max-age=9; return 200; }' > /etc/avatar/site-own.conf
                    printf '[Service]\\nNice=1\\n' > /etc/systemd/system/avatar.service.d/override.conf
                    echo PORT=6667 > '/srv/my settings/avatar'
                    ln -s '/srv/my settings/avatar' /etc/default
                    ln -s /usr/bin/true /usr/sbin/sendmail""");
            old.install(DOMAIN + " cats");
            old.run(Authority.get());
            old.run(Documents.commands("Watch"));
            List<String> move = Documents.blocks("Move to another server");
            old.run(move.get(0));

            Command.run("sh", "-c", "cd " + old.path("/root") + "; cp -r avatar.tar.gz cats " + first.path("/root"))
                    .ok();
            first.run("cd /root\n" + move.get(1));
            String pictures = "cd /var/lib/avatar/site/pictures; sha256sum */Renard-* | sort";
            assertEquals(old.run(pictures), first.run(pictures));
            String certificate = Authority.assertServed("Pebble", first, DOMAIN);
            assertEquals(Authority.served(old, DOMAIN), certificate);
            String own = first.run("visit --head https://avatar.spacefox.fr/x | grep -i ^Cache | tr -d '\\r'");
            assertEquals("Cache-Control: max-age=9", own);
            assertEquals("1", first.run("systemctl show --property=Nice --value avatar; grep -q 7 /etc/cron.d/avatar"));
            first.run("grep 6667 '/srv/my settings/avatar' /var/lib/avatar/site/environment");
            lead(old, 1);
            first.run(Authority.RENEW);
            first.awaitTrue(
                    "the renewal", () -> !Authority.served(first, DOMAIN).equals(certificate));

            // The second machine takes everything from the first, while visitors come.
            second.run("mkdir -p /root/.ssh; echo StrictHostKeyChecking accept-new > /root/.ssh/config"
                    + "; ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519");
            first.run("mkdir -p /root/.ssh; systemctl start ssh");
            Files.copy(second.path("/root/.ssh/id_ed25519.pub"), first.path("/root/.ssh/authorized_keys"));
            List<String> recipe = Documents.blocks("A second machine");
            second.run("mkdir -p /etc/letsencrypt/live/other.example.org; rm -r /root/deploy\n" + recipe.get(0));
            Process visitors = old.start(VISITORS);
            lead(old, 2);
            String before = Authority.served(second, DOMAIN);
            first.run(Authority.RENEW + """

                    cd /root
                    echo '# newer' >> deploy/avatar.service
                    rm cats/Renard-5.png
                    deploy/install avatar.spacefox.fr cats""");
            second.run("/etc/cron.hourly/avatar; tail -n 1 /etc/systemd/system/avatar.service | grep newer");
            assertEquals(first.run(pictures), second.run(pictures));
            assertNotEquals(before, Authority.served(second, DOMAIN));
            assertEquals(Authority.served(first, DOMAIN), Authority.served(second, DOMAIN));
            old.run("touch /root/stop");
            String got = Command.finish(visitors).ok();
            assertTrue(got.matches(" *\\d+ 200 image/png"), got);

            // The first one is unplugged, and then given up.
            old.run("ip link set port1 down; ip neighbour flush dev eth0");
            assertEquals("200 image/png", old.run(String.format(VISIT, 1, 2)));
            second.run(recipe.get(1));
            Authority.assertServed("Pebble", second, DOMAIN);
            assertEquals("site-own.conf", second.run("ls /etc/avatar; [ ! -e /etc/cron.hourly/avatar ]"));
            second.run("ls -d /etc/letsencrypt/live/other.example.org");
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
