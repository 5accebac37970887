package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Jdks;
import fr.spacefox.avatar.support.Needs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar that is deployed is the one that the sources make, whoever makes it; the build itself fails above 2,048. */
class JarIT {

    /** Else a mended program would be tested, and the former one installed. */
    @Test
    void theJarInDeployIsTheSame() throws Exception {
        assertArrayEquals(Files.readAllBytes(Server.JAR), Files.readAllBytes(Path.of("deploy/avatar.jar")));
    }

    /** Anybody can check what the jar is made of: the newest JDK here, elsewhere, at another time, in another zone. */
    @Test
    @Needs(Needs.Tool.MAVEN)
    void theJarIsTheSameWhoeverBuildsIt(@TempDir Path directory) throws Exception {
        String script = """
                cp -R --parents pom.xml jar.groovy proguard.pro src/main "$1"
                cd "$1"
                find . -exec touch -d 2001-02-03T04:05:06Z {} +
                export JAVA_HOME="$2" TZ=Pacific/Kiritimati LC_ALL=C
                mvn -B -o -q -Dmaven.test.skip=true ${3:+"-Dmaven.repo.local=$3"} package""";
        List<Path> jdks = Jdks.all();
        String newest = jdks.get(jdks.size() - 1).toString();
        String repository = System.getProperty("localRepository", ""); // what the running Maven uses
        Command.run("sh", "-ec", script, "sh", directory.toString(), newest, repository)
                .ok();
        assertArrayEquals(Files.readAllBytes(Server.JAR), Files.readAllBytes(directory.resolve("target/avatar.jar")));
    }
}
