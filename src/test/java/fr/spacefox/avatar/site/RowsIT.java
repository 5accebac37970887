package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.fail;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.util.Deque;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The tests of the site that are rows of a table: rows.sh explains them, and `.ci/row` gives a single one. */
@Needs(BOX)
@Order(0)
class RowsIT {

    /** Servers that are there for the next row. */
    private static final Map<Debian, Deque<Box>> IDLE = new ConcurrentHashMap<>();

    private static final Map<String, LongSummaryStatistics> SECONDS = new ConcurrentSkipListMap<>(); // by table

    static Stream<Arguments> rows() throws IOException {
        return Command.run("sh", "src/test/resources/rows.sh", "list")
                .ok()
                .lines()
                .map(row -> Arguments.of(row.startsWith("12") ? Debian.OLDER : Debian.NEWER, row.substring(3)));
    }

    @ParameterizedTest(name = "{1}, on {0}")
    @MethodSource
    void rows(Debian debian, String row) throws Exception {
        String table = row.substring(0, row.indexOf(": "));
        String name = row.substring(table.length() + 2);
        Deque<Box> idle = IDLE.computeIfAbsent(debian, any -> new ConcurrentLinkedDeque<>());
        boolean isFirst = table.equals("first");
        Box box = isFirst ? new Box(debian.clean()) : idle.poll();
        if (box == null) box = Box.withCats(debian);
        boolean isRight = false;
        long began = System.nanoTime();
        try {
            var command = Command.finish(box.exec("sh", "/srv/test/rows.sh", "run", table, name));
            if (!command.equals(new Command(0, ""))) fail("status " + command.status() + "\n" + command.output());
            isRight = true;
        } finally {
            var seconds = SECONDS.computeIfAbsent(table, any -> new LongSummaryStatistics());
            synchronized (seconds) {
                seconds.accept((System.nanoTime() - began) / 1_000_000_000);
            }
            // A row that is wrong may have broken the server for others.
            if (isRight && !isFirst) idle.push(box);
            else box.close();
        }
    }

    @AfterAll
    static void end() throws Exception {
        for (var boxes : IDLE.values()) for (Box box : boxes) box.close();
        SECONDS.forEach((table, seconds) -> System.out.printf(
                "%4d s for %d rows of %s, %d for the longest; other tests ran beside them%n",
                seconds.getSum(), seconds.getCount(), table, seconds.getMax()));
    }
}
