package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Jdks;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The file: small, and the same bytes whoever builds it. */
class JarIT {

    private static final Path DEPLOYED =
            Path.of(System.getProperty("basedir", ""), "deploy/avatar.jar").toAbsolutePath();

    @Test
    void theJarHasAtMost2048Bytes() throws IOException {
        long size = Files.size(Server.JAR);
        assertTrue(size <= 2048, size + " bytes");
    }

    @Test
    void theJarInDeployIsTheSame() throws IOException {
        assertArrayEquals(Files.readAllBytes(Server.JAR), Files.readAllBytes(DEPLOYED));
    }

    @Test
    void theJarHoldsTheManifestAndTheProgramOnly() throws IOException {
        try (JarFile jar = new JarFile(Server.JAR.toFile())) {
            String main = jar.getManifest().getMainAttributes().getValue("Main-Class");
            List<String> names = jar.stream().map(ZipEntry::getName).sorted().toList();
            assertEquals(
                    Stream.of("META-INF/MANIFEST.MF", main.replace('.', '/') + ".class")
                            .sorted()
                            .toList(),
                    names);
            assertEquals(null, jar.getComment());
        }
    }

    /** All JDKs but the one that has built target/avatar.jar, if there are others. */
    static Stream<Path> builders() throws IOException {
        List<Path> all = List.copyOf(Jdks.all());
        return all.stream().skip(all.size() > 1 ? 1 : 0);
    }

    /** The same sources elsewhere, at another time, in another zone and language. */
    @ParameterizedTest
    @Needs(Needs.Tool.MAVEN)
    @Execution(ExecutionMode.CONCURRENT)
    @MethodSource("builders")
    void theJarIsTheSameWhoeverBuildsIt(Path jdk, @TempDir Path directory) throws Exception {
        Path project = DEPLOYED.getParent().getParent();
        List<Path> files;
        try (Stream<Path> build = Files.list(project);
                Stream<Path> main = Files.walk(project.resolve("src/main"))) {
            files = Stream.concat(build, main).filter(Files::isRegularFile).toList();
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
        Command.finish(builder.start()).ok();
        assertArrayEquals(Files.readAllBytes(Server.JAR), Files.readAllBytes(directory.resolve("target/avatar.jar")));
    }
}
