package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static fr.spacefox.avatar.support.Needs.Tool.NFT;
import static fr.spacefox.avatar.support.Needs.Tool.PYTHON;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import org.junit.jupiter.api.Test;

/** The commands of deploy/operations.md. LoadIT has the ten thousand clients, and ClusterIT the second machine. */
@Needs(BOX)
class OperationsIT {

    /** Each change stands, and the later ones and an update leave it standing. */
    @Test
    void everyChangeOutlivesAnUpdate() throws Exception {
        try (var box = Box.installed()) {
            box.edit("A larger machine");
            box.run(Documents.commands("A larger machine")).ok();
            box.run(Documents.commands("Another port than 6666")).ok();
            box.run(Documents.commands("Pictures of another name")).ok();
            for (String update : new String[] {"as changed", "updated", "updated again"}) {
                String command = box.run("tr '\\0' ' ' < /proc/" + box.jvm() + "/cmdline")
                        .ok();
                assertTrue(
                        command.contains(" -Xmx16m ")
                                && command.contains(" -Djdk.httpserver.maxConnections=256 ")
                                && command.endsWith(" 6667 21 https://avatar.spacefox.fr/fox-*.png"),
                        update + ": " + command);
                box.run("grep 'server 127.0.0.1:6667 max_conns=156 ' /etc/nginx/conf.d/avatar.conf")
                        .ok();
                box.run("grep 'keepalive 12;' /etc/nginx/conf.d/avatar.conf").ok();
                box.awaitTrue(
                        "a redirect",
                        () -> box.curl("https://avatar.spacefox.fr/x").output().contains("/fox-"));
                box.run("echo >> /root/deploy/avatar.service; echo >> /root/deploy/nginx.conf")
                        .ok();
                box.install("").ok();
            }
            // The stand-in, and the picture in place of a missing one.
            for (String path : new String[] {"x", "fox-22.png"}) {
                box.run("systemctl stop avatar; visit" + " https://avatar.spacefox.fr/" + path
                                + " | cmp - /var/www/avatar/fox-1.png")
                        .ok();
            }

            box.run(Documents.commands("Pictures on another server")).ok();
            box.awaitTrue(
                    "a picture elsewhere",
                    () -> box.curl("https://avatar.spacefox.fr/x")
                            .output()
                            .contains("Location: https://cdn.example.org/foxes/"));
            box.install("").ok();
            box.run("grep 'try_files /fox-1.png ' /etc/nginx/conf.d/avatar.conf")
                    .ok();
            box.run(Documents.commands("Other sites on the same nginx")).ok();
            assertTrue(box.run("cd /root; deploy/remove").ok().contains("rm -r /etc/systemd/system/avatar.service.d"));
        }
    }

    /**
     * Another machine, in a network namespace of its own, asks for port 6666 as the guide says. Where the unit's
     * IPAddressDeny has no effect there is an answer, and the guide's lines have to end it.
     */
    @Test
    @Needs({BOX, NFT})
    void thePortIsClosedToOtherMachines() throws Exception {
        try (var box = Box.installed();
                var other = new Host(box)) {
            String ask = "exec curl --silent --max-time 3 --output /dev/null --write-out '%{http_code}' http://"
                    + Host.BOX + ":";
            assertEquals(0, other.run(ask + "80/").status(), "the other machine does not reach this one");
            Command before = other.run(ask + "6666/");
            System.out.println("port 6666 from another machine: " + before + " with IPAddressDeny alone");
            if (before.status() == 0) {
                for (int times = 0; times < 2; times++) {
                    box.edit("Is port 6666 closed?");
                }
                assertEquals(new Command(28, "000"), other.run(ask + "6666/"));
                // One rule, however often the service has been started.
                assertEquals("1", box.run("nft list ruleset | grep -c drop").ok());
            } else {
                assertEquals(new Command(28, "000"), before);
            }
            box.install("").ok();

            box.edit("A second machine");
            String allowed = box.run("systemctl show --value --property=IPAddressAllow avatar")
                    .ok();
            assertTrue(allowed.contains("192.0.2.1/32") && allowed.contains("127.0.0.0/8"), allowed);
        }
    }

    /** Another machine gets a redirect, and then the picture. */
    @Test
    @Needs({BOX, PYTHON})
    void servesALocalNetworkWithoutNginx() throws Exception {
        try (var box = new Box()) {
            Box.drawFoxes(21, box.path("/root"));
            box.run(Documents.commands("Without nginx, on a local network")).ok();
            try (var other = new Host(box)) {
                String seen = other.run("curl --silent --location --retry 30 --retry-delay 1"
                                + " --retry-connrefused --output /dev/null"
                                + " --write-out '%{http_code} %{num_redirects} %{url_effective} %{content_type}'"
                                + " http://" + Host.BOX + ":8080/x")
                        .ok();
                assertTrue(seen.matches("200 1 http://192\\.0\\.2\\.1:8000/Renard-\\d+\\.png image/png"), seen);
            }
            assertTrue(box.run("tr '\\0' ' ' < /proc/" + box.jvm() + "/cmdline")
                    .ok()
                    .contains(" -Xmx64m "));
            box.run("cd /root; deploy/remove").ok();
        }
    }
}
