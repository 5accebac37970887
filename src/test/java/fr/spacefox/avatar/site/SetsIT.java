package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
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

    /** Visitors are led to the pictures of the site's set, in the order of these, and there are no others. */
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

    /** A folder that is half copied or not mounted, or the wrong one. */
    @Test
    void fewerThanHalfAsManyPicturesMustBeMeant() throws Exception {
        String former = sums();
        box.run("cd /root; mv cats \"anna's cats\"; rm anna*/*-[234].png");
        Command refused = box.tryInstall(CATS + " anna*");
        String means = "sh /root/deploy/install --replace " + CATS + " '/root/anna'\\''s cats'\n";
        String message = "usable pictures in /root/anna's cats: 1, fewer than half of the site's 4."
                + " If the others shall go:\n" + means;
        assertTrue(refused.output().contains(message), refused::output);
        assertEquals(1, refused.status());
        assertEquals(former, sums());
        String said = box.run(means);
        assertReports(1, ADDRESS + "png", said);
        assertShows("Renard-1.png ");
        // The way back stays, also behind an update and the same command, and has today's settings.
        for (String again : List.of("", CATS + " anna*"))
            assertFalse(box.install(again).contains("To go back"));
        box.run("sed -i s/PORT=6666/PORT=6667/ " + SETTINGS);
        try (var visitors = new Visitors(box, CATS)) {
            assertReports(4, ADDRESS + "png", box.run(wayBack(1, 4, said)));
        }
        assertEquals(former, sums());
        box.run("visit http://localhost:6667/");
    }

    /** However its path is written, and from a backup that nobody else may read: size and numbers do not change. */
    @Test
    void aSetThatIsGivenIsTakenAsItIs() {
        String sums = sums();
        String name = sums.substring(0, 8);
        box.run("cd /root; cp -r " + box.set() + " .; chmod -R go= " + name + "; ln -sfn " + name
                + " link; rm cats/*-1.png");
        for (String written : share(List.of(name, "../root/" + name + "/", "link", "/root/" + name))) {
            box.install(CATS + " cats");
            box.run("sed -i s/SIZE=90/SIZE=40/ " + SETTINGS);
            box.install(CATS + " " + written);
            assertEquals(sums, sums());
            box.run("sed -i s/SIZE=40/SIZE=90/ " + SETTINGS);
        }
        assertShows(ALL);
    }

    private List<String> losses() {
        return share(List.of("rm Renard-3.png", "rm *", "echo more >> Renard-1.png"));
    }

    /** deploy/install says so; from the folder they are made again, and a damaged set is not taken. */
    @ParameterizedTest
    @MethodSource("losses")
    void picturesThatTheSiteHasLostAreMadeAgain(String loss) throws Exception {
        String sums = sums();
        String remedy =
                "the site has lost pictures. This makes them again: sh /root/deploy/install " + CATS + " FOLDER";
        String lost = box.run("cd " + box.set() + "; " + loss + "; ls -l");
        assertEquals("deploy/install: " + remedy + "\n", box.tryInstall("").output());
        if (!loss.equals("rm *")) {
            String refused = box.tryInstall(CATS + " " + box.set()).output();
            assertTrue(refused.contains("were changed, damaged or lost since deploy/install made them"), refused);
        }
        assertEquals(lost, box.run("ls -l " + box.set()));
        try (var visitors = loss.equals("rm *") ? null : new Visitors(box, CATS)) {
            String said = box.install(CATS + " cats");
            assertReports(4, ADDRESS + "png", said);
            assertFalse(said.contains("To go back"), said);
        }
        assertEquals(sums, sums());
        assertShows(ALL);
    }
}
