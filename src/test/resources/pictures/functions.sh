# Makers of pictures and of metadata, and `look`, which prints what came out.
# shellcheck shell=sh disable=SC2034,SC2086 # the tables use these names; a $turn is two words
set -eu
rm -rf /root/case /root/out && mkdir /root/case && cd /root/case
here=/srv/test/pictures out=/root/out pictures=/root/deploy/pictures
im=$(command -v magick || command -v convert)
tool=/usr/local/bin/magick # is found before the others
connect="socket S, PF_INET, SOCK_STREAM, 0; exit !connect S, sockaddr_in 7000, INADDR_LOOPBACK"

convert() { "$im" "$@"; }
quarters() { # COLOUR COLOUR COLOUR COLOUR FILE
    convert -size 40x40 '(' "xc:$1" "xc:$2" +append ')' '(' "xc:$3" "xc:$4" +append ')' -append \
        -bordercolor magenta -compose copy -border 60x0 +repage -quality 95 -define webp:lossless=true "$5"
}
mark() { quarters red lime blue white "$1"; }
grey() { quarters white black 'gray(128)' white miff:- | convert miff:- -colorspace Gray "$@"; }
moving() { mark miff:- | convert -delay 10 -loop 0 miff:- '(' +clone -flop ')' "$@"; }
p3() {
    quarters 'rgb(200,80,40)' white black 'gray(128)' miff:- | convert miff:- -profile $here/p3.icc -quality 95 "$1"
}
ready() { # SIZE FILE: nothing but pixels
    mark miff:- | convert miff:- -gravity center -crop 80x80+0+0 +repage -sample "$1!" -quality 95 -strip "$2"
}
pixels() { convert "$1" -coalesce -background none -alpha background -depth 8 rgba:- | md5sum; }
same() { # FILE...: they alone come out with the same pixels, in each frame
    rm -rf $out in && mkdir in && cp "$@" in
    type=$($pictures in $out)
    echo $type
    i=1
    for f; do
        [ "$(pixels "$f")" = "$(pixels "$out/Renard-$i.$type")" ] || echo "$f has changed"
        i=$((i + 1))
    done
}
exact() { # SIZE TYPE: so do two such pictures
    ready "$1" "a.$2"
    convert "a.$2" -flip -strip "b.$2"
    same "a.$2" "b.$2"
}
colours256() { # N M FILE: an uneven palette, which no other type of pixel has
    awk "BEGIN { print \"P3 16 16 255\"; for (i = 0; i < 256; i++) print i, i * $1 % 256, i * $2 % 256 }" > x.ppm
    convert x.ppm -sample '90x90!' "$3"
}
chunk() { # NAME FILE [NEXT]: puts a chunk with the contents of stdin into a PNG, behind its first or in front of NEXT
    { printf %s "$1"; cat; } > chunk
    at=33
    [ ! "${3-}" ] || at=$(($(grep -abo "$3" "$2" | head -n 1 | cut -d : -f 1) - 4))
    {
        head -c $at "$2"
        printf '%b' "\\0\\0\\0\\0$(printf %o $(($(wc -c < chunk) - 4)))"
        cat chunk
        gzip -c chunk | tail -c 8 | head -c 4 | od -An -v -tu1 | awk '{ printf "%c%c%c%c", $4, $3, $2, $1 }'
        tail -c +$((at + 1)) "$2"
    } > new
    rm chunk
    mv new "$2"
}
put() { dd of="$2" bs=1 seek="$1" conv=notrunc status=none; } # OFFSET FILE: stdin takes the place of bytes
brand() { { head -c 8 "$2"; printf %s "$1"; tail -c +13 "$2"; } > x.${2##*.}; } # BRAND FILE: x with this first brand
insert() { # FILE: puts a segment from stdin into a JPEG
    { printf '\377\330'; cat; tail -c +3 "$1"; } > new
    mv new "$1"
}
large() { mark miff:- | convert miff:- -scale 1000% -sampling-factor 1x1 -quality 95 "$@"; }
screen() { # SIDE GIF
    printf '%b' "\\0$(printf %o "$1")\\0\\0$(printf %o "$1")\\0" | put 6 "$2"
}
profile() { # [NUMBER COUNT]: puts stdin into x.jpg as a part of its profile
    cat > icc
    length=$(($(wc -c < icc) + 16))
    length=$(printf '\\0%o\\0%o' $((length / 256)) $((length % 256)))
    { printf '\377\342%bICC_PROFILE\0%b%b' "$length" "\\0${1-1}" "\\0${2-1}"; cat icc; } | insert x.jpg
}
tagged() { # TAG: p3.icc with another tag, whose contents are stdin
    perl -e 'my ($data, $icc) = map { local (@ARGV, $/) = $_; scalar <> } "/dev/stdin", $ARGV[1];
        my ($count) = unpack "x128 N", $icc;
        my @tags = map { my ($tag, $at, $size) = unpack "a4 N N"; pack "a4 N N", $tag, $at + 12, $size }
            unpack "x132 (a12)$count", $icc;
        push @tags, pack "a4 N N", $ARGV[0], 12 + length $icc, length $data;
        print pack("N", 12 + length($icc) + length $data), substr($icc, 4, 124), pack("N", $count + 1), @tags,
            substr($icc, 132 + 12 * $count), $data' "$1" $here/p3.icc
}
tiff() { # ORIENTATION: Exif data, and a GPS datum, which is secret
    printf 'MM\0*\0\0\0\010\0\002\001\022\0\003\0\0\0\001\0%b\0\0' "\\0$(printf %o "$1")"
    printf '\210\045\0\004\0\0\0\001\0\0\0\046\0\0\0\0\0\001\0\022\0\002\0\0\0\007\0\0\0\070\0\0\0\0secret\0'
}
exif() { { printf '\377\341\0\107Exif\0\0'; tiff "$1"; } | insert "$2"; } # ORIENTATION JPEG
exif2() { # ORIENTATION ORIENTATION JPEG: of 0 to 7, in the first directory of Exif data, and in that to which it leads
    {
        printf '\377\341\0\100Exif\0\0MM\0*\0\0\0\010\0\002\001\022\0\003\0\0\0\001\0%b\0\0' "\\0$1"
        printf '\207\151\0\004\0\0\0\001\0\0\0\046\0\0\0\0\0\001\001\022\0\003\0\0\0\001\0%b\0\0\0\0\0\0' "\\0$2"
    } | insert "$3"
}
xmp() { # ORIENTATION JPEG
    description="<rdf:Description xmlns:tiff='http://ns.adobe.com/tiff/1.0/' tiff:Orientation='$1'/>"
    rdf="<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>$description</rdf:RDF>"
    xmp="<x:xmpmeta xmlns:x='adobe:ns:meta/'>$rdf</x:xmpmeta>"
    printf '\377\341\0%b%s\0%s' "\\0$(printf %o $((31 + ${#xmp})))" http://ns.adobe.com/xap/1.0/ "$xmp" | insert "$2"
}
turned() { # JPEGs as cameras store the eight orientations
    o=1
    for turn in +repage -flop '-rotate 180' -flip -transpose '-rotate 270' -transverse '-rotate 90'; do
        mark miff:- | convert miff:- $turn -quality 95 $o.jpg
        exif $o $o.jpg
        o=$((o + 1))
    done
}
carrying() { # WHAT TYPE: a picture that would be ready without it
    ready 90x90 x.jpg
    case $1 in
    exif) exif 1 x.jpg ;;
    xmp) printf '\377\341\0\057http://ns.adobe.com/xap/1.0/\0<x>secret</x>   ' | insert x.jpg ;;
    iptc) printf '\377\355\0\015Photosecret' | insert x.jpg ;;
    comment) convert x.jpg -set comment secret x.jpg ;;
    profile) convert x.jpg -profile $here/p3.icc x.jpg ;;
    esac
    [ "$2" = jpg ] || { convert x.jpg "x.$2" && rm x.jpg; }
    if [ "$1$2" = xmpgif ]; then
        { head -c -1 x.gif; printf '!\377\013XMP DataXMP\006secret\0;'; } > new
        mv new x.gif
    fi
    carries "x.$2" || echo nothing to take out
}
carries() {
    grep -qaE 'secret|Exif|EXIF|eXIf|XMP |xmp|ICC_PROFILE|ICCP|iCCP|ICCRGBG|[tzi]TXt|tEXt|tIME|orNT|caBX' "$1"
}
colours() { # FILE: in the middle of each quarter of each frame
    convert "$1" -coalesce -sample '2x2!' -depth 8 -colorspace sRGB rgba:- | od -An -v -tu1 -w4 | awk '
        function is(r, g, b) { return ($1 - r) ^ 2 < 100 && ($2 - g) ^ 2 < 100 && ($3 - b) ^ 2 < 100 }
        { colour = "(" $1 "," $2 "," $3 ")" }
        is(255, 0, 0) { colour = "R" }
        is(0, 255, 0) { colour = "G" }
        is(0, 0, 255) { colour = "B" }
        is(255, 255, 255) { colour = "W" }
        is(0, 0, 0) { colour = "K" }
        is(128, 128, 128) { colour = "Y" }
        is(255, 0, 255) { colour = "M" }
        is(216, 68, 17) { colour = "O" } # rgb(200,80,40) of Display P3
        $4 < 128 { colour = "_" } # transparent
        { printf "%s%s", (NR % 4 == 1 ? " " : ""), colour }'
}
look() {
    find $out -type f | sort -V | while read -r f; do
        i=${f##*-}
        echo "${i%.*} $(identify -format '%m %wx%h,' "$f" | cut -d , -f 1)$(colours "$f")"
        ! carries "$f" || echo carries metadata
        [ "$(stat -c %a "$f")" = 644 ] || echo may not be read
    done
}
made() { $pictures "${1-.}" $out ${2+"$2"} && look; } # [FOLDER [SIZE]]
counted() { cut -d ' ' -f 2- | uniq -c | sed 's/^ *//'; }
timing() { identify -format '%T ' "$1"; grep -ac NETSCAPE2.0 "$1"; } # delays; are the frames repeated?
tool() { # COMMANDS: the tool that reads pictures
    { echo "#!/bin/sh" && echo "$1"; } > $tool
    chmod +x $tool
}
# RELEASE TEXT: what comes on this Debian alone.
on() { ! grep -q "^$1" /etc/debian_version || echo "$2"; }
# COMMAND...: says how much memory its largest process takes, if that is much for a server with 512 MB.
modest() {
    python3 -c 'import resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
if kilobytes > 440000: print(kilobytes, "KB")
sys.exit(done.returncode)' "$@"
}
