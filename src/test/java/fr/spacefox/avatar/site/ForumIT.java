package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The rules by which forums fetch an avatar, as their sources and stock settings have them, on the installed site. */
@Needs(BOX)
class ForumIT extends InstalledSite {

    /** What members type into their profiles. */
    private static final List<String> AVATARS =
            SITES.stream().map(site -> site + "/avatar.png").toList();

    /** Asks, and follows the statuses that the forum follows. */
    private List<Answer> fetch(String url, Set<Integer> followed, String... options) {
        var answers = new ArrayList<Answer>();
        for (String next = url; next != null && answers.size() < 5; ) {
            var line = Stream.concat(Stream.of(options), Stream.of(next, "--output", "/avatar.png"));
            Answer answer = ask(line.toArray(String[]::new));
            answers.add(answer);
            next = followed.contains(answer.status()) ? answer.headers().get("Location") : null;
        }
        return answers;
    }

    private void assertPngOfAtMost(int pixels) throws IOException {
        try (var input = ImageIO.createImageInputStream(box.path("/avatar.png").toFile())) {
            var reader = ImageIO.getImageReaders(input).next();
            reader.setInput(input);
            assertEquals("png", reader.getFormatName());
            assertTrue(reader.getWidth(0) <= pixels && reader.getHeight(0) <= pixels, "too large");
        }
    }

    /** phpBB 3.3, avatar/driver/remote.php: the address, the first Content-Type of all answers, type, and size. */
    @ParameterizedTest
    @FieldSource("AVATARS")
    void phpbbTakesIt(String avatar) throws Exception {
        String pattern = "(?i)(http|https|ftp)://"
                + "(?:(.*?\\.)*?[a-z0-9\\-]+?\\.[a-z]{2,4}|(?:\\d{1,3}\\.){3,5}\\d{1,3}):?([0-9]*?)"
                + ".*?\\.(gif|jpg|jpeg|png)";
        assertTrue(avatar.length() <= 255 && avatar.matches(pattern));
        var answers = fetch(avatar, Set.of(301, 302, 303, 307, 308));
        String type = answers.stream()
                .map(answer -> answer.headers().get("Content-Type"))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow();
        assertTrue(type.startsWith("image/"), answers::toString);
        assertPngOfAtMost(90);
    }

    /** MyBB 1.8, fetch_remote_file: 301 and 302 only, to an absolute address, and a query string of its own. */
    @ParameterizedTest
    @FieldSource("AVATARS")
    void mybbTakesIt(String avatar) throws Exception {
        var answers = fetch(avatar + "?dateline=1700000000", Set.of(301, 302), "--http1.0");
        assertTrue(answers.get(0).headers().get("Location").startsWith("https://"), answers::toString);
        assertEquals(List.of(302, 200), answers.stream().map(Answer::status).toList());
        assertPngOfAtMost(100);
    }

    /** SMF 2.1, url_exists: HEAD, first to port 80, wants a status below 400; 301, 302 and 307 are followed. */
    @ParameterizedTest
    @FieldSource("AVATARS")
    void smfTakesIt(String avatar) {
        var answers = fetch(avatar, Set.of(301, 302, 307), "--head");
        assertEquals(List.of(302, 200), answers.stream().map(Answer::status).toList());
        assertEquals("image/png", answers.get(1).headers().get("Content-Type"));
    }
}
