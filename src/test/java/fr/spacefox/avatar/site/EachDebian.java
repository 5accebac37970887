package fr.spacefox.avatar.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;

/** All tests of a class on one Debian after the other, in one box of each. */
@ParameterizedClass
@FieldSource("fr.spacefox.avatar.site.Debian#ALL")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EachDebian {

    static final Path RESOURCES = Path.of("src/test/resources");

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

    /** A file's lines WHAT => WHAT FOLLOWS, which may go on in indented lines. */
    static Stream<String[]> rows(String file) throws IOException {
        return Stream.of(Files.readString(RESOURCES.resolve(file)).split("\n+(?!\\s)"))
                .filter(row -> !row.startsWith("#"))
                .map(row -> row.strip().split("\\s+=>\\s+"));
    }

    /** This Debian's share of the cases, by their names: what one shows holds on the other. */
    List<Arguments> share(List<Arguments> cases) {
        return cases.stream()
                .filter(it -> Debian.ALL.get(Math.floorMod(it.get()[0].hashCode(), Debian.ALL.size())) == debian)
                .toList();
    }
}
