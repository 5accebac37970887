package fr.spacefox.avatar.site;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The browser to which tests show pages. */
final class Chromium {

    private Chromium() {}

    /** Its command line: without a window, with colours as they are in files, and these options and addresses. */
    static List<String> command(Path profile, String... more) {
        var words = new ArrayList<>(List.of(
                "chromium --headless --no-sandbox --disable-gpu --disable-quic --disable-sync --disable-dev-shm-usage"
                        .split(" ")));
        words.addAll(List.of("--no-first-run --disable-background-networking --disable-component-update".split(" ")));
        words.addAll(List.of("--force-color-profile=srgb", "--user-data-dir=" + profile));
        words.addAll(List.of(more));
        return words;
    }
}
