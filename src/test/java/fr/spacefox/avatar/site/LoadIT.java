package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Tools;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The site as installed, under load. */
class LoadIT {

    private static Box box;

    @BeforeAll
    static void install() throws Exception {
        Tools.need("h2load");
        box = Box.installed();
        box.run(Box.readme("Ten thousand at once")).ok();
    }

    @AfterAll
    static void discard() throws Exception {
        if (box != null) box.close();
    }

    private static String h2load(int clients, int requests, int port) {
        // A client is a file descriptor, the load generator's too.
        return box.run("ulimit -n $(ulimit -H -n); exec h2load --h1 -c" + clients + " -n" + requests + " https://127.0.0.1:" + port + "/x").ok();
    }

    @Test
    void tenThousandClientsAtOnce() {
        int jvm = box.jvm();
        String report = h2load(10_000, 200_000, 443);
        var load = Load.of(report);
        System.out.println("10,000 clients at once: " + load + ", JVM " + box.run("grep VmRSS /proc/" + jvm + "/status").output());
        assertEquals("", box.run("journalctl --unit avatar --output cat | grep -E 'Error|Exception' || true").ok());
        assertEquals(jvm, box.jvm());
        assertEquals(200_000, load.requests(), report);
        assertEquals(0, load.failed(), report);
        assertTrue(load.redirected() >= 190_000, report);
        assertTrue(box.run("tr '\\0' ' ' < /proc/" + jvm + "/cmdline").ok().contains(" -Xmx8m "));
    }

    /** The same site without the limits, on another port, measured in turns: medians of seven; a busy machine gets three tries. */
    @Test
    void protectionHoldsNothingBack() throws Exception {
        String plain = Files.readString(box.path("/etc/nginx/conf.d/avatar.conf"))
                .replaceAll("(?m)^ *limit_.*\n", "").replace("max_conns=128 ", "").replace("413 503 = @queue", "413 = @queue")
                .replaceAll("\\b443\\b", "8443").replaceAll("(listen .*)\\b80;", "$18080;")
                .replace("upstream avatar", "upstream plain").replace("zone avatar", "zone plain").replace("http://avatar;", "http://plain;")
                .replace("avatar_tls", "plain_tls").replace("$avatar_cache", "$plain_cache");
        Files.writeString(box.path("/etc/nginx/conf.d/plain.conf"), plain);
        box.run("nginx -t; systemctl reload nginx").ok();
        try {
            h2load(50, 30_000, 443); // warm
            var ratios = new ArrayList<Double>();
            do {
                double[] with = new double[7];
                double[] without = new double[7];
                for (int round = 0; round < with.length; round++) {
                    with[round] = Load.of(h2load(50, 10_000, 443)).perSecond();
                    without[round] = Load.of(h2load(50, 10_000, 8443)).perSecond();
                }
                Arrays.sort(with);
                Arrays.sort(without);
                System.out.println("requests/s with the protection " + Arrays.toString(with) + ", without " + Arrays.toString(without));
                ratios.add(with[with.length / 2] / without[without.length / 2]);
            } while (ratios.get(ratios.size() - 1) < 0.9 && ratios.size() < 3);
            assertTrue(ratios.get(ratios.size() - 1) >= 0.9, ratios::toString);
        } finally {
            box.run("rm /etc/nginx/conf.d/plain.conf; systemctl reload nginx").ok();
        }
    }
}
