package fr.spacefox.avatar.jar;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs all tests of a class against one server, in each mode on each JDK. */
@ParameterizedClass
@MethodSource("fr.spacefox.avatar.jar.Mode#onEveryJdk")
abstract class EveryServer {

    static Server server;

    @Parameter(0)
    private Mode mode;

    @Parameter(1)
    private Path jdk;

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, Path jdk) throws IOException {
        server = Server.start(mode, jdk);
    }

    @AfterEach
    void unharmed() throws IOException {
        server.assertUnharmed();
    }

    @AfterParameterizedClassInvocation
    static void stop() throws IOException {
        server.close();
    }
}
