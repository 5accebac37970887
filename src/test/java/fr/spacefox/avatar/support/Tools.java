package fr.spacefox.avatar.support;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.stream.Stream;

/** What a test needs from the machine: without it the test is skipped with the reason, in CI it fails. */
public final class Tools {

    private Tools() {}

    public static void need(String... names) {
        var missing = new ArrayList<String>();
        for (String name : names) {
            boolean found = name.equals("root")
                    ? System.getProperty("user.name").equals("root")
                    : Stream.of("/usr/bin", "/usr/sbin").anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
            if (!found) missing.add(name);
        }
        if (missing.isEmpty()) return;
        skip("not on this machine: " + missing);
    }

    /** Ends the test: skipped with the reason, in CI failed. */
    public static void skip(String reason) {
        System.out.println(reason);
        if (System.getenv("CI") != null) fail(reason);
        abort(reason);
    }
}
