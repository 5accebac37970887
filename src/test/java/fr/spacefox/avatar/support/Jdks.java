package fr.spacefox.avatar.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The JDKs on this machine that the jar has to run on. */
public final class Jdks {

    private Jdks() {}

    /** Every JDK from 17 on in the usual places, each once, the one that runs the tests first. */
    public static List<Path> all() throws IOException {
        List<Path> homes = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"))));
        if (System.getenv("JAVA_HOME") != null) homes.add(Path.of(System.getenv("JAVA_HOME")));
        Path sdkman = Path.of(System.getProperty("user.home"), ".sdkman/candidates/java");
        for (Path parent : List.of(Path.of("/usr/lib/jvm"), sdkman)) {
            if (!Files.isDirectory(parent)) continue;
            try (Stream<Path> children = Files.list(parent)) {
                homes.addAll(children.sorted().toList());
            }
        }
        List<Path> jdks = new ArrayList<>();
        for (Path home : homes) {
            if (Files.isExecutable(home.resolve("bin/java")) && feature(home) >= 17) jdks.add(home.toRealPath());
        }
        return jdks.stream().distinct().toList();
    }

    private static int feature(Path home) throws IOException {
        Path release = home.resolve("release");
        if (!Files.isRegularFile(release)) return 0;
        String version = Files.readString(release).replaceFirst("(?s).*\\bJAVA_VERSION=\"(\\d+).*", "$1");
        return Integer.parseInt(version);
    }
}
