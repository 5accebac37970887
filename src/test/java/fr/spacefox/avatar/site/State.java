package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertIterableEquals;

import java.util.List;

/** Everything that an installation may touch: files, links, services, open ports, and what is left behind. */
final class State {

    private final Box box;
    private final List<String> lines;

    State(Box box) {
        this.box = box;
        lines = lines();
    }

    void assertUnchanged() {
        assertIs(new State(box));
    }

    void assertIs(State later) {
        assertIterableEquals(lines, later.lines, "something has changed");
    }

    private List<String> lines() {
        String script = """
                cd /
                find etc usr/local/lib -type f ! -name '*-' -exec sha256sum {} + | sort
                find etc -type l -printf '%p -> %l\\n' | sort
                find etc usr/local/lib -type d | sort
                # No file of a set is touched.
                find var/lib/avatar ! -type d -printf '%p %i %T@ %s %l\\n' -o -printf '%p %i\\n' 2>&- | sort
                ls -d run/avatar var/tmp/avatar-install.* 2>&- || true
                systemctl is-enabled avatar nginx 2>&1 || true
                systemctl is-active avatar nginx || true
                ss -Hltn | awk '{ print $4 }' | sort""";
        return box.run(script).lines().toList();
    }
}
