package fr.spacefox.avatar;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.util.Random;
import java.util.concurrent.ForkJoinPool;

/**
 * Redirects every HTTP request to one of COUNT numbered pictures (302 Found, RFC 9110, 15.4.3).
 *
 * <p>Everything here follows from five facts about the JDK's own server, com.sun.net.httpserver, in a heap of 8 MB:
 * <ul>
 * <li>One thread, the dispatcher, waits for all connections. In each turn of its loop it first closes, or keeps
 *     alive, those that were answered in the turn before. Then it accepts one new connection at most, and hands every
 *     request that begins to arrive to the executor, which is this class.
 * <li>When a new client's request arrives while the dispatcher itself runs another, this breaks off the turn. The other
 *     requests of the turn wait for the next one, where new ones may come before them, and so on.
 * <li>The thread that runs a request also reads it. A client that stalls in mid-request blocks this thread until
 *     maxReqTime is over, which is counted from the hand-over.
 * <li>A connection takes 1 KB of heap when it is accepted, and 20 KB from its first request until it is closed. When
 *     its client hangs up instead of asking, 5 KB of them, or 14 KB on JDK 25, remain until the turn is over.
 * <li>When maxIdleConnections are kept alive, one more is closed after its answer, and its client is not told.
 * </ul>
 *
 * <p>The rules that follow:
 * <ul>
 * <li>The dispatcher runs the requests itself. To pass them to another thread would take twice the time. But a pool of
 *     threads runs them for a moment of every half second, so that a turn comes to its end, and for nine seconds after
 *     a client has stalled the dispatcher; with --pool it always does.
 * <li>A connection is kept alive if it has a slot, which the client's port chooses. There are maxIdleConnections slots.
 *     When another connection has the slot, the answer says Connection: close.
 * <li>Connections are told so in batches. While the first of a batch is still open, this turn has more requests than
 *     slots: a crowd. Then the pool runs the requests, and waits, before it answers the next batch, until that first
 *     one is closed. So hardly more connections hold 20 KB than there are slots, threads, and places in two batches.
 *     The dispatcher never waits, because it does the closing, but it yields to the threads of the pool, so that they
 *     answer as fast as it hands over.
 * <li>Many requests without any answer are clients that hang up or stall. One other thread runs them, and nobody yields
 *     to it. The dispatcher, which is faster, then ends its turn, and frees memory, before many of them are run.
 * </ul>
 */
public final class RedirectServer extends ForkJoinPool implements HttpHandler {

    /** Names and values of system properties, see module jdk.httpserver. -D overrides them. */
    private static final String DEFAULTS = "sun.net.httpserver.maxIdleConnections/25" // 20 KB each, all that G1 bears
            + "/jdk.httpserver.maxConnections/1008" // 1 KB each, and all fit in 1,024 file descriptors
            + "/sun.net.httpserver.maxReqHeaderSize/5000" // bytes; the buffer of a longer header doubles to 20 KB
            + "/sun.net.httpserver.maxReqTime/2" // seconds that a client may take to send, or be silent
            + "/sun.net.httpserver.maxRspTime/2" // seconds that a client may take to read
            + "/sun.net.httpserver.timerMillis/10" // ms between two looks for both, so that each finds few
            + "/sun.net.httpserver.clockTick/1000" // ms between two looks for silent clients
            + "/java.locale.providers/SPI"; // not CLDR, whose names for one Date header take 480 KB of heap

    private static final int THREADS = 52; // of the pool: 50 clients may stall while two threads serve the others
    private static final int UNANSWERED = 60; // requests; more than the 50 that may stall in the pool at once
    private static final int BATCH = 16; // connections; with fewer, a crowd waits for the dispatcher more often
    private static final int BACKLOG = 4096; // connections that wait to be accepted; Linux allows as many by default
    private static final long STALL_NANOS = 500_000_000; // the first request, which loads classes, takes a fifth of it
    private static final long WARY_NANOS = 9_000_000_000L; // a flood of stalled clients is over after some six
    private static final long FAIR_EVERY_NANOS = 500_000_000; // so long may new requests come before another
    private static final long FAIR_NANOS = 10_000_000; // of these the pool runs the requests; a turn takes less

    private static String[] template; // what is left and right of the number
    private static int count;
    private static InetSocketAddress closed; // the local address of every connection that is closed
    private static HttpExchange[] slots; // the first exchange of each connection that is kept alive
    private static int toldToClose; // how many connections, since the start
    private static volatile HttpExchange firstOfBatch;
    private static volatile int unanswered; // requests since one had a complete header
    private static ForkJoinPool pool;
    private static volatile long pooledUntil; // System.nanoTime()

    private RedirectServer() {
        super(1); // thread, for requests that get no answer
    }

    /** Exit status 2: bad arguments; 1: the port is taken or forbidden. */
    public static void main(String[] arguments) {
        String[] defaults = DEFAULTS.split("/", 0);
        String culprit = defaults[0];
        int status = 2;
        try {
            for (int i = 0; i < defaults.length; i += 2) {
                defaults[i + 1] = System.getProperty(defaults[i], defaults[i + 1]);
                System.setProperty(defaults[i], defaults[i + 1]);
            }
            slots = new HttpExchange[Integer.parseInt(defaults[1])];
            String[] operands = {"PORT", "COUNT", "https://avatar.spacefox.fr/Renard-*.png"};
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
            new Random().nextInt(count); // fails unless COUNT is positive
            culprit = "URL*";
            template = URI.create(operands[2]).toASCIIString().split("\\*", 2);
            new URL(template[0].concat(template[1])); // fails without * and when it is not absolute
            culprit = "PORT";
            status = 1;
            HttpServer server = HttpServer.create(address, BACKLOG);
            pool = new ForkJoinPool(THREADS);
            RedirectServer redirects = new RedirectServer();
            server.createContext("/", redirects);
            server.setExecutor(redirects);
            closed = new InetSocketAddress(server.getAddress().getPort());
            server.start();
            System.out.println("http://localhost:".concat(Integer.toString(closed.getPort()))
                    .concat("/ -> ").concat(operands[2]));
        } catch (Exception failure) {
            System.err.println(culprit.concat(": ").concat(failure.getMessage()));
            System.exit(status);
        }
    }

    /** Called by the dispatcher, which runs no request while a thread is at work, lest it wait for itself. */
    @Override
    public void execute(Runnable request) {
        long start = System.nanoTime();
        if (unanswered++ > UNANSWERED || !super.isQuiescent()) {
            super.execute(request);
        } else if (start < pooledUntil || start % FAIR_EVERY_NANOS < FAIR_NANOS || isOpen(firstOfBatch)
                || !pool.isQuiescent()) {
            pool.execute(request);
            Thread.yield();
        } else {
            request.run();
            if (System.nanoTime() - start > STALL_NANOS) pooledUntil = start + WARY_NANOS;
        }
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        unanswered = 0;
        exchange.getRequestBody().close(); // reads it to its end; one that breaks off later stays in memory for 2 s
        String number = Integer.toString(new Random().nextInt(count) + 1);
        Headers headers = exchange.getResponseHeaders();
        headers.set("Location", template[0].concat(number).concat(template[1]));
        headers.set("Cache-Control", "private, no-store"); // or else some caches keep the redirect
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

    private static synchronized void awaitTurn(HttpExchange exchange) {
        if (toldToClose++ % BATCH != 0) return;
        while (isOpen(firstOfBatch)) Thread.yield();
        firstOfBatch = exchange;
    }

    private static boolean isOpen(HttpExchange exchange) {
        return exchange != null && !exchange.getLocalAddress().equals(closed);
    }
}
