package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Command;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import javax.imageio.ImageIO;

/** Chromium with one profile. What a visitor sees on a page is compared with the pictures, pixel by pixel. */
final class Browser implements AutoCloseable {

    /** Starts Chromium where it is wanted. */
    interface Starter {
        Process start(String... command) throws IOException;
    }

    private static final String CHROMIUM = """
            chromium --headless --no-sandbox --disable-gpu --disable-quic --disable-sync --disable-dev-shm-usage
            --no-first-run --disable-background-networking --disable-component-update
            --ignore-certificate-errors --hide-scrollbars --force-color-profile=srgb --force-device-scale-factor=1
            --window-size=500,700""";

    private static final int SIZE = 80; // of the sample pictures, in pixels

    private final Path profile = Files.createTempDirectory("avatar-browser");
    private final Starter starter;

    Browser(Starter starter) throws IOException {
        this.starter = starter;
    }

    /** Opens a page without a window and takes its picture; the numbers of the foxes on it, in reading order. */
    List<Integer> see(String url, Path foxes, Path shot) throws IOException {
        Files.deleteIfExists(shot);
        var command = new ArrayList<>(List.of(CHROMIUM.split("\\s+")));
        command.add("--host-resolver-rules=MAP avatar.spacefox.fr 127.0.0.1:443");
        command.addAll(List.of("--user-data-dir=" + profile, "--screenshot=" + shot.toAbsolutePath(), url));
        Command chromium = Command.finish(starter.start(command.toArray(String[]::new)));
        assertTrue(Files.exists(shot), chromium::toString);
        return foxesOn(ImageIO.read(shot.toFile()), foxes);
    }

    private static List<Integer> foxesOn(BufferedImage page, Path folder) throws IOException {
        var foxes = new ArrayList<BufferedImage>();
        for (Path file; Files.exists(file = folder.resolve("Renard-" + (foxes.size() + 1) + ".png")); ) {
            foxes.add(ImageIO.read(file.toFile()));
        }
        var found = new ArrayList<Integer>();
        for (int y = 0; y + SIZE <= page.getHeight(); y++) {
            for (int x = 0; x + SIZE <= page.getWidth(); x++) {
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

    @Override
    public void close() throws IOException {
        try (var files = Files.walk(profile)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(file);
        }
    }
}
