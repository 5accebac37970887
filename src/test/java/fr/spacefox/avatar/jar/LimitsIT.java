package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Client;
import java.io.IOException;
import java.net.SocketException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests are too large or malformed. What is refused does not harm the process. */
class LimitsIT extends EveryServer {

    @Test
    void admits30HeadersAndNoMore() throws IOException {
        Redirect.check(answerTo(requestWithHeaders(30)));
        assertEquals("", answerTo(requestWithHeaders(31)));
    }

    @Test
    void admits5000BytesOfHeadersAndNoMore() throws IOException {
        Redirect.check(answerTo(requestOfBytes(5000)));
        assertEquals("", answerTo(requestOfBytes(5001)));
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
    void refusesAMalformedRequest(String request) throws IOException {
        String answer = answerTo(request);
        assertTrue(answer.matches("(?s)HTTP/1\\.1 40[04] .*"), answer);
        server.assertRedirects();
    }

    /** Host, Connection, and others. */
    private static String requestWithHeaders(int count) {
        String others =
                IntStream.range(2, count).mapToObj(i -> "X" + i + ": 1\r\n").collect(Collectors.joining());
        return Client.HALF_HEAD + others + "Connection: close\r\n\r\n";
    }

    /** As the JDK counts them: each line without its end, 32 for each line, and 1 more for each header. */
    private static String requestOfBytes(int size) {
        String request = Client.HALF_HEAD + "Connection: close\r\nX: ";
        int counted = request.lines().mapToInt(line -> line.length() + 33).sum() - 1;
        return request + "a".repeat(size - counted) + "\r\n\r\n";
    }

    private static String answerTo(String request) throws IOException {
        try (Client client = server.connect()) {
            return client.send(request).rest();
        } catch (SocketException reset) {
            return ""; // closed before it had read all
        }
    }
}
