package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What nginx answered, and what an answer must be. */
record Answer(Request request, int status, Map<String, String> headers) {

    static final String NOBODY_KEEPS_IT = "no-cache, no-store, max-age=0";

    /** The first head that is an answer, as a 100 Continue is none. */
    static Answer to(Request request, Process process) {
        String output = Command.finish(process).output().replace("\r", "");
        String[] lines = Stream.of(output.split("\n\n"))
                .map(block -> block.substring(Math.max(0, block.indexOf("HTTP/"))))
                .filter(block -> block.matches("(?s)HTTP/[\\d.]+ [2-5].*"))
                .findFirst()
                .orElse("HTTP/0 0")
                .split("\n");
        var headers = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
        for (int i = 1; i < lines.length; i++) {
            String[] pair = lines[i].split(": *", 2);
            headers.merge(pair[0], pair[1], (one, two) -> one + ", " + two);
        }
        Stream.of("Server", "Date", "Connection").forEach(headers::remove); // nginx's own
        return new Answer(request, Integer.parseInt(lines[0].split(" ")[1]), headers);
    }

    /** To requests that are all sent at the same time. */
    static List<Answer> toAll(List<Request> requests, Box box) {
        var processes = requests.stream().map(request -> request.start(box)).toList();
        return IntStream.range(0, processes.size())
                .mapToObj(number -> to(requests.get(number), processes.get(number)))
                .toList();
    }

    void assertRedirect() {
        if (request.hasBody() && status != 302) {
            assertRandomPicture();
            return;
        }
        assertEquals(302, status, this::toString);
        String expected = "\\{Access-Control-Allow-Origin=\\*, Cache-control=private, no-store, Content-Length=0,"
                + " Cross-Origin-Resource-Policy=cross-origin,"
                + " Location=https://avatar\\.spacefox\\.fr/[0-9a-f]{8}/Renard-([1-9]|1\\d|2[01])\\.png}";
        assertTrue(headers.toString().matches("(?i)" + expected), this::toString);
    }

    void assertRandomPicture() {
        // With status 200 nginx would refuse this picture too to a client that wants a certain version.
        assertPicture(request.toString().contains("If-") ? 203 : 200, NOBODY_KEEPS_IT);
    }

    void assertPicture(int expectedStatus, String caching) {
        assertEquals(expectedStatus, status, this::toString);
        assertEquals("image/png", headers.get("Content-Type"), this::toString);
        assertEquals(caching, headers.get("Cache-Control"), this::toString);
        assertEquals("*", headers.get("Access-Control-Allow-Origin"), this::toString);
        assertEquals("cross-origin", headers.get("Cross-Origin-Resource-Policy"), this::toString);
    }
}
