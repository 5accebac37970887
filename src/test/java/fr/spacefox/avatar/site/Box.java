package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Await;
import fr.spacefox.avatar.support.Command;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/** A throwaway machine, as box.sh explains: in /root it has what a user copies to a server. */
final class Box implements AutoCloseable {

    private static final String SCRIPT = "src/test/resources/box.sh";
    private static final String LOG = "target/boxes.log";

    /** The name of its control group; a process number may be that of a killed run's. */
    private final String group = "avatar-" + UUID.randomUUID();

    private final Process nspawn;
    private final Thread atExit = new Thread(this::destroy);
    private long leader;

    Box(String files) throws IOException, InterruptedException {
        this(files, "");
    }

    /** All changes go to disk, the image of a file system from which a later box boots; where it is "", to memory. */
    Box(String files, String disk) throws IOException, InterruptedException {
        nspawn = new ProcessBuilder("unshare", "--mount", "sh", SCRIPT, "boot", files, group, disk)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(new File(LOG)))
                .start();
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            String first = Command.run("sh", SCRIPT, "leader", Long.toString(nspawn.pid()))
                    .ok();
            leader = Long.parseLong(first);
        } catch (Throwable failure) {
            close();
            throw failure;
        }
    }

    /** Boots a machine and installs the site of the rows. */
    static Box withCats(Debian debian) throws IOException, InterruptedException {
        var box = new Box(debian.files());
        box.run("set -e; . /srv/test/server.sh; prepare");
        return box;
    }

    /** Runs a shell script in the box, which must succeed, and returns what it prints. */
    String run(String script) {
        Command done = attempt(script);
        if (done.status() != 0)
            fail(script + "\n" + done + attempt("journalctl --lines 40").output());
        return done.output().strip();
    }

    Command attempt(String script) {
        return Command.finish(start(script));
    }

    boolean succeeds(String script) {
        return attempt(script).status() == 0;
    }

    Process start(String script) {
        return exec("sh", "-ec", script);
    }

    Process exec(String... command) {
        var line = new ArrayList<>(List.of("sh", SCRIPT, "in", Long.toString(leader)));
        line.addAll(List.of(command));
        try {
            return new ProcessBuilder(line).redirectErrorStream(true).start();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    Path path(String name) {
        return Path.of("/proc/" + leader + "/root" + name);
    }

    long leader() {
        return leader;
    }

    void awaitTrue(String what, BooleanSupplier probe) throws InterruptedException {
        Await.until(what + ", see " + LOG, probe::getAsBoolean);
    }

    private void destroy() {
        try {
            Command.run("sh", SCRIPT, "end", Long.toString(nspawn.pid()), group).ok();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void close() throws InterruptedException {
        destroy();
        nspawn.waitFor();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }
}
