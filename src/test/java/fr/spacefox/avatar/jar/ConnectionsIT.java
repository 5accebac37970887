package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.jar.Server.Mode;
import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * There are as many connections as the heap can bear. A client that stalls loses its own, and a crowd of clients that
 * come and go is served.
 */
class ConnectionsIT {

    private static final String G1 = "-XX:+UseG1GC"; // the others leave some of the heap out of what they report

    /** With more the process would run out of memory, and with fewer it would turn clients away. */
    @ParameterizedTest
    @CsvSource({"-Xmx8m, 64", "-Xmx16m, 128"})
    void admitsTheConnectionsThatTheHeapBears(String heap, int connections) throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED, Jdk.first(), G1, heap)) {
            server.patiently(() -> server.serves(connections));
            assertThrows(IOException.class, () -> server.serves(connections + 1));
            server.assertUnharmed();
        }
    }

    /** Each asks and stays, and there are as many of them as connections. Thirty who come then need not try twice. */
    @Test
    void leavesRoomWhenThoseWhoHaveAskedStay() throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED, Jdk.first(), G1)) {
            server.patiently(() -> {
                for (int i = 0; i < 64; i++) server.connect().send(Client.GET).number();
                server.serves(30);
            });
        }
    }

    /** Who stays behind an answer, asks nothing, sends half a head or half a body, or does not read. */
    @Test
    void aClientThatStallsIsCutOff() throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED, Jdk.first())) {
            List<Client> stalled = new ArrayList<>();
            for (String message : List.of(Client.GET, "", Client.HALF_HEAD, Client.POST + "\r\nfox"))
                stalled.add(server.connect().send(message));
            Client unread = server.connect();
            Duration limit = Duration.ofMinutes(1);
            assertTimeoutPreemptively(
                    limit,
                    () -> assertThrows(SocketException.class, () -> {
                        while (true) unread.send(Client.GET.repeat(1000));
                    }));
            for (Client client : stalled) {
                String answer = client.rest();
                if (!answer.isEmpty()) client.number(answer);
            }
            server.assertAnswers("behind clients that stalled");
        }
    }

    /** Those who only pause are answered, too. */
    @Test
    void withAPoolNobodyWaitsForClientsThatStall() throws Exception {
        for (Path jdk : Jdk.all())
            try (Server server = Server.start(Mode.POOL, jdk)) {
                server.patiently(() -> {
                    List<Client> others = new ArrayList<>();
                    for (int i = 0; i < 30; i++) others.add(server.connect().send(Client.HALF_HEAD));
                    Thread.sleep(100); // the server reads them
                    server.serves(1);
                    for (Client other : others) other.send("\r\n").number(); // else it has been cut off meanwhile
                });
                server.assertUnharmed();
            }
    }

    /** Linux connects them while the server does something else; 50 is the JDK's default. */
    @Test
    void aBurstOfClientsWaitsUntilTheServerHasTime() throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED, Jdk.first())) {
            Command.run("sh", "-c", "kill -STOP " + server.process.pid()).ok();
            for (int i = 0; i < 1000; i++) server.connect();
        }
    }

    /** CLDR would take 300 KB for a Date header, 700 in Java 25, and without --pool the dispatcher needs no pool. */
    @Test
    void leavesOutOfTheHeapWhatItDoesNotNeed() throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED, Jdk.first())) {
            server.patiently(() -> server.serves(1));
            String jcmd = Jdk.first() + "/bin/jcmd";
            String classes = Command.run(jcmd, "" + server.process.pid(), "GC.class_histogram")
                    .ok();
            assertFalse(classes.contains("CLDRCalendarNameProvider"), classes);
            assertFalse(classes.contains("ThreadPoolExecutor"), classes);
        }
    }

    /** Each connects, asks and goes; the heap has room for more connections than that. */
    @ParameterizedTest
    @Needs(Needs.Tool.AB)
    @CsvSource({"50, -Xmx8m, PUBLISHED", "50, -Xmx8m, POOL", "400, -Xmx64m, POOL"})
    void losesNoneOfACrowd(int clients, String heap, Mode mode) throws Exception {
        for (Path jdk : Jdk.all())
            try (Server server = Server.start(mode, jdk, heap)) {
                String ab = "ab -q -n 5000 -c " + clients + " http://localhost:" + server.port + "/";
                server.patiently(() -> {
                    String report = Command.run(ab.split(" ")).output();
                    if (!report.contains("\nFailed requests:        0\nNon-2xx responses:      5000\n"))
                        throw new IOException(ab + " is to lose none, and says:" + report);
                });
                server.assertUnharmed();
            }
    }
}
