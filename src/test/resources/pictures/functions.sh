# Makers of pictures and of metadata, and `look`, which prints what came out.
# shellcheck shell=sh disable=SC2034 # the tables use these names
set -eu
rm -rf /root/case /root/out && mkdir /root/case && cd /root/case
here=/srv/test/pictures out=/root/out pictures=/root/deploy/pictures

convert() { "$(command -v magick || command -v /usr/bin/convert)" "$@"; }
quarters() { # COLOUR COLOUR COLOUR COLOUR FILE
    convert -size 40x40 '(' "xc:$1" "xc:$2" +append ')' '(' "xc:$3" "xc:$4" +append ')' -append \
        -bordercolor magenta -compose copy -border 60x0 +repage -quality 95 -define webp:lossless=true "$5"
}
mark() { quarters red lime blue white "$1"; }
holes() { quarters red none blue white "$1"; }
grey() { quarters white black 'gray(128)' white miff:- | convert miff:- -colorspace Gray "$@"; }
moving() { mark miff:- | convert -delay 10 -loop 0 miff:- '(' +clone -flop ')' "$@"; }
soft() { quarters 'rgb(200,80,40)' white black 'gray(128)' miff:-; }
p3() { soft | convert miff:- -profile $here/p3.icc -quality 95 "$@"; }
ready() { # SIZE FILE: nothing but pixels
    mark miff:- | convert miff:- -gravity center -crop 80x80+0+0 +repage -sample "$1!" -quality 95 -strip "$2"
}
sticker() { # OPTION... FILE: squares that move, and nothing else
    convert -size 120x120 -delay 10 -dispose background xc:none -fill red \
        -draw 'rectangle 12,12 59,59' -draw 'rectangle 84,84 95,95' '(' +clone -flop ')' \
        '(' xc:none -fill blue -draw 'rectangle 36,60 83,107' -draw 'rectangle 0,0 11,11' ')' -loop 0 "$@"
}
chunk() { # NAME FILE: puts a chunk with the contents of stdin into a PNG, behind its first
    { printf %s "$1"; cat; } > chunk
    {
        head -c 33 "$2"
        printf '%b' "\\0\\0\\0\\0$(printf %o $(($(wc -c < chunk) - 4)))"
        cat chunk
        gzip -c chunk | tail -c 8 | head -c 4 | od -An -v -tu1 | awk '{ printf "%c%c%c%c", $4, $3, $2, $1 }'
        tail -c +34 "$2"
    } > new
    rm chunk
    mv new "$2"
}
brand() { { head -c 8 "$2"; printf %s "$1"; tail -c +13 "$2"; } > "x.${2##*.}"; } # BRAND FILE: x with this first brand
insert() { # FILE: puts a segment from stdin into a JPEG
    { printf '\377\330'; cat; tail -c +3 "$1"; } > new
    mv new "$1"
}
tiff() { # ORIENTATION: Exif data, and a GPS datum, which is secret
    printf 'MM\0*\0\0\0\010\0\002\001\022\0\003\0\0\0\001\0%b\0\0' "\\0$(printf %o "$1")"
    printf '\210\045\0\004\0\0\0\001\0\0\0\046\0\0\0\0\0\001\0\022\0\002\0\0\0\007\0\0\0\070\0\0\0\0secret\0'
}
exif() { { printf '\377\341\0\107Exif\0\0'; tiff "$1"; } | insert "$2"; } # ORIENTATION JPEG
carrying() { # TYPE: a picture that would be ready without what it carries
    ready 90x90 y.png
    convert y.png -set comment secret -profile $here/p3.icc "x.$1"
    case $1 in
    jpg)
        exif 1 x.jpg
        printf '\377\341\0\057http://ns.adobe.com/xap/1.0/\0<x>secret</x>   ' | insert x.jpg
        printf '\377\355\0\015Photosecret' | insert x.jpg
        ;;
    png) for name in caBX eXIf iTXt; do echo secret | chunk $name x.png; done ;;
    gif) { head -c -1 x.gif; printf '!\377\013XMP DataXMP\006secret\0;'; } > new && mv new x.gif ;;
    esac
    echo secret >> "x.$1"
    rm y.png
    carries "x.$1"
}
carries() { grep -qaE 'secret|E[Xx]I[Ff]|Exif|XMP |xmp|ICC_PROFILE|ICCP|iCCP|ICCRGBG|[tzi]TXt|tEXt|tIME|caBX' "$1"; }
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
on() { ! grep -q "^$1" /etc/debian_version || echo "$2"; } # RELEASE TEXT: what comes on this Debian alone
modest() { # COMMAND...: says how much memory its largest process takes, if that is much for a server with 512 MB
    python3 -c 'import resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
if kilobytes > 440000: print(kilobytes, "KB")
sys.exit(done.returncode)' "$@"
}
left() { find /root -maxdepth 1 -name '*out*'; } # what should not be left of a run that failed
attacked() { # what a file says takes the place of read(). Other tests' readers count, too
    sed -i "/^# --- A reader/r $here/attack.py
        s/^PROCESSES = 16/PROCESSES = 9/" $pictures
}
damage() { # COUNT: makes so many damaged files of those here, always the same ones
    python3 - "$1" << 'END'
import os, random, sys
choice, files = random.Random(1), sorted(os.listdir())
for number in range(int(sys.argv[1])):
    name = choice.choice(files)
    data = bytearray(open(name, 'rb').read())
    at, what = choice.randrange(len(data)), choice.randrange(4)
    if what == 0:
        data[at] ^= 1 << choice.randrange(8)
    elif what == 1:
        del data[at + 1:]
    elif what == 2:  # another part in the middle
        data[at:at] = choice.randbytes(choice.randrange(2000))
    else:  # lengths and sizes
        data[at % 200 % len(data)] = choice.choice([255, choice.randrange(256)])
    open(f'{number}.{name}', 'wb').write(data)
for name in files:
    os.remove(name)
END
}
