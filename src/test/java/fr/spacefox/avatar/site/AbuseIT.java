package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No client harms the others, the JVM or the disk, and many take no more memory than nginx allows them. */
@Needs(BOX)
@Execution(ExecutionMode.SAME_THREAD)
class AbuseIT extends InstalledSite {

    @BeforeAll
    void prepare() throws Exception {
        box.run("mkdir -p /var/log/journal; systemctl restart systemd-journald; journalctl --flush");
        fetchDraws(box);
    }

    @AfterEach
    void recover() {
        box.run("systemctl start avatar");
    }

    private void assertVisitorsAreRedirected() {
        for (int i = 0; i < 30; i++)
            ask("--interface", "127.0.0.1", SITES.get(i % 2)).assertRedirect();
    }

    /** Two hundred clients whose bodies never come, from the visitor's own address; each comes again at once. */
    @Test
    void slowBodiesDelayNobodyElse() throws Exception {
        box.run("""
                cat > /root/slow <<'END'
                for options in '--http1.1 -X GET' '--http1.1 -X PUT' '--http2 -X GET' '--http2 -X PUT'; do
                    for client in $(seq 50); do
                        while true; do sleep 3 | visit $options --upload-file . https://avatar.spacefox.fr/x; done &
                    done
                done
                wait
                END
                systemd-run --quiet --collect --unit=slow sh /root/slow""");
        try {
            box.awaitTrue("clients", () -> Integer.parseInt(box.run("pgrep -c -x curl || true")) > 150);
            assertVisitorsAreRedirected();
        } finally {
            box.run("systemctl stop slow");
        }
    }

    /** A client that says how much it sends, and sends less, is answered all the same. */
    @Test
    void aBodyIsNotAwaited() {
        assertEquals("HTTP/1.1 200 OK", box.run("""
                bash -c 'exec 3<>/dev/tcp/127.0.0.1/80
                    printf "PUT /x HTTP/1.1\\r\\nHost: avatar.spacefox.fr\\r\\nContent-Length: 9\\r\\n\\r\\na" >&3
                    timeout 5 head -n 1 <&3'"""));
    }

    /** No body reaches nginx's folder for bodies: the test locks it, and nginx would log the attempt. */
    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST", "PUT", "FOX"})
    void noBodyIsStoredOnTheDisk(String method) {
        box.run("truncate -s 2M /body; chmod a= /var/lib/nginx/body"); // more than nginx has buffers for
        var requests = new ArrayList<Request>();
        for (String site : SITES)
            for (String length : List.of("A:b", "Transfer-Encoding:chunked", "Expect:"))
                for (String version : List.of("--http1.1", "--http2")) {
                    String options = version + " --max-time 3 --request " + method + " --header " + length;
                    requests.add(Request.curl((options + " --upload-file /body " + site + "/x").split(" ")));
                }
        Answer.toAll(requests, box).forEach(Answer::assertRedirect);
        box.run("chmod u=rwx /var/lib/nginx/body; ! journalctl --identifier nginx | grep /var/lib/nginx/body");
    }

    /** nginx keeps the answers to GET and HEAD only, so the others must not reach the JVM as they are. */
    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "POST", "PUT", "FOX"})
    void aFloodReachesTheJvmSixtyFourTimesInFiveMinutes(String method) {
        forgetDraws(box);
        box.run("""
                echo x > /root/small
                truncate -s 100K /root/large
                nft 'add table inet count; delete table inet count; table inet count { chain input {
                    type filter hook input priority 0;
                    tcp dport 6666 tcp flags & (syn | ack) == syn counter; }; }'""");
        long start = System.nanoTime();
        String flood = "timeout 60 h2load -c20 -H ':method: " + method + "' ";
        for (String lot : List.of("--h1 -n15000", "-n15000", "-n3000 -d /root/small", "-m5 -n1000 -d /root/large")) {
            String report = box.run(flood + lot + " https://127.0.0.1/x");
            var load = Load.of(report);
            assertEquals(0, load.failed(), report);
            assertEquals(lot.contains("-d"), load.redirected() == 0, report); // for a body there is a random picture
        }
        long seconds = (System.nanoTime() - start) / 1_000_000_000;
        String counter = box.run("nft list table inet count | grep -o 'packets [0-9]*'");
        long asked = Long.parseLong(counter.substring("packets ".length()));
        // Until a draw is kept, other clients ask for it, too: twice as often at most.
        assertTrue(asked > 0 && asked <= 64 * (seconds / 300 + 2), counter);
    }

    /** Without a draw, each request that nginx did not keep would take a place at the JVM from a visitor. */
    @Test
    void aFloodOfPutOnEmptyDrawsTakesNobodysPlace() {
        forgetDraws(box);
        Process flood = box.start("exec timeout 60 h2load -c100 -n50000 -H ':method: PUT' https://127.0.0.1/x");
        assertVisitorsAreRedirected();
        String report = Command.finish(flood).ok();
        assertEquals(0, Load.of(report).failed(), report);
    }

    /** Three hundred connections of one network, each of which asks for 32 pictures and reads none. */
    @Test
    void picturesThatNobodyReadsHoldNobodyUp() throws Exception {
        box.run("""
                ip address add fd00::1/64 dev lo nodad
                ip address add fd00::2/64 dev lo nodad
                cd $0
                for n in $(seq 22 1000); do head -c 44000 /dev/zero > Renard-$n.png; done""".replace("$0", pictures));
        String large = " $(seq --format '" + address("https://%s", "Renard-%%g.png") + "' 22 1000)";
        Process greedy = box.start("exec timeout 60 h2load -c300 -m32 -n9600 -w 0" + large.formatted("[fd00::1]"));
        // A neighbour, when nginx has read all the requests.
        var neighbour =
                Request.curl("--interface", "fd00::2", "--resolve", "*:443:[fd00::2]", address(SITE, "Renard-1.png"));
        box.awaitTrue("a refusal", () -> neighbour.send(box).status() == 509);
        Thread.sleep(2000);
        Answer refused = neighbour.send(box);
        assertEquals("0", refused.headers().get("Content-Length"), refused::toString);
        assertEquals(Answer.NOBODY_KEEPS_IT, refused.headers().get("Cache-Control"), refused::toString);
        for (int visit = 1; visit <= 40; visit++) {
            ask("--max-time", "2", SITE).assertRedirect();
            ask("--max-time", "2", address(SITE, "Renard-" + visit + ".png"))
                    .assertPicture(200, "public, max-age=31536000, immutable");
        }
        String memory = box.run("ps -o rss= -p $(pgrep -d , -f 'nginx: [w]orker')");
        assertTrue(memory.lines().allMatch(worker -> Integer.parseInt(worker.strip()) < 100_000), memory); // KB
        greedy.destroy();
        greedy.waitFor();

        box.run("ip address del fd00::1/64 dev lo; ip address del fd00::2/64 dev lo");
        // Twenty browsers of one household, each with twenty pictures at once and windows of 64 KB.
        String report = box.run("h2load -c20 -m20 -n400 -w 16 -W 16" + large.formatted("127.0.0.1"));
        assertEquals(400, Load.of(report).pictures(), report);
        box.run("find " + pictures + " -size +40k -delete");
    }

    /** Clients of twenty networks, each of which may hold 500 pictures: together they hold no more than 4,000. */
    @Test
    void theMemoryOfPicturesThatNobodyReadsIsLimited() throws Exception {
        box.run("for n in $(seq 20); do ip address add fd00:$n::1/64 dev lo nodad; done");
        Process greedy = box.start("for n in $(seq 20); do timeout 60 h2load -c16 -m32 -n512 -w 0 "
                + address("https://[fd00:$n::1]", "Renard-1.png") + " > /dev/null & done; wait");
        box.awaitTrue("a refusal", () -> ask(address(SITE, "Renard-1.png")).status() == 509);
        Thread.sleep(2000);
        String kilobytes = "ps -o rss= -p $(pgrep -d , -f 'nginx: [w]orker') | awk '{ all += $1 } END { print all }'";
        int memory = Integer.parseInt(box.run(kilobytes));
        box.run("pkill h2load; for n in $(seq 20); do ip address del fd00:$n::1/64 dev lo; done");
        greedy.waitFor();
        assertTrue(memory < 130_000, memory + " KB");
    }

    /** One client writes next to nothing to the disk, whether nginx refuses its bodies or the JVM is dead. */
    @Test
    void theLogDoesNotFillTheDisk() {
        String lines = "(journalctl -t nginx --output cat; cat /var/log/nginx/*.log) | wc -l";
        String flood = "echo fox > /root/body; timeout 60 h2load -c20 -m30 -n20000 -d /root/body https://127.0.0.1/";
        for (String service : List.of("start", "stop")) {
            box.run("systemctl " + service + " avatar");
            int before = Integer.parseInt(box.run(lines));
            assertEquals(0, Load.of(box.run(flood + Request.LINE)).failed());
            int written = Integer.parseInt(box.run(lines)) - before;
            assertTrue(written < 100, written + " lines");
        }
    }
}
