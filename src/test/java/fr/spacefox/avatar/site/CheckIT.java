package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** deploy/check is silent while all is well, and names what is wrong, on the server and on another machine. */
@Needs(BOX)
class CheckIT extends InstalledSite {

    private static final Command SILENCE = new Command(0, "");

    /** A certificate that this test trusts, and more addresses, at which another site answers. */
    @BeforeAll
    void prepare() throws Exception {
        box.run("""
                ip link add fox0 type veth peer name fox1
                ip address add 198.51.100.9/24 dev fox0
                ip address add 2001:db8::9/64 dev fox0 nodad
                ip link set fox0 up
                ip link set fox1 up
                echo 'server { listen 198.51.100.9:80; listen [2001:db8::9]:80; return 200 other; }' \\
                    > /etc/nginx/conf.d/other.conf
                mkdir /root/ca
                cat > /root/ca/ca.conf <<'END'
                [ca]
                default_ca = one
                [one]
                database = /root/ca/index.txt
                new_certs_dir = /root/ca
                policy = names
                copy_extensions = copy
                unique_subject = no
                rand_serial = yes
                default_md = sha256
                [names]
                commonName = supplied
                END
                : > /root/ca/index.txt
                openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=operator \\
                    -addext subjectAltName=DNS:avatar.spacefox.fr -out /root/ca/request \\
                    -keyout /etc/avatar/privkey.pem""");
        sign(-1, 89);
        box.install("");
        fetchDraws(box);
    }

    /** For a time that begins and ends so many days from now. */
    private void sign(int begin, int end) {
        String time = " $(date -u -d '%s days' +%%y%%m%%d%%H%%M%%SZ)";
        box.run("openssl ca -batch -selfsign -notext -config /root/ca/ca.conf -in /root/ca/request -keyfile"
                + " /etc/avatar/privkey.pem -out /etc/avatar/fullchain.pem -startdate" + time.formatted(begin)
                + " -enddate" + time.formatted(end) + "; systemctl restart nginx");
    }

    private Command check() {
        return box.attempt("CURL_CA_BUNDLE=/etc/avatar/fullchain.pem sh /usr/local/lib/avatar/check");
    }

    /** The settings of root's own curl change nothing, nor does a site at an address that the domain does not have. */
    @Test
    void saysNothingWhileAllIsWell() {
        box.run("printf 'location\nrequest = HEAD\n' > /root/.curlrc");
        assertEquals(SILENCE, check());
        box.run("rm /root/.curlrc");
    }

    /** Something breaks, the check says so, and it is repaired; $0 is the site's file, and $1 the folder of its set. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "systemctl stop nginx | : | https://avatar.spacefox.fr/me.jpg at 127.0.0.1: expected a redirect to one"
                        + " of its pictures that nobody may keep, but got no answer, ",
                "sed -i 's/listen 80;/listen 81;/' $0 | : | http://avatar.spacefox.fr/ at 127.0.0.1: expected a",
                "sed -i 's/^    12.5% 0;.*/    * 0;/' $0 | : | twenty visits to https://avatar.",
                "sed -i 's/expires off/expires 1h/; s/, immutable//; s/random_index on/random_index off/' $0 | :"
                        + " | https://avatar.spacefox.fr/me.jpg at 127.0.0.1: expected"
                        + " & expected a picture that browsers keep for a year, but got 200 "
                        + " & /picture/me.jpg at 127.0.0.1: expected a",
                "rm /etc/nginx/conf.d/other.conf; systemctl restart nginx; touch --date '1 hour' /run/avatar/*"
                        + " | touch /run/avatar/* | the clock was set back, ",
                "mv $1/Renard-1.png /root | mv /root/Renard-1.png $1 | $1 was damaged. This mends it: sh deploy/",
                // A file named 2 matches [2001:db8::9] where the shell takes that for a pattern.
                "touch /2; echo 2001:db8::9 avatar.spacefox.fr >> /etc/hosts; echo 198.51.100.9 avatar.spacefox.fr >>"
                        + " /etc/hosts | rm /2; sed -i '/spacefox/d' /etc/hosts"
                        + " | http://avatar.spacefox.fr/ at [2001:db8::9]: expected"
                        + " & http://avatar.spacefox.fr/ at 198.51.100.9: expected",
                // A Java program is given a minute for its start, which is over by now.
                "pkill -STOP java | pkill -CONT java"
                        + " | the Java program does not answer; journalctl -u avatar may say why",
            })
    void namesWhatIsWrong(String breaks, String repairs, String says) throws InterruptedException {
        String prepare = "cp $0 /root/site; cp /etc/nginx/conf.d/other.conf /root\n".replace("$0", FILE);
        box.run(prepare + breaks.replace("$0", FILE).replace("$1", pictures));
        if (breaks.contains("$0")) box.run("! cmp $0 /root/site; systemctl restart nginx".replace("$0", FILE));
        Command wrong = check();
        box.run("cp /root/site $0; cp /root/other.conf /etc/nginx/conf.d; systemctl restart nginx\n".replace("$0", FILE)
                + repairs.replace("$1", pictures));
        awaitTheJvm();
        for (String each : says.split(" & "))
            assertTrue(wrong.output().contains(each.replace("$1", pictures)), wrong::output);
        assertEquals(1, wrong.status());
        assertEquals(SILENCE, check());
    }

    /** What is right some seconds later is no fault, as while the server starts. */
    @Test
    void saysNothingAboutARestart() {
        box.run("systemctl stop avatar nginx; (sleep 3; systemctl start avatar nginx) > /dev/null 2>&1 &");
        assertEquals(SILENCE, check());
    }

    /** In the last third of its life, and at most ten days before its end. */
    @ParameterizedTest
    @CsvSource({"-80, 9, true", "-78, 11, false", "-5, 1, true", "-3, 3, false"})
    void namesACertificateThatEndsSoon(int begin, int end, boolean soon) {
        sign(begin, end);
        Command said = check();
        String expected = "(?s)the certificate ends soon: [^\n]*\n";
        assertTrue(soon ? said.status() == 1 && said.output().matches(expected) : said.equals(SILENCE), said::output);
        assertEquals(SILENCE, box.attempt("sh /usr/local/lib/avatar/check --insecure"));
        sign(-1, 89);
    }

    @Test
    void namesACertificateThatBrowsersRefuse() {
        Command wrong = box.attempt("sh /usr/local/lib/avatar/check");
        assertTrue(wrong.output().contains(", but got no answer, SSL certificate problem"), wrong::output);
        assertEquals(1, wrong.status());
    }

    /** Another machine has the folder deploy and curl, and asks what its DNS leads to. */
    @Test
    void anotherMachineCanAsk() throws Exception {
        try (var other = new Host(box)) {
            assertEquals(SILENCE, ask(other));
            box.run("systemctl stop avatar nginx");
            Command wrong = ask(other);
            box.run("systemctl start avatar nginx");
            assertEquals(1, wrong.status());
            assertTrue(
                    wrong.output().startsWith("https://avatar.spacefox.fr/me.jpg: expected a redirect"), wrong::output);
        }
    }

    private static Command ask(Host other) throws IOException {
        String deploy = Path.of("deploy").toAbsolutePath().toString();
        return other.attempt("exec unshare --mount sh -c 'mount -t tmpfs -o mode=755 fox /mnt; cp -r " + deploy
                + " /mnt; echo " + Host.BOX + " avatar.spacefox.fr > /mnt/hosts; mount --bind /mnt/hosts /etc/hosts;"
                + " exec setpriv --reuid=65534 sh /mnt/deploy/check --insecure avatar.spacefox.fr'");
    }

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
        Command refused = box.attempt("sh /usr/local/lib/avatar/check " + arguments);
        String usage = "\nusage: deploy/check [--insecure] [DOMAIN]\n";
        assertEquals(new Command(2, "deploy/check: " + says + usage), refused);
    }
}
