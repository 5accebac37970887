package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Whatever the request, the JVM gets the same one, and whatever other sites have set, the answer is the same. */
@Needs(BOX)
class RequestsIT extends InstalledSite {

    @Test
    void everyRequestReachesTheJvmAsTheSame() throws Exception {
        int jvm = box.jvm();
        String strace = "exec strace --follow-forks --quiet=all --trace=read --string-limit=999 --output=/reads";
        Process trace = box.start(strace + " --attach=" + jvm);
        box.awaitTrue("strace", () -> box.succeeds("grep 'TracerPid:\\s*[1-9]' /proc/" + jvm + "/status"));
        forgetDraws(box);
        for (var request : Request.ALL) request.send(box).assertRedirect(); // most of 64 draws are fetched
        box.run("pkill -x strace"); // the box's own: it has its own process numbers
        Command.finish(trace);
        var seen = Pattern.compile("read\\(\\d+, \"(.*?[A-Z].*?)\", \\d+")
                .matcher(Files.readString(box.path("/reads")))
                .results()
                .map(read -> read.group(1))
                .collect(Collectors.groupingBy(read -> read, Collectors.counting()));
        assertEquals(Set.of("GET / HTTP/1.0\\r\\nHost: avatar_jvm\\r\\nConnection: close\\r\\n\\r\\n"), seen.keySet());
        long reads = seen.values().iterator().next();
        assertTrue(reads > 20, seen::toString);
    }

    /** What public configurations have at http level changes no answer, and the JVM's are kept all the same. */
    @Test
    void nothingComesInFromHttpLevel() throws Exception {
        box.run("""
                cat > /etc/nginx/conf.d/00-http.conf <<'END'
                add_header X-Frame-Options DENY;
                charset utf-8;
                client_max_body_size 16m;
                error_page 404 502 /error.html;
                expires 30d;
                max_ranges 9;
                open_file_cache_errors on;
                proxy_buffering off;
                proxy_hide_header Upgrade;
                proxy_intercept_errors on;
                proxy_set_header Connection upgrade;
                END
                nginx -t""");
        forgetDraws(box);
        try {
            String together = "visit --parallel --parallel-immediate --output /dev/null --write-out '%{http_code}' '";
            assertEquals("302".repeat(50), box.run(together + SITE + "/[1-50]' 2> /dev/null")); // many wait for a draw
            fetchDraws(box);
            for (var request : Request.ALL) request.send(box).assertRedirect();
            ask(address(SITE, "Renard-3.png")).assertPicture(200, "public, max-age=31536000, immutable");
            box.run("systemctl stop avatar");
            for (var request : Request.ALL) request.send(box).assertRedirect();
        } finally {
            box.run("rm /etc/nginx/conf.d/00-http.conf; systemctl start avatar; systemctl reload nginx");
        }
    }

    @Test
    void speaksTls12And13AndHttp2() {
        for (String tls : List.of("1.2", "1.3"))
            ask("--tlsv" + tls, "--tls-max", tls, SITE).assertRedirect();
        // Without AEAD, which nginx would take by itself, as is all before TLS 1.2.
        Command old = box.curl("--tls-max", "1.2", "--ciphers", "ECDHE-ECDSA-AES128-SHA", SITE);
        assertEquals(35, old.status()); // the handshake failed
        String answer = box.curl("--http2", SITE).output();
        assertTrue(answer.startsWith("HTTP/2 302"), answer);
    }
}
