package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What README and the guides tell the reader to type and to write. */
final class Documents {

    private Documents() {}

    /** The commands under a heading: its blocks of shell, as root types them at home. */
    static String commands(String heading) throws IOException {
        return "cd /root\n" + block(heading, "sh");
    }

    /** The blocks of one language under a heading. */
    static String block(String heading, String language) throws IOException {
        var section = Pattern.compile("(?ms)^#+ " + Pattern.quote(heading) + "\n(.*?)(?=^##+ |\\z)")
                .matcher(Files.readString(Path.of("README.md"))
                        + Files.readString(Path.of("deploy/README.md"))
                        + Files.readString(Path.of("deploy/operations.md")));
        assertTrue(section.find(), "no heading " + heading);
        String blocks = Pattern.compile("(?ms)^```" + language + "\n(.*?)^```")
                .matcher(section.group(1))
                .results()
                .map(block -> block.group(1))
                .collect(Collectors.joining());
        assertFalse(blocks.isEmpty(), "no " + language + " under " + heading);
        return blocks;
    }
}
