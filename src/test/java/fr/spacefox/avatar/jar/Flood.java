package fr.spacefox.avatar.jar;

import java.io.EOFException;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Many connections that each send some messages, as fast as the server takes them, and then stay open until closed
 * here, unless said otherwise.
 * Between two messages they wait for an answer; after the last they read nothing.
 * An empty message is a rest until one second after the start, so that all go on at once.
 */
final class Flood implements AutoCloseable {

    /** What a connection does once it has sent its messages. */
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

    Flood(int port, int connections, Then then, byte[]... messages) throws IOException {
        this.then = then;
        sending = new CountDownLatch(connections);
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        for (int i = 0; i < connections; i++) {
            Deque<ByteBuffer> script = new ArrayDeque<>();
            for (byte[] message : messages) {
                script.add(ByteBuffer.wrap(message));
            }
            SocketChannel channel = SocketChannel.open();
            channels.add(channel);
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT, script);
            if (channel.connect(address)) {
                next(key);
            }
        }
        pump.start();
    }

    /** Waits for the end of the sending, which a server that reads nothing more can put off. */
    void awaitSent() throws IOException, InterruptedException {
        sending.await(SENDING_MILLIS - Server.millisSince(start), TimeUnit.MILLISECONDS);
        if (then == Then.RESET) {
            reset();
        }
    }

    private void pump() {
        try {
            for (long tick = System.nanoTime();;) {
                selector.select(this::advance, 100);
                if (Server.millisSince(tick) >= 100) {
                    tick = System.nanoTime();
                    List.copyOf(selector.keys()).forEach(this::tick);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ClosedSelectorException | CancelledKeyException closed) {
            // by stop()
        }
    }

    private void advance(SelectionKey key) {
        var channel = (SocketChannel) key.channel();
        Deque<ByteBuffer> script = script(key);
        try {
            if (key.isConnectable()) {
                channel.finishConnect();
                next(key);
            } else if (key.isReadable()) {
                if (channel.read(ByteBuffer.allocate(4096)) < 0) {
                    throw new EOFException();
                }
                next(key);
            } else {
                channel.write(script.peek());
                if (!script.peek().hasRemaining()) {
                    script.remove();
                    if (script.isEmpty()) {
                        next(key);
                    } else {
                        key.interestOps(SelectionKey.OP_READ);
                    }
                }
            }
        } catch (IOException closedByServer) {
            key.cancel();
            sending.countDown();
        }
    }

    private void next(SelectionKey key) {
        Deque<ByteBuffer> script = script(key);
        if (script.isEmpty()) {
            sending.countDown();
        }
        key.interestOps(script.isEmpty() || isRest(script.peek()) ? 0 : SelectionKey.OP_WRITE);
    }

    private void tick(SelectionKey key) {
        if (!key.isValid() || key.interestOps() != 0) {
            return;
        }
        if (!script(key).isEmpty()) {
            if (Server.millisSince(start) >= 1000) {
                script(key).remove();
                next(key);
            }
        } else if (then == Then.TRICKLE) {
            try {
                ((SocketChannel) key.channel()).write(ByteBuffer.wrap(new byte[] {'a'}));
            } catch (IOException closedByServer) {
                key.cancel();
            }
        }
    }

    private static boolean isRest(ByteBuffer message) {
        return message.capacity() == 0;
    }

    @SuppressWarnings("unchecked")
    private static Deque<ByteBuffer> script(SelectionKey key) {
        return (Deque<ByteBuffer>) key.attachment();
    }

    private void reset() throws IOException, InterruptedException {
        stop();
        for (SocketChannel channel : channels) {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            channel.close();
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        stop();
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }

    private void stop() throws IOException, InterruptedException {
        selector.close();
        pump.join();
    }
}
