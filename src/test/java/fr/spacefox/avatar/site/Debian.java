package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import fr.spacefox.avatar.support.LeftOut;
import java.io.File;
import java.util.List;
import java.util.stream.Stream;

/** A Debian on which the site is installed: a folder with its files. AVATAR_ROOTS names all; .ci/run makes them. */
record Debian(String root) {

    private static final String ROOTS = System.getenv().getOrDefault("AVATAR_ROOTS", "/ unknown");
    private static final String NEED = "another Debian's files, in a folder that AVATAR_ROOTS names; .ci/run makes it";

    static final List<Debian> ALL = Stream.of(ROOTS.split(" ")).map(Debian::new).toList();
    static final Debian THIS = ALL.get(0);
    static final Debian OTHER = ALL.get(1);

    /** The folder; without it the test is left out. */
    String files() {
        assumeTrue(new File(root).exists(), () -> LeftOut.because(NEED));
        return root;
    }
}
