package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Needs;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The folder is the site: it shows exactly these pictures, as a set named by them, and keeps the way back. */
@Needs(BOX)
@Order(1)
class SetsIT extends CatsSite {

    private static final String ALL = "Renard-1.png Renard-2.png Renard-3.png Renard-4.png ";

    /** How to go back, by the last lines of an installation that has changed the pictures. */
    private static String wayBack(int pictures, int former, String said) {
        String change = "(?s).*\nPictures: " + pictures + " in place of " + former + "[.] To go back: (sh [^\n]*)\n.*";
        assertTrue(said.matches(change), said);
        return said.replaceAll(change, "$1");
    }

    private String sums() {
        return box.run("cd " + box.set() + "; basename $PWD; sha256sum *");
    }

    /** 99 visits are led to exactly these files, byte for byte, and the set's folder has no others. */
    private void assertShows(String pictures) {
        // For a second nginx uses the draws that it has open.
        String seen = box.run(
                "sleep 1; visit --output /dev/null --write-out '%{redirect_url}\\n' 'https://" + CATS + "/[1-99]'"
                        + " | sort -uV | while read -r url; do visit \"$url\" | cmp - " + box.set()
                        + "/${url##*/} && echo ${url##*/}; done; ls " + box.set() + " | wc -l");
        assertEquals(pictures + pictures.split(" ").length, seen.replace('\n', ' '));
    }

    /** Also as a folder in which nothing has changed. A file that somebody has put beside them is no picture. */
    @Test
    void theSameFolderIsTheSameSet() {
        box.run("cp -r /root/cats /root/copy");
        String sums = sums();
        for (String arguments : share(List.of(CATS + " cats", CATS + " copy/", "", CATS))) {
            box.run("echo x | tee " + box.set() + "/notes > " + box.set() + ".txt");
            String said = box.install(arguments);
            assertReports(4, ADDRESS + "png", said);
            assertFalse(said.contains("To go back"), said);
            assertEquals(sums, sums());
        }
        assertShows(ALL);
    }

    /** What is changed, and how many pictures of which type there are then. */
    private List<Arguments> changes() {
        return share(List.of(
                Arguments.of("convert cats/Renard-1.png -flip cats/Renard-5.png", 5, "png"),
                Arguments.of("convert cats/Renard-1.png -flip cats/Renard-2.png", 4, "png"),
                Arguments.of("rm cats/Renard-2.png", 3, "png"),
                Arguments.of("mv cats/Renard-2.png cats/Renard-20.png", 4, "png"),
                Arguments.of("sed -i s/SIZE=90/SIZE=40/ /etc/default/avatar", 4, "jpg"),
                Arguments.of(
                        "sed -i s/SIZE=90/SIZE=/ /etc/default/avatar; convert cats/Renard-1.png -resize 200x"
                                + " cats/z.png",
                        5,
                        "png"),
                Arguments.of("convert cats/Renard-1.png -resize 300x cats/photo.jpg", 5, "jpg"),
                Arguments.of("rm cats/*; cp foxes/Renard-3.png cats; convert foxes/*.png cats/moving.gif", 2, "gif")));
    }

    /** The same command; visitors get pictures throughout, and the line that goes back does. */
    @ParameterizedTest
    @MethodSource("changes")
    void whatChangesInTheFolderIsAnotherSet(String change, int count, String type) throws Exception {
        String former = sums();
        box.run("cd /root\n" + change);
        String back;
        try (var visitors = new Visitors(box, CATS)) {
            String said = box.install(CATS + " cats");
            assertReports(count, ADDRESS + type, said);
            back = wayBack(count, 4, said);
        }
        assertShows(box.run("ls -v " + box.set()).replace('\n', ' ') + " ");
        assertTrue(box.succeeds("ls " + box.set() + "/Renard-" + count + "." + type));
        // What was shown before is not sent a second after the end.
        String url = "https://" + CATS + "/" + former.substring(0, 8) + "/Renard-1.png";
        assertTrue(box.run("visit --head " + url).contains("no-store"));
        try (var visitors = new Visitors(box, CATS)) {
            assertReports(4, ADDRESS + "png", box.run(back));
        }
        assertEquals(former, sums());
        assertShows(ALL);
    }

    /** The way back stays behind an update and the same command, and has today's settings. */
    @Test
    void theWayBackStays() throws Exception {
        String former = sums();
        String said = run("rm cats/*-[234].png; deploy/install --replace $D cats");
        for (String again : List.of("", CATS + " cats"))
            assertFalse(box.install(again).contains("To go back"));
        run("sed -i s/PORT=6666/PORT=6667/ $settings");
        try (var visitors = new Visitors(box, CATS)) {
            assertReports(4, ADDRESS + "png", box.run(wayBack(1, 4, said)));
        }
        assertEquals(former, sums());
        run("visit http://localhost:6667/");
    }

    private List<String> losses() {
        return share(List.of(
                "rm Renard-3.png",
                "rm *",
                "echo more >> Renard-1.png",
                ": > Renard-4.png",
                "mv Renard-4.png Renard-6.png"));
    }

    /** From the folder they are made again; RefusalsIT has what deploy/install says until then. */
    @ParameterizedTest
    @MethodSource("losses")
    void picturesThatTheSiteHasLostAreMadeAgain(String loss) throws Exception {
        String sums = sums();
        box.run("cd " + box.set() + "; " + loss);
        boolean areServed = !List.of("rm *", ": > Renard-4.png").contains(loss);
        try (var visitors = areServed ? new Visitors(box, CATS) : null) {
            String said = box.install(CATS + " cats");
            assertReports(4, ADDRESS + "png", said);
            assertFalse(said.contains("To go back"), said);
        }
        assertEquals(sums, sums());
        assertShows(ALL);
    }
}
