package fr.spacefox.avatar.jar;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Many connections that each send a message, as fast as the server takes it, read nothing, and stay open until they are
 * closed here.
 */
final class Flood implements AutoCloseable {

    private static final int SENDING_SECONDS = 4; // a server that reads nothing more can put its end off

    private final Map<SocketChannel, ByteBuffer> messages = new HashMap<>();
    private final CountDownLatch sent = new CountDownLatch(1);
    private final Thread pump = new Thread(this::pump, "flood");

    Flood(int port, int connections, byte[] message) throws IOException {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        for (int i = 0; i < connections; i++) {
            SocketChannel channel = SocketChannel.open();
            messages.put(channel, ByteBuffer.wrap(message));
            channel.setOption(StandardSocketOptions.SO_RCVBUF, 1024); // so that few answers wait to be read
            channel.configureBlocking(false);
            channel.connect(address);
        }
        pump.start();
    }

    void awaitSent() throws InterruptedException {
        sent.await(SENDING_SECONDS, TimeUnit.SECONDS);
    }

    private void pump() {
        var sending = new HashMap<>(messages);
        try {
            while (!sending.isEmpty()) {
                sending.entrySet().removeIf(entry -> hasSent(entry.getKey(), entry.getValue()));
                Thread.sleep(1);
            }
            sent.countDown();
        } catch (InterruptedException closed) {
            // by close()
        }
    }

    private static boolean hasSent(SocketChannel channel, ByteBuffer message) {
        try {
            return channel.finishConnect() && channel.write(message) >= 0 && !message.hasRemaining();
        } catch (IOException closedByServer) {
            return true;
        }
    }

    /** With a reset where answers have not been read. */
    @Override
    public void close() throws IOException, InterruptedException {
        pump.interrupt();
        pump.join();
        for (SocketChannel channel : messages.keySet()) channel.close();
    }
}
