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

/** The recipes of deploy/operations.md for several machines work; rows have the others. */
@Needs(BOX)
class OperationsIT {

    private static final String DOMAIN = "avatar.spacefox.fr";
    private static final String RENEW = "certbot renew --force-renewal";

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
            old.run(". /srv/test/server.sh; D=" + DOMAIN + "; authority");
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
            old.run(Documents.commands("Get a certificate"));
            old.run(Documents.commands("Watch"));
            List<String> move = Documents.blocks("Move to another server");
            old.run(move.get(0));

            Command.run("sh", "-c", "cd " + old.path("/root") + "; cp -r avatar.tar.gz cats " + first.path("/root"))
                    .ok();
            first.run("cd /root\n" + move.get(1));
            String pictures = "cd /var/lib/avatar/site/pictures; sha256sum */Renard-* | sort";
            assertEquals(old.run(pictures), first.run(pictures));
            String certificate = served(first);
            assertEquals(served(old), certificate);
            String own = first.run("visit --head https://avatar.spacefox.fr/x | grep -i ^Cache | tr -d '\\r'");
            assertEquals("Cache-Control: max-age=9", own);
            assertEquals("1", first.run("systemctl show --property=Nice --value avatar; grep -q 7 /etc/cron.d/avatar"));
            first.run("grep 6667 '/srv/my settings/avatar' /var/lib/avatar/site/environment");
            lead(old, 1);
            first.run(RENEW);
            first.awaitTrue("the renewal", () -> !served(first).equals(certificate));

            // The second machine takes everything from the first, while visitors come.
            second.run("mkdir -p /root/.ssh; echo StrictHostKeyChecking accept-new > /root/.ssh/config"
                    + "; ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519");
            first.run("mkdir -p /root/.ssh; systemctl start ssh");
            Files.copy(second.path("/root/.ssh/id_ed25519.pub"), first.path("/root/.ssh/authorized_keys"));
            List<String> recipe = Documents.blocks("A second machine");
            second.run("mkdir -p /etc/letsencrypt/live/other.example.org; rm /root/deploy/install\n" + recipe.get(0));
            Process visitors = old.start(VISITORS);
            lead(old, 2);
            String before = served(second);
            first.run(RENEW + """

                    cd /root
                    echo '# newer' >> deploy/avatar.service
                    rm cats/Renard-5.png
                    deploy/install avatar.spacefox.fr cats""");
            second.run("/etc/cron.hourly/avatar; tail -n 1 /etc/systemd/system/avatar.service | grep newer");
            second.run("shown=$(readlink /var/lib/avatar/site); /etc/cron.hourly/avatar"
                    + "; [ $shown = $(readlink /var/lib/avatar/site) ]"); // nothing has changed
            assertEquals(first.run(pictures), second.run(pictures));
            assertNotEquals(before, served(second));
            assertEquals(served(first), served(second));
            old.run("touch /root/stop");
            String got = Command.finish(visitors).ok();
            assertTrue(got.matches(" *\\d+ 200 image/png"), got);

            // The first one is unplugged, and then given up.
            old.run("ip link set port1 down; ip neighbour flush dev eth0");
            assertEquals("200 image/png", old.run(String.format(VISIT, 1, 2)));
            second.run(recipe.get(1));
            served(second);
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

    /** The certificate that visitors get, which must be the authority's: its issuer and its fingerprint. */
    private static String served(Box box) {
        String served = box.run(". /srv/test/server.sh; served " + DOMAIN);
        assertTrue(served.contains("Pebble") && served.contains("does match"), served);
        return served;
    }

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
