package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Await;
import fr.spacefox.avatar.support.Command;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The real jar in a JVM of its own. */
final class Server implements AutoCloseable {

    static final Path JAR = Path.of("target/avatar.jar").toAbsolutePath();
    static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));
    static final int COUNT = 21;

    /**
     * README's flags, and the end of the process upon an OutOfMemoryError: the engine swallows one that a request
     * causes on the dispatcher's thread, and nothing would be printed.
     */
    private static final List<String> FLAGS = List.of("-Xmx8m", "-Xss256k", "-XX:+ExitOnOutOfMemoryError");

    final String startLine;
    final int port;
    private final Process process;
    private final BufferedReader output; // and errors
    private final List<Client> clients = Collections.synchronizedList(new ArrayList<>());

    Server(List<String> command) throws IOException {
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        output = process.inputReader();
        startLine = "" + output.readLine();
        if (!startLine.matches("/\\S+:\\d+")) {
            close();
            fail(command + " says: " + startLine);
        }
        port = Integer.parseInt(startLine.replaceFirst(".*:", ""));
    }

    static Server start(Mode mode) throws IOException {
        return start(mode, JAVA_HOME);
    }

    /** The jar on a free port, with 21 pictures. */
    static Server start(Mode mode, Path javaHome, String... flags) throws IOException {
        List<String> allFlags = new ArrayList<>(mode.flags());
        allFlags.addAll(List.of(flags));
        String arguments = (mode == Mode.POOL ? "--pool 0 " : "0 ") + COUNT;
        return new Server(command(javaHome, allFlags, arguments.split(" ")));
    }

    /** README's command with these arguments. */
    static List<String> command(String... arguments) {
        return command(JAVA_HOME, List.of(), arguments);
    }

    private static List<String> command(Path javaHome, List<String> flags, String... arguments) {
        List<String> command = new ArrayList<>(List.of(javaHome + "/bin/java"));
        command.addAll(FLAGS);
        command.addAll(flags);
        command.addAll(List.of("-jar", JAR.toString()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** A client that stays until it is closed, or the server is. */
    Client connect() throws IOException {
        Client client = new Client(startLine);
        clients.add(client);
        return client;
    }

    String ask() throws IOException {
        try (Client client = new Client(startLine)) {
            return client.send(Client.GET_AND_CLOSE).rest();
        }
    }

    /** Asks until it is answered. */
    void assertAnswers(String situation) throws IOException, InterruptedException {
        Await.until("an answer, " + situation, () -> Redirect.is(ask()));
        assertUnharmed();
    }

    void signal(String name) throws IOException {
        Command.run("sh", "-c", "kill -" + name + " " + process.pid()).ok();
    }

    /** Of which objects are on its heap. */
    String classes() throws IOException {
        return Command.run(JAVA_HOME + "/bin/jcmd", "" + process.pid(), "GC.class_histogram")
                .ok();
    }

    /** Tries again while the connections of an attack are being closed. */
    void assertServesAll() throws InterruptedException {
        Await.until("all connections", () -> serves(60)); // SerialGC has 62 in 8 MB
    }

    /** All connect before any asks. The last to connect asks first, so one lost connection shows at once. */
    boolean serves(int connections) throws IOException {
        List<Client> open = new ArrayList<>();
        try {
            for (int i = 0; i < connections; i++) open.add(0, connect());
            for (Client client : open) Redirect.check(client.send(Client.GET).head());
            return true;
        } finally {
            for (Client client : open) client.close();
        }
    }

    /** The same process, which had nothing to complain about: an OutOfMemoryError would have ended it. */
    void assertUnharmed() throws IOException {
        assertTrue(process.isAlive(), () -> "has ended with " + process.exitValue());
        assertEquals("", output.ready() ? output.readLine() : "", "a line besides the first");
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly().onExit().join();
        for (Client client : clients) client.close();
    }
}
