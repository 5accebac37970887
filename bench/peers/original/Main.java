import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Random;
import java.util.concurrent.Executors;

/** The article's program, written anew, with the Cache-Control that all send here; --pool is its readers' cached pool. */
class Main {
    public static void main(String[] args) throws IOException {
        int count = Integer.parseInt(args[1]);
        Random random = new Random();
        HttpServer server = HttpServer.create(new InetSocketAddress(Integer.parseInt(args[0])), 0);
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders()
                    .set("Location", "https://avatar.spacefox.fr/Renard-" + (random.nextInt(count) + 1) + ".png");
            exchange.getResponseHeaders().set("Cache-Control", "private, no-store");
            exchange.sendResponseHeaders(302, -1);
        });
        if (args.length > 2) {
            server.setExecutor(Executors.newCachedThreadPool());
        }
        server.start();
    }
}
