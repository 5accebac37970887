package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No flood ends the process, or keeps it from answering for more than eight seconds after the flood's first byte,
 * even while the attackers still hang on.
 */
@Isolated
class FloodIT {

    /** Each flood finds a new server, whose dispatcher runs the requests until one stalls. */
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
            for (Attack attack : Attack.FLOODS) assertAnswersDuringAndAfter(attack, server);
            server.assertServesAll();
            try (Client silent = server.connect()) {
                assertEquals("", silent.rest(), "closed, so the server's timers have survived");
            }
            server.assertUnharmed();
        }
    }

    /** It must answer once all has been sent, or for as long as that should take. */
    private static void assertAnswersDuringAndAfter(Attack attack, Server server) throws Exception {
        try (Flood flood = attack.on(server)) {
            flood.awaitSent();
            server.assertAnswers(attack.name(), flood.start);
        }
        server.assertAnswers();
    }

    static Stream<Arguments> collectorsOnEveryJdk() throws IOException {
        List<String> collectors = List.of("-XX:+UseG1GC", "-XX:+UseSerialGC");
        return Mode.jdks().stream().flatMap(jdk -> collectors.stream().map(collector -> Arguments.of(collector, jdk)));
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
        command.addAll(Server.command(Server.JAVA_HOME, List.of("-Xmx256m"), "0", "21"));
        try (Server server = new Server(command)) {
            assertAnswersDuringAndAfter(Attack.ASK_AND_STAY, server);
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
            String both = wrk + " & " + wrk + " -H 'Connection: close' && wait";
            Command.run("sh", "-c", "ulimit -n $(ulimit -Hn); " + both).ok();
            server.assertAnswers();
            server.assertServesAll();
            server.assertUnharmed();
        }
    }
}
