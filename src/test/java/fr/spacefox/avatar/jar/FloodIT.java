package fr.spacefox.avatar.jar;

import fr.spacefox.avatar.jar.Server.Mode;
import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** No flood ends the process. With --pool it answers while the attackers hang on, and without it afterwards. */
@Execution(ExecutionMode.SAME_THREAD) // each flood alone, but beside other tests
class FloodIT {

    /** Many connections that each send a message: one for each thing that the server and its limits can tell apart. */
    private enum Flood {
        SILENT(9000, ""),
        HALF_HEADS(400, Client.HALF_HEAD),
        HUGE_HEADS(100, Client.HALF_HEAD + "X: " + "a".repeat(300_000) + "\r\n\r\n"),
        HUGE_HEADS_OF_MANY_LINES(100, Client.HALF_HEAD + "X: a\r\n".repeat(50_000) + "\r\n"),
        BODIES_THAT_NEVER_COME(400, Client.POST + "\r\nfox"),
        ASK_AND_STAY(2000, Client.GET),
        ASK_AND_HALF_HEADS(1500, Client.GET + Client.HALF_HEAD),
        PIPELINES_UNREAD(20, Client.GET.repeat(100_000)),
        RANDOM_BYTES(400, randomBytes()),

        // The costliest requests that the limits admit, 30 distinct headers or 5,000 bytes, on more than all
        // connections.
        MANY_HEADERS(100, Client.POST + distinctHeaders(28) + "\r\n"),
        MANY_HEADERS_UNREAD(100, (Client.HALF_HEAD + distinctHeaders(29) + "\r\n").repeat(100)),
        ESCAPED_URLS(100, "GET /" + "%41".repeat(1500) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");

        private final int connections;
        private final byte[] message;

        Flood(int connections, String message) {
            this.connections = connections;
            this.message = message.getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    private static final int ALL = 60; // SerialGC has 62 connections in 8 MB

    private static final int SENDING_MILLIS = 4000; // a server that reads nothing more can put the end off

    static String distinctHeaders(int count) {
        return IntStream.range(0, count).mapToObj(i -> "X" + i + ":\r\n").collect(Collectors.joining());
    }

    private static String randomBytes() {
        return new Random(2).ints(4000, 0, 256).mapToObj(Character::toString).collect(Collectors.joining());
    }

    /**
     * With the collectors that the JVM picks by itself on large and on small machines. What an attack leaves behind for
     * a while, such as aborted connections, must leave room for the next.
     */
    @ParameterizedTest
    @CsvSource({"PUBLISHED, -XX:+UseG1GC", "POOL, -XX:+UseG1GC", "POOL, -XX:+UseSerialGC"})
    void survivesEachFloodUponTheOther(Mode mode, String collector) throws Exception {
        for (Path jdk : Jdk.all())
            try (Server server = Server.start(mode, jdk, collector)) {
                for (Flood flood : Flood.values()) {
                    try (AutoCloseable connections = begin(flood, server)) {
                        if (mode == Mode.POOL) server.assertAnswers("during " + flood);
                    }
                    server.assertAnswers("after " + flood);
                }
                server.assertServes(ALL, "after all");
            }
    }

    /** Continual requests on ten thousand connections; half of them end after each answer. */
    @ParameterizedTest
    @EnumSource(names = {"PUBLISHED", "POOL"}) // the unit's JVM has no client but nginx
    @Needs(Needs.Tool.WRK)
    void survivesTenThousandClientsAtOnce(Mode mode) throws Exception {
        try (Server server = Server.start(mode, Jdk.first())) {
            String wrk = "wrk -t1 -c5000 -d4 http://127.0.0.1:" + server.port + "/";
            String both = wrk + " & " + wrk + " -H 'Connection: close' && wait";
            Command.run("sh", "-c", "ulimit -n $(ulimit -Hn); " + both).ok();
            server.assertServes(ALL, "after all");
        }
    }

    /** Sends all as fast as the server takes it, and reads nothing. The connections stay until they are closed. */
    private static AutoCloseable begin(Flood flood, Server server) throws IOException, InterruptedException {
        Map<SocketChannel, ByteBuffer> sending = new HashMap<>();
        for (int i = 0; i < flood.connections; i++) {
            SocketChannel channel = SocketChannel.open();
            sending.put(channel, ByteBuffer.wrap(flood.message));
            channel.setOption(StandardSocketOptions.SO_RCVBUF, 1024); // so that few answers wait to be read
            channel.configureBlocking(false);
            channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port));
        }
        SocketChannel[] channels = sending.keySet().toArray(SocketChannel[]::new);
        for (int millis = 0; millis < SENDING_MILLIS && !sending.isEmpty(); millis++) {
            sending.entrySet().removeIf(entry -> hasSent(entry.getKey(), entry.getValue()));
            Thread.sleep(1);
        }
        return () -> {
            for (SocketChannel channel : channels) channel.close();
        };
    }

    private static boolean hasSent(SocketChannel channel, ByteBuffer message) {
        try {
            return channel.finishConnect() && channel.write(message) >= 0 && !message.hasRemaining();
        } catch (IOException closedByServer) {
            return true;
        }
    }
}
