package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.function.Executable;

/** The real jar in a JVM of its own. */
final class Server implements AutoCloseable {

    static final Path JAR = Path.of("target/avatar.jar").toAbsolutePath();
    static final Path SOURCE = Path.of("src/main/java/Avatar.java");

    /** The ways to run the jar that README names, and the unit, whose file has the flags. */
    enum Mode {
        PUBLISHED,
        POOL,
        UNIT
    }

    final String startLine;
    final int port;
    final Process process;
    private final List<String> command;
    private final BufferedReader output; // and errors
    private final List<Client> clients = Collections.synchronizedList(new ArrayList<>());

    Server(List<String> command) throws IOException {
        this.command = command;
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        output = process.inputReader();
        startLine = "" + output.readLine();
        if (!startLine.matches("http://\\S+:\\d+")) {
            close();
            fail(command + " says: " + startLine);
        }
        port = Integer.parseInt(startLine.replaceFirst(".*:", ""));
    }

    /** The jar on a free port, with 21 pictures. */
    static Server start(Mode mode, Path jdk, String... flags) throws IOException {
        String unit = Files.readString(Path.of("deploy/avatar.service")).replace("\\\n", "");
        String unitFlags = unit.replaceFirst("(?s).*\nExecStart=\\S+ +(.*?) +-jar .*", "$1");
        List<String> command = command((mode == Mode.POOL ? "--pool 0 21" : "0 21").split(" "));
        command.set(0, jdk + "/bin/java");
        command.addAll(command.indexOf("-jar"), List.of(mode == Mode.UNIT ? unitFlags.split(" +") : flags));
        return new Server(command);
    }

    /**
     * README's command with these arguments. It ends upon an OutOfMemoryError: the JDK's server swallows one that a
     * request causes on the dispatcher's thread, and nothing would be printed.
     */
    static List<String> command(String... arguments) throws IOException {
        String java = Jdk.first() + "/bin/java";
        List<String> command = new ArrayList<>(List.of(java, "-Xmx8m", "-Xss256k", "-XX:+ExitOnOutOfMemoryError"));
        Collections.addAll(command, "-jar", JAR.toString());
        Collections.addAll(command, arguments);
        return command;
    }

    /** A client that stays until it is closed, or the server is. */
    Client connect() throws IOException {
        Client client = new Client(startLine);
        clients.add(client);
        return client;
    }

    /**
     * A busy machine can delay a client until the server's own limit cuts it off. Only then there is another attempt,
     * of three in all.
     */
    void patiently(Executable attempt) throws IOException {
        String limit = Files.readString(SOURCE).replaceFirst("(?s).*maxReqTime\", \"(\\d+)\".*", "$1"); // seconds
        for (int attemptsLeft = 2; ; attemptsLeft--) {
            long began = System.nanoTime();
            try {
                attempt.execute();
                return;
            } catch (Throwable failure) {
                boolean isLate = System.nanoTime() - began > Integer.parseInt(limit) * 1e9;
                if (!(failure instanceof IOException) || !isLate || attemptsLeft == 0)
                    throw new AssertionError(String.join(" ", command) + "\n" + failure, failure);
            }
        }
    }

    /** All connect before any asks. The last to connect asks first, so one lost connection shows at once. */
    boolean serves(int connections) throws IOException {
        List<Client> open = new ArrayList<>();
        try {
            for (int i = 0; i < connections; i++) open.add(0, new Client(startLine));
            for (Client client : open) client.send(Client.GET).number();
            return true;
        } finally {
            for (Client client : open) client.close();
        }
    }

    /** Asks until it is answered, or the process has ended. */
    void assertAnswers(String situation) throws IOException, InterruptedException {
        assertServes(1, situation);
    }

    void assertServes(int connections, String situation) throws IOException, InterruptedException {
        Await.until("answers " + situation, () -> !process.isAlive() || serves(connections));
        assertUnharmed(situation);
    }

    /** The same process, which had nothing to complain about: an OutOfMemoryError would have ended it. */
    void assertUnharmed() throws IOException {
        assertUnharmed("");
    }

    private void assertUnharmed(String situation) throws IOException {
        assertTrue(process.isAlive(), () -> command + " has ended with " + process.exitValue() + " " + situation);
        assertEquals("", output.ready() ? output.readLine() : "", () -> command + " says a line besides the first");
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly().onExit().join();
        for (Client client : clients) client.close();
    }
}
