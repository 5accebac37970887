package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Client;
import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Jdks;
import fr.spacefox.avatar.support.Tools;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** As many connections as the heap can bear, and how many clients those are enough for. */
class ConnectionsIT {

    @ParameterizedTest
    @CsvSource({"-Xmx8m, 64", "-Xmx64m, 512", "-Djdk.httpserver.maxConnections=3, 3"})
    void followTheHeap(String flag, int connections) throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED, Server.JAVA_HOME, "-XX:+UseG1GC", flag)) {
            server.assertServes(connections);
            Thread.sleep(500); // those connections are closed
            List<Client> open = new ArrayList<>();
            try {
                for (int i = 0; i < connections; i++) {
                    open.add(server.connect());
                }
                assertUnanswered(server);
            } finally {
                Client.closeAll(open);
            }
            server.assertServes(connections);
            server.assertUnharmed();
        }
    }

    private static void assertUnanswered(Server server) throws IOException {
        try {
            assertEquals("", server.ask());
        } catch (SocketException reset) {
            // closed before it was read
        }
    }

    /** A thousand within one second, each of which connects, asks and closes. */
    @ParameterizedTest
    @MethodSource("fr.spacefox.avatar.jar.Mode#onEveryJdk")
    void losesNoneOfAThousandThatComeAndGo(Mode mode, Path jdk) throws Exception {
        ScheduledExecutorService clients = Executors.newScheduledThreadPool(50);
        try (Server server = Server.start(mode, jdk)) {
            for (int i = 0; i < 2000; i++) {
                server.ask(); // the JVM gets warm
            }
            List<Future<String>> answers = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                answers.add(clients.schedule(server::ask, i, TimeUnit.MILLISECONDS));
            }
            for (Future<String> answer : answers) {
                assertTrue(answer.get().startsWith("HTTP/1.1 302 "), answer.get());
            }
            server.assertUnharmed();
        } finally {
            clients.shutdownNow();
        }
    }

    /** Clients at once, and a heap for more connections than that. */
    static Stream<Arguments> crowds() throws IOException {
        return Jdks.all().stream()
                .flatMap(jdk -> Stream.concat(
                        Stream.of(Mode.values()).map(mode -> Arguments.of(50, "-Xmx8m", mode, jdk)),
                        Stream.of(Mode.PUBLISHED, Mode.POOL).map(mode -> Arguments.of(400, "-Xmx64m", mode, jdk))));
    }

    @ParameterizedTest
    @MethodSource("crowds")
    void losesNoneOf(int clients, String heap, Mode mode, Path jdk) throws Exception {
        Tools.need("ab");
        try (Server server = Server.start(mode, jdk, heap)) {
            String url = "http://127.0.0.1:" + server.port + "/";
            String report = Command.run("ab", "-q", "-n", "10000", "-c", "" + clients, url)
                    .ok();
            for (String line :
                    List.of("Complete requests: +10000", "Failed requests: +0", "Non-2xx responses: +10000")) {
                assertTrue(report.matches("(?s).*\\n" + line + "\\n.*"), report);
            }
            server.assertUnharmed();
        }
    }
}
