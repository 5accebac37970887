package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static fr.spacefox.avatar.support.Needs.Tool.IMAGEMAGICK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The user's way in deploy/README.md from top to bottom, and the links of all pages. */
class DocumentsIT {

    @Boxes.OnBothDebians
    @Needs({BOX, IMAGEMAGICK})
    void theGuideWorks(Debian debian) throws Exception {
        try (var box = new Box(debian.files())) {
            Box.drawFoxes(13, box.path("/root/cats"));
            box.run("cd /root/cats; mogrify -format jpg *.png; rm *.png; mv Renard-13.jpg ../cat13.jpg");
            for (String heading : List.of("Install", "Add a picture", "Update")) {
                String said = box.run(Documents.commands(heading));
                String pictures = heading.equals("Install") ? "12" : "13";
                String report = " pictures. The address for a profile: https://avatar.example.org/me.jpg";
                assertTrue(said.endsWith(pictures + report), said);
            }

            // Visitors do not notice that the JVM is dead, but the line for cron does.
            String monitor = box.run("sed -n 's/^    7 8 [*] [*] [*] //p' /root/deploy/README.md") + " --insecure";
            assertEquals(new Command(0, ""), box.attempt(monitor));
            box.run("visit --output /dev/null 'https://avatar.example.org/[1-1000]'; systemctl stop avatar");
            String answer = box.run("visit --head https://avatar.example.org/x");
            assertTrue(answer.startsWith("HTTP/1.1 302 "), answer);
            Command alarm = box.attempt(monitor);
            assertTrue(alarm.output().startsWith("the Java program does not answer on port 6666"), alarm::output);
            assertEquals(1, alarm.status());

            box.run("cd /root; deploy/remove");
            assertEquals("", box.run("ls /etc/nginx/conf.d /etc/systemd/system | grep avatar || true"));
        }
    }

    /** Every link leads to a file, and to a heading of it. */
    @ParameterizedTest
    @ValueSource(strings = {"README.md", "CHANGES.md", "deploy/README.md", "deploy/operations.md", "bench/README.md"})
    void linksLeadSomewhere(String page) throws IOException {
        Path file = Path.of(page);
        var links = Pattern.compile("\\]\\((?!https?:)([^)#\\s]*)(?:#([^)\\s]*))?\\)")
                .matcher(Files.readString(file));
        while (links.find()) {
            Path target = links.group(1).isEmpty() ? file : file.resolveSibling(links.group(1));
            assertTrue(Files.exists(target), page + ": " + links.group());
            if (links.group(2) != null) {
                boolean found = Files.readAllLines(target).stream()
                        .filter(line -> line.startsWith("#"))
                        .map(line -> line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT))
                        .map(line -> line.replaceAll("[^\\w -]", "").replace(' ', '-'))
                        .anyMatch(links.group(2)::equals);
                assertTrue(found, page + ": " + links.group());
            }
        }
    }
}
