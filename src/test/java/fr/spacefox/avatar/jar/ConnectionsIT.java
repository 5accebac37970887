package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Await;
import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** There are as many connections as the heap can bear, and a crowd of clients that come and go is served by them. */
class ConnectionsIT {

    /** With more the process would run out of memory, and with fewer it would turn clients away. */
    @ParameterizedTest
    @CsvSource({"-Xmx8m, 64", "-Xmx64m, 512"})
    void admitsTheConnectionsThatTheHeapBears(String flag, int connections) throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED, Server.JAVA_HOME, "-XX:+UseG1GC", flag)) {
            server.assertServes(connections);
            assertThrows(IOException.class, () -> server.serves(connections + 1));
            server.assertUnharmed();
        }
    }

    /** Each asks and stays, and there are as many of them as connections. Nobody who comes then has to try twice. */
    @Test
    void leavesRoomWhenThoseWhoHaveAskedStay() throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED)) {
            int all = server.maxConnections();
            for (int i = 0; i < all; i++)
                Redirect.check(server.connect().send(Client.GET).head());
            Redirect.check(server.ask());
        }
    }

    /** All ask while the process stands still, so that it answers all in one turn, and all are idle at once. */
    @ParameterizedTest
    @MethodSource("fr.spacefox.avatar.jar.Mode#jdks")
    void admitsNewClientsAlthoughAllConnectionsBecameIdleAtOnce(Path jdk) throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED, jdk)) {
            server.assertServesAll();
            List<Client> open = new ArrayList<>();
            int all = server.maxConnections();
            int before = server.descriptors();
            for (int i = 0; i < all; i++) open.add(server.connect());
            Await.until("all connections", () -> server.descriptors() >= before + all);
            server.signal("STOP");
            for (Client client : open) client.send(Client.GET);
            server.signal("CONT");
            for (Client client : open) Redirect.check(client.head());
            server.assertAnswers("although all connections are idle");
        }
    }

    /** Each connects, asks and goes; the heap has room for more connections than that. */
    @ParameterizedTest
    @Needs(Needs.Tool.AB)
    @MethodSource("crowds")
    void losesNoneOfACrowd(int clients, String heap, Mode mode, Path jdk) throws Exception {
        try (Server server = Server.start(mode, jdk, heap)) {
            String url = "http://127.0.0.1:" + server.port + "/";
            String report = Command.run("ab", "-q", "-n", "10000", "-c", "" + clients, url)
                    .ok();
            assertTrue(report.contains("\nFailed requests:        0\nNon-2xx responses:      10000\n"), report);
            server.assertUnharmed();
        }
    }

    static Stream<Arguments> crowds() throws IOException {
        return Mode.jdks().stream()
                .flatMap(jdk -> Stream.of(
                        Arguments.of(50, "-Xmx8m", Mode.PUBLISHED, jdk),
                        Arguments.of(50, "-Xmx8m", Mode.POOL, jdk),
                        Arguments.of(400, "-Xmx64m", Mode.POOL, jdk)));
    }
}
