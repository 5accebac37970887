package fr.spacefox.avatar.jar;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** No flood ends the process. With --pool it answers while the attackers hang on, and without it afterwards. */
@Execution(ExecutionMode.SAME_THREAD) // each flood alone, but beside other tests
class FloodIT {

    /** Those that the JVM picks by itself on large and on small machines. */
    static Stream<Arguments> collectorsInEachMode() throws IOException {
        return Mode.jdks().stream()
                .flatMap(jdk -> Stream.of(
                        Arguments.of("-XX:+UseG1GC", Mode.PUBLISHED, jdk),
                        Arguments.of("-XX:+UseG1GC", Mode.POOL, jdk),
                        Arguments.of("-XX:+UseSerialGC", Mode.POOL, jdk)));
    }

    /** What an attack leaves behind for a while, such as aborted connections, must leave room for the next. */
    @ParameterizedTest
    @MethodSource("collectorsInEachMode")
    void survivesEachFloodUponTheOther(String collector, Mode mode, Path jdk) throws Exception {
        try (Server server = Server.start(mode, jdk, collector)) {
            for (Attack attack : Attack.values()) {
                try (Flood flood = attack.on(server)) {
                    flood.awaitSent();
                    if (mode == Mode.POOL) server.assertAnswers("during " + attack);
                }
                server.assertAnswers("after " + attack);
            }
            server.assertServesAll();
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
            server.assertServesAll();
            server.assertUnharmed();
        }
    }
}
