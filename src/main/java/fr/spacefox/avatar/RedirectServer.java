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
 * <p>Two facts about com.sun.net.httpserver, the JDK's own server, explain everything below:
 * <ul>
 * <li>A connection takes heap: 20 KB from its first request until it is closed, and up to 100 KB during the costliest
 *     request that the limits admit. So the heap decides how many connections there may be, and nothing else has to be
 *     counted. The server closes a surplus connection as soon as it has accepted it.
 * <li>The thread that runs a request also reads it, and waits when the client stalls. The server's own thread, the
 *     dispatcher, runs requests fastest, but while it waits so does everybody. So it runs them until one has stalled,
 *     and then a thread pool runs them for a minute; with --pool always. A stall costs the others one wait a minute.
 * </ul>
 */
public final class RedirectServer implements Executor, HttpHandler {

    private static final String USAGE = "usage: java -jar avatar.jar [--pool] PORT COUNT ['URL*']";
    private static final String DEFAULT_URL = "https://avatar.spacefox.fr/Renard-*.png";

    private static final int HEAP_PER_CONNECTION = 128 * 1024; // bytes: the costliest request and a margin
    private static final int MAX_CONNECTIONS = 1000; // they fit in 1,024 file descriptors, the usual limit
    private static final String LIMITS = "/sun.net.httpserver.maxReqHeaders/30" // names; browsers send under 20
            + "/sun.net.httpserver.maxReqHeaderSize/5000" // bytes, and 32 more for each header; browsers send 1,000
            + "/sun.net.httpserver.maxReqTime/2" // seconds to send a request; a new connection may be silent as long
            + "/sun.net.httpserver.maxRspTime/2" // seconds to read the answer
            + "/sun.net.httpserver.timerMillis/10" // ms between checks of both, so that a stall is not much longer
            + "/sun.net.httpserver.clockTick/1000" // ms between checks for silent and idle connections
            + "/java.locale.providers/SPI"; // not CLDR, whose names for one Date header take 480 KB of heap

    private static final int BACKLOG = 4096; // connections that wait to be accepted; Linux allows as many by default
    private static final int STALL_MILLIS = 200; // twice what the first request takes, which loads classes
    private static final int POOL_MILLIS = 60_000; // after a stall

    private final Executor pool = Executors.newCachedThreadPool();
    private int count;
    private String[] template; // what is left and right of the number
    private long pooledUntil; // System.currentTimeMillis(); only the dispatcher uses it

    /** Exit status 2: wrong arguments; 1: the port cannot be opened. */
    public static void main(String[] arguments) {
        String culprit = "arguments";
        int status = 2;
        try {
            RedirectServer redirects = new RedirectServer();
            Executor executor = redirects;
            String[] operands = new String[3];
            operands[2] = DEFAULT_URL;
            int given = 0;
            for (String argument : arguments) {
                if (argument.equals("--pool")) executor = redirects.pool;
                else if (given < 3) operands[given++] = argument;
                else throw new Exception("too many");
            }
            if (given < 2) throw new Exception("too few");
            culprit = "PORT";
            InetSocketAddress address = new InetSocketAddress(Integer.parseInt(operands[0]));
            culprit = "COUNT";
            redirects.count = Integer.parseInt(operands[1]);
            if (redirects.count < 1) throw new Exception("too few");
            culprit = "URL*";
            URI url = URI.create(operands[2]);
            url.toURL(); // fails unless it is absolute
            redirects.template = url.toASCIIString().split("\\*", -1);
            if (redirects.template.length != 2) throw new Exception("needs one *");
            culprit = "PORT";
            status = 1;
            setLimits();
            HttpServer server = HttpServer.create(address, BACKLOG);
            server.createContext("/", redirects);
            server.setExecutor(executor);
            server.start();
            System.out.println("http://localhost:" + server.getAddress().getPort() + "/ -> " + operands[2]);
        } catch (Exception failure) {
            System.err.println(culprit + ": " + failure.getMessage());
            if (status == 2) System.err.println(USAGE);
            System.exit(status);
        }
    }

    /** Sets the system properties that the JDK reads when its server is created; -D overrides them. */
    private static void setLimits() {
        int connections = (int) Math.min(Runtime.getRuntime().maxMemory() / HEAP_PER_CONNECTION, MAX_CONNECTIONS);
        String[] limits = ("jdk.httpserver.maxConnections/" + connections
                        + "/sun.net.httpserver.maxIdleConnections/" + connections / 2 // leaves room for new clients
                        + LIMITS)
                .split("/", -1);
        for (int i = 0; i < limits.length; i += 2) {
            System.setProperty(limits[i], System.getProperty(limits[i], limits[i + 1]));
        }
    }

    /** Called by the dispatcher for each request that begins to arrive. */
    @Override
    public void execute(Runnable request) {
        long start = System.currentTimeMillis();
        if (start < pooledUntil) {
            pool.execute(request);
        } else {
            request.run();
            if (System.currentTimeMillis() - start > STALL_MILLIS) pooledUntil = start + POOL_MILLIS;
        }
    }

    /** Leaves the body of a request to the server, which discards it after the answer. */
    @Override
    public void handle(HttpExchange exchange) throws IOException {
        int number = (int) (Math.random() * count) + 1;
        exchange.getResponseHeaders().set("Location", template[0] + number + template[1]);
        exchange.getResponseHeaders().set("Cache-Control", "private, no-store"); // else some caches keep the redirect
        exchange.sendResponseHeaders(302, -1); // -1: no body
    }
}
