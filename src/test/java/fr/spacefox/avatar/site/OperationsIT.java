package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static fr.spacefox.avatar.support.Needs.Tool.CHROMIUM;
import static fr.spacefox.avatar.support.Needs.Tool.IMAGEMAGICK;
import static fr.spacefox.avatar.support.Needs.Tool.NFT;
import static fr.spacefox.avatar.support.Needs.Tool.PYTHON;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
@Needs({BOX, IMAGEMAGICK})
class OperationsIT extends InstalledSite {

    private static void assertLeadsTo(String start) {
        String answer = box.curl(SITE + "/x").output();
        assertTrue(answer.startsWith("HTTP/1.1 302 ") && answer.contains("\nLocation: " + start), answer);
    }

    /** Each change stands, and an update leaves it standing. */
    @Test
    void portNamesAndPlaceOfThePicturesCanChange() throws Exception {
        box.run("cp /etc/default/avatar /root/settings");
        box.run(Documents.commands("Another port than 6666"));
        box.run(Documents.commands("Pictures of another name"));
        for (int update = 0; update < 2; update++) {
            String command = box.run("tr '\\0' ' ' < /proc/" + box.jvm() + "/cmdline");
            assertTrue(command.endsWith(" 6667 21 " + SITE + "/fox-*.png"), command);
            box.run("visit " + SITE + "/Renard-7.png | cmp - /var/www/avatar/fox-7.png");
            assertLeadsTo(SITE + "/fox-");
            box.install("");
        }
        box.run(Documents.commands("Pictures on another server"));
        assertLeadsTo("https://cdn.example.org/foxes/");
        // nginx has no draw yet, but the former pictures.
        box.run("systemctl stop avatar; find /run/avatar -type f -delete");
        String sum = box.run("visit " + SITE + "/x | md5sum").substring(0, 32);
        box.run("md5sum /var/www/avatar/*.png | grep " + sum);
        box.run("cd /root; cp settings /etc/default/avatar; deploy/install");
    }

    /** A cache that obeys Cache-Control, as a CDN does: here nginx with a site of its own. */
    @Test
    void aCdnKeepsThePicturesAndNoRedirect() {
        box.run("""
                cat > /etc/nginx/conf.d/cdn.conf <<'END'
                proxy_cache_path /var/tmp/cdn keys_zone=cdn:1m;
                server {
                    listen 8080;
                    location / {
                        proxy_pass https://127.0.0.1;
                        proxy_set_header Host avatar.spacefox.fr;
                        proxy_ssl_name avatar.spacefox.fr;
                        proxy_ssl_server_name on;
                        proxy_cache cdn;
                        add_header X-Cache $upstream_cache_status always;
                    }
                }
                END
                systemctl reload nginx
                until visit --output /dev/null http://localhost:8080/; do sleep 0.1; done""");
        String ask = "for n in $(seq 9); do visit --output /dev/null --dump-header - http://localhost:8080/";
        String redirects = box.run(ask + "x; done | tr -d '\\r' | grep -i '^location\\|^x-cache' | sort -u");
        assertTrue(redirects.endsWith("\nX-Cache: MISS"), redirects);
        assertTrue(redirects.lines().count() > 3, redirects);
        String pictures = box.run(ask + "Renard-5.png; done | tr -d '\\r' | grep '^X-Cache' | uniq -c");
        assertTrue(pictures.matches("1 X-Cache: MISS\\s+8 X-Cache: HIT"), pictures);
        box.run("rm /etc/nginx/conf.d/cdn.conf; systemctl reload nginx");
    }

    /** Each address shows its own hue, also to somebody who looks at the pixels. */
    @Test
    @Needs({BOX, CHROMIUM, IMAGEMAGICK})
    @Execution(ExecutionMode.CONCURRENT)
    void oneDrawingHas360Colours() throws Exception {
        try (var box = new Box()) {
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
            String pixels = box.run("""
                    cd /root
                    for hue in 120 240 360; do
                        echo "<img style='float: left' src='https://avatar.example.org/hue/$hue.svg'>"
                    done > page.html
                    sed -i '1i <body style="margin: 0">' page.html
                    chromium --headless --no-sandbox --ignore-certificate-errors --disable-gpu \\
                        --host-resolver-rules='MAP * 127.0.0.1' --window-size=400,90 \\
                        --screenshot=/root/seen.png file:///root/page.html > /dev/null 2>&1
                    convert seen.png -crop 270x90+0+0 -sample '3x1!' -depth 8 rgb:- | od -An -v -tx1""");
            assertEquals("00 ff 00 00 00 ff ff 00 00", pixels);
            box.install("");
        }
    }

    /** Apache and Caddy are in the other Debian's files only, so that they are not installed on this machine. */
    @ParameterizedTest
    @CsvSource({"Apache, apache2", "Caddy, caddy"})
    @Execution(ExecutionMode.CONCURRENT)
    void anotherWebServerCanStandInFront(String heading, String service) throws Exception {
        try (var box = new Box(Debian.OTHER.files())) {
            alone(box, "https://avatar.example.org");
            box.run("""
                    systemctl stop nginx
                    sed -i 's|http://avatar.*{|&\\n    tls internal|' /etc/caddy/Caddyfile
                    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=avatar \\
                        -keyout /etc/ssl/private/avatar.key -out /etc/ssl/certs/avatar.pem""");
            // Caddy asks an authority, which is not there; its own one is.
            box.run(Documents.commands(heading)
                    .replace("avatar.example.org {", "avatar.example.org {\n    tls internal"));
            box.awaitTrue(service, () -> box.succeeds("visit --fail --output /dev/null https://avatar.example.org/"));
            for (String request : List.of("", "x", "a?b=c", ".git/config", "x --request POST --data fox")) {
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
            assertTrue(box.run("cd /root; deploy/remove").contains("rm -r /etc/systemd/system/avatar.service.d"));
        }
    }

    /** The Java program alone, with five foxes. */
    private static void alone(Box box, String site) throws IOException {
        Box.drawFoxes(5, box.path("/root/cats"));
        box.run(Documents.commands("The Java program alone").replace("https://avatar.example.org", site));
    }

    /**
     * Another machine, in a network namespace of its own, asks for port 6666 as the guide says. Where the unit's
     * IPAddressDeny has no effect there is an answer, and the guide's lines have to end it.
     */
    @Test
    @Needs({BOX, NFT})
    void thePortIsClosedToOtherMachines() throws Exception {
        try (var other = new Host(box)) {
            String ask = "exec curl --silent --max-time 3 --output /dev/null --write-out '%{http_code}' http://"
                    + Host.BOX + ":";
            assertEquals(0, other.attempt(ask + "80/").status(), "the other machine does not reach this one");
            if (other.attempt(ask + "6666/").status() == 0) {
                for (int times = 0; times < 2; times++) box.edit("Is port 6666 closed?");
                // One rule, however often the service has been started.
                assertEquals("1", box.run("nft list ruleset | grep -c drop"));
            }
            assertEquals(new Command(28, "000"), other.attempt(ask + "6666/"));
            box.install("");

            box.edit("A second machine");
            String allowed = box.run("systemctl show --value --property=IPAddressAllow avatar");
            assertTrue(allowed.contains("192.0.2.1/32") && allowed.contains("127.0.0.0/8"), allowed);
        }
    }

    /** Another machine gets a redirect, and then the picture. */
    @Test
    @Needs({BOX, IMAGEMAGICK, PYTHON})
    @Execution(ExecutionMode.CONCURRENT)
    void servesALocalNetworkWithoutNginx() throws Exception {
        try (var box = new Box()) {
            alone(box, "http://" + Host.BOX + ":8000");
            box.run(Documents.commands("On a local network without HTTPS"));
            try (var other = new Host(box)) {
                Command seen = other.attempt("""
                        curl --silent --location --retry 30 --retry-delay 1 --retry-connrefused --output /dev/null \\
                            --write-out '%{http_code} %{num_redirects} %{url_effective} %{content_type}' \\
                            http://192.0.2.1:8080/x""");
                String expected = "200 1 http://192\\.0\\.2\\.1:8000/Renard-\\d+\\.png image/png";
                assertTrue(seen.ok().matches(expected), seen::output);
            }
            assertTrue(box.run("tr '\\0' ' ' < /proc/" + box.jvm() + "/cmdline").contains(" -Xmx64m "));
        }
    }
}
