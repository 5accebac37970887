package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Tools;
import java.awt.image.BufferedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

/** A forum's page in a real browser: what a visitor sees is compared with the pictures, pixel by pixel. */
class BrowserIT {

    private static final int COUNT = 21;
    /** The page's pictures in reading order: the first and the last have the same address, the others one each. */
    private static final int AVATARS = 7;

    @Test
    void everyAvatarOfAPageIsAFoxAndEveryPathItsOwn() throws Exception {
        Tools.need("chromium");
        try (var box = Box.installed()) {
            var foxes = new ArrayList<BufferedImage>();
            for (int number = 1; number <= COUNT; number++) {
                foxes.add(ImageIO.read(box.path("/var/www/avatar/Renard-" + number + ".png").toFile()));
            }
            var profile = new HashSet<Integer>();
            // Two visits show the same fox once in 21 times: ten visits, once in 800 thousand million times.
            for (int visit = 0; visit < 10 && (visit < 3 || profile.size() < 2); visit++) {
                List<Integer> seen = visit(box, foxes);
                System.out.println("a visitor sees foxes " + seen);
                assertEquals(AVATARS, seen.size(), "pictures on the page");
                assertEquals(seen.get(0), seen.get(AVATARS - 1), "one address on one page");
                assertTrue(new HashSet<>(seen).size() > 1, "different paths show the same fox");
                profile.add(seen.get(0));
            }
            assertTrue(profile.size() > 1, "the same fox for every visit");
        }
    }

    /** Opens the page in a browser of its own; the numbers of the foxes on it. */
    private static List<Integer> visit(Box box, List<BufferedImage> foxes) throws Exception {
        Path home = Files.createTempDirectory("avatar-browser");
        Path shot = Path.of("target/profile.png").toAbsolutePath();
        Files.deleteIfExists(shot);
        try {
            var result =
                    Command.finish(box.start(false, "chromium", "--headless", "--no-sandbox", "--disable-gpu",
                    "--disable-quic", "--no-first-run",
                    "--disable-background-networking", "--disable-component-update", "--disable-sync",
                            "--disable-dev-shm-usage",
                    "--user-data-dir=" + home, "--host-resolver-rules=MAP avatar.spacefox.fr 127.0.0.1:443",
                            "--ignore-certificate-errors",
                    "--hide-scrollbars", "--force-color-profile=srgb", "--force-device-scale-factor=1",
                            "--window-size=920,566",
                    "--screenshot=" + shot, Path.of("src/test/resources/profile.html").toUri().toString()));
            assertTrue(Files.exists(shot), result.output());
            return foxesOn(ImageIO.read(shot.toFile()), foxes);
        } finally {
            try (var files = Files.walk(home)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(file);
            }
        }
    }

    private static List<Integer> foxesOn(BufferedImage page, List<BufferedImage> foxes) {
        var found = new ArrayList<Integer>();
        for (int y = 0; y + 128 <= page.getHeight(); y++) {
            for (int x = 0; x + 128 <= page.getWidth(); x++) {
                for (int number = 1; number <= foxes.size(); number++) {
                    if (same(page, x, y, foxes.get(number - 1))) found.add(number);
                }
            }
        }
        return found;
    }

    /** Whether the picture is at this place of the page, but for the browser's rounding of colours. */
    private static boolean same(BufferedImage page, int left, int top, BufferedImage fox) {
        for (int y = 0; y < fox.getHeight(); y++) {
            for (int x = 0; x < fox.getWidth(); x++) {
                int one = page.getRGB(left + x, top + y);
                int two = fox.getRGB(x, y);
                for (int shift = 0; shift < 24; shift += 8) {
                    if (Math.abs((one >> shift & 255) - (two >> shift & 255)) > 1) return false;
                }
            }
        }
        return true;
    }
}
