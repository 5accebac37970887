package fr.spacefox.avatar.jar;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What the floods are made of: one for each thing that the server and its limits can tell apart. */
enum Attack {
    SILENT(9000, ""),
    HALF_HEADS(400, Client.HALF_HEAD),
    HUGE_HEADS(100, Client.HALF_HEAD + "X: " + "a".repeat(300_000) + "\r\n\r\n"),
    HUGE_HEADS_OF_MANY_LINES(100, Client.HALF_HEAD + "X: a\r\n".repeat(50_000) + "\r\n"),
    BODIES_THAT_NEVER_COME(400, Client.POST + "\r\nfox"),
    ASK_AND_STAY(2000, Client.GET),
    ASK_AND_HALF_HEADS(1500, Client.GET + Client.HALF_HEAD),
    PIPELINES_UNREAD(20, Client.GET.repeat(100_000)),
    RANDOM_BYTES(400, randomBytes()),

    // The costliest requests that the limits admit, 30 distinct headers or 5,000 bytes, on more than all connections.
    MANY_HEADERS(100, Client.POST + distinctHeaders(28) + "\r\n"),
    MANY_HEADERS_UNREAD(100, (Client.HALF_HEAD + distinctHeaders(29) + "\r\n").repeat(100)),
    ESCAPED_URLS(100, "GET /" + "%41".repeat(1500) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");

    private final int connections;
    private final byte[] message;

    Attack(int connections, String message) {
        this.connections = connections;
        this.message = message.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Begins it; it goes on by itself until it is closed. */
    Flood on(Server server) throws IOException {
        return new Flood(server.port, connections, message);
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
