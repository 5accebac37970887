package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import fr.spacefox.avatar.support.Await;
import fr.spacefox.avatar.support.Client;
import fr.spacefox.avatar.support.Command;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The real jar in a JVM of its own. */
final class Server implements AutoCloseable {

    static final Path JAR =
            Path.of(System.getProperty("avatar.jar", "target/avatar.jar")).toAbsolutePath();
    static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));
    static final int COUNT = 21;
    static final int SIGTERM = 128 + 15; // the exit code of a process that it ended

    /** What a flood, from its first byte on, or anything else may cost a client that asks until it is answered. */
    static final int SECONDS = 8;

    private static final int START_SECONDS = 60; // to the start message, on a busy machine

    /**
     * README's flags, and the end of the process upon an OutOfMemoryError: the engine swallows one that a request
     * causes on the dispatcher's thread, and nothing would be on stderr.
     */
    private static final List<String> FLAGS = List.of("-Xmx8m", "-Xss256k", "-XX:+ExitOnOutOfMemoryError");

    private static final Pattern PORT = Pattern.compile(":(\\d+)/? -> ");

    final String startLine;
    final int port;
    private final Process process;
    private final BufferedReader output;
    private final Path errors;

    private Server(List<String> command) throws IOException {
        errors = Files.createTempFile("avatar", ".err");
        process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        output = process.inputReader();
        var watchdog = CompletableFuture.delayedExecutor(START_SECONDS, TimeUnit.SECONDS);
        // No timeout ends a read from a process.
        CompletableFuture<Void> end = CompletableFuture.runAsync(this::kill, watchdog);
        startLine = output.readLine();
        end.cancel(false);
        Matcher matcher = PORT.matcher(startLine == null ? "" : startLine);
        if (!matcher.find()) {
            String complaint = Files.readString(errors);
            close();
            fail("did not start: " + command + "\n" + startLine + "\n" + complaint);
        }
        port = Integer.parseInt(matcher.group(1));
    }

    /** The jar on a free port, with 21 pictures. */
    static Server start(Mode mode) throws IOException {
        return start(mode, JAVA_HOME);
    }

    static Server start(Mode mode, Path javaHome, String... flags) throws IOException {
        return run(command(mode, javaHome, flags));
    }

    static Server startWith(String... arguments) throws IOException {
        return run(command(arguments));
    }

    static Server run(List<String> command) throws IOException {
        return new Server(command);
    }

    static List<String> command(Mode mode, Path javaHome, String... flags) {
        List<String> allFlags = new ArrayList<>(mode.flags());
        allFlags.addAll(List.of(flags));
        List<String> arguments = new ArrayList<>(mode.options());
        arguments.addAll(List.of("0", String.valueOf(COUNT)));
        return command(javaHome, allFlags, arguments);
    }

    /** README's command with these arguments. */
    static List<String> command(String... arguments) {
        return command(JAVA_HOME, List.of(), List.of(arguments));
    }

    private static List<String> command(Path javaHome, List<String> flags, List<String> arguments) {
        List<String> command =
                new ArrayList<>(List.of(javaHome.resolve("bin/java").toString()));
        command.addAll(FLAGS);
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
            return client.send(Client.GET_AND_CLOSE).rest();
        }
    }

    void assertRedirects() throws IOException {
        Redirect.check(ask());
    }

    /** Asks until it is answered: an attempt may fail, but the time is limited. */
    void assertAnswers() throws IOException, InterruptedException {
        assertAnswersWithin(SECONDS, System.nanoTime());
    }

    /**
     * Asks while these floods, begun at the same time, last: once they have sent all, or for as long as they should
     * need. The time that the server has runs from their first byte. Returns the milliseconds it took.
     */
    long assertAnswersDespite(Flood... floods) throws IOException, InterruptedException {
        for (Flood flood : floods) {
            flood.awaitSent();
        }
        return assertAnswersWithin(SECONDS, floods[0].start);
    }

    private long assertAnswersWithin(int seconds, long start) throws IOException, InterruptedException {
        String last = "nothing";
        for (long left; (left = TimeUnit.SECONDS.toMillis(seconds) - millisSince(start)) > 0; Thread.sleep(10)) {
            try {
                last = ask((int) left);
                if (Redirect.is(last)) {
                    return millisSince(start);
                }
            } catch (IOException e) {
                last = e.toString();
            }
        }
        return fail("no answer within " + seconds + " s, last: " + last + "\n" + Files.readString(errors)
                + (process.isAlive() ? "" : "the process has ended with " + process.exitValue()));
    }

    static long millisSince(long nanoTime) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
    }

    void signal(String name) throws IOException, InterruptedException {
        Command.run("sh", "-c", "kill -" + name + " " + process.pid()).ok();
    }

    /** Its open files and connections. */
    int descriptors() throws IOException {
        try (var descriptors = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
            return (int) descriptors.count();
        }
    }

    /** What it has used of all cores since its start. */
    long cpuMillis() {
        return process.info().totalCpuDuration().orElseThrow().toMillis();
    }

    /** How many connections it admits at a time, as it has set the limit itself. */
    int maxConnections() throws IOException {
        String jcmd = JAVA_HOME.resolve("bin/jcmd").toString();
        String properties = Command.run(jcmd, String.valueOf(process.pid()), "VM.system_properties")
                .ok();
        Matcher limit =
                Pattern.compile("jdk\\.httpserver\\.maxConnections=(\\d+)").matcher(properties);
        assertTrue(limit.find(), properties);
        return Integer.parseInt(limit.group(1));
    }

    /** All its connections can be had, none is lost. Tries again while those of an attack are being closed. */
    void assertServesAll() throws IOException, InterruptedException {
        assertServes(maxConnections());
    }

    void assertServes(int connections) throws InterruptedException {
        Await.until(connections + " connections", Duration.ofSeconds(SECONDS), () -> {
            askAtOnce(connections);
            return true;
        });
    }

    /** All connect before any asks. The last to connect asks first: it would lack a lost connection. */
    private void askAtOnce(int clients) throws IOException {
        List<Client> open = new ArrayList<>();
        try {
            for (int i = 0; i < clients; i++) {
                open.add(0, connect());
            }
            for (Client client : open) {
                Redirect.check(client.send(Client.GET).head());
            }
        } finally {
            Client.closeAll(open);
        }
    }

    /** The same process, which had nothing to complain about: an OutOfMemoryError would have ended it. */
    void assertUnharmed() throws IOException {
        assertEquals("", Files.readString(errors), "stderr");
        assertTrue(process.isAlive(), () -> "has ended with " + process.exitValue());
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
        kill();
        process.onExit().join();
        Files.deleteIfExists(errors);
    }

    /** Also what a tool like strace has started: it would outlive its parent. */
    private void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
