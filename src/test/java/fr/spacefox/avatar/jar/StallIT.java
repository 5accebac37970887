package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Client;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A client that stalls, that is, sends a part of its request and then nothing, costs the others one wait, not each. */
class StallIT {

    private static final String HALF_HEADER = "GET / HTTP/1.1\r\nHost: localhost\r\n";
    private static final int SECONDS = 12;
    private static final int ASKS_PER_SECOND = 50;

    /** One wait, of the two seconds that a client has and up to one until the server looks; and the requests in it. */
    private static final int LONGEST_MILLIS = 3500;
    /** What counts as at once, on a busy machine. */
    private static final int SHORT_MILLIS = 1000;

    /** When a well-behaved client asked, how long it waited, and what it got. */
    private record Visit(long atMillis, long millis, String outcome) {}

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @CsvSource({"PUBLISHED, 1", "PUBLISHED, 10", "POOL, 1", "POOL, 10", "UNIT, 1", "UNIT, 10"})
    void costsTheOthersOneWait(Mode mode, int stallsPerSecond) throws Exception {
        try (Server server = Server.start(mode)) {
            assertOneWait(server, stallsPerSecond);
        }
    }

    private static void assertOneWait(Server server, int stallsPerSecond) throws Exception {
        server.ask(); // the classes are loaded
        List<Visit> visits = visitsDuringStalls(server, stallsPerSecond);
        List<Visit> lost = visits.stream()
                .filter(visit -> !visit.outcome.startsWith("HTTP/1.1 302 "))
                .toList();
        assertEquals(List.of(), lost);
        List<Visit> slow =
                visits.stream().filter(visit -> visit.millis > SHORT_MILLIS).toList();
        for (Visit visit : slow) {
            assertTrue(visit.millis <= LONGEST_MILLIS, () -> "too long: " + visit);
            assertTrue(visit.atMillis - slow.get(0).atMillis <= LONGEST_MILLIS, () -> "once: " + slow.get(0) + visit);
        }
        server.assertUnharmed();
    }

    private static List<Visit> visitsDuringStalls(Server server, int stallsPerSecond) throws Exception {
        List<Client> stalled = new ArrayList<>();
        List<Future<Visit>> visits = new ArrayList<>();
        ExecutorService visitors = Executors.newCachedThreadPool();
        try {
            long start = System.nanoTime();
            for (int i = 0; i < SECONDS * ASKS_PER_SECOND; i++) {
                if (i % (ASKS_PER_SECOND / stallsPerSecond) == 0) {
                    stalled.add(server.connect().send(HALF_HEADER));
                }
                visits.add(visitors.submit(() -> visit(server, Server.millisSince(start))));
                Thread.sleep(1000 / ASKS_PER_SECOND);
            }
            List<Visit> done = new ArrayList<>();
            for (Future<Visit> visit : visits) {
                done.add(visit.get());
            }
            return done;
        } finally {
            visitors.shutdownNow();
            Client.closeAll(stalled);
        }
    }

    private static Visit visit(Server server, long atMillis) {
        long start = System.nanoTime();
        String outcome;
        try {
            outcome = server.ask();
        } catch (IOException e) {
            outcome = e.toString();
        }
        return new Visit(atMillis, Server.millisSince(start), outcome);
    }

    /** Hang-ups that ask nothing must not change who runs the requests. */
    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void costsTheOthersOneWaitAfterHangUps(Mode mode) throws Exception {
        try (Server server = Server.start(mode)) {
            for (int i = 0; i < 70; i++) {
                server.connect().close();
            }
            assertOneWait(server, 1);
        }
    }

    /** Each pauses for less than the server allows, again and again: they do not hold everybody for long. */
    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void pausesDelayNobodyForLong(Mode mode) throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(5);
        try (Server server = Server.start(mode)) {
            server.ask(); // the classes are loaded
            for (int i = 0; i < 5; i++) {
                clients.submit(() -> pauseInEachRequest(server));
            }
            for (long start = System.nanoTime(); Server.millisSince(start) < SECONDS * 1000; Thread.sleep(20)) {
                Visit visit = visit(server, Server.millisSince(start));
                assertTrue(visit.outcome.startsWith("HTTP/1.1 302 "), visit::toString);
                assertTrue(visit.millis <= SHORT_MILLIS, visit::toString);
            }
            server.assertUnharmed();
        } finally {
            clients.shutdownNow();
        }
    }

    private static Void pauseInEachRequest(Server server) throws IOException, InterruptedException {
        while (true) {
            try (Client client = server.connect()) {
                while (true) {
                    client.send(HALF_HEADER);
                    Thread.sleep(300);
                    client.send("\r\n").head();
                }
            } catch (EOFException closed) {
                // it keeps half of its connections alive
            }
        }
    }
}
