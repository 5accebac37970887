import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.concurrent.ThreadLocalRandom;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;

class Main extends HttpServlet {
    final int count;
    final boolean async;

    Main(int count, boolean async) {
        this.count = count;
        this.async = async;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) {
        if (async) {
            AsyncContext context = request.startAsync();
            context.start(() -> {
                redirect(response);
                context.complete();
            });
        } else {
            redirect(response);
        }
    }

    void redirect(HttpServletResponse response) {
        response.setStatus(302);
        response.setHeader(
                "Location",
                "https://avatar.spacefox.fr/Renard-"
                        + ThreadLocalRandom.current().nextInt(1, count + 1) + ".png");
        response.setHeader("Cache-Control", "private, no-store");
    }

    /** Arguments: PORT COUNT [--async]. */
    public static void main(String[] args) throws Exception {
        Server server = new Server(Integer.parseInt(args[0]));
        ServletContextHandler context = new ServletContextHandler();
        ServletHolder servlet = new ServletHolder(new Main(Integer.parseInt(args[1]), args.length > 2));
        servlet.setAsyncSupported(true);
        context.addServlet(servlet, "/");
        server.setHandler(context);
        server.start();
    }
}
