package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Needs;
import java.util.List;
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
            for (String name : List.of("Renard-22.png", "Renard-0.png", "Renard-99999999999999999999.png?x")) {
                askForFile("Renard-1.png", site + "/" + name).assertStandIn();
            }
        }
    }

    /** A browser that wants a certain version of a picture, or a part of it, gets a fox and no error. */
    @Test
    void conditionsAndRangesEndInAPicture() {
        for (String site : SITES) {
            for (String path : List.of("/Renard-2.png", "/picture/x")) {
                for (String header : List.of("If-Match: x", "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT")) {
                    ask("--header", header, site + path).assertStandIn();
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
                for (String method : List.of("GET", "POST", "PUT", "FOX")) {
                    ask("--request", method, site + path).assertPicture(200, Answer.NOBODY_KEEPS_IT);
                }
            }
        }
        ask("--head", SITE + "/picture/me").assertPicture(200, Answer.NOBODY_KEEPS_IT);
        // All are alike once in 10^25 times.
        String ask = "for visit in $(seq 20); do visit " + SITE + "/picture/me | md5sum; done | sort -u";
        var sums = box.run(ask).lines().map(line -> line.substring(0, 32)).toList();
        assertTrue(sums.size() > 1, "the same picture at every visit");
        for (String sum : sums) box.run("md5sum /var/www/avatar/Renard-*.png | grep " + sum);
    }

    /** A redirect to a picture that is not there must not lead to another redirect, and so on. */
    @Test
    void withoutNumber1AnErrorEndsTheWay() throws Exception {
        try (var own = Box.installed()) {
            own.run("rm /var/www/avatar/Renard-1.png /var/www/avatar/Renard-2.png");
            for (String name : List.of("Renard-1.png", "Renard-2.png")) {
                // nginx looks once a second whether the files that it keeps open are still there.
                var ask = Request.curl(SITE + "/" + name);
                own.awaitTrue("an error", () -> ask.send(own).status() == 410);
            }
            var ask = Request.curl(SITE + "/x");
            ask.send(own).assertRedirect();
            own.run("systemctl stop avatar");
            forgetDraws(own);
            assertEquals(410, ask.send(own).status());
        }
    }
}
