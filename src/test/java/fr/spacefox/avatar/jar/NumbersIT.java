package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Client;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The numbers are drawn at random, from 1 to COUNT. */
class NumbersIT {

    @ParameterizedTest
    @EnumSource
    void drawsEachNumberAsOftenAsTheOthers(Mode mode) throws IOException {
        try (Server server = Server.start(mode)) {
            int[] times = new int[Server.COUNT];
            for (int n : draw(server, 4_200)) {
                times[n - 1]++;
            }
            assertUniform(times);
        }
    }

    @Test
    void drawsNumber1IfThereIsOnePicture() throws IOException {
        try (Server server = Server.startWith("0", "1")) {
            assertTrue(IntStream.of(draw(server, 1000)).allMatch(n -> n == 1));
        }
    }

    @Test
    void drawsFromTheWholeRange() throws IOException {
        try (Server server = Server.startWith("0", "2147483647")) {
            int[] eighths = new int[8];
            for (int n : draw(server, 1600)) {
                eighths[(n - 1) >>> 28]++;
            }
            assertUniform(eighths);
        }
    }

    /** Pearson's statistic stays below Laurent and Massart's bound except once in e^21, more than 10^9. */
    private static void assertUniform(int[] counts) {
        double expected = IntStream.of(counts).sum() / (double) counts.length;
        double statistic = IntStream.of(counts)
                .mapToDouble(n -> (n - expected) * (n - expected) / expected)
                .sum();
        int freedom = counts.length - 1;
        double bound = freedom + 2 * Math.sqrt(freedom * 21.0) + 2 * 21.0;
        assertTrue(statistic < bound, () -> statistic + " >= " + bound + " " + Arrays.toString(counts));
    }

    private static int[] draw(Server server, int times) throws IOException {
        int[] drawn = new int[times];
        try (Client client = server.connect()) {
            for (int i = 0; i < times; i++) {
                if (i % 500 == 0) { // few enough for the buffers on the way
                    client.send(Client.GET.repeat(500));
                }
                drawn[i] = Redirect.number(client.head());
            }
        }
        return drawn;
    }
}
