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

/** Random stays random although nginx keeps 64 draws of the JVM for a second each. */
@Needs(BOX)
class DrawsIT extends InstalledSite {

    private static final String VISIT = "visit --output /dev/null --write-out '%{redirect_url}\\n' ";

    private static final List<Integer> SEEN = new ArrayList<>();

    /** Thirty visits in each of twenty seconds. */
    @BeforeAll
    static void visit() {
        for (int second = 0; second < 20; second++) SEEN.addAll(numbers(VISIT + "'" + SITE + "/[1-30]'; sleep 1"));
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

    /** Whatever a visitor sends, draws are renewed each second or two, and nginx has 64 of them. */
    @Test
    void drawsChangeUnderLoadAndAreEachTheirOwnWithoutIt() throws Exception {
        // So many numbers that two draws are never alike: the same number is the same draw.
        box.run("sed -i 's/^COUNT=.*/COUNT=2000000000/' /etc/default/avatar; systemctl restart avatar");
        forgetDraws(box);
        try {
            fetchDraws(box);
            String ask = VISIT + "--header 'Cache-Control: only-if-cached' --header 'If-None-Match: *' ";
            var first = drawsUnderLoad(ask);
            drawsUnderLoad(ask); // It begins with the last draws of the first round, and renews each.
            var kept = drawsUnderLoad(ask);
            kept.retainAll(first);
            assertTrue(kept.size() <= 5, "kept: " + kept); // a few for a machine on which a renewal fails
            var calm = numbers("for visit in $(seq 40); do " + ask + SITE + "/x; sleep 0.25; done");
            assertTrue(new HashSet<>(calm).size() >= 37, calm::toString);
        } finally {
            box.run("sed -i 's/^COUNT=.*/COUNT=21/' /etc/default/avatar; systemctl restart avatar");
            forgetDraws(box);
        }
    }

    private static Set<Integer> drawsUnderLoad(String ask) {
        long start = System.nanoTime();
        var draws = new HashSet<>(numbers(ask + "'" + SITE + "/x?[1-2000]'; sleep 2")); // nginx counts whole seconds
        long seconds = (System.nanoTime() - start) / 1_000_000_000;
        assertTrue(draws.size() >= 60 && draws.size() <= 64 * (seconds + 2), draws.size() + " draws");
        return draws;
    }
}
