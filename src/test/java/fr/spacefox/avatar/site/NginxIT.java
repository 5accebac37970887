package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Tools;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The site's file, unchanged, in a real nginx before the real JVM. */
class NginxIT {

    private static final String SITE = "https://avatar.spacefox.fr";
    private static final String LINE = "a".repeat(7500); // nginx takes lines of up to 8 KB, and four of them

    /** All sorts of requests that nginx lets in, and none that asks for a picture. */
    private static final List<List<String>> REQUESTS = Stream.concat(
            Stream.of("GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PROPFIND", "TRACE", "CONNECT", "FOX").map(method -> List.of("--request", method, SITE + "/x")),
            Stream.of(
                    List.of(SITE), List.of("--head", SITE + "/x"), List.of("--http1.0", SITE + "/x"), List.of("--http2", SITE + "/x"),
                    List.of(SITE + "//x"), List.of(SITE + "/../../etc/passwd"), List.of(SITE + "/x.png?dateline=1&y=%00"), List.of(SITE + "/é%20%ff"),
                    List.of("--request-target", "/%zz", SITE), List.of("--request-target", "/%zz", "--http2", SITE),
                    List.of("--request", "OPTIONS", "--request-target", "*", SITE),
                    List.of("--data", "x=1", SITE + "/x"), List.of("--data", LINE, SITE + "/x"), List.of("--data", LINE, "--http2", SITE + "/x"),
                    List.of("--upload-file", "/usr/bin/openssl", SITE + "/x"),
                    List.of("--header", "Transfer-Encoding: chunked", "--data", LINE, SITE + "/x"),
                    List.of("--header", "A: " + LINE, "--header", "B: " + LINE, "--header", "C: " + LINE, "--header", "D: " + LINE, SITE + "/x"),
                    List.of("--header", "A: " + LINE + LINE, SITE + "/x"), List.of(SITE + "/" + LINE), List.of(SITE + "/" + LINE + LINE),
                    List.of("--header", "Host: evil.example.org", SITE + "/x"), List.of("--header", "Connection: upgrade", "--header", "Upgrade: websocket", SITE),
                    List.of("--header", "Range: bytes=0-3", SITE), List.of("--header", "Expect: 100-continue", "--data", "x", SITE),
                    List.of("--request", "POST", SITE + "/Renard-1.png"), List.of("--data", LINE, SITE + "/Renard-1.png")))
            .toList();

    private static Box box;

    @BeforeAll
    static void install() throws Exception {
        Tools.need("strace");
        box = Box.installed();
    }

    @AfterAll
    static void discard() throws Exception {
        if (box != null) box.close();
    }

    private record Answer(int status, Map<String, String> headers) {
        static Answer of(String output) {
            // curl prints one head after the other; a 100 Continue is not the answer.
            String[] heads = output.strip().split("\n\n");
            String[] lines = heads[heads.length - 1].split("\n");
            var headers = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
            for (int i = 1; i < lines.length; i++) {
                String[] pair = lines[i].split(": ", 2);
                headers.merge(pair[0], pair.length < 2 ? "" : pair[1].strip(), (one, two) -> one + ", " + two);
            }
            return new Answer(lines.length == 0 || !lines[0].startsWith("HTTP/") ? 0 : Integer.parseInt(lines[0].split(" ")[1]), headers);
        }
    }

    private static Answer ask(List<String> request) {
        return Answer.of(box.curl(request.toArray(String[]::new)).output());
    }

    private static String brief(List<String> request) {
        return request.stream().map(word -> word.length() > 40 ? word.substring(0, 40) + "..." : word).collect(Collectors.joining(" "));
    }

    private static void assertRedirect(Answer answer, List<String> request) {
        assertEquals(302, answer.status(), () -> brief(request) + answer);
        var headers = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
        headers.putAll(answer.headers());
        headers.keySet().removeAll(List.of("Server", "Date", "Connection")); // nginx's own
        assertTrue(String.valueOf(headers.remove("Location")).matches("https://avatar\\.spacefox\\.fr/Renard-([1-9]|1\\d|2[01])\\.png"), () -> brief(request) + answer);
        assertEquals("{Cache-control=private, no-store, Content-Length=0, Strict-Transport-Security=max-age=63072000}".toLowerCase(),
                headers.toString().toLowerCase(), () -> brief(request));
    }

    private static void assertStandIn(Answer answer, List<String> request) {
        assertEquals(200, answer.status(), () -> brief(request) + answer);
        assertEquals("image/png", answer.headers().get("Content-Type"), () -> brief(request) + answer);
        assertEquals("no-store", answer.headers().get("Cache-Control"), () -> brief(request) + answer);
    }

    @Test
    void configurationIsAcceptedWithoutAWarning() {
        // From nginx 1.25.1 on there is one, about the form that 1.22 needs.
        assertEquals("", box.run("nginx -t").ok().lines().filter(line -> line.contains("[") && !line.contains("\"listen ... http2\""))
                .collect(Collectors.joining("\n")));
    }

    @Test
    void everyRequestReachesTheJvmAsTheSame() throws Exception {
        Process trace = box.start("exec strace --follow-forks --quiet=all --trace=read --string-limit=999 --output=/reads --attach=" + box.jvm());
        box.await("strace", () -> box.run("grep TracerPid /proc/" + box.jvm() + "/status").output().matches("TracerPid:\\s+[1-9]\\d*\\s*") ? true : null);
        for (var request : REQUESTS) assertRedirect(ask(request), request);
        box.run("pkill -x strace").ok(); // the box's own: it has its own process numbers
        Command.finish(trace);
        var seen = Pattern.compile("read\\(\\d+, \"(.*?[A-Z].*?)\", \\d+").matcher(Files.readString(box.path("/reads"))).results()
                .map(read -> read.group(1)).collect(Collectors.groupingBy(read -> read, Collectors.counting()));
        assertEquals(Map.of("GET / HTTP/1.1\\r\\nHost: avatar\\r\\n\\r\\n", (long) REQUESTS.size()), seen);
    }

    @Test
    void picturesAreServedForAYear() throws Exception {
        for (int number = 1; number <= 21; number++) {
            var request = List.of("--output", "/picture", SITE + "/Renard-" + number + ".png");
            Answer answer = ask(request);
            assertEquals(200, answer.status());
            assertEquals("image/png", answer.headers().get("Content-Type"));
            assertEquals("public, max-age=31536000, immutable", answer.headers().get("Cache-Control"));
            assertEquals("max-age=63072000", answer.headers().get("Strict-Transport-Security"));
            assertArrayEquals(Files.readAllBytes(box.path("/var/www/avatar/Renard-" + number + ".png")), Files.readAllBytes(box.path("/picture")));
        }
    }

    @Test
    void missingPicturesAreAFoxThatNobodyKeeps() throws Exception {
        for (String name : List.of("/Renard-22.png", "/Renard-0.png", "/Renard-99999999999999999999.png?x")) {
            var request = List.of("--output", "/picture", SITE + name);
            assertStandIn(ask(request), request);
            assertArrayEquals(Files.readAllBytes(box.path("/var/www/avatar/Renard-1.png")), Files.readAllBytes(box.path("/picture")));
        }
    }

    @Test
    void port80LeadsToTls() throws Exception {
        for (String option : List.of("--get", "--head")) {
            Answer answer = ask(List.of(option, "http://avatar.spacefox.fr/x?y=z"));
            assertEquals(301, answer.status());
            assertEquals("https://avatar.spacefox.fr/x?y=z", answer.headers().get("Location"));
        }
    }

    /** What README says about certbot: its proof is served, and nginx goes on without the files of the certificate. */
    @Test
    void aCertificateCanBeHadWhileNginxRuns() throws Exception {
        box.run("""
                mkdir -p /var/www/avatar/.well-known/acme-challenge
                echo proof > /var/www/avatar/.well-known/acme-challenge/token
                mv /etc/letsencrypt /etc/elsewhere""").ok();
        try {
            assertEquals(200, ask(List.of("--output", "/proof", "http://avatar.spacefox.fr/.well-known/acme-challenge/token")).status());
            assertEquals("proof\n", Files.readString(box.path("/proof")));
            assertEquals(302, ask(List.of(SITE)).status());
        } finally {
            box.run("mv /etc/elsewhere /etc/letsencrypt").ok();
        }
    }

    @Test
    void speaksTls12And13AndHttp2() {
        for (String version : List.of("1.2", "1.3")) {
            assertEquals(0, box.curl("--tlsv" + version, "--tls-max", version, SITE).status(), version);
        }
        assertEquals(35, box.curl("--tlsv1.1", "--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0", SITE).status());
        String answer = box.curl("--http2", SITE).output();
        assertTrue(answer.startsWith("HTTP/2 302"), answer);
    }

    @Test
    void everyRequestGetsAFoxWhileTheJvmIsDead() throws Exception {
        box.run("systemctl stop avatar").ok();
        try {
            for (var request : REQUESTS) assertStandIn(ask(request), request);
        } finally {
            box.run("systemctl start avatar").ok();
            awaitRedirect();
        }
    }

    @Test
    void everyRequestGetsAFoxWhileTheJvmHangs() throws Exception {
        int jvm = box.jvm();
        box.run("kill -STOP " + jvm).ok();
        try {
            var answers = new LinkedHashMap<List<String>, Process>();
            for (var request : REQUESTS) {
                var command = new ArrayList<>(List.of("curl", "--silent", "--insecure", "--path-as-is", "--http1.1", "--output", "/dev/null", "--dump-header", "-",
                        "--max-time", "30", "--write-out", "\nX-Seconds: %{time_total}\n", "--resolve", "avatar.spacefox.fr:443:127.0.0.1"));
                command.addAll(request);
                answers.put(request, box.start(true, command.toArray(String[]::new)));
            }
            double slowest = 0;
            for (var answer : answers.entrySet()) {
                String output = Command.finish(answer.getValue()).output().replace("\r", "").replace("\n\n\nX-Sec", "\nX-Sec");
                var seen = Answer.of(output);
                assertStandIn(seen, answer.getKey());
                slowest = Math.max(slowest, Double.parseDouble(seen.headers().get("X-Seconds")));
            }
            System.out.println("JVM hanging: " + answers.size() + " requests, each got its fox after " + slowest + " s at most");
        } finally {
            box.run("kill -CONT " + jvm).ok();
        }
        awaitRedirect();
        assertEquals(jvm, box.jvm());
    }

    /** 4,000 silent connections straight to the JVM: more than it takes. */
    @Test
    void everyRequestGetsAFoxWhileTheJvmIsFull() throws Exception {
        int jvm = box.jvm();
        Process flood = box.start(true, "bash", "-c", "for i in $(seq 4000); do exec {c}<>/dev/tcp/127.0.0.1/6666; done; echo full; read -t 20");
        assertEquals("full", flood.inputReader().readLine());
        for (var request : REQUESTS) {
            Answer answer = ask(request);
            if (answer.status() == 302) assertRedirect(answer, request);
            else assertStandIn(answer, request);
        }
        flood.getOutputStream().close();
        flood.waitFor();
        awaitRedirect();
        assertEquals(jvm, box.jvm());
    }

    private static void awaitRedirect() throws InterruptedException {
        box.await("a redirect", () -> box.curl(SITE).output().startsWith("HTTP/1.1 302 ") ? true : null);
    }
}
