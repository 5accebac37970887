package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** deploy/certificate with certbot itself and with pebble, an authority here. */
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
            Environment=PEBBLE_VA_NOSLEEP=1 PEBBLE_WFE_NONCEREJECT=0
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
            rm /etc/nginx/sites-enabled/default
            printf "127.0.0.1 %s\\n" authority avatar.spacefox.fr >> /etc/hosts""";

    static final String RENEW = "REQUESTS_CA_BUNDLE=/root/acme.pem certbot renew --force-renewal";

    /** The certificate that visitors get: its issuer and its fingerprint. */
    static String served(Box box) {
        return box.run("""
                openssl s_client -connect localhost:443 -servername avatar.spacefox.fr < /dev/null 2> /dev/null |
                    openssl x509 -noout -issuer -fingerprint -sha256 -checkhost avatar.spacefox.fr""");
    }

    /** deploy/certificate, with the authority's own certificate. */
    static Command certificate(Box box) {
        return box.attempt("cd /root; REQUESTS_CA_BUNDLE=/root/acme.pem deploy/certificate");
    }

    @ParameterizedTest
    @FieldSource("fr.spacefox.avatar.site.Debian#ALL")
    void oneCommandGetsAndRenewsACertificate(Debian debian) throws Exception {
        try (var box = Box.installed(debian.files())) {
            box.run(AUTHORITY);
            String hint = "Browsers, phpBB and SMF refuse this first certificate. When avatar.spacefox.fr leads here,"
                    + " run deploy/certificate\n";
            assertTrue(box.tryInstall("").output().contains(hint));
            String first = served(box);
            assertTrue(first.contains("CN = avatar") || first.contains("CN=avatar"), first);

            // The authority does not answer: the site stays as it is.
            Command failed = certificate(box);
            assertEquals(1, failed.status());
            String message = "certbot got no certificate and says why; the site works as before";
            assertTrue(failed.output().endsWith("\ndeploy/certificate: " + message + "\n"), failed::output);
            assertEquals(first, served(box));
            assertTrue(box.curl("https://avatar.spacefox.fr/x").output().startsWith("HTTP/1.1 302 "));

            box.run("systemctl start pebble; visit --retry 9 --retry-all-errors https://authority:14000/dir");
            String said = certificate(box).ok();
            assertTrue(said.endsWith("The address for a profile: https://avatar.spacefox.fr/me.png"), said);
            assertFalse(said.contains("deploy/certificate"), said);
            String real = served(box);
            assertTrue(real.contains("Pebble") && real.contains("does match"), real);
            assertTrue(box.curl("https://avatar.spacefox.fr/x").output().startsWith("HTTP/1.1 302 "));

            // Again, an update and a removal in between: it is kept.
            certificate(box).ok();
            box.install("");
            said = box.run("cd /root; deploy/remove; rm -r /etc/avatar");
            String delete = "certbot delete --cert-name avatar.spacefox.fr";
            assertTrue(said.endsWith(delete), said);
            box.install("");
            assertEquals(real, served(box));

            box.run(RENEW);
            box.awaitTrue("the renewed certificate", () -> !served(box).equals(real));
            assertTrue(served(box).contains("Pebble"));

            // certbot's files are gone: nginx starts again, and an update keeps the certificate.
            String renewed = served(box);
            box.run("cp -a /etc/letsencrypt /root; " + delete + " --non-interactive; systemctl restart nginx");
            assertEquals(renewed, served(box));
            assertTrue(box.install("").contains("Nothing renews the certificate"));
            assertEquals(renewed, served(box));

            // A site of an earlier version has links to certbot's files.
            box.run("""
                    rm -r /etc/letsencrypt /etc/avatar/site.pem
                    cp -a /root/letsencrypt /etc
                    ln -s /etc/letsencrypt/live/avatar.spacefox.fr/fullchain.pem /etc/avatar
                    ln -s /etc/letsencrypt/live/avatar.spacefox.fr/privkey.pem /etc/avatar""");
            assertFalse(box.install("").contains("certificate"));
            assertEquals(renewed, served(box));
            certificate(box).ok();
            box.run(RENEW);
            box.awaitTrue("the second renewal", () -> !served(box).equals(renewed));

            // Another domain begins with a first certificate of its own, which a renewal of the former leaves alone.
            said = box.install("avatar.example.org");
            String former = "The certificate of a former domain is renewed until you run: ";
            assertTrue(said.contains(former + delete + "\n"), said);
            box.run(RENEW);
            box.run("openssl x509 -noout -checkhost avatar.example.org -in /etc/avatar/site.pem"
                    + " | grep 'does match'");
            box.run(delete + " --non-interactive");
            assertFalse(box.install("").contains("certbot"));
        }
    }

    /** A wildcard certificate as the guide says: it is used as it is, and deploy/certificate leaves it alone. */
    @Test
    void aCertificateFromElsewhereIsUsed() throws Exception {
        try (var box = Box.installed(Debian.OLDER.files())) {
            box.run(AUTHORITY);
            box.run("""
                    mkdir -p /etc/letsencrypt/live/example.org /etc/letsencrypt/archive/example.org
                    cd /etc/letsencrypt/archive/example.org
                    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 \\
                        -CA /root/acme.pem -CAkey /root/acme.key -subj /CN=wildcard \\
                        -addext 'subjectAltName=DNS:*.spacefox.fr' -keyout privkey1.pem -out fullchain1.pem
                    for name in privkey fullchain; do
                        ln -s ../../archive/example.org/${name}1.pem ../../live/example.org/$name.pem
                    done""");
            String said = box.run(Documents.commands("A certificate from elsewhere"));
            assertFalse(said.contains("deploy/certificate"), said);
            String wildcard = served(box);
            assertTrue(wildcard.contains("authority") && wildcard.contains("does match"), wildcard);

            // Files in place of links, an update, and the other command.
            box.run("cd /etc/avatar; cp --remove-destination $(readlink -f fullchain.pem) fullchain.pem");
            box.install("");
            String message = "/etc/avatar/fullchain.pem is a certificate from elsewhere; delete it there first";
            assertEquals(new Command(1, "deploy/certificate: " + message + "\n"), certificate(box));
            assertEquals(wildcard, served(box));

            // A key of another certificate would stop nginx.
            box.run("cd /etc/avatar; cp --remove-destination /root/acme.key privkey.pem");
            Command refused = box.tryInstall("");
            message = "/etc/avatar: fullchain.pem and privkey.pem do not belong together";
            assertTrue(refused.output().endsWith("deploy/install: " + message + "\n"), refused::output);
            box.run("systemctl restart nginx");
            assertEquals(wildcard, served(box));

            // It does not cover another domain: then it stays as it is, and is not used.
            String files = "sha256sum /etc/avatar/fullchain.pem /etc/avatar/privkey.pem";
            String before = box.run(files);
            box.install("avatar.example.org");
            assertNotEquals(wildcard, served(box));
            assertEquals(before, box.run(files));
        }
    }
}
