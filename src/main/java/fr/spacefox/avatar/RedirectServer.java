package fr.spacefox.avatar;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/**
 * Redirects HTTP requests, each to one of COUNT numbered pictures (302 Found, RFC 9110, 15.4.3).
 *
 * <p>The whole jar may have 2,048 bytes (mvn package prints its size): hence one class, no lambda, and the
 * properties in one string.
 *
 * <p>Two facts about com.sun.net.httpserver, the JDK's own server, explain the rest:
 * <ul>
 * <li>A connection takes heap: 20 KB from its first request until it is closed, more during a costly request. So the
 *     heap decides how many connections there may be. The server closes a surplus connection as soon as it has
 *     accepted it.
 * <li>The thread that runs a request also reads it, and waits when the client stalls. The server's own thread, the
 *     dispatcher, runs a request at the least cost, but everybody waits for it. So once a client has stalled, a thread
 *     pool runs the requests, until 32 times as long has passed since the stall began: stalls take at most a 32nd of
 *     the dispatcher's time. With --pool the pool runs all.
 * </ul>
 */
public final class RedirectServer implements Executor, HttpHandler {

    private static final String USAGE = "usage: java -jar avatar.jar [--pool] PORT COUNT ['URL*']";
    private static final String DEFAULT_URL = "https://avatar.spacefox.fr/Renard-*.png";

    /**
     * (?![^/?#]*@) refuses a user before the host, that is, an @ before a path, query or fragment (RFC 9110, 4.2.4).
     * [^*:/?#] is the host's first character: with a * there, the number alone could be the host.
     */
    private static final String URL_WITH_HOST = "https?://(?![^/?#]*@)[^*:/?#].+";

    /**
     * 2^17 bytes, 128 KB, for each connection: with 80 KB the costliest requests ran the process out of memory. A
     * divisor would take more bytes of the jar than this shift.
     */
    private static final int HEAP_SHIFT = 17;

    private static final int MAX_CONNECTIONS = 1000; // of which each is a file descriptor: 1,024 is a usual limit
    private static final int BACKLOG = 4096; // connections that wait to be accepted; Linux's default maximum

    /**
     * 20 ms: a request that takes longer has stalled. Under load they take up to 15 ms. The first of all takes 50 to
     * 100, because the JVM loads classes, and so brings the pool for 1.6 to 3.2 s.
     */
    private static final int STALL_NANOS = 20_000_000;

    private static final int POOLED = 32; // times the stall: 0.64 s for one of 20 ms, over a minute for one of 2 s

    private final Executor pool = Executors.newCachedThreadPool();
    private int count;
    private String[] template; // what is left and right of the number

    /**
     * The pool runs the requests until System.nanoTime() is this. 0 is past: Linux counts from the machine's start.
     * Only the dispatcher reads and writes it.
     */
    private long pooledUntil;

    /** Reads the arguments and opens the server. Exit status 2: wrong arguments; 1: the port cannot be opened. */
    public static void main(String[] arguments) {
        setProperties();
        String subject = "arguments: "; // what is being read: a message begins with it
        int status = 2;
        try {
            RedirectServer redirector = new RedirectServer();
            int first = arguments.length > 0 && arguments[0].equals("--pool") ? 1 : 0; // where PORT is
            int given = arguments.length - first;
            if (given != 2 && given != 3) throw new Exception("wrong number");
            subject = "COUNT: ";
            redirector.count = Integer.parseInt(arguments[first + 1]);
            if (redirector.count < 1) throw new Exception("wrong number");
            subject = "URL*: ";
            String url = given == 3 ? arguments[first + 2] : DEFAULT_URL;
            String ascii = new URI(url).toASCIIString();
            if (!ascii.matches(URL_WITH_HOST)) throw new Exception("needs http://host");
            redirector.template = ascii.split("\\*", -1); // -1: nothing may be right of the number
            if (redirector.template.length != 2) throw new Exception("needs one *");
            subject = "PORT: ";
            InetSocketAddress address = new InetSocketAddress(Integer.parseInt(arguments[first]));
            status = 1;
            HttpServer server = HttpServer.create(address, BACKLOG);
            server.createContext("/", redirector);
            server.setExecutor(first == 0 ? redirector : redirector.pool);
            server.start();
            System.out.println("http://localhost:" + server.getAddress().getPort() + "/ -> " + url);
        } catch (Exception failure) {
            System.err.println(subject + failure.getMessage());
            if (status == 2) System.err.println(USAGE);
            System.exit(status);
        }
    }

    /** Sets system properties that -D has not set. The JDK reads each once, the locale's for the first answer. */
    private static void setProperties() {
        int connections = (int) (Runtime.getRuntime().maxMemory() >> HEAP_SHIFT);
        if (connections > MAX_CONNECTIONS) connections = MAX_CONNECTIONS;
        String limits = "sun.net.httpserver.maxReqHeaders=30" // different names; browsers send under 20
                + " sun.net.httpserver.maxReqHeaderSize=5000" // bytes, each header counts 32 more; browsers send 1,000
                // Seconds, whatever the JDK's documents say (JDK-8387598), to send a request, and to read the answer.
                // A new connection may be silent as long. The JDK looks once a second, so they may become three.
                + " sun.net.httpserver.maxReqTime=2"
                + " sun.net.httpserver.maxRspTime=2"
                // Seconds from an answer to the next request. In Java 17 clients that are answered together can exceed
                // maxIdleConnections and take all places: with the default, nobody else would be admitted for 30 s.
                + " sun.net.httpserver.idleInterval=2"
                + " sun.net.httpserver.clockTick=1000" // ms between checks for silent and idle connections
                // Half of the places of 8 MB are for new clients: if all were idle, nobody would be admitted for 3 s.
                + " sun.net.httpserver.maxIdleConnections=30"
                // For a Date header CLDR, the default, takes 480 KB of heap: in 8 MB a third fewer requests a second.
                // SPI names providers of the class path: there are none, so the JDK takes what it has built in.
                + " java.locale.providers=SPI"
                + " jdk.httpserver.maxConnections=" + connections;
        String[] words = limits.split("[ =]", -1); // names and values in turn; -1 as in main: fewer bytes of jar
        for (int i = 0; i < words.length; i += 2) {
            System.setProperty(words[i], System.getProperty(words[i], words[i + 1]));
        }
    }

    /** Leaves a request's body to the server, which discards less than 64 KB, and else closes the connection. */
    @Override
    public void handle(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Location", template[0] + ((int) (Math.random() * count) + 1) + template[1]);
        // Without it Cloudflare keeps redirects of some paths; private is for Fastly, which ignores no-store.
        exchange.getResponseHeaders().set("Cache-Control", "private, no-store");
        exchange.sendResponseHeaders(302, -1); // -1: no body
    }

    /** Called by the dispatcher for each request that begins to arrive; with --pool the pool is called instead. */
    @Override
    public void execute(Runnable request) {
        long start = System.nanoTime();
        if (start < pooledUntil) {
            pool.execute(request);
        } else {
            request.run();
            long took = System.nanoTime() - start;
            if (took > STALL_NANOS) pooledUntil = start + took * POOLED;
        }
    }
}
