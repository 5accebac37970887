package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.CHROMIUM;
import static fr.spacefox.avatar.support.Needs.Tool.PYTHON;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Await;
import fr.spacefox.avatar.support.Needs;
import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** README's "Try it here" on this machine, with a browser that is used more than once. */
@Needs({CHROMIUM, PYTHON})
class QuickStartIT {

    private static final int PICTURES = 8000;
    private static final int AVATARS = 8080;

    @Test
    void aBrowserShowsFoxesAndOthersAfterAReload() throws Exception {
        for (int port : List.of(PICTURES, AVATARS)) {
            assertFalse(isOpen(port), "another program listens on port " + port);
        }
        Process lines = run(Documents.block("Try it here", "sh"));
        try (var browser = new Browser(
                command -> new ProcessBuilder(command).redirectErrorStream(true).start())) {
            awaitOpen(PICTURES, lines);
            awaitOpen(AVATARS, lines);
            var profile = new HashSet<Integer>();
            for (int visit = 0; visit < 10 && profile.size() < 2; visit++) { // as in BrowserIT
                List<Integer> seen = browser.see(
                        "http://localhost:" + PICTURES + "/",
                        Path.of("target/foxes"),
                        Path.of("target/quick-start.png"));
                System.out.println("the quick start's reader sees foxes " + seen);
                assertEquals(BrowserIT.AVATARS, seen.size(), "pictures on the page");
                profile.add(seen.get(0));
            }
            assertTrue(profile.size() > 1, "the same fox for every visit");
        } finally {
            lines.descendants().forEach(ProcessHandle::destroyForcibly);
            lines.destroyForcibly().onExit().join();
        }
    }

    /** Runs the lines in the project's folder, by the Java that runs the tests. */
    private static Process run(String lines) throws IOException {
        String java = System.getProperty("java.home") + "/bin";
        return new ProcessBuilder("sh", "-ec", "PATH=" + java + ":$PATH\n" + lines)
                .redirectErrorStream(true)
                .redirectOutput(new File("target/quick-start.log"))
                .start();
    }

    private static void awaitOpen(int port, Process lines) throws InterruptedException {
        Await.until("port " + port + ", see target/quick-start.log", () -> {
            assertTrue(lines.isAlive(), "ended, see target/quick-start.log");
            return isOpen(port);
        });
    }

    private static boolean isOpen(int port) {
        try (var socket = new Socket("127.0.0.1", port)) {
            return true;
        } catch (IOException refused) {
            return false;
        }
    }
}
