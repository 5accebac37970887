package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The build: whoever makes the jar gets the same bytes. */
class BuildIT {

    /** The same sources elsewhere, at another time, in another zone and language, by every JDK. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @MethodSource("fr.spacefox.avatar.support.Jdks#all")
    void isBuiltTwiceAlike(Path jdk, @TempDir Path directory) throws Exception {
        Path project = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
        List<Path> files;
        try (Stream<Path> main = Files.walk(project.resolve("src/main"))) {
            Stream<Path> build = Stream.of("pom.xml", "jar.groovy").map(project::resolve);
            files = Stream.concat(build, main.filter(Files::isRegularFile)).toList();
        }
        for (Path file : files) {
            Path copy = directory.resolve(project.relativize(file));
            Files.createDirectories(copy.getParent());
            Files.copy(file, copy);
            Files.setLastModifiedTime(copy, FileTime.from(Instant.parse("2001-02-03T04:05:06Z")));
        }
        List<String> command = new ArrayList<>(List.of("mvn", "-B", "-o", "-q", "-Dmaven.test.skip=true", "package"));
        String repository = System.getProperty("localRepository"); // what the running Maven uses
        if (repository != null) {
            command.add("-Dmaven.repo.local=" + repository);
        }
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", jdk.toString());
        builder.environment().put("TZ", "Pacific/Kiritimati");
        builder.environment().put("LC_ALL", "C");
        Process maven;
        try {
            maven = builder.start();
        } catch (IOException missing) {
            Tools.skip("no mvn on the path");
            return;
        }
        Command.finish(maven).ok();
        assertArrayEquals(Files.readAllBytes(Server.JAR), Files.readAllBytes(directory.resolve("target/avatar.jar")));
    }
}
