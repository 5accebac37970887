package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static fr.spacefox.avatar.support.Needs.Tool.IMAGEMAGICK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** deploy/install and deploy/remove on both Debians, with a new user's pictures and with the first edition's files. */
@Needs({BOX, IMAGEMAGICK})
class InstallIT {

    private static final String CATS = "cats.example.org";

    /** Everything that an installation may touch. */
    private static final String STATE = """
            cd /
            find etc root/cats root/deploy usr/local/lib var/www -type f ! -name '*-' -exec sha256sum {} + | sort
            find etc var/www -type l -printf '%p -> %l\\n' | sort""";

    /** Remembers the machine's state. */
    private static void remember(Box box) {
        box.run("(" + STATE + ") > /tmp/before").ok();
    }

    private static void assertUnchanged(Box box) {
        assertEquals(
                "",
                box.run("(" + STATE + ") > /tmp/after; diff /tmp/before /tmp/after || true")
                        .ok());
    }

    /** A folder cats with cat01, cat02 and so on, every second one of another size. */
    private static void drawCats(Box box, int count, String ending) throws IOException {
        Path cats = box.path("/root/cats");
        Box.drawFoxes(count, cats);
        box.run("""
                cd /root/cats
                for number in $(seq --format %%02g %d); do
                    mv Renard-${number#0}.png cat$number.png
                done
                mogrify -resize 120x100! cat*[02468].png
                if [ %s != png ]; then
                    mogrify -format %2$s *.png
                    rm *.png
                fi""".formatted(count, ending)).ok();
    }

    /** What a visitor of the address sees: the redirect's target, and the file that it leads to. */
    private static String visit(Box box, String domain, String ending) {
        String location = box.run("visit --output /dev/null" + " --write-out '%{http_code} %{redirect_url}' https://"
                        + domain + "/me." + ending)
                .ok();
        assertTrue(location.startsWith("302 https://" + domain + "/"), location);
        return box.run("visit --output /dev/null"
                        + " --write-out '%{http_code} %{content_type} ' " + location.substring(4)
                        + "; echo " + location.substring(location.lastIndexOf('/') + 1))
                .ok();
    }

    private static String settings(Box box) {
        return box.run("grep -v '^#' /etc/default/avatar").ok();
    }

    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void aFolderOfPicturesBecomesASite(Debian debian) throws Exception {
        try (var box = new Box(debian.files())) {
            System.out.println(box.run(". /etc/os-release; echo $PRETTY_NAME; nginx -v; /usr/bin/java -version")
                    .ok());
            drawCats(box, 13, "jpg");
            String deploy = box.run("cd /root/deploy; sha256sum *").ok();
            box.run("mv /root/cats/cat13.jpg /root").ok();
            String said = box.install("Cats.example.org cats/*").ok();
            assertTrue(
                    said.contains("12 pictures. The address for a profile: https://cats.example.org/me.jpg\n"), said);
            assertTrue(visit(box, CATS, "jpg").matches("200 image/jpeg Renard-\\d+\\.jpg"));
            box.run("cmp /root/cats/cat12.jpg /var/www/avatar/Renard-12.jpg").ok();
            assertEquals(
                    "DOMAIN=cats.example.org\nCOUNT=12\nURL='https://cats.example.org/Renard-*.jpg'\nPORT=6666",
                    settings(box));
            assertEquals(deploy, box.run("cd /root/deploy; sha256sum *").ok());
            assertEquals(
                    "enabled\nenabled",
                    box.run("systemctl is-enabled avatar nginx").ok());

            // The warning's command, as it was printed.
            var warning = Pattern.compile("^Warning: .* 90 x 90 [^:]*:\n(mogrify .*)$", Pattern.MULTILINE);
            var command = warning.matcher(said);
            assertTrue(command.find(), said);
            box.run(command.group(1)).ok();
            assertEquals(
                    "12", box.run("file /var/www/avatar/* | grep -c ' 90x90,'").ok());

            // The same command again changes nothing, and a thirteenth picture is added. What else is there is left.
            box.run("""
                    cd /var/www/avatar
                    cp Renard-1.jpg 'Renard-1 copy.jpg'
                    cp Renard-1.jpg Renard-20251125.jpg
                    mkdir Renard-40.jpg
                    mv /var/www/avatar /srv
                    ln -s /srv/avatar /var/www""").ok();
            int jvm = box.jvm();
            remember(box);
            for (String arguments : List.of(CATS + " cats/*", CATS + " cats/cat07.jpg", "")) {
                said = box.install(arguments).ok();
                assertTrue(
                        said.startsWith("12 pictures.")
                                && !warning.matcher(said).find(),
                        said);
                assertUnchanged(box);
                assertEquals(jvm, box.jvm());
            }
            said = box.install(CATS + " cats/* cat13.jpg cat13.jpg").ok();
            assertTrue(said.contains("13 pictures."), said);
            assertEquals("16", box.run("ls /var/www/avatar | wc -l").ok());
            box.run("cmp /root/cat13.jpg /var/www/avatar/Renard-13.jpg").ok();
            assertNotEquals(jvm, box.jvm());

            // Pictures, certificate and settings outlive a removal.
            said = box.run("cd /root; deploy/remove").ok();
            assertEquals(said, box.run("cd /root; deploy/remove").ok(), "repeated");
            for (String left : List.of("/var/www/avatar", "/etc/avatar", "/etc/default/avatar")) {
                assertTrue(said.contains("rm -r " + left + "\n") || said.endsWith("rm -r " + left), said);
            }
            assertEquals(
                    "/etc/avatar\n/etc/default/avatar\n/var/www/avatar",
                    box.run("find /etc /usr/local /var/www /run -name '*avatar*' | sort")
                            .ok());
            assertEquals(
                    "inactive", box.run("systemctl is-active avatar || true").ok());
            said = box.install("").ok();
            assertTrue(said.contains("13 pictures."), said);
        }
    }

    /** Each refusal is one line that names the culprit, and nothing has changed. */
    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void refusesWhatCannotWork(Debian debian) throws Exception {
        try (var box = new Box(debian.files())) {
            drawCats(box, 3, "gif");
            box.run("""
                    cd /root
                    cp cats/cat01.gif fox.png
                    mogrify -format png cats/cat01.gif
                    mv cats/cat01.png real.png
                    echo fox > text.gif
                    echo 'server { listen 80; fox on; }' > broken.conf""").ok();
            remember(box);
            String usage = "\nusage: deploy/install [DOMAIN PICTURE...]";
            refused(box, "", 2, "no domain: ''" + usage);
            refused(box, "cats/*", 2, "cats/cat01.gif is a file; the domain comes first" + usage);
            for (String domain :
                    List.of("fox", "-h", "192.0.2.1", "fox..org", "https://fox.org/", "a_b.org", "fox.org.")) {
                refused(box, domain + " cats/*", 2, "no domain: '" + domain + "'" + usage);
            }
            refused(box, "\"$(printf 'a b\\nfox.org')\" cats/*", 2, "no domain: 'a b\nfox.org'" + usage);
            Command accent = box.install("$(printf 'r\\303\\251nard.fr') cats/*");
            assertEquals(2, accent.status());
            assertTrue(accent.output().contains(" has letters outside ASCII; write the domain as xn--..."));
            refused(box, CATS, 2, "no picture given, and none is here" + usage);
            refused(box, "cat13.png", 2, "cat13.png: no such file; the domain comes first" + usage);
            refused(box, CATS + " dogs/*", 1, "dogs/*: no such file");
            refused(box, CATS + " cats", 1, "cats is a folder; write cats/*");
            refused(box, CATS + " text.gif", 1, "text.gif: text/plain is no PNG, JPEG, GIF or WebP picture");
            refused(
                    box,
                    CATS + " cats/* real.png",
                    1,
                    "real.png: image/png, but all pictures must be of one type, here image/gif");
            assertEquals(
                    "deploy/install: must be run as root",
                    box.run("cp -r /root/deploy /tmp; cd /tmp; setpriv --reuid=65534 deploy/install 2>&1 || true")
                            .ok());

            broken(
                    box,
                    "mv /usr/bin/file /usr/sbin/nginx /tmp",
                    "mv /tmp/file /usr/bin; mv /tmp/nginx /usr/sbin",
                    "not installed; run: apt-get install nginx file");
            for (String version : List.of("17", "17.0.4", "11.0.22", "1.8.0_402")) {
                broken(
                        box,
                        "mv /usr/bin/java /tmp; printf '#!/bin/sh\\necho openjdk version \\\\\"" + version
                                + "\\\\\" 2022-07-19 >&2\\n' > /usr/bin/java; chmod 755 /usr/bin/java",
                        "mv /tmp/java /usr/bin/java",
                        "/usr/bin/java is version " + version + ", but 17.0.5 or later is needed");
            }
            assertUnchanged(box);

            // Another site's file is broken: nginx's own line is shown, and nginx goes on.
            box.run("systemctl start nginx; mv /root/broken.conf /etc/nginx/sites-enabled")
                    .ok();
            remember(box);
            Command result = box.install(CATS + " cats/*");
            assertEquals(1, result.status());
            String refusal = "deploy/install: nginx refuses its files; they are as before. It says:\n";
            assertTrue(result.output().startsWith(refusal), result::output);
            assertTrue(result.output().contains("unknown directive \"fox\" in /etc/nginx/sites-enabled/broken.conf:1"));
            assertUnchanged(box);
            box.run("systemctl is-active nginx; mv /etc/nginx/sites-enabled/broken.conf /root")
                    .ok();

            // It would take another site's place.
            box.run("echo 'server { listen 80; server_name cats.example.org; }' > /etc/nginx/sites-enabled/other")
                    .ok();
            remember(box);
            refused(box, CATS + " cats/*", 1, "another site of nginx has the domain " + CATS + "; nginx -T shows it");
            assertUnchanged(box);
            box.run("rm /etc/nginx/sites-enabled/other").ok();

            // GIF, named as if it were PNG. Then what an installed site refuses.
            String said = box.install(CATS + " fox.png").ok();
            assertTrue(said.contains("1 pictures. The address for a profile: https://cats.example.org/me.gif"), said);
            remember(box);

            // Another domain would need another certificate: the one for the former domain is still there.
            box.run("cp /root/broken.conf /etc/nginx/sites-enabled").ok();
            result = box.install("dogs.example.org");
            assertTrue(result.output().startsWith(refusal), result::output);
            box.run("rm /etc/nginx/sites-enabled/broken.conf").ok();
            assertUnchanged(box);

            // Ctrl+C while nginx tries the new site's file.
            box.run("""
                    mkdir /root/bin
                    printf '#!/bin/sh\nkill -INT $PPID\n' > /root/bin/nginx
                    chmod 755 /root/bin/nginx""").ok();
            assertNotEquals(
                    0,
                    box.run("cd /root; PATH=/root/bin:$PATH deploy/install dogs.example.org")
                            .status());
            assertUnchanged(box);

            refused(
                    box,
                    CATS + " real.png",
                    1,
                    "real.png: image/png, but all pictures must be of one type, here image/gif");
            broken(
                    box,
                    "cp /etc/default/avatar /tmp; sed -i s/^COUNT=.*/COUNT=fox/ /etc/default/avatar",
                    "mv /tmp/avatar /etc/default",
                    "/etc/default/avatar: COUNT=fox is no number of pictures");
            assertUnchanged(box);
        }
    }

    private static void refused(Box box, String arguments, int status, String message) {
        assertEquals(new Command(status, "deploy/install: " + message + "\n"), box.install(arguments));
    }

    /** Breaks the machine, is refused, and repairs it. */
    private static void broken(Box box, String breaks, String repairs, String message) {
        box.run(breaks).ok();
        try {
            refused(box, CATS + " cats/*", 1, message);
        } finally {
            box.run(repairs).ok();
        }
    }

    /** A mistyped domain, a missing picture, a wrong number and a hand at the site's file. */
    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void mistakesCanBeCorrected(Debian debian) throws Exception {
        try (var box = new Box(debian.files())) {
            drawCats(box, 4, "webp");
            box.install("cast.example.org cats/*").ok();
            String said = box.install(CATS).ok();
            assertTrue(said.contains("4 pictures. The address for a profile: https://cats.example.org/me.webp"), said);
            assertTrue(said.contains(" --domain cats.example.org "), said);
            assertTrue(visit(box, CATS, "webp").matches("200 image/webp Renard-\\d+\\.webp"));
            assertEquals(
                    "",
                    box.run("grep -r --exclude='*.~*~' cast.example /etc/default /etc/nginx || true")
                            .ok());
            box.run("openssl x509 -noout -checkhost cats.example.org -in /etc/avatar/fullchain.pem | grep 'does match'")
                    .ok();

            // Settings that are edited by hand. A number without a picture is reported.
            box.run("sed -i s/^COUNT=.*/COUNT=6/ /etc/default/avatar").ok();
            String missing = "/var/www/avatar/Renard-%d.webp is missing; each number up to COUNT=%d needs a picture";
            remember(box);
            refused(box, "", 1, missing.formatted(5, 6));
            assertUnchanged(box);
            box.run("sed -i s/^COUNT=.*/COUNT=2/ /etc/default/avatar; echo EXTRA=1 >> /etc/default/avatar")
                    .ok();
            assertTrue(box.install("").ok().startsWith("2 pictures."));
            assertTrue(box.run("tr '\\0' ' ' < /proc/" + box.jvm() + "/cmdline")
                    .ok()
                    .contains("6666 2 https:"));
            assertTrue(settings(box).contains("EXTRA=1"));

            // A gap is not filled, because browsers know the number.
            box.run("cd /root; mv cats/cat01.webp new.webp; mogrify -flip new.webp; rm /var/www/avatar/Renard-3.webp")
                    .ok();
            remember(box);
            refused(box, CATS + " new.webp", 1, missing.formatted(3, 5));
            assertUnchanged(box);
            box.run("cp /root/new.webp /var/www/avatar/Renard-3.webp").ok();
            box.run("cd /root; mogrify -flop new.webp").ok();
            assertTrue(box.install(CATS + " new.webp").ok().contains("5 pictures."));

            // A picture that nginx may not read, so that it sends the stand-in.
            box.run("cd /var/www/avatar; install -m 600 Renard-5.webp Renard-6.webp")
                    .ok();
            box.run("sed -i s/^COUNT=.*/COUNT=6/ /etc/default/avatar").ok();
            Command unseen = box.install("");
            assertEquals(1, unseen.status());
            assertTrue(unseen.output().contains(": https://cats.example.org/Renard-6.webp 200 no-"), unseen::output);
            box.run("chmod 644 /var/www/avatar/Renard-6.webp").ok();

            // What was edited in the site's file stays beside it; what stands in site.sed stays in it. The JVM goes on.
            int jvm = box.jvm();
            box.run("""
                    sed -i 's/max_conns=78/max_conns=50/' /etc/nginx/conf.d/avatar.conf
                    echo 's/fail_timeout=1s/fail_timeout=2s/' > /etc/avatar/site.sed""").ok();
            said = box.install("").ok();
            assertEquals(jvm, box.jvm());
            String former = "/etc/nginx/conf.d/avatar.conf.~2~";
            assertTrue(said.contains("(backup: '" + former + "')"), said);
            box.run("grep max_conns=50 " + former
                            + "; grep 'max_conns=78 fail_timeout=2s' /etc/nginx/conf.d/avatar.conf")
                    .ok();
            box.run("echo fox > /etc/avatar/site.sed").ok();
            remember(box);
            assertNotEquals(0, box.install("").status());
            assertUnchanged(box);
        }
    }

    /** An installation by the guide of the first edition, with everything that it let one change. */
    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void updatesTheFirstEdition(Debian debian) throws Exception {
        try (var box = new Box(debian.files())) {
            drawCats(box, 6, "webp");
            for (String name : List.of("nginx.conf", "avatar.service")) {
                Files.copy(Path.of("src/test/resources/first-edition", name), box.path("/root/" + name));
            }
            box.run("""
                    cd /root
                    sed -i 's/avatar\\.spacefox\\.fr/avatar.example.org/' nginx.conf avatar.service
                    sed -i 's|/Renard-\\*\\.png|/fox-*.webp|; s/\\b6666\\b/6667/' avatar.service
                    sed -i 's|/Renard-1\\.png|/fox-1.webp|; s/\\b6666\\b/6667/; s/max_conns=78/max_conns=60/' nginx.conf
                    for number in 1 2 3 4 5; do mv cats/cat0$number.webp fox-$number.webp; done
                    install -D -m 644 deploy/avatar.jar /usr/local/lib/avatar/avatar.jar
                    install -D -m 644 avatar.service /etc/systemd/system/avatar.service
                    install -D -m 644 nginx.conf /etc/nginx/conf.d/avatar.conf
                    install -D -m 644 -t /var/www/avatar fox-*.webp
                    mkdir -p /etc/systemd/system/avatar.service.d /etc/letsencrypt/live/avatar.example.org
                    printf '[Service]\\nEnvironment=COUNT=5\\n' > /etc/systemd/system/avatar.service.d/override.conf
                    cd /etc/letsencrypt/live/avatar.example.org
                    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 \\
                        -subj /CN=avatar.example.org -keyout privkey.pem -out fullchain.pem
                    cp fullchain.pem /root
                    systemctl daemon-reload
                    systemctl enable --now avatar
                    nginx -t
                    systemctl reload-or-restart nginx""").ok();

            String said = box.install("avatar.example.org cats/cat06.webp").ok();
            assertTrue(
                    said.contains("6 pictures. The address for a profile: https://avatar.example.org/me.webp"), said);
            assertEquals(
                    "DOMAIN=avatar.example.org\nCOUNT=6\nURL='https://avatar.example.org/fox-*.webp'\nPORT=6667",
                    settings(box));
            assertTrue(visit(box, "avatar.example.org", "webp").matches("200 image/webp fox-[1-6]\\.webp"));
            assertTrue(said.contains("(backup: '/etc/nginx/conf.d/avatar.conf.~1~')"), said);
            box.run("grep max_conns=60 /etc/nginx/conf.d/avatar.conf.~1~").ok();
            box.run("cmp /root/fullchain.pem /etc/avatar/fullchain.pem").ok();
            assertTrue(said.contains("\nmv /etc/letsencrypt/live/avatar.example.org "), said);

            // The pictures go elsewhere. Java reads other letters than ASCII as the server's locale has them.
            box.run("printf 'URL=https://cdn.example.org/caf\\303\\251/*.gif\\n' >> /etc/default/avatar")
                    .ok();
            remember(box);
            Command accent = box.install("");
            assertEquals(1, accent.status());
            assertTrue(accent.output().endsWith(" with %, such as %C3%A9\n"), accent::output);
            assertUnchanged(box);
            // The file is written as systemd reads it: no quotes, and a key twice.
            box.run("""
                    sed -i '/^URL=/d' /etc/default/avatar
                    echo 'COUNT=6' >> /etc/default/avatar
                    echo 'URL=https://cdn.example.org/caf%C3%A9/*.gif?a=1&b=2' >> /etc/default/avatar""").ok();
            refused(
                    box,
                    "avatar.example.org cats/cat06.webp",
                    1,
                    "cats/cat06.webp: URL in /etc/default/avatar leads to another server; put the pictures there");
            box.install("").ok();
            box.run("systemctl stop avatar; rm /etc/systemd/system/avatar.service.d/override.conf")
                    .ok();
            box.run("visit https://avatar.example.org/x" + " | cmp - /var/www/avatar/fox-1.webp")
                    .ok();
            box.run("cd /root; deploy/remove").ok();
            refused(
                    box,
                    "",
                    1,
                    "/etc/default/avatar: URL leads to another server, and the pictures' names here are unknown."
                            + " Write URL='https://avatar.example.org/Renard-*.png' with your ending,"
                            + " run this again, and then write the present URL back");
        }
    }
}
