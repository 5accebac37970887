package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Tools;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The guide's commands on Debian 13, whose files .ci/run puts into a folder. The other tests use this machine's. */
class Debian13IT {

    @Test
    void installsAndRedirects() throws Exception {
        String files = System.getenv("AVATAR_TRIXIE");
        if (files == null) Tools.skip("AVATAR_TRIXIE names no folder with Debian 13; .ci/run makes one");
        try (var box = Box.installed(files)) {
            System.out.println(box.run("""
                    . /etc/os-release
                    echo "$PRETTY_NAME"
                    nginx -v
                    java -version""").ok());
            assertTrue(box.run("cat /etc/os-release").ok().contains("VERSION_CODENAME=trixie"));
            assertRedirect(box);
            // The one warning is about the form that nginx 1.22 needs, once for IPv4 and once for IPv6.
            assertEquals(
                    "",
                    box.run("nginx -t")
                            .ok()
                            .lines()
                            .filter(line -> line.contains("[") && !line.contains("\"listen ... http2\""))
                            .collect(Collectors.joining("\n")));

            int victim = box.jvm();
            box.run("kill -KILL " + victim).ok();
            box.await("another process", () -> box.jvm() != 0 && box.jvm() != victim ? true : null);
            box.await(
                    "a redirect",
                    () -> box.curl("https://avatar.spacefox.fr/x").output().startsWith("HTTP/1.1 302 ") ? true : null);
            assertRedirect(box);
        }
    }

    private static void assertRedirect(Box box) {
        String answer = box.curl("https://avatar.spacefox.fr/x").output();
        assertTrue(
                answer.startsWith("HTTP/1.1 302 ") && answer.contains("Location: https://avatar.spacefox.fr/Renard-"),
                answer);
    }
}
