package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Await;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that stalls loses its connection, and with --pool nobody waits for it. */
class StallIT {

    /** The server has two to three seconds. This is less than the ten after which it looks by default. */
    private static final Duration LIMIT = Duration.ofSeconds(8);

    /** Nothing, half a head, half a body, and nothing behind an answer. */
    @ParameterizedTest
    @ValueSource(strings = {"", Client.HALF_HEAD, Client.POST + "\r\nfox", Client.GET})
    void aClientThatStallsIsCutOff(String message) throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED);
                Client client = server.connect()) {
            String answer = assertTimeout(LIMIT, () -> client.send(message).rest());
            if (!answer.isEmpty()) Redirect.check(answer);
            server.assertAnswers("behind a client that stalled");
        }
    }

    @Test
    void aClientThatReadsNoAnswerIsCutOff() throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED);
                Client client = server.connect()) {
            String requests = Client.GET.repeat(1000);
            assertTimeoutPreemptively(
                    Duration.ofSeconds(60),
                    () -> assertThrows(SocketException.class, () -> {
                        while (true) client.send(requests);
                    }));
            server.assertAnswers("behind a client that read nothing");
        }
    }

    /** Those who only pause are answered, too. */
    @ParameterizedTest
    @MethodSource("fr.spacefox.avatar.jar.Mode#jdks")
    void withAPoolNobodyWaitsForClientsThatStall(Path jdk) throws Exception {
        try (Server server = Server.start(Mode.POOL, jdk)) {
            Await.until("answers while others stall", () -> isAnsweredWhileOthersStall(server));
            server.assertUnharmed();
        }
    }

    private static boolean isAnsweredWhileOthersStall(Server server) throws IOException, InterruptedException {
        List<Client> others = new ArrayList<>();
        for (int i = 0; i < 30; i++) others.add(server.connect().send(Client.HALF_HEAD));
        Thread.sleep(100); // the server reads them
        Redirect.check(server.ask());
        boolean isWaiting = others.get(0).isWaiting();
        for (Client client : others)
            isWaiting &= Redirect.is(client.send("Connection: close\r\n\r\n").rest());
        return isWaiting;
    }
}
