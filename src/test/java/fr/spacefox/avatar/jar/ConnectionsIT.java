package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Await;
import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** There are as many connections as the heap can bear, and a crowd of clients that come and go is served by them. */
class ConnectionsIT {

    private static final String G1 = "-XX:+UseG1GC"; // the others leave some of the heap out of what they report

    /** With more the process would run out of memory, and with fewer it would turn clients away. */
    @ParameterizedTest
    @CsvSource({"-Xmx8m, 64", "-Xmx16m, 128"})
    void admitsTheConnectionsThatTheHeapBears(String heap, int connections) throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED, Server.JAVA_HOME, G1, heap)) {
            Await.until(connections + " connections", () -> server.serves(connections));
            assertThrows(IOException.class, () -> server.serves(connections + 1));
            server.assertUnharmed();
        }
    }

    /** Each asks and stays, and there are as many of them as connections. Thirty who come then need not try twice. */
    @Test
    void leavesRoomWhenThoseWhoHaveAskedStay() throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED, Server.JAVA_HOME, G1)) {
            for (int i = 0; i < 64; i++)
                Redirect.check(server.connect().send(Client.GET).head());
            assertTrue(server.serves(30));
        }
    }

    /** Linux connects them while the server does something else; 50 is the JDK's default. */
    @Test
    void aBurstOfClientsWaitsUntilTheServerHasTime() throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED)) {
            server.signal("STOP");
            for (int i = 0; i < 1000; i++) server.connect();
        }
    }

    /** CLDR would take 300 KB for a Date header, 700 in Java 25, and without --pool the dispatcher needs no pool. */
    @Test
    void leavesOutOfTheHeapWhatItDoesNotNeed() throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED)) {
            Redirect.check(server.ask());
            String classes = server.classes();
            assertFalse(classes.contains("CLDRCalendarNameProvider"), classes);
            assertFalse(classes.contains("ThreadPoolExecutor"), classes);
        }
    }

    static Stream<Arguments> crowds() throws IOException {
        return Mode.jdks().stream()
                .flatMap(jdk -> Stream.of(
                        Arguments.of(50, "-Xmx8m", Mode.PUBLISHED, jdk),
                        Arguments.of(50, "-Xmx8m", Mode.POOL, jdk),
                        Arguments.of(400, "-Xmx64m", Mode.POOL, jdk)));
    }

    /** Each connects, asks and goes; the heap has room for more connections than that. */
    @ParameterizedTest
    @Needs(Needs.Tool.AB)
    @MethodSource("crowds")
    void losesNoneOfACrowd(int clients, String heap, Mode mode, Path jdk) throws Exception {
        try (Server server = Server.start(mode, jdk, heap)) {
            String url = "http://localhost:" + server.port + "/";
            String[] ab = {"ab", "-q", "-n", "5000", "-c", "" + clients, url};
            // A busy machine can let one of them rest for two seconds, and it is cut off.
            Await.until("a crowd without a loss", () -> {
                String report = Command.run(ab).output();
                return report.contains("\nFailed requests:        0\nNon-2xx responses:      5000\n");
            });
            server.assertUnharmed();
        }
    }
}
