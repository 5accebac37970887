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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Chromium shows each published picture as it shows the original, which a camera, phone or editor has made. */
@Needs({BOX, CHROMIUM})
class PictureBrowserIT extends EachDebian {

    /** Of 255, in the middle of each of a hundred parts: a profile that is ignored makes more, JPEG's losses less. */
    private static final int TOLERANCE = 8;

    private static final String COMMAND = "chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage"
            + " --no-first-run --disable-sync --disable-background-networking --disable-component-update"
            + " --force-color-profile=srgb --remote-debugging-port=0 --user-data-dir=";

    @TempDir
    private static Path temporary;

    /** What deploy/pictures and the browser say of each case, by its name. */
    private final Map<String, String> results = new HashMap<>();

    @BeforeParameterizedClassInvocation
    void see() throws Exception {
        Path folder = Files.createTempDirectory(temporary, "debian");
        var published = new ArrayList<String>();
        for (Object[] words : looksTheSame().map(Arguments::get).toList()) {
            String name = words[0].toString();
            String then = "\nfind . -type f ! -name 'x.*' -delete; $pictures . $out";
            String said = box.attempt(FUNCTIONS + words[1] + then).output();
            results.put(name, said.replaceFirst("(?m)^(jpg|png|gif)\n", ""));
            if (!Files.exists(box.path("/root/out"))) continue;
            copyOnlyFile(box.path("/root/case"), folder.resolve("original/" + published.size()));
            copyOnlyFile(box.path("/root/out"), folder.resolve("published/" + published.size()));
            published.add(name);
        }
        String[] lines = browse(folder, published.size()).split("\n");
        for (int i = 0; i < published.size(); i++) results.merge(published.get(i), judged(lines[i]), String::concat);
    }

    private static void copyOnlyFile(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            Path file = files.findFirst().orElseThrow();
            Files.copy(file, to.resolve(file.getFileName().toString()));
        }
    }

    private static String judged(String line) {
        Matcher difference = Pattern.compile("differs by (\\d+)$").matcher(line);
        boolean isSame = difference.find() && Integer.parseInt(difference.group(1)) <= TOLERANCE;
        return (isSame ? difference.replaceFirst("the same") : line) + "\n";
    }

    /** What compare.html says of pairs of pictures: original/0/x.jpg and published/0/Renard-1.jpg, and so on. */
    private static String browse(Path folder, int count) throws Exception {
        Files.copy(Path.of("src/test/resources/pictures/compare.html"), folder.resolve("compare.html"));
        Path names = Files.createDirectory(folder.resolve("names")).resolve("names.json");
        Files.writeString(names, IntStream.range(0, count).boxed().toList().toString());
        var result = new CompletableFuture<String>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        // Each path is a folder, and its only file the answer.
        server.createContext("/", exchange -> {
            if (exchange.getRequestMethod().equals("POST"))
                result.complete(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            File[] files = new File(folder + exchange.getRequestURI().getPath()).listFiles(File::isFile);
            if (files != null) {
                String type = files[0].getName().replaceFirst(".*\\.", "image/").replace("/jpg", "/jpeg");
                exchange.getResponseHeaders().set("Content-Type", type.replace("image/html", "text/html"));
            }
            exchange.sendResponseHeaders(200, 0);
            if (files != null) Files.copy(files[0].toPath(), exchange.getResponseBody());
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

    static Stream<Arguments> looksTheSame() throws IOException {
        return Stream.of(Files.readString(Path.of("src/test/resources/pictures/browser.txt"))
                        .split("\n+(?!\\s)"))
                .filter(row -> !row.startsWith("#"))
                .map(row -> row.strip().split("\\s+=>\\s+"))
                .map(it -> Arguments.of(
                        it[0],
                        it[1],
                        (it.length == 2 ? "90x90: the same" : it[2].replaceAll(" / |\n +", "\n")) + "\n"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void looksTheSame(String name, String script, String expected) {
        assertEquals(here(expected), results.get(name));
    }

    /** What is expected on this Debian. */
    private String here(String expected) {
        String[] both = expected.split("12:\n");
        return both[box.succeeds("grep -q ^12 /etc/debian_version") ? both.length - 1 : 0];
    }
}
