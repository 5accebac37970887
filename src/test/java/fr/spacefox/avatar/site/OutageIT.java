package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static fr.spacefox.avatar.support.Needs.Tool.H2LOAD;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Needs;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The JVM is dead, hangs or is full, or nginx is short of descriptors: everybody still gets a fox. */
@Needs(BOX)
class OutageIT extends InstalledSite {

    @Test
    void everyRequestGetsAFoxWhileTheJvmIsDead() throws Exception {
        box.run("systemctl stop avatar").ok();
        try {
            for (var request : REQUESTS) {
                request.send(box).assertStandIn();
            }
        } finally {
            box.run("systemctl start avatar").ok();
        }
        awaitRedirects();
    }

    /** While the JVM hangs. */
    private void hang(Load.Disturbance meanwhile) throws Exception {
        int jvm = box.jvm();
        box.run("kill -STOP " + jvm).ok();
        try {
            meanwhile.run();
        } finally {
            box.run("kill -CONT " + jvm).ok();
        }
        awaitRedirects();
        assertEquals(jvm, box.jvm());
    }

    @Test
    void everyRequestGetsAFoxWhileTheJvmHangs() throws Exception {
        hang(() -> {
            var answers = new LinkedHashMap<Request, Process>();
            for (var request : REQUESTS) {
                answers.put(request, request.start(box));
            }
            answers.forEach((request, process) -> Answer.to(request, process).assertStandIn());
        });
    }

    /** nginx refuses each of these requests before its end has come; bash's own printf sends it line by line. */
    @Test
    void noStandInIsLostToAReset() throws Exception {
        hang(() -> assertEquals("600", box.run("""
                for lot in 1 2 3 4 5 6; do
                    for client in $(seq 100); do
                        bash -c 'trap "" PIPE
                            exec 3<>/dev/tcp/127.0.0.1/80
                            printf "GET / HTTP/1.1\nHost: avatar.spacefox.fr\nHost: x\nA: b\nC: d\n\n" >&3
                            head -n 1 <&3' 2> /dev/null &
                    done
                    wait
                done | grep -c '^HTTP/1.1 200 '""").ok()));
    }

    /** Silent connections straight to the JVM, more than it takes, and new ones as soon as it closes them. */
    @Test
    void everyRequestGetsAFoxWhileTheJvmIsFull() throws Exception {
        int jvm = box.jvm();
        Process flood = box.start("""
                for lot in 1 2 3 4 5 6 7 8; do
                    (while sleep 0.$lot; do
                        bash -c 'for i in $(seq 500); do exec {c}<>/dev/tcp/127.0.0.1/6666; done; sleep 1'
                    done) &
                done
                read end
                kill $(jobs -p)""");
        try {
            for (var request : REQUESTS) {
                // A surplus connection is closed without an answer: curl's exit status is 52 or 56.
                box.awaitTrue(
                        "a full JVM",
                        () -> List.of(52, 56)
                                .contains(box.run("exec visit --max-time 5 http://localhost:6666/")
                                        .status()));
                Answer answer = request.send(box);
                if (answer.status() == 302) {
                    answer.assertRedirect();
                } else {
                    answer.assertStandIn();
                }
            }
        } finally {
            flood.getOutputStream().close();
            flood.waitFor();
        }
        awaitRedirects();
        assertEquals(jvm, box.jvm());
    }

    /** More clients than nginx has file descriptors for, on a site that has had visitors. */
    @Test
    @Needs({BOX, H2LOAD})
    void noRequestFailsWhenNginxIsShortOfDescriptors() throws Exception {
        try (var own = Box.installed()) {
            own.run("""
                    sed -i 's/worker_connections [0-9]*;/worker_connections 4000;/' /etc/nginx/nginx.conf
                    echo 'worker_rlimit_nofile 100;' > /etc/nginx/modules-enabled/short.conf
                    systemctl restart nginx""").ok();
            own.awaitTrue("visitors of every worker process", () -> own.run("""
                    h2load --h1 -c20 -n200 https://127.0.0.1/Renard-1.png
                    for worker in $(pgrep --parent $(cat /run/nginx.pid)); do
                        ls -l /proc/$worker/fd | grep -q /Renard-1.png
                    done""").status() == 0);
            for (int clients : List.of(150, 300)) {
                String report = own.run("timeout 100 h2load --h1 -c" + clients
                                + " -n20000 https://127.0.0.1/x https://127.0.0.1/Renard-2.png")
                        .ok();
                var load = Load.of(report);
                System.out.println(clients + " clients of an nginx with 100 descriptors per worker process: " + load);
                assertEquals(20_000, load.requests(), report);
                assertEquals(0, load.failed(), report);
            }
            String log = own.run("cat /var/log/nginx/error.log; journalctl -t nginx --output cat")
                    .ok();
            assertTrue(log.contains("Too many open files"), "nginx was not short of anything");
        }
    }
}
