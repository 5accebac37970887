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
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A run that is killed, cut from power or out of room leaves pictures for visitors and a server that boots, and the
 * same command completes the change. A few steps decide; `.ci/run long` tries each.
 */
@Needs({BOX, DISK})
@Order(0)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PowerIT {

    private static final String INSTALL = "deploy/install cats.example.org new";

    // The calls of tools behind which a mishap comes: patterns of the shell for "NUMBER TOOL ARGUMENT...".
    private static final String APT = "*' apt-get '*install*";
    private static final String LINK = "*' ln -sfT sites/'*' /var/lib/avatar/site'";
    private static final String RESTART = "*' systemctl restart avatar'";
    private static final String RELOAD = "*' systemctl reload-or-restart nginx'";
    private static final String END = "*' sh -c :'";

    @TempDir
    private static Path disks;

    private Path disk;

    @AutoClose
    private Box box;

    @BeforeAll
    void install() throws Exception {
        disk = disks.resolve("disk");
        here("""
                truncate -s 256M $0
                PATH=$PATH:/usr/sbin
                mkfs.ext4 -q -b 4096 -m 0 -E lazy_itable_init=0 $0""", disk);
        box = new Box(Debian.OLDER.files(), disk.toString());
        // Full is full: ext4 keeps blocks for itself, which small files get when large ones do not.
        here("echo 0 > /sys/fs/ext4/$(basename $(losetup -nO NAME -j $0))/reserved_clusters", disk);
        // Each call of a tool that changes the disk or the services is a step. One that only asks is none.
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
                for name in apt-get chmod cp install ln mkdir mv rm sh sync systemctl; do ln -s ../step bin/$name; done
                cp -r deploy pristine
                rm -r /var/log/journal
                systemctl restart systemd-journald
                mkdir -p /var/lib/avatar/sites/2026-11-28.backup
                echo mine > /var/lib/avatar/sites/2026-11-28.backup/notes
                """ + RENEW + ". /srv/test/server.sh; prepare");
    }

    /** Another certificate, where certbot has them. */
    private static final String RENEW = """
            (. /srv/test/server.sh; own_certificate -1 89 $D /etc/letsencrypt/live/$D)
            """;

    private static void here(String script, Object... arguments) throws IOException {
        var line = new ArrayList<>(List.of("sh", "-ec", script));
        for (Object argument : arguments) line.add(argument.toString());
        Command.run(line.toArray(String[]::new)).ok();
    }

    /** What is done before each run. */
    private String before = "";

    /** Starts a run that changes the pictures. Behind each step that has a pattern it runs the script. */
    private Process start(String patterns, String script) throws IOException {
        box.run("""
                cd /root
                rm -rf deploy new befell
                cp -r pristine deploy
                cp -r cats new
                convert -size 80x80 "xc:#$(openssl rand -hex 3)" new/new.png
                : > steps
                """ + before + "\nsync");
        Files.writeString(box.path("/root/then"), """
                group=$(ps -o pgid= -p $$ | tr -d ' ')
                case $step in %s) touch /root/befell; %s ;; esac
                """.formatted(patterns, script));
        return box.start(". /srv/test/server.sh; unnoticed setsid --wait sh -c 'PATH=/root/bin:$PATH; %s && sh -c :'"
                .formatted(INSTALL));
    }

    /** Whether a step has befallen the run, which visitors must not have noticed. */
    private boolean befell(Process run, String patterns) {
        String said = Command.finish(run).output();
        boolean isNoticed = said.matches("(?s).*(a visitor got|nobody came).*");
        assertFalse(isNoticed && !before.contains("remove"), patterns + "\n" + said);
        return box.succeeds("rm -f /fill; ls /root/befell");
    }

    /** The same command completes the change. It leaves two sites at most, and all that is others'. */
    private static void assertCompletes(Box box, String patterns) {
        String said = box.run("cd /root; rm -r deploy; cp -r pristine deploy; " + INSTALL);
        assertTrue(said.contains("5 pictures. The address for a profile: https://cats.example.org/me."), said);
        assertEquals("mine", box.run("""
                sh /root/pristine/check --insecure
                cd /var/lib/avatar
                ls -d sites/site.* | tail -n +3
                cat sites/2026-11-28.backup/notes"""), patterns);
    }

    /** Each of these runs begins where the former one was ended. */
    @Test
    void theSameCommandCompletesRunsThatWereKilled() throws Exception {
        box.run("dpkg --remove --force-depends iproute2");
        for (String step : List.of(APT, LINK, RESTART, RELOAD))
            assertTrue(befell(start(step, "kill -KILL -$group"), step), "no such step: " + step);
        assertCompletes(box, "killed runs");
    }

    @Test
    void theSameCommandCompletesARunOnAFullDisk() throws Exception {
        assertTrue(befell(start(LINK, "cat /dev/zero 2> /dev/null >> /fill"), LINK));
        assertCompletes(box, "a full disk");
    }

    /** Boots from the disk as a power cut would leave it, behind steps and when the change has been reported. */
    @Test
    void theSameCommandCompletesARunThatAPowerCutEnded() throws Exception {
        box.run("dpkg --remove --force-depends iproute2");
        var copies = copiesAt(String.join(" | ", APT, LINK, RESTART, RELOAD, END));
        assertTrue(copies.size() >= 5, copies.toString());
        for (Path copy : copies) assertBoots(copy);
        box.run("/etc/letsencrypt/renewal-hooks/deploy/avatar; " + RENEW
                + "/etc/letsencrypt/renewal-hooks/deploy/avatar");
        assertBoots(copy("renewed"));
    }

    /** The run stands still behind each of these steps while the disk is copied. */
    private List<Path> copiesAt(String patterns) throws Exception {
        var copies = new ArrayList<Path>();
        Process run = start(patterns, "kill -STOP $$");
        while (true) {
            box.awaitTrue("a step", () -> !run.isAlive() || box.succeeds("pgrep --runstates T"));
            if (!run.isAlive()) break;
            // The file system has written names, as it does within 5 s, but not all contents.
            if (!box.succeeds("tail -n 1 /root/steps | grep 'sh -c :'")) box.run("touch /commit; sync /commit");
            copies.add(copy("copy-" + copies.size()));
            box.run("pkill -CONT --runstates T");
        }
        assertTrue(befell(run, patterns));
        return copies;
    }

    private Path copy(String name) throws IOException {
        // The same in two copies is that of one moment.
        here("until cp --sparse=always $0 $1 && cmp -s $0 $1; do :; done", disk, disks.resolve(name));
        return disks.resolve(name);
    }

    private void assertBoots(Path copy) throws Exception {
        try (var booted = new Box(Debian.OLDER.files(), copy.toString())) {
            here("cp -rT $0 $1", box.path("/root"), booted.path("/root"));
            booted.awaitTrue("nginx", () -> booted.succeeds("systemctl is-active nginx"));
            // Else there is no site, or its Java program is broken.
            if (before.isEmpty())
                assertEquals("", booted.run("sh /root/pristine/check --insecure || true"), copy.toString());
            assertCompletes(booted, copy.toString());
        }
        Files.delete(copy);
    }

    /** With a former site, without one, and where the former site is shown again. */
    @Tag("long")
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    @ParameterizedTest
    @ValueSource(strings = {"", "deploy/remove; rm -f /var/lib/avatar/site", "echo none > deploy/avatar.jar"})
    void theSameCommandCompletesARunThatWasEndedBehindAnyStep(String before) throws Exception {
        this.before = before;
        for (String mishap : List.of("kill -KILL -$group", "cat /dev/zero 2> /dev/null >> /fill"))
            for (int step = 1; befell(start("'" + step + " '*", mishap), "step " + step); step++) {}
        for (Path copy : copiesAt("*")) assertBoots(copy);
        assertCompletes(box, before);
        this.before = "";
    }
}
