package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The user's way in deploy/README.md from top to bottom, and the links of all pages. */
class DocumentsIT {

    @ParameterizedTest
    @FieldSource("fr.spacefox.avatar.site.Debian#ALL")
    @Needs(BOX)
    void theGuideWorks(Debian debian) throws Exception {
        try (var box = new Box(debian.files())) {
            Box.drawFoxes(13, box.path("/root/cats"));
            box.run("cd /root/cats; mogrify -format jpg *.png; rm *.png; mv Renard-13.jpg ../cat13.jpg");
            assertPictures(12, box.run(Documents.commands("Install")));
            box.run(Documents.commands("Many visitors at once"));
            assertPictures(13, box.run(Documents.commands("Add a picture")));
            assertPictures(13, box.run(Documents.commands("Update")));
            box.run(Documents.commands("Is it still right?"));

            // Visitors do not notice that the JVM is dead, but the line for cron does.
            String monitor = box.run("sed -n 's/^7 8 [*] [*] [*] root //p' /etc/cron.d/avatar") + " --insecure";
            assertEquals(new Command(0, ""), box.attempt(monitor));
            box.run("visit --output /dev/null 'https://avatar.example.org/[1-1000]'; systemctl stop avatar");
            String answer = box.run("visit --head https://avatar.example.org/x");
            assertTrue(answer.startsWith("HTTP/1.1 302 "), answer);
            Command alarm = box.attempt(monitor);
            assertTrue(alarm.output().startsWith("the Java program does not answer on port 6666"), alarm::output);
            assertEquals(1, alarm.status());

            // Number 5 is taken back, and stays away until its line goes; the last ones are hidden until another one
            // comes.
            box.run(Documents.commands("Take a picture back"));
            String command = "visit --output /dev/null --write-out '%{redirect_url}' ";
            assertEquals("", box.run(command + "https://avatar.example.org/Renard-5.jpg"));
            box.run("sed -i s/^COUNT=.*/COUNT=3/ /etc/default/avatar; sed -i /Renard-5.jpg/d /etc/avatar/taken");
            assertPictures(14, box.install("avatar.example.org cats"));
            assertEquals(new Command(0, ""), box.attempt(monitor));
            assertPictures(12, box.run(Documents.commands("Other pictures, or another size")));

            String left = box.run("cd /root; deploy/remove");
            assertTrue(left.contains("rm -r /etc/cron.d/avatar\n") && left.contains("worker_connections"), left);
            assertEquals("", box.run("ls /etc/nginx/conf.d /etc/systemd/system | grep avatar || true"));
        }
    }

    private static void assertPictures(int count, String said) {
        assertTrue(
                said.endsWith(count + " pictures. The address for a profile: https://avatar.example.org/me.jpg"), said);
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
