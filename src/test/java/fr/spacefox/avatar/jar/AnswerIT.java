package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.jar.Server.Mode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every browser, forum and proxy that asks is redirected, whatever its method and path, and what is malformed or too
 * large is refused without harm, in each mode on each JDK.
 */
class AnswerIT {

    private static final List<String> REDIRECTED = List.of(
            Client.GET,
            Client.GET.replace("GET", "HEAD"), // SMF asks so
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nfox",
            "PUT / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nfox\r\n0\r\n\r\n",
            "FOX /../%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /a.png?dateline=1&x=%20&y=%C3%A9#b HTTP/1.1\r\nHost: avatar.spacefox.fr:80\r\n\r\n",
            "GET /\u00e9 HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET http://elsewhere.example/a.png HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
            "GET / HTTP/3.0\r\nHost: localhost\r\n\r\n",
            "\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            // What README says that it admits; browsers and proxies send less. FloodIT has what more would cost.
            Client.HALF_HEAD + FloodIT.distinctHeaders(29) + "\r\n",
            Client.HALF_HEAD + "X: " + "a".repeat(4700) + "\r\n\r\n");

    private static final List<String> MALFORMED = List.of(
            "GET //x HTTP/1.1\r\nHost: localhost\r\n\r\n", // a host without a path
            "GET x HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: fox\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\nNo fox: 1\r\n\r\n");

    private static final List<String> TOO_LARGE = List.of(
            Client.HALF_HEAD + FloodIT.distinctHeaders(30) + "\r\n",
            Client.HALF_HEAD + "X: " + "a".repeat(5000) + "\r\n\r\n");

    @ParameterizedTest
    @EnumSource
    void redirectsEveryRequestButWhatIsMalformedOrTooLarge(Mode mode) throws Exception {
        for (Path jdk : Jdk.all())
            try (Server server = Server.start(mode, jdk)) {
                for (String request : REDIRECTED)
                    server.patiently(() -> {
                        Client client = server.connect();
                        client.send(request).number();
                        client.send(Client.GET).number(); // proves that the first answer ended where its head says
                    });
                for (String request : MALFORMED)
                    server.patiently(() -> {
                        String head = server.connect().send(request).head();
                        assertTrue(head.matches("(?s)HTTP/1\\.1 40[04] .*"), () -> request + "is answered by " + head);
                    });
                for (String request : TOO_LARGE) {
                    Client client = server.connect();
                    assertThrows(IOException.class, () -> client.send(request).head(), request);
                }
                server.assertAnswers("after malformed requests");
            }
    }
}
