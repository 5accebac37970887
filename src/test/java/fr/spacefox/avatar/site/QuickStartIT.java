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

    private static final List<Integer> PORTS = List.of(8000, 8080); // of the pictures and of the avatars

    @Test
    void aBrowserShowsFoxesAndOthersAfterAReload() throws Exception {
        for (int port : PORTS) assertFalse(isOpen(port), "another program listens on port " + port);
        // The lines run in the project's folder, by the Java that runs the tests.
        String path = "PATH=" + System.getProperty("java.home") + "/bin:$PATH\n";
        Process lines = new ProcessBuilder("sh", "-ec", path + String.join("", Documents.blocks("Try it here")))
                .redirectErrorStream(true)
                .redirectOutput(new File("target/quick-start.log"))
                .start();
        try (var browser = new Browser(
                command -> new ProcessBuilder(command).redirectErrorStream(true).start())) {
            for (int port : PORTS) Await.until("port " + port + ", see target/quick-start.log", () -> isOpen(port));
            var profile = new HashSet<Integer>();
            for (int visit = 0; visit < 10 && profile.size() < 2; visit++) { // as in BrowserIT
                List<Integer> seen = browser.see(
                        "http://localhost:8000/", Path.of("target/foxes"), Path.of("target/quick-start.png"));
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

    private static boolean isOpen(int port) {
        try (var socket = new Socket("127.0.0.1", port)) {
            return true;
        } catch (IOException refused) {
            return false;
        }
    }
}
