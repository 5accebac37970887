package fr.spacefox.avatar.jar;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Many connections that each send a message, as fast as the server takes it, read nothing, and stay open until they are
 * closed here, unless said otherwise.
 */
final class Flood implements AutoCloseable {

    enum Then {
        STAY,
        /** Goes on to send a byte every tenth of a second. */
        TRICKLE,
        /** Ends with a reset as soon as all others have sent their messages, too. */
        RESET
    }

    private static final int SENDING_MILLIS = 4000; // leaves the server half of its eight seconds to answer in

    final long start = System.nanoTime();
    private final Map<SocketChannel, ByteBuffer> messages = new HashMap<>();
    private final CountDownLatch sent = new CountDownLatch(1);
    private final Then then;
    private final Thread pump = new Thread(this::pump, "flood");

    Flood(int port, int connections, byte[] message, Then then) throws IOException {
        this.then = then;
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

    /** Waits for the end of the sending, which a server that reads nothing more can put off. */
    void awaitSent() throws IOException, InterruptedException {
        sent.await(SENDING_MILLIS - Server.millisSince(start), TimeUnit.MILLISECONDS);
        if (then == Then.RESET) {
            for (SocketChannel channel : messages.keySet()) channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            close();
        }
    }

    private void pump() {
        Set<SocketChannel> sending = new HashSet<>(messages.keySet());
        try {
            for (int turn = 1; ; turn++) {
                sending.removeIf(this::hasSent);
                if (sending.isEmpty()) sent.countDown();
                if (then == Then.TRICKLE && turn % 100 == 0) {
                    messages.replaceAll((channel, whole) -> ByteBuffer.wrap(new byte[] {'a'}));
                    sending.addAll(messages.keySet());
                }
                Thread.sleep(1);
            }
        } catch (InterruptedException closed) {
            // by close()
        }
    }

    private boolean hasSent(SocketChannel channel) {
        ByteBuffer message = messages.get(channel);
        try {
            return channel.finishConnect() && channel.write(message) >= 0 && !message.hasRemaining();
        } catch (IOException closedByServer) {
            return true;
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        pump.interrupt();
        pump.join();
        for (SocketChannel channel : messages.keySet()) channel.close();
    }
}
