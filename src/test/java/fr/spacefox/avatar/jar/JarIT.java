package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Jdks;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The jar has at most 2,048 bytes, and the same ones whoever builds it. */
class JarIT {

    @Test
    void theJarHasAtMost2048Bytes() throws IOException {
        long size = Files.size(Server.JAR);
        assertTrue(size <= 2048, size + " bytes");
        Path source = Path.of("src/main/java/fr/spacefox/avatar/RedirectServer.java");
        assertTrue(Files.readString(source).contains(" " + (2048 - size) + " bytes are left"), "its heading");
    }

    @Test
    void theJarInDeployIsTheSame() throws IOException {
        assertArrayEquals(Files.readAllBytes(Server.JAR), Files.readAllBytes(Path.of("deploy/avatar.jar")));
    }

    /** All JDKs but the one that has built target/avatar.jar, if there are others. */
    static List<Path> builders() throws IOException {
        List<Path> all = Jdks.all();
        return all.subList(all.size() > 1 ? 1 : 0, all.size());
    }

    /** The same sources elsewhere, at another time, in another zone and language. */
    @ParameterizedTest
    @Needs(Needs.Tool.MAVEN)
    @MethodSource("builders")
    void theJarIsTheSameWhoeverBuildsIt(Path jdk, @TempDir Path directory) throws Exception {
        String script = """
                cp -R --parents pom.xml jar.groovy proguard.pro src/main "$1"
                cd "$1"
                find . -exec touch -d 2001-02-03T04:05:06Z {} +
                export JAVA_HOME="$2" TZ=Pacific/Kiritimati LC_ALL=C
                mvn -B -o -q -Dmaven.test.skip=true ${3:+"-Dmaven.repo.local=$3"} package""";
        String repository = System.getProperty("localRepository", ""); // what the running Maven uses
        Command.run("sh", "-ec", script, "sh", directory.toString(), jdk.toString(), repository)
                .ok();
        assertArrayEquals(Files.readAllBytes(Server.JAR), Files.readAllBytes(directory.resolve("target/avatar.jar")));
    }
}
