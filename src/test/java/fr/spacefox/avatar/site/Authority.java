package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;

/** An authority in a box, of which certbot gets certificates, as server.sh has it. */
final class Authority {

    static final String RENEW = "certbot renew --force-renewal";

    private Authority() {}

    /** Starts it; it asks for the domain at this port. */
    static void startAuthority(Box box, int port) {
        box.run(". /srv/test/server.sh; D=avatar.spacefox.fr; authority " + port);
    }

    static String get() throws IOException {
        return Documents.commands("Get a certificate");
    }

    /** The certificate that visitors of a domain get: its issuer, its fingerprint, and whether it is for the domain. */
    static String served(Box box, String domain) {
        return box.run(". /srv/test/server.sh; served " + domain);
    }

    static String assertServed(String issuer, Box box, String domain) {
        String served = served(box, domain);
        assertTrue(served.contains(issuer) && served.contains("does match"), served);
        return served;
    }
}
