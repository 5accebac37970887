package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static fr.spacefox.avatar.support.Needs.Tool.IMAGEMAGICK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One command makes a site of a folder of pictures, and changes and updates it, on both Debians. */
@Needs({BOX, IMAGEMAGICK})
class InstallIT {

    private static final String CATS = "cats.example.org";
    private static final String DOGS = "dogs.example.org";

    private static final Boxes INSTALLED = new Boxes(box -> {
        drawCats(box, 4);
        box.install(CATS + " cats");
        box.run("cp /etc/default/avatar /root/settings");
    });

    /** A test begins with the site of four cats. */
    private static void installed(Debian debian, Boxes.Use test) throws Exception {
        INSTALLED.use(debian, box -> {
            if (!box.succeeds("cmp /root/settings /etc/default/avatar")) {
                box.run("cp /root/settings /etc/default/avatar");
                box.install("");
            }
            test.in(box);
        });
    }

    @AfterAll
    static void discard() throws Exception {
        INSTALLED.close();
    }

    /** A folder cats with cat01.jpg, cat02.jpg and so on. */
    private static void drawCats(Box box, int count) throws IOException {
        Box.drawFoxes(count, box.path("/root/cats"));
        box.run("""
                cd /root/cats
                mogrify -format jpg *.png
                rm *.png
                for number in $(seq --format %%02g %d); do
                    mv Renard-${number#0}.jpg cat$number.jpg
                done""".formatted(count));
    }

    private static String settings(Box box) {
        return box.run("grep -v '^#' /etc/default/avatar");
    }

    private static void set(Box box, String line) {
        String key = line.substring(0, line.indexOf('='));
        box.run("sed -i 's|^" + key + "=.*|" + line + "|' /etc/default/avatar");
    }

    /** The last line of what deploy/install prints. */
    private static void assertReports(int pictures, String address, String said) {
        String expected = pictures + " pictures. The address for a profile: " + address;
        assertEquals(expected, said.substring(said.lastIndexOf('\n') + 1), said);
    }

    /** Where visitors are led, each once. */
    private static String targets(Box box, String domain) {
        return box.run("for visit in $(seq 200); do echo url = https://" + domain + "/$visit; echo output = /dev/null;"
                + " done | visit --config - --write-out '%{redirect_url}\\n' | sort -u");
    }

    /** A package that is in a repository, and not installed; the other packages are there as before. */
    private static void uninstall(Box box, String name) {
        box.run("""
                mkdir -p /srv/repository/package/DEBIAN
                cd /srv/repository
                dpkg --listfiles %1$s | while read -r file; do
                    if [ -f "$file" ]; then cp --parents "$file" package; fi
                done
                printf '%%s\\n' 'Package: %1$s' 'Version: 9:9' 'Architecture: all' 'Maintainer: nobody' \\
                    'Description: .' \\
                    > package/DEBIAN/control
                dpkg-deb --build package %1$s.deb
                { cat package/DEBIAN/control
                  echo 'Filename: ./%1$s.deb'
                  stat --format 'Size: %%s' %1$s.deb
                  echo "SHA256: $(sha256sum < %1$s.deb | tr -d ' -')"; } > Packages
                dpkg --purge --force-depends %1$s
                rm -rf /etc/apt/sources.list.d/*
                echo 'deb [trusted=yes] file:/srv/repository ./' > /etc/apt/sources.list""".formatted(name));
    }

    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void makesASiteOfAFolderOfPictures(Debian debian) throws Exception {
        try (var box = new Box(debian.files())) {
            System.out.println(box.run(". /etc/os-release; echo $PRETTY_NAME; nginx -v; /usr/bin/java -version"));
            drawCats(box, 13);
            box.run("cd /root; mv cats/cat13.jpg .; echo text > cats/notes.txt");
            String deploy = box.run("cd /root/deploy; sha256sum *");
            uninstall(box, "file");

            // Without its package nothing changes.
            box.run("mv /srv/repository /srv/away");
            var state = new State(box);
            Command failed = box.tryInstall(CATS + " cats");
            assertEquals(1, failed.status());
            assertTrue(failed.output().contains("deploy/install: apt-get does not install what is needed. It says: "));
            state.assertUnchanged();
            box.run("mv /srv/away /srv/repository");

            // The modes are lost in some archives, and domains have no case.
            box.run("chmod 644 /root/deploy/*");
            String said = box.run("cd /root; sh deploy/install Cats.example.org cats");
            String version = box.run("cat /root/deploy/* | sha256sum | head -c 12");
            assertTrue(
                    said.startsWith("avatar " + version + " for cats.example.org\napt-get install file\n"
                            + "left out: cats/notes.txt: no picture (text/plain)\n"),
                    said);
            assertReports(12, "https://cats.example.org/me.jpg", said);
            box.run("for n in $(seq 12); do"
                    + " cmp /root/cats/cat$(printf %02d $n).jpg /var/www/avatar/Renard-$n.jpg; done");
            assertEquals(
                    "DOMAIN=cats.example.org\nCOUNT=12\nURL='https://cats.example.org/Renard-*.jpg'\n"
                            + "PORT=6666\nSIZE=90",
                    settings(box));
            assertEquals(deploy, box.run("cd /root/deploy; sha256sum *"));
            assertEquals("enabled\nenabled", box.run("systemctl is-enabled avatar nginx"));
            box.run("""
                    cd /root
                    visit --location https://cats.example.org/me.jpg > seen.jpg
                    for cat in cats/*.jpg; do [ "$(compare -metric AE seen.jpg $cat null: 2>&1)" != 0 ] || exit 0; done
                    exit 1""");

            box.run("chmod 755 /root/deploy/install /root/deploy/remove");
            addsEachPictureOnce(box);
            outlivesARemoval(box);
        }
    }

    /** The same command again changes nothing, and another picture gets the next number. */
    private static void addsEachPictureOnce(Box box) {
        box.run("""
                cd /var/www/avatar
                cp Renard-1.jpg 'Renard-1 copy.jpg'
                cp Renard-1.jpg Renard-20251125.jpg
                mkdir Renard-40.jpg
                mv /var/www/avatar /srv
                ln -s /srv/avatar /var/www""");
        int jvm = box.jvm();
        var state = new State(box);
        for (String arguments : new String[] {CATS + " cats", CATS + " cats/cat07.jpg", ""}) {
            assertReports(12, "https://cats.example.org/me.jpg", box.install(arguments));
            state.assertUnchanged();
            assertEquals(jvm, box.jvm());
        }
        assertReports(13, "https://cats.example.org/me.jpg", box.install(CATS + " cats cat13.jpg cat13.jpg"));
        assertEquals("16", box.run("ls /var/www/avatar | wc -l"));
        box.run("cmp /root/cat13.jpg /var/www/avatar/Renard-13.jpg");
        assertNotEquals(jvm, box.jvm());
    }

    /** What deploy/remove says that it leaves is what is left. */
    private static void outlivesARemoval(Box box) {
        String said = box.run("cd /root; deploy/remove");
        String find = "find /etc /usr/local /var/www /run -name '*avatar*' | sort";
        String left = box.run(find);
        assertEquals("/etc/avatar\n/etc/default/avatar\n/var/www/avatar", left);
        for (String name : left.split("\n")) assertTrue((said + "\n").contains("    rm -r " + name + "\n"), said);
        assertTrue(said.contains("deleted /etc/nginx/conf.d/avatar.conf\ndeleted /run/avatar\n"), said);
        assertEquals("inactive\nactive", box.run("systemctl is-active avatar nginx || true"));
        assertEquals(said.substring(said.indexOf("avatar is removed")), box.run("cd /root; deploy/remove"));
        assertReports(13, "https://cats.example.org/me.jpg", box.install(""));
    }

    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void leadsNobodyToAFormerDomain(Debian debian) throws Exception {
        installed(debian, box -> {
            targets(box, CATS);
            assertReports(4, "https://dogs.example.org/me.jpg", box.install(DOGS));
            String led = targets(box, DOGS);
            assertTrue(led.matches("(https://dogs\\.example\\.org/Renard-[1-4]\\.jpg\n?)+"), led);
            assertEquals("", box.run("grep -r cats.example /etc/default /etc/nginx || true"));
            box.run(
                    "openssl x509 -noout -checkhost dogs.example.org -in /etc/avatar/fullchain.pem | grep 'does match'");
        });
    }

    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void leadsNobodyToAFormerNumber(Debian debian) throws Exception {
        installed(debian, box -> {
            targets(box, CATS);
            set(box, "COUNT=2");
            assertReports(2, "https://cats.example.org/me.jpg", box.install(""));
            String led = targets(box, CATS);
            assertTrue(led.matches("(https://cats\\.example\\.org/Renard-[12]\\.jpg\n?)+"), led);
        });
    }

    /** Zeros in front, the last of two lines, no quotes, a key that is not avatar's, and one that is new. */
    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void takesSettingsAsTheyAreWritten(Debian debian) throws Exception {
        installed(debian, box -> {
            box.run("""
                    sed -i /SIZE=/d /etc/default/avatar
                    echo COUNT=03 >> /etc/default/avatar
                    echo EXTRA=1 >> /etc/default/avatar
                    echo 'URL=https://cats.example.org/Renard-*.jpg' >> /etc/default/avatar""");
            assertReports(3, "https://cats.example.org/me.jpg", box.install(""));
            String seen = settings(box);
            assertTrue(seen.contains("\nCOUNT=3\nEXTRA=1\n") && seen.endsWith("\nSIZE=90"), seen);
        });
    }

    /** SIZE= and no number: a picture that is added keeps its size, and its metadata goes all the same. */
    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void anEmptySizeKeepsThePicturesSize(Debian debian) throws Exception {
        installed(debian, box -> {
            set(box, "SIZE=");
            box.run("cd /root; convert cats/cat01.jpg -resize '200x100!' -set comment fox large.jpg");
            assertReports(5, "https://cats.example.org/me.jpg", box.install(CATS + " large.jpg"));
            assertEquals(
                    "200x100 ",
                    box.attempt("visit https://cats.example.org/Renard-5.jpg > /tmp/seen.jpg"
                                    + "; identify -format '%wx%h %c' /tmp/seen.jpg")
                            .output());
            box.run("rm /var/www/avatar/Renard-5.jpg");
        });
    }

    /** A number without a picture, and a picture that nginx may not read: the site goes on as before. */
    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void namesThePictureThatIsNotSent(Debian debian) throws Exception {
        installed(debian, box -> {
            for (String makes : new String[] {":", "install -m 600 Renard-4.jpg Renard-5.jpg"}) {
                box.run("cd /var/www/avatar; " + makes);
                set(box, "COUNT=5");
                var state = new State(box);
                String said = box.tryInstall("").output();
                assertTrue(
                        said.endsWith("\ndeploy/install: nginx does not send https://cats.example.org/Renard-5.jpg;"
                                + " each number up to COUNT=5 needs a file that all may read\n"),
                        said);
                state.assertUnchanged();
            }
            box.run("rm /var/www/avatar/Renard-5.jpg");
        });
    }

    /** Ctrl+C while nginx looks at its files. */
    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void leavesNothingBehindWhenItIsInterrupted(Debian debian) throws Exception {
        installed(debian, box -> {
            box.run("""
                    mkdir /root/bin
                    printf '#!/bin/sh\n[ "$1" != -T ] || kill -INT $PPID\nexec /usr/sbin/nginx "$@"\n' > /root/bin/nginx
                    chmod 755 /root/bin/nginx
                    cd /root/cats
                    convert cat01.jpg -flip new.jpg""");
            int jvm = box.jvm();
            var state = new State(box);
            assertEquals(
                    1,
                    box.attempt("cd /root; PATH=/root/bin:$PATH deploy/install " + DOGS + " cats")
                            .status());
            state.assertUnchanged();
            assertEquals(jvm, box.jvm());
            box.run("rm -r /root/bin /root/cats/new.jpg");
        });
    }

    /** The jar, the unit and the site's file are written anew; what this server needs to be different stays. */
    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void anUpdateKeepsThisServersDirectives(Debian debian) throws Exception {
        installed(debian, box -> {
            box.run("""
                    echo 'location = /own { return 204; }' > /etc/avatar/site-own.conf
                    echo '# edited' >> /etc/nginx/conf.d/avatar.conf
                    cp -r /root/deploy /root/former
                    echo '# new' | tee -a /root/deploy/nginx.conf >> /root/deploy/avatar.service""");
            int jvm = box.jvm();
            box.install("");
            assertNotEquals(jvm, box.jvm());
            assertEquals(
                    "# new\n# new",
                    box.run("cd /etc; tail -qn 1 nginx/conf.d/avatar.conf systemd/system/avatar.service"));
            assertTrue(box.run("visit --head https://cats.example.org/own").contains(" 204 "));
            box.run("rm -r /root/deploy /etc/avatar/site-own.conf; mv /root/former /root/deploy");
        });
    }
}
