package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Client;
import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Jdks;
import fr.spacefox.avatar.support.Tools;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No flood ends the process, or keeps it from answering for more than eight seconds after the flood's first byte,
 * even while the attackers still hang on.
 */
class FloodIT {

    /** How many seconds the floods come together; with -Davatar.soak=600 the soak, which reports. */
    private static final int SOAK_SECONDS = Integer.getInteger("avatar.soak", 5);

    static Stream<Arguments> attacksInEveryMode() {
        return Stream.of(Mode.values())
                .flatMap(mode -> Attack.FLOODS.stream().map(attack -> Arguments.of(attack, mode)));
    }

    @ParameterizedTest
    @MethodSource("attacksInEveryMode")
    void answersAfter(Attack attack, Mode mode) throws Exception {
        try (Server server = Server.start(mode)) {
            try (Flood flood = attack.on(server)) {
                server.assertAnswersDespite(flood);
            }
            server.assertAnswers();
            for (int i = 0; i < 20; i++) {
                assertTrue(server.ask().startsWith("HTTP/1.1 302 "), "at once when they have gone");
            }
            server.assertUnharmed();
        } catch (AssertionError e) {
            throw new AssertionError(attack + " " + mode + ": " + e.getMessage(), e); // reports have no arguments
        }
    }

    /** What an attack leaves behind for a while, such as aborted connections, must leave room for the next. */
    @ParameterizedTest
    @EnumSource
    void answersAfterOneAttackUponTheOther(Mode mode) throws Exception {
        try (Server server = Server.start(mode)) {
            for (int round = 0; round < 2; round++) {
                for (Attack attack : Attack.FLOODS) {
                    try (Flood flood = attack.on(server)) {
                        flood.awaitSent();
                    }
                    server.assertAnswers();
                }
            }
            server.assertServesAll();
            server.assertUnharmed();
        }
    }

    /** Also shows that the engine still closes silent connections. */
    @ParameterizedTest
    @MethodSource("fr.spacefox.avatar.jar.Mode#onEveryJdk")
    @Timeout(value = 30, unit = TimeUnit.MINUTES) // for the soak
    void survivesThemTogether(Mode mode, Path jdk) throws Exception {
        Random random = new Random(2);
        long longest = 0;
        int rounds = 0;
        try (Server server = Server.start(mode, jdk)) {
            for (long start = System.nanoTime(); Server.millisSince(start) < SOAK_SECONDS * 1000; rounds++) {
                List<Attack> attacks = random.ints(3, 0, Attack.FLOODS.size())
                        .mapToObj(Attack.FLOODS::get)
                        .toList();
                try (Flood one = attacks.get(0).on(server);
                        Flood two = attacks.get(1).on(server);
                        Flood three = attacks.get(2).on(server)) {
                    longest = Math.max(longest, server.assertAnswersDespite(one, two, three));
                } catch (AssertionError e) {
                    throw new AssertionError(attacks + " in round " + rounds + ": " + e.getMessage(), e);
                }
            }
            server.assertAnswers();
            try (Client silent = server.connect()) {
                assertEquals("", silent.rest());
            }
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
            try (Flood headers = Attack.MANY_HEADERS.on(server, all / 3);
                    Flood unread = Attack.MANY_HEADERS_UNREAD.on(server, all / 3);
                    Flood urls = Attack.ESCAPED_URLS.on(server, all / 3)) {
                for (Flood flood : List.of(headers, unread, urls)) {
                    flood.awaitSent();
                }
            }
            server.assertServesAll();
            server.assertUnharmed();
        }
    }

    /** A heap for 2,048 connections, where there are descriptors for 1,024 only. */
    @ParameterizedTest
    @ValueSource(strings = {"SILENT", "ASK_AND_STAY"})
    void answersWithTheUsualDescriptors(Attack attack) throws Exception {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -n 1024 && exec \"$@\"", "sh"));
        command.addAll(Server.command(Mode.PUBLISHED, Server.JAVA_HOME, "-Xmx256m"));
        try (Server server = Server.run(command)) {
            try (Flood flood = attack.on(server)) {
                server.assertAnswersDespite(flood);
            }
            server.assertUnharmed();
        }
    }

    /** Continual requests on ten thousand connections, kept alive or each closed after its answer. */
    static Stream<Arguments> crowds() {
        return Stream.of(Mode.values())
                .flatMap(mode -> Stream.of("keep-alive", "close").map(connection -> Arguments.of(mode, connection)));
    }

    @ParameterizedTest
    @MethodSource("crowds")
    void survivesTenThousandClients(Mode mode, String connection) throws Exception {
        Tools.need("wrk");
        try (Server server = Server.start(mode)) {
            Command.run(
                            "sh",
                            "-c",
                            "ulimit -n $(ulimit -Hn); exec wrk -t2 -c10000 -d5 -H 'Connection: " + connection
                                    + "' http://127.0.0.1:" + server.port + "/")
                    .ok();
            server.assertAnswers();
            server.assertServesAll();
            server.assertUnharmed();
        }
    }
}
