package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Command;
import java.nio.file.Files;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** A server with a site of four cats. Tests do what they like with it: before each it is as it was, by server.sh. */
abstract class CatsSite extends EachDebian {

    static final String CATS = "cats.example.org";
    static final String ADDRESS = "https://" + CATS + "/me.";
    static final String SETTINGS = "/etc/default/avatar";

    @BeforeParameterizedClassInvocation
    void install() throws Exception {
        Files.copy(RESOURCES.resolve("server.sh"), box.path("/srv/server.sh"));
        Box.drawFoxes(4, box.path("/root/foxes"));
        run("cp -r foxes cats; deploy/install $D cats; keep");
    }

    @BeforeEach
    void begin() {
        run("restore");
    }

    /** Runs a script that knows the commands of server.sh; it must succeed. */
    String run(String script) {
        return box.run(". /srv/server.sh\n" + script);
    }

    Command attempt(String script) {
        return box.attempt(". /srv/server.sh\n" + script);
    }

    /** A text in which variables of server.sh have their values. */
    String expand(String text) {
        return run("cat << END\n" + text + "\nEND") + "\n";
    }

    /** A text as a pattern: what stands in <...> is one already, and the rest is literal. */
    static String pattern(String text) {
        return "\\Q" + text.replaceAll("<([^<>]+)>", "\\\\E$1\\\\Q") + "\\E";
    }

    /** The last line of what deploy/install prints. */
    static void assertReports(int pictures, String address, String said) {
        String count = pictures + " picture" + (pictures == 1 ? "" : "s");
        assertTrue(said.endsWith("\n" + count + ". The address for a profile: " + address), said);
    }
}
