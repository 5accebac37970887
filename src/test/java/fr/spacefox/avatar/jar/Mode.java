package fr.spacefox.avatar.jar;

import fr.spacefox.avatar.support.Command;
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

    /** What the JVM gets besides Server's own flags. */
    List<String> flags() throws IOException {
        if (this != UNIT) return List.of();
        String unit = Files.readString(Path.of("deploy/avatar.service")).replace("\\\n", "");
        return List.of(unit.replaceFirst("(?s).*\nExecStart=\\S+ +(.*?) +-jar .*", "$1")
                .split(" +"));
    }

    /** Every JDK from 17 on that packages have installed, each once, the one that runs the tests first. */
    static List<Path> jdks() throws IOException {
        String script = "for home in \"$0\" /usr/lib/jvm/*; do"
                + " ! grep -qsE '^JAVA_VERSION=.(1[7-9]|[2-9][0-9])' \"$home/release\" || readlink -f \"$home\"; done";
        String homes = Command.run("sh", "-c", script, "" + Server.JAVA_HOME).ok();
        return homes.lines().distinct().map(Path::of).toList();
    }

    static Stream<Arguments> onEveryJdk() throws IOException {
        return jdks().stream().flatMap(jdk -> Stream.of(values()).map(mode -> Arguments.of(mode, jdk)));
    }
}
