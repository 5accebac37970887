package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When deploy/install refuses something, it names the culprit and what to do, and nothing has changed. */
@Needs(BOX)
@Order(1)
class RefusalsIT extends CatsSite {

    private static final String USAGE =
            "usage: deploy/install [--replace] [DOMAIN [FOLDER]]\n       deploy/install --version\n";

    /** Everything that an installation may touch: files, links, services, ports, and whether visitors are answered. */
    private static final String STATE = """
            cd /
            find etc var/lib/avatar -type f ! -name '*-' -exec sha256sum {} + | sort
            find etc var/lib/avatar -printf '%p %m %u %l\\n' | sort
            ls -d run/avatar || true
            systemctl is-enabled avatar nginx || true
            systemctl is-active avatar nginx || true
            ss -Hltn | awk '{ print $4 }' | sort
            visit --output /dev/null --write-out '%{http_code}\\n' https://cats.example.org | sed 's/302/200/'""";

    private List<String[]> namesTheCulpritAndChangesNothing() throws IOException {
        return share(rows("refusals.txt").toList());
    }

    /** What fails when the new site was begun says, too, whether the former one is there again. */
    @ParameterizedTest(name = "{0}")
    @MethodSource
    void namesTheCulpritAndChangesNothing(String script, String says) {
        int call = script.lastIndexOf("deploy/install");
        run(call < 0 ? script : script.substring(0, call));
        List<String> before = box.attempt(STATE).output().lines().toList();
        Command said = attempt(call < 0 ? "deploy/install $D cats" : script.substring(call));
        assertIterableEquals(before, box.attempt(STATE).output().lines().toList(), "something has changed");

        // The whole output: the heading, if it came so far, the message, and the former site's state.
        String message = expand(says.replaceAll("\\s+", " "));
        boolean answers = box.succeeds("[ ! -e /var/lib/avatar/site ] || curl -fs http://127.0.0.1:6666");
        if (said.output().startsWith("avatar for "))
            message = "<avatar for \\S+\n>deploy/install: " + message + "deploy/install: the site is "
                    + (answers ? "as before\n" : "not as before<.*>\n");
        else if (!message.contains("/common ")) message = "deploy/install: " + message;
        if (said.status() == 2) message += USAGE;
        assertTrue(said.output().matches("(?s)" + pattern(message)), said::output);
        assertNotEquals(0, said.status());

        // deploy/remove does not delete it either.
        if (!says.contains("another program's")) return;
        String file = said.output().replaceAll("(?s)deploy/install: (\\S+) .*", "$1");
        run("deploy/remove; [ -e " + file + " ]");
    }

    /** Each command says so at once, before a tool of it fails half way. */
    @ParameterizedTest
    @ValueSource(strings = {"install", "remove", "certificate"})
    void onlyRootMayRunIt(String script) {
        String says = "deploy/" + script + ": must be run as root, for example after sudo -s\n";
        assertEquals(new Command(1, says), attempt("setpriv --reuid=65534 --clear-groups sh $site/deploy/" + script));
    }
}
