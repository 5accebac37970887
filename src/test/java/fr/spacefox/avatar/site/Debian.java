package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assumptions.abort;

import fr.spacefox.avatar.support.LeftOut;

/** The two releases of Debian on which the site is installed. .ci/run makes the folder with the other one's files. */
enum Debian {
    THIS,
    OTHER;

    private static final String FOLDER = "AVATAR_OTHER_DEBIAN";

    private static final String NEED =
            "the other Debian's files, in a folder that " + FOLDER + " names; .ci/run makes it";

    /** The folder with its files; without it the test is left out. */
    String files() {
        String files = this == THIS ? "/" : System.getenv(FOLDER);
        if (files == null) abort(LeftOut.because(NEED));
        return files;
    }
}
