package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static fr.spacefox.avatar.support.Needs.Tool.IMAGEMAGICK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The user's way in deploy/README.md from top to bottom, and the links of all pages. */
class DocumentsIT {

    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    @Needs({BOX, IMAGEMAGICK})
    void theGuideWorks(Debian debian) throws Exception {
        try (var box = new Box(debian.files())) {
            Box.drawFoxes(13, box.path("/root/cats"));
            box.run("cd /root/cats; mogrify -format jpg *.png; rm *.png; mv Renard-13.jpg ../cat13.jpg")
                    .ok();
            for (String heading : new String[] {"Install", "Add a picture", "Update"}) {
                String said = box.run(Documents.commands(heading)).ok();
                String pictures = heading.equals("Install") ? "12" : "13";
                assertTrue(
                        said.contains(
                                pictures + " pictures. The address for a profile: https://avatar.example.org/me.jpg"),
                        said);
            }
            // Where the guide says that nginx's messages are: the stand-in's reason is one.
            box.run("systemctl stop avatar; visit --output /dev/null"
                            + " https://avatar.example.org/x; sleep 1; journalctl -t nginx | grep 'Connection refused'")
                    .ok();
            box.run(Documents.commands("Remove")).ok();
            assertEquals(
                    "",
                    box.run("ls /etc/nginx/conf.d /etc/systemd/system | grep avatar || true")
                            .ok());
        }
    }

    /** Every link leads to a file, and to a heading of it. */
    @ParameterizedTest
    @ValueSource(strings = {"README.md", "deploy/README.md", "deploy/operations.md", "bench/README.md"})
    void linksLeadSomewhere(String page) throws IOException {
        Path file = Path.of(page);
        var links = Pattern.compile("\\]\\((?!https?:)([^)#\\s]*)(?:#([^)\\s]*))?\\)")
                .matcher(Files.readString(file));
        while (links.find()) {
            Path target = links.group(1).isEmpty()
                    ? file
                    : file.resolveSibling(links.group(1)).normalize();
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
