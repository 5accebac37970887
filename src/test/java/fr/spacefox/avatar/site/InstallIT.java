package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One command makes a site of a folder, updates it and keeps what the operator has set, and one removes it. */
@Needs(BOX)
@Order(1)
class InstallIT extends CatsSite {

    /** The environment of a site. Sites of former releases have these lines, and no others. */
    private static final String ENVIRONMENT = """
            DOMAIN=cats.example.org
            PORT=6666
            COUNT=%d
            URL='https://cats.example.org/%s/Renard-*.png'""";

    /** Holds a lock as apt-get does. */
    private static final String LOCK = "perl -e 'open F, \">>\", shift; $lock = pack \"ssx4qqix4\", 1, 0, 0, 0, 0;"
            + " fcntl F, 6, $lock or die; sleep 5' %s > /dev/null 2>&1 & ";

    /** A server on its first day: apt-get is busy, the repository of Java is not there yet, and the modes are lost. */
    @Test
    void makesASiteOfAFolderOfPictures() throws Exception {
        try (var box = new Box(debian.clean())) {
            Box.drawFoxes(13, box.path("/root/cats"));
            box.run("cd /root; chmod 644 deploy/*; mkdir empty; echo text > cats/notes.txt; dpkg -l > packages");
            String install = "cd /root; sh deploy/install Cats.example.org ";
            Command refused = box.attempt(install + "empty");
            assertTrue(refused.output().contains("deploy/install: empty has no pictures: "), refused::output);
            assertEquals(1, refused.status());
            box.run("dpkg -l | cmp - /root/packages; mkdir /srv/away; mv /var/cache/apt/archives/openjdk* /srv/away");
            refused = box.attempt(install + "cats");
            assertTrue(refused.output().contains("deploy/install: apt-get does not install what is needed. It says: "));
            assertEquals(1, refused.status());
            box.run("mv /srv/away/* /var/cache/apt/archives; [ ! -e /var/lib/avatar ]");

            String said = box.run(LOCK.formatted("/var/lib/apt/lists/lock")
                    + LOCK.formatted("/var/lib/dpkg/lock-frontend") + "sleep 1; " + install + "cats");
            for (String line : List.of(
                    "avatar for cats.example.org",
                    "apt-get install nginx default-jre-headless [^\n]*",
                    "Another apt-get is running. This waits for its end, five minutes at most.",
                    "left out: cats/notes.txt: [^\n]*",
                    "[^\n]* When cats.example.org leads here, sh /root/deploy/certificate gets one that they trust"))
                assertTrue(("\n" + said).matches("(?s).*\n" + line + "\n.*"), said);
            assertReports(13, ADDRESS + "png", said);
            String set = Path.of(box.set()).getFileName().toString();
            assertEquals(ENVIRONMENT.formatted(13, set), box.run("cat /var/lib/avatar/site/environment"));
            assertEquals("PORT=6666\nSIZE=90", box.run("grep -v '^#' " + SETTINGS));
            assertEquals("enabled\nenabled", box.run("systemctl is-enabled avatar nginx"));
            box.run("cd /var/lib/avatar/site/pictures/*; sum=$(visit --location https://cats.example.org/x | sha256sum)"
                    + "; sha256sum * | grep \"^${sum%-}\"");

            refused = box.attempt("cd /root; sh deploy/certificate"); // no authority is there
            assertTrue(refused.output().startsWith("apt-get install certbot\n"), refused::output);
            assertTrue(box.succeeds("command -v certbot"));
        }
    }

    private List<String[]> installs() throws IOException {
        return share(rows("installs.txt").toList());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void installs(String script, String says) {
        String said = run(script);
        assertFalse(said.matches("(?s).*(signal|rror|denied|not found|descriptor).*"), said);
        String end = says.replace("$ends", "4 pictures. The address for a profile: " + ADDRESS + "png");
        assertTrue(said.replace('\n', ' ').endsWith(expand(end).strip()), said);
        assertEquals("", run("sh $site/deploy/check --insecure"));
    }

    /**
     * An update that does not answer leaves the site of the release before under the new unit. One that does is noticed
     * by no visitor, and this server's own directives stay.
     */
    @Test
    void aNewUnitRunsTheSiteOfTheReleaseBefore() throws Exception {
        String set = run("ls $site/pictures");
        Files.writeString(box.path("/var/lib/avatar/site/environment"), ENVIRONMENT.formatted(4, set) + "\n");
        run("echo 'location = /own { return 204; }' > /etc/avatar/site-own.conf");
        run("echo '# new' | tee -a deploy/nginx.conf >> deploy/avatar.service; cp deploy/check ."
                + "; sed -i '2i exit 1' deploy/check");
        String former = run("readlink $site");
        Command failed = attempt("deploy/install dogs.example.org");
        assertTrue(failed.output().endsWith("\ndeploy/install: the site is as before\n"), failed::output);
        run("tail -n 1 /etc/systemd/system/avatar.service | grep '# new'; sh $site/deploy/check --insecure");
        assertEquals(former, run("readlink $site"));

        try (var visitors = new Visitors(box, CATS)) {
            run("cp check deploy; deploy/install");
        }
        run("tail -n 1 $site/nginx.conf | grep '# new'; visit --head https://$D/own | grep ' 204 '");
    }

    /** A removal takes the site off, and an installation brings it back. */
    @Test
    void aRemovalLeavesWhatItSaysAndCanBeUndone() {
        String set = box.set();
        String said = run("deploy/remove");
        String left = run("find /etc /usr/local /var/lib /run -name '*avatar*' -prune | sort");
        assertEquals("/etc/default/avatar\n/var/lib/avatar", left);
        for (String name : left.split("\n")) assertTrue((said + "\n").contains("    rm -r " + name + "\n"), said);
        assertEquals("inactive\nactive", run("systemctl is-active avatar nginx || true"));
        assertEquals(said.substring(said.indexOf("avatar is removed")), run("deploy/remove"));
        assertReports(4, ADDRESS + "png", run("deploy/install"));
        assertEquals(set, box.set());
        said = run("deploy/remove; rm -r " + left.replace('\n', ' ') + "; deploy/remove");
        assertTrue(said.endsWith("\navatar is removed."), said);
    }

    /** With 0 or 12 MB left in /run (Debian 13's systemd wants 16). */
    @ParameterizedTest
    @ValueSource(ints = {0, 12})
    void aRemovalOnAFullRunStopsTheJavaProgramOrDeletesNothing(int left) {
        String stopped = "[ -z \"$(pgrep -f avatar[.]jar)\" ]", unit = " [ -e /etc/systemd/system/avatar.service ]";
        run("mount -o remount,size=32M /run; cat /dev/zero > /run/full 2> /dev/null || true; truncate -s -" + left
                + "M /run/full; deploy/remove || true; " + stopped + " || " + unit);
        run("rm /run/full; deploy/remove; " + stopped + "; ! " + unit);
    }
}
