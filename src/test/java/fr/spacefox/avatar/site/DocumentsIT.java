package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The links of all pages lead somewhere; rows have the commands of the guides. */
class DocumentsIT {

    /** Every link leads to a file, and to a heading of it. */
    @ParameterizedTest
    @ValueSource(
            strings = {"README.md", "deploy/README.md", "deploy/operations.md", "deploy/apache.md", "bench/README.md"})
    void linksLeadSomewhere(String page) throws IOException {
        Path file = Path.of(page);
        var links = Pattern.compile("\\]\\((?!https?:)([^)#\\s]*)(?:#([^)\\s]*))?\\)")
                .matcher(Files.readString(file));
        while (links.find()) {
            Path target = links.group(1).isEmpty() ? file : file.resolveSibling(links.group(1));
            assertTrue(Files.exists(target), page + ": " + links.group());
            if (links.group(2) == null) continue;
            String text = Files.readString(target).toLowerCase(Locale.ROOT).replaceAll("[^\\w\n# -]", "");
            boolean found = text.replace(' ', '-').matches("(?s).*\n#+-" + links.group(2) + "\n.*");
            assertTrue(found, page + ": " + links.group());
        }
    }
}
