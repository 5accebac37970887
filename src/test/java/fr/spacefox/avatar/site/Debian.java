package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

/** The two releases of Debian on which the site is installed. .ci/run makes the folder with the other one's files. */
enum Debian {
    THIS,
    OTHER;

    private static final String FOLDER = "AVATAR_OTHER_DEBIAN";

    /** The folder with its files; without it the test is skipped, in CI it fails. */
    String files() {
        String files = this == THIS ? "/" : System.getenv(FOLDER);
        if (files == null) skip("the other Debian's files, in a folder that " + FOLDER + " names; .ci/run makes it");
        return files;
    }

    /** Skips a test; in CI it fails. */
    static void skip(String reason) {
        if (System.getenv("CI") != null) fail(reason);
        abort(reason);
    }
}
