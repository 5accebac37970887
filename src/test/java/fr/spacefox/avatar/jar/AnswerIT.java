package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Client;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every method and path is answered with a redirect and nothing else. */
class AnswerIT extends EveryServer {

    /** The second request proves that the first answer ended where its head says. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                Client.GET,
                "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nfox",
                "PUT / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nfox\r\n0\r\n\r\n",
                "DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "OPTIONS / HTTP/1.1\r\nHost: localhost\r\n\r\n",
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
    void answersEveryRequestByARedirectAndNothingElse(String request) throws IOException {
        try (Client client = server.connect()) {
            Redirect.check(client.send(request).head());
            Redirect.check(client.send(Client.GET_AND_CLOSE).rest());
        }
    }

    /** The JDK leaves Content-length out. */
    @Test
    void answersHeadAlike() throws IOException {
        try (Client client = server.connect()) {
            String head =
                    client.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n").head();
            Redirect.check(head.replace("\r\nLocation", "\r\nContent-length: 0\r\nLocation"));
            Redirect.check(client.send(Client.GET_AND_CLOSE).rest());
        }
    }

    /** A client that sends much, or waits with the rest until it has an answer. */
    @Test
    void answersBeforeTheBodyHasCome() throws IOException {
        String request = "PUT / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\nfox";
        try (Client client = server.connect()) {
            Redirect.check(client.send(request).head());
        }
    }

    @ParameterizedTest
    @CsvSource({"65535, true", "65536, false"})
    void discardsABodyBelow64KilobytesAndElseCloses(int bytes, boolean goesOn) throws IOException {
        try (Client client = server.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + bytes + "\r\n\r\n");
            Redirect.check(client.send("a".repeat(bytes)).head());
            if (goesOn) {
                Redirect.check(client.send(Client.GET_AND_CLOSE).rest());
            } else {
                assertThrows(IOException.class, () -> client.send(Client.GET).head());
            }
        }
    }

    @Test
    void answersAllOfTheRequestsThatComeTogether() throws IOException {
        String post = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nfox";
        try (Client client = server.connect()) {
            client.send((Client.GET + post).repeat(50) + Client.GET_AND_CLOSE);
            for (int i = 0; i < 100; i++) {
                Redirect.check(client.head());
            }
            Redirect.check(client.rest());
        }
    }

    @ParameterizedTest
    @CsvSource({"HTTP_1_1, GET", "HTTP_1_1, HEAD", "HTTP_1_1, POST", "HTTP_2, GET"})
    void httpClientUnderstandsTheAnswer(HttpClient.Version version, String method) throws Exception {
        HttpClient client = HttpClient.newBuilder().version(version).build();
        BodyPublisher body =
                method.equals("POST") ? BodyPublishers.ofString("fox".repeat(1000)) : BodyPublishers.noBody();
        var url = URI.create("http://localhost:" + server.port + "/a.png?b=c");
        var request = HttpRequest.newBuilder(url).method(method, body).build();
        for (int i = 0; i < 3; i++) {
            HttpResponse<byte[]> response = client.send(request, BodyHandlers.ofByteArray());
            assertEquals(302, response.statusCode());
            assertEquals(0, response.body().length);
            assertEquals(List.of(), response.headers().allValues("Content-Type"));
            String location = response.headers().firstValue("Location").orElseThrow();
            assertTrue(location.matches("https://avatar\\.spacefox\\.fr/Renard-\\d+\\.png"), location);
        }
    }
}
