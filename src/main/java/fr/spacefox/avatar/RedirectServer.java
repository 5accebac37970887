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
 * Answers every HTTP request with a redirect (302 Found, RFC 9110, 15.4.3) to one of COUNT numbered pictures.
 */
public final class RedirectServer extends ForkJoinPool implements HttpHandler {

    private static final String DEFAULTS = "sun.net.httpserver.maxIdleConnections=25"
            + "=jdk.httpserver.maxConnections=1008"
            + "=sun.net.httpserver.maxReqHeaderSize=5000"
            + "=sun.net.httpserver.maxReqTime=2"
            + "=sun.net.httpserver.maxRspTime=2"
            + "=sun.net.httpserver.timerMillis=10"
            + "=sun.net.httpserver.clockTick=1000"
            + "=java.locale.providers=SPI";

    private static final int THREADS = 52;
    private static final int BACKLOG = 4096;
    private static final long STALL_NANOS = 500_000_000;
    private static final long WARY_NANOS = 9_000_000_000L;

    private static String[] template;
    private static int count;
    private static InetSocketAddress listening;
    private static Random random;
    private static long pooledUntil;
    private static HttpExchange[] kept;
    private static volatile HttpExchange lastClosing;

    private RedirectServer() {
        super(THREADS);
    }

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
            kept = new HttpExchange[Integer.parseInt(defaults[1])];
            String[] operands = {"missing", "missing", "https://avatar.spacefox.fr/Renard-*.png"};
            int given = 0;
            for (String argument : arguments) {
                culprit = argument;
                if (argument.equals("--pool")) pooledUntil = Long.MAX_VALUE;
                else operands[given++] = argument;
            }
            culprit = "COUNT";
            count = Integer.parseInt(operands[1]);
            random = new Random();
            random.nextInt(count);
            culprit = "URL";
            URI uri = URI.create(operands[2]);
            uri.toURL();
            template = uri.toASCIIString().split("\\*", 2);
            operands[2].concat(template[1]);
            culprit = "PORT";
            InetSocketAddress address = new InetSocketAddress(Integer.parseInt(operands[0]));
            usage = "";
            status = 1;
            HttpServer server = HttpServer.create(address, BACKLOG);
            RedirectServer redirects = new RedirectServer();
            server.createContext("/", redirects);
            server.setExecutor(redirects);
            listening = new InetSocketAddress(server.getAddress().getPort());
            server.start();
            System.out.println("http://localhost:".concat(Integer.toString(listening.getPort()))
                    .concat("/ -> ").concat(operands[2]));
        } catch (Exception failure) {
            System.err.println(culprit.concat(": ").concat(failure.getMessage()).concat(usage));
            System.exit(status);
        }
    }

    @Override
    public void execute(Runnable exchange) {
        long start = System.nanoTime();
        if (start < pooledUntil || !isQuiescent() || isOpen(lastClosing)) {
            super.execute(exchange);
            Thread.yield();
        } else {
            exchange.run();
            if (System.nanoTime() - start > STALL_NANOS) pooledUntil = start + WARY_NANOS;
        }
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().close();
        String number = Integer.toString(random.nextInt(count) + 1);
        Headers headers = exchange.getResponseHeaders();
        headers.set("Location", template[0].concat(number).concat(template[1]));
        headers.set("Cache-Control", "private, no-store");
        if ("close".equals(headers.getFirst("Connection")) || !isKept(exchange)) {
            headers.set("Connection", "close");
            awaitRelease(exchange);
        }
        exchange.sendResponseHeaders(302, -1);
    }

    private static boolean isKept(HttpExchange exchange) {
        InetSocketAddress client = exchange.getRemoteAddress();
        int slot = client.getPort() % kept.length;
        if (!isOpen(kept[slot])) kept[slot] = exchange;
        return kept[slot].getRemoteAddress().equals(client);
    }

    private static void awaitRelease(HttpExchange exchange) {
        while (isOpen(lastClosing)) Thread.yield();
        lastClosing = exchange;
    }

    private static boolean isOpen(HttpExchange exchange) {
        return exchange != null && !exchange.getLocalAddress().equals(listening);
    }
}
