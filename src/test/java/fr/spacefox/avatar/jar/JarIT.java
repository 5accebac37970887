package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The jar that is deployed is the one that the sources make, whoever makes it, and it is small. */
class JarIT {

    @Test
    void theJarIsSmallAndTheOneInDeployIsTheSame() throws Exception {
        long left = 2048 - Files.size(Server.JAR);
        String says = "2,048 bytes, of which " + left + " are left";
        byte[] made = Files.readAllBytes(Server.JAR);
        byte[] deployed = Files.readAllBytes(Path.of("deploy/avatar.jar"));
        assertTrue(left >= 0, () -> "avatar.jar has " + -left + " bytes too many");
        assertAll(
                () -> assertTrue(Files.readString(Server.SOURCE).contains(says), Server.SOURCE + " is to say: " + says),
                // Else a mended program would be tested, and the former one installed.
                () -> assertArrayEquals(made, deployed, "cp target/avatar.jar deploy"));
    }

    /** Times and flags of the archive may differ. */
    @ParameterizedTest
    @Needs(Needs.Tool.ZIP)
    @MethodSource("fr.spacefox.avatar.jar.Jdk#all")
    void readmesCommandsMakeTheSameByHand(Path jdk, @TempDir Path folder) throws Exception {
        String readme = Files.readString(Path.of("README.md"));
        String commands = readme.replaceFirst("(?s).*\n( +cp -rT src\\S+ .*?)\n\n.*", "$1");
        String script = "PATH=$1/bin:$PATH; cp -r src $0; cd $0; " + commands;
        Command.run("sh", "-ec", script, "" + folder, "" + jdk).ok();
        Path jar = folder.resolve("avatar.jar");
        assertEquals(entries(Server.JAR), entries(jar));
        assertTrue(
                Files.size(jar) <= 2048,
                () -> "made by hand, it has " + jar.toFile().length() + " bytes");
    }

    /** Names and contents in order. */
    private static List<String> entries(Path jar) throws IOException {
        try (var zip = new ZipFile(jar.toFile())) {
            return zip.stream().map(entry -> entry + " " + entry.getCrc()).toList();
        }
    }
}
