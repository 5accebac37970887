package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** What README and the guides tell the reader to type and to write. */
final class Documents {

    private Documents() {}

    /** The commands under a heading: its blocks, as root types them at home. */
    static String commands(String heading) throws IOException {
        return "cd /root\n" + String.join("", blocks(heading));
    }

    static List<String> blocks(String heading) throws IOException {
        List<String> blocks = Pattern.compile("(?ms)^```sh\n(.*?)^```")
                .matcher(section(heading))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertFalse(blocks.isEmpty(), "no block under " + heading);
        return blocks;
    }

    static String section(String heading) throws IOException {
        var section = Pattern.compile("(?ms)^#+ " + Pattern.quote(heading) + "\n(.*?)(?=^##+ |\\z)")
                .matcher(Files.readString(Path.of("README.md"))
                        + Files.readString(Path.of("deploy/README.md"))
                        + Files.readString(Path.of("deploy/operations.md")));
        assertTrue(section.find(), "no heading " + heading);
        return section.group(1);
    }
}
