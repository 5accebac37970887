#!/bin/sh
# A row of a table in rows/ is a test of the site:
#
#     a line that is no setting (12)
#         echo size=80 > $settings
#         $ refused deploy/install $D cats
#         $settings has a line that is neither SIZE=90 nor a comment: size=80
#
# Its name ends with the Debian on which `mvn verify` runs it: 12, 13 or both. `.ci/run long` runs it on 12, 13 and
# testing, unless that is (only 12), (only 13) or (only both).
# It runs in /root on a server of its own with a site of four cats; rows of first.txt on a server on its first day, and
# those of pictures.txt in an empty folder, with the commands of pictures/functions.sh. server.sh has the names ($D) and
# the commands (refused) that are not Debian's, and box.sh has visit, which is curl; names are also filled in where an
# answer has them.
# The first commands must succeed, and may print anything. What stands behind $ is asked in a shell of its own, and the
# lines that follow are all that must come, on both streams: "exit status 1" as the last one if that is not 0. A line
# that begins further to the right goes on with the one above. "..." stands for any text up to the end of its line, and
# alone for any lines, which only other programs may print.
#
#   rows.sh list [all]        prints DEBIAN TABLE: NAME of each row
#   rows.sh show TABLE NAME   prints a row's commands and answers
#   rows.sh script TABLE      prints the commands of its rows, for shellcheck
#   rows.sh run TABLE NAME    gives a row to this server. Exit status 1, and what came, when something else should come
set -e
rows=$(cd "$(dirname "$0")" && pwd)

# TABLE: NAME<tab>LINE for each line of its rows.
lines() {
    awk '
        function wrong(what) { print FILENAME ": " what ": " name > "/dev/stderr"; exit 1 }
        /^#/ || /^ *$/ { next }
        /^[^ ]/ {
            name = $0
            if (name !~ / [(](only )?(12|13|both)[)]$/) wrong("a name without (12), (13) or (both)")
            if (is_there[name]++) wrong("two rows have this name")
            next
        }
        { sub(/^    /, ""); print name "\t" $0 }' "$rows/rows/$1.txt"
}

# [all]: without this word, what `mvn verify` gives to whom.
list() {
    for table in "$rows"/rows/*.txt; do
        table=$(basename "$table" .txt)
        all=$(lines "$table")
        printf '%s\n' "$all" | cut -f 1 | uniq | awk -v table="$table" -v all="${1-}" '
            {
                mark = substr($0, match($0, /[(][^(]*$/))
                debians = mark ~ /12/ ? "12" : mark ~ /13/ ? "13" : "12 13"
                if (all && mark !~ /only/) debians = "12 13 testing"
                for (n = split(debians, debian); n; n--) print debian[n], table ": " $0
            }'
    done
}

show() { lines "$1" | awk -v name="$2" 'index($0, name "\t") == 1 { print substr($0, length(name) + 2) }'; }

# TABLE NAME: the row's lines, each behind the name of its file: 0 for what is done first, 1, 2 and so on for what is
# asked, and 1.answer, 2.answer and so on for what must come.
parts() {
    show "$@" | awk '
        BEGIN { file = n = 0 }
        sub(/^\$ /, "") { file = ++n; print file "\t" $0 "\n" file ".answer\t"; next }
        n && !/^ / { file = n ".answer" }
        { print file "\t" $0 }'
}

# Each row's in a shell of its own.
script() {
    echo ". $rows/server.sh"
    [ "$1" != pictures ] || echo ". $rows/pictures/functions.sh"
    lines "$1" | cut -f 1 | uniq | while read -r name; do
        printf '%s\n' "( # $name" "$(parts "$1" "$name" | sed -n 's/^[0-9]*\t//p')" ')'
    done
}

split() {
    rm -rf /srv/row
    mkdir -p /srv/row
    : > /srv/row/0
    parts "$@" | awk -F '\t' '{ file = "/srv/row/" $1; sub(/[^\t]*\t/, ""); print > file }'
}

# Lines without what is blank at their ends, blank twice, or empty.
plain() { sed 's/[[:space:]][[:space:]]*/ /g; s/^ //; s/ $//; /^$/d'; }

# FILE: its answer is what came, line by line.
judge() {
    eval "cat << END
$(sed ':a; $!{N; ba}; s/\n  */ /g' "$1.answer")
END" | plain > "$1.wanted"
    plain < "$1.came" | awk -v file="$1.wanted" '
        # What this text allows: "..." stands for any text.
        function matches(line, text) {
            gsub(/[][\\^$.*+?(){}|]/, "\\\\&", text)
            gsub(/\\[.]\\[.]\\[.]/, ".*", text)
            return line ~ "^" text "$"
        }
        # Whether the lines of what came from this one on are those that are wanted; how far they are is kept.
        function is_right(line, want) {
            for (; wanted[want] != "..."; want++) {
                if (line > most) { most = line; differs = want }
                if (line > lines || want > count) return line > lines && want > count
                if (!matches(came[line++], wanted[want])) return 0
            }
            for (; line <= lines + 1; line++) if (is_right(line, want + 1)) return 1
            return 0
        }
        BEGIN { while ((getline line < file) > 0) wanted[++count] = line }
        { came[++lines] = $0 }
        END {
            if (is_right(1, 1)) exit
            should = wanted[differs]; is = came[most]
            for (i = 1; i <= length(should) && substr(should, i, 1) == substr(is, i, 1); i++) {}
            while (i > 1 && substr(should, i - 1, 1) != " ") i--
            print "This should have come" (i > 1 ? " behind \"" substr(is, 1, i - 2) "\"" : "") ":"
            print (differs > count ? "nothing more" : substr(should, i))
            print "in place of:"
            print (most > lines ? "nothing more" : substr(is, i))
            exit 1
        }' > "$1.wrong" && return
    echo "\$ $(cat "$1")"
    cat "$1.came" "$1.wrong"
    return 1
}

answer() {
    split "$@"
    [ -e /srv/row/1 ] || { echo 'It asks nothing.' && exit 1; }
    # shellcheck source=server.sh
    . "$rows/server.sh"
    # shellcheck source=pictures/functions.sh
    [ "$1" != pictures ] || . "$rows/pictures/functions.sh"
    trap 'echo "These commands fail:"; cat /srv/row/0 /srv/row/0.came' EXIT
    # shellcheck disable=SC1091 # written above
    . /srv/row/0 > /srv/row/0.came 2>&1
    trap - EXIT
    number=0
    while question=/srv/row/$((number += 1)) && [ -e "$question" ]; do
        set +e
        # shellcheck disable=SC1090 # written above
        (. "$question") > "$question.came" 2>&1
        status=$?
        set -e
        [ $status = 0 ] || echo "exit status $status" >> "$question.came"
        judge "$question"
    done
}

# The last question that has been asked, and what has come so far.
ended() {
    hangs=$(find /srv/row -name '*.came' | sort -V | tail -n 1)
    echo 'It was ended while it waited for:'
    cat "${hangs%.came}" "$hangs"
    exit 124
}

# What goes on behind a row has no pipe of the caller's.
run() {
    trap ended TERM
    if sh "$rows/rows.sh" answer "$@" > /srv/row.log 2>&1 < /dev/null; then return; fi
    cat /srv/row.log
    return 1
}

"$@"
