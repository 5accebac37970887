package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Tools;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The file itself. */
class JarIT {

    @Test
    void holdsAtMost2048Bytes() throws IOException {
        long size = Files.size(Server.JAR);
        assertTrue(size <= 2048, size + " bytes");
    }

    @Test
    void holdsTheManifestAndTheProgramOnly() throws IOException {
        try (JarFile jar = new JarFile(Server.JAR.toFile())) {
            String main = jar.getManifest().getMainAttributes().getValue("Main-Class");
            List<String> names = jar.stream().map(ZipEntry::getName).sorted().toList();
            assertEquals(Stream.of("META-INF/MANIFEST.MF", main.replace('.', '/') + ".class").sorted().toList(), names);
            assertEquals(null, jar.getComment());
        }
    }

    @Test
    void holdsNoDebris() throws IOException {
        try (ZipFile zip = new ZipFile(Server.JAR.toFile())) {
            for (ZipEntry entry : zip.stream().filter(entry -> entry.getName().endsWith(".class")).toList()) {
                byte[] bytes = zip.getInputStream(entry).readAllBytes();
                assertEquals(50, bytes[7], "the last class file format that needs no stack maps");
                String text = new String(bytes, StandardCharsets.ISO_8859_1);
                for (String attribute : List.of("SourceFile", "LineNumberTable", "LocalVariableTable")) {
                    assertFalse(text.contains(attribute), attribute);
                }
            }
        }
    }

    @Test
    void needsTheBaseAndTheEngineOnly() {
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out);
        ToolProvider jdeps = ToolProvider.findFirst("jdeps").orElseThrow();
        assertEquals(0, jdeps.run(writer, writer, "--print-module-deps", Server.JAR.toString()));
        assertEquals("java.base,jdk.httpserver", out.toString().strip());
    }

    /** The same sources elsewhere, at another time, in another zone and language, by every JDK. */
    @ParameterizedTest
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
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
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
        String output = new String(maven.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, maven.waitFor(), output);
        assertArrayEquals(Files.readAllBytes(Server.JAR), Files.readAllBytes(directory.resolve("target/avatar.jar")));
    }

    @ParameterizedTest
    @MethodSource("fr.spacefox.avatar.jar.Mode#onEveryJdk")
    void runsOnEveryJdk(Mode mode, Path jdk) throws Exception {
        try (Server server = Server.start(mode, jdk)) {
            assertTrue(server.ask().startsWith("HTTP/1.1 302 "));
            try (Flood silent = Attack.SILENT.on(server, 1000);
                    Flood half = Attack.HALF_HEADS.on(server, 100);
                    Flood staying = Attack.ASK_AND_STAY.on(server, 500)) {
                server.assertAnswersDespite(silent, half, staying);
            }
            server.assertUnharmed();
            assertEquals(Server.SIGTERM, server.terminate());
        }
    }
}
