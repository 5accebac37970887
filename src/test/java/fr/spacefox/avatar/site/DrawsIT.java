package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.ChiSquare;
import fr.spacefox.avatar.support.Needs;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Random stays random although nginx keeps 64 draws of the JVM for half a minute each. */
@Needs(BOX)
class DrawsIT extends InstalledSite {

    private static final String VISIT = "visit --output /dev/null --write-out '%{redirect_url}\\n' ";

    private static final List<Integer> SEEN = new ArrayList<>();

    /** Thirty visits to each of twenty sets of draws. */
    @BeforeAll
    static void visit() {
        for (int set = 0; set < 20; set++) {
            forgetDraws(box);
            SEEN.addAll(numbers(VISIT + "'" + SITE + "/[1-30]'"));
        }
        assertEquals(600, SEEN.size());
    }

    private static List<Integer> numbers(String visits) {
        return box.run(visits)
                .lines()
                .map(url -> Integer.valueOf(url.replaceAll(".*Renard-|\\.png", "")))
                .toList();
    }

    /** Chi square for 20 degrees of freedom is 62 in one case of 300,000; half more when visits share draws. */
    @Test
    void allPicturesAreEquallyLikely() {
        int[] times = new int[21];
        for (int number : SEEN) times[number - 1]++;
        double chiSquare = ChiSquare.of(times);
        System.out.println("600 visits to the site: chi square " + chiSquare);
        assertTrue(chiSquare < 93, SEEN::toString);
    }

    /** One in 21 is like the one before by chance, and one in 64 because it gets the same draw: 37 of 599. */
    @Test
    void aVisitDoesNotDependOnTheOneBefore() {
        int alike = 0;
        for (int i = 1; i < SEEN.size(); i++) {
            if (SEEN.get(i).equals(SEEN.get(i - 1))) alike++;
        }
        System.out.println(alike + " of 599 visits show the picture of the one before");
        assertTrue(alike > 8 && alike < 75, SEEN::toString);
    }

    /** Whatever a visitor sends, nginx has 64 draws, and renews them when they have served for half a minute. */
    @Test
    void drawsChange() throws Exception {
        // So many numbers that two draws are never alike: the same number is the same draw.
        box.run("sed -i 's/^COUNT=.*/COUNT=2000000000/' /etc/default/avatar; systemctl restart avatar");
        forgetDraws(box);
        try {
            fetchDraws(box);
            String ask = VISIT + "--header 'Cache-Control: only-if-cached' --header 'If-None-Match: *' ";
            var first = drawsUnderLoad(ask);
            Thread.sleep(32_000);
            drawsUnderLoad(ask); // It begins with the first draws, and renews each.
            var kept = drawsUnderLoad(ask);
            kept.retainAll(first);
            assertTrue(kept.size() <= 5, "kept: " + kept); // a few for a machine on which a renewal fails
        } finally {
            box.run("sed -i 's/^COUNT=.*/COUNT=21/' /etc/default/avatar; systemctl restart avatar");
            forgetDraws(box);
        }
    }

    private static Set<Integer> drawsUnderLoad(String ask) {
        var draws = new HashSet<>(numbers(ask + "'" + SITE + "/x?[1-2000]'"));
        assertTrue(draws.size() >= 60 && draws.size() <= 128, draws.size() + " draws");
        return draws;
    }
}
