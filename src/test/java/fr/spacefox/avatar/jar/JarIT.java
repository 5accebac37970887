package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
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
            assertEquals(
                    Stream.of("META-INF/MANIFEST.MF", main.replace('.', '/') + ".class")
                            .sorted()
                            .toList(),
                    names);
            assertEquals(null, jar.getComment());
        }
    }

    @Test
    void holdsNoDebris() throws IOException {
        try (ZipFile zip = new ZipFile(Server.JAR.toFile())) {
            for (ZipEntry entry : zip.stream()
                    .filter(entry -> entry.getName().endsWith(".class"))
                    .toList()) {
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
