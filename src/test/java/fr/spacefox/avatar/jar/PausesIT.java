package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Client;
import fr.spacefox.avatar.support.Jdks;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Clients that pause in each request, always for less than the server allows, do not hold up the others. */
class PausesIT {

    private static final int SECONDS = 6;

    /** Clients, the pause in each of their requests in ms, and connections a second that ask nothing. */
    static Stream<Arguments> pauses() throws IOException {
        return Jdks.all().stream()
                .flatMap(jdk -> Stream.of(
                        Arguments.of(3, 170, 10, jdk), Arguments.of(10, 150, 0, jdk), Arguments.of(30, 50, 10, jdk)));
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @MethodSource("pauses")
    void clientsThatPauseDelayNobody(int clients, int pauseMillis, int bareConnections, Path jdk) throws Exception {
        ScheduledExecutorService threads = Executors.newScheduledThreadPool(clients + 1);
        try (Server server = warm(jdk)) {
            for (int i = 0; i < clients; i++) {
                threads.submit(() -> pauseInEachRequest(server, pauseMillis));
            }
            if (bareConnections > 0) {
                threads.scheduleAtFixedRate(
                        () -> connectAndClose(server), 0, 1000 / bareConnections, TimeUnit.MILLISECONDS);
            }
            for (long start = System.nanoTime(); Server.millisSince(start) < SECONDS * 1000; Thread.sleep(20)) {
                Visit visit = Visit.to(server, start);
                assertTrue(visit.isRedirect() && visit.isAtOnce(), visit::toString);
            }
            server.assertUnharmed();
        } finally {
            threads.shutdownNow();
        }
    }

    /** One at a time: a first request that takes long, on a busy machine, brings the pool for long. */
    private static synchronized Server warm(Path jdk) throws IOException {
        Server server = Server.start(Mode.PUBLISHED, jdk);
        for (long start = System.nanoTime(); Server.millisSince(start) < 1500; ) {
            server.ask();
        }
        return server;
    }

    private static Void pauseInEachRequest(Server server, int millis) throws IOException, InterruptedException {
        while (true) {
            try (Client client = server.connect()) {
                while (true) {
                    client.send(Client.HALF_HEAD);
                    Thread.sleep(millis);
                    client.send("\r\n").head();
                }
            } catch (EOFException closed) {
                // it keeps half of its connections alive
            }
        }
    }

    private static void connectAndClose(Server server) {
        try {
            server.connect().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
