#!/bin/sh
# guide.sh HEADING BLOCK FILE...: the commands that these pages have under the heading: those of its first block (1),
# of another one, or of all ('').
heading=$1 block=$2
shift 2
awk -v heading="$heading" -v number="$block" '
    FNR == 1 { here = inside = 0 }
    /^#+ / && !inside { here = substr($0, index($0, " ") + 1) == heading; blocks = 0 }
    /^```/ { inside = !inside; block = inside && /sh$/; blocks += block; next }
    here && block && (number == "" || number == blocks)' "$@"
