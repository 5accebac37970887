package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** One command gets a certificate, by certbot itself and from pebble, an authority here; renewals need no command. */
@Needs(BOX)
class CertificateIT {

    /** What certbot needs to know of the authority; the domain leads to this machine. */
    static final String AUTHORITY = """
            cd /root
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=authority \\
                -addext subjectAltName=DNS:authority -keyout acme.key -out acme.pem
            cat > pebble.json <<'END'
            {"pebble": {"listenAddress": ":14000", "managementListenAddress": "127.0.0.1:15000",
                "certificate": "/root/acme.pem", "privateKey": "/root/acme.key", "httpPort": 80, "tlsPort": 443}}
            END
            cat > /etc/systemd/system/pebble.service <<'END'
            [Service]
            Environment=PEBBLE_VA_NOSLEEP=1 PEBBLE_WFE_NONCEREJECT=0 PEBBLE_AUTHZREUSE=0
            ExecStart=/usr/bin/pebble -config /root/pebble.json
            END
            mkdir -p /etc/letsencrypt
            cat > /etc/letsencrypt/cli.ini <<'END'
            server = https://authority:14000/dir
            non-interactive = true
            agree-tos = true
            register-unsafely-without-email = true
            no-random-sleep-on-renew = true
            END
            printf "127.0.0.1 %s\\n" authority avatar.spacefox.fr >> /etc/hosts""";

    static final String RENEW = "REQUESTS_CA_BUNDLE=/root/acme.pem certbot renew --force-renewal";

    /** The certificate that visitors get: its issuer and its fingerprint. */
    static String served(Box box) {
        return box.run("""
                openssl s_client -connect localhost:443 -servername avatar.spacefox.fr < /dev/null 2> /dev/null |
                    openssl x509 -noout -issuer -fingerprint -sha256 -checkhost avatar.spacefox.fr || true""");
    }

    /** As the guide has it, with the authority's own certificate. */
    static Command certificate(Box box) throws IOException {
        return box.attempt("export REQUESTS_CA_BUNDLE=/root/acme.pem\n" + Documents.commands("Get a certificate"));
    }

    /** The first certificate, one of an authority, its renewals, and a lost folder of certbot's. */
    @ParameterizedTest
    @FieldSource("fr.spacefox.avatar.site.Debian#ALL")
    void oneCommandGetsAndRenewsACertificate(Debian debian) throws Exception {
        try (var box = Box.installed(debian.files())) {
            box.run(AUTHORITY);
            String hint =
                    "Browsers, phpBB and SMF refuse this first certificate. When avatar.spacefox.fr leads here: sh"
                            + " deploy/certificate\n";
            assertTrue(box.install("").contains(hint));
            String first = served(box);
            assertTrue(first.contains("CN = avatar") || first.contains("CN=avatar"), first);

            // The authority does not answer: the site stays as it is.
            Command failed = certificate(box);
            assertEquals(1, failed.status());
            String message = "certbot got no certificate and says why; the site works as before";
            assertTrue(failed.output().endsWith("\ndeploy/certificate: " + message + "\n"), failed::output);
            assertEquals(first, served(box));

            box.run("systemctl start pebble; visit --retry 9 --retry-all-errors https://authority:14000/dir");
            try (var visitors = new Visitors(box, "avatar.spacefox.fr")) {
                String said = certificate(box).ok();
                assertTrue(said.endsWith("The address for a profile: https://avatar.spacefox.fr/me.png"), said);
                assertFalse(said.contains("deploy/certificate"), said);
            }
            String real = served(box);
            assertTrue(real.contains("Pebble"), real);

            // Again, an update and a removal in between: it is kept.
            certificate(box).ok();
            box.install("");
            String said = box.run("cd /root; deploy/remove; rm -r /etc/avatar");
            assertTrue(said.endsWith("\n    certbot delete --cert-name avatar.spacefox.fr"), said);
            box.install("");
            assertEquals(real, served(box));

            try (var visitors = new Visitors(box, "avatar.spacefox.fr")) {
                box.run(RENEW);
                box.awaitTrue("the renewed certificate", () -> !served(box).equals(real));
            }
            String renewed = served(box);
            assertTrue(renewed.contains("Pebble"), renewed);

            // certbot would keep the next certificate under another name.
            box.run("rm -r /etc/letsencrypt/live/avatar.spacefox.fr");
            Command lost = certificate(box);
            String mends =
                    "deploy/certificate: certbot has lost /etc/letsencrypt/live/avatar.spacefox.fr. This mends it:\n";
            assertTrue(lost.output().startsWith(mends), lost::output);
            box.run("cd /root; export REQUESTS_CA_BUNDLE=/root/acme.pem; "
                    + lost.output().substring(mends.length()));
            String mended = served(box);
            assertTrue(mended.contains("Pebble") && !mended.equals(renewed), mended);
            box.run(RENEW);
            box.awaitTrue("the last renewal", () -> !served(box).equals(mended));

            // Another domain begins with a first certificate of its own.
            assertTrue(box.install("avatar.example.org").contains("refuse this first certificate"));
            assertTrue(served(box).replace(" ", "").contains("CN=avatar"), served(box));
        }
    }

    /** A wildcard certificate that certbot renews, linked as the guide says: it takes effect by itself. */
    @Test
    void aCertificateFromElsewhereIsUsed() throws Exception {
        try (var box = Box.installed(Debian.OLDER.files())) {
            box.run(AUTHORITY);
            String renew = """
                    mkdir -p /etc/letsencrypt/live/example.org /etc/letsencrypt/archive/example.org
                    cd /etc/letsencrypt/archive/example.org
                    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 \\
                        -CA /root/acme.pem -CAkey /root/acme.key -subj /CN=wildcard \\
                        -addext 'subjectAltName=DNS:*.spacefox.fr' -keyout privkey1.pem -out fullchain1.pem
                    for name in privkey fullchain; do
                        ln -sf ../../archive/example.org/${name}1.pem ../../live/example.org/$name.pem
                    done""";
            box.run(renew);
            String said = box.run(Documents.commands("A certificate from elsewhere"));
            assertFalse(said.contains("deploy/certificate"), said);
            String wildcard = served(box);
            assertTrue(wildcard.contains("authority") && wildcard.contains("does match"), wildcard);
            String hook =
                    "\nRENEWED_LINEAGE=/etc/letsencrypt/live/example.org /etc/letsencrypt/renewal-hooks/deploy/avatar";
            box.run(renew + hook);
            box.awaitTrue("the renewed certificate", () -> !served(box).equals(wildcard));

            Command refused = certificate(box);
            String giveUp = "rm /etc/avatar/fullchain.pem /etc/avatar/privkey.pem && sh deploy/install";
            String message = "/etc/avatar/fullchain.pem is a certificate from elsewhere. To give it up:\n" + giveUp;
            assertEquals(new Command(1, "deploy/certificate: " + message + " && sh deploy/certificate\n"), refused);
            assertTrue(box.run("cd /root; " + giveUp).contains("deploy/certificate"));
        }
    }
}
