package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import fr.spacefox.avatar.support.Client;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The port: opened, refused, and closed. */
class PortIT {

    @Test
    void listensOnTheGivenPort() throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        try (Server server = Server.startWith(String.valueOf(free), "21")) {
            assertEquals(free, server.port);
            server.assertRedirects();
        }
    }

    @Test
    void refusesAPortThatIsTaken() throws Exception {
        try (Server server = Server.start(Mode.PUBLISHED)) {
            assertRefused("Address already in use", Server.command("" + server.port, "21"));
            server.assertRedirects(); // the first goes on
        }
    }

    /** In a network of its own, because containers often let everyone listen on port 1. */
    @Test
    @Needs(Needs.Tool.ROOT)
    void refusesAPortThatNeedsPermission(@TempDir Path directory) throws Exception {
        Path jar = Files.copy(Server.JAR, directory.resolve("avatar.jar"));
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("r--r--r--"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> command = new ArrayList<>(
                List.of("unshare", "--net", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
        command.addAll(Server.command("1", "21"));
        command.replaceAll(word -> word.equals(Server.JAR.toString()) ? jar.toString() : word);
        assertRefused("Permission denied", command);
    }

    private static void assertRefused(String reason, List<String> command) throws Exception {
        assertEquals(new Refusal(1, List.of(), List.of("PORT: " + reason)), Refusal.of(command));
    }

    @ParameterizedTest
    @EnumSource
    void sigtermClosesThePort(Mode mode) throws Exception {
        try (Server server = Server.start(mode);
                Client stalled = server.connect();
                Client idle = server.connect()) {
            idle.send(Client.GET).head();
            stalled.send(Client.HALF_HEAD);
            assertEquals(Server.SIGTERM, server.terminate());
            assertThrows(IOException.class, server::connect);
        }
    }
}
