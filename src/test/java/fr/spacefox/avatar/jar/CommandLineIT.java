package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Client;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The arguments: which are accepted in which order, and what is said about others. */
class CommandLineIT {

    /** With --pool a client that stalls holds a thread of the pool and not the dispatcher. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0 21",
                "0 21 https://img.example.org/fox-*.webp",
                "--pool 0 21",
                "0 --pool 21",
                "0 21 --pool",
                "--pool 0 21 https://img.example.org/fox-*.webp",
                "0 21 --pool https://img.example.org/fox-*.webp",
                "0 21 https://img.example.org/fox-*.webp --pool",
            })
    void startsWithPoolInAnyPlace(String line) throws Exception {
        String[] arguments = line.split(" ");
        String url = Stream.of(arguments)
                .filter(argument -> argument.contains("*"))
                .findAny()
                .orElse(Redirect.DEFAULT_URL);
        try (Server server = Server.startWith(arguments);
                Client first = server.connect()) {
            assertEquals("http://localhost:" + server.port + "/ -> " + url, server.startLine);
            if (line.contains("--pool")) {
                first.send(Client.HALF_HEAD);
            }
            Visit visit = Visit.to(server, System.nanoTime());
            assertTrue(visit.isRedirect() && visit.isAtOnce(), visit::toString);
            String location = "\r\nLocation: " + url.substring(0, url.indexOf('*'));
            assertTrue(visit.answer().contains(location), visit::toString);
            assertEquals(Server.SIGTERM, server.terminate());
        }
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(strings = {"fox", "-1", "65536", "80.0", "", "--fox"})
    void refusesAPortThatIsNone(String port) throws Exception {
        Refusal.checkOfArguments("PORT", port, "21");
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(strings = {"fox", "0", "-21", "2147483648", "2.5", "", "--pool=2"})
    void refusesACountBelow1(String count) throws Exception {
        Refusal.checkOfArguments("COUNT", "0", count);
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(strings = {"--help", "--pool", "0", "0 --pool", "0 21 https://example.org/* surplus more"})
    void refusesTooFewOrTooManyArguments(String line) throws Exception {
        Refusal.checkOfArguments("arguments", line.split(" "));
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(
            strings = {
                "https://example.org/fox.png",
                "https://example.org/fox-*-*.png",
                "https://example.org/a fox-*.png",
                "https://example.org/%zz-*.png",
                "*",
                "/fox-*.png", // a relative Location fails in some forums
                "--fox",
                "",
                "https:*", // from here on without a host
                "http://*",
                "https:///*",
                "http://:80/*",
                "http://?*",
                "http://#*",
                "http://@/*",
                "http://user@/*",
                "http://user:password@:80/*",
                "http://user@host/*", // RFC 9110, 4.2.4: no user in a Location
                "ftp://x/http://y*",
                "/go?http://a*",
                "mailto:*",
                "file:/x*"
            })
    void refusesAUrlWithoutSchemeHostOrOneStar(String url) throws Exception {
        Refusal.checkOfArguments("URL*", "0", "21", url);
    }

    @Test
    void refusesAUrlWithALineEnd() throws Exception {
        String url = "https://example.org/*\r\nSet-Cookie: fox";
        assertEquals(2, Refusal.of(Server.command("0", "21", url)).status());
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @CsvSource({
        "https://img.example.org/fox-*.webp, https://img.example.org/fox-1.webp",
        "http://localhost:8000/*, http://localhost:8000/1",
        "HTTP://h/*, HTTP://h/1",
        "HttpS://example.org/?a=http://b/*, HttpS://example.org/?a=http://b/1",
        "https://example.org/*/fox.png, https://example.org/1/fox.png",
        "https://example.org/foxes@1.2/*.png, https://example.org/foxes@1.2/1.png",
        "https://example.org/fox.png?n=*&size=80, https://example.org/fox.png?n=1&size=80",
        "https://fox-*.example.org/a.png, https://fox-1.example.org/a.png",
        "http://[::1]/f%C3%BCchse-*.jpg, http://[::1]/f%C3%BCchse-1.jpg",
    })
    void putsTheNumberInPlaceOfTheStar(String url, String location) throws Exception {
        try (Server server = Server.startWith("0", "1", url)) {
            assertTrue(server.startLine.contains(url), server.startLine);
            String answer = server.ask();
            assertTrue(answer.contains("\r\nLocation: " + location + "\r\n"), answer);
        }
    }

    @Test
    void escapesLettersOfTheUrlOutsideAscii() throws Exception {
        // printf writes the letter: in place of it the JVM of the tests would pass a question mark in the POSIX locale.
        String printUrl = "printf 'https://example.org/f\\303\\274chse-*.png'";
        List<String> command = new ArrayList<>(
                List.of("env", "LC_ALL=C.UTF-8", "sh", "-c", "exec \"$@\" \"$(" + printUrl + ")\"", "sh"));
        command.addAll(Server.command("0", "1"));
        try (Server server = Server.run(command)) {
            String answer = server.ask();
            assertTrue(answer.contains("\r\nLocation: https://example.org/f%C3%BCchse-1.png\r\n"), answer);
        }
    }
}
