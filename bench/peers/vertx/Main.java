import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import java.util.concurrent.ThreadLocalRandom;

class Main {
    public static void main(String[] args) {
        int count = Integer.parseInt(args[1]);
        Vertx.vertx()
                .createHttpServer()
                .requestHandler(request -> request.response()
                        .setStatusCode(302)
                        .putHeader(
                                HttpHeaders.LOCATION,
                                "https://avatar.spacefox.fr/Renard-"
                                        + ThreadLocalRandom.current().nextInt(1, count + 1) + ".png")
                        .putHeader(HttpHeaders.CACHE_CONTROL, "private, no-store")
                        .end())
                .listen(Integer.parseInt(args[0]));
    }
}
