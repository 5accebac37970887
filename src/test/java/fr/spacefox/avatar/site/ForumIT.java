package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The rules by which forums fetch an avatar, as their sources have them, against the installed site. */
class ForumIT {

    /** What members type into their profiles. */
    private static final List<String> AVATARS =
            List.of("https://avatar.spacefox.fr/avatar.png", "http://avatar.spacefox.fr/avatar.png");

    private static Box box;

    @BeforeAll
    static void install() throws Exception {
        box = Box.installed();
    }

    @AfterAll
    static void discard() throws Exception {
        if (box != null) box.close();
    }

    private record Hop(int status, Map<String, String> headers) {}

    /** Asks, and follows the statuses that the forum follows; -1 when it would not know where to. */
    private static List<Hop> fetch(String url, Set<Integer> followed, String... options) {
        var hops = new ArrayList<Hop>();
        for (String next = url; next != null && hops.size() < 5; ) {
            var arguments = new ArrayList<>(List.of(options));
            arguments.add(next);
            String[] lines =
                    box.curl(arguments.toArray(String[]::new)).output().strip().split("\n");
            var headers = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
            for (int i = 1; i < lines.length; i++) headers.put(lines[i].split(": ")[0], lines[i].split(": ", 2)[1]);
            hops.add(new Hop(Integer.parseInt(lines[0].split(" ")[1]), headers));
            next = followed.contains(hops.get(hops.size() - 1).status()) ? headers.get("Location") : null;
        }
        return hops;
    }

    private static Hop last(List<Hop> hops) {
        return hops.get(hops.size() - 1);
    }

    /**
     * phpBB 3.3, avatar/driver/remote.php: the address's form, the first Content-Type of all answers, then the size.
     */
    @ParameterizedTest
    @FieldSource("AVATARS")
    void phpbbTakesIt(String avatar) throws Exception {
        assertTrue(avatar.length() <= 255
                && avatar.matches("(?i)(http|https|ftp)://"
                        + "(?:(.*?\\.)*?[a-z0-9\\-]+?\\.[a-z]{2,4}|(?:\\d{1,3}\\.){3,5}\\d{1,3}):?([0-9]*?)"
                        + ".*?\\.(gif|jpg|jpeg|png)"));
        var hops = fetch(avatar, Set.of(301, 302, 303, 307, 308), "--output", "/avatar.png");
        String type = hops.stream()
                .map(hop -> hop.headers().get("Content-Type"))
                .filter(java.util.Objects::nonNull)
                .findFirst()
                .orElseThrow();
        assertTrue(type.startsWith("image/"), hops::toString);
        assertEquals(200, last(hops).status());
        var image = ImageIO.read(box.path("/avatar.png").toFile());
        assertEquals("80x80", image.getWidth() + "x" + image.getHeight());
    }

    /** MyBB 1.8, fetch_remote_file: 301 and 302 only, to an absolute address, and a query string of its own. */
    @ParameterizedTest
    @FieldSource("AVATARS")
    void mybbTakesIt(String avatar) throws Exception {
        var hops = fetch(avatar + "?dateline=1700000000", Set.of(301, 302), "--http1.0", "--output", "/avatar.png");
        assertEquals(2, hops.size(), hops::toString);
        assertTrue(hops.get(0).headers().get("Location").startsWith("https://"), hops::toString);
        assertEquals(200, last(hops).status());
        assertEquals(80, ImageIO.read(box.path("/avatar.png").toFile()).getWidth());
    }

    /**
     * SMF 2.1, url_exists: HEAD, which SMF always sends to port 80, wants a status below 400; 301, 302 and 307 are
     * followed.
     */
    @ParameterizedTest
    @FieldSource("AVATARS")
    void smfTakesIt(String avatar) {
        var hops = fetch(avatar, Set.of(301, 302, 307), "--head");
        assertTrue(hops.get(0).status() < 400, hops::toString);
        assertEquals(List.of(302, 200), hops.stream().map(Hop::status).toList());
        assertEquals("image/png", last(hops).headers().get("Content-Type"));
    }

    /** Caches in between: none may keep the redirect, each may keep the picture. */
    @ParameterizedTest
    @FieldSource("AVATARS")
    void cachesKeepThePictureOnly(String avatar) {
        var hops = fetch(avatar, Set.of(302));
        assertEquals("private, no-store", hops.get(0).headers().get("Cache-Control"));
        assertFalse(hops.get(0).headers().containsKey("ETag"));
        assertEquals("public, max-age=31536000, immutable", last(hops).headers().get("Cache-Control"));
    }
}
