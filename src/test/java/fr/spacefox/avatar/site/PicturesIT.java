package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** deploy/pictures publishes upright pictures of nothing but pixels, and says what it leaves out, and why. */
@Needs(BOX)
@Order(1)
class PicturesIT extends EachDebian {

    /** Cases, shell functions, and samples that ImageMagick cannot make; Pillow, pillow-heif and avifenc made them. */
    static final String FOLDER = "src/test/resources/pictures";

    static final String FUNCTIONS = ". /root/pictures/functions.sh\n";

    @BeforeParameterizedClassInvocation
    void prepare() throws IOException {
        prepare(box);
    }

    static void prepare(Box box) throws IOException {
        Command.run("cp", "-r", FOLDER, box.path("/root").toString()).ok();
    }

    /** What each file's first lines explain. */
    static Stream<Arguments> cases(String file) throws IOException {
        return rows("pictures/" + file).map(it -> {
            String output = it.length == 2 ? "90x90: the same" : it[2].replaceAll(" / |\n +", "\n");
            return Arguments.of(it[0], it[1], output + "\n");
        });
    }

    /** Of a case's output, what is expected on this Debian. */
    static String here(Box box, String expected) {
        String[] both = expected.split("12:\n");
        return both[box.succeeds("grep -q ^12 /etc/debian_version") ? both.length - 1 : 0];
    }

    static Stream<Arguments> picturesComeOutReady() throws IOException {
        return cases("cases.txt");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void picturesComeOutReady(String name, String script, String expected) {
        Command result = box.attempt(FUNCTIONS + script);
        String status = result.status() == 0 ? "" : "status " + result.status() + "\n";
        assertEquals(here(box, expected), result.output() + status);
    }

    private List<Arguments> large() throws IOException {
        return share(cases("large.txt").toList());
    }

    /** A server with 512 MB survives: the largest process leaves room for nginx and the JVM. */
    @ParameterizedTest(name = "{0}")
    @MethodSource
    @Needs(PYTHON)
    void large(String name, String script, String expected) throws IOException {
        String measured = """
                import resource, subprocess, sys
                inside = "cd /root; deploy/pictures case out || true; identify out/* 2> /dev/null | wc -l"
                subprocess.run(["nsenter", "--all", "--target", sys.argv[1], "sh", "-ec", inside])
                print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
                """;
        box.run(FUNCTIONS + script);
        String said = Command.run("python3", "-c", measured, Long.toString(box.leader()))
                .ok();
        String[] parts = said.split("(?<=\n)(?=\\d+$)");
        assertEquals(expected, parts[0]);
        int kilobytes = Integer.parseInt(parts[1]);
        System.out.println(name + ", " + debian + ": " + kilobytes / 1000 + " MB");
        assertTrue(kilobytes < 440_000, kilobytes + " KB");
    }
}
