package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Await;
import fr.spacefox.avatar.support.Client;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client that stalls, that is, sends a part of its request and then nothing, costs the others one wait, not each. */
class StallIT {

    private static final int SECONDS = 8;
    private static final int ASKS_PER_SECOND = 50;
    private static final int STALLS_PER_SECOND = 10;

    /** One wait, of the two seconds that a client has, and the requests that came in it. */
    private static final int LONGEST_MILLIS = 3500;

    /** Hang-ups that ask nothing must not change who runs the requests. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @EnumSource
    void stallsCostTheOthersOneWait(Mode mode) throws Exception {
        try (Server server = Server.start(mode)) {
            for (int i = 0; i < 70; i++) {
                server.connect().close();
            }
            server.ask(); // the classes are loaded
            List<Visit> visits = visitsDuringStalls(server);
            List<Visit> lost =
                    visits.stream().filter(visit -> !visit.isRedirect()).toList();
            assertEquals(List.of(), lost);
            List<Visit> slow =
                    visits.stream().filter(visit -> !visit.isAtOnce()).toList();
            for (Visit visit : slow) {
                assertTrue(visit.millis() <= LONGEST_MILLIS, () -> "too long: " + visit);
                assertTrue(visit.atMillis() - slow.get(0).atMillis() <= LONGEST_MILLIS, () -> "twice: " + slow);
            }
            server.assertUnharmed();
        }
    }

    private static List<Visit> visitsDuringStalls(Server server) throws Exception {
        List<Client> stalled = new ArrayList<>();
        List<Future<Visit>> visits = new ArrayList<>();
        ExecutorService visitors = Executors.newCachedThreadPool();
        try {
            long start = System.nanoTime();
            for (int i = 0; i < SECONDS * ASKS_PER_SECOND; i++) {
                if (i % (ASKS_PER_SECOND / STALLS_PER_SECOND) == 0) {
                    stalled.add(server.connect().send(Client.HALF_HEAD));
                }
                visits.add(visitors.submit(() -> Visit.to(server, start)));
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

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @EnumSource
    void closesAStalledConnectionAfterTwoSeconds(Mode mode) throws Exception {
        try (Server server = Server.start(mode);
                Client stalled = server.connect().send(Client.HALF_HEAD)) {
            assertEquals("", stalled.rest());
        }
    }

    /** A stall of 0.1 s brings the pool for some 3 s. The dispatcher is back when a stall makes others wait again. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
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
            Visit visit = Visit.to(server, System.nanoTime());
            assertTrue(visit.isRedirect(), visit::toString);
            return !visit.isAtOnce();
        }
    }
}
