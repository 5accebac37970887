package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static fr.spacefox.avatar.support.Needs.Tool.CHROMIUM;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Needs;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A forum's page in a real browser. */
@Needs({BOX, CHROMIUM})
class BrowserIT {

    /** The page's pictures in reading order: the first and the last have the same address, the others one each. */
    static final int AVATARS = 5;

    @Test
    void everyAvatarOfAPageIsAFoxAndEveryPathItsOwn() throws Exception {
        try (var box = Box.installed()) {
            var profile = new HashSet<Integer>();
            // Two visits show the same fox once in 21 times: ten visits, once in 800 thousand million times.
            for (int visit = 0; visit < 10 && (visit < 3 || profile.size() < 2); visit++) {
                try (var browser = new Browser(command -> box.start(false, command))) {
                    List<Integer> seen = browser.see(
                            Path.of("samples/profile.html").toUri().toString(),
                            box.path("/var/www/avatar"),
                            Path.of("target/profile.png"));
                    System.out.println("a visitor sees foxes " + seen);
                    assertEquals(AVATARS, seen.size(), "pictures on the page");
                    assertEquals(seen.get(0), seen.get(AVATARS - 1), "one address on one page");
                    assertTrue(new HashSet<>(seen).size() > 1, "different paths show the same fox");
                    profile.add(seen.get(0));
                }
            }
            assertTrue(profile.size() > 1, "the same fox for every visit");
        }
    }
}
