package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The jar that is deployed is the one that the sources make, whoever makes it, and it is small. */
class JarIT {

    private static final Path DEPLOYED = Path.of("deploy/avatar.jar");

    /** Else a mended program would be tested, and the former one installed. */
    @Test
    void theJarInDeployIsTheSameAndHas2048BytesAtMost() throws Exception {
        assertArrayEquals(Files.readAllBytes(Server.JAR), Files.readAllBytes(DEPLOYED), "cp target/avatar.jar deploy");
        assertTrue(Files.size(DEPLOYED) <= 2048, () -> DEPLOYED.toFile().length() + " bytes");
    }

    /** Times and flags of the archive may differ. */
    @ParameterizedTest
    @Needs(Needs.Tool.ZIP)
    @MethodSource("fr.spacefox.avatar.jar.Mode#jdks")
    void readmesCommandsMakeTheSameByHand(Path jdk, @TempDir Path folder) throws Exception {
        String commands =
                Files.readString(Path.of("README.md")).replaceFirst("(?s).*\n( +cp -rT src\\S+ .*?)\n\n.*", "$1");
        String script = "PATH=$1/bin:$PATH; cp -r src $0; cd $0; " + commands;
        Command.run("sh", "-ec", script, "" + folder, "" + jdk).ok();
        assertEquals(entries(Server.JAR), entries(folder.resolve("avatar.jar")));
        assertTrue(Files.size(folder.resolve("avatar.jar")) <= 2048);
    }

    /** Names and contents in order. */
    private static List<String> entries(Path jar) throws IOException {
        List<String> entries = new ArrayList<>();
        try (var zip = new ZipInputStream(Files.newInputStream(jar))) {
            for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry())
                entries.add(entry.getName() + "\n" + new String(zip.readAllBytes(), StandardCharsets.ISO_8859_1));
        }
        return entries;
    }
}
