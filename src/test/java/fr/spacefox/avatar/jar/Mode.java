package fr.spacefox.avatar.jar;

import fr.spacefox.avatar.support.Jdks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** The ways to run the jar that README and the unit name. */
enum Mode {

    /** README's command. */
    PUBLISHED,
    /** README's command with --pool. */
    POOL,
    /** The JVM flags of the unit, as they stand in its file. */
    UNIT;

    private static final Path UNIT_FILE = Path.of(System.getProperty("basedir", ""), "deploy/avatar.service");

    /** What the JVM gets besides README's own two flags. */
    List<String> flags() {
        if (this != UNIT) {
            return List.of();
        }
        try {
            String unit = Files.readString(UNIT_FILE).replace("\\\n", " ");
            String start = unit.lines()
                    .filter(line -> line.startsWith("ExecStart="))
                    .findFirst()
                    .orElseThrow();
            List<String> words = List.of(start.strip().split("\\s+"));
            return words.subList(1, words.indexOf("-jar"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the program gets besides PORT and COUNT. */
    List<String> options() {
        return this == POOL ? List.of("--pool") : List.of();
    }

    static Stream<Arguments> onEveryJdk() throws IOException {
        return Jdks.all().stream().flatMap(jdk -> Stream.of(values()).map(mode -> Arguments.of(mode, jdk)));
    }
}
