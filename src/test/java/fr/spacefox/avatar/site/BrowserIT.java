package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Await;
import fr.spacefox.avatar.support.Needs;
import java.io.File;
import java.net.Socket;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A forum's page in a real browser. */
class BrowserIT {

    /** Two visits show the same fox once in 21 times: ten visits, once in 800 thousand million times. */
    private static final int VISITS = 10;

    /** The page's pictures in reading order: the first and the last have the same address, the others one each. */
    private static List<Integer> see(Browser browser, String page, Path foxes, String shot) throws Exception {
        List<Integer> seen = browser.see(page, foxes, Path.of("target", shot));
        System.out.println("a visitor sees foxes " + seen);
        assertEquals(5, seen.size(), "pictures on the page");
        return seen;
    }

    @Test
    @Needs({BOX, CHROMIUM})
    void everyAvatarOfAPageIsAFoxAndEveryPathItsOwn() throws Exception {
        try (var box = Box.installed()) {
            String page = Path.of("samples/profile.html").toUri().toString();
            var profile = new HashSet<Integer>();
            for (int visit = 0; visit < VISITS && (visit < 3 || profile.size() < 2); visit++) {
                try (var browser = new Browser(command -> box.start(false, command))) {
                    List<Integer> seen = see(browser, page, box.path("/var/www/avatar"), "profile.png");
                    assertEquals(seen.get(0), seen.get(4), "one address on one page");
                    assertTrue(new HashSet<>(seen).size() > 1, "different paths show the same fox");
                    profile.add(seen.get(0));
                }
            }
            assertTrue(profile.size() > 1, "the same fox for every visit");
        }
    }

    /** README's lines on this machine, by the Java that runs the tests, and a browser that is used again. */
    @Test
    @Needs({CHROMIUM, PYTHON})
    void theQuickStartShowsFoxesAndOthersAfterAReload() throws Exception {
        String path = "PATH=" + System.getProperty("java.home") + "/bin:$PATH\n";
        Process lines = new ProcessBuilder(
                        "sh", "-ec", path + String.join("", Documents.blocks("Try it without the Internet")))
                .redirectErrorStream(true)
                .redirectOutput(new File("target/quick-start.log"))
                .start();
        try (var browser = new Browser(
                command -> new ProcessBuilder(command).redirectErrorStream(true).start())) {
            for (int port : List.of(8000, 8080)) { // of the pictures and of the avatars
                String what = "port " + port + ", see target/quick-start.log";
                Await.until(what, () -> {
                    new Socket("127.0.0.1", port).close();
                    return lines.isAlive();
                });
            }
            var profile = new HashSet<Integer>();
            for (int visit = 0; visit < VISITS && profile.size() < 2; visit++) {
                profile.add(see(browser, "http://localhost:8000/", Path.of("target/foxes"), "quick-start.png")
                        .get(0));
            }
            assertTrue(profile.size() > 1, "the same fox for every visit");
        } finally {
            lines.descendants().forEach(ProcessHandle::destroyForcibly);
            lines.destroyForcibly().onExit().join();
        }
    }
}
