import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;

/** A 302 without headers, on the JDK's HTTP server as it is. */
class Floor {
    public static void main(String[] args) throws IOException {
        // as in avatar.jar: without locale data, which G1 has no room for in 8 MB
        System.setProperty("java.locale.providers", "SPI");
        // as large a backlog as the kernel gives: the floor must not lose bursts
        HttpServer server = HttpServer.create(new InetSocketAddress(Integer.parseInt(args[0])), 1 << 16);
        server.createContext("/", exchange -> exchange.sendResponseHeaders(302, -1));
        server.start();
    }
}
