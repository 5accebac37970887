package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Needs;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Everybody gets a fox, even while the JVM is dead or hangs, or nginx is short of draws. */
@Needs(BOX)
@Execution(ExecutionMode.SAME_THREAD)
class OutageIT extends InstalledSite {

    private static final String STOP = "systemctl stop avatar";
    private static final String HANG = "kill -STOP $(systemctl show --property=MainPID --value avatar)";

    /** Draws are old after a second in place of five minutes, so that visitors need the JVM more often. */
    @BeforeAll
    void renewSooner() throws Exception {
        renewSooner(box);
    }

    private static void renewSooner(Box box) throws Exception {
        edit(box, "valid 302 5m", "valid 302 1s");
        forgetDraws(box); // those of deploy/check are valid for five minutes
    }

    @BeforeEach
    void allIsWell() throws Exception {
        awaitTheJvm();
    }

    @AfterEach
    void recover() {
        box.run("pkill -CONT -f avatar.jar; systemctl start avatar");
    }

    /** Nobody notices an outage, nor a security update that restarts nginx meanwhile. */
    @ParameterizedTest
    @ValueSource(strings = {STOP, HANG, STOP + "; systemctl restart nginx"})
    void everyRequestIsRedirectedOnceTheDrawsAreThere(String outage) {
        box.run(outage);
        Answer.toAll(Request.ALL, box).forEach(Answer::assertRedirect);
    }

    /** As after a boot at which the JVM does not start. */
    @ParameterizedTest
    @ValueSource(strings = {STOP, HANG})
    void everyRequestGetsARandomPictureWhereNoDrawIsThere(String outage) {
        box.run(outage);
        forgetDraws(box);
        Answer.toAll(Request.ALL, box).forEach(Answer::assertRandomPicture);
    }

    /** A page does not hang while the Java program is dead, or just dies. */
    @ParameterizedTest
    @ValueSource(strings = {STOP, HANG, "kill -KILL $(systemctl show --property=MainPID --value avatar)"})
    void noVisitorWaitsForAJvmThatDoesNotAnswer(String outage) {
        box.run(outage);
        assertNobodyWaits(box);
    }

    /** The other Debian's nginx rests a JVM that hangs, too. */
    @Test
    void noVisitorWaitsOnTheOtherDebianEither() throws Exception {
        try (var other = Box.installed(Debian.NEWER.files())) {
            renewSooner(other);
            fetchDraws(other);
            other.run(HANG);
            assertNobodyWaits(other);
        }
    }

    /**
     * Two hundred visits in six seconds, of which one that waits for the JVM would take a second. On a connection that
     * stays open, a client waits while it renews a draw: rarely, as nginx rests the JVM.
     */
    private static void assertNobodyWaits(Box box) {
        String visit = "visit --http2 --output /dev/null --write-out '%{http_code} %{time_total}\\n' " + SITE;
        var waits = box.run("for path in $(seq 200); do sleep 0.02; " + visit + "/$path; done")
                .lines()
                .toList();
        assertEquals(200, waits.stream().filter(line -> line.startsWith("302 ")).count(), waits::toString);
        DoubleStream seconds = waits.stream().mapToDouble(line -> Double.parseDouble(line.substring(4)));
        assertTrue(seconds.filter(wait -> wait > 0.9).count() <= 1, waits::toString); // one for a busy machine
        String stay = "timeout 60 visit --output /dev/null --write-out '%{http_code}\\n' '" + SITE + "/[1-2000]'";
        assertEquals("2000 302", box.run(stay + " | sort | uniq -c"));
    }

    /** A client gets its picture even if nginx answers before the request is whole: bash's printf sends it by lines. */
    @Test
    void noPictureIsLostToAReset() {
        box.run(HANG);
        forgetDraws(box);
        assertEquals("600", box.run("""
                for lot in 1 2 3 4 5 6; do
                    for client in $(seq 100); do
                        bash -c 'trap "" PIPE
                            exec 3<>/dev/tcp/127.0.0.1/80
                            printf "GET / HTTP/1.1\nHost: avatar.spacefox.fr\nHost: x\nA: b\nC: d\n\n" >&3
                            head -n 1 <&3' 2> /dev/null &
                    done
                    wait
                done | grep -c '^HTTP/1.1 200 '"""));
    }

    /** A worker process that is killed while it renews draws leaves them as they are, for ever: the guide's remedy. */
    @Test
    void everyDrawIsRenewedAgainAfterARestartOfNginx() throws Exception {
        box.run(HANG + "; sleep 2"); // until every draw is old, so that each visit renews one
        box.run("for lot in 1 2 3 4 5 6 7 8; do timeout 1 visit --output /dev/null '" + SITE + "/[1-100]' & done"
                + "; sleep 0.5; pkill -KILL -f '[n]ginx: worker'; wait");
        recover();
        box.run("systemctl restart nginx");
        awaitTheJvm();
        List<String> before = draws(box);
        box.awaitTrue("64 new draws", () -> {
            box.attempt("visit --output /dev/null '" + SITE + "/[1-500]'");
            return draws(box).stream().noneMatch(before::contains);
        });
    }
}
