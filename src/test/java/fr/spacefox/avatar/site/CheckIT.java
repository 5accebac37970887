package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Await;
import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** deploy/check is silent while all is well, and names what is wrong, on the server and on another machine. */
@Needs(BOX)
class CheckIT extends InstalledSite {

    /** A certificate that this test trusts, and more addresses, of which the check asks each. */
    @BeforeAll
    void trust() {
        box.run("""
                ip link add fox0 type veth peer name fox1
                ip address add 198.51.100.9/24 dev fox0
                ip address add 2001:db8::9/64 dev fox0 nodad
                ip link set fox0 up
                ip link set fox1 up""");
        sign(30);
    }

    private void sign(int days) {
        box.run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days " + days
                + " -subj /CN=operator -addext subjectAltName=DNS:avatar.spacefox.fr"
                + " -keyout /etc/avatar/privkey.pem -out /etc/avatar/fullchain.pem; cd /root; deploy/install");
    }

    private Command check() {
        return box.attempt("CURL_CA_BUNDLE=/etc/avatar/fullchain.pem sh /usr/local/lib/avatar/check");
    }

    /** The settings of root's own curl change nothing. */
    @Test
    void saysNothingWhileAllIsWell() {
        box.run("printf 'location\nrequest = HEAD\n' > /root/.curlrc");
        assertEquals(new Command(0, ""), check());
        box.run("rm /root/.curlrc");
    }

    /** Something breaks, the check says so in one line or more, and it is repaired. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "systemctl stop nginx | systemctl start nginx | https://avatar.spacefox.fr/ at 127.0.0.1: expected"
                        + " status 302, 0 bytes, Location: https://avatar.spacefox.fr/Renard-*.png,"
                        + " Cache-Control: private, no-store, but got no answer, curl: (7) ",
                "systemctl stop avatar | systemctl start avatar"
                        + " | the Java program does not answer on port 6666; journalctl -u avatar may say why",
                "pkill -STOP java | pkill -CONT java | the Java program does not answer on port 6666",
                "sed -i.old 's/listen 80;/listen 81;/' /etc/nginx/conf.d/avatar.conf; systemctl restart nginx"
                        + " | cd /etc/nginx/conf.d; mv avatar.conf.old avatar.conf; systemctl restart nginx"
                        + " | http://avatar.spacefox.fr/me.png at 127.0.0.1: expected status 302, ",
                "sed -i.old 's/^    .~(?<avatar_one>.*/    default 00;/' /etc/nginx/conf.d/avatar.conf;"
                        + " systemctl restart nginx; sleep 1"
                        + " | cd /etc/nginx/conf.d; mv avatar.conf.old avatar.conf; systemctl restart nginx"
                        + " | twenty visits to https://avatar.spacefox.fr/ led each time to https://",
                "sed -i.old 's/expires off/expires 1h/' /etc/nginx/conf.d/avatar.conf; systemctl restart nginx"
                        + " | cd /etc/nginx/conf.d; mv avatar.conf.old avatar.conf; systemctl restart nginx"
                        + " | .png, Cache-Control: max-age=3600, Expires: ",
                "touch --date '1 hour' /run/avatar/* | touch /run/avatar/* | the clock was set back, so nginx renews",
            })
    void namesWhatIsWrong(String breaks, String repairs, String says) throws InterruptedException {
        fetchDraws(box);
        box.run(breaks);
        Command wrong = check();
        box.run(repairs);
        assertEquals(1, wrong.status());
        assertTrue(wrong.output().contains(says), wrong::output);
        Await.until("a site without a fault", () -> check().equals(new Command(0, "")));
    }

    /** A visitor without a redirect, as while the server starts, is no fault a moment later. */
    @Test
    void saysNothingRightAfterTheStart() {
        box.run("systemctl stop avatar");
        forgetDraws(box);
        box.run("systemctl start --no-block avatar; cd /dev\n"
                + "until visit -fo null http://127.0.0.1:6666/; do visit -o null https://avatar.spacefox.fr/; done");
        assertEquals(new Command(0, ""), check());
    }

    @Test
    void namesACertificateThatEndsSoonOrThatBrowsersRefuse() {
        sign(5);
        Command wrong = check();
        assertEquals(1, wrong.status());
        assertTrue(wrong.output().startsWith("the certificate of avatar.spacefox.fr ends within ten days: "));
        wrong = box.attempt("sh /usr/local/lib/avatar/check");
        assertTrue(wrong.output().contains("https://avatar.spacefox.fr/ at 127.0.0.1: expected "), wrong::output);
        assertTrue(wrong.output().contains(", but got no answer, curl: (60) "), wrong::output);
        assertEquals(1, wrong.status());
        assertEquals(new Command(0, ""), box.attempt("sh /usr/local/lib/avatar/check --insecure"));
        sign(30);
    }

    /** Another machine has the folder deploy and curl, and asks what its DNS leads to. */
    @Test
    void anotherMachineCanAsk() throws Exception {
        try (var other = new Host(box)) {
            assertEquals(new Command(0, ""), ask(other));
            box.run("systemctl stop avatar nginx");
            Command wrong = ask(other);
            box.run("systemctl start avatar nginx");
            assertEquals(1, wrong.status());
            assertTrue(wrong.output().contains("https://avatar.spacefox.fr/: expected status 302, "), wrong::output);
        }
    }

    private static Command ask(Host other) throws IOException {
        String deploy = Path.of("deploy").toAbsolutePath().toString();
        return other.attempt("exec unshare --mount sh -c 'mount -t tmpfs -o mode=755 fox /mnt; cp -r " + deploy
                + " /mnt; echo " + Host.BOX + " avatar.spacefox.fr > /mnt/hosts; mount --bind /mnt/hosts /etc/hosts;"
                + " exec setpriv --reuid=65534 sh /mnt/deploy/check --insecure avatar.spacefox.fr'");
    }

    private Command checkWith(String arguments) {
        return box.attempt("sh /usr/local/lib/avatar/check " + arguments);
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        String usage = "\nusage: deploy/check [--insecure] [DOMAIN]\n";
        for (String word : List.of("--help", "https://a.example.org"))
            assertEquals(new Command(2, "deploy/check: '" + word + "' is no domain" + usage), checkWith(word));
        Command refused = checkWith("a.example.org b.example.org");
        assertEquals(new Command(2, "deploy/check: b.example.org: too many arguments" + usage), refused);
    }
}
