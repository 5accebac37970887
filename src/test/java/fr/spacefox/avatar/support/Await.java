package fr.spacefox.avatar.support;

import java.io.IOException;
import java.time.Duration;

/** The one way to wait: to look until there is something to see. */
public final class Await {

    private static final Duration PATIENCE = Duration.ofSeconds(60); // a loaded machine, not a measure

    private Await() {}

    /** Returns null, or throws an IOException, as long as there is nothing to see. */
    public interface Probe<T> {
        T look() throws IOException, InterruptedException;
    }

    /** Whether it is so; an IOException means not yet. */
    public interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    public static void until(String what, Condition condition) throws InterruptedException {
        until(what, PATIENCE, condition);
    }

    public static void until(String what, Duration limit, Condition condition) throws InterruptedException {
        value(what, limit, () -> condition.holds() ? true : null);
    }

    public static <T> T value(String what, Probe<T> probe) throws InterruptedException {
        return value(what, PATIENCE, probe);
    }

    private static <T> T value(String what, Duration limit, Probe<T> probe) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        IOException last = null;
        for (; ; ) {
            try {
                T seen = probe.look();
                if (seen != null) return seen;
            } catch (IOException notYet) {
                last = notYet;
            }
            if (System.nanoTime() > deadline) throw new AssertionError("waited in vain for " + what, last);
            Thread.sleep(20);
        }
    }
}
