package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.assertEquals;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
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

    /** What a row shows on one Debian holds on the other: its name decides on which. */
    static List<Arguments> rows() throws IOException {
        var rows = new ArrayList<Arguments>();
        for (String row :
                Command.run("sh", "src/test/resources/rows.sh", "list").ok().split("\n")) {
            int number = Math.floorMod(row.hashCode(), Debian.ALL.size());
            for (Debian debian : row.endsWith(" (both)") || row.startsWith("pictures: ")
                    ? Debian.ALL
                    : List.of(Debian.ALL.get(number))) rows.add(Arguments.of(row, debian));
        }
        return rows;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void rows(String row, Debian debian) throws Exception {
        String table = row.substring(0, row.indexOf(": "));
        String name = row.substring(table.length() + 2);
        if (table.equals("first")) {
            try (var box = Box.withFoxes(debian.clean(), 4)) {
                give(box, table, name);
            }
            return;
        }
        Deque<Box> idle = IDLE.computeIfAbsent(debian, any -> new ConcurrentLinkedDeque<>());
        Box box = idle.poll();
        if (box == null) box = Box.withCats(debian);
        try {
            give(box, table, name);
        } finally {
            idle.push(box);
        }
    }

    private static void give(Box box, String table, String name) {
        var command = Command.finish(box.exec("sh", "/srv/test/rows.sh", "run", table, name));
        assertEquals(new Command(0, ""), command, command::output);
    }

    @AfterAll
    static void end() throws Exception {
        for (var boxes : IDLE.values()) for (Box box : boxes) box.close();
    }
}
