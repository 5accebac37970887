package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Await;
import fr.spacefox.avatar.support.Command;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A throwaway machine. It has the files of a Debian under an overlay that vanishes, a systemd of its own, a network of
 * its own with only a loopback interface, and in /root what a user copies to a server: the folder deploy. Everything
 * hangs on one process: when it ends, no mount and no process is left.
 */
final class Box implements AutoCloseable {

    /** The box's command visit: curl, for which each domain leads to the box, whose certificate nobody knows. */
    private static final String VISIT = """
            #!/bin/sh
            exec curl --silent --insecure --path-as-is --max-time 30 --http1.1 \\
                --resolve '*:443:127.0.0.1' --resolve '*:80:127.0.0.1' "$@"
            """;

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
        Path project = Path.of("").toAbsolutePath();
        String script = """
                set -e
                if [ "$4" ]; then mount -o loop "$4" /mnt; else mount -t tmpfs -o mode=755 box /mnt; fi
                cd /mnt
                mkdir -p upper work root
                mount -t overlay -o lowerdir="$2",upperdir=upper,workdir=work box root
                cd root
                mkdir -p usr/lib/systemd/system/nginx.service.d
                # Tests start nginx more often than five times in ten seconds.
                printf '[Unit]\nStartLimitIntervalSec=0\n' > usr/lib/systemd/system/nginx.service.d/often.conf
                mount -t tmpfs -o mode=700 box root
                cp -r "$1/deploy" root
                printf %s "$3" > usr/bin/visit
                chmod 755 usr/bin/visit
                cd ..
                # A control group of its own: otherwise the services of two boxes would share theirs.
                for tree in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
                    [ -w $tree/cgroup.procs ] || continue
                    mkdir $tree/$5
                    echo $$ > $tree/$5/cgroup.procs
                done
                export SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 # systemd 258 and later knows no other
                exec systemd-nspawn -D root --register=no --keep-unit --settings=no --private-network --boot --quiet
                """;
        nspawn = new ProcessBuilder(
                        "unshare", "--mount", "sh", "-c", script, "box", project.toString(), files, VISIT, disk, group)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(new File(LOG)))
                .start();
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            awaitTrue("the box's first process", () -> {
                nspawn.descendants()
                        .filter(process -> process.info().command().orElse("").endsWith("systemd"))
                        .findFirst()
                        .ifPresent(systemd -> leader = systemd.pid());
                return leader != 0;
            });
            awaitTrue("systemd", () -> succeeds("systemctl is-system-running | grep -E '^(running|degraded)$'"));
        } catch (Throwable failure) {
            close();
            throw failure;
        }
    }

    /** Boots a machine and installs the site with 21 samples and its own certificate. */
    static Box installed(String files) throws IOException, InterruptedException {
        var box = new Box(files);
        try {
            drawFoxes(21, box.path("/root/foxes"));
            box.install("avatar.spacefox.fr foxes");
            return box;
        } catch (Throwable failure) {
            box.close();
            throw failure;
        }
    }

    /** Runs deploy/install as the guide does, with arguments as one types them, and returns what it says. */
    String install(String arguments) {
        return attempt("cd /root; deploy/install " + arguments).ok();
    }

    /** The folder of the set that the site shows. */
    String set() {
        return run("echo /var/lib/avatar/site/pictures/*");
    }

    /** Puts samples, Renard-1.png and so on, into a folder. */
    static synchronized void drawFoxes(int count, Path folder) throws IOException {
        Path drawn = Path.of("target/samples");
        if (!Files.exists(drawn.resolve("Renard-21.png"))) {
            String java = System.getProperty("java.home") + "/bin/java";
            Command.run(java, "samples/Foxes.java", "21", drawn.toString()).ok();
        }
        Files.createDirectories(folder);
        for (int number = 1; number <= count; number++) {
            String name = "Renard-" + number + ".png";
            Files.copy(drawn.resolve(name), folder.resolve(name));
        }
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
        String spaces = "--cgroup --ipc --mount --net --pid --uts --wdns=/";
        var line = new ArrayList<>(List.of("timeout", "--kill-after=5", "300"));
        line.addAll(List.of(("nsenter --target " + leader + " " + spaces).split(" ")));
        line.addAll(List.of(command));
        try {
            var builder = new ProcessBuilder(line).redirectErrorStream(true);
            builder.environment().keySet().retainAll(List.of("PATH"));
            builder.environment().put("HOME", "/root");
            return builder.start();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** One request from inside the box: the head in lines, then what -w printed. */
    Command curl(String... arguments) {
        var result = Command.finish(exec(curlCommand(arguments)));
        return new Command(result.status(), result.output().replace("\r", ""));
    }

    /** The box's command that asks its nginx, whatever the domain, and prints the head and no body. */
    static String[] curlCommand(String... arguments) {
        var line = new ArrayList<>(List.of("visit", "--dump-header", "-"));
        line.addAll(List.of(arguments));
        if (!line.contains("--output")) line.addAll(List.of("--output", "/dev/null"));
        return line.toArray(String[]::new);
    }

    Path path(String name) {
        return Path.of("/proc/" + leader + "/root" + name);
    }

    long leader() {
        return leader;
    }

    /** The JVM's process number inside the box; 0 when there is none. */
    int jvm() {
        return Integer.parseInt(run("systemctl show --property=MainPID --value avatar"));
    }

    void awaitTrue(String what, BooleanSupplier probe) throws InterruptedException {
        Await.until(what + ", see " + LOG, probe::getAsBoolean);
    }

    private void destroy() {
        nspawn.descendants().forEach(ProcessHandle::destroyForcibly);
        nspawn.destroyForcibly();
    }

    @Override
    public void close() throws IOException, InterruptedException {
        destroy();
        assertTrue(nspawn.waitFor(30, TimeUnit.SECONDS), "the box does not end");
        Runtime.getRuntime().removeShutdownHook(atExit);
        String groups = "find /sys/fs/cgroup -depth -type d -path '*/" + group + "*'";
        String delete = groups + " -exec rmdir {} +; ! " + groups + " | grep -q .";
        Await.until(
                "the end of the control groups",
                () -> Command.run("sh", "-c", delete).status() == 0);
    }
}
