package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static fr.spacefox.avatar.support.Needs.Tool.CERTBOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The command that deploy/install prints for the certificate: certbot itself, and pebble, an authority here. */
@Needs({BOX, CERTBOT})
class CertificateIT {

    private static final String DOMAIN = "avatar.spacefox.fr";
    private static final String LIVE = "/etc/letsencrypt/live/" + DOMAIN;

    /** What certbot needs to know of the authority; the domain leads to this machine. */
    private static final String AUTHORITY = """
            cd /root
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \\
                -addext subjectAltName=DNS:localhost -keyout acme.key -out acme.pem
            cat > pebble.json <<'END'
            {"pebble": {"listenAddress": "127.0.0.1:14000", "managementListenAddress": "127.0.0.1:15000",
                "certificate": "/root/acme.pem", "privateKey": "/root/acme.key", "httpPort": 80, "tlsPort": 443}}
            END
            cat > /etc/systemd/system/pebble.service <<'END'
            [Service]
            Environment=PEBBLE_VA_NOSLEEP=1 PEBBLE_WFE_NONCEREJECT=0
            ExecStart=/usr/bin/pebble -config /root/pebble.json
            END
            mkdir -p /etc/letsencrypt
            cat > /etc/letsencrypt/cli.ini <<'END'
            server = https://localhost:14000/dir
            non-interactive = true
            agree-tos = true
            register-unsafely-without-email = true
            no-random-sleep-on-renew = true
            END
            rm /etc/nginx/sites-enabled/default
            echo 127.0.0.1 avatar.spacefox.fr >> /etc/hosts""";

    private static final String RENEW = "REQUESTS_CA_BUNDLE=/root/acme.pem certbot renew --force-renewal";
    private static final String START =
            "systemctl start pebble" + "; visit --retry 9 --retry-all-errors https://localhost:14000/dir";

    /** The certificate that visitors get: its issuer and its fingerprint. */
    private static String served(Box box) {
        return box.run("openssl s_client -connect localhost:443 -servername " + DOMAIN + " < /dev/null 2> /dev/null"
                        + " | openssl x509 -noout -issuer -fingerprint -sha256 -checkhost " + DOMAIN)
                .ok();
    }

    private static void assertRedirects(Box box) {
        String answer = box.curl("https://" + DOMAIN + "/x").output();
        assertTrue(answer.startsWith("HTTP/1.1 302 "), answer);
    }

    /** The command in what deploy/install has printed, run by certbot with the authority's own certificate. */
    private static String certbot(String printed) {
        return "export REQUESTS_CA_BUNDLE=/root/acme.pem\n"
                + printed.substring(printed.indexOf("\ncertbot certonly ") + 1);
    }

    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void oneCommandGetsAndRenewsACertificate(Debian debian) throws Exception {
        try (var box = Box.installed(debian.files())) {
            box.run(AUTHORITY).ok();
            String command = certbot(box.install("").ok());
            String first = served(box);
            assertTrue(first.contains("CN = avatar") || first.contains("CN=avatar"), first);

            // The authority does not answer: the site stays as it is.
            assertNotEquals(0, box.run(command).status());
            assertEquals(first, served(box));
            assertRedirects(box);

            box.run(START).ok();
            box.run(command).ok();
            box.awaitTrue("certbot's certificate", () -> served(box).contains("Pebble"));
            String real = served(box);
            assertTrue(real.contains("does match"), real);
            assertRedirects(box);

            // Again, an update and a removal in between: it is kept.
            box.run(command).ok();
            assertTrue(!box.install("").ok().contains("certbot"));
            box.run("cd /root; deploy/remove; rm -r /etc/avatar").ok();
            assertTrue(!box.install("").ok().contains("certbot"));
            assertEquals(real, served(box));

            box.run(RENEW).ok();
            box.awaitTrue("the renewed certificate", () -> !served(box).equals(real));
            assertTrue(served(box).contains("Pebble"));

            // Another domain has a first certificate of its own, which a renewal of the former one leaves alone.
            String other = box.install("avatar.example.org").ok();
            assertTrue(other.contains(" --domain avatar.example.org "), other);
            box.run(RENEW).ok();
            box.run("openssl x509 -noout -checkhost avatar.example.org -in /etc/avatar/fullchain.pem"
                            + " | grep 'does match'")
                    .ok();
            assertTrue(!box.install(DOMAIN).ok().contains("certbot"));
            box.awaitTrue("certbot's certificate", () -> served(box).contains("Pebble"));

            String renewed = served(box);
            box.run("systemctl stop pebble").ok();
            assertNotEquals(0, box.run(RENEW).status());
            assertEquals(renewed, served(box));
            assertRedirects(box);
        }
    }

    /** What the first edition's site used: its own first certificate, one from certbot, or one from elsewhere. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aCertificateOfTheFirstEditionIsKept() throws Exception {
        try (var box = new Box()) {
            Box.drawFoxes(1, box.path("/root"));
            box.run(AUTHORITY).ok();
            String bought = "/etc/ssl/bought";
            for (var place : List.of("own " + LIVE, "certbot " + LIVE, "elsewhere " + LIVE, "elsewhere " + bought)) {
                String folder = place.substring(place.indexOf(' ') + 1);
                firstEdition(box, folder, !place.startsWith("own"));
                if (place.startsWith("certbot")) {
                    box.run("mkdir /etc/letsencrypt/renewal; touch /etc/letsencrypt/renewal/" + DOMAIN + ".conf")
                            .ok();
                }
                String before = box.run("openssl x509 -noout -fingerprint -sha256 -in /root/before.pem")
                        .ok();
                String said = box.install(DOMAIN + " Renard-1.png").ok();
                assertTrue(served(box).contains(before), place + ": " + said);
                box.run("cmp /root/before.pem " + folder + "/fullchain.pem").ok();
                if (place.startsWith("own")) {
                    // certbot takes the folder's place once the printed commands have moved it.
                    box.run(START).ok();
                    box.run("export REQUESTS_CA_BUNDLE=/root/acme.pem\n" + said.substring(said.indexOf("\nmv ") + 1))
                            .ok();
                    box.awaitTrue("certbot's certificate", () -> served(box).contains("Pebble"));
                } else {
                    assertTrue(!said.contains("certbot"), said);
                    assertEquals(
                            folder + "/fullchain.pem",
                            box.run("readlink /etc/avatar/fullchain.pem").ok());
                }
                box.run("cd /root; deploy/remove; cd /etc; rm -rf avatar default/avatar"
                                + " letsencrypt/live letsencrypt/renewal letsencrypt/archive")
                        .ok();
            }
        }
    }

    /** The first edition's site file with a certificate in this folder, self-signed or signed by an authority. */
    private static void firstEdition(Box box, String folder, boolean signed) throws IOException {
        String site = Files.readString(Path.of("src/test/resources/first-edition/nginx.conf"));
        Files.writeString(box.path("/etc/nginx/conf.d/avatar.conf"), site.replace(LIVE, folder));
        box.run("""
                mkdir -p %1$s
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 %2$s \\
                    -subj /CN=avatar.spacefox.fr -keyout %1$s/privkey.pem -out %1$s/fullchain.pem
                cp %1$s/fullchain.pem /root/before.pem
                nginx -t""".formatted(folder, signed ? "-CA /root/acme.pem -CAkey /root/acme.key" : ""))
                .ok();
    }
}
