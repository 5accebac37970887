package fr.spacefox.avatar.jar;

import fr.spacefox.avatar.support.Jdks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** The ways to run the jar that README and the unit name. */
enum Mode {
    PUBLISHED,
    POOL,
    /** The JVM flags of the unit, as they stand in its file. */
    UNIT;

    /** What the JVM gets besides README's own two flags. */
    List<String> flags() throws IOException {
        if (this != UNIT) return List.of();
        String unit = Files.readString(Path.of("deploy/avatar.service")).replace("\\\n", "");
        return List.of(unit.replaceFirst("(?s).*\nExecStart=\\S+ +(.*?) +-jar .*", "$1")
                .split(" +"));
    }

    static Stream<Arguments> onEveryJdk() throws IOException {
        return Jdks.all().stream().flatMap(jdk -> Stream.of(values()).map(mode -> Arguments.of(mode, jdk)));
    }
}
