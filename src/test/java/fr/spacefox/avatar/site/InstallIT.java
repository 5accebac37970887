package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One command makes a site of a folder, updates it and keeps what the operator has set, and one removes it. */
@Needs(BOX)
class InstallIT extends KeptSite {

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
            box.run("""
                    cd /root
                    chmod 644 deploy/*
                    mkdir empty
                    echo text > cats/notes.txt""");
            String packages = box.run("dpkg -l");
            Command refused = box.attempt("cd /root; sh deploy/install " + CATS + " empty");
            assertTrue(refused.output().contains("deploy/install: empty has no pictures: "), refused::output);
            assertEquals(1, refused.status());
            assertEquals(packages, box.run("dpkg -l"));

            box.run("mkdir /srv/away; mv /var/cache/apt/archives/openjdk* /srv/away");
            Command failed = box.attempt("cd /root; sh deploy/install " + CATS + " cats");
            assertEquals(1, failed.status());
            assertTrue(failed.output().contains("deploy/install: apt-get does not install what is needed. It says: "));
            box.run("mv /srv/away/* /var/cache/apt/archives; [ ! -e /var/lib/avatar ]");

            String said =
                    box.run(LOCK.formatted("/var/lib/apt/lists/lock") + LOCK.formatted("/var/lib/dpkg/lock-frontend")
                            + "sleep 1; cd /root; sh deploy/install Cats.example.org cats");
            assertTrue(said.startsWith("avatar for cats.example.org\n"), said);
            assertTrue(
                    said.contains("\nAnother apt-get is running. This waits for its end, five minutes at most.\n"),
                    said);
            assertTrue(said.contains("\nleft out: cats/notes.txt: "), said);
            assertTrue(said.contains("\napt-get install nginx default-jre-headless "), said);
            assertTrue(said.contains("When cats.example.org leads here, sh /root/deploy/certificate gets one\n"), said);
            assertReports(13, ADDRESS + "png", said);
            String set = Path.of(box.set()).getFileName().toString();
            assertEquals(ENVIRONMENT.formatted(13, set), box.run("cat /var/lib/avatar/site/environment"));
            assertEquals("PORT=6666\nSIZE=90", box.run("grep -v '^#' " + SETTINGS));
            assertEquals("enabled\nenabled", box.run("systemctl is-enabled avatar nginx"));
            String sum = box.run("visit --location https://cats.example.org/me.png | sha256sum");
            assertTrue(box.run("sha256sum < /dev/null; sha256sum /var/lib/avatar/site/pictures/*/*")
                    .contains(sum.substring(0, 64)));

            failed = box.attempt("cd /root; sh deploy/certificate"); // no authority is there
            assertTrue(failed.output().startsWith("apt-get install certbot\n"), failed::output);
            assertTrue(box.succeeds("command -v certbot"));
        }
    }

    /** Wherever --replace stands, whatever the folder's name and the caller's environment, and if nobody reads on. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "mv -- cats -cats; deploy/install $D -cats --replace",
                "PORT=6669 SIZE=40 TMPDIR=/none POSIXLY_CORRECT=1 deploy/install $D cats",
                "{ deploy/install 2>&1; echo $? > status; } | head -n 1; grep -x 0 status",
                "deploy/install >&-",
                "deploy/install 2>&-",
                // What a backup has brought, or a copy.
                "chmod -R go= $state/* deploy; deploy/install",
                "chown -R 65534 $state; deploy/install",
                "rm $site; deploy/install $D cats",
                "ln -sfT sites/none $former; ln -sfT sites/none $site; deploy/install $D cats",
            })
    void installs(String script) {
        String said = run(script);
        assertFalse(said.matches("(?s).*(signal|rror|denied|not found|descriptor).*"), said);
        run("sh $site/deploy/check --insecure");
    }

    /** Links that scp -r has made folders become links again by the lines that are said, each time. */
    @Test
    void theLinesThatAreSaidMakeLinksAgain() {
        run("convert cats/Renard-1.png -flip cats/new.png; deploy/install $D cats"); // so that there is a former site
        for (int copy = 0; copy < 2; copy++) run("""
                    set=$(ls $site/pictures)
                    cp -rL $state /srv/copy
                    rm -r $state
                    mv /srv/copy $state
                    for links in 1 2; do
                        ! deploy/install 2> said
                        grep 'no link any more, as after scp -r. This makes it one again:$' said
                        tail -n 1 said | (cd /; sh -e)
                    done
                    deploy/install
                    [ $set = $(ls $site/pictures) ]
                    sh $site/deploy/check --insecure""");
    }

    /** From any folder, and by a link to the command. */
    @Test
    void commandsThatAreSaidCanBePasted() {
        String fewer = run("""
                ln -s /root/deploy/install /usr/local/bin/avatar
                mkdir "it's my cats"
                cp cats/Renard-1.png "it's my cats"
                avatar $D "it's my cats" 2>&1 | tail -n 2 | head -n 1""");
        String said = run("cd /; " + fewer);
        assertReports(1, ADDRESS + "png", said);
        assertReports(4, ADDRESS + "png", run("cd /; " + said.replaceAll("(?s).*To go back: (.*?)\n.*", "$1")));
    }

    /**
     * PORT alone changes nothing before the next installation. The last of two lines counts; the file is a link, and
     * when it is lost the site keeps its port.
     */
    @Test
    void settingsTakeEffectByAnInstallation() {
        run("""
                mv $settings /srv/avatar
                ln -s /srv/avatar $settings
                printf '%s\n' PORT=6667 PORT=6668 EXTRA=1 | head -c -1 >> $settings
                systemctl restart avatar
                until visit http://localhost:6666/; do sleep 0.1; done
                sh $site/deploy/check --insecure
                deploy/install
                visit --fail http://localhost:6668/
                ! visit http://localhost:6666/
                [ -L $settings ]
                rm $settings
                deploy/install
                visit --fail http://localhost:6668/
                grep -x PORT=6668 $settings""");
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

    /** Its visitors do not come any more. */
    @Test
    void aFormerDomainIsNamed() {
        String said =
                run("deploy/install certificate.example.org"); // a word that deploy/check looks for in curl's messages
        assertTrue(said.contains("\n" + CATS + " is not answered any more. "), said);
        assertReports(4, "https://certificate.example.org/me.png", said);
        run("answers certificate.example.org | grep ': 302 https://certificate.example.org/'");
        assertFalse(run("deploy/install").contains(CATS));
    }

    /** As long as the site has not answered. */
    @Test
    void leavesNothingBehindWhenItIsInterrupted() {
        run("""
                mkdir bin
                printf '#!/bin/sh\n[ ! -L %s ] || kill -INT $PPID\nexec /usr/sbin/nginx "$@"\n' $state/back > bin/nginx
                chmod 755 bin/nginx
                convert cats/Renard-1.png -flip cats/new.png""");
        int jvm = box.jvm();
        var state = new State(box);
        Command interrupted = attempt("PATH=/root/bin:$PATH deploy/install dogs.example.org cats");
        String says = "\ndeploy/install: interrupted\ndeploy/install: the site is as before\n";
        assertTrue(interrupted.output().endsWith(says), interrupted::output);
        assertEquals(1, interrupted.status());
        state.assertUnchanged();
        assertEquals(jvm, box.jvm());
    }

    /** deploy/install shows the same site again. */
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

    /** systemd of Debian 13 reads no units with less than 16 MB. */
    @ParameterizedTest
    @CsvSource({"0", "12"})
    void aRemovalOnAFullRunStopsTheJavaProgramOrDeletesNothing(int left) {
        run("mount -o remount,size=32M /run; cat /dev/zero > /run/full 2> /dev/null || true; truncate -s -" + left
                + "M /run/full; deploy/remove || true"
                + "; ! pgrep -f avatar[.]jar || [ -e /etc/systemd/system/avatar.service ]");
        run("rm /run/full; deploy/remove; ! pgrep -f avatar[.]jar; [ ! -e /etc/systemd/system/avatar.service ]");
    }
}
