package fr.spacefox.avatar;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Random;
import java.util.concurrent.ForkJoinPool;

/**
 * Redirects every HTTP request to one of COUNT numbered pictures (302 Found, RFC 9110, 15.4.3).
 *
 * <p>All below follows from four facts about the JDK's own HTTP server, com.sun.net.httpserver, and a heap of 8 MB:
 * <ul>
 * <li>One thread, the dispatcher, waits for all connections. In each turn it first lets go of those that were answered
 *     in the turn before: it closes them, or keeps them for another request. Then it accepts at most one new connection
 *     and hands every request that begins to arrive, still unread, to the executor.
 * <li>Whichever thread runs a request reads it, too. A client that stalls in mid-request blocks that thread for as long
 *     as maxReqTime, which is counted from the hand-over.
 * <li>A connection takes 1 KB of heap at first, and 20 KB, its buffers, from its first request until it is closed.
 * <li>A connection that cannot be kept, as maxIdleConnections are kept already, is closed without a warning.
 * </ul>
 *
 * <p>So these are the rules:
 * <ul>
 * <li>The dispatcher runs the requests itself, which takes half the time that passing them to another thread takes.
 *     Once a client has stalled, other threads run them for nine seconds; with --pool they always do.
 * <li>No more connections are kept than there are slots, of which the client's port chooses one. A connection that
 *     finds another one in its slot is told to close, and the client knows.
 * <li>While the last connection that was told to close is open, the dispatcher is in a turn with more requests than
 *     buffers fit in the heap: a crowd. Those go to the other threads. There each answer waits for the closing of the
 *     one before. The dispatcher, which does the closing, never waits.
 * </ul>
 */
public final class RedirectServer extends ForkJoinPool implements HttpHandler {

    /** Name and value of system properties, of which -D overrides each; module jdk.httpserver documents them. */
    private static final String DEFAULTS = "sun.net.httpserver.maxIdleConnections=25" // 20 KB each; more, and G1 lags
            + "=jdk.httpserver.maxConnections=1008" // 1 KB each; fits in the usual 1,024 file descriptors
            + "=sun.net.httpserver.maxReqHeaderSize=5000" // bytes; from 5,120 on a buffer of 20 KB holds the header
            + "=sun.net.httpserver.maxReqTime=2" // seconds that a client may stall, or stay silent
            + "=sun.net.httpserver.maxRspTime=2" // seconds that a client may take to read the answer
            + "=sun.net.httpserver.timerMillis=10" // ms between two looks at both; each look ends few at a time
            + "=sun.net.httpserver.clockTick=1000" // ms between two looks at silent clients; 10 s would be too late
            + "=java.locale.providers=SPI"; // the Date header needs no other; the JDK's CLDR takes 480 KB of heap

    private static final int THREADS = 52; // 50 clients may stall while two threads serve the others
    private static final int BACKLOG = 4096; // connections that wait to be accepted, as many as Linux allows
    private static final long STALL_NANOS = 500_000_000; // the first request, which loads classes, takes a fifth of it
    private static final long WARY_NANOS = 9_000_000_000L; // longer than the stalls of one flood last

    private static String[] template; // what precedes the number, and what follows
    private static int count;
    private static Random random;
    private static InetSocketAddress closed; // the local address of each closed connection: no interface, our port
    private static HttpExchange[] slots; // the first request of each connection that is kept
    private static volatile HttpExchange lastToldToClose;
    private static volatile long pooledUntil; // System.nanoTime()

    private RedirectServer() {
        super(THREADS);
    }

    /** Starts the server, or ends with status 2 after bad arguments and 1 when it cannot listen. */
    public static void main(String[] arguments) {
        String culprit = "";
        String usage = "\nUsage: java -jar avatar.jar [--pool] PORT COUNT [URL with *]";
        int status = 2;
        try {
            String[] defaults = DEFAULTS.split("=", 0);
            for (int i = 0; i < defaults.length; i += 2) {
                defaults[i + 1] = System.getProperty(defaults[i], defaults[i + 1]);
                System.setProperty(defaults[i], defaults[i + 1]);
            }
            slots = new HttpExchange[Integer.parseInt(defaults[1])];
            String[] operands = {"", "", "https://avatar.spacefox.fr/Renard-*.png"};
            int given = 0;
            for (String argument : arguments) {
                culprit = argument;
                if (argument.equals("--pool")) pooledUntil = Long.MAX_VALUE;
                else operands[given++] = argument;
            }
            culprit = "PORT";
            InetSocketAddress address = new InetSocketAddress(Integer.parseInt(operands[0]));
            culprit = "COUNT";
            count = Integer.parseInt(operands[1]);
            random = new Random();
            random.nextInt(count); // fails unless COUNT is positive
            culprit = "URL";
            URI uri = URI.create(operands[2]);
            uri.toURL(); // fails unless it is absolute
            template = uri.toASCIIString().split("\\*", 2);
            operands[2].concat(template[1]); // fails without *
            culprit = "PORT";
            usage = "";
            status = 1;
            HttpServer server = HttpServer.create(address, BACKLOG);
            RedirectServer redirects = new RedirectServer();
            server.createContext("/", redirects);
            server.setExecutor(redirects);
            closed = new InetSocketAddress(server.getAddress().getPort());
            server.start();
            System.out.println("http://localhost:".concat(Integer.toString(closed.getPort()))
                    .concat("/ -> ").concat(operands[2]));
        } catch (Exception failure) {
            System.err.println(culprit.concat(": ").concat(failure.getMessage()).concat(usage));
            System.exit(status);
        }
    }

    /** Runs a request, or has it run by another thread: after a stall, in a crowd, and behind others that wait. */
    @Override
    public void execute(Runnable request) {
        long start = System.nanoTime();
        if (start < pooledUntil || isOpen(lastToldToClose) || !isQuiescent()) {
            super.execute(request);
            Thread.yield(); // to the thread that takes it, before the pool starts one more for the next request
        } else {
            request.run();
            if (System.nanoTime() - start > STALL_NANOS) pooledUntil = start + WARY_NANOS;
        }
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().close(); // reads it: a body that breaks off after the answer is kept for 2 s
        String number = Integer.toString(random.nextInt(count) + 1);
        Headers headers = exchange.getResponseHeaders();
        headers.set("Location", template[0].concat(number).concat(template[1]));
        headers.set("Cache-Control", "private, no-store"); // some caches keep a redirect that does not say so
        if (!hasSlot(exchange)) {
            headers.set("Connection", "close");
            awaitTurn(exchange);
        }
        exchange.sendResponseHeaders(302, -1); // -1: no body
    }

    private static boolean hasSlot(HttpExchange exchange) {
        int slot = exchange.getRemoteAddress().getPort() % slots.length;
        if (!isOpen(slots[slot])) slots[slot] = exchange;
        return slots[slot].getRemoteAddress().equals(exchange.getRemoteAddress());
    }

    private static void awaitTurn(HttpExchange exchange) {
        while (isOpen(lastToldToClose)) Thread.yield();
        lastToldToClose = exchange;
    }

    private static boolean isOpen(HttpExchange exchange) {
        return exchange != null && !exchange.getLocalAddress().equals(closed);
    }
}
