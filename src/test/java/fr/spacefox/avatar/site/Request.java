package fr.spacefox.avatar.site;

import java.util.List;
import java.util.stream.Stream;

/** A command of the box that prints nginx's answer. */
record Request(String... command) {

    static final String LINE = "a".repeat(7500); // nginx takes lines of up to 8 KB, and four of them

    /** All sorts of requests to both ports, none of which is for a picture. */
    static final List<Request> ALL = Stream.concat(InstalledSite.SITES.stream().flatMap(Request::curls), raws())
            .toList();

    static Request curl(String... arguments) {
        return new Request(Box.curlCommand(arguments));
    }

    /** Sends these very bytes in one write; the answer ends when nginx closes. */
    static Request raw(int port, boolean tls, String text) {
        String script = tls
                ? "/usr/bin/printf %s \"$1\" | timeout 30 openssl s_client -quiet -connect 127.0.0.1:$2 2>&1"
                : "exec 3<>/dev/tcp/127.0.0.1/$2; /usr/bin/printf %s \"$1\" >&3; timeout 30 cat <&3";
        return new Request("bash", "-c", script, "raw", text, Integer.toString(port));
    }

    /** nginx refuses bodies, and may then send a random picture in place of a redirect. */
    boolean hasBody() {
        return toString().matches("(?s).*(--data|--upload-file|Content-Length|Transfer-Encoding).*");
    }

    Process start(Box box) {
        return box.exec(command);
    }

    Answer send(Box box) {
        return Answer.to(this, start(box));
    }

    @Override
    public String toString() {
        return String.join(" ", command).replace(LINE, "aaa...");
    }

    private static Stream<Request> curls(String site) {
        String x = site + "/x";
        String methods = "POST PUT DELETE OPTIONS PATCH PROPFIND TRACE CONNECT FOX";
        String paths = "/ //x /../../etc/passwd /.well-known /x.png?dateline=1&y=%00 /é%20%ff /avatar7.png /picture"
                + " /Renard-1.png /01234567/Renard-0.png /01234567/Renard-01.png /x/01234567/Renard-1.png"
                + " /01234567/Renard-1.png/ /01234567/Renard-1.pngx /0123456/Renard-1.png /01234567/Renard-1.svg";
        var plain = Stream.concat(
                Stream.of(methods.split(" ")).map(method -> curl("--request", method, x)),
                Stream.of(paths.split(" ")).map(path -> curl(site + path)));
        var versions = Stream.of("--http1.1", "--http2")
                .flatMap(version -> Stream.of(
                        curl(version, x),
                        curl(version, "--request-target", "/%zz", site),
                        curl(version, "--data", "x=1", x),
                        curl(version, "--data", LINE, x)));
        var others = Stream.of(
                curl("--head", x),
                curl("--http1.0", x),
                curl("--request", "OPTIONS", "--request-target", "*", site),
                curl("--upload-file", "/usr/bin/openssl", x),
                curl("--header", "Transfer-Encoding: chunked", "--data", LINE, x),
                curl("-HA: " + LINE, "-HB: " + LINE, "-HC: " + LINE, "-HD: " + LINE, x),
                curl("--header", "A: " + LINE + LINE, x),
                curl(site + "/" + LINE),
                curl(site + "/" + LINE + LINE),
                curl("--header", "Host: evil.example.org", x),
                curl("--header", "Connection: upgrade", "--header", "Upgrade: websocket", site),
                curl("--header", "Range: bytes=0-3", site),
                curl("--header", "Expect: 100-continue", "--data", "x", site),
                curl("--data", LINE, site + "/Renard-1.png"));
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
                .flatMap(text -> Stream.of(raw(80, false, text), raw(443, true, text), raw(443, false, text)));
    }
}
