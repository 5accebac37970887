import jakarta.servlet.http.*;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

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
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(".");
        Connector connector = new Connector();
        connector.setPort(Integer.parseInt(args[0]));
        // like the others: as many clients and as many requests per connection as come
        connector.setProperty("maxKeepAliveRequests", "-1");
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "avatar", new Main());
        context.addServletMappingDecoded("/", "avatar");
        tomcat.start();
    }
}
