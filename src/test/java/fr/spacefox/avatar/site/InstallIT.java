package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** One command makes a site of a folder of pictures, and changes and updates it, on both Debians. */
@Needs(BOX)
class InstallIT extends EachDebian {

    private static final String CATS = "cats.example.org";
    private static final String DOGS = "dogs.example.org";

    @BeforeParameterizedClassInvocation
    void install() throws Exception {
        Box.drawFoxes(4, box.path("/root/cats"));
        box.install(CATS + " cats");
        box.run("cp /etc/default/avatar /root/settings");
    }

    /** A test begins with the site of four cats. */
    @BeforeEach
    void begin() {
        box.run("cd /root; cmp settings /etc/default/avatar || { cp settings /etc/default/avatar; deploy/install; }");
    }

    /** The last line of what deploy/install prints. */
    private static void assertReports(int pictures, String address, String said) {
        assertTrue(
                said.endsWith("\n" + pictures + " picture" + (pictures == 1 ? "" : "s")
                        + ". The address for a profile: " + address),
                said);
    }

    /** Where visitors are led, each once. */
    private static String targets(Box box, String domain) {
        return box.run(
                "visit --output /dev/null --write-out '%{redirect_url}\\n' 'https://" + domain + "/[1-200]' | sort -u");
    }

    @Test
    void makesASiteOfAFolderOfPictures() throws Exception {
        try (var box = new Box(debian.files())) {
            Box.drawFoxes(13, box.path("/root/cats"));
            box.run("""
                    cd /root/cats
                    mogrify -format jpg *.png
                    rm *.png
                    mv Renard-13.jpg ../cat13.jpg
                    echo text > notes.txt

                    # A package is not installed, and the repository that has it is not there yet.
                    mkdir -p /srv/away/package/DEBIAN
                    cd /srv/away
                    dpkg --listfiles file | while read -r name; do
                        if [ -f "$name" ]; then cp --parents "$name" package; fi
                    done
                    printf '%s\\n' 'Package: file' 'Version: 9:9' 'Architecture: all' 'Maintainer: nobody' \\
                        'Description: .' > package/DEBIAN/control
                    dpkg-deb --build package file.deb
                    { cat package/DEBIAN/control
                      echo 'Filename: ./file.deb'
                      stat --format 'Size: %s' file.deb
                      echo "SHA256: $(sha256sum < file.deb | tr -d ' -')"; } > Packages
                    dpkg --purge --force-depends file
                    rm -rf /etc/apt/sources.list.d/*
                    echo 'deb [trusted=yes] file:/srv/repository ./' > /etc/apt/sources.list""");
            String deploy = box.run("cd /root/deploy; sha256sum *");
            var untouched = new State(box);
            Command failed = box.tryInstall(CATS + " cats");
            assertEquals(1, failed.status());
            assertTrue(failed.output().contains("deploy/install: apt-get does not install what is needed. It says: "));
            untouched.assertUnchanged();

            // The modes are lost in some archives, and domains have no case.
            String said = box.run("""
                    mv /srv/away /srv/repository
                    cd /root
                    chmod 644 deploy/*
                    sh deploy/install Cats.example.org cats""");
            String version =
                    Command.run("sed", "-n", "0,/^## /s/^## //p", "CHANGES.md").ok();
            String begin = "avatar " + version + " for cats.example.org\napt-get install file\n"
                    + "left out: cats/notes.txt: no picture (text/plain)\n";
            assertTrue(said.startsWith(begin), said);
            assertTrue(said.contains("\nnew: Renard-1.jpg to Renard-12.jpg\n"), said);
            assertReports(12, "https://cats.example.org/me.jpg", said);
            box.run("""
                    cd /var/www/avatar
                    [ "$(echo $(ls -v))" = "$(echo $(seq --format 'Renard-%g.jpg' 12))" ]
                    sum=$(visit --location https://cats.example.org/me.jpg | sha256sum)
                    sha256sum * | grep "${sum%-}\"""");
            assertEquals(
                    "DOMAIN=cats.example.org\nCOUNT=12\nURL='https://cats.example.org/Renard-*.jpg'\n"
                            + "NAMES='Renard-*.jpg'\nPORT=6666\nSIZE=90",
                    box.run("grep -v '^#' /etc/default/avatar"));
            assertEquals(deploy, box.run("cd /root/deploy; sha256sum *"));
            assertEquals("enabled\nenabled", box.run("systemctl is-enabled avatar nginx"));

            // The same command again changes nothing, and another picture gets the next number.
            box.run("""
                    chmod 755 /root/deploy/install
                    cd /var/www/avatar
                    cp Renard-1.jpg 'Renard-1 copy.jpg'
                    cp Renard-1.jpg Renard-20251125.jpg
                    mkdir Renard-40.jpg
                    mv /var/www/avatar /srv
                    ln -s /srv/avatar /var/www""");
            var installed = new State(box);
            for (String arguments : List.of(CATS + " cats", CATS + " cats/Renard-7.jpg", "")) {
                assertReports(12, "https://cats.example.org/me.jpg", box.install(arguments));
                installed.assertUnchanged();
            }
            said = box.install(CATS + " cats cat13.jpg cat13.jpg");
            assertTrue(said.contains("\nalready taken: 13\n") && said.contains("\nnew: Renard-13.jpg\n13 "), said);
            assertReports(13, "https://cats.example.org/me.jpg", said);
            assertEquals("16", box.run("ls /var/www/avatar | wc -l"));
        }
    }

    @Test
    void aRemovalLeavesWhatItSaysAndCanBeUndone() throws Exception {
        String said = box.run("cd /root; deploy/remove");
        String left = box.run("find /etc /usr/local /var/www /run -name '*avatar*' | sort");
        assertEquals("/etc/avatar\n/etc/default/avatar\n/var/www/avatar", left);
        for (String name : left.split("\n")) assertTrue((said + "\n").contains("    rm -r " + name + "\n"), said);
        assertTrue(said.contains("deleted /etc/nginx/conf.d/avatar.conf\ndeleted /run/avatar\n"), said);
        assertEquals("inactive\nactive", box.run("systemctl is-active avatar nginx || true"));
        assertEquals(said.substring(said.indexOf("avatar is removed")), box.run("cd /root; deploy/remove"));
        assertReports(4, "https://cats.example.org/me.png", box.install(""));
        // Another site's file is broken.
        box.run("echo fox > /etc/nginx/conf.d/other.conf");
        Command broken = box.attempt("cd /root; deploy/remove");
        String because = "nginx goes on with its former files, because it refuses the new ones; nginx -t says why\n";
        assertTrue(broken.output().endsWith("\ndeploy/remove: " + because), broken::output);
        assertEquals(1, broken.status());
        box.run("rm /etc/nginx/conf.d/other.conf; [ ! -e /etc/systemd/system/avatar.service ]");
        assertReports(4, "https://cats.example.org/me.png", box.install(""));
    }

    @Test
    void leadsNobodyToAFormerNumberOrDomain() throws Exception {
        targets(box, CATS);
        box.run("sed -i s/^COUNT=.*/COUNT=1/ /etc/default/avatar");
        assertReports(1, "https://cats.example.org/me.png", box.install(""));
        String led = targets(box, CATS);
        assertTrue(led.matches("(https://cats\\.example\\.org/Renard-1\\.png\n?)+"), led);

        assertReports(1, "https://dogs.example.org/me.png", box.install(DOGS));
        led = targets(box, DOGS);
        assertTrue(led.matches("(https://dogs\\.example\\.org/Renard-1\\.png\n?)+"), led);
        assertEquals("", box.run("grep -r cats.example /etc/default /etc/nginx || true"));
        box.run("openssl x509 -noout -checkhost " + DOGS + " -in /etc/avatar/site.pem | grep 'does match'");
    }

    /** Zeros in front, the last of two lines, no quotes, another's key, a new one, no end of the line. */
    @Test
    void takesSettingsAsTheyAreWritten() throws Exception {
        box.run("""
                sed -i /SIZE=/d /etc/default/avatar
                printf '%s\\n' COUNT=03 EXTRA=1 'URL=https://cats.example.org/Renard-*.png' | head -c -1 \\
                    >> /etc/default/avatar""");
        assertReports(3, "https://cats.example.org/me.png", box.install(""));
        String seen = box.run("grep -v '^#' /etc/default/avatar");
        assertTrue(seen.contains("\nCOUNT=3\nEXTRA=1\n") && seen.endsWith("\nSIZE=90"), seen);
    }

    /** SIZE= and no number: a picture that is added keeps its size, and its metadata goes all the same. */
    @Test
    void anEmptySizeKeepsThePicturesSize() throws Exception {
        box.run("""
                sed -i s/^SIZE=.*/SIZE=/ /etc/default/avatar
                cd /root
                convert cats/Renard-1.png -resize '200x100!' -set comment fox large.png""");
        assertReports(5, "https://cats.example.org/me.png", box.install(CATS + " large.png"));
        box.run("visit https://cats.example.org/Renard-5.png > /root/seen.png");
        assertEquals("200x100 []", box.run("identify -format '%wx%h [%c]' /root/seen.png"));
        box.run("rm /var/www/avatar/Renard-5.png");
    }

    /** A number without a picture, and a picture that nginx may not read, are named and no obstacle. */
    @Test
    void namesTheNumberThatHasNoPicture() throws Exception {
        box.run("sed -i s/^COUNT=.*/COUNT=6/ /etc/default/avatar; echo 4 > /var/www/avatar/notes.txt"
                + "; install -m 600 /var/www/avatar/Renard-4.png /var/www/avatar/Renard-6.png");
        String said = box.install("");
        assertTrue(said.contains("\nnumbers without a picture that nginx can read: 5 6\n"), said);
        assertTrue(said.contains("\nis no picture, and is not sent: /var/www/avatar/notes.txt\n"), said);
        assertReports(6, "https://cats.example.org/me.png", said);
        Command check = box.attempt("sh /usr/local/lib/avatar/check --insecure");
        assertEquals(new Command(0, "numbers without a picture that nginx can read: 5 6\n"), check);
        box.run("rm /var/www/avatar/Renard-6.png /var/www/avatar/notes.txt");
    }

    /** The settings are gone, as after a removal or a move: what is there stays, and what is given comes after it. */
    @Test
    void takesPublishedPicturesOver() throws Exception {
        try (var box = new Box(debian.files())) {
            Box.drawFoxes(4, box.path("/root/cats"));
            box.run("""
                    mkdir -p /var/www/avatar/.git /var/www/avatar/old
                    cd /root/cats
                    for number in 1 2 7; do
                        convert -comment 'at home' Renard-$number.png /var/www/avatar/pic-$number.jpg || true
                    done
                    cp Renard-3.png /var/www/avatar/pic-9.png
                    echo '<?php $password="x";' > /var/www/avatar/config.php""");
            String published = box.run("cd /var/www/avatar; sha256sum *-*");
            String refusal = "deploy/install: /var/www/avatar has files that are no pictures called pic-*.jpg."
                    + " This moves them away:\n";
            Command refused = box.tryInstall(CATS + " cats");
            assertTrue(refused.output().startsWith(refusal), refused::output);
            assertEquals(published, box.run("cd /var/www/avatar; sha256sum *-*"));
            box.run(refused.output().substring(refusal.length()));
            String jpegs = box.run("cd /var/www/avatar; ls; sha256sum pic-*");
            assertTrue(jpegs.startsWith("old\npic-1.jpg\npic-2.jpg\n"), jpegs);

            // An installation that is refused late takes nothing away, and gives no number twice.
            box.run("echo 'server { listen 127.0.0.1:80; }' > /etc/nginx/conf.d/other.conf; systemctl restart nginx");
            assertEquals(1, box.tryInstall(CATS + " cats").status());
            assertEquals(jpegs, box.run("cd /var/www/avatar; ls; sha256sum pic-*"));
            box.run("rm /etc/nginx/conf.d/other.conf; systemctl restart nginx");
            String said = box.run("cd /root; SIZE=40 PORT=6667 deploy/install " + CATS);
            box.run("grep -x PORT=6667 /etc/default/avatar");
            assertTrue(said.contains("\ntaken over from /var/www/avatar: 2 called pic-*.jpg\n"), said);
            assertTrue(said.contains("\nhas metadata, perhaps a place, and is sent as it is: pic-1.jpg\n"), said);
            assertReports(2, "https://cats.example.org/me.jpg", said);
            box.run("cp /root/cats/Renard-3.png /var/www/avatar/pic-40.png; rm /var/www/avatar/pic-2.jpg");
            assertReports(44, "https://cats.example.org/me.jpg", box.install(CATS + " cats"));
            String sizes = box.run("cd /var/www/avatar; identify -format '%wx%h ' pic-41.jpg pic-44.jpg");
            assertEquals("40x40 40x40", sizes);
            // A picture that was taken back is not taken again, and its number stays free.
            box.run("ln -sf taken-back /var/www/avatar/pic-44.jpg");
            assertReports(44, "https://cats.example.org/me.jpg", box.install(CATS + " cats"));
            box.run("[ $(readlink /var/www/avatar/pic-44.jpg) = taken-back ] && [ ! -e /var/www/avatar/pic-45.jpg ]");
            // An interrupted run has published a picture and not yet written down its original.
            box.run("sed -i /pic-43/d /etc/avatar/taken");
            assertReports(44, "https://cats.example.org/me.jpg", box.install(CATS + " cats"));
            // The kernel ends what reads the pictures for want of memory, and does not say that the rest is damaged.
            box.run("printf '#!/bin/sh\n/usr/bin/identify \"$@\" | head -n 1\nkill -9 $$\n' > /usr/local/bin/identify");
            box.run("chmod 755 /usr/local/bin/identify");
            assertFalse(box.install("").contains("damaged"));
            box.run("rm /usr/local/bin/identify");
            // Nor does ImageMagick when it meets its limits: pictures of 40 pixels pass, and larger ones do not.
            String limits = "export MAGICK_MEMORY_LIMIT=20KiB MAGICK_MAP_LIMIT=20KiB MAGICK_DISK_LIMIT=20KiB; ";
            box.run(limits + "cd /var/www/avatar; identify -format %i pic-41.jpg && ! identify -format %i pic-1.jpg");
            assertFalse(box.run(limits + "cd /root; deploy/install").contains("damaged"));
            // A power cut has left an empty picture, whose original is taken again.
            box.run(": > /var/www/avatar/pic-42.jpg");
            said = box.install("");
            assertTrue(said.contains("/var/www/avatar/pic-42.jpg is empty or damaged; it is in "), said);
            assertReports(45, "https://cats.example.org/me.jpg", box.install(CATS + " cats"));
            // All files are gone: the originals are taken again, and no number is given again.
            box.run("rm /var/www/avatar/pic-*");
            said = box.install(CATS + " cats");
            assertTrue(said.matches("(?s).*\nnew: pic-46\\..* to pic-49\\..*"), said);
        }
    }

    /** Ctrl+C while nginx looks at its files. */
    @Test
    void leavesNothingBehindWhenItIsInterrupted() throws Exception {
        box.run("""
                mkdir /root/bin
                printf '#!/bin/sh\n[ "$1" != -T ] || kill -INT $PPID\nexec /usr/sbin/nginx "$@"\n' > /root/bin/nginx
                chmod 755 /root/bin/nginx
                cd /root/cats
                convert Renard-1.png -flip new.png""");
        int jvm = box.jvm();
        var state = new State(box);
        Command interrupted = box.attempt("cd /root; PATH=/root/bin:$PATH deploy/install " + DOGS + " cats");
        assertEquals(1, interrupted.status());
        state.assertUnchanged();
        // It is refused while nobody reads its output any more.
        box.run("sed -i 's/kill.*/exit 1/' /root/bin/nginx; cd /root; PATH=/root/bin:$PATH deploy/install " + DOGS
                + " cats 2>&1 | head -n 1");
        state.assertUnchanged();
        assertEquals(jvm, box.jvm());
        box.run("rm -r /root/bin /root/cats/new.png");
    }

    /** The jar, the unit and the site's file are written anew, and no visitor notices; this server's own stays. */
    @Test
    void anUpdateKeepsThisServersDirectives() throws Exception {
        box.run("""
                echo 'location = /own { return 204; }' > /etc/avatar/site-own.conf
                echo '# edited' >> /etc/nginx/conf.d/avatar.conf
                cp -r /root/deploy /root/former
                echo '# new' | tee -a /root/deploy/nginx.conf >> /root/deploy/avatar.service""");
        int jvm = box.jvm();
        Process visitors = box.start("""
                touch /tmp/visitors
                while [ -e /tmp/visitors ]; do
                    visit --output /dev/null --write-out '%{http_code}\n' 'https://cats.example.org/[1-20]'
                done | sort | uniq -c""");
        box.install("");
        box.run("rm /tmp/visitors");
        assertNotEquals(jvm, box.jvm());
        String seen = Command.finish(visitors).ok();
        assertTrue(seen.matches("\\d+ 302"), seen);
        String ends = box.run("cd /etc; tail -qn 1 nginx/conf.d/avatar.conf systemd/system/avatar.service");
        assertEquals("# new\n# new", ends);
        assertTrue(box.run("visit --head https://cats.example.org/own").contains(" 204 "));
        box.run("rm -r /root/deploy /etc/avatar/site-own.conf; mv /root/former /root/deploy");
    }

    /** Its first process is killed; the kernel's OOM killer, which takes a worker, is not for a test to call. */
    @Test
    void nginxStartsAgainByItself() throws Exception {
        // The file descriptors come without a restart of nginx, because another site may have visitors.
        String limits = "for pid in $(pgrep nginx); do grep 'open files' /proc/$pid/limits; done | sort -u";
        box.run("cd /root; deploy/remove; systemctl restart nginx; deploy/install");
        String running = box.run(limits);
        assertFalse(running.contains(" 1024 "), running);
        box.run("kill -KILL $(systemctl show --property=MainPID --value nginx)");
        box.awaitTrue("nginx", () -> box.succeeds("visit --head https://cats.example.org/ | grep ' 302 '"));
        assertEquals(running, box.run(limits));
        assertEquals(
                "Restart=on-failure\nOOMPolicy=continue",
                box.run("systemctl show --property=Restart --property=OOMPolicy nginx"));
        box.run("cd /root; deploy/remove | grep 'deleted .*/nginx.service.d/00-avatar.conf'");
        assertEquals("Restart=no", box.run("systemctl show --property=Restart nginx"));
        // What the operator has set otherwise stays.
        box.run("""
                mkdir -p /etc/systemd/system/nginx.service.d
                printf '[Service]\nRestart=always\n' > /etc/systemd/system/nginx.service.d/own.conf
                cd /root
                deploy/install""");
        assertEquals("Restart=always", box.run("systemctl show --property=Restart nginx"));
        box.run("rm /etc/systemd/system/nginx.service.d/own.conf; systemctl daemon-reload");
    }

    /** Other sites go on, avatar answers beside them, and nginx starts again. */
    @Test
    void installsBesideOtherSites() throws Exception {
        box.run("""
                cd /root
                deploy/remove
                cat > /etc/nginx/conf.d/other.conf <<'END'
                limit_conn_zone $binary_remote_addr zone=client:10m;
                limit_req_zone $binary_remote_addr zone=site:10m rate=9r/s;
                upstream jvm { zone jvm 1m; server 127.0.0.1:7777; }
                server { listen 80; listen [::]:80; listen *:443 ssl default_server; listen unix:/run/other.sock;
                    server_name other.example.org *.example.org;
                    ssl_certificate /etc/avatar/site.pem; ssl_certificate_key /etc/avatar/site.pem;
                    location / { return 200 other; } }
                server { # listen 127.0.0.1:80;
                    listen 127.0.0.1:8080; listen [::1]:8443; proxy_cache off; }
                END
                systemctl reload nginx""");
        box.install("");
        assertEquals("""
                nginx: the configuration file /etc/nginx/nginx.conf syntax is ok
                nginx: configuration file /etc/nginx/nginx.conf test is successful""", box.run("nginx -t 2>&1"));
        box.run("systemctl restart nginx");
        for (String scheme : List.of("http://", "https://")) {
            assertEquals("other", box.run("visit " + scheme + "other.example.org/x"));
            assertEquals("other", box.run("visit " + scheme + "any.example.org/x"));
            box.run("sum=$(visit --location " + scheme + CATS + "/x | sha256sum)"
                    + "; sha256sum /var/www/avatar/* | grep \"${sum%-}\"");
        }
        box.run("rm /etc/nginx/conf.d/other.conf; systemctl restart nginx");
    }

    /** nginx's table has no room for the longest name, until its size is what nginx asks for. */
    @Test
    void aLongDomainNeedsOneLine() throws Exception {
        String domain = ("a".repeat(61) + ".").repeat(4) + "org";
        var state = new State(box);
        String said = box.tryInstall(domain).output();
        assertTrue(said.contains("you should increase server_names_hash_bucket_size"), said);
        state.assertUnchanged();
        box.run("echo 'server_names_hash_bucket_size 512;' > /etc/nginx/conf.d/server_names.conf");
        box.install(domain);
        box.run("visit --head https://" + domain + "/x | grep -F 'ocation: https://" + domain + "/Renard-'");
        box.run("rm /etc/nginx/conf.d/server_names.conf");
    }

    /** A kernel without IPv6, as nginx and the installation see one: no such sockets, and no /proc/net/if_inet6. */
    @Test
    @Needs(BOX)
    void leavesIpv6OutWhereTheKernelHasNone() throws Exception {
        if (debian != Debian.OLDER) return; // the other's files have no strace
        box.run("""
                mkdir -p /etc/systemd/system/nginx.service.d
                printf '[Service]\\nRestrictAddressFamilies=AF_UNIX AF_INET\\n' \\
                    > /etc/systemd/system/nginx.service.d/ipv4.conf
                sed -i 's/listen .::.:80/# &/' /etc/nginx/sites-available/default
                systemctl daemon-reload
                systemctl stop nginx
                systemd-run --quiet --pipe --wait --working-directory=/root \\
                    --property='RestrictAddressFamilies=AF_UNIX AF_INET AF_NETLINK' \\
                    strace -f -qq -o /dev/null -P /proc/net/if_inet6 -e trace=file -e inject=file:error=ENOENT \\
                    deploy/install""");
        assertEquals("2", box.run("grep -c '# no IPv6 here' /etc/nginx/conf.d/avatar.conf"));
        box.run("visit --head https://cats.example.org/x | grep -F 'ocation: https://cats.example.org/Renard-'");
        box.run("""
                rm -r /etc/systemd/system/nginx.service.d
                systemctl daemon-reload
                systemctl stop nginx
                sed -i 's/# listen .::.:80/listen [::]:80/' /etc/nginx/sites-available/default
                cd /root
                deploy/install""");
    }
}
