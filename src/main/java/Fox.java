import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.LockSupport;

public final class Fox extends ForkJoinPool implements HttpHandler {

    private static String[] template;
    private static int count;
    private static long calm;

    private Fox() {
        super(calm > 0 ? 52 : 1);
    }

    public static void main(String[] arguments) {
        String[] limits = "java.locale.providers*SPI*jdk.httpserver.maxConnections*1200*sun.net.httpserver.maxIdleConnections*50*sun.net.httpserver.maxReqHeaderSize*16384*sun.net.httpserver.maxReqTime*2*sun.net.httpserver.maxRspTime*2*sun.net.httpserver.clockTick*1000".split("\\*", 0);
        for (int i = 0; i < limits.length; i += 2) {
            System.setProperty(limits[i], System.getProperty(limits[i], limits[i + 1]));
        }
        String[] operands = {"PORT", "COUNT", "https://avatar.spacefox.fr/Renard-*.png"};
        String culprit = null;
        String hint = " is wrong or missing\nUsage: java -jar avatar.jar [--pool] PORT COUNT [URL]";
        int given = 0;
        int status = 2;
        try {
            for (String argument : arguments) {
                culprit = argument;
                if (culprit.equals("--pool")) {
                    calm = Long.MAX_VALUE;
                } else {
                    operands[given++] = culprit;
                }
            }
            culprit = operands[0];
            InetSocketAddress address = new InetSocketAddress(Integer.parseInt(culprit));
            culprit = operands[1];
            count = Integer.parseInt(culprit);
            if (count < 1) throw new Exception();
            culprit = operands[2];
            template = URI.create(culprit).toASCIIString().split("\\*", 2);
            URI.create(template[0].concat(template[1])).toURL();
            culprit = address.toString();
            hint = " is taken or forbidden";
            status = 1;
            HttpServer server = HttpServer.create(address, 4096);
            Fox fox = new Fox();
            server.createContext("/", fox);
            server.setExecutor(fox);
            SocketChannel.open().close();
            server.start();
            System.out.println(server.getAddress().toString().concat(" -> ").concat(operands[2]));
            System.gc();
        } catch (Exception failure) {
            System.err.println("Error: ".concat(culprit).concat(hint));
            System.exit(status);
        }
    }

    public void execute(Runnable exchange) {
        long now = System.currentTimeMillis();
        if (now < calm) {
            super.execute(exchange);
        } else {
            exchange.run();
            if (System.currentTimeMillis() > now + 99 || Runtime.getRuntime().freeMemory() < 2500000) calm = now + 9999;
        }
    }

    public void handle(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Location", template[0].concat(Integer.toString(1 + (int) (Math.random() * count))).concat(template[1]));
        exchange.getResponseHeaders().set("Cache-Control", "private, no-store");
        int waits = 0;
        if (getQueuedSubmissionCount() > 60) {
            waits = 999;
            exchange.getResponseHeaders().set("Connection", "close");
        }
        exchange.sendResponseHeaders(302, -1);
        while (--waits > 0 && !exchange.getLocalAddress().getAddress().isAnyLocalAddress()) LockSupport.parkNanos(50000);
    }
}
