package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** One command makes a site of a folder, updates it and keeps what the operator has set, and one removes it. */
@Needs(BOX)
class InstallIT extends CatsSite {

    /** A server on its first day, on which the repository of Java is not there yet, and the modes are lost. */
    @Test
    void makesASiteOfAFolderOfPictures() throws Exception {
        try (var box = new Box(debian.clean())) {
            Box.drawFoxes(13, box.path("/root/cats"));
            box.run("""
                    cd /root
                    chmod 644 deploy/*
                    mkdir empty texts cats/.git
                    echo text | tee texts/notes.txt cats/notes.txt > cats/.git/config""");
            String packages = box.run("dpkg -l");
            Command refused = box.attempt("cd /root; sh deploy/install " + CATS + " empty");
            assertEquals(new Command(1, "deploy/install: empty has no pictures: there is no file in it\n"), refused);
            assertEquals(packages, box.run("dpkg -l"));
            refused = box.attempt("cd /root; sh deploy/install " + CATS + " texts");
            assertEquals(1, refused.status());
            assertTrue(refused.output().contains("left out: texts/notes.txt: "), refused::output);
            assertFalse(box.succeeds("command -v nginx || command -v java"));

            box.run("mkdir /srv/away; mv /var/cache/apt/archives/openjdk* /srv/away");
            Command failed = box.attempt("cd /root; sh deploy/install " + CATS + " cats");
            assertEquals(1, failed.status());
            assertTrue(failed.output().contains("deploy/install: apt-get does not install what is needed. It says: "));
            box.run("mv /srv/away/* /var/cache/apt/archives; [ ! -e /var/lib/avatar ]");

            String said = box.run("cd /root; sh deploy/install Cats.example.org cats");
            assertTrue(said.startsWith("avatar for cats.example.org\n"), said);
            assertTrue(said.contains("\nleft out: cats/notes.txt: "), said);
            assertTrue(said.contains("\napt-get install nginx default-jre-headless "), said);
            assertTrue(
                    said.contains("refuse this first certificate. When cats.example.org leads here: sh deploy/cert"));
            assertReports(13, ADDRESS + "png", said);
            String set = box.set();
            box.run("""
                    cd $0
                    [ "$(ls Renard-* | sort -V | xargs cat | sha256sum | cut -c 1-8)" = "${PWD##*/}" ]
                    sum=$(visit --location https://cats.example.org/me.png | sha256sum)
                    sha256sum * | grep "${sum%-}\"""".replace("$0", set));
            String url = set.replace("/var/lib/avatar", "https://cats.example.org") + "/Renard-*.png";
            assertEquals(
                    Set.of("DOMAIN=cats.example.org", "PORT=6666", "SIZE=90", "COUNT=13", "URL='" + url + "'"),
                    Set.of(box.run("grep -v '^#' " + SETTINGS).split("\n")));
            assertEquals("enabled\nenabled", box.run("systemctl is-enabled avatar nginx"));

            failed = box.attempt("cd /root; sh deploy/certificate"); // no authority is there
            assertTrue(failed.output().startsWith("apt-get install certbot\n"), failed::output);
            assertTrue(box.succeeds("command -v certbot"));
        }
    }

    /** The same command again gives the same site but for what the operator has set. */
    @Test
    void lostSettingsAreMadeAgain() {
        String set = box.set();
        box.run("rm " + SETTINGS);
        Command refused = box.tryInstall("");
        assertEquals(
                "deploy/install: " + SETTINGS + " is lost: write the site's domain and its folder again, sh"
                        + " deploy/install DOMAIN FOLDER\n",
                refused.output());
        refused = box.attempt("mkdir -p /etc/letsencrypt/archive/other; cd /root; deploy/certificate");
        assertEquals(
                "deploy/certificate: " + SETTINGS + " has no domain: write it and the folder again, sh deploy/install"
                        + " DOMAIN FOLDER\n",
                refused.output());
        box.run("rm -r /etc/letsencrypt/archive");
        assertReports(4, ADDRESS + "png", box.install(CATS + " cats"));
        assertEquals(set, box.set());
        box.run("cmp /root/settings " + SETTINGS);
    }

    /** The last of two lines, no quotes, another's key, a new one, no end of the line; the file is a link. */
    @Test
    void takesSettingsAsTheyAreWritten() {
        box.run("""
                mv $0 /srv/avatar
                ln -s /srv/avatar $0
                sed -i "/SIZE=/d; s/'//g" /srv/avatar
                printf '%s\\n' PORT=6667 PORT=6668 EXTRA=1 | head -c -1 >> $0""".replace("$0", SETTINGS));
        assertReports(
                4,
                ADDRESS + "png",
                box.run("cd /root; PORT=6669 SIZE=40 TMPDIR=/none POSIXLY_CORRECT=1 deploy/install"));
        String seen = box.run("readlink " + SETTINGS + "; grep -v '^#' /srv/avatar");
        assertTrue(seen.startsWith("/srv/avatar\nDOMAIN=cats.example.org\nPORT=6668\nCOUNT=4\nURL='"), seen);
        assertTrue(seen.endsWith("'\nEXTRA=1\nSIZE=90"), seen);
        box.run("visit http://localhost:6668/; rm " + SETTINGS);
    }

    /** Its visitors remember HTTPS for two years. */
    @Test
    void aFormerDomainIsNamed() {
        String said = box.install("certificate.example.org"); // a word that deploy/check looks for in curl's messages
        assertTrue(said.contains("\n" + CATS + " is not answered any more. "), said);
        assertReports(4, "https://certificate.example.org/me.png", said);
        box.run("visit --head https://certificate.example.org/x | grep -F 'ocation: https://certificate.example.org/'");
        assertFalse(box.install("").contains(CATS));
    }

    /** The jar, the unit and the site's file are written anew, and no visitor notices; this server's own stays. */
    @Test
    void anUpdateKeepsThisServersDirectives() throws Exception {
        box.run("""
                echo 'location = /own { return 204; }' > /etc/avatar/site-own.conf
                echo '# edited' >> $0
                cp -r /root/deploy /root/former
                echo '# new' | tee -a /root/deploy/nginx.conf >> /root/deploy/avatar.service""".replace("$0", FILE));
        int jvm = box.jvm();
        try (var visitors = new Visitors(box, CATS)) {
            box.install("");
        }
        assertNotEquals(jvm, box.jvm());
        assertEquals("# new\n# new", box.run("tail -qn 1 " + FILE + " /etc/systemd/system/avatar.service"));
        assertTrue(box.run("visit --head https://cats.example.org/own").contains(" 204 "));
        box.run("rm -r /root/deploy /etc/avatar/site-own.conf; mv /root/former /root/deploy");
    }

    /** As long as the site has not answered. */
    @Test
    void leavesNothingBehindWhenItIsInterrupted() {
        box.run("""
                mkdir /root/bin
                printf '#!/bin/sh\n[ "$1" != -T ] || kill -INT $PPID\nexec /usr/sbin/nginx "$@"\n' > /root/bin/nginx
                chmod 755 /root/bin/nginx
                convert /root/cats/Renard-1.png -flip /root/cats/new.png""");
        int jvm = box.jvm();
        var state = new State(box);
        Command interrupted = box.attempt("cd /root; PATH=/root/bin:$PATH deploy/install dogs.example.org cats");
        assertTrue(interrupted
                .output()
                .endsWith("\ndeploy/install: interrupted\ndeploy/install: all but packages is as before\n"));
        assertEquals(1, interrupted.status());
        state.assertUnchanged();
        // It is refused while nobody reads its output any more.
        box.run("sed -i 's/kill.*/exit 1/' /root/bin/nginx; cd /root; PATH=/root/bin:$PATH deploy/install"
                + " dogs.example.org cats 2>&1 | head -n 1");
        state.assertUnchanged();
        assertEquals(jvm, box.jvm());
        box.run("rm -r /root/bin");
    }

    /** The same site is there again by deploy/install, and without what was left by the first command and a port. */
    @Test
    void aRemovalLeavesWhatItSaysAndCanBeUndone() {
        String said = box.run("cd /root; deploy/remove");
        String left = box.run("find /etc /usr/local /var/lib /run -name '*avatar*' | sort");
        assertEquals("/etc/avatar\n/etc/default/avatar\n/var/lib/avatar", left);
        for (String name : left.split("\n")) assertTrue((said + "\n").contains("    rm -r " + name + "\n"), said);
        assertEquals("inactive\nactive", box.run("systemctl is-active avatar nginx || true"));
        assertEquals(said.substring(said.indexOf("avatar is removed")), box.run("cd /root; deploy/remove"));
        assertReports(4, ADDRESS + "png", box.install(""));
        said = box.run("cd /root; deploy/remove; rm -r " + left.replace('\n', ' ') + "; deploy/remove");
        assertTrue(said.endsWith("\navatar is removed."), said);
        // As the lines for the Java program alone leave them.
        box.run("printf '%s\\n' PORT=6667 COUNT=9 URL=https://a.example.org/1/Renard-*.png > " + SETTINGS);
        assertReports(4, ADDRESS + "png", box.install(CATS + " cats"));
        box.run("visit http://localhost:6667/");
    }

    /** nginx goes on with the site where another site's file is broken, and needs the draws for it. */
    @Test
    void aRemovalThatNginxRefusesLeavesTheDraws() {
        String visits =
                "visit --output /dev/null --write-out '%{http_code}\\n' 'https://" + CATS + "/[1-999]' | uniq -c";
        box.run(visits + "; echo fox > /etc/nginx/conf.d/other.conf");
        Command broken = box.attempt("cd /root; deploy/remove");
        assertTrue(
                broken.output()
                        .matches("(?s).*\ndeploy/remove: nginx refuses its files without the site. It says: "
                                + "[^\n]*other.conf:\\d+\nMend that, and run deploy/remove again\n"),
                broken::output);
        assertEquals(1, broken.status());
        assertEquals("999 302", box.run(visits));
        box.run("rm /etc/nginx/conf.d/other.conf");
        assertReports(4, ADDRESS + "png", box.install(""));
    }

    /** As when /run is full. An operator's file in the program's folder stays. */
    @Test
    void aRemovalThatSystemdDoesNotReadSaysWhatRemains() {
        box.run("""
                mkdir /root/bin
                printf '#!/bin/sh\\n[ "$1" != daemon-reload ] || exit 1\\nexec /usr/bin/systemctl "$@"\\n' \\
                    > /root/bin/systemctl
                chmod 755 /root/bin/systemctl
                echo mine > /usr/local/lib/avatar/mine""");
        Command removed = box.attempt("cd /root; PATH=/root/bin:$PATH deploy/remove");
        assertTrue(removed.output().contains("\n    rm -r /var/lib/avatar\n"), removed::output);
        assertTrue(removed.output().endsWith(" Later: systemctl daemon-reload\n"), removed::output);
        assertEquals(1, removed.status());
        assertEquals("mine", box.run("ls /usr/local/lib/avatar"));
        box.run("rm -r /root/bin /usr/local/lib/avatar; systemctl daemon-reload");
    }
}
