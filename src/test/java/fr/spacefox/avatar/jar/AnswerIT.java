package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Await;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every browser, forum and proxy that asks is redirected, whatever its method and path, and what is malformed or too
 * large is refused without harm. All tests ask the same server, in each mode on each JDK.
 */
@ParameterizedClass
@MethodSource("fr.spacefox.avatar.jar.Mode#onEveryJdk")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AnswerIT {

    @Parameter(0)
    private Mode mode;

    @Parameter(1)
    private Path jdk;

    private Server server;

    @BeforeParameterizedClassInvocation
    void start() throws IOException {
        server = Server.start(mode, jdk);
    }

    @AfterEach
    void unharmed() throws IOException {
        server.assertUnharmed();
    }

    @AfterParameterizedClassInvocation
    void stop() throws IOException {
        server.close();
    }

    /** The second request proves that the first answer ended where its head says. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                Client.GET,
                "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nfox",
                "PUT / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nfox\r\n0\r\n\r\n",
                "TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "FOX / HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /a.png HTTP/1.1\r\nHost: avatar.spacefox.fr:80\r\n\r\n",
                "GET /a.png?dateline=1&x=%20&y=%C3%A9 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /a#b HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /../%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /\u00e9 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET http://elsewhere.example/a.png HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
                "GET / HTTP/3.0\r\nHost: localhost\r\n\r\n",
                "\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
            })
    void answersEveryRequestByARedirectAndNothingElse(String request) throws Exception {
        converse(client -> {
            Redirect.check(client.send(request).head());
            Redirect.check(client.send(Client.GET).head());
        });
    }

    /** SMF asks so. The JDK leaves Content-length out. */
    @Test
    void answersHeadAlike() throws Exception {
        converse(client -> {
            String head = client.send(Client.GET.replace("GET", "HEAD")).head();
            Redirect.check(head.replace("\r\nLocation", "\r\nContent-length: 0\r\nLocation"));
            Redirect.check(client.send(Client.GET).head());
        });
    }

    /** What README says that it admits; browsers and proxies send less. FloodIT has what more would cost. */
    @Test
    void admits30HeadersAndAbout5000BytesOfThem() throws Exception {
        for (String headers : List.of(Attack.distinctHeaders(29), "X: " + "a".repeat(4700) + "\r\n"))
            converse(client -> Redirect.check(
                    client.send(Client.HALF_HEAD + headers + "\r\n").head()));
        for (String headers : List.of(Attack.distinctHeaders(30), "X: " + "a".repeat(5000) + "\r\n"))
            assertEquals("", answerTo(Client.HALF_HEAD + headers + "\r\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET //x HTTP/1.1\r\nHost: localhost\r\n\r\n", // a host without a path
                "GET x HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: fox\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: localhost\r\nNo fox: 1\r\n\r\n"
            })
    void refusesAMalformedRequest(String request) throws Exception {
        converse(client -> {
            String head = client.send(request).head();
            assertTrue(head.matches("(?s)HTTP/1\\.1 40[04] .*"), head);
        });
        server.assertAnswers("after a malformed request");
    }

    private interface Conversation {
        void with(Client client) throws IOException;
    }

    /** Once more where a busy machine lets the client rest for two seconds, and it is cut off. */
    private void converse(Conversation conversation) throws InterruptedException {
        Await.until("answers", () -> {
            try (Client client = server.connect()) {
                conversation.with(client);
                return true;
            }
        });
    }

    private String answerTo(String request) throws IOException {
        try (Client client = server.connect()) {
            return client.send(request).rest();
        } catch (SocketException reset) {
            return ""; // closed before it had read all
        }
    }
}
