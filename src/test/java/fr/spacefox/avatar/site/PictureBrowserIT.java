package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import com.sun.net.httpserver.HttpServer;
import fr.spacefox.avatar.support.Needs;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Chromium shows published pictures as it shows the originals, on one Debian after the other. */
@Needs({BOX, CHROMIUM})
@ParameterizedClass
@FieldSource("fr.spacefox.avatar.site.Debian#ALL")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PictureBrowserIT {

    @Parameter
    private Debian debian;

    @TempDir
    private static Path temporary;

    /** What deploy/pictures or the browser says of each case, by its name. */
    private final Map<String, String> results = new HashMap<>();

    record Case(String name, String script, String expected) {

        static Case of(String row) {
            String[] parts = row.strip().split("\\s+=>\\s+");
            return new Case(parts[0], parts[1], parts.length == 2 ? "the same" : parts[2]);
        }

        /** What moves makes GIFs of all: so there are two folders. */
        String folder() {
            return name.startsWith("moving") ? "moving" : "still";
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static List<Case> looksTheSame() throws IOException {
        return Stream.of(Files.readString(Path.of("src/test/resources/pictures/browser.txt"))
                        .split("\n+(?!\\s)"))
                .filter(row -> !row.startsWith("#"))
                .map(Case::of)
                .toList();
    }

    @BeforeParameterizedClassInvocation
    void see() throws Exception {
        results.clear();
        try (var box = new Box(debian.files())) {
            see(box, looksTheSame());
        }
    }

    private void see(Box box, List<Case> cases) throws Exception {
        var script = new StringBuilder(". /srv/test/pictures/functions.sh\nmkdir still moving\n");
        for (int i = 0; i < cases.size(); i++) {
            String move = "for f in x.*; do mv $f ../%s/%d.${f##*.}; done"
                    .formatted(cases.get(i).folder(), i);
            script.append("(mkdir d; cd d; %s\n%s); rm -r d\n".formatted(cases.get(i).script, move));
        }
        box.run(script.toString());
        var pairs = new StringBuilder("const PAIRS = [");
        for (String kind : List.of("still", "moving")) {
            String said = box.attempt("cd /root/case; /root/deploy/pictures " + kind + " out-" + kind)
                    .output();
            said.lines().filter(line -> line.startsWith("left out: ")).forEach(line -> {
                String[] parts = line.split("[/.:]", 5); // left out: still/7.png: why
                results.put(cases.get(Integer.parseInt(parts[2])).name, parts[4].replaceFirst("^ ", ""));
            });
            int number = 0;
            for (int i = 0; i < cases.size(); i++) {
                if (!cases.get(i).folder().equals(kind) || results.containsKey(cases.get(i).name)) continue;
                String original = address(box.path("/root/case/" + kind), i + ".");
                String published = address(box.path("/root/case/out-" + kind), "Renard-" + ++number + ".");
                pairs.append("[%d, '%s', '%s'],\n".formatted(i, original, published));
                results.put(cases.get(i).name, said);
            }
        }
        String page = Files.readString(Path.of("src/test/resources/pictures/compare.html"));
        for (String line : browse(page.replace("const PAIRS = [", pairs)).split("\n")) {
            String[] parts = line.split(" ", 2);
            results.put(cases.get(Integer.parseInt(parts[0])).name, parts[1]);
        }
    }

    /** The data: URL of a picture in a folder, by how its name begins. */
    private static String address(Path folder, String prefix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            Path file = files.filter(it -> it.getFileName().toString().startsWith(prefix))
                    .findFirst()
                    .orElseThrow();
            String type = file.toString().replaceFirst(".*\\.", "").replace("jpg", "jpeg");
            return "data:image/" + type + ";base64," + Base64.getEncoder().encodeToString(Files.readAllBytes(file));
        }
    }

    /** What the page posts. */
    private static String browse(String page) throws Exception {
        var result = new CompletableFuture<String>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String posted = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            if (!posted.isEmpty()) result.complete(posted);
            exchange.getResponseHeaders().set("Content-Type", "text/html");
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(page.getBytes(StandardCharsets.UTF_8));
            exchange.close();
        });
        server.start();
        Path profile = Files.createTempDirectory(temporary, "profile");
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
        Process browser = new ProcessBuilder(Chromium.command(profile, "--remote-debugging-port=0", url))
                .redirectErrorStream(true)
                .redirectOutput(new File("target/browser.log"))
                .start();
        try {
            return result.get(2, TimeUnit.MINUTES);
        } finally {
            browser.descendants().forEach(ProcessHandle::destroyForcibly);
            browser.destroyForcibly().waitFor();
            server.stop(0);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void looksTheSame(Case it) {
        String result = results.getOrDefault(it.name, "nothing");
        assertTrue(result.startsWith(it.expected), () -> it + ": " + result);
    }
}
