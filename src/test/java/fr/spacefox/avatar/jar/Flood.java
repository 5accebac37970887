package fr.spacefox.avatar.jar;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Many connections that each send a message, as fast as the server takes it, read nothing, and stay open until they are
 * closed here, unless said otherwise.
 */
final class Flood implements AutoCloseable {

    /** What a connection does once it has sent its message. */
    enum Then {
        STAY,
        /** Goes on to send a byte every tenth of a second. */
        TRICKLE,
        /** Ends with a reset as soon as all others have sent their messages, too. */
        RESET
    }

    private static final int SENDING_MILLIS = 4000; // leaves the server half of its eight seconds to answer in

    final long start = System.nanoTime();
    private final Selector selector = Selector.open();
    private final List<SocketChannel> channels = new ArrayList<>();
    private final CountDownLatch sending;
    private final Then then;
    private final Thread pump = new Thread(this::pump, "flood");

    Flood(int port, int connections, byte[] message, Then then) throws IOException {
        this.then = then;
        sending = new CountDownLatch(connections);
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        for (int i = 0; i < connections; i++) {
            SocketChannel channel = SocketChannel.open();
            channels.add(channel);
            channel.setOption(StandardSocketOptions.SO_RCVBUF, 1024); // so that few answers wait to be read
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_CONNECT, ByteBuffer.wrap(message));
            channel.connect(address);
        }
        pump.start();
    }

    /** Waits for the end of the sending, which a server that reads nothing more can put off. */
    void awaitSent() throws IOException, InterruptedException {
        sending.await(SENDING_MILLIS - Server.millisSince(start), TimeUnit.MILLISECONDS);
        if (then == Then.RESET) {
            for (SocketChannel channel : channels) channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            close();
        }
    }

    private void pump() {
        try {
            for (long tick = System.nanoTime(); ; ) {
                selector.select(this::advance, 100);
                if (then == Then.TRICKLE && Server.millisSince(tick) >= 100) {
                    tick = System.nanoTime();
                    List.copyOf(selector.keys()).forEach(this::trickle);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ClosedSelectorException | CancelledKeyException closed) {
            // by close()
        }
    }

    private void advance(SelectionKey key) {
        var channel = (SocketChannel) key.channel();
        var message = (ByteBuffer) key.attachment();
        try {
            if (key.isConnectable()) channel.finishConnect();
            channel.write(message);
            key.interestOps(message.hasRemaining() ? SelectionKey.OP_WRITE : 0);
            if (!message.hasRemaining()) sending.countDown();
        } catch (IOException closedByServer) {
            key.cancel();
            sending.countDown();
        }
    }

    private void trickle(SelectionKey key) {
        try {
            if (key.isValid() && key.interestOps() == 0) {
                ((SocketChannel) key.channel()).write(ByteBuffer.wrap(new byte[] {'a'}));
            }
        } catch (IOException closedByServer) {
            key.cancel();
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        selector.close();
        pump.join();
        for (SocketChannel channel : channels) channel.close();
    }
}
