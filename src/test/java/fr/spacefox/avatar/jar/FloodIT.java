package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Client;
import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Tools;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing that clients do ends the process, nor keeps it from answering for more than 8 s, even while they still hang on. */
class FloodIT {

    private static final int SECONDS = 8;

    /** How many seconds the floods come together; with -Davatar.soak=600 the soak, which reports. */
    private static final int SOAK = Integer.getInteger("avatar.soak", 10);

    static Stream<Arguments> attacksInBothModes() {
        return Stream.of("", "--pool").flatMap(mode -> Stream.of(Attack.values()).map(attack -> Arguments.of(attack, mode)));
    }

    @ParameterizedTest
    @MethodSource("attacksInBothModes")
    void answersAfter(Attack attack, String mode) throws Exception {
        try (Server server = Server.start(mode)) {
            try (Flood flood = attack.on(server)) {
                server.assertAnswersWithin(SECONDS);
            }
            server.assertAnswersWithin(SECONDS);
            for (int i = 0; i < 20; i++) {
                assertTrue(server.ask().startsWith("HTTP/1.1 302 "), "at once when they have gone");
            }
            server.assertUnharmed();
        } catch (AssertionError e) {
            throw new AssertionError(attack + " " + mode + ": " + e.getMessage(), e); // reports have no arguments
        }
    }

    /** Were one of the 20 slots lost in every other attack, the rounds would use them up. */
    @ParameterizedTest
    @ValueSource(strings = {"", "--pool"})
    void losesNoSlot(String mode) throws Exception {
        try (Server server = Server.start(mode, Server.JAVA_HOME, "-Djdk.httpserver.maxConnections=20")) {
            twiceAfterEach(server, attack -> attack.on(server, 19));
        }
    }

    /** What an attack leaves behind for a while, a connection that broke off above all, must leave room for the next. */
    @ParameterizedTest
    @ValueSource(strings = {"", "--pool"})
    void answersAfterOneAttackUponTheOther(String mode) throws Exception {
        try (Server server = Server.start(mode)) {
            twiceAfterEach(server, attack -> attack.on(server));
        }
    }

    private interface Start {
        Flood of(Attack attack) throws Exception;
    }

    private static void twiceAfterEach(Server server, Start start) throws Exception {
        for (int round = 0; round < 2; round++) {
            for (Attack attack : Attack.values()) {
                start.of(attack).close();
                server.assertAnswersWithin(SECONDS);
            }
        }
        server.assertUnharmed();
    }

    /** Two limits that it finds by counting, and the usual one, which is above its own. */
    @ParameterizedTest
    @CsvSource({"80, ''", "80, --pool", "256, ''", "256, --pool", "1024, ''", "1024, --pool"})
    void answersAfterRunningOutOfDescriptors(int limit, String mode) throws Exception {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -n " + limit + " && exec \"$@\"", "sh"));
        command.addAll(Server.command(Server.JAVA_HOME, List.of(), mode.isEmpty() ? List.of("0", "21") : List.of("0", "21", mode)));
        try (Server server = Server.run(command)) {
            for (Attack attack : List.of(Attack.SILENT, Attack.ASK_AND_STAY, Attack.HALF_HEADS)) {
                try (Flood flood = attack.on(server, 220 + limit)) {
                    Thread.sleep(500); // for a while
                }
                server.assertAnswersWithin(SECONDS);
            }
            server.assertUnharmed();
        }
    }

    /** Also shows that the engine still sweeps: a silent connection is closed in the end. */
    @ParameterizedTest
    @ValueSource(strings = {"", "--pool"})
    void survivesThemTogether(String mode) throws Exception {
        Random random = new Random(2);
        long longest = 0;
        int rounds = 0;
        try (Server server = Server.start(mode)) {
            for (long start = System.nanoTime(); Server.millisSince(start) < TimeUnit.SECONDS.toMillis(SOAK); rounds++) {
                Attack[] attacks = random.ints(3, 0, Attack.values().length).mapToObj(i -> Attack.values()[i]).toArray(Attack[]::new);
                try (Flood one = attacks[0].on(server); Flood two = attacks[1].on(server); Flood three = attacks[2].on(server)) {
                    longest = Math.max(longest, server.assertAnswersWithin(SECONDS));
                }
            }
            server.assertAnswersWithin(SECONDS);
            try (Client silent = server.connect()) {
                assertEquals("", silent.rest());
            }
            server.assertUnharmed();
        }
        if (System.getProperty("avatar.soak") != null) {
            System.out.printf("%d rounds of three floods in %d s %s: longest wait %d ms%n", rounds, SOAK, mode, longest);
        }
    }

    /** In a crowd it looks at the channel of the last answer, and what a closed one says is the JDK's. */
    @ParameterizedTest
    @MethodSource("fr.spacefox.avatar.jar.JarIT#modesOnEveryJdk")
    void losesNoneOfABurst(String mode, Path jdk) throws Exception {
        try (Server server = Server.start(mode, jdk)) {
            assertLosesNone(server, 50000);
        }
    }

    /** One core, on which the compilers, too, are at work: who has asked is let go of only when its turn comes. */
    @ParameterizedTest
    @ValueSource(strings = {"", "--pool"})
    void losesNoneOfABurstOnOneCore(String mode) throws Exception {
        try (Server server = Server.start(mode)) {
            server.moveToOneCore();
            assertLosesNone(server, 10000);
        }
    }

    private static void assertLosesNone(Server server, int requests) throws Exception {
        Tools.need("ab");
        String report = Command.run("ab", "-q", "-n", "" + requests, "-c", "1000", "http://127.0.0.1:" + server.port + "/").ok();
        assertTrue(report.matches("(?s).*\\nComplete requests: +" + requests + "\\n.*"), report);
        assertTrue(report.matches("(?s).*\\nFailed requests: +0\\n.*"), report);
        assertTrue(report.matches("(?s).*\\nNon-2xx responses: +" + requests + "\\n.*"), report);
        server.assertUnharmed();
    }

    @ParameterizedTest
    @MethodSource("stalls")
    void fiftyStalledDelayNobodyInThePool(Attack attack) throws Exception {
        try (Server server = Server.start("--pool")) {
            server.ask(); // the classes are loaded
            try (Flood flood = attack.on(server, 50)) {
                for (int i = 0; i < 20; i++) {
                    long start = System.nanoTime();
                    assertTrue(server.ask().startsWith("HTTP/1.1 302 "));
                    long millis = Server.millisSince(start);
                    assertTrue(millis < 1000, millis + " ms");
                }
            }
            server.assertUnharmed();
        }
    }

    static Stream<Attack> stalls() {
        return Stream.of(Attack.HALF_HEADS, Attack.HALF_HEADS_TRICKLING, Attack.SLOW_BODIES, Attack.SLOW_BODIES_TRICKLING,
            Attack.UNFINISHED_HEADS, Attack.UNFINISHED_CHUNKS, Attack.PIPELINES_UNREAD);
    }
}
