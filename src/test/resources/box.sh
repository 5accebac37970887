#!/bin/sh
# A throwaway machine. It has the files of a Debian under an overlay that vanishes, a systemd of its own, a network of
# its own with only a loopback interface, and in /root what a user copies to a server: deploy, and foxes, the pictures.
# /srv/test has the rows of tests. Everything hangs on the process that boots it: when that ends, no mount and no
# process is left.
#   box.sh boot FILES GROUP [DISK]    with a control group of this name. All changes go to memory, or to DISK: the image
#                                     of a file system from which a later box boots
#   box.sh leader PID                 prints the number of its first process, once systemd has started what it starts
#   box.sh in LEADER COMMAND...       runs a command in it, for nine minutes at most
#   box.sh end PID GROUP              ends it
#   box.sh row ROOT TABLE NAME        gives a row to a box of its own, with the site of the rows, installed once and
#                                     kept in target until deploy changes. Prints what is wrong
set -eu
project=$(cd "$(dirname "$0")/../../.." && pwd)

boot() {
    if [ "${3-}" ]; then mount -o loop "$3" /mnt; else mount -t tmpfs -o mode=755 box /mnt; fi
    cd /mnt
    mkdir -p upper work root
    mount -t overlay -o lowerdir="$1",upperdir=upper,workdir=work box root
    cd root
    mkdir -p usr/lib/systemd/system/nginx.service.d
    # Tests start nginx more often than five times in ten seconds.
    printf '[Unit]\nStartLimitIntervalSec=0\n' > usr/lib/systemd/system/nginx.service.d/often.conf
    mount -t tmpfs -o mode=700 box root
    cp -r "$project/deploy" root
    # Drawn once, also where several boot at the same time.
    # shellcheck disable=SC2016 # the inner shell's
    flock "$project/samples/Foxes.java" sh -c '[ "$1/Renard-4.png" -nt "$0" ] || java "$0" 4 "$1"' \
        "$project/samples/Foxes.java" "$project/target/box-foxes"
    cp -r "$project/target/box-foxes" root/foxes
    cp -r root/foxes root/cats
    cp -r "$project/src/test/resources" srv/test
    # curl, for which each domain leads to the box, whose certificate nobody knows.
    cat > usr/bin/visit << 'END'
#!/bin/sh
exec curl --silent --insecure --path-as-is --max-time 30 --http1.1 \
    --resolve '*:443:127.0.0.1' --resolve '*:80:127.0.0.1' "$@"
END
    chmod 755 usr/bin/visit
    cd ..
    # A control group of its own: otherwise the services of two boxes would share theirs.
    for tree in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
        [ -w $tree/cgroup.procs ] || continue
        mkdir "$tree/$2"
        echo $$ > "$tree/$2/cgroup.procs"
    done
    export SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 # systemd 258 and later knows no other
    exec systemd-nspawn -D root --register=no --keep-unit --settings=no --private-network --boot --quiet
}

run_in() {
    leader=$1
    shift
    exec timeout --kill-after=5 540 nsenter --target "$leader" --cgroup --ipc --mount --net --pid --uts --wdns=/ \
        env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

leader() {
    tries=0
    until leader=$(pgrep -P "$1" -x systemd) &&
        (run_in "$leader" systemctl is-system-running) 2> /dev/null | grep -qE '^(running|degraded)$'; do
        tries=$((tries + 1))
        if [ $tries = 600 ] || ! kill -0 "$1" 2> /dev/null; then
            echo 'the box does not boot: target/boxes.log may say why' >&2
            exit 1
        fi
        sleep 0.1
    done
    echo "$leader"
}

end() {
    # Its first process takes all others with it.
    # shellcheck disable=SC2046 # two numbers
    kill -KILL $(pgrep -P "$1" -x systemd) "$1" 2> /dev/null || true
    tries=0
    until find /sys/fs/cgroup -depth -type d -path "*/$2*" -exec rmdir {} + 2> /dev/null &&
        ! find /sys/fs/cgroup -type d -path "*/$2*" 2> /dev/null | grep -q .; do
        tries=$((tries + 1))
        [ $tries != 600 ] || { echo 'the box does not end' >&2 && exit 1; }
        sleep 0.1
    done
}

# FILES: sets pid and leader, of a box that ends with this process.
begin() {
    group=avatar-$(cat /proc/sys/kernel/random/uuid)
    unshare --mount setsid sh "$0" boot "$1" "$group" < /dev/null >> "$project/target/boxes.log" 2>&1 9>&- &
    pid=$!
    trap 'end "$pid" "$group"' EXIT
    trap 'exit 1' HUP INT TERM
    leader=$(leader "$pid")
}

# ROOT FOLDER: installs the site of the rows in a box, and keeps what that has changed.
site() {
    begin "$1/packages:$1/clean"
    (run_in "$leader" sh -ec '. /srv/test/server.sh; prepare; systemctl stop avatar nginx; rm -r /srv/test')
    rm -rf "$2"
    cp -a "/proc/$pid/root/mnt/upper" "$2"
}

# ROOT: a sum of what decides on these files.
sum() {
    (cd "$project" && cat deploy/* samples/Foxes.java src/test/resources/box.sh src/test/resources/server.sh
        stat --format %Z "$1/packages") | cksum
}
is_current() { [ "$(sum "$1")" = "$(cat "$folder.sum" 2> /dev/null)" ]; }

row() {
    mkdir -p "$project/target"
    folder=$project/target/site-${1##*/}
    if [ "$2" = first ]; then
        files=$1/clean
    else
        exec 9> "$folder.lock"
        flock --shared 9 # nobody makes the site anew while a row uses it
        if ! is_current "$1"; then
            flock 9
            is_current "$1" || sh "$0" site "$1" "$folder" > "$folder.log" 2>&1 || { cat "$folder.log" && exit 1; }
            sum "$1" > "$folder.sum"
            flock --shared 9
        fi
        files=$folder:$1/packages:$1/clean
    fi
    begin "$files"
    run_in "$leader" sh /srv/test/rows.sh run "$2" "$3" 9>&- &
    wait $!
}

command=$1
shift
case $command in in) run_in "$@" ;; *) "$command" "$@" ;; esac
