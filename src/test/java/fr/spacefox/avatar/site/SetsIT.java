package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The folder is the site: it shows exactly these pictures, as a set named by them, and keeps the way back. */
@Needs(BOX)
class SetsIT extends CatsSite {

    /** How to go back, by the last lines of an installation that has changed the pictures. */
    private static String wayBack(int pictures, int former, String said) {
        String change =
                "(?s).*\nPictures: " + pictures + " in place of " + former + "[.] To go back: sh (deploy/[^\n]*)\n.*";
        assertTrue(said.matches(change), said);
        return said.replaceAll(change, "$1");
    }

    /** Visitors are led to the pictures of the site's set, in the order of these, and there are no others. */
    private void assertShows(String pictures) {
        // For a second nginx uses the draws that it has open.
        String seen = box.run(
                "sleep 1; visit --output /dev/null --write-out '%{redirect_url}\\n' 'https://" + CATS + "/[1-99]'"
                        + " | sort -uV | while read -r url; do visit \"$url\" | cmp - " + box.set()
                        + "/${url##*/} && echo ${url##*/}; done");
        assertEquals(pictures, seen.replace('\n', ' '));
    }

    /** Also as a folder in which nothing has changed; no file of the set is touched. */
    @Test
    void theSameFolderIsTheSameSet() {
        box.run("cp -r /root/cats /root/copy");
        var state = new State(box);
        for (String arguments : share(List.of(CATS + " cats", CATS + " copy/", "", CATS))) {
            String said = box.install(arguments);
            assertReports(4, ADDRESS + "png", said);
            assertFalse(said.contains("To go back"), said);
            state.assertUnchanged();
        }
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
        String former = box.set();
        String bytes = box.run("cd " + former + "; sha256sum *");
        box.run("cd /root\n" + change);
        String back;
        try (var visitors = new Visitors(box, CATS)) {
            String said = box.install(CATS + " cats");
            assertReports(count, ADDRESS + type, said);
            back = wayBack(count, 4, said);
        }
        assertNotEquals(former, box.set());
        assertEquals(String.valueOf(count), box.run("ls " + box.set() + " | wc -l"));
        String all = box.run("cd " + box.set() + "; ls -v | paste -s -d ' '");
        assertShows(all);
        assertTrue(all.endsWith("Renard-" + count + "." + type), all);
        // What was shown before is kept, and not sent a second after the end.
        String url = former.replace("/var/lib/avatar", "https://" + CATS) + "/Renard-1.png";
        assertTrue(box.run("visit --head " + url).contains("no-store"));
        try (var visitors = new Visitors(box, CATS)) {
            assertReports(4, ADDRESS + "png", box.run("cd /root; sh " + back));
        }
        assertEquals(former + "\n" + bytes, box.run("cd " + box.set() + "; pwd; sha256sum *"));
        assertShows("Renard-1.png Renard-2.png Renard-3.png Renard-4.png");
    }

    /** A folder that is half copied or not mounted, or the wrong one. */
    @Test
    void fewerThanHalfAsManyPicturesMustBeMeant() {
        box.run("cd /root; mv cats \"anna's cats\"; rm anna*/*-[234].png");
        var state = new State(box);
        Command refused = box.tryInstall(CATS + " anna*");
        String means = "sh deploy/install --replace " + CATS + " '/root/anna'\\''s cats'\n";
        assertTrue(
                refused.output()
                        .endsWith(
                                "pictures in /root/anna's cats: 1; on the site: 4. If the others shall go:\n" + means),
                refused::output);
        assertEquals(1, refused.status());
        state.assertUnchanged();
        String said = box.run("cd /root; " + means);
        assertReports(1, ADDRESS + "png", said);
        assertShows("Renard-1.png");
        assertEquals(
                "", box.attempt("sh /usr/local/lib/avatar/check --insecure").output());
        // The way back stays, also behind an update and the same command.
        String back = wayBack(1, 4, said);
        for (String again : List.of("", CATS + " anna*"))
            assertFalse(box.install(again).contains("To go back"));
        assertEquals("2", box.run("ls -d /var/lib/avatar/*/ | wc -l"));
        assertReports(4, ADDRESS + "png", box.run("cd /root; sh " + back + "; rm -r anna*"));
    }

    /** A set of ours is taken as it is, however its path is written: its size and its numbers do not change. */
    @Test
    void aSetThatIsGivenIsTakenAsItIs() {
        String set = box.set();
        box.run("cd /root; ln -sfn " + set + " link; rm cats/Renard-1.png; deploy/install " + CATS + " cats");
        box.run("sed -i s/SIZE=90/SIZE=40/ " + SETTINGS);
        for (String written : share(List.of(set, set + "/", "../" + set, "link"))) {
            box.install(CATS + " " + written);
            assertEquals(set, box.set());
        }
        assertShows("Renard-1.png Renard-2.png Renard-3.png Renard-4.png");
        // A backup of it, which nobody else may read.
        String name = set.replaceAll(".*/", "");
        box.run("cd /root; cp -r " + set + " .; chmod -R go= " + name + "; deploy/install " + CATS + " cats; rm -r "
                + set);
        box.install(CATS + " " + name);
        assertShows("Renard-1.png Renard-2.png Renard-3.png Renard-4.png");
    }

    /** An update passes and names it; deploy/check does, and the folder mends it picture by picture. */
    @Test
    void aDamagedSetIsNamedAndMended() throws Exception {
        String set = box.set();
        box.run("cd " + set
                + "; echo more >> Renard-1.png; rm Renard-3.png; cp Renard-2.png Renard-9.png; echo x > notes");
        String damaged = set + " was damaged. This mends it: sh deploy/install " + CATS + " FOLDER\n";
        String said = box.install("");
        assertTrue(said.contains("\n" + damaged), said);
        assertReports(4, ADDRESS + "png", said);
        assertEquals(
                damaged,
                box.attempt("CURL_CA_BUNDLE=/etc/avatar/self-signed/fullchain.pem"
                                + " sh /usr/local/lib/avatar/check | grep -F damaged")
                        .output());
        Command refused = box.tryInstall(CATS + " " + set);
        assertTrue(refused.output().contains("were changed, damaged or lost since deploy/install made them"));
        assertEquals(1, refused.status());
        String whole = "stat --format '%n %i %y' " + set + "/Renard-[24].png " + set + "/notes";
        String before = box.run(whole);
        try (var visitors = new Visitors(box, CATS)) {
            assertReports(4, ADDRESS + "png", box.install(CATS + " cats"));
        }
        assertEquals(before, box.run(whole));
        assertShows("Renard-1.png Renard-2.png Renard-3.png Renard-4.png");
        box.run("rm " + set + "/notes; [ $(ls " + set + " | wc -l) = 4 ]");
    }

    /** The installer deletes what it has made, by more than the look of a name. */
    @Test
    void whatOthersHavePutBesideTheSetsStays() {
        box.run("""
                cd /var/lib/avatar
                mkdir -p 20251126 fedcba98/.git .well-known
                for file in 20251126/Renard-1.png fedcba98/.git/config fedcba98/Renard-2.png notes.txt .well-known/x; do
                    echo mine > $file
                done
                echo mine > $0/mine.txt
                cp -a $0 'my copy'""".replace("$0", box.set()));
        String former = box.set();
        String mine = "cd /var/lib/avatar; find -type f -exec grep -lx mine {} + | sort; ls my*";
        String before = box.run(mine);
        for (int last : List.of(4, 3)) {
            box.run("rm /root/cats/Renard-" + last + ".png");
            box.install(CATS + " cats");
        }
        assertEquals(before, box.run(mine));
        // Of the set that is gone, the file remains.
        assertEquals("mine.txt", box.run("ls -A " + former));
        box.run("cd /var/lib/avatar; rm -r 20251126 fedcba98 my* notes.txt .well-known " + former);
    }
}
