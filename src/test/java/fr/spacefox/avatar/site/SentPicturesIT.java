package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Needs;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** nginx sends the pictures of the set and no other file: by their names, in place of a missing one, and at random. */
@Needs(BOX)
class SentPicturesIT extends InstalledSite {

    private static final String FOR_A_YEAR = "public, max-age=31536000, immutable";

    @Test
    void picturesAreServedForAYear() throws Exception {
        for (String site : SITES) {
            for (int number = 1; number <= 21; number++) {
                String name = "Renard-" + number + ".png";
                Answer answer = ask("--output", "/picture", address(site, name));
                answer.assertPicture(200, FOR_A_YEAR);
                box.run("cmp /picture " + pictures + "/" + name);
            }
        }
    }

    /** A redirect could lead there for ever: a number that the set does not have, and any other set. */
    @Test
    void missingPicturesAreAFoxThatNobodyKeeps() {
        String other = pictures.replaceFirst("[^/]*$", "01234567");
        box.run("mkdir " + other + "; echo x > " + other + "/Renard-1.png");
        for (String site : SITES) {
            for (String name : List.of("Renard-22.png", "Renard-99999999999999999999.png?x", "Renard-1.jpg"))
                ask(address(site, name)).assertRandomPicture();
            for (String name : List.of("00000000/Renard-1.png", "fedcba98/Renard-30.gif?x", "01234567/Renard-1.png"))
                ask(site + "/" + name).assertRandomPicture();
        }
        box.run("rm -r " + other);
    }

    /** A browser that wants a certain version of a picture, or a part of it, gets a fox and no error. */
    @Test
    void conditionsAndRangesEndInAPicture() {
        for (String site : SITES) {
            for (String address : List.of(address(site, "Renard-2.png"), site + "/picture/x")) {
                for (String header : List.of("If-Match: x", "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT")) {
                    ask("--header", header, address).assertRandomPicture();
                }
                for (String range : List.of("0-3", "9999999-")) {
                    Answer answer = ask("--header", "Range: bytes=" + range, address);
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
        for (String sum : sums) box.run("md5sum " + pictures + "/* | grep " + sum);
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
        List<String> all = List.of(address("", "Renard-1.png"), "/01234567/Renard-1.png", "/picture/x");
        box.run("cp -a /var/lib/avatar /srv; rm " + pictures + "/*");
        for (String path : all) {
            // nginx looks once a second whether the files that it keeps open are still there.
            box.awaitTrue("an error", () -> isGone(path));
            assertTrue(isGone(path, "--header", "If-Match: x"));
            assertTrue(isGone(path, "--head"));
        }
        ask(SITE + "/x").assertRedirect();
        box.run("systemctl stop avatar");
        forgetDraws(box);
        for (String path : Stream.concat(all.stream(), Stream.of("/x")).toList())
            assertTrue(isGone(path, "--request", "POST", "--header", "If-None-Match: *"), path);
        box.run("rm -r /var/lib/avatar");
        assertTrue(isGone("/x"));
        box.run("mv /srv/avatar /var/lib; systemctl start avatar; systemctl restart nginx");
        awaitTheJvm();
    }

    private boolean isGone(String path, String... options) {
        Answer answer =
                ask(Stream.concat(Stream.of(options), Stream.of(SITE + path)).toArray(String[]::new));
        return answer.status() == 410 && answer.headers().get("Cache-Control").equals(Answer.NOBODY_KEEPS_IT);
    }

    /** Whatever lies beside the pictures, and what else belongs to the site, is redirected, and never sent. */
    @Test
    void noOtherFileIsSent() throws Exception {
        box.run("cp -a /var/lib/avatar /srv");
        String files = "config.php .htaccess .git/config Renard-1.png 0123456/Renard-1.png"
                + " ABCDEF01/Renard-1.png old/01234567/Renard-1.png .well-known/other .well-known/acme-challenge/y/x"
                + " SET/notes.txt SET/Renard-1.png.bak SET/Renard-01.png SET/xRenard-1.png SET/old/Renard-1.png";
        for (String file : files.replace("SET", pictures.replaceAll(".*/", "")).split(" ")) {
            for (String root : List.of("/var/lib/avatar", "/var/lib/avatar/site/pictures"))
                box.run("cd " + root + "; mkdir -p $(dirname " + file + "); echo x > " + file);
            for (String site : SITES)
                ask(site + "/" + file.replaceFirst("/x$", "")).assertRedirect(); // a folder, too
        }
        for (String path :
                ("/environment /site/environment /../environment /%2e%2e/environment /self-signed/privkey.pem"
                                + " /pictures" + address("", "Renard-1.png")
                                + " /.well-known/acme-challenge/../../site/environment "
                                + address("", ""))
                        .split(" ")) ask(SITE + path).assertRedirect();
        // A random picture may turn out to be none, and becomes a redirect.
        for (String sum : sums(60, "--location")) box.run("cd /srv/avatar/site/pictures/*/; md5sum * | grep " + sum);
        box.run("rm -r /var/lib/avatar; mv /srv/avatar /var/lib; systemctl restart nginx");
    }
}
