import jakarta.servlet.http.*;
import java.util.concurrent.ThreadLocalRandom;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;

class Main extends HttpServlet {
    static int count;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) {
        response.setStatus(302);
        int number = ThreadLocalRandom.current().nextInt(1, count + 1);
        response.setHeader("Location", "https://avatar.spacefox.fr/Renard-" + number + ".png");
        response.setHeader("Cache-Control", "private, no-store");
    }

    /** Arguments: PORT COUNT. */
    public static void main(String[] args) throws Exception {
        count = Integer.parseInt(args[1]);
        Server server = new Server(Integer.parseInt(args[0]));
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(new ServletHolder(new Main()), "/");
        server.setHandler(context);
        server.start();
    }
}
