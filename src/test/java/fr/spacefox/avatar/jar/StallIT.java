package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client that stalls, that is, sends a part of its request and then nothing, costs the others one wait, not each.
 * Clients that pause for less than the server allows cost them nothing.
 */
class StallIT {

    /** What counts as at once, on a busy machine. */
    private static final int AT_ONCE_MILLIS = 1000;

    /** One wait, of the two to three seconds that a client has, and the requests that came in it. */
    private static final int LONGEST_MILLIS = 4500;

    /** A well-behaved client's request, which is answered: when it asked, and how long it waited. */
    private record Visit(long atMillis, long millis) {

        static Visit to(Server server, long start) throws IOException {
            long now = System.nanoTime();
            String answer = server.ask();
            var visit = new Visit((now - start) / 1_000_000, Server.millisSince(now));
            // A visit that the server has not read during another's stall counts as silent, and is cut off, too.
            assertTrue(Redirect.is(answer) || visit.isSlow() && answer.isEmpty(), () -> visit + answer);
            return visit;
        }

        boolean isSlow() {
            return millis > AT_ONCE_MILLIS;
        }
    }

    @AutoClose("shutdownNow")
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /**
     * Visits fifty times a second, even while earlier visits wait, and does something else ten times a second. Returns
     * the visits that had to wait.
     */
    private List<Visit> slowVisits(Server server, int seconds, Executable beside) throws Throwable {
        List<Future<Visit>> visits = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 0; i < seconds * 50; i++) {
            if (i % 5 == 0) beside.execute();
            visits.add(threads.submit(() -> Visit.to(server, start)));
            Thread.sleep(20);
        }
        List<Visit> slow = new ArrayList<>();
        for (Future<Visit> visit : visits) if (visit.get().isSlow()) slow.add(visit.get());
        return slow;
    }

    /** One at a time: a first request that takes long, on a busy machine, brings the pool for long. */
    private static synchronized Server warm(Mode mode, Path jdk) throws IOException {
        Server server = Server.start(mode, jdk);
        for (long start = System.nanoTime(); Server.millisSince(start) < 1500; ) server.ask();
        return server;
    }

    /** With --pool they wait for nobody. The unit's flags are left out: nginx sends whole requests. */
    @ParameterizedTest
    @EnumSource(names = {"PUBLISHED", "POOL"})
    void stallsCostTheOthersOneWait(Mode mode) throws Throwable {
        try (Server server = warm(mode, Server.JAVA_HOME)) {
            // Hang-ups that ask nothing must not change who runs the requests.
            for (int i = 0; i < 70; i++) server.connect().close();
            List<Visit> slow = slowVisits(server, 8, () -> server.connect().send(Client.HALF_HEAD));
            for (Visit visit : slow) {
                assertTrue(mode == Mode.PUBLISHED, () -> "waits for another: " + visit);
                assertTrue(visit.millis <= LONGEST_MILLIS, () -> "too long: " + visit);
                assertTrue(visit.atMillis - slow.get(0).atMillis <= LONGEST_MILLIS, () -> "twice: " + slow);
            }
            server.assertUnharmed();
        }
    }

    /** Clients, and the pause in each of their requests in ms. */
    static Stream<Arguments> pauses() throws IOException {
        return Mode.jdks().stream().flatMap(jdk -> Stream.of(Arguments.of(3, 170, jdk), Arguments.of(30, 50, jdk)));
    }

    @ParameterizedTest
    @MethodSource("pauses")
    void clientsThatPauseDelayNobody(int clients, int pauseMillis, Path jdk) throws Throwable {
        try (Server server = warm(Mode.PUBLISHED, jdk)) {
            var answers = new AtomicInteger();
            for (int i = 0; i < clients; i++) threads.submit(() -> pauseInEachRequest(server, pauseMillis, answers));
            assertEquals(List.of(), slowVisits(server, 6, () -> server.connect().close()));
            assertTrue(answers.get() > clients * 10, answers::toString);
            server.assertUnharmed();
        }
    }

    private static Void pauseInEachRequest(Server server, int millis, AtomicInteger answers) throws Exception {
        while (true) {
            Client client = server.connect(); // this fails when the server ends
            try (client) {
                while (true) {
                    client.send(Client.HALF_HEAD);
                    Thread.sleep(millis);
                    client.send("\r\n").head();
                    answers.incrementAndGet();
                }
            } catch (IOException closed) {
                // Not more than 30 idle connections are kept.
            }
        }
    }
}
