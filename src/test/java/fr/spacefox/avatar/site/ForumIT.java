package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Needs;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Forums take the address: by the rules of their sources and stock settings, on the installed site. */
@Needs(BOX)
class ForumIT extends InstalledSite {

    /** Follows one redirect, which all forums follow, to a PNG; the heads of both answers. */
    private String fetch(String option, String avatar) {
        String heads = box.curl("--location", "--max-redirs", "1", option, "--output", "/avatar.png", avatar)
                .ok();
        String expected = "(?s)HTTP/\\S+ 302 .*\nLocation: https://.*\n\nHTTP/\\S+ 200 .*\nContent-Type: image/png\n.*";
        assertTrue(heads.matches(expected), heads);
        return heads;
    }

    /** phpBB takes 90 x 90 pixels and less, MyBB 100 x 100. */
    private void assertIsSmall() {
        String said = box.run("file --brief /avatar.png");
        assertTrue(said.startsWith("PNG image data, 80 x 80, "), said);
    }

    /** phpBB 3.3, avatar/driver/remote.php: the address, the first Content-Type of all answers, type, and size. */
    @ParameterizedTest
    @FieldSource("fr.spacefox.avatar.site.InstalledSite#SITES")
    void phpbbTakesIt(String site) {
        String avatar = site + "/avatar.png";
        String pattern = "(?i)(http|https|ftp)://"
                + "(?:(.*?\\.)*?[a-z0-9\\-]+?\\.[a-z]{2,4}|(?:\\d{1,3}\\.){3,5}\\d{1,3}):?([0-9]*?)"
                + ".*?\\.(gif|jpg|jpeg|png)";
        assertTrue(avatar.matches(pattern));
        String heads = fetch("--http1.1", avatar);
        assertEquals("image/png", heads.replaceFirst("(?is).*?\nContent-Type: (\\S+).*", "$1"));
        assertIsSmall();
    }

    /** MyBB 1.8, fetch_remote_file: HTTP/1.0, and a query string of its own. */
    @ParameterizedTest
    @FieldSource("fr.spacefox.avatar.site.InstalledSite#SITES")
    void mybbTakesIt(String site) {
        fetch("--http1.0", site + "/avatar.png?dateline=1700000000");
        assertIsSmall();
    }

    /** SMF 2.1, url_exists: HEAD. */
    @ParameterizedTest
    @FieldSource("fr.spacefox.avatar.site.InstalledSite#SITES")
    void smfTakesIt(String site) {
        fetch("--head", site + "/avatar.png");
    }
}
