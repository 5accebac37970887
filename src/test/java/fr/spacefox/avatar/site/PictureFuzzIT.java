package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** A damaged file neither ends the run nor changes another's picture: two thousand of them, a hundred at a time. */
@Tag("long")
@Needs(BOX)
class PictureFuzzIT extends EachDebian {

    private List<Path> originals;

    @BeforeParameterizedClassInvocation
    void prepare() throws IOException {
        box.run(FUNCTIONS + """
                for type in jpg png gif webp; do mark x.$type; done
                for type in gif webp; do sticker moving.$type; done
                exif 6 x.jpg; p3 p3.jpg; p3 p3.png; holes y.png; convert y.png PNG8:palette.png
                convert x.jpg -interlace JPEG progressive.jpg
                cp $here/*.heic $here/*.avif $here/*.png $here/*.webp .
                mkdir /root/originals; mv * /root/originals""");
        try (Stream<Path> files = Files.list(box.path("/root/originals"))) {
            originals = files.sorted().toList();
        }
    }

    private static byte[] mutated(byte[] file, Random random) {
        int at = random.nextInt(file.length);
        switch (random.nextInt(4)) {
            case 0 -> file[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> file = Arrays.copyOf(file, at + 1);
            case 2 -> { // another part in the middle
                byte[] grown = new byte[file.length + random.nextInt(2_000)];
                random.nextBytes(grown);
                System.arraycopy(file, 0, grown, 0, at);
                System.arraycopy(file, at, grown, at + grown.length - file.length, file.length - at);
                file = grown;
            }
            default -> // lengths and sizes
                file[at % Math.min(file.length, 200)] = (byte) (random.nextBoolean() ? 255 : random.nextInt(256));
        }
        return file;
    }

    @RepeatedTest(20)
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void oneBadFileIsLeftOutAlone(RepetitionInfo repetition) throws IOException {
        var random = new Random(repetition.getCurrentRepetition());
        box.run("rm -rf /root/case /root/out /root/again; mkdir /root/case");
        for (int n = 1; n <= 100; n++) {
            Path original = originals.get(random.nextInt(originals.size()));
            Path file = box.path("/root/case/" + n + "." + original.getFileName());
            Files.write(file, mutated(Files.readAllBytes(original), random));
        }
        Command first = box.attempt("cd /root; deploy/pictures case out");
        assertEquals(0, first.status(), first::output);
        assertFalse(first.output().contains("120 s"), first::output);
        List<String> leftOut = first.output()
                .lines()
                .filter(line -> line.startsWith("left out: case/"))
                .map(line -> line.replaceFirst("left out: (case/[^:]*): .*", "$1"))
                .toList();
        assertEquals(100 - leftOut.size(), Integer.parseInt(box.run("ls /root/out | wc -l")));
        // What was left out, and why, changes nothing for the others; and nothing but pixels is published.
        box.run("cd /root; rm " + String.join(" ", leftOut)
                + "; deploy/pictures case again; diff -r out again; rm -r again"
                + "; ! grep -laE 'secret|Exif|eXIf|ICC_PROFILE|iCCP|XMP' out/*"
                + "; [ -z \"$(ls -d .out.* .again.* 2> /dev/null)\" ]");
    }
}
