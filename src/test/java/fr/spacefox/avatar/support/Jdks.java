package fr.spacefox.avatar.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The JDKs on this machine that the jar has to run on. */
public final class Jdks {

    private Jdks() {}

    /** Every JDK from 17 on that packages have installed, each once, the one that runs the tests first. */
    public static List<Path> all() throws IOException {
        List<Path> homes = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"))));
        try (Stream<Path> others = Files.list(Path.of("/usr/lib/jvm"))) {
            homes.addAll(others.sorted().toList());
        } catch (NoSuchFileException noOthers) {
            // Java need not come from a package
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
