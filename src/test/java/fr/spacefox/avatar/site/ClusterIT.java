package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Tools;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** README's "More than one machine": a second host in a network namespace of its own, unplugged and plugged in again under load. */
class ClusterIT {

    private static final String URL = "https://avatar.spacefox.fr/x";

    @Test
    void noRequestFailsWhenAHostIsUnplugged() throws Exception {
        Tools.need("h2load", "unshare");
        Process host = null;
        try (var box = Box.installed()) {
            // The second host says who it is by redirecting elsewhere. Its end of the cable is the box's eth0.
            host = new ProcessBuilder("unshare", "--net", "sh", "-ec", """
                    ip link set lo up
                    ip link add eth0 type veth peer name eth0 netns "$1"
                    ip address add 192.0.2.2/24 dev eth0
                    ip link set eth0 up
                    exec java -Xmx8m -Xss256k -jar "$2" 6666 21 'https://second.example.org/*.png'""",
                    "host", Long.toString(box.leader()), Path.of("target/avatar.jar").toAbsolutePath().toString())
                    .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            box.await("the cable", () -> box.run("ip link show eth0").status() == 0 ? true : null);
            box.run("ip address add 192.0.2.1/24 dev eth0; ip link set eth0 up").ok();
            box.await("the second host", () -> box.run("curl --silent http://192.0.2.2:6666/").status() == 0 ? true : null);
            box.run("""
                    sed -i '/^    server 127.0.0.1:6666/a \\    server 192.0.2.2:6666 max_conns=128 fail_timeout=1s;' /etc/nginx/conf.d/avatar.conf
                    nginx -t
                    systemctl reload nginx""").ok();
            awaitBoth(box);

            long pid = host.pid();
            var alone = new AtomicLong();
            String report = Load.during(box, 16, () -> {
                Thread.sleep(3000);
                assertTrue(cpu(Path.of("/proc/" + pid)) > 0);
                cable(pid, "down");
                Thread.sleep(5000);
                alone.set(cpu(Path.of("/proc/" + pid)));
                cable(pid, "up");
            });
            var seen = Load.of(report);
            System.out.println("a host unplugged for 5 of 16 s: " + seen);
            assertEquals(0, seen.failed(), report);
            assertEquals(0, seen.pictures(), report);
            assertTrue(cpu(Path.of("/proc/" + pid)) > alone.get(), "the second host got no load after it was plugged in again");
            awaitBoth(box);
        } finally {
            if (host != null) host.destroyForcibly().waitFor();
        }
    }

    private static void cable(long pid, String state) throws Exception {
        Command.run("nsenter", "--target", Long.toString(pid), "--net", "ip", "link", "set", "eth0", state).ok();
    }

    /** Both hosts are asked. */
    private static void awaitBoth(Box box) throws InterruptedException {
        for (String place : new String[] {"Location: https://avatar.spacefox.fr/Renard-", "Location: https://second.example.org/"}) {
            box.await(place, () -> box.curl(URL).output().contains(place) ? true : null);
        }
    }

    /** The processor time that a process has used, in ticks. */
    private static long cpu(Path process) throws Exception {
        String[] fields = Files.readString(process.resolve("stat")).replaceFirst(".*\\) ", "").split(" ");
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }
}
