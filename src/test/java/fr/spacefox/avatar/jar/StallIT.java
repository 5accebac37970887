package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Await;
import fr.spacefox.avatar.support.Client;
import fr.spacefox.avatar.support.Jdks;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client that stalls, that is, sends a part of its request and then nothing, costs the others one wait, not each.
 * Clients that pause for less than the server allows cost them nothing, and neither does a process that nobody asks.
 */
class StallIT {

    /** What counts as at once, on a busy machine. */
    private static final int AT_ONCE_MILLIS = 1000;

    /** One wait, of the two seconds that a client has, and the requests that came in it. */
    private static final int LONGEST_MILLIS = 3500;

    /** A well-behaved client's request, which is answered: when it asked, and how long it waited. */
    private record Visit(long atMillis, long millis) {

        static Visit to(Server server, long start) throws IOException {
            long now = System.nanoTime();
            String answer = server.ask();
            var visit = new Visit((now - start) / 1_000_000, Server.millisSince(now));
            // One that was accepted with a stalled one and whose request is not yet read has been silent as long.
            assertTrue(Redirect.is(answer) || !visit.isAtOnce() && answer.isEmpty(), () -> visit + answer);
            return visit;
        }

        boolean isAtOnce() {
            return millis <= AT_ONCE_MILLIS;
        }
    }

    @AutoClose("shutdownNow")
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** Visits fifty times a second, even while earlier visits wait, and does something else ten times a second. */
    private List<Visit> visit(Server server, int seconds, Executable beside) throws Throwable {
        List<Future<Visit>> visits = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 0; i < seconds * 50; i++) {
            if (i % 5 == 0) beside.execute();
            visits.add(threads.submit(() -> Visit.to(server, start)));
            Thread.sleep(20);
        }
        List<Visit> done = new ArrayList<>();
        for (Future<Visit> visit : visits) done.add(visit.get());
        return done;
    }

    /** One at a time: a first request that takes long, on a busy machine, brings the pool for long. */
    private static synchronized Server warm(Mode mode, Path jdk) throws IOException {
        Server server = Server.start(mode, jdk);
        for (long start = System.nanoTime(); Server.millisSince(start) < 1500; ) server.ask();
        return server;
    }

    /** Not with the unit's flags: nginx sends whole requests, and the unit looks for stalls once a second. */
    @ParameterizedTest
    @EnumSource(names = {"PUBLISHED", "POOL"})
    void stallsCostTheOthersOneWait(Mode mode) throws Throwable {
        try (Server server = warm(mode, Server.JAVA_HOME)) {
            // Hang-ups that ask nothing must not change who runs the requests.
            for (int i = 0; i < 70; i++) server.connect().close();
            List<Visit> visits = visit(server, 8, () -> server.connect().send(Client.HALF_HEAD));
            List<Visit> slow =
                    visits.stream().filter(visit -> !visit.isAtOnce()).toList();
            for (Visit visit : slow) {
                assertTrue(visit.millis <= LONGEST_MILLIS, () -> "too long: " + visit);
                assertTrue(visit.atMillis - slow.get(0).atMillis <= LONGEST_MILLIS, () -> "twice: " + slow);
            }
            server.assertUnharmed();
        }
    }

    /** Ten that begin 0.1 s apart: were a stall only noticed once a second, half of them would last 2.5 s or more. */
    @Test
    void aStallLastsTwoSecondsAndNotThree() throws Exception {
        try (Server server = Server.start(Mode.POOL)) {
            Map<Client, Long> starts = new LinkedHashMap<>();
            for (int i = 0; i < 10; i++) {
                starts.put(server.connect().send(Client.HALF_HEAD), System.nanoTime());
                Thread.sleep(100);
            }
            List<Long> millis = new ArrayList<>();
            for (Client stalled : starts.keySet()) {
                assertEquals("", stalled.rest());
                millis.add(Server.millisSince(starts.get(stalled)));
            }
            assertTrue(millis.stream().allMatch(ms -> ms >= 1900), millis::toString);
            assertTrue(millis.stream().filter(ms -> ms >= 2400).count() < 5, millis::toString);
        }
    }

    /** A stall of 0.1 s brings the pool for some 3 s. The dispatcher is back when a stall makes others wait again. */
    @Test
    void aStallBringsThePoolForAWhileOnly() throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED)) {
            try (Client first = server.connect().send(Client.HALF_HEAD)) {
                Thread.sleep(100);
                first.send("\r\n").head();
            }
            assertTrue(!stallMakesOthersWait(server), "the pool");
            Await.until("the dispatcher", Duration.ofSeconds(25), () -> stallMakesOthersWait(server));
            server.assertUnharmed();
        }
    }

    private static boolean stallMakesOthersWait(Server server) throws IOException {
        try (Client stalled = server.connect().send(Client.HALF_HEAD)) {
            return !Visit.to(server, System.nanoTime()).isAtOnce();
        }
    }

    /** Clients, and the pause in each of their requests in ms. */
    static Stream<Arguments> pauses() throws IOException {
        return Jdks.all().stream().flatMap(jdk -> Stream.of(Arguments.of(3, 170, jdk), Arguments.of(30, 50, jdk)));
    }

    @ParameterizedTest
    @MethodSource("pauses")
    void clientsThatPauseDelayNobody(int clients, int pauseMillis, Path jdk) throws Throwable {
        try (Server server = warm(Mode.PUBLISHED, jdk)) {
            var answers = new AtomicInteger();
            for (int i = 0; i < clients; i++) threads.submit(() -> pauseInEachRequest(server, pauseMillis, answers));
            List<Visit> visits = visit(server, 6, () -> server.connect().close());
            for (Visit visit : visits) assertTrue(visit.isAtOnce(), visit::toString);
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

    @ParameterizedTest
    @MethodSource("fr.spacefox.avatar.jar.Mode#onEveryJdk")
    void aProcessThatNobodyAsksUsesLessThanATwentiethOfACore(Mode mode, Path jdk) throws Exception {
        try (Server server = Server.start(mode, jdk)) {
            server.assertServesAll();
            Thread.sleep(1000); // compilers come to an end
            Duration before = server.cpuTime();
            Thread.sleep(3000);
            Duration used = server.cpuTime().minus(before);
            assertTrue(used.toMillis() < 3000 / 20, () -> used + " in 3 s");
        }
    }
}
