package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static fr.spacefox.avatar.support.Needs.Tool.PYTHON;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What one client can do to the others and to the disk. With the queue closed, only the fast lane redirects. */
@Needs({BOX, PYTHON})
class AbuseIT extends InstalledSite {

    private static final String VISITOR = "127.0.0.1";
    private static final String ATTACKER = "127.0.0.2";

    @BeforeAll
    static void prepare() {
        box.run("mkdir -p /var/log/journal; systemctl restart systemd-journald; journalctl --flush")
                .ok();
        closeTheQueue(box);
    }

    /** Starts the hostile HTTP/2 client of src/test/resources/http2.py. */
    private static Process attack(String arguments) {
        String command = "/usr/bin/python3 src/test/resources/http2.py " + arguments + " " + ATTACKER;
        return box.start(false, command.split(" "));
    }

    private static void assertTheFastLaneIsFree() {
        for (int i = 0; i < 30; i++) {
            ask("--interface", VISITOR, SITES.get(i % 2)).assertRedirect();
        }
    }

    /** Forty clients that send their bodies byte by byte, from the visitor's own address. */
    @Test
    void slowBodiesStayOutOfTheFastLane() throws Exception {
        Process slow = box.start("""
                for body in 'Transfer-Encoding: chunked' 'Content-Length: 1' 'Content-Length: 999'; do
                    for client in $(seq 40); do
                        bash -c 'exec 3<>/dev/tcp/127.0.0.1/80
                            /usr/bin/printf "POST /x HTTP/1.1\\r\\nHost: avatar.spacefox.fr\\r\\n$1\\r\\n\\r\\n" >&3
                            while sleep 1; do printf 5 >&3; done' slow "$body" &
                    done
                done
                sleep 1
                echo all
                read end
                kill $(jobs -p)""");
        try {
            assertEquals("all", slow.inputReader().readLine());
            assertTheFastLaneIsFree();
        } finally {
            slow.getOutputStream().close();
            slow.waitFor();
        }
    }

    /** Requests that neither announce a body nor end, six every 0.12 s, each taken back when the next ones come. */
    @Test
    void openStreamsOfOneAddressLeavePlacesToTheOthers() throws Exception {
        Process attack = attack("GET 5 - RESET 6 50 15");
        Thread.sleep(1000);
        assertTheFastLaneIsFree();
        assertTrue(attack.isAlive(), "the attack ended before the visit");
        attack.destroy();
        attack.waitFor();
    }

    /** One client writes less than 40 MB in 5 s to the disk, whether nginx refuses its bodies or the JVM is dead. */
    @Test
    void theLogDoesNotFillTheDisk() {
        String megabytes = "du --summarize --block-size=1M /var/log | cut --fields 1";
        for (String service : new String[] {"start", "stop"}) {
            box.run("systemctl " + service + " avatar").ok();
            int before = Integer.parseInt(box.run(megabytes).ok());
            String report =
                    Command.finish(attack("GET 1800 2 RESET 60 1000000 5")).ok();
            int written = Integer.parseInt(box.run(megabytes).ok()) - before;
            System.out.println(service + " avatar: " + report + ", " + written + " MB of log");
            assertTrue(written < 40, written + " MB");
        }
        String log = box.run("journalctl -t nginx --output cat --lines 100").ok();
        assertTrue(log.contains(ATTACKER), "nothing to read in the journal");
        box.run("systemctl start avatar").ok();
    }
}
