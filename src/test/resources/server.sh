# shellcheck shell=sh disable=SC2012,SC2016,SC2034,SC2119,SC2120,SC2164 # rows use these names
# What the rows of tests do to a server, and ask it.
D=cats.example.org
state=/var/lib/avatar site=$state/site settings=/etc/default/avatar
unit=/etc/systemd/system/avatar.service
conf=/etc/nginx/nginx.conf enabled=/etc/nginx/sites-enabled other=/etc/nginx/conf.d/other.conf
done="4 pictures. The address for a profile: https://$D/me.png"
four='Renard-1.png Renard-2.png Renard-3.png Renard-4.png of 4'
cd /root
port=$(sed -n 's/^PORT=//p' deploy/avatar.default) # the Java program's

shown() { echo $site/pictures/*; } # the folder of the set that is shown

# A server with the site of four cats that is /root/foxes, by the folder deploy. `restore` makes it as it is now.
prepare() {
    cp -r foxes cats
    deploy/install $D cats
    keep site
}

# NAME: of what `restore NAME` makes the server again, and restore_files NAME its files alone.
places='etc root usr/local var/lib/avatar var/www'
keep() {
    mkdir -p "/srv/kept/$1" /var/lib/avatar /var/www
    # shellcheck disable=SC2086 # a list
    (cd / && rsync -a --relative --delete $places "/srv/kept/$1")
    services > "/srv/kept/$1/services"
}
restore_files() {
    umount $state $enabled/zz-avatar.conf $unit 2> /dev/null || true
    [ ! -L $state ] || rm $state
    rm -rf $state.* /usr/lib/systemd/system/avatar.service /var/lib/apache2/site/*/avatar \
        /run/systemd/system/other* /run/avatar/*
    find /srv -mindepth 1 -maxdepth 1 ! -name kept ! -name test -exec rm -rf {} +
    # shellcheck disable=SC2086 # a list
    (cd "/srv/kept/$1" && rsync -a --relative --checksum --delete $places /)
}
restore() {
    nft flush ruleset
    # shellcheck disable=SC2046 # a list
    systemctl stop avatar nginx $(services | grep -vxFf "/srv/kept/$1/services") 2> /dev/null || true
    pkill -x nginx || true
    ip link delete fox0 2> /dev/null || true
    restore_files "$1"
    systemctl daemon-reload
    systemctl reset-failed
    [ "$1" = site ] || return 0
    systemctl start avatar
    until systemctl start nginx && curl -fs -o /dev/null "http://127.0.0.1:$port"; do sleep 0.1; done
}
services() { systemctl list-units --plain --no-legend --type=service,socket --state=active | cut -d ' ' -f 1; }

# NAME COMMANDS: what stands in for a tool from now on.
instead() {
    mkdir -p /srv/bin
    printf '#!/bin/sh\n%s\n' "$2" > "/srv/bin/$1"
    chmod 755 "/srv/bin/$1"
    PATH=/srv/bin:$PATH
}

# PORT ADDRESS: another program listens there.
other() {
    systemd-run --quiet --collect --unit="other-$1" python3 -m http.server --bind "$2" "$1"
    until ss -Hltn "sport = :$1" | grep -q .; do sleep 0.1; done
}

# ADDRESS: systemd listens there, and starts a program when somebody comes.
socket() {
    printf '%s\n' '[Socket]' "ListenStream=$1" > /run/systemd/system/other.socket
    printf '%s\n' '[Service]' 'ExecStart=/bin/sleep 300' > /run/systemd/system/other.service
    systemctl daemon-reload
    systemctl start other.socket
}

# UNIT LINE...: lines of the operator's own, in the section [Service].
drop_in() {
    mkdir -p "/etc/systemd/system/$1.service.d"
    { echo '[Service]' && (shift && printf '%s\n' "$@"); } > "/etc/systemd/system/$1.service.d/own.conf"
    systemctl daemon-reload
}

# PATTERN...: packets that a firewall drops.
firewall() {
    nft 'add table inet fox; add chain inet fox out { type filter hook output priority 0; }'
    nft add rule inet fox out "$@" drop
}

# ADDRESS: another one of this server.
address() {
    ip link add fox0 type veth peer name fox1
    ip address add "$1" dev fox0
    ip link set fox0 up
    ip link set fox1 up
}

# [BEGIN END]: the operator's own certificate, its own authority, for a time that begins and ends so many days from now.
# The caller is in /etc/avatar afterwards; hence (certificate).
certificate() {
    mkdir -p /etc/avatar /srv/ca
    cd /etc/avatar
    : > /srv/ca/index
    printf '%s\n' '[ca]' default_ca=one '[one]' database=/srv/ca/index new_certs_dir=/srv/ca policy=names \
        copy_extensions=copy rand_serial=yes default_md=sha256 '[names]' commonName=supplied > /srv/ca/conf
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$D" -addext "subjectAltName=DNS:$D" \
        -out /srv/ca/request -keyout privkey.pem 2> /dev/null
    openssl ca -batch -selfsign -notext -config /srv/ca/conf -in /srv/ca/request -keyfile privkey.pem \
        -out fullchain.pem -startdate "$(date -u -d "${1--1} days" +%y%m%d%H%M%SZ)" \
        -enddate "$(date -u -d "${2-89} days" +%y%m%d%H%M%SZ)" 2> /dev/null
}

# COMMANDS: of sed, which change the site's nginx.conf.
edit() {
    sed -i.former "$1" $site/nginx.conf
    cmp -s $site/nginx.conf $site/nginx.conf.former && return 1
    systemctl restart nginx
}

# No site of avatar yet, nor Debian's own.
no_site() {
    deploy/remove > /dev/null
    rm -rf $state $enabled/default
}

# A folder that nginx reads behind Debian's two.
late=/etc/nginx/domains-enabled/shop.conf
late() { sed -i 's|.*sites-enabled.*|&\ninclude /etc/nginx/domains-enabled/*.conf;|' $conf; }

# FILE [LISTEN [REST]]: another site of nginx, with names and TLS that other sites have.
shop() {
    mkdir -p "${1%/*}"
    [ -e /srv/fullchain.pem ] || (certificate && mv ./*.pem /srv)
    cat > "$1" << END
limit_conn_zone \$binary_remote_addr zone=client:10m;
limit_req_zone \$binary_remote_addr zone=site:10m rate=9r/s;
upstream shopserver { zone jvm 1m; server 127.0.0.1:7777; }
server{ # listen 127.0.0.1:80;
    ${2-listen 80; listen [::]:80; listen 443 ssl; listen [::]:443 ssl;} listen unix:/run/shop.sock;
    server_name shop.example; ssl_protocols TLSv1.2;
    ssl_certificate /srv/fullchain.pem; ssl_certificate_key /srv/privkey.pem;
    ${3-return 301 https://shop.example/;}
}
END
}

# FILE: a lock of it, as apt-get holds one, for twelve seconds.
hold() {
    perl -e 'open F, ">>", shift; $lock = pack "ssx4qqix4", 1, 0, 0, 0, 0; fcntl F, 6, $lock or die; sleep 12' "$1" &
}

# NAME: status and redirect, or how curl ends, at each place where a visitor may come to.
answers() {
    for url in "http://$1" "https://$1" "--tlsv1.3 https://$1" "--unix-socket /run/shop.sock http://$1"; do
        for to in 127.0.0.1 '[::1]'; do
            # shellcheck disable=SC2086 # an option and an address
            got=$(curl -q -ksg -m 30 -o /dev/null --connect-to "::$to:" -w '%{http_code} %{redirect_url}' $url) ||
                got="status $?"
            echo "$url at $to: ${got%%[?]*}"
        done
    done
}


# COMMAND...: prints how it refuses, without what all refusals have. It says so where anything has changed.
refused() {
    look > /srv/before
    status=0
    "$@" > /srv/said 2>&1 || status=$?
    look > /srv/after
    diff /srv/before /srv/after || echo 'This has changed.'
    [ $status != 0 ] || echo 'This is no refusal.'
    [ $status != 2 ] || grep -q '^usage: ' /srv/said || echo 'There is no usage.'
    sed '1{/^avatar for /d}; /^deploy.install: the former site is shown$/d; s/^deploy.install: //; /^usage: /,$d' \
        /srv/said
}
# Everything that an installation may touch: files, links, services, ports, and whether visitors are answered.
look() {
    cd /
    find etc var/lib/avatar -type f ! -name '*-' -exec sha256sum {} + | sort
    find etc var/lib/avatar -printf '%p %m %u %l\n' | sort
    ls -d run/avatar || true
    systemctl is-enabled avatar nginx || true
    systemctl is-active avatar nginx || true
    ss -Hltn | awk '{ print $4 }' | sort
    visit --output /dev/null --write-out '%{http_code}\n' https://$D | sed 's/302/200/'
    cd /root
} 2> /dev/null

# COMMAND...: a first installation. It says which visitors of other sites no longer get what they got.
beside() {
    was=$(systemctl is-active nginx) || true
    case $was in active) systemctl restart nginx ;; inactive) systemctl start nginx ;; esac
    { answers nobody.invalid; answers shop.example; } > /srv/others
    [ "$was" != inactive ] || systemctl stop nginx
    status=0
    "$@" || status=$?
    if [ $status = 0 ]; then
        lost_by_others
        systemctl restart nginx
        answers $D | grep -qF ": 302 https://$D/" || answers $D
        nginx -T 2>&1 | grep warn || true
    else
        ls $site /etc/nginx/*/zz-avatar.conf 2> /dev/null || true
        is=$(systemctl is-active nginx) || true
        case $was,$is in inactive,inactive | inactive,failed | [ar]*,active) ;; *) echo "nginx is $is, was $was" ;; esac
    fi
    lost_by_others
    return $status
}
lost_by_others() {
    systemctl start nginx
    { answers nobody.invalid; answers shop.example; } > /srv/others.now
    grep -v 'status 7$' /srv/others | grep -vxFf /srv/others.now | sed 's/^/lost: /' || true
}

check() { sh $site/deploy/check --insecure "$@"; }
check_trusting() {
    grep -q "$D" /etc/hosts || echo 127.0.0.1 $D >> /etc/hosts
    CURL_CA_BUNDLE=/etc/avatar/fullchain.pem sh $site/deploy/check # one's own certificate
}

# COMMAND...: runs it where deploy/check looks again after 0.1 s in place of 6, for what lasts.
impatient() { instead sleep 'exec /bin/sleep 0.1' && "$@"; }

# COMMAND...: runs it on a machine without a site, by a user without rights.
elsewhere() {
    unshare --mount sh -ec 'mount -t tmpfs none "$0" && exec setpriv --reuid=65534 --clear-groups "$@"' $state "$@"
}

# COMMAND...: runs it while visitors follow redirects and load a picture of the set. It says what they get but pictures.
unnoticed() {
    url=$(sed -n "s/[*]/1/; s/^URL='\(.*\)'/\1/p" $site/environment)
    : > /srv/visitors
    while [ -e /srv/visitors ]; do
        visit --location --write-out '%{http_code} %{size_download}\n' \
            --output /dev/null https://$D/me.png --output /dev/null "$url" || true
        sleep 0.1
    done > /srv/visits &
    visitors=$! status=0
    "$@" || status=$?
    rm /srv/visitors
    wait $visitors
    grep -c . /srv/visits | sed 's/^0$/nobody came/; t; d'
    grep -v '^200 [1-9]' /srv/visits | sed 's/^/a visitor got /' || true
    return $status
}

# The pictures that 99 visits are led to, if they are the set's, byte for byte, and how many files the set has.
seen() {
    sleep 1 # nginx uses the redirects that it has open for so long
    visit --output /dev/null --write-out '%{redirect_url}\n' "https://$D/[1-99]" | sort -uV | while read -r url; do
        visit "$url" | cmp - $site/pictures/*/"${url##*/}" && echo "${url##*/}"
    done
    ls $site/pictures/*/ | sed -n '$=' | sed 's/^/of /'
}

# Shows what is in cats now, and goes back by what the installation says. Visitors get pictures throughout.
change() {
    url=$(sed -n "s/[*]/1/; s/^URL='\(.*\)'/\1/p" $site/environment) former_set=$(ls $site/pictures)
    unnoticed deploy/install $D cats > /srv/said 2>&1 || return
    grep '^a visitor got\|nobody came' /srv/said || true
    sed -n 's/^Pictures: \(.*\)[.] To go back:.*/\1: /p; s/.* for a profile:.*[.]//p' /srv/said
    seen
    # What was shown before is sent no longer.
    visit --head "$url" | grep -q no-store || echo "$url is still sent"
    sed -n 's/.*To go back: //p' /srv/said > /srv/back
    unnoticed sh -e /srv/back > /srv/said 2>&1 || return
    grep '^a visitor got\|nobody came' /srv/said || true
    [ "$former_set" = "$(ls $site/pictures)" ] || echo 'This is another set.'
    echo '; back: ' && seen
}

# The process number of the Java program, and whether it answers twenty clients.
jvm() { systemctl show --property=MainPID --value avatar; }
answering() {
    until visit --fail-early --header 'Connection: close' --output /dev/null "http://localhost:$port/[1-20]"; do
        sleep 0.1
    done
}

# COMMAND...: runs it while twenty visitors at once come again and again. It says what they get but redirects.
crowded() {
    : > /srv/crowd
    while [ -e /srv/crowd ]; do
        visit --parallel --parallel-immediate --output /dev/null --write-out '%{http_code}\n' "https://$D/[1-20]" ||
            true
    done 2> /dev/null > /srv/crowd.got &
    visitors=$! status=0
    "$@" || status=$?
    rm /srv/crowd
    wait $visitors
    sort /srv/crowd.got | uniq -c | awk '$2 != 302 { print $1, "visitors got", $2 } $2 == 302 { many = $1 > 100 }
        END { if (!many) print "too few redirects" }'
    return $status
}

# HEADING [BLOCK]: the commands that deploy's guides have under it, or those of its first block, 1, or another one, for
# this server's domain.
guide() {
    awk -v heading="$1" -v number="${2-}" '
        /^#+ / { here = substr($0, index($0, " ") + 1) == heading; blocks = 0 }
        /^```/ { block = /sh$/; blocks += block; next }
        here && block && (!number || number == blocks)' deploy/*.md | sed "s/avatar[.]example[.]org/$D/g" > /srv/guide
    sh -e /srv/guide
}
# WORDS: the first commands in the text of the guide that begin with them. What they copy to a server stays here.
inline() {
    sh -e -c "$(tr '\n' ' ' < /root/deploy/README.md | grep -o "\`$1[^\`]*" |
        sed "1!d; s/^.//; s|192.0.2.1:|/root/|; s/avatar[.]example[.]org/$D/")"
}

# Sets of pictures for another web server, of which $set is the second, without the fourth picture.
behind_another_server() {
    systemctl stop nginx
    mkdir /var/www/avatar
    touch /var/www/avatar/config.php
    guide 'Behind another web server'
    former_set=$(cd /var/www/avatar && ls -d [0-9]*)
    rm cats/*-4.png
    sleep 1 # the next set is named after another second
    guide 'Behind another web server'
    set=$(cd /var/www/avatar && ls -d [0-9]*)
    tee "/var/www/avatar/$set/Renard-0.png" > "/var/www/avatar/$set/notes.txt" < /etc/hostname
    openssl req -x509 -newkey rsa -nodes -subj /CN=avatar \
        -keyout /etc/ssl/private/avatar.key -out /etc/ssl/certs/avatar.pem
}
asked_of_another_server() {
    for path in '' a?b=c Renard-3.png config.php "$former_set/Renard-3.png" "$set/Renard-4.png" "$set/notes.txt" \
        "$set/Renard-0.png" "$set/" "$set/Renard-3.png"; do
        visit --output seen --write-out '%{http_code} %{redirect_url} %{content_type} %header{cache-control}\n' \
            "https://$D/$path"
    done | sed 's/-[1-3].png/-N.png/' | sort -r | uniq -c
    cmp seen "/var/www/avatar/$set/Renard-3.png"
}

# [PORT]: an authority in this server, Pebble, which certbot and everybody trust, and which asks for the domains at this
# port. `authority` starts it, too.
prepare_authority() {
    mkdir -p /srv/acme
    openssl req -x509 -newkey rsa -nodes -days 2 -subj /CN=authority -addext subjectAltName=DNS:authority \
        -keyout /srv/acme/key.pem -out /srv/acme/cert.pem 2> /dev/null
    cat /srv/acme/cert.pem >> /etc/ssl/certs/ca-certificates.crt
    cat > /srv/acme/pebble.json << END
{"pebble": {"listenAddress": ":14000", "managementListenAddress": "127.0.0.1:15000", "httpPort": ${1-80},
    "tlsPort": 443, "certificate": "/srv/acme/cert.pem", "privateKey": "/srv/acme/key.pem"}}
END
    printf '%s = %s\n' server https://authority:14000/dir non-interactive true agree-tos true \
        register-unsafely-without-email true no-random-sleep-on-renew true > /etc/letsencrypt/cli.ini
    printf '127.0.0.1 %s\n' authority $D dogs.example.org >> /etc/hosts
}
authority() {
    prepare_authority "$@"
    systemd-run --quiet --unit=other-pebble --setenv=PEBBLE_VA_NOSLEEP=1 --setenv=PEBBLE_WFE_NONCEREJECT=0 \
        --setenv=PEBBLE_AUTHZREUSE=0 pebble -config /srv/acme/pebble.json
    visit --retry 9 --retry-all-errors https://authority:14000/dir > /srv/acme/dir
    visit --retry 9 --retry-all-errors https://localhost:15000/roots/0 >> /etc/ssl/certs/ca-certificates.crt
}

# NAME DAYS: a certificate of the authority for other names, where certbot would have it.
sign() {
    mkdir -p /etc/letsencrypt/live/example.org /etc/letsencrypt/archive/example.org
    (cd /etc/letsencrypt/archive/example.org
    openssl req -newkey rsa -nodes -subj /CN=other -addext "subjectAltName=DNS:$1" -keyout privkey1.pem |
        openssl x509 -req -days "$2" -CA /srv/acme/cert.pem -CAkey /srv/acme/key.pem -copy_extensions copy \
            -out fullchain1.pem
    for name in privkey fullchain; do
        ln -sf ../../archive/example.org/${name}1.pem ../../live/example.org/$name.pem
    done)
}

# [DOMAIN]: the certificate that visitors get: its issuer, its fingerprint, and whether it is for the domain.
served() {
    openssl s_client -connect localhost:443 -servername "${1-$D}" < /dev/null 2> /dev/null |
        openssl x509 -noout -issuer -nameopt RFC2253 -fingerprint -sha256 -checkhost "${1-$D}" || true
}
# COMMAND...: runs it, and waits until visitors get another certificate.
renewed() {
    before=$(served)
    "$@" || return
    while [ "$before" = "$(served)" ]; do sleep 0.1; done
    served
}

set_name() { sed -n 's|^URL=.*/\([0-9a-f]*\)/Renard-.*|\1|p' $site/environment 2> /dev/null; }

# What nginx has answered, by the head on standard input: a word for what the site sends, or else what came.
kind() {
    head=$(tr -d '\r' | sed -n '/HTTP[^ ]* [2-5]/,/^$/p' | sed '/^$/q') # a 100 Continue is no answer
    value() { echo "$head" | sed -n "s/^$1: //Ip"; }
    answer="$(echo "$head" | sed -n '1s/.*HTTP[^ ]* \([0-9]*\).*/\1/p') $(value Content-Type), $(value Cache-Control), \
$(value Location), $(value Access-Control-Allow-Origin), $(value Cross-Origin-Resource-Policy)"
    case $answer in
    "302 , private, no-store, https://$D/$(set_name)/Renard-"[1-4]'.png, *, cross-origin') echo redirect ;;
    '200 image/png, public, max-age=31536000, immutable, , *, cross-origin') echo kept ;;
    20[03]' image/png, no-cache, no-store, max-age=0, , *, cross-origin') echo random ;;
    '410 text/html, no-cache, no-store, max-age=0, , *, cross-origin') echo gone ;;
    *) echo "got $answer" ;;
    esac
}
# URL [OPTION...]: asks for a path of the site, by https; SET stands for its set. The body is in /srv/body.
get() {
    path=$(echo "$1" | sed "s/SET/$(set_name)/")
    shift
    visit --dump-header - --output /srv/body "$@" "https://$D$path" | kind
}
# PORT TEXT: sends the bytes that printf makes of it, in one write; the answer ends when nginx closes, also by a reset.
# tls for port 443.
raw() {
    case $1 in
    tls) /usr/bin/printf "$2" | timeout 30 openssl s_client -quiet -connect 127.0.0.1:443 ;;
    *) bash -c 'exec 3<>/dev/tcp/127.0.0.1/$1; /usr/bin/printf "$2" >&3; timeout 30 cat <&3' raw "$@" ;;
    esac 2> /dev/null | tr -d '\0' | kind
}

# All sorts of requests, none of which is for a picture: the arguments of visit, or raw and its own. $long has 7,500
# bytes: nginx takes lines of up to 8 KB.
long=$(printf '%07500d' 0)
requests() {
    for url in "http://$D" "https://$D"; do
        for method in POST PUT DELETE OPTIONS PATCH PROPFIND TRACE CONNECT FOX; do echo "-X $method $url/x"; done
        for path in / //x /../../etc/passwd /.well-known '/x.png?dateline=1&y=%00' '/é%20%ff' /avatar7.png /picture \
            /Renard-1.png /01234567/Renard-0.png /01234567/Renard-01.png /x/01234567/Renard-1.png \
            /01234567/Renard-1.png/ /01234567/Renard-1.pngx /0123456/Renard-1.png /01234567/Renard-1.svg \
            '/$long' '/$long$long'; do echo "\"$url$path\""; done
        for version in --http1.1 --http2; do
            printf '%s\n' "$version $url" "$version --request-target /%zz $url" "$version --data x=1 $url" \
                "$version --data \$long $url"
        done
        printf '%s\n' "--head $url/x" "--http1.0 $url/x" "-X OPTIONS --request-target '*' $url" \
            "--upload-file /usr/bin/openssl $url/x" "-H 'Transfer-Encoding: chunked' --data \$long $url/x" \
            "-H A:\$long -H B:\$long -H C:\$long -H D:\$long $url/x" "-H A:\$long\$long $url/x" \
            "-H 'Host: evil.example.org' $url/x" "-H 'Connection: upgrade' -H 'Upgrade: websocket' $url" \
            "-H 'Range: bytes=0-3' $url" "-H 'Expect: 100-continue' --data x $url" "--data \$long $url/Renard-1.png"
    done
    host="Host: $D\\r\\nConnection: close\\r\\n"
    for at in 80 tls 443; do # also in the clear on port 443
        post="raw $at 'POST /x HTTP/1.1\\r\\n$host"
        printf '%s\n' "${post}Transfer-Encoding: gzip\\r\\n\\r\\n'" "${post}Content-Length: x\\r\\n\\r\\n'" \
            "${post}Content-Length: 1\\r\\n\\r\\na'" "${post}Content-Length: 9\\r\\n\\r\\na'" \
            "${post}Transfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n'" \
            "${post}Content-Length: 3\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n'" \
            "${post}Transfer-Encoding: chunked\\r\\n\\r\\nzz\\r\\n'" "raw $at 'GET /x HTTP/3.0\\r\\n$host\\r\\n'" \
            "raw $at 'GET /x HTTP/1.1\\r\\n${host}If-Match: x\\r\\n\\r\\n'" \
            "raw $at 'GET /x HTTP/1.1\\r\\nConnection: close\\r\\n\\r\\n'" \
            "raw $at 'GET /x HTTP/1.1\\r\\n${host}Host: other.example.org\\r\\n\\r\\n'" \
            "raw $at 'GET /x HTTP/1.1\\r\\nHost: ..\\r\\n\\r\\n'" "raw $at 'get /x HTTP/1.1\\r\\n$host\\r\\n'" \
            "raw $at 'noise\\r\\n\\r\\n'" "raw $at 'HEAD /x HTTP/x\\r\\n\\r\\n'" \
            "raw $at \"HEAD /\$long\$long HTTP/1.1\\r\\n\\r\\n\""
    done
}
# KIND: sends them all at once, and prints those whose answer is of another kind, and how many there are. nginx refuses
# bodies, and may then send a random picture in place of a redirect.
all_get() {
    requests > /srv/requests
    while IFS= read -r line; do
        {
            case $line in raw*) got=$(eval "$line") ;; *) got=$(eval "visit -D - -o /dev/null $line" | kind) ;; esac
            case $got,$line in
            "$1",* | random,*--data* | random,*--upload* | random,*Content-Length* | random,*Transfer-Encoding*) ;;
            *) echo "$got: $line" ;;
            esac
        } &
    done < /srv/requests
    wait
    sed -n '$=' /srv/requests
}

# Without Debian's own site, which answers on port 80 whoever names no domain.
alone() { rm -f $enabled/default && systemctl reload nginx; }
# Draws are old after a second in place of five minutes. deploy/check has fetched some.
renew_sooner() { edit 's/valid 302 5m/valid 302 1s/' && forget_draws; }
# As after a boot.
forget_draws() { systemctl stop nginx && find /run/avatar -type f -delete && systemctl start nginx; }
fetch_draws() {
    for lot in $(seq 60); do
        visits 300 > /srv/said
        [ "$(find /run/avatar -type f ! -name '*.*' | wc -l)" != 64 ] || return 0
    done
    return 1
}
hang() { kill -STOP "$(systemctl show --property=MainPID --value avatar)"; }
# COUNT [OPTION...]: where so many visits on one connection are led to.
visits() {
    count=$1
    shift
    visit --output /dev/null --write-out '%{http_code} %{redirect_url}\n' "$@" "https://$D/[1-$count]"
}
# How many of 200 new visitors in six seconds, one of whom would wait for a second, and of 2,000 who stay connected, get
# a redirect; one may be slow on a busy machine.
nobody_waits() {
    for n in $(seq 200); do
        visit --http2 --output /dev/null --write-out '%{http_code} %{time_total}\n' "https://$D/$n"
        sleep 0.02
    done > /srv/waits
    awk '$2 < 0.9 { n++ } END { print (n > 198 ? "at once" : n) }' /srv/waits
    cut -d ' ' -f 1 /srv/waits | sort | uniq -c
    timeout 60 visit --output /dev/null --write-out '%{http_code}\n' "https://$D/[1-2000]" | sort | uniq -c
}
# OPTION...: how nginx answers so many requests of twenty clients at once.
flood() { timeout 120 h2load -c20 -n15000 "$@" 2> /dev/null | sed -n 's/^status codes: //p'; }
# KB that nginx's worker processes have.
workers() { pgrep -f 'nginx: [w]orker'; }
memory() {
    for pid in $(workers); do cat "/proc/$pid/smaps_rollup"; done | awk '/^Pss:/ { all += $2 } END { print all }'
}
# What nginx has written to the disk.
log_lines() { { journalctl -t nginx --output cat; cat /var/log/nginx/*.log; } | wc -l; }
