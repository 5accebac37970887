package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** One command gets a certificate, by certbot itself and from pebble, an authority here; renewals need no command. */
@Needs(BOX)
class CertificateIT {

    private static final String DOMAIN = "avatar.spacefox.fr";

    /** What pebble and certbot need, and where the authority finds the domain. */
    private static final String PREPARE = """
            cd /root
            openssl req -x509 -newkey rsa -nodes -days 2 -subj /CN=authority -addext subjectAltName=DNS:authority \\
                -keyout acme.key -out acme.pem
            cat acme.pem >> /etc/ssl/certs/ca-certificates.crt
            echo '{"pebble": {"listenAddress": ":14000", "managementListenAddress": "127.0.0.1:15000", "certificate":
                "/root/acme.pem", "privateKey": "/root/acme.key", "httpPort": 80, "tlsPort": 443}}' > pebble.json
            printf '%s = %s\\n' server https://authority:14000/dir non-interactive true agree-tos true \\
                register-unsafely-without-email true no-random-sleep-on-renew true > /etc/letsencrypt/cli.ini
            printf '127.0.0.1 %s\\n' authority avatar.spacefox.fr avatar.example.org >> /etc/hosts""";

    /** From then on the box trusts the authority's certificates. */
    private static final String START = """
            systemd-run --quiet --unit=pebble --setenv=PEBBLE_VA_NOSLEEP=1 --setenv=PEBBLE_WFE_NONCEREJECT=0 \\
                --setenv=PEBBLE_AUTHZREUSE=0 pebble -config /root/pebble.json
            visit --retry 9 --retry-all-errors https://authority:14000/dir > /dev/null
            visit --retry 9 --retry-all-errors https://localhost:15000/roots/0 >> /etc/ssl/certs/ca-certificates.crt""";

    static final String RENEW = "certbot renew --force-renewal";

    /** An authority in a box, and for it, which asks for the domain at a port. */
    static void startAuthority(Box box, int port) {
        box.run(PREPARE.replace("\"httpPort\": 80", "\"httpPort\": " + port) + "\n" + START);
    }

    static String get() throws IOException {
        return Documents.commands("Get a certificate");
    }

    /** The certificate that visitors of a domain get: its issuer, its fingerprint, and whether it is for the domain. */
    static String served(Box box, String domain) {
        String script = """
                openssl s_client -connect localhost:443 -servername $0 < /dev/null 2> /dev/null |
                    openssl x509 -noout -issuer -nameopt RFC2253 -fingerprint -sha256 -checkhost $0 || true""";
        return box.run(script.replace("$0", domain));
    }

    static String assertServed(String issuer, Box box, String domain) {
        String served = served(box, domain);
        assertTrue(served.contains(issuer) && served.contains("does match"), served);
        return served;
    }

    /** deploy/install says by its last lines what browsers make of the certificate. */
    private static void assertRefused(String reason, String said) {
        String line = "(?s).*\nBrowsers, phpBB and SMF refuse this certificate: SSL[^\n]*" + reason + ".*";
        assertTrue(said.matches(line), said);
    }

    /** deploy/certificate gets one of the authority, certbot renews it unnoticed, and its lost folder is mended. */
    @ParameterizedTest
    @FieldSource("fr.spacefox.avatar.site.Debian#ALL")
    void oneCommandGetsAndRenewsACertificate(Debian debian) throws Exception {
        try (var box = Box.installed(debian.files())) {
            box.run(PREPARE);
            assertRefused("self-signed.* sh /root/deploy/certificate", box.install(""));
            String first = served(box, DOMAIN);

            // The authority does not answer: the site stays as it is.
            Command failed = box.attempt(get());
            String message =
                    "\ndeploy/certificate: certbot got no certificate and says why; the site works as before\n";
            assertTrue(failed.status() == 1 && failed.output().endsWith(message), failed::output);
            assertEquals(first, served(box, DOMAIN));

            box.run(START);
            try (var visitors = new Visitors(box, DOMAIN)) {
                String said = box.run(get());
                assertTrue(said.endsWith("The address for a profile: https://avatar.spacefox.fr/me.png"), said);
                assertFalse(said.contains("refuse"), said);
            }
            String real = assertServed("Pebble", box, DOMAIN);
            assertEquals("", box.run("sh /var/lib/avatar/site/deploy/check"));

            // Again, and a removal: it is kept.
            box.run(get());
            String said = box.run("cd /root; deploy/remove");
            assertTrue(said.endsWith("\n    certbot delete --cert-name avatar.spacefox.fr"), said);
            box.install("");
            assertEquals(real, served(box, DOMAIN));

            try (var visitors = new Visitors(box, DOMAIN)) {
                box.run(RENEW);
                box.awaitTrue("the renewal", () -> !served(box, DOMAIN).equals(real));
            }
            String renewed = assertServed("Pebble", box, DOMAIN);

            // certbot would keep the next certificate under another name.
            box.run("rm -r /etc/letsencrypt/live/avatar.spacefox.fr");
            Command lost = box.attempt(get());
            String mends =
                    "deploy/certificate: certbot has lost /etc/letsencrypt/live/avatar.spacefox.fr. This mends it:\n";
            assertTrue(lost.output().startsWith(mends), lost::output);
            box.run("cd /root; " + lost.output().substring(mends.length()));
            String mended = assertServed("Pebble", box, DOMAIN);
            assertNotEquals(renewed, mended);
            box.run(RENEW);
            box.awaitTrue("the last renewal", () -> !served(box, DOMAIN).equals(mended));

            // Another domain begins with a first certificate of its own.
            assertRefused("self-signed", box.install("avatar.example.org"));
        }
    }

    /** A wildcard certificate that certbot renews, linked as the guide says, takes effect by itself. */
    @Test
    void aCertificateFromElsewhereIsUsed() throws Exception {
        try (var box = Box.installed(Debian.NEWER.files())) {
            box.run(PREPARE);
            renew(box, "*.spacefox.fr", 30);
            String said = box.run(Documents.commands("A certificate from elsewhere"));
            assertFalse(said.contains("refuse"), said);
            String wildcard = assertServed("authority", box, DOMAIN);
            renew(box, "*.spacefox.fr", 30);
            box.run("RENEWED_LINEAGE=/etc/letsencrypt/live/example.org /etc/letsencrypt/renewal-hooks/deploy/avatar");
            box.awaitTrue("the renewal", () -> !served(box, DOMAIN).equals(wildcard));

            Command refused = box.attempt(get());
            String giveUp = "rm /etc/avatar/fullchain.pem /etc/avatar/privkey.pem && sh /root/deploy/install";
            String message = "/etc/avatar/fullchain.pem is a certificate from elsewhere. To give it up:\n" + giveUp;
            assertEquals(
                    new Command(1, "deploy/certificate: " + message + " && sh /root/deploy/certificate\n"), refused);

            // Whatever browsers refuse is named.
            renew(box, "*.example.org", 30);
            assertRefused("no alternative certificate subject name matches", box.install(""));
            renew(box, "*.spacefox.fr", 0);
            assertRefused("certificate has expired", box.install(""));
            assertRefused("self-signed", box.run("cd /root; " + giveUp));
        }
    }

    /** Writes a certificate of the authority where certbot would have it. */
    private static void renew(Box box, String name, int days) {
        box.run("""
                mkdir -p /etc/letsencrypt/live/example.org /etc/letsencrypt/archive/example.org
                cd /etc/letsencrypt/archive/example.org
                openssl req -newkey rsa -nodes -subj /CN=wildcard -addext 'subjectAltName=DNS:%s' -keyout privkey1.pem |
                    openssl x509 -req -days %d -CA /root/acme.pem -CAkey /root/acme.key -copy_extensions copy \\
                        -out fullchain1.pem
                for name in privkey fullchain; do
                    ln -sf ../../archive/example.org/${name}1.pem ../../live/example.org/$name.pem
                done""".formatted(name, days));
    }

    /** A site changes its domain, keeps the former one in its certificate, and loses the certificate. */
    @Test
    void aFormerDomainIsStillAnswered() throws Exception {
        try (var box = Box.installed(Debian.OLDER.files())) {
            startAuthority(box, 80);
            box.run(get());
            box.install("avatar.example.org");
            box.run(Documents.commands("A former domain").replace("old.example.org", DOMAIN));
            for (String renewal : List.of("true", get(), RENEW)) {
                box.run(renewal);
                assertServed("Pebble", box, "avatar.example.org");
                assertServed("Pebble", box, DOMAIN);
                String answer = box.curl("https://" + DOMAIN + "/x").ok();
                assertTrue(answer.contains("\nLocation: https://avatar.example.org/"), answer);
            }

            // The power has failed during a renewal.
            box.run("truncate -s 0 /etc/letsencrypt/archive/avatar.example.org/*.pem");
            assertFalse(box.succeeds("systemctl restart nginx"));
            box.run("rm /etc/avatar/site-former.conf\n" + Documents.commands("A certificate that is gone"));
            assertServed("Pebble", box, "avatar.example.org");
        }
    }
}
