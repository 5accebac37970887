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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Chromium shows published pictures as it shows the originals. {@code -Dpicture=WORDS} tries those of such a name. */
@Needs({BOX, CHROMIUM})
class PictureBrowserIT extends EachDebian {

    private static final String COMMAND = "chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage"
            + " --no-first-run --disable-sync --disable-background-networking --disable-component-update"
            + " --force-color-profile=srgb --remote-debugging-port=0 --user-data-dir=";

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
        String words = System.getProperty("picture", "");
        return Stream.of(Files.readString(Path.of("src/test/resources/pictures/browser.txt"))
                        .split("\n+(?!\\s)"))
                .filter(row -> !row.startsWith("#"))
                .map(Case::of)
                .filter(it -> it.name.contains(words))
                .toList();
    }

    @BeforeParameterizedClassInvocation
    void see() throws Exception {
        List<Case> cases = looksTheSame();
        results.clear();
        var script = new StringBuilder(FUNCTIONS + "mkdir still moving\n");
        for (int i = 0; i < cases.size(); i++) {
            String move = "for f in x.*; do mv $f ../%s/%d.${f##*.}; done"
                    .formatted(cases.get(i).folder(), i);
            script.append("(mkdir d; cd d; %s\n%s); rm -r d\n".formatted(cases.get(i).script, move));
        }
        box.run(script.toString());
        Path folder = Files.createTempDirectory(temporary, "debian");
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
                number++;
                copy(box.path("/root/case/" + kind), i + ".", folder.resolve("original/" + i));
                copy(box.path("/root/case/out-" + kind), "Renard-" + number + ".", folder.resolve("published/" + i));
                results.put(cases.get(i).name, said);
            }
        }
        Files.copy(Path.of("src/test/resources/pictures/compare.html"), folder.resolve("compare.html"));
        for (String line : browse(folder).split("\n")) {
            String[] parts = line.split(" ", 2);
            results.put(cases.get(Integer.parseInt(parts[0])).name, parts[1]);
        }
    }

    private static void copy(Path from, String prefix, Path to) throws IOException {
        try (Stream<Path> files = Files.list(from)) {
            Path file = files.filter(it -> it.getFileName().toString().startsWith(prefix))
                    .findFirst()
                    .orElseThrow();
            Files.createDirectories(to);
            Files.copy(file, to.resolve(file.getFileName()));
        }
    }

    /** What compare.html says of the pairs of pictures in the folders original and published. */
    private static String browse(Path folder) throws Exception {
        var result = new CompletableFuture<String>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        // Each path is a folder. Its only file is the answer, or else the names of what is in it.
        server.createContext("/", exchange -> {
            if (exchange.getRequestMethod().equals("POST"))
                result.complete(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            var path = new File(folder + exchange.getRequestURI().getPath());
            File[] files = path.listFiles(File::isFile);
            boolean isFile = files != null && files.length == 1;
            if (isFile) {
                String type = files[0].getName().replaceFirst(".*\\.", "image/").replace("/jpg", "/jpeg");
                exchange.getResponseHeaders().set("Content-Type", type.replace("image/html", "text/html"));
            }
            exchange.sendResponseHeaders(200, 0);
            if (isFile) Files.copy(files[0].toPath(), exchange.getResponseBody());
            else if (path.list() != null)
                exchange.getResponseBody().write(String.join(" ", path.list()).getBytes());
            exchange.close();
        });
        server.start();
        Path profile = Files.createDirectory(folder.resolve("profile"));
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
        Process browser = new ProcessBuilder((COMMAND + profile + " " + url).split(" "))
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
