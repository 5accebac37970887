package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Behind a power cut, a kill or a full disk every visit is answered, and the next deploy/install completes the change.
 * Only `.ci/run long` tries each step, which takes minutes.
 */
@Needs({BOX, DISK})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PowerIT {

    /** What befalls a change behind one of its steps. */
    private enum Mishap {
        KILL("kill -KILL -$(ps -o pgid= -p $$ | tr -d ' ')"),
        FULL("cat /dev/zero 2> /dev/null >> /fill"),
        HANGUP("pkill -KILL -x script");

        private final String script;

        Mishap(String script) {
            this.script = script;
        }
    }

    @TempDir
    private static Path disks;

    private static Path disk;

    @AutoClose
    private static Box box;

    @BeforeAll
    static void install() throws Exception {
        disk = disks.resolve("disk");
        String script = "truncate -s 64M $0; PATH=$PATH:/usr/sbin; mkfs.ext4 -q -b 4096 -m 0 -E lazy_itable_init=0 $0";
        here(script, disk);
        box = new Box(Debian.OLDER.files(), disk.toString());
        // Full is full: ext4 keeps blocks for itself, which small files get when large ones do not.
        here("echo 0 > /sys/fs/ext4/$(basename $(losetup -nO NAME -j $0))/reserved_clusters", disk);
        Box.drawFoxes(3, box.path("/root/cats"));
        Files.copy(Path.of("src/test/resources/steps.sh"), box.path("/root/steps.sh"));
        box.run("cd /root; cp -r deploy pristine; sh steps.sh; mkdir -p /etc/letsencrypt; systemctl enable nginx"
                + "; rm -r /var/log/journal; systemctl restart systemd-journald");
    }

    private static String here(String script, Object... arguments) throws IOException {
        var line = new ArrayList<>(List.of("sh", "-ec", script));
        for (Object argument : arguments) line.add(argument.toString());
        return Command.run(line.toArray(String[]::new)).ok();
    }

    /** Prepares a change, and then each of its steps runs a script. */
    private static void begin(Change change, String then) {
        box.run(". /root/bin/begin\n" + change.prepares);
        box.run("cat > /root/then <<'END'\n" + then + "\nEND\necho 0 > /root/step; sync");
    }

    private static String inSteps(String command) {
        return "cd /root; exec setsid --wait sh -c 'PATH=/root/bin:$PATH; " + command + "'";
    }

    /** Visits to the domain that nginx has are answered; a JVM that just starts may leave them to a random picture. */
    private static void assertAnswers(Box site) {
        site.run("""
                for domain in cats.example.org dogs.example.org cats.example.org; do # a reload may change it meanwhile
                    wrong=''
                    for url in https://$domain/x http://$domain/x; do
                        said=$(visit --output /dev/null --write-out '%{http_code} %{size_download}' $url)
                        case $said in '302 0' | '200 '[1-9]*) ;; *) echo "$url: $said"; wrong=yes ;; esac
                    done
                    [ "$wrong" ] || exit 0
                done
                exit 1""");
    }

    /** The change is made again, and nothing of the first attempt is left. */
    private static void assertCompletes(Box site, Change change) {
        String said = site.run("cd /root; echo : > then; PATH=/root/bin:$PATH\n" + change.completes());
        assertEquals("", site.attempt("sh /root/bin/faults").output(), said);
    }

    /** The files of the installer, below a folder. */
    private static final String LIST = """
            find etc/avatar etc/default/avatar etc/nginx/sites-enabled/zz-avatar.conf etc/letsencrypt/renewal-hooks \\
                etc/systemd/system/avatar.service etc/systemd/system/nginx.service.d \\
                etc/systemd/system/multi-user.target.wants usr/local/lib/avatar var/lib/avatar \\
                -type f -exec sha256sum {} + -o -type l -printf '%l  %p\\n' 2> /dev/null | sort""";

    private static List<String> list() {
        return box.run("cd /; " + LIST).lines().toList();
    }

    /** The pictures that the site shows, without the one that MENDING has damaged. */
    private static List<String> set() {
        return box.run("cd /; find " + box.set().substring(1) + " -name 'R*' ! -size 8c -exec sha256sum {} +")
                .lines()
                .toList();
    }

    /** Copies the disk as a power cut would leave it: the same in two copies, so that it is that of one moment. */
    private static List<String> cut(Path copy) throws IOException {
        String script = """
                until cp --sparse=always $0 $1 && cmp -s $0 $1; do :; done
                unshare --mount sh -c "mount -o loop $1 /mnt && cd /mnt/upper && $2\"""";
        return here(script, disk, copy, LIST).lines().toList();
    }

    /** Cuts the power behind some steps of a change, and returns the disks that differ in files of the installer. */
    private static Collection<Path> cuts(Change change, Path folder, int stride) throws Exception {
        begin(change, "[ $((step % " + stride + ")) != 0 ] || kill -STOP $$");
        var cuts = new LinkedHashMap<List<String>, Path>();
        var complete = new HashSet<>(list());
        List<String> former = change == Change.FIRST ? List.of() : set();
        Process changing = box.start(inSteps(change.changes));
        for (int number = 1; changing.isAlive(); ) {
            String stopped = box.attempt("pgrep --runstates T").output().replace('\n', ' ');
            if (stopped.isEmpty()) Thread.sleep(5);
            else {
                complete.addAll(list());
                // At once, and when the file system has written what it has to within 5 s: names, but no contents.
                for (String commits : List.of("true", "touch /commit; sync /commit")) {
                    box.run(commits);
                    Path copy = folder.resolve(number++ + ".disk");
                    List<String> files = cut(copy);
                    var incomplete = new ArrayList<>(files);
                    incomplete.removeIf(line -> line.contains("/.") || complete.contains(line));
                    assertEquals(List.of(), incomplete, () -> "step " + box.run("cat /root/step"));
                    assertTrue(files.containsAll(former), "the former set is not whole");
                    if (cuts.putIfAbsent(files, copy) != null) Files.delete(copy);
                }
            }
            box.attempt("kill -CONT " + stopped);
        }
        List<String> last = cut(folder.resolve("last.disk"));
        assertEquals(0, changing.exitValue(), () -> Command.finish(changing).output());
        assertEquals(list(), last, "what was reported is not on the disk");
        return cuts.values();
    }

    private static void assertBoots(Change change, Path cut) throws Exception {
        try (var booted = new Box(Debian.OLDER.files(), cut.toString())) {
            booted.awaitTrue("nginx", () -> booted.succeeds("systemctl is-active nginx"));
            if (change != Change.FIRST) assertAnswers(booted);
            here("cp -rT $0 $1", box.path("/root"), booted.path("/root"));
            assertCompletes(booted, change);
        } catch (AssertionError failure) {
            throw new AssertionError(cut + ": " + failure.getMessage(), failure);
        }
    }

    /** One of the disks that the cuts leave is booted. */
    @ParameterizedTest
    @CsvSource({"FIRST, 10", "UPDATE, 10", "PICTURES, 10", "CERTIFICATE, 4", "RENEWAL, 1"})
    void survivesAPowerCut(Change change, int stride, @TempDir Path folder) throws Exception {
        List<Path> cuts = List.copyOf(cuts(change, folder, stride));
        assertBoots(change, cuts.get(cuts.size() / 2));
    }

    @Tag("long")
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    @ParameterizedTest
    @EnumSource
    void survivesAPowerCutBehindEachStep(Change change, @TempDir Path folder) throws Exception {
        for (Path cut : cuts(change, folder, 1)) assertBoots(change, cut);
    }

    /** Lets a mishap come behind a step, and asserts that nothing is lost; whether the change had so many steps. */
    private static boolean befalls(Mishap mishap, Change change, int step) throws Exception {
        begin(change, "[ $step -lt " + step + " ] || " + mishap.script);
        var before = new State(box);
        List<String> former = change == Change.FIRST ? List.of() : set();
        String changes = change.changes;
        Command said =
                box.attempt(inSteps(mishap == Mishap.HANGUP ? "script -qec \"" + changes + "\" /dev/null" : changes));
        box.run("flock /etc/default rm -f /fill");
        boolean befell = Integer.parseInt(box.run("cat /root/step")) >= step;
        try {
            if (change != Change.FIRST) assertAnswers(box);
            if (mishap == Mishap.KILL && befell) assertEquals(137, said.status(), "not killed");
            var after = new State(box);
            List<String> left = list();
            assertTrue(left.containsAll(former), "the former set is not whole");
            assertCompletes(box, change);
            // Made or undone, but what is mended stays so.
            if (mishap != Mishap.KILL && change != Change.MENDING && !left.equals(list())) before.assertIs(after);
        } catch (AssertionError failure) {
            throw new AssertionError("step " + step + ": " + said + failure.getMessage(), failure);
        }
        return befell;
    }

    /** Steps at which something is half done; `.ci/run long` tries the others. */
    @ParameterizedTest
    @CsvSource({"KILL, UPDATE, 24", "KILL, UNDO, 61", "KILL, MENDING, 20", "FULL, PICTURES, 27", "HANGUP, PICTURES, 42"
    })
    void survives(Mishap mishap, Change change, int step) throws Exception {
        assertTrue(befalls(mishap, change, step));
    }

    /** A full disk and a hang-up lead to an undo wherever they come, so they come behind every third step. */
    @Tag("long")
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    @ParameterizedTest
    @EnumSource
    void survivesEachMishapBehindEachStep(Mishap mishap) throws Exception {
        int stride = mishap == Mishap.KILL ? 1 : 3;
        for (Change change : List.of(Change.FIRST, Change.UPDATE, Change.PICTURES, Change.MENDING, Change.UNDO))
            for (int step = 1; befalls(mishap, change, step); step += stride) {}
    }
}
