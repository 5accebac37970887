package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertIterableEquals;

import java.util.List;

/** Everything that an installation may touch: files, links, services, open ports, and whether visitors are answered. */
final class State {

    private static final String SCRIPT = """
            cd /
            find etc var/lib/avatar -type f ! -name '*-' -exec sha256sum {} + | sort
            find etc var/lib/avatar -printf '%p %m %u %l\\n' | sort
            ls -d run/avatar || true
            systemctl is-enabled avatar nginx || true
            systemctl is-active avatar nginx || true
            ss -Hltn | awk '{ print $4 }' | sort
            visit --output /dev/null --write-out '%{http_code}\\n' https://cats.example.org | sed 's/302/200/'""";

    private final Box box;
    private final List<String> lines;

    State(Box box) {
        this.box = box;
        lines = box.attempt(SCRIPT).output().lines().toList();
    }

    void assertUnchanged() {
        assertIs(new State(box));
    }

    void assertIs(State later) {
        assertIterableEquals(lines, later.lines, "something has changed");
    }
}
