package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A box with the installed site, one for all tests of a class, requests of all sorts, and what the answers must be. */
abstract class InstalledSite {

    static final String SITE = "https://avatar.spacefox.fr";
    static final List<String> SITES = List.of(SITE, "http://avatar.spacefox.fr");
    static final String NOBODY_KEEPS_IT = "no-cache, no-store, max-age=0";

    private static final String LINE = "a".repeat(7500); // nginx takes lines of up to 8 KB, and four of them

    /** All sorts of requests to both ports, none of which is for a picture. */
    static final List<Request> REQUESTS =
            Stream.concat(SITES.stream().flatMap(InstalledSite::curls), raws()).toList();

    static Box box;

    @BeforeAll
    static void install() throws Exception {
        box = Box.installed();
        // Debian's own site would answer what names no domain on port 80.
        box.run(Documents.commands("Other sites on the same nginx"));
    }

    @AfterAll
    static void discard() throws Exception {
        if (box != null) box.close();
    }

    /** A command of the box that prints nginx's answer. */
    record Request(boolean tls, String... command) {

        static Request curl(String... arguments) {
            boolean tls = Stream.of(arguments).anyMatch(word -> word.startsWith("https:"));
            return new Request(tls, Box.curlCommand(arguments));
        }

        /** Sends these very bytes in one write; the answer ends when nginx closes. */
        static Request raw(int port, boolean tls, String text) {
            String script = tls
                    ? "/usr/bin/printf %s \"$1\" | timeout 30 openssl s_client -quiet -connect 127.0.0.1:$2 2>&1"
                    : "exec 3<>/dev/tcp/127.0.0.1/$2; /usr/bin/printf %s \"$1\" >&3; timeout 30 cat <&3";
            return new Request(tls, "bash", "-c", script, "raw", text, Integer.toString(port));
        }

        Process start(Box box) {
            return box.start(true, command);
        }

        Answer send(Box box) {
            return Answer.to(this, start(box));
        }

        @Override
        public String toString() {
            return String.join(" ", command).replace(LINE, "aaa...");
        }
    }

    record Answer(Request request, int status, Map<String, String> headers) {

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

        void assertRedirect() {
            assertEquals(302, status, this::toString);
            String expected = "\\{Cache-control=private, no-store, Content-Length=0,"
                    + " Location=https://avatar\\.spacefox\\.fr/Renard-([1-9]|1\\d|2[01])\\.png"
                    + (request.tls() ? ", Strict-Transport-Security=max-age=63072000}" : "}");
            assertTrue(headers.toString().matches("(?i)" + expected), this::toString);
        }

        void assertStandIn() {
            // With status 200 nginx would refuse the stand-in too to a client that wants a certain version.
            assertPicture(request.toString().contains("If-") ? 203 : 200, NOBODY_KEEPS_IT);
        }

        void assertPicture(int expectedStatus, String caching) {
            assertEquals(expectedStatus, status, this::toString);
            assertEquals("image/png", headers.get("Content-Type"), this::toString);
            assertEquals(caching, headers.get("Cache-Control"), this::toString);
            String secured = headers.get("Strict-Transport-Security");
            assertEquals(request.tls() ? "max-age=63072000" : null, secured, this::toString);
        }
    }

    static Answer ask(String... arguments) {
        return Request.curl(arguments).send(box);
    }

    /** Asks for a picture; its bytes have to be those of a file of the site. */
    static Answer askForFile(String file, String address) throws IOException {
        Answer answer = ask("--output", "/picture", address);
        byte[] expected = Files.readAllBytes(box.path("/var/www/avatar/" + file));
        assertArrayEquals(expected, Files.readAllBytes(box.path("/picture")), answer::toString);
        return answer;
    }

    /** After an outage or a flood the JVM and nginx need a moment to find each other again. */
    static void awaitTheJvm() throws InterruptedException {
        box.awaitTrue("the JVM", InstalledSite::jvmAnswers);
        fetchDraws(box);
    }

    /** Starts nginx without a draw, as after a boot. */
    static void forgetDraws(Box box) {
        box.run("systemctl stop nginx; find /run/avatar -type f -delete; systemctl start nginx");
    }

    /** Sends visitors until nginx has all draws. */
    static void fetchDraws(Box box) throws InterruptedException {
        box.awaitTrue("64 draws", () -> {
            box.attempt("visit --output /dev/null '" + SITE + "/[1-500]'");
            return draws(box).size() == 64;
        });
    }

    /** What nginx keeps, with its times. A name with a dot is an answer that a killed process did not finish. */
    static List<String> draws(Box box) {
        return box.run("find /run/avatar -type f ! -name '*.*' -printf '%f %T@\\n' | sort")
                .lines()
                .toList();
    }

    /** After a reload, the former worker processes of nginx close connections until they have gone. */
    static void awaitTheEndOfFormerWorkers(Box box) throws InterruptedException {
        box.awaitTrue("no former worker", () -> !box.succeeds("pgrep -f '[w]orker process is shutting down'"));
    }

    /** Whether the JVM itself answers twenty clients, one after another. */
    static boolean jvmAnswers() {
        String visit = "visit --fail-early --max-time 3 --header 'Connection: close' --output /dev/null ";
        return box.succeeds(visit + "'http://localhost:6666/[1-20]'");
    }

    private static Stream<Request> curls(String site) {
        String x = site + "/x";
        String methods = "POST PUT DELETE OPTIONS PATCH PROPFIND TRACE CONNECT FOX";
        String paths = "/ //x /../../etc/passwd /.well-known /x.png?dateline=1&y=%00 /é%20%ff /avatar7.png /picture";
        var plain = Stream.concat(
                Stream.of(methods.split(" ")).map(method -> Request.curl("--request", method, x)),
                Stream.of(paths.split(" ")).map(path -> Request.curl(site + path)));
        var versions = Stream.of("--http1.1", "--http2")
                .flatMap(version -> Stream.of(
                        Request.curl(version, x),
                        Request.curl(version, "--request-target", "/%zz", site),
                        Request.curl(version, "--data", "x=1", x),
                        Request.curl(version, "--data", LINE, x)));
        var others = Stream.of(
                Request.curl("--head", x),
                Request.curl("--http1.0", x),
                Request.curl("--request", "OPTIONS", "--request-target", "*", site),
                Request.curl("--upload-file", "/usr/bin/openssl", x),
                Request.curl("--header", "Transfer-Encoding: chunked", "--data", LINE, x),
                Request.curl("-HA: " + LINE, "-HB: " + LINE, "-HC: " + LINE, "-HD: " + LINE, x),
                Request.curl("--header", "A: " + LINE + LINE, x),
                Request.curl(site + "/" + LINE),
                Request.curl(site + "/" + LINE + LINE),
                Request.curl("--header", "Host: evil.example.org", x),
                Request.curl("--header", "Connection: upgrade", "--header", "Upgrade: websocket", site),
                Request.curl("--header", "Range: bytes=0-3", site),
                Request.curl("--header", "Expect: 100-continue", "--data", "x", site),
                Request.curl("--data", LINE, site + "/Renard-1.png"),
                Request.curl("--data", LINE, site + "/picture/x"));
        return Stream.of(plain, versions, others).flatMap(requests -> requests);
    }

    /** Requests that no curl sends; on port 443 in the clear too. */
    private static Stream<Request> raws() {
        String host = "Host: avatar.spacefox.fr\r\nConnection: close\r\n";
        String get = "GET /x HTTP/1.1\r\n";
        String post = "POST /x HTTP/1.1\r\n" + host;
        return Stream.of(
                        post + "Transfer-Encoding: gzip\r\n\r\n",
                        post + "Content-Length: x\r\n\r\n",
                        post + "Content-Length: 1\r\n\r\na",
                        post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                        post + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                        post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
                        "GET /x HTTP/3.0\r\n" + host + "\r\n",
                        get + host + "If-Match: x\r\n\r\n",
                        get + "Connection: close\r\n\r\n",
                        get + host + "Host: other.example.org\r\n\r\n",
                        get + "Host: ..\r\n\r\n",
                        "get /x HTTP/1.1\r\n" + host + "\r\n",
                        "noise\r\n\r\n")
                .flatMap(text -> Stream.of(
                        Request.raw(80, false, text), Request.raw(443, true, text), Request.raw(443, false, text)));
    }
}
