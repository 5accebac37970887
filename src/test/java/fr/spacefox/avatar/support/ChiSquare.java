package fr.spacefox.avatar.support;

import java.util.stream.IntStream;

/** Pearson's statistic: how far things that are equally likely are from having been seen equally often. */
public final class ChiSquare {

    private ChiSquare() {}

    public static double of(int... times) {
        double expected = IntStream.of(times).average().orElseThrow();
        return IntStream.of(times)
                .mapToDouble(n -> (n - expected) * (n - expected) / expected)
                .sum();
    }
}
