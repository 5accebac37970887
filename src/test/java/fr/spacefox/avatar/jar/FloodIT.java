package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;

import fr.spacefox.avatar.support.Client;
import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Jdks;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No flood ends the process, or keeps it from answering for more than eight seconds after the flood's first byte,
 * even while the attackers still hang on.
 */
class FloodIT {

    /** How many seconds the floods come together; with -Davatar.soak=600 the soak, which reports. */
    private static final int SOAK_SECONDS = Integer.getInteger("avatar.soak", 4);

    /** On a new server each, because the dispatcher runs the requests until one stalls. */
    @ParameterizedTest
    @FieldSource("fr.spacefox.avatar.jar.Attack#FLOODS")
    void answersWithinEightSecondsOfAFlood(Attack attack) throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED)) {
            assertAnswersDuringAndAfter(attack, server);
            server.assertUnharmed();
        }
    }

    /** What an attack leaves behind for a while, such as aborted connections, must leave room for the next. */
    @Test
    void answersWithinEightSecondsOfEachFloodUponTheOther() throws Exception {
        try (Server server = Server.start(Mode.POOL)) {
            for (Attack attack : Attack.FLOODS) {
                assertAnswersDuringAndAfter(attack, server);
            }
            server.assertServesAll();
            try (Client silent = server.connect()) {
                assertEquals("", silent.rest(), "closed, so the server's timers have survived");
            }
            server.assertUnharmed();
        }
    }

    private static void assertAnswersDuringAndAfter(Attack attack, Server server) throws Exception {
        try (Flood flood = attack.on(server)) {
            server.assertAnswersDespite(flood);
        } catch (AssertionError e) {
            throw new AssertionError(attack + ": " + e.getMessage(), e);
        }
        server.assertAnswers();
    }

    @ParameterizedTest
    @MethodSource("fr.spacefox.avatar.jar.Mode#onEveryJdk")
    @Timeout(value = 30, unit = TimeUnit.MINUTES) // for the soak
    void survivesThreeFloodsAtOnce(Mode mode, Path jdk) throws Exception {
        Random random = new Random(2);
        long longest = 0;
        int rounds = 0;
        try (Server server = Server.start(mode, jdk)) {
            for (long start = System.nanoTime(); Server.millisSince(start) < SOAK_SECONDS * 1000; rounds++) {
                List<Attack> attacks = new ArrayList<>(Attack.FLOODS);
                Collections.shuffle(attacks, random); // three different ones: two of 9,000 exceed the usual descriptors
                try (Flood one = attacks.get(0).on(server);
                        Flood two = attacks.get(1).on(server);
                        Flood three = attacks.get(2).on(server)) {
                    longest = Math.max(longest, server.assertAnswersDespite(one, two, three));
                } catch (AssertionError e) {
                    throw new AssertionError(attacks.subList(0, 3) + " in round " + rounds + ": " + e.getMessage(), e);
                }
            }
            server.assertAnswers();
            server.assertUnharmed();
        }
        if (System.getProperty("avatar.soak") != null) {
            System.out.printf(
                    "%d rounds of three floods in %d s, %s, %s: longest wait %d ms%n",
                    rounds, SOAK_SECONDS, mode, jdk, longest);
        }
    }

    static Stream<Arguments> collectorsOnEveryJdk() throws IOException {
        return Jdks.all().stream()
                .flatMap(jdk ->
                        Stream.of("-XX:+UseG1GC", "-XX:+UseSerialGC").map(collector -> Arguments.of(collector, jdk)));
    }

    /** On as many connections as there are, and each with a thread of its own: the worst that the heap has to bear. */
    @ParameterizedTest
    @MethodSource("collectorsOnEveryJdk")
    void survivesTheCostliestRequests(String collector, Path jdk) throws Exception {
        try (Server server = Server.start(Mode.POOL, jdk, collector)) {
            int all = server.maxConnections();
            for (Attack attack : Attack.COSTLIEST) {
                try (Flood flood = attack.on(server, all)) {
                    flood.awaitSent();
                }
                server.assertServesAll();
            }
            server.assertUnharmed();
        }
    }

    /** A heap for 2,048 connections, where there are descriptors for 1,024 only. */
    @Test
    void answersWith1024Descriptors() throws Exception {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -n 1024 && exec \"$@\"", "sh"));
        command.addAll(Server.command(Mode.PUBLISHED, Server.JAVA_HOME, "-Xmx256m"));
        try (Server server = Server.run(command)) {
            try (Flood flood = Attack.ASK_AND_STAY.on(server)) {
                server.assertAnswersDespite(flood);
            }
            server.assertUnharmed();
        }
    }

    /** Continual requests on ten thousand connections; half of them end after each answer. */
    @ParameterizedTest
    @EnumSource(names = {"PUBLISHED", "POOL"}) // the unit's JVM has no client but nginx
    @Needs(Needs.Tool.WRK)
    void survivesTenThousandClientsAtOnce(Mode mode) throws Exception {
        try (Server server = Server.start(mode)) {
            String wrk = "wrk -t1 -c5000 -d4 http://127.0.0.1:" + server.port + "/";
            Command.run("sh", "-c", "ulimit -n $(ulimit -Hn); " + wrk + " & " + wrk + " -H 'Connection: close' && wait")
                    .ok();
            server.assertAnswers();
            server.assertServesAll();
            server.assertUnharmed();
        }
    }
}
