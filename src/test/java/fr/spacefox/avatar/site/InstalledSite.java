package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** A box with the installed site, one for all tests of a class. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // else the box would be static, and that of all classes
abstract class InstalledSite {

    static final String SITE = "https://avatar.spacefox.fr";
    static final List<String> SITES = List.of(SITE, "http://avatar.spacefox.fr");

    @AutoClose
    Box box;

    @BeforeAll
    void install() throws Exception {
        box = Box.installed("/");
        // Debian's own site would answer what names no domain on port 80.
        box.run(Documents.commands("Other sites on the same nginx"));
    }

    Answer ask(String... arguments) {
        return Request.curl(arguments).send(box);
    }

    /** Asks for a picture; its bytes have to be those of a file of the site. */
    Answer askForFile(String file, String address) throws IOException {
        Answer answer = ask("--output", "/picture", address);
        byte[] expected = Files.readAllBytes(box.path("/var/www/avatar/" + file));
        assertArrayEquals(expected, Files.readAllBytes(box.path("/picture")), answer::toString);
        return answer;
    }

    /** After an outage or a flood the JVM and nginx need a moment to find each other again. */
    void awaitTheJvm() throws InterruptedException {
        box.awaitTrue("the JVM", this::jvmAnswers);
        fetchDraws(box);
    }

    /** Starts nginx without a draw, as after a boot. */
    static void forgetDraws(Box box) {
        box.run("systemctl stop nginx; find /run/avatar -type f -delete; systemctl start nginx");
    }

    /** Sends visitors until nginx has all draws. */
    static void fetchDraws(Box box) throws InterruptedException {
        box.awaitTrue("64 draws", () -> {
            box.attempt("visit --output /dev/null '" + SITE + "/[1-500]'");
            return draws(box).size() == 64;
        });
    }

    /** What nginx keeps, with its times. A name with a dot is an answer that a killed process did not finish. */
    static List<String> draws(Box box) {
        return box.run("find /run/avatar -type f ! -name '*.*' -printf '%f %T@\\n' | sort")
                .lines()
                .toList();
    }

    /** After a reload, the former worker processes of nginx close connections until they have gone. */
    static void awaitTheEndOfFormerWorkers(Box box) throws InterruptedException {
        box.awaitTrue("no former worker", () -> !box.succeeds("pgrep -f '[w]orker process is shutting down'"));
    }

    /** Whether the JVM itself answers twenty clients, one after another. */
    boolean jvmAnswers() {
        String visit = "visit --fail-early --max-time 3 --header 'Connection: close' --output /dev/null ";
        return box.succeeds(visit + "'http://localhost:6666/[1-20]'");
    }
}
