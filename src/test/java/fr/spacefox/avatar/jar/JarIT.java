package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The jar that is deployed is the one that the sources make, whoever makes it; the build itself fails above 2,048. */
class JarIT {

    /** Else a mended program would be tested, and the former one installed. */
    @Test
    void theJarInDeployIsTheSame() throws Exception {
        assertArrayEquals(Files.readAllBytes(Server.JAR), Files.readAllBytes(Path.of("deploy/avatar.jar")));
    }
}
