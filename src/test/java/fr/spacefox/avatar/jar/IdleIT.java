package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A process that nobody asks leaves the processor to others. */
class IdleIT {

    private static final int SECONDS = 5;

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @MethodSource("fr.spacefox.avatar.jar.Mode#onEveryJdk")
    void aProcessThatNobodyAsksUsesLessThanATwentiethOfACore(Mode mode, Path jdk) throws Exception {
        try (Server server = Server.start(mode, jdk)) {
            server.assertServesAll();
            TimeUnit.SECONDS.sleep(1); // compilers come to an end
            long before = server.cpuMillis();
            TimeUnit.SECONDS.sleep(SECONDS);
            long used = server.cpuMillis() - before;
            assertTrue(used < SECONDS * 1000 / 20, () -> used + " ms in " + SECONDS + " s");
        }
    }
}
