package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import fr.spacefox.avatar.support.Client;
import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Tools;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No flood ends the process, or keeps it from answering for more than eight seconds after the flood's first byte,
 * even while the attackers still hang on.
 */
class FloodIT {

    /** How many seconds the floods come together; with -Davatar.soak=600 the soak, which reports. */
    private static final int SOAK_SECONDS = Integer.getInteger("avatar.soak", 5);

    private static final int SLOTS = 20;

    /** How many file descriptors are enough: 1,008 connections, 9 for the JVM, and 7 to spare. */
    private static final int DESCRIPTORS = 1024;

    static Stream<Arguments> attacksInEveryMode() {
        return Stream.of(Mode.values())
            .flatMap(mode -> Stream.of(Attack.values()).map(attack -> Arguments.of(attack, mode)));
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

    /** After each attack there are as many slots as before. */
    @ParameterizedTest
    @EnumSource
    void losesNoSlot(Mode mode) throws Exception {
        try (Server server = Server.start(mode, Server.JAVA_HOME, "-Djdk.httpserver.maxConnections=" + SLOTS)) {
            for (Attack attack : Attack.values()) {
                try (Flood flood = attack.on(server, SLOTS - 1)) {
                    flood.awaitSent();
                }
                assertServes(server, SLOTS, attack);
            }
            server.assertUnharmed();
        }
    }

    /** Tries again while connections of the attack are still being closed; a lost slot stays lost. */
    private static void assertServes(Server server, int slots, Attack attack) throws Exception {
        String last = "";
        for (long start = System.nanoTime(); Server.millisSince(start) < 8000; Thread.sleep(50)) {
            try {
                askAtOnce(server, slots);
                return;
            } catch (IOException e) {
                last = e.toString();
            }
        }
        fail("not " + slots + " slots after " + attack + ": " + last);
    }

    /** Each takes a slot by connecting, before any asks. The last to connect asks first: it would lack a lost slot. */
    private static void askAtOnce(Server server, int clients) throws IOException {
        List<Client> open = new ArrayList<>();
        try {
            for (int i = 0; i < clients; i++) {
                open.add(0, server.connect());
            }
            for (Client client : open) {
                assertTrue(client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").head().startsWith("HTTP/1.1 302 "));
            }
        } finally {
            Client.closeAll(open);
        }
    }

    /** What an attack leaves behind for a while, such as aborted connections, must leave room for the next. */
    @ParameterizedTest
    @EnumSource
    void answersAfterOneAttackUponTheOther(Mode mode) throws Exception {
        try (Server server = Server.start(mode)) {
            for (int round = 0; round < 2; round++) {
                for (Attack attack : Attack.values()) {
                    try (Flood flood = attack.on(server)) {
                        flood.awaitSent();
                    }
                    server.assertAnswers();
                }
            }
            server.assertUnharmed();
        }
    }

    /** Long redirects soon fill the buffers of a connection whose client does not read; then its thread waits. */
    @ParameterizedTest
    @EnumSource
    void answersDespiteClientsThatDoNotRead(Mode mode) throws Exception {
        List<String> command = Server.command(mode, Server.JAVA_HOME);
        command.add("https://localhost/" + "a".repeat(8000) + "*");
        try (Server server = Server.run(command)) {
            try (Flood flood = Attack.PIPELINES_UNREAD.on(server, 10)) {
                Thread.sleep(2000); // by then it is full
                server.assertAnswersDespite(flood);
            }
            server.assertUnharmed();
        }
    }

    /** What each that hangs up leaves in memory stays there until the server has seen to all others, too. */
    @ParameterizedTest
    @MethodSource("fr.spacefox.avatar.jar.Mode#onEveryJdk")
    void survivesManyThatHangUpTogether(Mode mode, Path jdk) throws Exception {
        try (Server server = Server.start(mode, jdk)) {
            for (int wave = 0; wave < 4; wave++) {
                try (Flood flood = Attack.SILENT.on(server, 1000)) {
                    flood.awaitSent();
                    Thread.sleep(500); // so that they are accepted
                }
                server.assertAnswers();
            }
            server.assertUnharmed();
        }
    }

    /** The connections that it refuses need descriptors too, until they are closed. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @MethodSource("fr.spacefox.avatar.jar.Mode#onEveryJdk")
    void answersAfterRunningOutOfDescriptors(Mode mode, Path jdk) throws Exception {
        List<String> command = new ArrayList<>(
            List.of("sh", "-c", "ulimit -n " + DESCRIPTORS + " && exec \"$@\"", "sh"));
        command.addAll(Server.command(mode, jdk));
        try (Server server = Server.run(command)) {
            for (Attack attack : List.of(Attack.SILENT, Attack.ASK_AND_STAY, Attack.HALF_HEADS)) {
                try (Flood flood = attack.on(server, 2 * DESCRIPTORS)) {
                    server.assertAnswersDespite(flood);
                }
                server.assertAnswers();
            }
            server.assertUnharmed();
        }
    }

    /** Also shows that the engine still sweeps: a silent connection is closed in the end. */
    @ParameterizedTest
    @MethodSource("fr.spacefox.avatar.jar.Mode#onEveryJdk")
    @Timeout(value = 30, unit = TimeUnit.MINUTES) // for the soak
    void survivesThemTogether(Mode mode, Path jdk) throws Exception {
        Random random = new Random(2);
        long longest = 0;
        int rounds = 0;
        try (Server server = Server.start(mode, jdk)) {
            for (long start = System.nanoTime(); Server.millisSince(start) < SOAK_SECONDS * 1000; rounds++) {
                List<Attack> attacks =
                    random.ints(3, 0, Attack.values().length).mapToObj(i -> Attack.values()[i]).toList();
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
            System.out.printf("%d rounds of three floods in %d s, %s, %s: longest wait %d ms%n",
                rounds, SOAK_SECONDS, mode, jdk, longest);
        }
    }

    @ParameterizedTest
    @MethodSource("fr.spacefox.avatar.jar.Mode#onEveryJdk")
    void losesNoneOfABurst(Mode mode, Path jdk) throws Exception {
        try (Server server = Server.start(mode, jdk)) {
            assertLosesNone(server, 1000, 10_000);
        }
    }

    /**
     * A new request ends the turn of the server's own thread, so that others of that turn can be the last again and
     * again, until they are reset. Who is last depends on hash codes that each process draws anew.
     */
    @RepeatedTest(3)
    void losesNoneOfACrowdThatComesAgain() throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED)) {
            assertLosesNone(server, 300, 30_000);
        }
    }

    /**
     * Seventy that ask nothing make one thread run the requests. While it answers a crowd, a slow client must not hold
     * the server's own thread, for which the crowd waits.
     */
    @Test
    void losesNoneOfACrowdBehindSlowClients() throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED)) {
            server.ask(); // the classes are loaded
            for (int round = 0; round < 8; round++) {
                for (int i = 0; i < 70; i++) {
                    server.connect().close();
                }
                Thread.sleep(100); // they are dealt with
                assertAnswersCrowdBehindSlowClients(server);
            }
            server.assertUnharmed();
        }
    }

    private static void assertAnswersCrowdBehindSlowClients(Server server) throws Exception {
        String line = "GET / HTTP/1.1\r\n";
        String host = "Host: localhost\r\n\r\n";
        List<Client> all = new ArrayList<>();
        try {
            for (int i = 0; i < 21; i++) {
                all.add(server.connect());
            }
            Client first = all.get(0).send(line);
            List<Client> slow = List.copyOf(all.subList(1, all.size()));
            Thread.sleep(50); // the first has the thread
            for (int i = 0; i < 100; i++) {
                all.add(server.connect().send(line + host));
            }
            Thread.sleep(100); // the crowd waits for the thread
            first.send(host);
            for (Client client : slow) {
                client.send(line);
                Thread.sleep(1); // so that one of them arrives while the thread answers
            }
            Thread.sleep(200);
            for (Client client : slow) {
                client.send(host);
            }
            for (Client client : all) {
                assertTrue(client.head().startsWith("HTTP/1.1 302 "));
            }
        } finally {
            Client.closeAll(all);
        }
    }

    /** One core, on which the compilers, too, are at work: who has asked is let go of only when its turn comes. */
    @ParameterizedTest
    @EnumSource
    void losesNoneOfABurstOnOneCore(Mode mode) throws Exception {
        try (Server server = Server.start(mode)) {
            server.moveToOneCore();
            assertLosesNone(server, 1000, 10_000);
        }
    }

    private static void assertLosesNone(Server server, int clients, int requests) throws Exception {
        Tools.need("ab");
        String url = "http://127.0.0.1:" + server.port + "/";
        String report = Command.run("ab", "-q", "-n", "" + requests, "-c", "" + clients, url).ok();
        for (String line : List.of("Complete requests: +" + requests, "Failed requests: +0",
                "Non-2xx responses: +" + requests)) {
            assertTrue(report.matches("(?s).*\\n" + line + "\\n.*"), report);
        }
        server.assertUnharmed();
    }
}
