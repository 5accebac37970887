package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** deploy/check is silent while all is well, and names what is wrong, on the server and on another machine. */
@Needs(BOX)
@Order(1)
class CheckIT extends CatsSite {

    private static final Command SILENCE = new Command(0, "");
    private static final String TRUSTING = "CURL_CA_BUNDLE=/etc/avatar/fullchain.pem sh $site/deploy/check";

    @BeforeParameterizedClassInvocation
    void trust() {
        run("(certificate); deploy/install; keep");
    }

    /** root's .curlrc changes nothing, and no fault is what ends by itself, such as a JVM that was killed. */
    @ParameterizedTest
    @CsvSource({
        "printf 'location\\nrequest = HEAD\\n' > .curlrc",
        "systemctl stop avatar nginx; (sleep 1; systemctl start avatar nginx) > /dev/null 2>&1 &",
        "systemctl kill --signal=KILL avatar"
    })
    void saysNothingWhileAllIsWell(String script) {
        run(script);
        assertEquals(SILENCE, attempt(TRUSTING));
    }

    private List<String[]> namesWhatIsWrong() throws IOException {
        return share(rows("checks.txt").toList());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void namesWhatIsWrong(String script, String says) {
        run(script);
        Command wrong = attempt(TRUSTING);
        for (String line : expand(says).split("\n\\s*"))
            assertTrue(wrong.output().matches("(?s)(.*\n)?" + pattern(line) + ".*"), wrong::output);
        assertEquals(1, wrong.status());
    }

    /** In the last third of its life, and at most ten days before its end. */
    @ParameterizedTest
    @CsvSource({"-80, 9, true", "-78, 11, false", "-5, 1, true", "-3, 3, false"})
    void namesACertificateThatEndsSoon(int begin, int end, boolean soon) {
        run("certificate " + begin + " " + end + "; systemctl restart nginx");
        Command said = attempt(TRUSTING);
        String expected = "the certificate ends soon or has ended: [^\n]*\n";
        assertTrue(soon ? said.status() == 1 && said.output().matches(expected) : said.equals(SILENCE), said::output);
        assertEquals(SILENCE, attempt("sh $site/deploy/check --insecure"));
    }

    /** One who may not look into /etc/avatar gets the same remedy as root. */
    @Test
    void tellsEachUserTheRemedy() {
        String ask = "setpriv --reuid=65534 --clear-groups sh $site/deploy/check";
        String remedy = expand("; another one in /etc/avatar takes effect by sh $site/deploy/install")
                .strip();
        Command wrong = attempt(ask);
        assertEquals(1, wrong.status());
        wrong.output().lines().forEach(line -> assertTrue(line.endsWith(remedy), line));
    }

    /** Another machine has the folder deploy and no site, and asks what its DNS leads to. */
    @Test
    void anotherMachineCanAsk() {
        run("cp -r deploy /srv; echo 127.0.0.1 $D >> /etc/hosts");
        String ask = "unshare --mount sh -c \"mount -t tmpfs none $state"
                + "; exec setpriv --reuid=65534 sh /srv/deploy/check --insecure $D\"";
        assertEquals(SILENCE, attempt(ask));
        run("systemctl stop avatar nginx");
        Command wrong = attempt(ask);
        assertEquals(1, wrong.status());
        assertTrue(wrong.output().startsWith("https://" + CATS + "/me.jpg: expected a redirect"), wrong::output);
        // An older curl prints this word of a format as it is.
        run("printf '%s\\n' '#!/bin/sh' 'echo %header{x}' > /srv/curl; chmod 755 /srv/curl");
        String says = "deploy/check: curl is older than 7.84; Debian 12 has a newer one\n";
        assertEquals(new Command(1, says), attempt("PATH=/srv:$PATH; " + ask));
    }

    /** Bad arguments get one line that names the culprit, and the usage. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "https://a.example.org | 'https://a.example.org' is no domain",
                "a.example.org b.example.org | b.example.org: too many arguments",
                "'' | write the domain of a site"
            })
    void refusesWhatItDoesNotKnow(String arguments, String says) {
        Command refused = attempt("sh $site/deploy/check " + arguments);
        String usage = "\nusage: deploy/check [--insecure] [DOMAIN]\n";
        assertEquals(new Command(2, "deploy/check: " + says + usage), refused);
    }
}
