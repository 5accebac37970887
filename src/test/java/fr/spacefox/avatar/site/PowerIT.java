package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A run that is killed, cut from power or out of room leaves pictures for visitors and a server that boots, and the
 * next run completes the change. A few steps decide; `.ci/run long` tries each, or each third.
 */
@Needs({BOX, DISK})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PowerIT {

    private static final String CATS = "cats.example.org";

    private static final String INSTALL = "deploy/install " + CATS + " new";

    /** What befalls a run: /root/step runs this script behind the step, and $group is the run's process group. */
    private enum Mishap {
        KILL("kill -KILL -$group"),
        POWER("kill -STOP $$; kill -KILL -$group"), // what the disk has then is looked at in between
        ORPHAN("pkill -KILL -f '^/bin/sh deploy/install'; exec sleep 99 > /dev/null 2>&1"), // the step goes on
        FULL("cat /dev/zero 2> /dev/null >> /fill");

        private final String script;

        Mishap(String script) {
            this.script = script;
        }
    }

    /** What is done before the run. */
    private enum Change {
        FIRST("deploy/remove > /dev/null; cd /var/lib/avatar; rm -rf site sites/site.* /etc/default/avatar"),
        PICTURES(""),
        PACKAGES("mv /usr/bin/heif-convert ."),
        REFUSED("echo 'fox on;' >> deploy/nginx.conf"), // by nginx
        BROKEN("echo none > deploy/avatar.jar"); // the former site is shown again

        private final String script;

        Change(String script) {
            this.script = script;
        }
    }

    /** The step behind which the mishap comes: a pattern of the shell. */
    private enum Step {
        APT("*' apt-get '*"),
        LINK("*' mv -T '*' /var/lib/avatar/site'"),
        FILES("*' systemctl daemon-reload'"), // nginx has the new site, and the Java program is that of the former one
        RESTART("*' systemctl restart avatar'"),
        END("*' sh -c :'");

        private final String pattern;

        Step(String pattern) {
            this.pattern = pattern;
        }
    }

    @TempDir
    private static Path disks;

    private Path disk;

    @AutoClose
    private Box box;

    @BeforeAll
    void install() throws Exception {
        disk = disks.resolve("disk");
        here("truncate -s 256M $0; PATH=$PATH:/usr/sbin; mkfs.ext4 -q -b 4096 -m 0 -E lazy_itable_init=0 $0", disk);
        box = new Box(Debian.OLDER.files(), disk.toString());
        // Full is full: ext4 keeps blocks for itself, which small files get when large ones do not.
        here("echo 0 > /sys/fs/ext4/$(basename $(losetup -nO NAME -j $0))/reserved_clusters", disk);
        Box.drawFoxes(3, box.path("/root/cats"));
        // Each command that changes the disk or the services is a step. One that only asks is none.
        Files.writeString(box.path("/root/step"), """
                #!/bin/sh
                case "${0##*/} $*" in systemctl*' is-'* | systemctl*' show '*) exec "/usr/bin/${0##*/}" "$@" ;; esac
                "/usr/bin/${0##*/}" "$@" || status=$?
                step=$(($(wc -l < /root/steps) + 1))" ${0##*/} $*"
                echo "$step" >> /root/steps
                . /root/then
                exit ${status:-0}
                """);
        box.run("""
                cd /root
                mkdir bin
                chmod 755 step
                for name in apt-get chmod cp ln mkdir mv perl rm rmdir sh sync systemctl; do
                    ln -s ../step bin/$name
                done
                cp -r deploy pristine
                systemctl enable nginx
                rm -r /var/log/journal
                systemctl restart systemd-journald
                deploy/install $0 cats
                mkdir /var/lib/avatar/sites/2026-11-28.backup
                echo mine > /var/lib/avatar/sites/2026-11-28.backup/notes""".replace("$0", CATS));
    }

    private static void here(String script, Object... arguments) throws IOException {
        var line = new ArrayList<>(List.of("sh", "-ec", script));
        for (Object argument : arguments) line.add(argument.toString());
        Command.run(line.toArray(String[]::new)).ok();
    }

    private static String shown(Box box) {
        return box.run("readlink /var/lib/avatar/site || true");
    }

    private List<String> list() {
        String script = "find /var/lib/avatar -type f -exec sha256sum {} + -o -type l -printf '%p -> %l\\n' | sort";
        return box.run(script).lines().toList();
    }

    /** The next run completes the change. It leaves at most three sites, and all that is others'. */
    private static void assertCompletes(Box box) {
        String said = box.run("cd /root; rm -r deploy; cp -r pristine deploy; " + INSTALL);
        assertTrue(said.endsWith("\n4 pictures. The address for a profile: https://" + CATS + "/me.png"), said);
        assertEquals("mine", box.run("""
                sh /root/deploy/check --insecure
                cd /var/lib/avatar
                find /etc -name '.*~'
                ls sites | tail -n +5
                cat sites/2026-11-28.backup/notes"""));
    }

    /** A mishap comes behind a step, and no visitor is without a picture. What the run says; null without that step. */
    private String befalls(Mishap mishap, Change change, String step) throws Exception {
        box.run("""
                cd /root
                rm -rf deploy new befell
                cp -r pristine deploy
                cp -r cats new
                convert -size 80x80 "xc:#$(openssl rand -hex 3)" new/new.png
                date '+# %s' | tee -a deploy/nginx.conf >> deploy/avatar.service
                """ + change.script);
        Files.writeString(box.path("/root/then"), """
                group=$(ps -o pgid= -p $$ | tr -d ' ')
                case $step in %s) touch /root/befell; %s ;; esac
                """.formatted(step, mishap.script));
        box.run(": > /root/steps; sync");
        List<String> former = list();
        String before = shown(box);
        String run = INSTALL + "; sh -c :";
        try (var visitors = change == Change.FIRST ? null : new Visitors(box, CATS)) {
            Process running = box.start("cd /root; exec setsid --wait sh -ec 'PATH=/root/bin:$PATH; " + run + "'");
            if (mishap == Mishap.POWER) {
                box.awaitTrue("the step", () -> !running.isAlive() || box.succeeds("pgrep --runstates T"));
                assertBoots(change, step.equals(Step.END.pattern));
            }
            Command said = Command.finish(running);
            box.run("flock --wait 60 /root rm -f /fill; mv /root/heif-convert /usr/bin 2> /dev/null || true");
            boolean befell = box.succeeds("ls /root/befell");
            List<String> left = list();
            former.stream()
                    .filter(line -> line.contains(before + "/"))
                    .forEach(line -> assertTrue(left.contains(line)));
            assertCompletes(box);
            return befell ? said.output() : null;
        } catch (AssertionError failure) {
            throw new AssertionError(box.run("tail -n 1 /root/steps") + "\n" + failure.getMessage(), failure);
        }
    }

    /** Boots from the disk as a power cut would leave it, with a whole site: the new one, if it was reported. */
    private void assertBoots(Change change, boolean reported) throws Exception {
        var copies = List.of(disks.resolve("copy"), disks.resolve("later"));
        // At once, and when the file system has written what it has to within 5 s: names, but no contents.
        for (Path copy : copies) {
            // The same in two copies is that of one moment.
            here("until cp --sparse=always $0 $1 && cmp -s $0 $1; do :; done", disk, copy);
            box.run("touch /commit; sync /commit");
        }
        box.attempt("pkill -CONT --runstates T");
        for (Path copy : copies) {
            try (var booted = new Box(Debian.OLDER.files(), copy.toString())) {
                here("cp -rT $0 $1", box.path("/root"), booted.path("/root"));
                booted.awaitTrue("nginx", () -> booted.succeeds("systemctl is-active nginx"));
                if (change != Change.FIRST) assertEquals("", booted.run("sh /root/pristine/check --insecure || true"));
                if (reported) assertEquals(shown(box), shown(booted));
                assertCompletes(booted);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "KILL, PACKAGES, APT",
        "ORPHAN, PACKAGES, APT",
        "KILL, FIRST, LINK",
        "KILL, FIRST, FILES",
        "KILL, FIRST, RESTART",
        "KILL, PICTURES, LINK",
        "KILL, PICTURES, FILES",
        "KILL, PICTURES, RESTART",
        "POWER, REFUSED, LINK",
        "POWER, FIRST, LINK",
        "POWER, PICTURES, LINK",
        "POWER, PICTURES, FILES",
        "POWER, PICTURES, RESTART",
        "POWER, PICTURES, END",
        "FULL, PICTURES, LINK",
        "FULL, BROKEN, LINK"
    })
    void survives(Mishap mishap, Change change, Step step) throws Exception {
        assertEquals(change == Change.REFUSED, befalls(mishap, change, step.pattern) == null, "no such step");
    }

    /** Behind every third one where each leads back to the former site, or takes minutes. */
    @Tag("long")
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ORPHAN")
    void survivesEachMishapBehindEachStep(Mishap mishap) throws Exception {
        int stride = mishap == Mishap.KILL ? 1 : 3;
        for (Change change : List.of(Change.FIRST, Change.PICTURES, Change.BROKEN))
            for (int step = 1; befalls(mishap, change, "'" + step + " '*") != null; step += stride) {}
    }

    /** nginx starts after a power cut that follows a renewal: certbot's hook syncs the files. */
    @Test
    void aRenewedCertificateSurvivesAPowerCut() throws Exception {
        box.run("""
                rm -r /root/deploy
                cp -r /root/pristine /root/deploy
                mkdir -p /root/new /etc/letsencrypt/live/$0
                cp /root/cats/* /root/new
                convert -size 80x80 xc:red /root/new/new.png
                cd /etc/letsencrypt/live/$0
                for run in '/root/deploy/install $0 /root/cats' ../../renewal-hooks/deploy/avatar; do
                    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=authority \\
                        -addext subjectAltName=DNS:$0 -keyout privkey.pem -out fullchain.pem
                    $run
                done""".replace("$0", CATS));
        assertBoots(Change.PICTURES, true);
    }
}
