#!/bin/sh
# A row of a table in rows/ is a test of the site. It begins with its name:
#
#     a line that is no setting: echo size=80 > $settings
#         $ refused deploy/install $D cats
#         /etc/default/avatar has a line that is neither SIZE=90 nor a comment: size=80
#
# Its commands are given in /root on a server with a site of four cats, which is as new for each row. What stands behind
# $ is asked, and what follows is all that must come, on both streams, in lines of any length: "..." stands for any
# text, and [1] behind it for the exit status, if it is not 0. Commands before $ must succeed, and may print anything. A
# row can ask several times, and what is asked goes on in lines that begin further to the right. server.sh has the names
# ($D) and the commands (refused) that are not Debian's; names are also filled in where an answer has them. Rows of
# first.txt are given on a server on its first day. A row is given to Debian 12, or to 13 where the length of its name
# is odd, and to both if that ends with "(both)". Rows of pictures.txt are given to both in an empty folder, with the
# commands of pictures/functions.sh.
#
#   rows.sh list              prints DEBIAN TABLE: NAME of each row
#   rows.sh show TABLE NAME   prints a row's commands and answers
#   rows.sh run TABLE NAME    gives a row to this server. Exit status 1, and what came, when something else should come
set -e
rows=$(cd "$(dirname "$0")" && pwd)

# TABLE: NAME<tab>LINE for each line of its rows.
lines() {
    awk '/^#/ || /^ *$/ { next }
        /^[^ ]/ {
            name = $0; sub(/:( .*|$)/, "", name); $0 = substr($0, length(name) + 3)
            if (seen[name]++) { print FILENAME ": two rows are called: " name > "/dev/stderr"; exit 1 }
            if ($0 == "") next
        }
        { sub(/^    /, ""); print name "\t" $0 }' "$rows/rows/$1.txt"
}

list() {
    for table in "$rows"/rows/*.txt; do
        table=$(basename "$table" .txt)
        all=$(lines "$table")
        printf '%s\n' "$all" | cut -f 1 | uniq | awk -v table="$table" '
            /[(]both[)]$/ || table == "pictures" { print 12, table ": " $0; print 13, table ": " $0; next }
            { print length($0) % 2 ? 13 : 12, table ": " $0 }'
    done
}

show() { lines "$1" | awk -v name="$2" 'index($0, name "\t") == 1 { print substr($0, length(name) + 2) }'; }

# Keeps what is done first in the file 0, questions in 1, 2 and so on, and what must come in 1.answer, 2.answer ...
split() {
    rm -rf /srv/row
    mkdir -p /srv/row
    : > /srv/row/0
    show "$@" | awk -v file=/srv/row/0 '
        sub(/^\$ /, "") { file = "/srv/row/" ++n; printf "" > (file ".answer"); print > file; next }
        n && !/^ / && file !~ /r$/ { file = file ".answer" }
        { print > file }'
}

plain() { tr -s '[:space:]' ' ' | sed 's/^ //; s/ $//'; }

# FILE: its answer is what came.
judge() {
    said=$(plain < "$1.came")
    # What the shell takes as a pattern is literal, but for "...".
    wanted=$(eval "cat << END
$(cat "$1.answer")
END" | plain)
    # shellcheck disable=SC2254 # a pattern
    case $said in $(printf '%s\n' "$wanted" | sed 's/[][\\*?]/\\&/g; s/[.][.][.]/*/g')) return ;; esac
    printf '$ ' && cat "$1" "$1.came"
    printf '%s\n' 'This should have come:' "${wanted:-nothing}" 'in place of:' "${said:-nothing}"
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
        [ $status = 0 ] || echo "[$status]" >> "$question.came"
        judge "$question"
    done
}

# What goes on behind a row has no pipe of the caller's.
run() {
    case $1 in
    first) cp -r /root/foxes /root/cats ;;
    *) (. "$rows/server.sh"; restore site) ;;
    esac
    if sh "$rows/rows.sh" answer "$@" > /srv/row.log 2>&1 < /dev/null; then return; fi
    cat /srv/row.log
    return 1
}

"$@"
