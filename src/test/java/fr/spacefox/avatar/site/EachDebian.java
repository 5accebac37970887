package fr.spacefox.avatar.site;

import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.FieldSource;

/** All tests of a class on one Debian after the other, in one box of each. */
@ParameterizedClass
@FieldSource("fr.spacefox.avatar.site.Debian#ALL")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EachDebian {

    /** A script that begins with these lines has the makers of pictures, which leave an empty folder. */
    static final String FUNCTIONS = ". /srv/test/pictures/functions.sh\n";

    @Parameter
    Debian debian;

    Box box;

    @BeforeParameterizedClassInvocation
    void boot() throws Exception {
        box = new Box(debian.files());
    }

    @AfterParameterizedClassInvocation
    void discard() throws Exception {
        if (box != null) box.close();
        box = null;
    }
}
