package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Client;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** More clients with keep-alive connections than it keeps: it says which connection it closes. */
class KeepAliveIT {

    /** First without a pause, so that many are in the server at a time, then with pauses, in which most are idle. */
    private static final int BUSY_MILLIS = 2000;
    private static final int MILLIS = 4000;
    private static final int LONGEST_PAUSE_MILLIS = 100; // random, so that they do not come all at once

    @ParameterizedTest
    @CsvSource({"PUBLISHED, 50", "POOL, 32", "UNIT, 120"})
    void announcesEachClose(Mode mode, int clients) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try (Server server = Server.start(mode)) {
            long start = System.nanoTime();
            Callable<String> client = () -> askUntilTheEnd(server, start);
            List<Future<String>> results = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                results.add(threads.submit(client));
            }
            List<String> failures = new ArrayList<>();
            for (Future<String> result : results) {
                failures.add(result.get());
            }
            failures.removeIf(String::isEmpty);
            assertEquals(List.of(), failures, () -> failures.size() + " of " + clients);
            server.assertUnharmed();
        } finally {
            threads.shutdownNow();
        }
    }

    /** Asks on one connection until it is told to open another. Returns what went wrong. */
    private static String askUntilTheEnd(Server server, long start) {
        int answers = 0;
        while (Server.millisSince(start) < MILLIS) {
            int before = answers;
            try (Client client = server.connect()) {
                for (boolean open = true; open && Server.millisSince(start) < MILLIS; answers++) {
                    String head = client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").head();
                    assertTrue(head.startsWith("HTTP/1.1 302 "), head);
                    open = !head.contains("\r\nConnection: close\r\n");
                    if (!open) {
                        assertEquals("", client.rest(), "closes as announced");
                    } else if (Server.millisSince(start) > BUSY_MILLIS) {
                        Thread.sleep(ThreadLocalRandom.current().nextInt(LONGEST_PAUSE_MILLIS));
                    }
                }
            } catch (IOException | InterruptedException | AssertionError e) {
                return "after " + (answers - before) + " answers on a connection: " + e;
            }
        }
        return answers > 0 ? "" : "no answer";
    }
}
