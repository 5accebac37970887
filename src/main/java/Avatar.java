import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

/**
 * Redirects each HTTP request to one of COUNT numbered pictures, drawn at random.
 *
 * <p>The JDK's own server has one thread, the dispatcher. Without --pool it reads and answers all requests, one after
 * the other. That costs the least, and suits clients that send whole requests, as nginx does. But while a client stalls
 * in mid-request, all others wait. With --pool each request has a thread of its own, and nobody waits.
 *
 * <p>The jar may have 2,048 bytes, of which 5 are left: hence one class without a package, no lambda, and no + that
 * joins strings.
 */
public final class Avatar implements HttpHandler {

    private String url = "https://avatar.spacefox.fr/Renard-*.png"; // * stands for the number
    private int count;

    /** Sets limits and starts the server. A failure is one line with its reason, the usage, and exit status 1. */
    public static void main(String[] arguments) {
        try {
            // The JDK's server has no limits by default, or larger ones. It reads these when it is created.
            // Seconds to send a request, to read the answer, and then to the next request. The server looks at the
            // first two once a second, so they become 3 at most, and at the third every ten seconds, so it becomes 12.
            System.setProperty("sun.net.httpserver.maxReqTime", "2");
            System.setProperty("sun.net.httpserver.maxRspTime", "2");
            System.setProperty("sun.net.httpserver.idleInterval", "2");
            System.setProperty("sun.net.httpserver.maxIdleConnections", "30"); // half of those in 8 MB: room for others
            System.setProperty("sun.net.httpserver.maxReqHeaders", "30"); // browsers send fewer than 20
            // Bytes of a head, in which each header counts 32 more. Browsers send 1,000.
            System.setProperty("sun.net.httpserver.maxReqHeaderSize", "5000");
            // For a Date header CLDR, the default, takes 300 KB of heap, 700 in Java 25. SPI leaves what is built in.
            System.setProperty("java.locale.providers", "SPI");
            // 128 KB of heap for each connection: 80 KB were too little for the costliest requests within these limits.
            long connections = Runtime.getRuntime().maxMemory() / (128 * 1024);
            System.setProperty("jdk.httpserver.maxConnections", String.valueOf(connections));
            start(arguments);
        } catch (Exception failure) {
            System.err.println(failure.getMessage().concat(": ").concat(String.join(" ", arguments)));
            System.err.println("usage: java -jar avatar.jar [--pool] [HOST:]PORT COUNT ['URL*']");
            System.exit(1);
        }
    }

    private static void start(String[] arguments) throws Exception {
        // As in the usage, a line for each argument; [!-~] is printable ASCII but for the space.
        String syntax = "(--pool\n)?([!-~]+:)?\\d+\n[1-9]\\d*(\n[!-~]*\\*[!-~]*)?";
        if (!String.join("\n", arguments).matches(syntax)) throw new Exception("wrong arguments");
        int first = arguments[0].equals("--pool") ? 1 : 0; // where [HOST:]PORT is
        Avatar avatar = new Avatar();
        avatar.count = Integer.parseInt(arguments[first + 1]);
        if (arguments.length > first + 2) avatar.url = arguments[first + 2];

        InetSocketAddress address = new InetSocketAddress(
                arguments[first].replaceFirst(":?\\d+$", ""), // "" is the loopback address: for this machine only
                Integer.parseInt(arguments[first].replaceFirst(".*:", "")));
        // 4096 connections may wait to be accepted, the most that Linux allows by default.
        HttpServer server = HttpServer.create(address, 4096);
        server.createContext("/", avatar);
        if (first > 0) server.setExecutor(Executors.newCachedThreadPool());
        server.start();
        System.out.println("http:/".concat(server.getAddress().toString()));
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        long number = 1 + (long) (Math.random() * count); // long, as above: a second valueOf takes 26 bytes
        exchange.getResponseHeaders().set("Location", url.replace("*", String.valueOf(number)));
        // Without it Cloudflare keeps redirects of some paths; private is for Fastly, which ignores no-store.
        exchange.getResponseHeaders().set("Cache-Control", "private, no-store");
        exchange.sendResponseHeaders(302, -1); // -1: no body
    }
}
