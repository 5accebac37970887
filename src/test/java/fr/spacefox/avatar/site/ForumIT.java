package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Needs;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Forums take the address: by the rules of their sources and stock settings, on the installed site. */
@Needs(BOX)
class ForumIT extends InstalledSite {

    /** By what they send: phpBB, MyBB 1.8 (fetch_remote_file) and SMF 2.1 (url_exists). */
    @ParameterizedTest
    @CsvSource({"--http1.1, /avatar.png", "--http1.0, /avatar.png?dateline=1700000000", "--head, /avatar.png"})
    void forumsTakeIt(String option, String path) {
        for (String site : SITES) {
            // All follow one redirect.
            String heads = box.curl("--location", "--max-redirs", "1", option, "--output", "/avatar.png", site + path)
                    .ok();
            String expected =
                    "(?s)HTTP/\\S+ 302 .*\nLocation: https://.*\n\nHTTP/\\S+ 200 .*\nContent-Type: image/png\n.*";
            assertTrue(heads.matches(expected), heads);
            // phpBB looks at the first Content-Type of all answers.
            assertEquals("image/png", heads.replaceFirst("(?is).*?\nContent-Type: (\\S+).*", "$1"));
            // phpBB takes 90 x 90 pixels and less, MyBB 100 x 100. SMF does not look.
            String said = option.equals("--head") ? "" : box.run("file --brief /avatar.png");
            assertTrue(said.isEmpty() || said.startsWith("PNG image data, 80 x 80, "), said);
        }
    }
}
