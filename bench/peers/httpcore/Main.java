import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hc.core5.http.*;
import org.apache.hc.core5.http.impl.bootstrap.*;
import org.apache.hc.core5.http.nio.*;
import org.apache.hc.core5.http.nio.entity.DiscardingEntityConsumer;
import org.apache.hc.core5.http.nio.support.*;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.util.TimeValue;

class Main implements AsyncServerRequestHandler<Message<HttpRequest, Void>> {
    static int count;

    @Override
    public AsyncRequestConsumer<Message<HttpRequest, Void>> prepare(
            HttpRequest request, EntityDetails entity, HttpContext context) {
        return new BasicRequestConsumer<>(entity == null ? null : new DiscardingEntityConsumer<>());
    }

    @Override
    public void handle(Message<HttpRequest, Void> request, ResponseTrigger trigger, HttpContext context)
            throws HttpException, IOException {
        trigger.submitResponse(
                AsyncResponseBuilder.create(302)
                        .addHeader(
                                "Location",
                                "https://avatar.spacefox.fr/Renard-"
                                        + ThreadLocalRandom.current().nextInt(1, count + 1) + ".png")
                        .addHeader("Cache-Control", "private, no-store")
                        .build(),
                context);
    }

    public static void main(String[] args) throws InterruptedException {
        count = Integer.parseInt(args[1]);
        Main handler = new Main();
        HttpAsyncServer server = AsyncServerBootstrap.bootstrap()
                // whatever the host: register() would answer others with a 421
                .setRequestRouter((request, context) -> () -> new BasicServerExchangeHandler<>(handler))
                .create();
        server.start();
        server.listen(new InetSocketAddress(Integer.parseInt(args[0])), URIScheme.HTTP);
        server.awaitShutdown(TimeValue.MAX_VALUE);
    }
}
