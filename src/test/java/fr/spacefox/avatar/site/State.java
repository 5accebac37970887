package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;

/** Everything that an installation may touch: files, links, services, open ports, and what is left behind. */
final class State {

    private static final String SCRIPT = """
            cd /
            find etc root/cats usr/local/lib var/www -type f ! -name '*-' -exec sha256sum {} + | sort
            find etc var/www -type l -printf '%p -> %l\\n' | sort
            ls -d run/avatar var/tmp/avatar.* 2>&- || true
            systemctl is-enabled avatar nginx 2>&1 || true
            systemctl is-active avatar nginx || true
            ss -Hltn | awk '{ print $4 }' | sort""";

    private final Box box;
    private final List<String> before;

    State(Box box) {
        this.box = box;
        before = lines();
    }

    private List<String> lines() {
        return box.run(SCRIPT).lines().toList();
    }

    void assertUnchanged() {
        List<String> after = lines();
        assertEquals(
                before.stream().filter(line -> !after.contains(line)).toList(),
                after.stream().filter(line -> !before.contains(line)).toList(),
                "something has changed");
        assertEquals(before, after);
    }
}
