package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import fr.spacefox.avatar.support.Client;
import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Tools;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The real jar in a JVM of its own. */
final class Server implements AutoCloseable {

    static final Path JAR = Path.of(System.getProperty("avatar.jar", "target/avatar.jar")).toAbsolutePath();
    static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));
    static final String DEFAULT_URL = "https://avatar.spacefox.fr/Renard-*.png";
    static final int COUNT = 21;
    static final int SIGTERM = 128 + 15; // the exit code of a process that it ended

    private static final List<String> PUBLISHED_FLAGS = List.of("-Xmx8m", "-Xss256k");
    private static final Pattern PORT = Pattern.compile(":(\\d+)(?![\\d:\\]])"); // not the colons of an IPv6 address

    final String startLine;
    final int port;
    private final String mode;
    private final Process process;
    private final BufferedReader output;
    private final Path errors;

    private Server(String mode, List<String> command) throws IOException {
        this.mode = mode;
        errors = Files.createTempFile("avatar", ".err");
        process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        output = process.inputReader();
        startLine = output.readLine();
        Matcher matcher = PORT.matcher(startLine == null ? "" : startLine);
        if (!matcher.find()) {
            String complaint = Files.readString(errors);
            close();
            fail("did not start: " + command + "\n" + startLine + "\n" + complaint);
        }
        port = Integer.parseInt(matcher.group(1));
    }

    /** The published command on a free port, in the mode "" or "--pool". */
    static Server start(String mode) throws IOException {
        return start(mode, JAVA_HOME);
    }

    static Server start(String mode, Path javaHome, String... flags) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("0", String.valueOf(COUNT)));
        if (!mode.isEmpty()) {
            arguments.add(mode);
        }
        return new Server(mode, command(javaHome, List.of(flags), arguments));
    }

    static Server startWith(String... arguments) throws IOException {
        return run(command(JAVA_HOME, List.of(), List.of(arguments)));
    }

    static Server run(List<String> command) throws IOException {
        return new Server("", command);
    }

    static List<String> command(Path javaHome, List<String> flags, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(javaHome.resolve("bin/java").toString()));
        command.addAll(PUBLISHED_FLAGS);
        command.addAll(flags);
        command.addAll(List.of("-jar", JAR.toString()));
        command.addAll(arguments);
        return command;
    }

    Client connect() throws IOException {
        return new Client(port, 8000);
    }

    /** What one well-behaved client gets. */
    String ask() throws IOException {
        return ask(8000);
    }

    private String ask(int timeoutMillis) throws IOException {
        try (Client client = new Client(port, timeoutMillis)) {
            return client.send("GET /a.png HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").rest();
        }
    }

    /** Asks until answered: a flood may cost an attempt, but not the time. Returns the milliseconds it took. */
    long assertAnswersWithin(int seconds) throws IOException, InterruptedException {
        long start = System.nanoTime();
        String last = "nothing";
        for (long left; (left = TimeUnit.SECONDS.toMillis(seconds) - millisSince(start)) > 0; Thread.sleep(10)) {
            try {
                last = ask((int) left);
                if (last.startsWith("HTTP/1.1 302 ")) {
                    return millisSince(start);
                }
            } catch (IOException e) {
                last = e.toString();
            }
        }
        return fail("no answer within " + seconds + " s, last: " + last + "\n" + Files.readString(errors));
    }

    static long millisSince(long nanoTime) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
    }

    void moveToOneCore() throws IOException {
        Tools.need("taskset");
        Command.run("taskset", "--all-tasks", "--cpu-list", "--pid", "0", String.valueOf(process.pid())).ok();
    }

    /** The same process, which had nothing to complain about: an OutOfMemoryError would be on stderr. */
    void assertUnharmed() throws IOException {
        assertEquals("", Files.readString(errors), "stderr");
        assertTrue(process.isAlive(), "alive");
        assertFalse(output.ready(), "one line on stdout");
    }

    /** Ends it as a service manager would, by SIGTERM. */
    int terminate() throws IOException, InterruptedException {
        process.toHandle().destroy(); // Process.destroy() would also close its output
        assertTrue(process.waitFor(20, TimeUnit.SECONDS), "ends");
        assertEquals("", Files.readString(errors), "stderr");
        assertEquals(null, output.readLine(), "one line on stdout");
        return process.exitValue();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly().onExit().join();
        Files.deleteIfExists(errors);
    }

    @Override
    public String toString() {
        return mode.isEmpty() ? "no option" : mode;
    }
}
