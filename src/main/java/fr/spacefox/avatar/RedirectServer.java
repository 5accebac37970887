package fr.spacefox.avatar;

import com.sun.net.httpserver.*;
import java.io.IOException;
import java.net.*;
import java.util.concurrent.ForkJoinPool;

/**
 * Answers every HTTP request with a 302 (RFC 9110, 15.4.3) to one of COUNT numbered pictures. It is also the engine's executor:
 * requests run on the dispatcher's thread, or with --pool on 52 others; when that gets into trouble, nine seconds on one other.
 */
public final class RedirectServer extends ForkJoinPool implements HttpHandler {
    /** Defaults for -D, name*value, see module jdk.httpserver; README says why each. */
    private static final String LIMITS = "java.locale.providers*SPI" // not CLDR: its zone names, for one Date header, take 480 KB of heap
            + "*sun.net.httpserver.timerMillis*10" // ms between sweeps of stalled ones: few at a time, for all of one stay in memory until it ends
            + "*sun.net.httpserver.maxIdleConnections*25" // 20 KB each
            + "*sun.net.httpserver.clockTick*1000" // ms between sweeps of silent connections
            + "*sun.net.httpserver.maxReqTime*2" // seconds; a flood that stalls the dispatcher, then its helper, is over after 6
            + "*sun.net.httpserver.maxReqHeaderSize*5000" // bytes, times 52 threads; past 5,120 the buffer doubles to 20 KB
            + "*sun.net.httpserver.maxRspTime*2" // seconds, for who does not read
            + "*jdk.httpserver.maxConnections*"; // 1 KB each when silent; how many, main finds out

    private static final int RESERVE = 5; // times 512 KB of heap: to the end of the dispatcher's turn the engine keeps 20 KB for each who speaks in it
    private static final int TROUBLE = 60; // requests that wait for the pool, of which 50 that stall may come at once; or times 8 ms that one takes without it
    private static final int CROWD = 9; // requests that wait for the one other thread: ten clients are none

    private static String[] template; // what is left and right of the number
    private static int count;
    private static ForkJoinPool pool; // of --pool
    private static long calm; // in 8 ms; until then, one thread helps out
    private static HttpExchange earlier; // the last one answered in a crowd

    private RedirectServer() {
        super(1); // one is enough to help out, and piles up the least
    }

    /** Exit status 2: bad arguments; 1: the address is taken or not permitted. */
    public static void main(String[] arguments) {
        int room = 0; // file descriptors: the engine may spin for ever when none is left for the connection that it accepts
        ServerSocket[] sockets = new ServerSocket[256]; // to count more takes 25 ms each time that Linux doubles its table
        try {
            new ServerSocket(0).close(); // JDK 17 initialises its way to close by opening two files: not when none are left
            for (;; room++) sockets[room] = new ServerSocket(0);
        } catch (Exception full) {
            // no descriptor is left, or no place
        }
        String[] limits = LIMITS.concat(Integer.toString(room < 256 ? room / 2 : 1008)).split("\\*", 0); // a burst of 1,000 fits, and all in the usual 1,024
        for (int i = 0; i < limits.length; i += 2) System.setProperty(limits[i], System.getProperty(limits[i], limits[i + 1]));
        String[] operands = {"PORT", "COUNT", "https://avatar.spacefox.fr/Renard-*.png"};
        String culprit = null, hint = " is wrong\nUsage: [--pool] PORT COUNT [URL]";
        int status = 2, given = 0;
        try {
            for (String argument : arguments) {
                culprit = argument;
                if (culprit.equals("--pool")) pool = new ForkJoinPool(52); // 50 may stall and two serve
                else operands[given++] = culprit; // a fourth is out of bounds
            }
            culprit = operands[0];
            InetSocketAddress address = new InetSocketAddress(Integer.parseInt(culprit));
            culprit = operands[1];
            count = Integer.parseInt(culprit);
            if (count < 1) throw null; // any exception will do
            culprit = operands[2];
            template = URI.create(culprit).toASCIIString().split("\\*", 2);
            URI.create(template[0].concat(template[1])).toURL(); // fails without * or scheme
            culprit = address.toString();
            hint = " is unavailable";
            status = 1;
            while (room > 0) sockets[--room].close();
            RedirectServer fox = new RedirectServer();
            HttpServer server = HttpServer.create(address, 4096); // as many as Linux lets wait
            server.createContext("/", fox);
            server.setExecutor(fox);
            server.start();
            System.out.println(server.getAddress().toString().concat(" -> ").concat(operands[2]));
        } catch (Exception failure) {
            System.err.println(culprit.concat(hint));
            System.exit(status);
        }
    }

    public void execute(Runnable exchange) {
        long now = System.nanoTime() >> 23; // 8 ms each, by a clock that nobody sets
        if (getQueuedSubmissionCount() > CROWD || now < calm) super.execute(exchange); // in a crowd the dispatcher would wait for itself
        else {
            int trouble; // somebody stalls, or many ask at once
            if (pool != null) {
                pool.execute(exchange);
                Thread.yield(); // to the thread that takes it, or else the pool starts another for the next
                trouble = pool.getQueuedSubmissionCount();
            } else {
                exchange.run();
                trouble = (int) ((System.nanoTime() >> 23) - now); // to stall is to take half a second: the first request takes 0.1
            }
            if (trouble > TROUBLE || (int) (Runtime.getRuntime().freeMemory() >> 19) < RESERVE) calm = now + 1024;
        }
    }

    public void handle(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().close(); // to its end, at most 64 KB: one that breaks off after the answer stays in memory for 2 s
        exchange.getResponseHeaders().set("Location", template[0].concat(Integer.toString((int) (Math.random() * count) + 1)).concat(template[1]));
        exchange.getResponseHeaders().set("Cache-Control", "private, no-store");
        if (getQueuedSubmissionCount() > CROWD) { // keep none, and wait until the engine has closed the one before, which then has no local address
            exchange.getResponseHeaders().set("Connection", "close");
            while (earlier != null && earlier.getLocalAddress().getAddress() != new InetSocketAddress(0).getAddress()) Thread.yield();
            earlier = exchange;
        }
        exchange.sendResponseHeaders(302, -1);
    }
}
