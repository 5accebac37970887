package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static fr.spacefox.avatar.support.Needs.Tool.IMAGEMAGICK;
import static fr.spacefox.avatar.support.Needs.Tool.PYTHON;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * deploy/pictures on both Debians. A case is a script and all that it prints. Its picture is mostly 200 x 80: magenta
 * margins, and in the square between them red and lime above blue and white. What comes out is looked at in the middle
 * of each quarter, so that RGBW is upright, cut from the middle, and of the right colours.
 */
@Needs({BOX, IMAGEMAGICK})
class PictureStepIT {

    /** O is rgb(200,80,40) of Display P3; what is transparent is _. */
    private static final Map<String, int[]> COLOURS = Map.of(
            "R", new int[] {255, 0, 0},
            "G", new int[] {0, 255, 0},
            "B", new int[] {0, 0, 255},
            "W", new int[] {255, 255, 255},
            "K", new int[] {0, 0, 0},
            "Y", new int[] {128, 128, 128},
            "M", new int[] {255, 0, 255},
            "O", new int[] {216, 68, 17});

    /** Makers of pictures and of metadata, and `look`, which prints what came out. */
    private static final String FUNCTIONS = """
            set -eu
            rm -rf /root/case /root/out && mkdir /root/case /root/out && cd /root/case
            here=/root/pictures out=/root/out step="/root/deploy/pictures $out"
            im=$(command -v magick || command -v convert)
            convert() { "$im" "$@"; }
            quarters() { # COLOUR COLOUR COLOUR COLOUR FILE
                convert -size 40x40 '(' "xc:$1" "xc:$2" +append ')' '(' "xc:$3" "xc:$4" +append ')' -append \\
                    -bordercolor magenta -compose copy -border 60x0 +repage -quality 95 -define webp:lossless=true "$5"
            }
            mark() { quarters red lime blue white "$1"; }
            moving() { mark mark.miff; convert -delay 10 -loop 0 mark.miff '(' +clone -flop ')' "$@"; rm mark.miff; }
            ready() { # WIDTH HEIGHT FILE: nothing but pixels
                mark mark.miff
                convert mark.miff -gravity center -crop 80x80+0+0 +repage -sample "$1x$2!" -quality 95 -strip "$3"
                rm mark.miff
            }
            insert() { # FILE: puts a segment from stdin into a JPEG
                { printf '\\377\\330'; cat; tail -c +3 "$1"; } > new
                mv new "$1"
            }
            exif() { # ORIENTATION FILE: and a GPS datum, which is secret
                {
                    printf '\\377\\341\\0\\107Exif\\0\\0MM\\0*\\0\\0\\0\\010\\0\\002'
                    printf '\\001\\022\\0\\003\\0\\0\\0\\001\\0\\'$(printf %03o $1)
                    printf '\\0\\0\\210\\045\\0\\004\\0\\0\\0\\001\\0\\0\\0\\046\\0\\0\\0\\0'
                    printf '\\0\\001\\0\\022\\0\\002\\0\\0\\0\\007\\0\\0\\0\\070\\0\\0\\0\\0secret\\0'
                } | insert "$2"
            }
            turned() { # TYPE: as cameras store the eight orientations
                type=$1
                set -- +repage -flop '-rotate 180' -flip -transpose '-rotate 270' -transverse '-rotate 90'
                for o in 1 2 3 4 5 6 7 8; do
                    mark $o.jpg
                    convert $o.jpg $1 -quality 95 $o.jpg
                    exif $o $o.jpg
                    if [ $type != jpg ]; then convert $o.jpg -define webp:lossless=true $o.$type && rm $o.jpg; fi
                    shift
                done
            }
            carrying() { # WHAT TYPE: a picture that would be ready without it
                ready 90 90 x.jpg
                case $1 in
                exif) exif 1 x.jpg ;;
                xmp) printf '\\377\\341\\0\\057http://ns.adobe.com/xap/1.0/\\0<x>secret</x>   ' | insert x.jpg ;;
                iptc) printf '\\377\\355\\0\\015Photosecret' | insert x.jpg ;;
                comment) convert x.jpg -set comment secret x.jpg ;;
                profile) convert x.jpg -profile $here/p3.icc x.jpg ;;
                esac
                [ $2 = jpg ] || convert x.jpg -define webp:lossless=true x.$2
                if [ "$1$2" = xmpgif ]; then
                    { head -c -1 x.gif; printf '!\\377\\013XMP DataXMP\\006secret\\0;'; } > new
                    mv new x.gif
                fi
                carries x.$2 || echo nothing to take out
            }
            carries() {
                grep -qaE 'secret|Exif|EXIF|eXIf|XMP |xmp|ICC_PROFILE|ICCP|iCCP|ICCRGBG|[tzi]TXt|tEXt|tIME' "$1"
            }
            look() {
                for i in $(ls $out | sort -n); do
                    [ $i != taken ] || continue
                    printf '%s' "$i $(identify -format '%m %wx%h,' $out/$i | cut -d , -f 1)"
                    convert $out/$i -coalesce -sample '2x2!' -depth 8 -colorspace sRGB rgba:- | od -An -v -tx1 -w16 |
                        tr -d ' ' | sed 's/^/ /' | tr -d '\\n'
                    echo
                    ! carries $out/$i || echo carries metadata
                    [ "$(stat -c %a $out/$i)" = 644 ] || echo may not be read
                done
            }
            """;

    /** With the samples that ImageMagick cannot make; Pillow and pillow-heif made them. */
    private static final Boxes BOXES = new Boxes(box -> {
        Path folder = Files.createDirectory(box.path("/root/pictures"));
        for (String name : new String[] {"moving.avif", "moving.png", "p3.avif", "p3.icc", "phone.heic"}) {
            Files.copy(Path.of("src/test/resources/pictures", name), folder.resolve(name));
        }
    });

    @AfterAll
    static void close() throws Exception {
        BOXES.close();
    }

    private static String colours(String rgba) {
        return rgba.isEmpty() ? "" : colour(HexFormat.of().parseHex(rgba, 0, 8)) + colours(rgba.substring(8));
    }

    private static String colour(byte[] pixel) {
        int[] is = {pixel[0] & 255, pixel[1] & 255, pixel[2] & 255};
        if (pixel[3] >= 0) return "_";
        return COLOURS.entrySet().stream()
                .filter(known -> IntStream.range(0, 3).allMatch(i -> Math.abs(known.getValue()[i] - is[i]) < 10))
                .map(Map.Entry::getKey)
                .findAny()
                .orElse(Arrays.toString(is));
    }

    private static Stream<Arguments> on(Stream<String[]> cases) {
        return cases.flatMap(it -> Stream.of(Debian.values()).map(debian -> Arguments.of(debian, it[0], it[1], it[2])));
    }

    private static String[] one(String name, String script, String expected) {
        return new String[] {name, script, expected};
    }

    static Stream<Arguments> orientations() {
        return on(Stream.of("jpg", "png", "webp", "tiff")
                .map(type -> one(
                        "orientations of " + type,
                        "turned " + type + "; $step -- .; look",
                        "jpg\n"
                                + IntStream.rangeClosed(1, 8)
                                        .mapToObj(i -> i + " JPEG 90x90 RGBW\n")
                                        .collect(joining()))));
    }

    static Stream<Arguments> metadata() {
        return on(Stream.of(
                        "exif jpg",
                        "exif png",
                        "exif webp",
                        "xmp jpg",
                        "xmp png",
                        "xmp gif",
                        "xmp webp",
                        "iptc jpg",
                        "comment jpg",
                        "comment png",
                        "comment gif",
                        "profile jpg",
                        "profile png",
                        "profile gif",
                        "profile webp")
                .map(what -> what.split(" "))
                .map(what -> one(
                        what[0] + " in " + what[1],
                        "carrying %1$s %2$s; $step %2$s -- x.%2$s; look".formatted((Object[]) what),
                        what[1] + "\n1 " + what[1].replace("jpg", "jpeg").toUpperCase(Locale.ROOT) + " 90x90 RGBW\n")));
    }

    static Stream<Arguments> kinds() {
        String p3 = "quarters 'rgb(200,80,40)' white black 'gray(128)' x.miff;"
                + " convert x.miff -profile $here/p3.icc -quality 95 ";
        String grey = "quarters white black 'gray(128)' white x.miff; convert x.miff -colorspace Gray ";
        String rgba = "quarters red none blue white ";
        String cmyk = "mark x.miff; convert x.miff -colorspace CMYK -quality 95 c.jpg; ";
        String onlyOne = ": only its first picture can be read\n";
        String moves = "; $step -- m.*; look; identify -format '%T ' $out/1; grep -ac NETSCAPE2.0 $out/1";
        String jpg = "jpg\n1 JPEG 90x90 ";
        String gif = "gif\n1 GIF 90x90 RGBW GRWB\n";
        return on(Stream.of(
                one("P3 JPEG", p3 + "p.jpg; $step -- p.jpg; look", jpg + "OWKY\n"),
                one("P3 PNG", p3 + "p.png; $step -- p.png; look", jpg + "OWKY\n"),
                one("P3 WebP", p3 + "p.webp; $step -- p.webp; look", jpg + "OWKY\n"),
                one("P3 TIFF", p3 + "p.tiff; $step -- p.tiff; look", jpg + "OWKY\n"),
                one("P3 AVIF", "$step -- $here/p3.avif; look", jpg + "OWKY\n"),
                one("a phone's HEIC: P3, and turned in two ways", "$step -- $here/phone.heic; look", jpg + "OWKY\n"),
                one("CMYK", cmyk + "$step -- c.jpg; look", jpg + "RGBW\n"),
                one("grey JPEG", grey + "g.jpg; $step -- g.jpg; look", jpg + "WKYW\n"),
                one("grey PNG of 16 bits", grey + "-depth 16 g.png; $step -- g.png; look", jpg + "WKYW\n"),
                one("BMP", "mark x.bmp; $step -- x.bmp; look", jpg + "RGBW\n"),
                one(
                        "TIFF of two pages",
                        "mark x.miff; convert x.miff x.miff t.tiff; $step -- t.tiff; look",
                        jpg + "RGBW\n"),
                one(
                        "PNG with an offset",
                        "mark x.miff; convert x.miff -repage 400x300+7+9 y.png; $step -- y.png;" + " look",
                        jpg + "RGBW\n"),
                one("transparent PNG", rgba + "x.png; $step -- x.png; look", "png\n1 PNG 90x90 R_BW\n"),
                one("transparent GIF", rgba + "x.gif; $step -- x.gif; look", "png\n1 PNG 90x90 R_BW\n"),
                one("transparent WebP", rgba + "x.webp; $step -- x.webp; look", "png\n1 PNG 90x90 R_BW\n"),
                one(
                        "transparent where it is cut off",
                        "mark x.png; convert x.png -bordercolor none -border 40x0 y.png;" + " $step -- y.png; look",
                        jpg + "RGBW\n"),
                one(
                        "transparent, for JPEG",
                        rgba + "x.png; $step jpg -- x.png; look",
                        "white where it was transparent: x.png: the pictures here are jpg\n" + jpg + "RWBW\n"),
                one("moving GIF", "moving m.gif" + moves, gif + "10 10 1\n"),
                one("moving GIF of parts", "moving -layers optimize m.gif" + moves, gif + "10 10 1\n"),
                one("moving WebP", "moving -define webp:lossless=true m.webp" + moves, gif + "10 10 1\n"),
                one(
                        "moving and transparent",
                        rgba + "x.miff; convert -dispose previous x.miff '(' +clone -flop ')' m.gif;"
                                + " $step -- m.gif; look",
                        "gif\n1 GIF 90x90 R_BW _RWB\n"),
                one("moving, for WebP", "moving m.gif; $step webp -- m.gif; look", "webp\n1 WEBP 90x90 RGBW GRWB\n"),
                one(
                        "moving, for PNG",
                        "moving m.gif; $step png -- m.gif; look",
                        "stands still: m.gif: the pictures here are png\npng\n1 PNG 90x90 RGBW\n"),
                one(
                        "moving PNG",
                        "$step -- $here/moving.png; look",
                        "stands still: /root/pictures/moving.png" + onlyOne + jpg + "RGBW\n"),
                one(
                        "moving AVIF",
                        "$step -- $here/moving.avif; look",
                        "stands still: /root/pictures/moving.avif" + onlyOne + jpg + "RGBW\n"),
                one(
                        "mixed",
                        "mark a.png; mark b.jpg; mark c.bmp; $step -- .; look",
                        jpg + "RGBW\n2 JPEG 90x90 RGBW\n3 JPEG 90x90 RGBW\n"),
                one(
                        "mixed, one transparent",
                        "mark a.jpg; quarters none lime blue white b.png; $step -- .; look",
                        "png\n1 PNG 90x90 RGBW\n2 PNG 90x90 _GBW\n"),
                one(
                        "mixed, one moves",
                        "mark a.jpg; moving b.gif; quarters none lime blue white c.png;" + " $step -- .; look",
                        "gif\n1 GIF 90x90 RGBW\n2 GIF 90x90 RGBW GRWB\n3 GIF 90x90 _GBW\n"),
                one("another size", "mark a.jpg; SIZE=40 $step -- a.jpg; look", "jpg\n1 JPEG 40x40 RGBW\n"),
                one(
                        "their own sizes",
                        "mark a.jpg; exif 1 a.jpg; ready 50 60 b.png; SIZE= $step -- a.jpg b.png;" + " look",
                        "jpg\n1 JPEG 200x80 MMMM\n2 JPEG 50x60 RGBW\n"),
                one(
                        "small, but not alike",
                        "ready 20 20 a.png; ready 20 30 b.png; $step -- .; look",
                        jpg + "RGBW\n2 JPEG 90x90 RGBW\n"),
                one("too large by a pixel", "ready 91 91 a.png; $step -- a.png; look", jpg + "RGBW\n"),
                one(
                        "ready, but of another type than the site's",
                        "ready 90 90 a.png; $step jpg -- a.png; look",
                        jpg + "RGBW\n")));
    }

    /** Byte for byte. */
    static Stream<Arguments> ready() {
        return on(Stream.concat(
                Stream.of("jpg", "png", "gif", "webp")
                        .flatMap(type -> Stream.of("90 90", "64 48")
                                .map(size -> one(
                                        type + " of " + size + " is ready",
                                        "ready %1$s a.%2$s; convert a.%2$s -flip -strip b.%2$s; $step -- .;"
                                                        .formatted(size, type)
                                                + " cmp a.%1$s $out/1; cmp b.%1$s $out/2; ls $out".formatted(type),
                                        type + "\n1\n2\ntaken\n"))),
                Stream.of(
                        one(
                                "sizes are kept and so ready",
                                "ready 400 300 a.jpg; ready 9 9 b.jpg; SIZE= $step -- .;"
                                        + " cmp a.jpg $out/1; cmp b.jpg $out/2",
                                "jpg\n"),
                        one("drawings are ready", """
                                echo '<svg xmlns="http://www.w3.org/2000/svg"/>' > a.svg
                                echo '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>' > b.png
                                $step -- a.svg b.png
                                cmp a.svg $out/1
                                cmp b.png $out/2""", "phpBB refuses SVG pictures\nsvg\n"))));
    }

    static Stream<Arguments> folders() {
        String svg = "echo '<svg xmlns=\"http://www.w3.org/2000/svg\"/>' > ";
        String notOnly = ": all must be drawings (SVG), or none\n";
        String jpg = "jpg\n1 JPEG 90x90 RGBW\n";
        return on(Stream.of(
                one(
                        "left out by its name",
                        "mkdir -p @eaDir .thumbs __MACOSX deep; mark deep/x.jpg; mark .x.jpg;"
                                + " for d in @eaDir .thumbs __MACOSX; do mark ./$d/x.png; done; $step -- .; look",
                        jpg),
                one("left out by its content", """
                        mkdir in
                        mark x.jpg
                        echo x | tee in/Thumbs.db > in/a.jpg
                        echo '%!PS' > in/b.jpg
                        : > in/c.png
                        echo '<svg xmlns="http://www.w3.org/2000/svg"/>' > in/d.jpg
                        printf 'push graphic-context\\nviewbox 0 0 9 9\\n' > in/e.png
                        $step -- in x.jpg
                        look
                        """, """
                        left out: in/Thumbs.db: no picture (text/plain)
                        left out: in/a.jpg: no picture (text/plain)
                        left out: in/b.jpg: no picture (application/postscript)
                        left out: in/c.png: no picture (inode/x-empty)
                        left out: in/e.png: no picture (image/x-mvg)
                        left out: in/d.jpg: all must be drawings (SVG), or none
                        """ + jpg),
                one("links", """
                        mkdir in else
                        mark else/x.jpg
                        mark y.png
                        ln -s ../y.png in/a
                        ln -s ../else in/b
                        ln -s nowhere in/c
                        ln -s in all
                        ln -s all/b/x.jpg one
                        $step -- all one
                        look
                        """, "left out: all/c: leads nowhere\n" + jpg + "2 JPEG 90x90 RGBW\n"),
                one(
                        "a pipe",
                        "mark x.jpg; mkfifo p; $step -- p x.jpg; look",
                        "left out: p: no picture (inode/fifo)\n" + jpg),
                one(
                        "a drawing, for PNG",
                        svg + "a.svg; $step png -- a.svg",
                        "left out: a.svg" + notOnly + "deploy/pictures: no usable picture\nstatus 1\n"),
                one(
                        "a picture, for drawings",
                        "mark a.png; " + svg + "b.svg; $step svg -- a.png b.svg;" + " cmp b.svg $out/1",
                        "left out: a.png" + notOnly + "phpBB refuses SVG pictures\nsvg\n"),
                one(
                        "no such file",
                        "mark x.jpg; $step -- x.jpg 'y\nz.jpg'",
                        "deploy/pictures: y?z.jpg: no such file\nstatus 1\n"),
                one("no picture", "mkdir in; $step -- in", "deploy/pictures: no usable picture\nstatus 1\n"),
                one(
                        "a wrong size",
                        "mark x.jpg; SIZE=9x9 $step -- x.jpg",
                        "deploy/pictures: SIZE=9x9: write a number of pixels, or nothing\nstatus 1\n"),
                one(
                        "cut short",
                        """
                        mkdir in
                        for type in jpg png gif webp bmp tiff; do
                            mark x.$type
                            head -c $(($(wc -c < x.$type) / 2)) x.$type > in/x.$type
                        done
                        head -c 700 $here/p3.avif > in/x.avif
                        head -c 1200 $here/phone.heic > in/x.heic
                        $step -- in x.jpg
                        look
                        """,
                        Stream.of("avif", "bmp", "gif", "heic", "jpg", "png", "tiff", "webp")
                                        .map(type -> "left out: in/x." + type + ": damaged or too large\n")
                                        .collect(joining())
                                + jpg),
                one("the same again", """
                        mark a.jpg
                        mark b.png
                        cp b.png copy.png
                        $step -- a.jpg copy.png b.png
                        sed 's/$/ x/' $out/taken > taken
                        sha256sum a.jpg b.png | cut -d ' ' -f 1 | cmp - $out/taken
                        rm $out/*
                        TAKEN=taken $step jpg -- a.jpg b.png copy.png
                        ls $out
                        wc -c < $out/taken
                        mark c.bmp
                        TAKEN=taken $step jpg -- a.jpg b.png c.bmp
                        look
                        """, "jpg\njpg\ntaken\n0\n" + jpg),
                one("names", """
                        mark x.jpg
                        mkdir in
                        cd in
                        n=0
                        for name in 'a b' '*' '?' '%d' '%03d' 'x[0]' 'x[1-3]' png:x msl:x @x -x -- "it's" '"q"' "n
                        n" '$(touch gone)' '`touch gone`' '; x' '\\' 'x|y' '<x>' '~' '#' '!' \
                                "$(printf '\\303\\251\\033')"; do
                            n=$((n + 1))
                            { cat ../x.jpg; echo $n; } > "./$name.jpg"
                        done
                        cd ..
                        $step -- in
                        mv $out/taken taken
                        look | cut -d ' ' -f 2- | uniq -c | sed 's/^ *//'
                        rm $out/*
                        cd in
                        $step -- *
                        cd ..
                        sort taken > a
                        sort $out/taken | cmp - a
                        wc -l < a
                        """, "jpg\n25 JPEG 90x90 RGBW\njpg\n25\n")));
    }

    @ParameterizedTest(name = "{1} ({0})")
    @Execution(ExecutionMode.CONCURRENT)
    @MethodSource({"orientations", "metadata", "kinds", "ready", "folders"})
    void picturesComeOutReady(Debian debian, String name, String script, String expected) throws Exception {
        BOXES.use(debian, box -> assertPrints(expected, box.attempt(FUNCTIONS + script)));
    }

    private static void assertPrints(String expected, Command result) {
        String said = Pattern.compile("\\b(?:[0-9a-f]{8}){4}\\b")
                .matcher(result.output())
                .replaceAll(quarters -> colours(quarters.group()));
        assertEquals(expected, result.status() == 0 ? said : said + "status " + result.status() + "\n");
    }

    /** A server with 512 MB survives: the largest process takes less. A JPEG of 48 megapixels takes the fewest. */
    @ParameterizedTest(name = "{1} ({0})")
    @Execution(ExecutionMode.CONCURRENT)
    @MethodSource
    @Needs(PYTHON)
    void large(Debian debian, String name, String script, String expected) throws Exception {
        BOXES.use(debian, box -> {
            box.run(FUNCTIONS + script);
            int kilobytes = assertPrintsAndMeasure(expected, box);
            System.out.println(name + ", " + debian + ": " + kilobytes / 1000 + " MB");
            assertTrue(kilobytes < 512_000, kilobytes + " KB");
        });
    }

    /** The largest process that the step needs, in KB. */
    private static int assertPrintsAndMeasure(String expected, Box box) throws IOException {
        String measured = """
                import resource, subprocess, sys
                step = subprocess.attempt(sys.argv[1:], stderr=subprocess.STDOUT, stdout=subprocess.PIPE)
                print(step.stdout.decode(), end="")
                print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
                """;
        String inside = "cd /root/case; /root/deploy/pictures /root/out -- x.* || true;"
                + " identify /root/out/1 2> /dev/null | wc -l";
        String[] said = Command.run(
                        "python3",
                        "-c",
                        measured,
                        "nsenter",
                        "--all",
                        "--target",
                        Long.toString(box.leader()),
                        "sh",
                        "-ec",
                        inside)
                .ok()
                .split("\n(?=\\d+$)");
        assertEquals(expected, said[0]);
        return Integer.parseInt(said[1]);
    }

    static Stream<Arguments> large() {
        String photograph = "convert -size 8000x6000 gradient:red-blue ";
        String refused = "\ndeploy/pictures: no usable picture\n0";
        return on(Stream.of(
                one("a photograph of 48 megapixels", photograph + "x.jpg", "jpg\n1"),
                one("a progressive one", photograph + "-interlace JPEG x.jpg", "jpg\n1"),
                one("a PNG of 48 megapixels", photograph + "x.png", "jpg\n1"),
                one(
                        "a GIF of 500 frames",
                        "moving f.miff; convert f.miff -resize '250x250!' f.gif;"
                                + " convert $(seq 250 | sed 's/.*/f.gif/') x.gif",
                        "gif\n500"),
                one(
                        "a GIF of 500 larger frames",
                        "convert -size 480x360 xc:red xc:blue f.gif;" + " convert $(seq 250 | sed 's/.*/f.gif/') x.gif",
                        "left out: x.gif: too large: 500 x 480 x 360 pixels" + refused),
                one(
                        "a GIF made to be huge",
                        "printf 'GIF89a\\377\\377\\377\\377\\200\\0\\0\\0\\0\\0\\377\\377\\377"
                                + ",\\0\\0\\0\\0\\001\\0\\001\\0\\0\\002\\002\\104\\001\\0;' > x.gif",
                        "left out: x.gif: too large: 1 x 65535 x 65535 pixels" + refused)));
    }
}
