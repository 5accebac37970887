package fr.spacefox.avatar.support;

import java.io.IOException;
import java.time.Duration;

/** Waits by looking until it is so. */
public final class Await {

    private static final Duration PATIENCE = Duration.ofMinutes(4); // a loaded machine, not a measure

    private Await() {}

    /** Whether it is so; an IOException or a failed assertion means not yet. */
    public interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    public static void until(String what, Condition condition) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        Throwable last = null;
        for (; ; ) {
            try {
                if (condition.holds()) return;
            } catch (IOException | AssertionError notYet) {
                last = notYet;
            }
            if (System.nanoTime() > deadline)
                throw new AssertionError("waited in vain for " + what + ", at last: " + last, last);
            Thread.sleep(20);
        }
    }
}
