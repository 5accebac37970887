package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertIterableEquals;

import java.util.List;

/** Everything that an installation may touch: files, links, services, open ports, and what is left behind. */
final class State {

    private final Box box;
    private final List<String> before;

    State(Box box) {
        this.box = box;
        before = lines();
    }

    void assertUnchanged() {
        assertIterableEquals(before, lines(), "something has changed");
    }

    private List<String> lines() {
        String script = """
                cd /
                find etc root/cats usr/local/lib var/www -type f ! -name '*-' -exec sha256sum {} + | sort
                find etc var/www -type l -printf '%p -> %l\\n' | sort
                ls -d run/avatar var/tmp/avatar-install.* 2>&- || true
                systemctl is-enabled avatar nginx 2>&1 || true
                systemctl is-active avatar nginx || true
                ss -Hltn | awk '{ print $4 }' | sort""";
        return box.run(script).lines().toList();
    }
}
