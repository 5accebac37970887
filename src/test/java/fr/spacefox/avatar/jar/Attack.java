package fr.spacefox.avatar.jar;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.util.Random;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/** What the floods are made of. */
enum Attack {

    SILENT(9000),
    HALF_HEADS(400, Text.HALF_HEAD),
    HALF_HEADS_TRICKLING(400, Flood.Then.TRICKLE, Text.HALF_HEAD),
    SLOW_BODIES(400, Text.SLOW_POST),
    SLOW_BODIES_TRICKLING(400, Flood.Then.TRICKLE, Text.SLOW_POST + "fox"),
    HUGE_HEADS(100, Text.HALF_HEAD + "a".repeat(300_000) + "\r\n\r\n"),
    HUGE_HEADS_OF_MANY_LINES(100, Text.HALF_HEAD + "a\r\nX: ".repeat(50_000) + "a" + "\r\n\r\n"),
    UNFINISHED_HEADS(400, Text.HALF_HEAD + "a".repeat(10_000)),
    ASK_AND_STAY(2000, Text.REQUEST),
    ASK_AT_ONCE(1000, "", Text.REQUEST),
    ASK_THEN_HALF_HEADS(1500, Text.REQUEST, Text.HALF_HEAD + "a".repeat(10_000)),
    ASK_AND_HALF_HEADS(1500, Text.REQUEST + Text.HALF_HEAD),
    UNFINISHED_CHUNKS(400, Text.CHUNKED_POST),
    ABORTED_CHUNKS(400, Flood.Then.RESET, Text.CHUNKED_POST),
    PIPELINES_UNREAD(20, Text.REQUEST.repeat(100_000)),
    RANDOM_BYTES(400, randomBytes()),
    TLS_HELLO(400, tlsHello());

    private interface Text {
        String REQUEST = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
        String HALF_HEAD = "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: ";
        String SLOW_POST = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n";
        String CHUNKED_POST = "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\nfox";
    }

    private final int connections;
    private final Flood.Then then;
    private final byte[][] messages;

    Attack(int connections, String... messages) {
        this(connections, Flood.Then.STAY, messages);
    }

    Attack(int connections, Flood.Then then, String... messages) {
        this.connections = connections;
        this.then = then;
        this.messages = Stream.of(messages).map(Attack::bytes).toArray(byte[][]::new);
    }

    /** Begins it; it goes on by itself until it is closed. */
    Flood on(Server server) throws IOException {
        return on(server, connections);
    }

    Flood on(Server server, int connections) throws IOException {
        return new Flood(server.port, connections, then, messages);
    }

    private static byte[] bytes(String message) {
        return message.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String randomBytes() {
        byte[] bytes = new byte[4000];
        new Random(2).nextBytes(bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static String tlsHello() {
        try {
            SSLEngine engine = SSLContext.getDefault().createSSLEngine();
            engine.setUseClientMode(true);
            ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
            engine.wrap(ByteBuffer.allocate(0), hello);
            return new String(hello.array(), 0, hello.position(), StandardCharsets.ISO_8859_1);
        } catch (NoSuchAlgorithmException | SSLException e) {
            throw new AssertionError(e);
        }
    }
}
