package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.fail;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The tests of the site that are rows of a table: rows.sh explains them, and `.ci/row` gives a single one. */
@Needs(BOX)
@Order(0)
class RowsIT {

    private static final Map<String, LongSummaryStatistics> SECONDS = new ConcurrentSkipListMap<>(); // by table

    static Stream<Arguments> rows() throws IOException {
        return list("");
    }

    static Stream<Arguments> allRows() throws IOException {
        return list("all");
    }

    private static Stream<Arguments> list(String which) throws IOException {
        return Command.run("sh", "src/test/resources/rows.sh", "list", which)
                .ok()
                .lines()
                .map(row -> row.split(" ", 2))
                .flatMap(row -> Debian.named(row[0]).map(debian -> Arguments.of(debian, row[1])));
    }

    @ParameterizedTest(name = "{1}, on {0}")
    @MethodSource
    void rows(Debian debian, String row) throws IOException {
        String wrong = wrong(debian, row);
        if (!wrong.isEmpty()) fail(wrong);
    }

    /** Testing changes each week: a row that is wrong there is printed, and does not fail. */
    @Tag("long")
    @ParameterizedTest(name = "{1}, on {0}")
    @MethodSource
    void allRows(Debian debian, String row) throws IOException {
        String wrong = wrong(debian, row);
        if (debian.isTesting()) System.out.print(wrong);
        else if (!wrong.isEmpty()) fail(wrong);
    }

    /** Gives the row to this Debian, and returns what is wrong with it. */
    private static String wrong(Debian debian, String row) throws IOException {
        String table = row.substring(0, row.indexOf(": "));
        String name = row.substring(table.length() + 2);
        long began = System.nanoTime();
        var command = Command.run("sh", "src/test/resources/box.sh", "row", debian.root(), table, name);
        var seconds = SECONDS.computeIfAbsent(table, any -> new LongSummaryStatistics());
        synchronized (seconds) {
            seconds.accept((System.nanoTime() - began) / 1_000_000_000);
        }
        if (command.equals(new Command(0, ""))) return "";
        return "WRONG: " + row + ", on Debian " + debian + ", with status " + command.status() + "\n"
                + command.output();
    }

    @AfterAll
    static void end() {
        SECONDS.forEach((table, seconds) -> System.out.printf(
                "%4d s for %d rows of %s, %d for the longest; other tests ran beside them%n",
                seconds.getSum(), seconds.getCount(), table, seconds.getMax()));
    }
}
