package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Await;
import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.TreeMap;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a forum's page a real browser shows foxes, each pixel by pixel, and others at the next visit. */
class BrowserIT {

    /** Two visits show the same fox once in four times at most: ten visits, hardly ever. */
    private static final int VISITS = 10;

    private static final int SIZE = 80; // of the sample pictures, in pixels

    /**
     * Opens a page without a window. The numbers of the foxes on it, in reading order: the first and the last have the
     * same address, the others one each.
     */
    private static List<Integer> see(List<String> network, Path profile, String url, int count, Path folder)
            throws IOException {
        Path shot = profile.resolve("shot.png");
        var command = new ArrayList<>(network);
        command.addAll(Chromium.command(
                profile,
                "--ignore-certificate-errors",
                "--hide-scrollbars",
                "--force-device-scale-factor=1",
                "--host-resolver-rules=MAP cats.example.org 127.0.0.1:443",
                "--window-size=500,700",
                "--screenshot=" + shot,
                url));
        Command.run(command.toArray(String[]::new)).ok();
        List<Integer> seen = foxesOn(ImageIO.read(shot.toFile()), folder);
        assertEquals(count, seen.size(), "pictures on the page: " + seen);
        return seen;
    }

    private static List<Integer> foxesOn(BufferedImage page, Path folder) throws IOException {
        var found = new TreeMap<Integer, Integer>(); // by their places
        for (int number = 1; Files.exists(folder.resolve("Renard-" + number + ".png")); number++) {
            BufferedImage fox =
                    ImageIO.read(folder.resolve("Renard-" + number + ".png").toFile());
            for (int y = 0; y + SIZE <= page.getHeight(); y++) {
                for (int x = 0; x + SIZE <= page.getWidth(); x++) {
                    if (page.getRGB(x, y) == fox.getRGB(0, 0) && Arrays.equals(pixels(page, x, y), pixels(fox, 0, 0)))
                        found.put(y * page.getWidth() + x, number);
                }
            }
        }
        return List.copyOf(found.values());
    }

    private static int[] pixels(BufferedImage image, int x, int y) {
        return image.getRGB(x, y, SIZE, SIZE, null, 0, SIZE);
    }

    /**
     * None of twenty is missing, more than nginx answers at once on a connection; also where the page takes from others
     * only what they offer to all, or asks for it with crossorigin.
     */
    @Test
    @Needs({BOX, CHROMIUM})
    void everyAvatarOfAPageIsAFoxAndEveryPathItsOwn(@TempDir Path profiles) throws Exception {
        try (var box = Box.withCats(Debian.OLDER)) {
            box.run("""
                    cd /srv
                    echo '<style>body { margin: 0 } img { float: left }</style>' > page.html
                    for name in me $(seq 18) me; do
                        echo "<img src=https://cats.example.org/$name.png>"
                    done >> page.html
                    sed 's/<img /&crossorigin /' page.html > crossorigin.html
                    cat > /etc/nginx/conf.d/pages.conf <<'END'
                    server {
                        listen 127.0.0.1:8000;
                        root /srv;
                        location = /isolated.html {
                            alias /srv/page.html;
                            add_header Cross-Origin-Embedder-Policy require-corp;
                        }
                    }
                    END
                    systemctl reload nginx""");
            // Until they end, the former worker processes of nginx close connections.
            box.awaitTrue("new workers", () -> !box.succeeds("pgrep -f '[w]orker process is shutting down'"));
            Path set = box.path(box.run("echo /var/lib/avatar/site/pictures/*"));
            var network = List.of("nsenter", "--net", "--target", "" + box.leader());
            var profile = new HashSet<Integer>();
            for (int visit = 0; visit < VISITS && (visit < 3 || profile.size() < 2); visit++) {
                Path browser = Files.createTempDirectory(profiles, "browser");
                String page = List.of("page", "crossorigin", "isolated").get(visit % 3);
                List<Integer> seen = see(network, browser, "http://127.0.0.1:8000/" + page + ".html", 20, set);
                assertEquals(seen.get(0), seen.get(19), "one address on one page");
                assertTrue(new HashSet<>(seen).size() > 1, "different paths show the same fox");
                profile.add(seen.get(0));
            }
            assertTrue(profile.size() > 1, "the same fox for every visit");
        }
    }

    /** README's lines work on this machine, by the Java that runs the tests, in a browser that is used again. */
    @Test
    @Needs({CHROMIUM, PYTHON})
    void theQuickStartShowsFoxesAndOthersAfterAReload(@TempDir Path browser) throws Exception {
        String path = "PATH=" + System.getProperty("java.home") + "/bin:$PATH\n";
        String heading = "Try it without the Internet";
        String commands = Command.run("sh", "src/test/resources/guide.sh", heading, "", "README.md")
                .ok();
        List<Integer> ports = List.of(8000, 8080); // of the pictures and of the avatars
        for (int port : ports) {
            String taken = "another program has port " + port;
            assertThrows(ConnectException.class, () -> new Socket("127.0.0.1", port).close(), taken);
        }
        Process lines = new ProcessBuilder("sh", "-ec", path + commands)
                .redirectErrorStream(true)
                .redirectOutput(new File("target/quick-start.log"))
                .start();
        try {
            for (int port : ports) {
                String what = "port " + port + ", see target/quick-start.log";
                Await.until(what, () -> {
                    new Socket("127.0.0.1", port).close();
                    return lines.isAlive();
                });
            }
            var profile = new HashSet<Integer>();
            for (int visit = 0; visit < VISITS && profile.size() < 2; visit++) {
                profile.add(see(List.of(), browser, "http://localhost:8000/", 5, Path.of("target/foxes"))
                        .get(0));
            }
            assertTrue(profile.size() > 1, "the same fox for every visit");
        } finally {
            lines.descendants().forEach(ProcessHandle::destroyForcibly);
            lines.destroyForcibly().onExit().join();
        }
    }
}
