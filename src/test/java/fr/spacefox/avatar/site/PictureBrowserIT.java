package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Chromium shows published pictures as it shows the originals. target/pictures-*.html has both side by side, for any
 * browser. -Dpictures=PNG takes only those of browser.txt that have this word.
 */
@Needs({BOX, CHROMIUM})
class PictureBrowserIT {

    private static final Path TESTS = Path.of("src/test/resources/pictures");

    private static final String SCRIPT = """
            # %s
            . /srv/test/pictures/functions.sh
            %s
            mkdir in
            mv x.* in
            $pictures in $out > y.type
            for file in in/* $out/*; do
                echo "<img src='data:image/${file##*.};base64,$(base64 -w 0 $file)'>"
            done""";

    @ParameterizedTest
    @FieldSource("fr.spacefox.avatar.site.Debian#ALL")
    void looksTheSame(Debian debian, @TempDir Path profile) throws Exception {
        var page = new StringBuilder(Files.readString(TESTS.resolve("compare.html")));
        int count = 0;
        try (var box = new Box(debian.files())) {
            for (String row : Files.readString(TESTS.resolve("browser.txt")).split("\n(?! )")) {
                if (row.startsWith("#") || !row.contains(System.getProperty("pictures", ""))) continue;
                String[] parts = row.split(": ", 2);
                String images = box.run(SCRIPT.formatted(parts[0], parts[1]));
                page.append("<p>%s %s</p>\n".formatted(parts[0], images));
                count++;
            }
        }
        assertNotEquals(0, count, "pictures with this word");
        Path file = Files.writeString(Path.of("target/pictures-" + debian + ".html"), page);
        var chromium = Chromium.command(profile, "--dump-dom", file.toUri().toString());
        String shown = Command.run(chromium.toArray(String[]::new)).ok();
        assertEquals(count + " look the same", shown.replaceAll("(?s).*<output>|</output>.*", ""));
    }
}
