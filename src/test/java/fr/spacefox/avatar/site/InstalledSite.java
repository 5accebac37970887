package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertTrue;

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

    /** The site's file of nginx. */
    static final String FILE = "/var/lib/avatar/site/nginx.conf";

    @AutoClose
    Box box;

    /** The folder of the site's set. */
    String pictures;

    @BeforeAll
    void install() throws Exception {
        box = Box.installed(Debian.OLDER.files());
        // Debian's own site would answer what names no domain on port 80.
        box.run("rm /etc/nginx/sites-enabled/default; systemctl reload nginx");
        pictures = box.set();
    }

    Answer ask(String... arguments) {
        return Request.curl(arguments).send(box);
    }

    /** The address of a file of the site's set. */
    String address(String site, String file) {
        return site + pictures.replaceFirst(".*(?=/)", "") + "/" + file;
    }

    /** Changes the site's file, which has to have what is replaced. */
    static void edit(Box box, String former, String other) throws IOException {
        String text = Files.readString(box.path(FILE));
        assertTrue(text.contains(former), text);
        Files.writeString(box.path(FILE), text.replace(former, other));
        box.run("systemctl restart nginx");
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
