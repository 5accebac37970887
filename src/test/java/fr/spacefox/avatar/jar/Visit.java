package fr.spacefox.avatar.jar;

import java.io.IOException;

/** A well-behaved client's request: when it asked, how long it waited, and what it got. */
record Visit(long atMillis, long millis, String answer) {

    /** What counts as at once, on a busy machine. */
    static final int AT_ONCE_MILLIS = 1000;

    static Visit to(Server server, long start) {
        long now = System.nanoTime();
        String answer;
        try {
            answer = server.ask();
        } catch (IOException e) {
            answer = e.toString();
        }
        return new Visit((now - start) / 1_000_000, Server.millisSince(now), answer);
    }

    boolean isRedirect() {
        return Redirect.is(answer);
    }

    boolean isAtOnce() {
        return millis <= AT_ONCE_MILLIS;
    }
}
