import com.sun.net.httpserver.*;
import java.io.IOException;
import java.net.*;
import java.util.concurrent.*;

public final class Avatar implements HttpHandler, Executor {

    private String[] template;
    private int count;
    private ForkJoinPool pool;
    private int turn;
    private Thread busy;

    public static void main(String[] arguments) {
        String[] limits = "jdk.httpserver.maxConnections*1500*sun.net.httpserver.maxIdleConnections*100*sun.net.httpserver.maxReqHeaderSize*16384*sun.net.httpserver.maxReqTime*2*sun.net.httpserver.maxRspTime*2*sun.net.httpserver.clockTick*1000".split("\\*", 0);
        for (int i = 0; i < limits.length; i += 2) {
            System.getProperties().putIfAbsent(limits[i], limits[i + 1]);
        }
        var avatar = new Avatar();
        String[] operands = {"PORT missing", "COUNT missing", "https://avatar.spacefox.fr/Renard-*.png"};
        int given = 0;
        String culprit = "";
        String usage = "\nUsage: java -jar avatar.jar [--pool] PORT COUNT [URL]";
        try {
            for (String argument : arguments) {
                culprit = argument;
                if (argument.equals("--pool")) {
                    avatar.pool = new ForkJoinPool(64);
                } else {
                    operands[given++] = argument;
                }
            }
            culprit = operands[2];
            avatar.template = culprit.split("\\*", 2);
            URI.create(culprit.concat(avatar.template[1])).toURL();
            culprit = operands[1];
            avatar.count = Integer.parseInt(culprit);
            if (avatar.count < 1) throw new Exception();
            culprit = operands[0];
            var address = new InetSocketAddress(Integer.parseInt(culprit));
            usage = null;
            culprit = address.toString();
            var server = HttpServer.create(address, 4096);
            server.createContext("/", avatar);
            server.setExecutor(avatar);
            server.start();
            System.out.println(server.getAddress().toString().concat(" redirects to ").concat(operands[2]));
            System.gc();
            for (int patience = 1000;;) patience = avatar.watch(patience);
        } catch (Exception failure) {
            System.err.println("Error: ".concat(culprit).concat(usage == null ? failure.getMessage() : usage));
            System.exit(usage == null ? 1 : 2);
        }
    }

    private synchronized int watch(int patience) throws InterruptedException {
        int seen = turn;
        wait(patience);
        if (busy == null) return 1000;
        if (seen != turn) return patience;
        busy.interrupt();
        return 5;
    }

    private synchronized void turn(Thread busy) {
        this.busy = busy;
        turn++;
        Thread.interrupted();
    }

    public void execute(Runnable exchange) {
        turn(Thread.currentThread());
        try {
            if (pool != null && pool.getQueuedSubmissionCount() < 64) pool.execute(exchange); else exchange.run();
        } finally {
            turn(null);
        }
    }

    public void handle(HttpExchange exchange) throws IOException {
        var headers = exchange.getResponseHeaders();
        headers.set("Location", template[0].concat(Integer.toString(1 + (int) (Math.random() * count))).concat(template[1]));
        headers.set("Cache-Control", "private, no-store");
        exchange.sendResponseHeaders(302, -1);
    }
}
