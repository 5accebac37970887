package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** One connection to the server, byte by byte. */
final class Client implements AutoCloseable {

    /** The beginning of each request: what lacks the rest is a stall. */
    static final String HALF_HEAD = "GET / HTTP/1.1\r\nHost: localhost\r\n";

    static final String GET = HALF_HEAD + "\r\n";
    /** Without the end of its head. */
    static final String POST = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n";

    /** More than the 12 s within which the server cuts off who stalls, less than the 30 s by default. */
    private static final int TIMEOUT_MILLIS = 20_000;

    /** Exactly these lines, in any order, and with the reason phrase that the JDK likes. */
    private static final Pattern REDIRECT = Pattern.compile("Cache-control: private, no-store\nContent-length: 0\n"
            + "Date: \\w{3}, \\d\\d \\w{3} \\d{4} [0-9:]{8} GMT\nHTTP/1\\.1 302 .*\n"
            + "Location: https://avatar\\.spacefox\\.fr/Renard-(\\d+)\\.png");

    private final Socket socket = new Socket();
    private final InputStream input;
    private String sent = "nothing";

    /** The address as the server prints it. */
    Client(String address) throws IOException {
        String host = address.replaceFirst("http://(.*):\\d+", "$1");
        int port = Integer.parseInt(address.replaceFirst(".*:", ""));
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setReceiveBufferSize(8192); // so that few answers wait to be read
        socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
        input = new BufferedInputStream(socket.getInputStream());
    }

    Client send(String text) throws IOException {
        sent = text;
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    /** One head with its empty line and no byte more. */
    String head() throws IOException {
        var head = new StringBuilder();
        try {
            while (head.lastIndexOf("\r\n\r\n") < 0) {
                int b = input.read();
                if (b < 0) throw new EOFException("closed");
                head.append((char) b); // ISO 8859-1
            }
        } catch (IOException failure) {
            throw new IOException("no answer to " + sent + "\nbut " + failure + " behind: " + head, failure);
        }
        return head.toString();
    }

    /** The number in the redirect that the server sends now. */
    int number() throws IOException {
        return number(head());
    }

    int number(String answer) {
        // The JDK leaves it out of the answer to HEAD.
        String head = sent.startsWith("HEAD") ? answer.replace("\r\nL", "\r\nContent-length: 0\r\nL") : answer;
        var sorted = REDIRECT.matcher(head.strip().lines().sorted().collect(Collectors.joining("\n")));
        boolean isRedirect = sorted.matches() && head.endsWith("\r\n\r\n");
        assertTrue(isRedirect, () -> "answered " + sent + "\nby: " + head + "wanted, in any order: " + REDIRECT);
        return Integer.parseInt(sorted.group(1)); // of an int, as COUNT is
    }

    /** Everything until the server closes. */
    String rest() throws IOException {
        return new String(input.readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
