import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;

/** The least that the JDK's HTTP server can do for a 302. bench/run passes the properties that avatar.jar sets. */
class Floor {
    public static void main(String[] args) throws IOException {
        // as large a backlog as the kernel gives: the floor must not lose bursts
        HttpServer server = HttpServer.create(new InetSocketAddress(Integer.parseInt(args[0])), 1 << 16);
        server.createContext("/", exchange -> exchange.sendResponseHeaders(302, -1));
        server.start();
        System.gc(); // in 8 MB, G1 would mark for ever without it
    }
}
