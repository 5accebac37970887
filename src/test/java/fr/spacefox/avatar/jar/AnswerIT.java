package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Client;
import fr.spacefox.avatar.support.Jdks;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the wire has, in every mode and on every JDK. */
class AnswerIT {

    private static final String GET = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final String LAST = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    private static final Pattern LOCATION =
            Pattern.compile("\r\nLocation: https://avatar\\.spacefox\\.fr/Renard-(\\d+)\\.png\r\n");

    private static final Map<String, Server> SERVERS = new LinkedHashMap<>(); // by mode and JDK

    @BeforeAll
    static void start() throws IOException {
        for (Path jdk : Jdks.all()) {
            for (Mode mode : Mode.values()) {
                SERVERS.put(mode + " " + jdk, Server.start(mode, jdk));
            }
        }
    }

    @AfterEach
    void unharmed() throws IOException {
        for (Server server : SERVERS.values()) {
            server.assertUnharmed();
        }
    }

    @AfterAll
    static void stop() throws IOException {
        for (Server server : SERVERS.values()) {
            server.close();
        }
    }

    static Set<String> servers() {
        return SERVERS.keySet();
    }

    static Stream<Arguments> accepted() {
        return onEach(
                GET,
                "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nfox",
                "PUT / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nfox\r\n0\r\n\r\n",
                "DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "OPTIONS / HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "FOX / HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /a.png HTTP/1.1\r\nHost: avatar.spacefox.fr:80\r\n\r\n",
                "GET /a.png?dateline=1&x=%20&y=%C3%A9 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /a#b HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /../%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /\u00e9 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET http://elsewhere.example/a.png HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /" + "a".repeat(4000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
                "GET / HTTP/3.0\r\nHost: localhost\r\n\r\n",
                "\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }

    /** The second request proves that the first answer ended where its head says. */
    @ParameterizedTest
    @MethodSource("accepted")
    void redirectsWithNothingElse(String server, String request) throws IOException {
        try (Client client = SERVERS.get(server).connect()) {
            assertRedirect(client.send(request).head());
            assertRedirect(client.send(LAST).rest());
        }
    }

    /** A client that sends much, or waits with the rest until it has an answer. */
    @ParameterizedTest
    @MethodSource("servers")
    void answersBeforeTheBody(String server) throws IOException {
        String request = "PUT / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\nfox";
        try (Client client = SERVERS.get(server).connect()) {
            assertRedirect(client.send(request).head());
            assertEquals("", client.rest());
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void headIsAnsweredAlike(String server) throws IOException {
        try (Client client = SERVERS.get(server).connect()) {
            String head =
                    client.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n").head();
            assertRedirect(
                    head.contains("Content-length")
                            ? head
                            : head.replace("\r\nLocation", "\r\nContent-length: 0\r\nLocation"));
            assertRedirect(client.send(LAST).rest());
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void continuesAndRedirects(String server) throws IOException {
        try (Client client = SERVERS.get(server).connect()) {
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
            assertTrue(client.head().startsWith("HTTP/1.1 100 Continue\r\n"));
            assertRedirect(client.send("fox" + LAST).head());
            assertRedirect(client.rest());
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void closesHttp10(String server) throws IOException {
        try (Client client = SERVERS.get(server).connect()) {
            assertRedirect(client.send("GET / HTTP/1.0\r\n\r\n").rest(), "Connection: close");
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void keepsHttp10AliveWhenAsked(String server) throws IOException {
        try (Client client = SERVERS.get(server).connect()) {
            for (int i = 0; i < 3; i++) {
                String head = client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                        .head();
                Matcher limits = Pattern.compile("Keep-alive: timeout=\\d+.*").matcher(head);
                assertTrue(limits.find(), head);
                assertRedirect(head, "Connection: keep-alive", limits.group());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void answersPipelinedRequestsInOnePacket(String server) throws IOException {
        String post = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nfox";
        try (Client client = SERVERS.get(server).connect()) {
            client.send((GET + post).repeat(50) + LAST);
            for (int i = 0; i < 100; i++) {
                assertRedirect(client.head());
            }
            assertRedirect(client.rest());
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void readsAHeadInSeveralPackets(String server) throws Exception {
        try (Client client = SERVERS.get(server).connect()) {
            for (char c : GET.toCharArray()) {
                client.send(String.valueOf(c));
                Thread.sleep(1); // lets each byte be a packet
            }
            assertRedirect(client.head());
            assertRedirect(client.send(LAST).rest());
        }
    }

    /** Not ours but the engine's answers; the process goes on. */
    static Stream<Arguments> refused() {
        return onEach(
                "GET //x HTTP/1.1\r\nHost: localhost\r\n\r\n", // a host without a path
                "GET x HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET http://elsewhere.example HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /a|b HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: fox\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: localhost\r\nNo fox: 1\r\n\r\n");
    }

    @ParameterizedTest
    @MethodSource("refused")
    void engineRefuses(String server, String request) throws IOException {
        try (Client client = SERVERS.get(server).connect()) {
            String answer = client.send(request).rest();
            assertTrue(answer.startsWith("HTTP/1.1 40"), answer);
        }
        assertRedirect(SERVERS.get(server).ask());
    }

    /** HTTP/1.1 demands Host; some releases of the engine do too. */
    @ParameterizedTest
    @MethodSource("servers")
    void hostIsTheEnginesAffair(String server) throws IOException {
        try (Client client = SERVERS.get(server).connect()) {
            String answer =
                    client.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n").rest();
            if (!answer.startsWith("HTTP/1.1 400 ")) {
                assertRedirect(answer);
            }
        }
    }

    static Stream<Arguments> httpClientRequests() {
        BodyPublisher none = BodyPublishers.noBody();
        BodyPublisher body = BodyPublishers.ofString("fox".repeat(1000));
        return servers().stream()
                .flatMap(server -> Stream.of(HttpClient.Version.values())
                        .flatMap(version -> Stream.of(
                                Arguments.of(server, version, "GET", none),
                                Arguments.of(server, version, "HEAD", none),
                                Arguments.of(server, version, "POST", body),
                                Arguments.of(server, version, "PUT", body),
                                Arguments.of(server, version, "DELETE", none),
                                Arguments.of(server, version, "OPTIONS", none),
                                Arguments.of(server, version, "FOX", body))));
    }

    @ParameterizedTest
    @MethodSource("httpClientRequests")
    void redirectsHttpClient(String server, HttpClient.Version version, String method, BodyPublisher body)
            throws Exception {
        HttpClient client = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NEVER)
                .version(version)
                .build();
        var url = URI.create("http://localhost:" + SERVERS.get(server).port + "/a.png?b=c");
        var request = HttpRequest.newBuilder(url).method(method, body).build();
        for (int i = 0; i < 3; i++) {
            HttpResponse<byte[]> response = client.send(request, BodyHandlers.ofByteArray());
            assertEquals(302, response.statusCode());
            assertEquals(0, response.body().length);
            Set<String> names = new TreeSet<>(response.headers().map().keySet());
            names.remove("content-length"); // the engine leaves it out after HEAD
            assertEquals(Set.of("cache-control", "date", "location"), names);
            assertEquals(List.of("private, no-store"), response.headers().allValues("Cache-Control"));
            assertTrue(response.headers()
                    .firstValue("Location")
                    .orElseThrow()
                    .matches("https://avatar\\.spacefox\\.fr/Renard-\\d+\\.png"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "https://img.example.org/fox-*.webp, https://img.example.org/fox-1.webp",
        "http://localhost:8080/*, http://localhost:8080/1",
        "https://example.org/*/fox.png, https://example.org/1/fox.png",
        "https://example.org/fox.png?n=*&size=80, https://example.org/fox.png?n=1&size=80",
        "https://fox-*.example.org/a.png, https://fox-1.example.org/a.png",
        "http://[::1]/f%C3%BCchse-*.jpg, http://[::1]/f%C3%BCchse-1.jpg",
    })
    void fillsTheTemplate(String url, String location) throws IOException {
        try (Server server = Server.startWith("0", "1", url)) {
            assertTrue(server.startLine.contains(url), server.startLine);
            String answer = server.ask();
            assertTrue(answer.contains("\r\nLocation: " + location + "\r\n"), answer);
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void drawsEachNumberAlike(String server) throws IOException {
        int[] drawn = draw(SERVERS.get(server), 21_000);
        int[] singles = new int[Server.COUNT];
        int[] pairs = new int[Server.COUNT * Server.COUNT]; // a number must not tell the next one
        for (int i = 0; i < drawn.length; i++) {
            singles[drawn[i] - 1]++;
            if (i % 2 == 1) {
                pairs[(drawn[i - 1] - 1) * Server.COUNT + drawn[i] - 1]++;
            }
        }
        assertTrue(IntStream.of(singles).allMatch(n -> n > 0), Arrays.toString(singles));
        assertUniform(singles);
        assertUniform(pairs);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 1", "--pool 0 1"})
    void drawsTheOnlyNumber(String line) throws IOException {
        try (Server server = Server.startWith(line.split(" "))) {
            assertTrue(IntStream.of(draw(server, 1000)).allMatch(n -> n == 1));
        }
    }

    @Test
    void drawsFromTheWholeRange() throws IOException {
        try (Server server = Server.startWith("0", "2147483647")) {
            int[] eighths = new int[8];
            for (int n : draw(server, 8000)) {
                eighths[(n - 1) >>> 28]++;
            }
            assertUniform(eighths);
        }
    }

    /** Pearson's statistic stays below Laurent and Massart's bound except once in e^21, more than 10^9. */
    private static void assertUniform(int[] counts) {
        double expected = IntStream.of(counts).sum() / (double) counts.length;
        double statistic = IntStream.of(counts)
                .mapToDouble(n -> (n - expected) * (n - expected) / expected)
                .sum();
        int freedom = counts.length - 1;
        double bound = freedom + 2 * Math.sqrt(freedom * 21.0) + 2 * 21.0;
        assertTrue(statistic < bound, () -> statistic + " >= " + bound + " " + Arrays.toString(counts));
    }

    private static int[] draw(Server server, int times) throws IOException {
        int[] drawn = new int[times];
        try (Client client = server.connect()) {
            for (int i = 0; i < times; i++) {
                if (i % 500 == 0) { // few enough for the buffers on the way
                    client.send(GET.repeat(500));
                }
                drawn[i] = number(client.head());
            }
        }
        return drawn;
    }

    private static int number(String head) {
        Matcher location = LOCATION.matcher(head);
        assertTrue(location.find(), head);
        return Integer.parseInt(location.group(1)); // as large as COUNT, or this throws
    }

    /** Exactly these lines, in the order and with the reason phrase that the engine likes. */
    private static void assertRedirect(String head, String... more) {
        assertTrue(head.endsWith("\r\n\r\n"), head);
        List<String> lines = new ArrayList<>(List.of(head.split("\r\n")));
        assertTrue(lines.remove(0).matches("HTTP/1\\.1 302 [A-Za-z ]+"), head);
        String date = lines.stream()
                .filter(line -> line.startsWith("Date: "))
                .findAny()
                .orElseThrow();
        DateTimeFormatter.RFC_1123_DATE_TIME.parse(date.substring("Date: ".length()));
        int number = number(head);
        assertTrue(number >= 1 && number <= Server.COUNT, head);
        Set<String> expected = new TreeSet<>(List.of(more));
        expected.addAll(List.of(
                "Cache-control: private, no-store",
                "Content-length: 0",
                date,
                "Location: " + Server.DEFAULT_URL.replace("*", String.valueOf(number))));
        assertEquals(expected, new TreeSet<>(lines));
        assertEquals(expected.size(), lines.size(), "each once: " + head);
    }

    private static Stream<Arguments> onEach(String... requests) {
        return servers().stream().flatMap(server -> Stream.of(requests).map(request -> Arguments.of(server, request)));
    }
}
