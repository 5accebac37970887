# Makers of pictures, and `look`, which prints what came out.
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
p3() { # OPTION... FILE: in Display P3
    quarters 'rgb(200,80,40)' white black 'gray(128)' miff:- | convert miff:- -profile $here/p3.icc -quality 95 "$@"
}
ready() { # SIZE FILE: nothing but pixels
    mark miff:- | convert miff:- -gravity center -crop 80x80+0+0 +repage -sample "$1!" -quality 95 -strip "$2"
}
sticker() { # OPTION... FILE: squares that move, and nothing else
    convert -size 120x120 -delay 10 -dispose background xc:none -fill red \
        -draw 'rectangle 12,12 59,59' -draw 'rectangle 84,84 95,95' '(' +clone -flop ')' \
        '(' xc:none -fill blue -draw 'rectangle 36,60 83,107' -draw 'rectangle 0,0 11,11' ')' -loop 0 "$@"
}
exif() { # ORIENTATION FILE: gives a JPEG, PNG or WebP these Exif data, and a description
    python3 -c 'import sys
from PIL import Image
image, exif = Image.open(sys.argv[2]), Image.Exif()
exif[0x0112], exif[0x010E] = int(sys.argv[1]), "secret"
profile = image.info.get("icc_profile")
image.save(sys.argv[2], exif=exif, icc_profile=profile, quality=95, subsampling=0, lossless=True)' "$@"
}

carries() { grep -qaE 'secret|Exif|eXIf|ICC_PROFILE|iCCP|ICCP|ICCRGBG' "$1"; } # FILE: it has metadata
colours() { # FILE: in the middle of each quarter of each frame
    convert "$1" -coalesce -sample '2x2!' -depth 8 -colorspace sRGB rgba:- | od -An -v -tu1 -w4 | awk '
        # O is rgb(200,80,40) of Display P3.
        BEGIN { split("R 255 0 0 G 0 255 0 B 0 0 255 W 255 255 255 K 0 0 0 Y 128 128 128 O 216 68 17", known) }
        {
            colour = "(" $1 "," $2 "," $3 ")"
            for (i = 1; i in known; i += 4)
                if (($1 - known[i + 1]) ^ 2 + ($2 - known[i + 2]) ^ 2 + ($3 - known[i + 3]) ^ 2 < 200) colour = known[i]
            printf "%s%s", (NR % 4 == 1 ? " " : ""), ($4 < 128 ? "_" : colour) # which is transparent
        }'
}
look() {
    find $out -type f | sort -V | while read -r f; do
        i=${f##*-}
        echo "${i%.*} $(identify -format '%m %wx%h,' "$f" | cut -d , -f 1)$(colours "$f")"
        ! carries "$f" || echo carries metadata
        [ "$(stat -c %a "$f")" = 644 ] || echo may not be read
    done
}
alike() { # FILE FILE: both have the same pixels
    [ "$(convert "$1" -depth 8 rgba:- | cksum)" = "$(convert "$2" -depth 8 rgba:- | cksum)" ] && echo alike
}
made() { $pictures "${1-.}" $out ${2+"$2"} && look; } # [FOLDER [SIZE]]
counted() { cut -d ' ' -f 2- | uniq -c; }
left() { find /root -maxdepth 1 -name '*out*'; } # what should not be left of a run that failed
modest() { # COMMAND...: says how much memory its largest process takes, if that is much for a server with 512 MB
    python3 -c 'import resource, subprocess, sys
status = subprocess.call(sys.argv[1:])
kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
sys.exit(status if kilobytes < 440_000 else f"{kilobytes} KB")' "$@"
}
reader() { # the process number of one that lasts, as the trial at the beginning does not
    for _ in $(seq 200); do
        pid=$(pgrep -u 65533) || true
        sleep 0.3
        [ ! "$pid" ] || [ "$pid" != "$(pgrep -u 65533)" ] || { echo "$pid" && return; }
    done
}
attacked() { # puts attack.py between a reader and the run, for all callers
    sed -i "/^# --- The run/r $here/attack.py" $pictures
    cp $pictures .pictures
    chmod 755 . ..
}
