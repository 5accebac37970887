package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Needs;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pictures that nginx sends by itself: under their names, in place of a missing one, and at random. */
@Needs(BOX)
class PicturesIT extends InstalledSite {

    @Test
    void picturesAreServedForAYear() throws Exception {
        for (String site : SITES) {
            for (int number = 1; number <= 21; number++) {
                String name = "Renard-" + number + ".png";
                askForFile(name, site + "/" + name).assertPicture(200, "public, max-age=31536000, immutable");
            }
        }
    }

    @Test
    void missingPicturesAreAFoxThatNobodyKeeps() throws Exception {
        for (String site : SITES) {
            for (String name : List.of("Renard-22.png", "Renard-99999999999999999999.png?x")) {
                ask(site + "/" + name).assertRandomPicture();
            }
        }
    }

    /** A browser that wants a certain version of a picture, or a part of it, gets a fox and no error. */
    @Test
    void conditionsAndRangesEndInAPicture() {
        for (String site : SITES) {
            for (String path : List.of("/Renard-2.png", "/picture/x")) {
                for (String header : List.of("If-Match: x", "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT")) {
                    ask("--header", header, site + path).assertRandomPicture();
                }
                for (String range : List.of("0-3", "9999999-")) {
                    Answer answer = ask("--header", "Range: bytes=" + range, site + path);
                    assertEquals(200, answer.status(), answer::toString);
                }
            }
        }
    }

    /** For image proxies that would keep a picture as long as its own name allows: no redirect, ever another fox. */
    @Test
    void anyPathBelowPictureIsARandomPictureThatNobodyKeeps() throws Exception {
        for (String site : SITES) {
            for (String path : List.of("/picture/", "/picture/me", "/picture/a/b.gif?x", "/picture/Renard-1.png")) {
                ask(site + path).assertRandomPicture();
            }
        }
        ask("--head", SITE + "/picture/me").assertRandomPicture();
        // All are alike once in 10^25 times.
        var sums = sums(20, "");
        assertTrue(sums.size() > 1, "the same picture at every visit");
        for (String sum : sums) box.run("md5sum /var/www/avatar/Renard-*.png | grep " + sum);
    }

    /** The different pictures that so many visits to a random one get. */
    private List<String> sums(int visits, String option) {
        String visit = "visit " + option + " " + SITE + "/picture/me | md5sum | cut -d ' ' -f 1";
        return box.run("for visit in $(seq " + visits + "); do " + visit + "; done | sort -u")
                .lines()
                .toList();
    }

    /** A redirect to a picture that is not there must not lead to another redirect, and so on. */
    @Test
    void withoutAnyPictureAnErrorEndsTheWay() throws Exception {
        box.run("cp -r /var/www/avatar /srv; rm /var/www/avatar/Renard-[1-9]*");
        for (String path : List.of("/Renard-1.png", "/picture/x")) {
            // nginx looks once a second whether the files that it keeps open are still there.
            box.awaitTrue("an error", () -> isGone(path));
            assertTrue(isGone(path, "--header", "If-Match: x"));
            assertTrue(isGone(path, "--head"));
        }
        ask(SITE + "/x").assertRedirect();
        box.run("systemctl stop avatar");
        forgetDraws(box);
        for (String path : List.of("/Renard-1.png", "/picture/x", "/x")) {
            for (String method : List.of("GET", "POST", "PUT", "FOX")) {
                assertTrue(isGone(path, "--request", method, "--header", "If-None-Match: *"), path + method);
            }
        }
        box.run("rmdir /var/www/avatar");
        assertTrue(isGone("/x"));
        box.run("mv /srv/avatar /var/www; systemctl start avatar; systemctl restart nginx");
        awaitTheJvm();
    }

    private boolean isGone(String path, String... options) {
        Answer answer =
                ask(Stream.concat(Stream.of(options), Stream.of(SITE + path)).toArray(String[]::new));
        return answer.status() == 410 && answer.headers().get("Cache-Control").equals(Answer.NOBODY_KEEPS_IT);
    }

    /** Whatever lies beside the pictures: the redirect for it, and never the file. */
    @Test
    void noOtherFileIsSent() {
        String files = "config.php .htaccess .git/config Renard-1.png.bak Renard-01.png Renard-1.jpg old/Renard-1.png"
                + " .well-known/other .well-known/acme-challenge/folder/x";
        box.run("cp -r /var/www/avatar /srv; cd /var/www/avatar" + "; for file in " + files
                + "; do mkdir -p $(dirname $file); echo x > $file; done");
        for (String file : files.replace("/x", "").split(" ")) {
            for (String site : SITES) ask(site + "/" + file).assertRedirect();
        }
        // A random picture may turn out to be none, and becomes a redirect.
        for (String sum : sums(60, "--location")) box.run("md5sum /srv/avatar/* | grep " + sum);
        box.run("cd /var/www; rm -r avatar; mv /srv/avatar .; systemctl restart nginx");
    }

    /** What certbot puts there, for the time that it is there. */
    @Test
    void theChallengeOfAnAuthorityIsAnsweredAndKeptByNobody() {
        box.run("cd /var/www/avatar; mkdir -p .well-known/acme-challenge"
                + "; echo secret > .well-known/acme-challenge/x_-1");
        for (String site : SITES) {
            Answer answer = ask(site + "/.well-known/acme-challenge/x_-1");
            assertEquals(200, answer.status(), answer::toString);
            assertEquals(Answer.NOBODY_KEEPS_IT, answer.headers().get("Cache-Control"), answer::toString);
            ask(site + "/.well-known/acme-challenge/other").assertRedirect();
        }
        box.run("rm -r /var/www/avatar/.well-known");
    }

    /** Names that pictures once had stay, and a random one comes from the folder of today's. */
    @Test
    void everyNameThatWasEverPublishedIsAPicture() throws Exception {
        box.run("""
                cd /root
                cp /etc/nginx/conf.d/avatar.conf .
                mkdir /var/www/avatar/foxes
                for number in 1 2 3; do cp Renard-$number.png /var/www/avatar/foxes/$number.png; done
                cp Renard-4.png /var/www/avatar/a.b-4.png
                export DOMAIN=avatar.spacefox.fr PORT=6666 URL='https://avatar.spacefox.fr/foxes/*.png'
                NAMES='Renard-*.png a.b-*.png foxes/*.png' sh deploy/render > /etc/nginx/conf.d/avatar.conf
                systemctl restart nginx""");
        for (String name : List.of("Renard-21.png", "a.b-4.png", "foxes/3.png"))
            ask(SITE + "/" + name).assertPicture(200, "public, max-age=31536000, immutable");
        ask(SITE + "/a-b-4.png").assertRedirect();
        // Not all three: once in four million times.
        assertEquals(3, sums(40, "").size());
        box.run("cp /root/avatar.conf /etc/nginx/conf.d; cd /var/www/avatar; rm -r foxes a.b-4.png"
                + "; systemctl restart nginx");
    }
}
