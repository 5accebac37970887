package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Command;

/**
 * Up to ten visits a second, which follow redirects, and as many to a picture of the set that is shown when they begin:
 * each gets a picture.
 */
final class Visitors implements AutoCloseable {

    private final Box box;
    private final Process process;

    Visitors(Box box, String domain) {
        this.box = box;
        String picture = box.run("sed -n \"s/[*]/1/; s/^URL='\\(.*\\)'/\\1/p\" /var/lib/avatar/site/environment");
        process = box.start("""
                touch /tmp/visitors
                while [ -e /tmp/visitors ]; do
                    visit --location --write-out '%%{http_code} %%{size_download}\\n' \\
                        --output /dev/null https://%s/me.png --output /dev/null %s || true
                    sleep 0.1
                done | sed 's/ [1-9].*/ bytes/' | sort | uniq -c""".formatted(domain, picture));
    }

    @Override
    public void close() {
        box.run("rm /tmp/visitors");
        String seen = Command.finish(process).ok();
        assertTrue(seen.matches("\\d+ 200 bytes"), seen);
    }
}
