package fr.spacefox.avatar.jar;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** One connection to the server, byte by byte. */
final class Client implements AutoCloseable {

    /** The beginning of each request: what lacks the rest is a stall. */
    static final String HALF_HEAD = "GET / HTTP/1.1\r\nHost: localhost\r\n";

    static final String GET = HALF_HEAD + "\r\n";
    /** Without the end of its head. */
    static final String POST = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n";

    static final String GET_AND_CLOSE = HALF_HEAD + "Connection: close\r\n\r\n";

    private static final int TIMEOUT_MILLIS = 20_000; // a loaded machine, not a measure

    private final Socket socket = new Socket();
    private final InputStream input;

    /** The address as the server prints it. */
    Client(String address) throws IOException {
        String host = address.replaceFirst("/(.*):\\d+", "$1");
        int port = Integer.parseInt(address.replaceFirst(".*:", ""));
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.setReceiveBufferSize(8192); // so that few answers wait to be read
            socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
            input = new BufferedInputStream(socket.getInputStream());
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    Client send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    /** One head with its empty line and no byte more. */
    String head() throws IOException {
        var head = new StringBuilder();
        while (head.lastIndexOf("\r\n\r\n") < 0) {
            int b = input.read();
            if (b < 0) throw new EOFException("closed after: " + head);
            head.append((char) b); // ISO 8859-1
        }
        return head.toString();
    }

    /** Everything until the server closes. */
    String rest() throws IOException {
        return new String(input.readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    /** Whether the server has sent nothing and not closed. */
    boolean isWaiting() throws IOException {
        socket.setSoTimeout(1);
        try {
            input.read();
            return false;
        } catch (SocketTimeoutException nothing) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
