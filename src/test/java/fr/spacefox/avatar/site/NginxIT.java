package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Tools;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The site's file, unchanged, in a real nginx in front of the real JVM. */
class NginxIT {

    private static final String SITE = "https://avatar.spacefox.fr";
    private static final List<String> SITES = List.of(SITE, "http://avatar.spacefox.fr");
    private static final String LINE = "a".repeat(7500); // nginx takes lines of up to 8 KB, and four of them

    /** A command of the box that prints nginx's answer. */
    private record Request(String name, boolean tls, List<String> command) {

        static Request curl(String... arguments) {
            String address = Stream.of(arguments)
                    .filter(word -> word.startsWith("http"))
                    .findFirst()
                    .orElseThrow();
            String name = Stream.of(arguments)
                    .map(word -> word.length() > 40 ? word.substring(0, 40) + "..." : word)
                    .collect(Collectors.joining(" "));
            return new Request(name, address.startsWith("https:"), Box.curlCommand(List.of(arguments)));
        }

        /** Sends these very bytes; the answer ends when nginx closes. */
        static Request raw(int port, boolean tls, String text) {
            String script = tls
                    ? "printf %s \"$1\" | timeout 30 openssl s_client -quiet -connect 127.0.0.1:$2 2>&1"
                    : "exec 3<>/dev/tcp/127.0.0.1/$2; printf %s \"$1\" >&3; timeout 30 cat <&3";
            return new Request(
                    (tls ? "TLS" : "TCP") + " to " + port + ": " + text,
                    tls,
                    List.of("bash", "-c", script, "raw", text, Integer.toString(port)));
        }

        Answer send() {
            return Answer.of(Command.finish(start()).output());
        }

        Process start() {
            return box.start(true, command.toArray(String[]::new));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** All sorts of requests to both ports, none of which is for a picture. */
    private static final List<Request> REQUESTS =
            Stream.concat(SITES.stream().flatMap(NginxIT::curls), raws()).toList();

    private static Stream<Request> curls(String site) {
        String x = site + "/x";
        return Stream.concat(
                Stream.of("GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PROPFIND", "TRACE", "CONNECT", "FOX")
                        .map(method -> Request.curl("--request", method, x)),
                Stream.of(
                        Request.curl(site),
                        Request.curl("--head", x),
                        Request.curl("--http1.0", x),
                        Request.curl("--http2", x),
                        Request.curl(site + "//x"),
                        Request.curl(site + "/../../etc/passwd"),
                        Request.curl(site + "/.well-known"),
                        Request.curl(site + "/x.png?dateline=1&y=%00"),
                        Request.curl(site + "/é%20%ff"),
                        Request.curl(site + "/bob2.png"),
                        Request.curl("--request-target", "/%zz", site),
                        Request.curl("--request-target", "/%zz", "--http2", site),
                        Request.curl("--request", "OPTIONS", "--request-target", "*", site),
                        Request.curl("--data", "x=1", x),
                        Request.curl("--data", "x=1", "--http2", x),
                        Request.curl("--data", LINE, x),
                        Request.curl("--data", LINE, "--http2", x),
                        Request.curl("--upload-file", "/usr/bin/openssl", x),
                        Request.curl("--upload-file", "/usr/bin/openssl", site + "/bob2.png"),
                        Request.curl("--header", "Transfer-Encoding: chunked", "--data", LINE, x),
                        Request.curl(
                                "--header",
                                "A: " + LINE,
                                "--header",
                                "B: " + LINE,
                                "--header",
                                "C: " + LINE,
                                "--header",
                                "D: " + LINE,
                                x),
                        Request.curl("--header", "A: " + LINE + LINE, x),
                        Request.curl(site + "/" + LINE),
                        Request.curl(site + "/" + LINE + LINE),
                        Request.curl("--header", "Host: evil.example.org", x),
                        Request.curl("--header", "Connection: upgrade", "--header", "Upgrade: websocket", site),
                        Request.curl("--header", "Range: bytes=0-3", site),
                        Request.curl("--header", "Expect: 100-continue", "--data", "x", site),
                        Request.curl("--request", "POST", site + "/Renard-1.png"),
                        Request.curl("--data", LINE, site + "/Renard-1.png"),
                        Request.curl("--request", "POST", site + "/Renard-22.png")));
    }

    /** Requests that no curl sends; on port 443 in the clear too. */
    private static Stream<Request> raws() {
        String host = "Host: avatar.spacefox.fr\r\nConnection: close\r\n";
        return Stream.of(
                        "POST /x HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n\r\n",
                        "POST /x HTTP/1.1\r\n" + host + "Content-Length: x\r\n\r\n",
                        "POST /x HTTP/1.1\r\n" + host + "Content-Length: 1\r\n\r\na",
                        "POST /x HTTP/1.1\r\n" + host
                                + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                        "POST /x HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                        "POST /x HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
                        "GET /x HTTP/3.0\r\n" + host + "\r\n",
                        "GET /x HTTP/1.1\r\n" + host + "If-Match: x\r\n\r\n",
                        "GET /x HTTP/1.1\r\nConnection: close\r\n\r\n",
                        "GET /x HTTP/1.1\r\n" + host + "Host: other.example.org\r\n\r\n",
                        "GET /x HTTP/1.1\r\nHost: ..\r\n\r\n",
                        "get /x HTTP/1.1\r\n" + host + "\r\n",
                        "noise\r\n\r\n")
                .flatMap(text -> Stream.of(
                        Request.raw(80, false, text), Request.raw(443, true, text), Request.raw(443, false, text)));
    }

    private static Box box;

    @BeforeAll
    static void install() throws Exception {
        Tools.need("strace", "h2load", "bash");
        box = Box.installed();
        // Debian's own site would answer what names no domain on port 80.
        box.run(Box.readme("Other sites on the same nginx")).ok();
    }

    @AfterAll
    static void discard() throws Exception {
        if (box != null) box.close();
    }

    private record Answer(int status, Map<String, String> headers) {

        /** The first head that is an answer: a 100 Continue is none. */
        static Answer of(String output) {
            String head = Stream.of(output.replace("\r", "").split("\n\n"))
                    .map(block -> block.substring(Math.max(0, block.indexOf("HTTP/"))))
                    .filter(block -> block.matches("(?s)HTTP/[\\d.]+ [2-5].*"))
                    .findFirst()
                    .orElse("HTTP/0 0");
            String[] lines = head.split("\n");
            var headers = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
            for (int i = 1; i < lines.length; i++) {
                String[] pair = lines[i].split(": ", 2);
                headers.merge(pair[0], pair.length < 2 ? "" : pair[1].strip(), (one, two) -> one + ", " + two);
            }
            return new Answer(Integer.parseInt(lines[0].split(" ")[1]), headers);
        }
    }

    private static Answer ask(String... arguments) {
        return Request.curl(arguments).send();
    }

    private static void assertRedirect(Answer answer, Request request) {
        assertEquals(302, answer.status(), () -> request + " " + answer);
        var headers = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
        headers.putAll(answer.headers());
        headers.keySet().removeAll(List.of("Server", "Date", "Connection")); // nginx's own
        assertTrue(
                String.valueOf(headers.remove("Location"))
                        .matches("https://avatar\\.spacefox\\.fr/Renard-([1-9]|1\\d|2[01])\\.png"),
                () -> request + " " + answer);
        assertEquals(
                "{Cache-control=private, no-store, Content-Length=0".toLowerCase()
                        + (request.tls() ? ", strict-transport-security=max-age=63072000}" : "}"),
                headers.toString().toLowerCase(),
                request::toString);
    }

    private static void assertStandIn(Answer answer, Request request) {
        // With status 200 nginx would refuse the stand-in too to a client that wants a certain version.

        assertEquals(request.name().contains("If-Match") ? 203 : 200, answer.status(), () -> request + " " + answer);
        assertEquals("image/png", answer.headers().get("Content-Type"), () -> request + " " + answer);
        assertEquals("no-store", answer.headers().get("Cache-Control"), () -> request + " " + answer);
        assertEquals(
                request.tls(), answer.headers().containsKey("Strict-Transport-Security"), () -> request + " " + answer);
    }

    @Test
    void configurationIsAcceptedWithoutAWarning() {
        // From nginx 1.25.1 on there is one, about the form that 1.22 needs.
        assertEquals(
                "",
                box.run("nginx -t")
                        .ok()
                        .lines()
                        .filter(line -> line.contains("[") && !line.contains("\"listen ... http2\""))
                        .collect(Collectors.joining("\n")));
    }

    /** nginx wants at least 8 pages for each zone that processes share; pages have up to 64 KB. */
    @Test
    void sharedMemoryFitsEveryPageSize() throws Exception {
        var zones = Pattern.compile("(?:zone=|zone |shared:)\\w+[: ](\\d+)([km])\\b")
                .matcher(Files.readString(box.path("/etc/nginx/conf.d/avatar.conf")))
                .results()
                .toList();
        assertEquals(4, zones.size());
        for (var zone : zones) {
            assertTrue(
                    Integer.parseInt(zone.group(1)) * (zone.group(2).equals("m") ? 1024 : 1) >= 8 * 64, zone.group());
        }
    }

    @Test
    void everyRequestReachesTheJvmAsTheSame() throws Exception {
        Process trace =
                box.start("exec strace --follow-forks --quiet=all --trace=read --string-limit=999 --output=/reads"
                        + " --attach=" + box.jvm());
        box.await(
                "strace",
                () -> box.run("grep TracerPid /proc/" + box.jvm() + "/status")
                                .output()
                                .matches("TracerPid:\\s+[1-9]\\d*\\s*")
                        ? true
                        : null);
        for (var request : REQUESTS) assertRedirect(request.send(), request);
        box.run("pkill -x strace").ok(); // the box's own: it has its own process numbers
        Command.finish(trace);
        var seen = Pattern.compile("read\\(\\d+, \"(.*?[A-Z].*?)\", \\d+")
                .matcher(Files.readString(box.path("/reads")))
                .results()
                .map(read -> read.group(1))
                .collect(Collectors.groupingBy(read -> read, Collectors.counting()));
        assertEquals(Set.of("GET / HTTP/1.1\\r\\nHost: avatar\\r\\n\\r\\n"), seen.keySet());
        long reads = seen.values().iterator().next(); // nginx asks again when its connection was closed
        assertTrue(reads >= REQUESTS.size(), seen::toString);
    }

    @Test
    void picturesAreServedForAYear() throws Exception {
        for (String site : SITES) {
            for (int number = 1; number <= 21; number++) {
                Answer answer = ask("--output", "/picture", site + "/Renard-" + number + ".png");
                assertEquals(200, answer.status());
                assertEquals("image/png", answer.headers().get("Content-Type"));
                assertEquals(
                        "public, max-age=31536000, immutable", answer.headers().get("Cache-Control"));
                assertEquals(
                        site.equals(SITE) ? "max-age=63072000" : null,
                        answer.headers().get("Strict-Transport-Security"));
                assertSamePicture("/var/www/avatar/Renard-" + number + ".png");
            }
        }
    }

    private static void assertSamePicture(String expected) throws Exception {
        assertArrayEquals(Files.readAllBytes(box.path(expected)), Files.readAllBytes(box.path("/picture")));
    }

    @Test
    void missingPicturesAreAFoxThatNobodyKeeps() throws Exception {
        for (String site : SITES) {
            for (String name : List.of("/Renard-22.png", "/Renard-0.png", "/Renard-99999999999999999999.png?x")) {
                var request = Request.curl("--output", "/picture", site + name);
                assertStandIn(request.send(), request);
                assertSamePicture("/var/www/avatar/Renard-1.png");
            }
        }
    }

    /** A browser that wants a certain version of a picture, or a part of it, gets a fox and no error. */
    @Test
    void conditionsAndRangesEndInAPicture() {
        for (String site : SITES) {
            for (String condition : List.of("If-Match: x", "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT")) {
                Answer answer = ask("--header", condition, site + "/Renard-2.png");
                assertEquals(
                        "203 image/png no-store",
                        answer.status() + " " + answer.headers().get("Content-Type") + " "
                                + answer.headers().get("Cache-Control"));
            }
            for (String range : List.of("0-3", "9999999-")) {
                assertEquals(
                        200,
                        ask("--header", "Range: bytes=" + range, site + "/Renard-2.png")
                                .status());
            }
        }
    }

    /**
     * The guide's "Pictures of another name": the redirect leads to pictures of this very server, and the stand-in is
     * one of them.
     */
    @Test
    void picturesMayHaveAnyName() throws Exception {
        box.run("""
                cp -r /root/avatar /root/before
                cd /root/avatar
                for i in $(seq 21); do mv Renard-$i.png fox-$i.webp; done""").ok();
        try {
            box.run(Box.readme("Pictures of another name")).ok();
            box.await(
                    "the new name",
                    () -> ask(SITE)
                                    .headers()
                                    .getOrDefault("Location", "")
                                    .matches("https://avatar.spacefox.fr/fox-\\d+.webp")
                            ? true
                            : null);
            for (String site : SITES) {
                Answer picture = ask("--output", "/picture", site + "/fox-2.webp");
                assertEquals(
                        "200 image/webp public, max-age=31536000, immutable",
                        picture.status() + " "
                                + picture.headers().get("Content-Type")
                                + " " + picture.headers().get("Cache-Control"));
                assertSamePicture("/var/www/avatar/fox-2.webp");
                Answer missing = ask("--output", "/picture", site + "/fox-22.webp");
                assertEquals(
                        "200 image/webp no-store",
                        missing.status() + " " + missing.headers().get("Content-Type") + " "
                                + missing.headers().get("Cache-Control"));
                assertSamePicture("/var/www/avatar/fox-1.webp");
            }
            box.run("systemctl stop avatar; rm /var/www/avatar/Renard-*").ok();
            assertEquals(200, ask("--output", "/picture", SITE).status());
            assertSamePicture("/var/www/avatar/fox-1.webp");
        } finally {
            box.run("rm -rf /root/avatar /var/www/avatar; mv /root/before /root/avatar")
                    .ok();
            box.run(Box.readme("Install")).ok();
            box.run(Box.readme("Update")).ok();
        }
        awaitRedirect();
    }

    /** As the guide says: certbot's proof is served, and nginx goes on without the files of the certificate. */
    @Test
    void aCertificateCanBeHadWhileNginxRuns() throws Exception {
        box.run("""
                mkdir -p /var/www/avatar/.well-known/acme-challenge
                echo proof > /var/www/avatar/.well-known/acme-challenge/token
                mv /etc/letsencrypt /etc/elsewhere""").ok();
        try {
            assertEquals(
                    200,
                    ask("--output", "/proof", "http://avatar.spacefox.fr/.well-known/acme-challenge/token")
                            .status());
            assertEquals("proof\n", Files.readString(box.path("/proof")));
            assertEquals(302, ask(SITE).status());
        } finally {
            box.run("mv /etc/elsewhere /etc/letsencrypt").ok();
        }
    }

    @Test
    void speaksTls12And13AndHttp2() {
        for (String version : List.of("1.2", "1.3")) {
            assertEquals(
                    0, box.curl("--tlsv" + version, "--tls-max", version, SITE).status(), version);
        }
        assertEquals(
                35,
                box.curl("--tlsv1.1", "--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0", SITE)
                        .status());
        String answer = box.curl("--http2", SITE).output();
        assertTrue(answer.startsWith("HTTP/2 302"), answer);
    }

    @Test
    void everyRequestGetsAFoxWhileTheJvmIsDead() throws Exception {
        box.run("systemctl stop avatar").ok();
        try {
            for (var request : REQUESTS) assertStandIn(request.send(), request);
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
            var answers = new LinkedHashMap<Request, Process>();
            for (var request : REQUESTS) answers.put(request, request.start());
            for (var answer : answers.entrySet()) {
                assertStandIn(Answer.of(Command.finish(answer.getValue()).output()), answer.getKey());
            }
        } finally {
            box.run("kill -CONT " + jvm).ok();
        }
        awaitRedirect();
        assertEquals(jvm, box.jvm());
    }

    /** Silent connections straight to the JVM, more than it takes, and new ones as soon as it closes them. */
    @Test
    void everyRequestGetsAFoxWhileTheJvmIsFull() throws Exception {
        int jvm = box.jvm();
        Process flood = box.start("""
                for lot in 1 2 3 4 5 6 7 8; do
                    (while sleep 0.$lot; do
                        bash -c 'for i in $(seq 500); do exec {c}<>/dev/tcp/127.0.0.1/6666; done; sleep 1'
                    done) &
                done
                read end
                kill $(jobs -p)""");
        try {
            for (var request : REQUESTS) {
                // A surplus connection is closed without an answer: curl's exit status is 52 or 56.
                box.await(
                        "a full JVM",
                        () -> List.of(52, 56)
                                        .contains(box.run(
                                                        "exec curl --silent --max-time 5 --output /dev/null http://localhost:6666/")
                                                .status())
                                ? true
                                : null);
                Answer answer = request.send();
                if (answer.status() == 302) assertRedirect(answer, request);
                else assertStandIn(answer, request);
            }
        } finally {
            flood.getOutputStream().close();
            flood.waitFor();
        }
        awaitRedirect();
        assertEquals(jvm, box.jvm());
    }

    /**
     * Forty clients that send their bodies byte by byte leave the fast lane to the others. With the queue closed,
     * only the fast lane redirects.
     */
    @Test
    void slowBodiesStayOutOfTheFastLane() throws Exception {
        box.run("""
                sed -i 's|rate=[0-9]*r/s|rate=1r/m|; s| burst=[0-9]*||' /etc/nginx/conf.d/avatar.conf
                systemctl restart nginx""").ok();
        Process slow = box.start("""
                for body in 'Transfer-Encoding: chunked' 'Content-Length: 1' 'Content-Length: 999'; do
                    for client in $(seq 40); do
                        bash -c 'exec 3<>/dev/tcp/127.0.0.1/80
                            printf "POST /x HTTP/1.1\\r\\nHost: avatar.spacefox.fr\\r\\n$1\\r\\n\\r\\n" >&3
                            while sleep 1; do printf 5 >&3; done' slow "$body" &
                    done
                done
                sleep 1
                echo all
                read end
                kill $(jobs -p)""");
        try {
            assertEquals("all", slow.inputReader().readLine());
            for (int i = 0; i < 30; i++) assertEquals(302, ask(SITES.get(i % 2)).status(), "request " + i);
        } finally {
            slow.getOutputStream().close();
            slow.waitFor();
            box.run(Box.readme("Install")).ok();
            box.run("systemctl reload nginx").ok();
        }
        awaitRedirect();
    }

    /** More clients than nginx has file descriptors for, on a site that has had visitors. */
    @Test
    void noRequestFailsWhenNginxIsShortOfDescriptors() throws Exception {
        box.run("""
                cp /etc/nginx/nginx.conf /nginx.conf
                sed -i 's/worker_connections [0-9]*;/worker_connections 4000;/' /etc/nginx/nginx.conf
                echo 'worker_rlimit_nofile 100;' > /etc/nginx/modules-enabled/short.conf
                systemctl restart nginx""").ok();
        try {
            box.await("visitors of every worker process", () -> box.run("""
                    h2load --h1 -c20 -n200 https://127.0.0.1/Renard-1.png
                    for worker in $(pgrep --parent $(cat /run/nginx.pid)); do
                        ls -l /proc/$worker/fd | grep -q /Renard-1.png
                    done""").status() == 0 ? true : null);
            for (int clients : List.of(150, 300)) {
                String report = box.run("timeout 100 h2load --h1 -c" + clients
                                + " -n20000 https://127.0.0.1/x https://127.0.0.1/Renard-2.png")
                        .ok();
                var load = Load.of(report);
                System.out.println(clients + " clients of an nginx with 100 descriptors per worker process: " + load);
                assertEquals(20_000, load.requests(), report);
                assertEquals(0, load.failed(), report);
            }
            assertTrue(
                    Files.readString(box.path("/var/log/nginx/error.log")).contains("Too many open files"),
                    "nginx was not short of anything");
            awaitRedirect();
        } finally {
            box.run("""
                    cp /nginx.conf /etc/nginx/nginx.conf
                    rm /etc/nginx/modules-enabled/short.conf
                    systemctl restart nginx""").ok();
        }
        awaitRedirect();
    }

    /** README's "Why a redirect": what nginx does alone, and how many bytes a visit then costs. */
    @Test
    void nginxAloneShowsARandomPictureAtEachVisit() throws Exception {
        Files.writeString(
                box.path("/etc/nginx/conf.d/alone.conf"),
                "server { listen 81; root /alone;\n" + Box.readme("Why a redirect, and why a JVM?", "nginx") + "}\n");
        box.run("""
                mkdir -p /alone/foxes
                cp /var/www/avatar/*.png /alone/foxes
                systemctl reload nginx""").ok();
        String alone = "http://localhost:81/me.png";
        try {
            box.await("the other site", () -> ask(alone).status() == 200 ? true : null);
            Answer answer = ask(alone);
            assertEquals(
                    "200 image/png no-store",
                    answer.status() + " " + answer.headers().get("Content-Type") + " "
                            + answer.headers().get("Cache-Control"));
            assertTrue(Integer.parseInt(answer.headers().get("Content-Length")) > 4000, answer::toString);
            assertEquals(405, ask("--data", "x=1", alone).status());
            var sums = new TreeSet<String>();
            for (int visit = 0; visit < 10; visit++)
                sums.add(box.run("curl --silent " + alone + " | md5sum").ok());
            assertTrue(sums.size() > 1, "the same picture for every visit");
            String bytes = box.curl("--write-out", "%{size_header}", SITE).output();
            assertTrue(Integer.parseInt(bytes.substring(bytes.lastIndexOf('\n') + 1)) < 300, bytes);
        } finally {
            box.run("rm -r /etc/nginx/conf.d/alone.conf /alone; systemctl reload nginx")
                    .ok();
        }
        awaitRedirect();
    }

    private static void awaitRedirect() throws InterruptedException {
        // After a flood the JVM needs a moment to see that its connections are closed.
        box.await(
                "twenty redirects in a row",
                () -> IntStream.range(0, 20)
                                .allMatch(i -> box.curl(SITE).output().startsWith("HTTP/1.1 302 "))
                        ? true
                        : null);
    }
}
