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
 * Redirects every HTTP request to one of COUNT numbered pictures (302 Found, RFC 9110, 15.4.3).
 *
 * <p>The whole jar may have 2,048 bytes: hence one class, no lambda, and the limits in one string.
 *
 * <p>Two facts about com.sun.net.httpserver, the JDK's own server, explain the rest:
 * <ul>
 * <li>A connection takes heap: 20 KB from its first request until it is closed, more during a costly request. So the
 *     heap decides how many connections there may be, and nothing else has to be counted. The server closes a surplus
 *     connection as soon as it has accepted it.
 * <li>The thread that runs a request also reads it, and waits when the client stalls. The server's own thread, the
 *     dispatcher, runs requests fastest, but while it waits so does everybody. So it runs them until one has stalled,
 *     and then a thread pool runs them for a while: a minute after a stall of 2 s, the longest that the limits admit,
 *     and 0.64 s after one of 20 ms. With --pool it always does. A stall costs the others one wait in that time.
 * </ul>
 */
public final class RedirectServer implements Executor, HttpHandler {

    private static final String USAGE = "usage: java -jar avatar.jar [--pool] PORT COUNT ['URL*']";
    private static final String DEFAULT_URL = "https://avatar.spacefox.fr/Renard-*.png";

    /** System properties that the JDK reads when it creates a server; -D overrides them. */
    private static final String LIMITS = "sun.net.httpserver.maxReqHeaders=30" // browsers send under 20
            + "\nsun.net.httpserver.maxReqHeaderSize=5000" // bytes, and 32 more for each header; browsers send 1,000
            + "\nsun.net.httpserver.maxReqTime=2" // seconds to send a request; a new connection may be silent as long
            + "\nsun.net.httpserver.maxRspTime=2" // seconds to read the answer
            // ms between checks of both. A second, the default, would let a stall last 3 s, in which the server closes
            // visitors who connect as it begins. 100 checks a second cost an idle process 0.5 s of CPU a minute.
            + "\nsun.net.httpserver.timerMillis=10"
            + "\nsun.net.httpserver.clockTick=1000" // ms between checks for silent and idle connections
            + "\njava.locale.providers=SPI" // not CLDR, whose names for one Date header take 480 KB of heap
            + "\njdk.httpserver.maxConnections="; // the number follows: it depends on the heap

    private static final int HEAP_BITS = 17; // 2^17 bytes per connection; by 80 KB costly requests ended the process
    private static final int MAX_CONNECTIONS = 1000; // they fit in 1,024 file descriptors, the usual limit
    private static final int BACKLOG = 4096; // connections that wait to be accepted; Linux allows as many by default

    private static final int STALL = 20_000_000; // ns; under load requests take up to 15 ms, only the first takes 50
    private static final int POOLED = 640_000_000; // ns in the pool for each STALL that a request took

    private final Executor pool = Executors.newCachedThreadPool();
    private int count;
    private String[] template; // what is left and right of the number
    private long pooledUntil; // System.nanoTime(); Long.MAX_VALUE with --pool

    /** Reads the arguments and opens the server. Exit status 2: wrong arguments; 1: the port cannot be opened. */
    public static void main(String[] arguments) {
        String culprit = "arguments"; // what the next message would be about, as USAGE calls it
        int status = 2;
        try {
            RedirectServer redirects = new RedirectServer();
            String[] operands = new String[arguments.length + 3];
            operands[2] = DEFAULT_URL;
            int given = 0;
            for (String argument : arguments) {
                if (argument.equals("--pool")) redirects.pooledUntil = Long.MAX_VALUE;
                else operands[given++] = argument;
            }
            if (given < 2 || given > 3) throw new Exception("wrong number");
            culprit = "COUNT";
            redirects.count = Integer.parseInt(operands[1]);
            if (redirects.count < 1) throw new Exception("wrong number");
            culprit = "URL*";
            // Splits at a * behind a host.
            redirects.template = URI.create(operands[2]).toASCIIString().split("(?<=^https?://[^*/].{0,999})\\*", -1);
            if (redirects.template.length != 2) throw new Exception("needs http://host and one *");
            culprit = "PORT";
            InetSocketAddress address = new InetSocketAddress(Integer.parseInt(operands[0]));
            status = 1;
            HttpServer server = open(address, redirects);
            System.out.println("http://localhost:" + server.getAddress().getPort() + "/ -> " + operands[2]);
        } catch (Exception failure) {
            System.err.println(culprit + ": " + failure.getMessage());
            if (status == 2) System.err.println(USAGE);
            System.exit(status);
        }
    }

    /** Opens the server, which answers from then on. */
    private static HttpServer open(InetSocketAddress address, RedirectServer redirects) throws IOException {
        setLimits();
        HttpServer server = HttpServer.create(address, BACKLOG);
        server.createContext("/", redirects);
        server.setExecutor(redirects);
        server.start();
        return server;
    }

    private static void setLimits() {
        int connections = Math.min((int) (Runtime.getRuntime().maxMemory() >> HEAP_BITS), MAX_CONNECTIONS);
        String[] limits = (LIMITS + connections + "\nsun.net.httpserver.maxIdleConnections="
                        + connections / 2) // leaves room for new clients
                .split("=|\n", -1);
        for (int i = 0; i < limits.length; i += 2) {
            System.setProperty(limits[i], System.getProperty(limits[i], limits[i + 1]));
        }
    }

    /** Called by the dispatcher for each request that begins to arrive. */
    @Override
    public void execute(Runnable request) {
        long start = System.nanoTime();
        if (start < pooledUntil) {
            pool.execute(request);
        } else {
            request.run();
            pooledUntil = start + (System.nanoTime() - start) / STALL * POOLED;
        }
    }

    /** Leaves the body of a request to the server, which discards up to 64 KB of it and else closes the connection. */
    @Override
    public void handle(HttpExchange exchange) throws IOException {
        int number = (int) (Math.random() * count) + 1;
        exchange.getResponseHeaders().set("Location", template[0] + number + template[1]);
        exchange.getResponseHeaders().set("Cache-Control", "private, no-store"); // else some caches keep the redirect
        exchange.sendResponseHeaders(302, -1); // -1: no body
    }
}
