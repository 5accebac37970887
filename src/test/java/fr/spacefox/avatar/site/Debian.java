package fr.spacefox.avatar.site;

import java.util.List;
import java.util.stream.Stream;

/**
 * A Debian on which the site is installed: a folder that .ci/root makes. AVATAR_ROOTS names them: 12, 13, and for what
 * takes long also testing.
 */
record Debian(String root) {

    // Without it there are two, whose tests are left out.
    private static final String ROOTS = System.getenv().getOrDefault("AVATAR_ROOTS", "unknown other");

    static final List<Debian> ALL = Stream.of(ROOTS.split(" ")).map(Debian::new).toList();
    static final Debian OLDER = ALL.get(0);
    static final Debian NEWER = ALL.get(1);

    /** The Debian with a name that rows.sh gives it, if it is here. */
    static Stream<Debian> named(String name) {
        return ALL.stream().skip(List.of("12", "13", "testing").indexOf(name)).limit(1);
    }

    boolean isTesting() {
        return ALL.indexOf(this) == 2;
    }

    /** The files for a box on which all packages are installed. */
    String files() {
        return root + "/packages:" + clean();
    }

    /** Those of a server on its first day. */
    String clean() {
        return root + "/clean";
    }

    /** Its release, which is in the name of the folder. */
    @Override
    public String toString() {
        return root.replaceAll(".*avatar-root-|-\\d+$", "");
    }
}
