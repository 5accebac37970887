package fr.spacefox.avatar.jar;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What the floods are made of: one for each thing that the server and its limits can tell apart. */
enum Attack {
    SILENT(9000, ""),
    HALF_HEADS(400, Text.HALF_HEADER),
    HALF_HEADS_TRICKLING(400, Text.HALF_HEADER, Flood.Then.TRICKLE),
    HUGE_HEADS(100, Text.HALF_HEADER + "a".repeat(300_000) + "\r\n\r\n"),
    HUGE_HEADS_OF_MANY_LINES(100, Text.HALF_HEADER + "a\r\nX: ".repeat(50_000) + "a" + "\r\n\r\n"),
    BODIES_THAT_NEVER_COME(400, Text.POST + "\r\n"),
    ABORTED_BODIES(400, Text.POST + "\r\nfox", Flood.Then.RESET),
    ASK_AND_STAY(2000, Client.GET),
    ASK_AND_HALF_HEADS(1500, Client.GET + Text.HALF_HEADER),
    PIPELINES_UNREAD(20, Client.GET.repeat(100_000)),
    RANDOM_BYTES(400, randomBytes()),

    // The costliest requests that the limits admit, 30 distinct headers or 5,000 bytes, on all connections.
    MANY_HEADERS(0, Text.POST + distinctHeaders(28) + "\r\n"),
    MANY_HEADERS_UNREAD(0, (Client.HALF_HEAD + distinctHeaders(29) + "\r\n").repeat(400)),
    ESCAPED_URLS(0, "GET /" + "%41".repeat(1500) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");

    static final List<Attack> COSTLIEST = List.of(MANY_HEADERS, MANY_HEADERS_UNREAD, ESCAPED_URLS);
    static final List<Attack> FLOODS =
            Stream.of(values()).filter(attack -> !COSTLIEST.contains(attack)).toList();

    private interface Text {
        String HALF_HEADER = Client.HALF_HEAD + "Accept: ";
        String POST = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n";
    }

    private final int connections;
    private final Flood.Then then;
    private final byte[] message;

    Attack(int connections, String message) {
        this(connections, message, Flood.Then.STAY);
    }

    Attack(int connections, String message, Flood.Then then) {
        this.connections = connections;
        this.then = then;
        this.message = message.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Begins it; it goes on by itself until it is closed. */
    Flood on(Server server) throws IOException {
        return on(server, connections);
    }

    Flood on(Server server, int connections) throws IOException {
        return new Flood(server.port, connections, message, then);
    }

    static String distinctHeaders(int count) {
        return IntStream.range(0, count).mapToObj(i -> "X" + i + ":\r\n").collect(Collectors.joining());
    }

    private static String randomBytes() {
        byte[] bytes = new byte[4000];
        new Random(2).nextBytes(bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
