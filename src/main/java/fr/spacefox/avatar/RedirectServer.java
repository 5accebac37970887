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
 * <p>The whole jar may have 2,048 bytes: hence one class, no lambda, and the limits in one string.
 *
 * <p>Two facts about com.sun.net.httpserver, the JDK's own server, explain the rest:
 * <ul>
 * <li>A connection takes heap: 20 KB from its first request until it is closed, more during a costly request. So the
 *     heap decides how many connections there may be. The server closes a surplus connection as soon as it has
 *     accepted it.
 * <li>The thread that runs a request also reads it, and waits when the client stalls. The server's own thread, the
 *     dispatcher, runs a request at the least cost, but everybody waits for it. So it runs them until a client has
 *     stalled, and then a thread pool runs them for 32 times as long: 0.64 s after a stall of 20 ms, a minute after one
 *     of 2 s. With --pool the pool runs all.
 * </ul>
 */
public final class RedirectServer implements Executor, HttpHandler {

    private static final String USAGE = "usage: java -jar avatar.jar [--pool] PORT COUNT ['URL*']";
    private static final String DEFAULT_URL = "https://avatar.spacefox.fr/Renard-*.png";

    /** System properties that the JDK reads once, so they are set before the server is created; -D overrides them. */
    private static final String LIMITS = "java.locale.providers=SPI" // CLDR takes 480 KB of heap for one Date header
            + "\nsun.net.httpserver.maxReqHeaders=30" // different names; browsers send under 20
            + "\nsun.net.httpserver.maxReqHeaderSize=5000" // bytes, each header counts 32 more; browsers send 1,000
            // Seconds, whatever the JDK's documents say (JDK-8387598), to send a request, and to read the answer. A new
            // connection may be silent as long.
            + "\nsun.net.httpserver.maxReqTime=2"
            + "\nsun.net.httpserver.maxRspTime=2"
            // ms between checks of both. With the default, 1000, a stall could last 3 s, and visitors who connect as it
            // begins would exceed their 2 s. 100 checks a second cost an idle process 0.5 s of CPU a minute.
            + "\nsun.net.httpserver.timerMillis=10"
            // Seconds from an answer to the next request. Clients that are answered in the same moment can exceed
            // maxIdleConnections and take all places: with the default, nobody else would be admitted for 30 s.
            + "\nsun.net.httpserver.idleInterval=2"
            + "\nsun.net.httpserver.clockTick=1000" // ms between checks for silent and idle connections
            + "\njdk.httpserver.maxConnections="; // the number follows: it depends on the heap

    /** 2^17 bytes, 128 KB, for each connection: with 80 KB the costliest requests ran the process out of memory. */
    private static final int HEAP_SHIFT = 17;

    private static final int MAX_CONNECTIONS = 1000; // they fit in 1,024 file descriptors, the usual limit
    private static final int BACKLOG = 4096; // connections that wait to be accepted; Linux's default maximum

    /** In ns: a request that takes longer has stalled. Under load they take up to 15 ms, the first of all takes 50. */
    private static final int STALL = 20_000_000;

    private static final int POOLED = 32; // STALLs in the pool for each STALL that a request took

    private final Executor pool = Executors.newCachedThreadPool();
    private int count;
    private String[] template; // what is left and right of the number
    private long pooledUntil; // System.nanoTime(), on Linux since the machine started; Long.MAX_VALUE with --pool

    /** Reads the arguments and opens the server. Exit status 2: wrong arguments; 1: the port cannot be opened. */
    public static void main(String[] arguments) {
        String culprit = "arguments"; // the argument that a message would be about
        int status = 2;
        try {
            RedirectServer redirector = new RedirectServer();
            String[] operands = new String[arguments.length + 3];
            operands[2] = DEFAULT_URL;
            int given = 0;
            for (String argument : arguments) {
                if (argument.equals("--pool")) redirector.pooledUntil = Long.MAX_VALUE;
                else operands[given++] = argument;
            }
            if (given < 2 || given > 3) throw new Exception("wrong number");
            culprit = "COUNT";
            redirector.count = Integer.parseInt(operands[1]);
            if (redirector.count < 1) throw new Exception("wrong number");
            culprit = "URL*";
            // Checks scheme and host, and splits; a lookbehind needs a bound. Other ways took 20 bytes more.
            redirector.template = URI.create(operands[2]).toASCIIString().split("(?<=https?://[^*/:].{0,999})\\*", -1);
            if (redirector.template.length != 2) throw new Exception("needs http://host and one *");
            culprit = "PORT";
            InetSocketAddress address = new InetSocketAddress(Integer.parseInt(operands[0]));
            status = 1;
            HttpServer server = open(address, redirector);
            System.out.println("http://localhost:" + server.getAddress().getPort() + "/ -> " + operands[2]);
        } catch (Exception failure) {
            System.err.println(culprit + ": " + failure.getMessage());
            if (status == 2) System.err.println(USAGE);
            System.exit(status);
        }
    }

    /** Opens the server, which answers from then on. */
    private static HttpServer open(InetSocketAddress address, RedirectServer redirector) throws IOException {
        setLimits();
        HttpServer server = HttpServer.create(address, BACKLOG);
        server.createContext("/", redirector);
        server.setExecutor(redirector);
        server.start();
        return server;
    }

    private static void setLimits() {
        int connections = Math.min((int) (Runtime.getRuntime().maxMemory() >> HEAP_SHIFT), MAX_CONNECTIONS);
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
            pooledUntil = start + (System.nanoTime() - start) / STALL * POOLED * STALL;
        }
    }

    /**
     * Leaves the body of a request to the server, which discards up to 64 KB of it; if there is more, it closes the
     * connection.
     */
    @Override
    public void handle(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Location", template[0] + ((int) (Math.random() * count) + 1) + template[1]);
        exchange.getResponseHeaders().set("Cache-Control", "private, no-store"); // else some caches keep the redirect
        exchange.sendResponseHeaders(302, -1); // -1: no body
    }
}
