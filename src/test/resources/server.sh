# shellcheck shell=sh disable=SC2012,SC2016,SC2046,SC2034,SC2086,SC2119,SC2120,SC2164 # rows use these names
# What the rows of tests do to a server, and ask it.
D=cats.example.org
state=/var/lib/avatar site=$state/site settings=/etc/default/avatar
unit=/etc/systemd/system/avatar.service hook=/etc/letsencrypt/renewal-hooks/deploy/avatar
conf=/etc/nginx/nginx.conf enabled=/etc/nginx/sites-enabled other_site=/etc/nginx/conf.d/other.conf
port=302 # the Java program's
# What comes in answers of several rows.
success="4 pictures. The address for a profile: https://$D/me.png"
# What curl says of a certificate that nobody knows differs.
untrusted="Browsers and forums refuse this site: SSL...certificate... When the DNS leads $D here: deploy/certificate"
keeps="The site keeps its pictures; this changes them: deploy/install $D FOLDER"
all_four='Renard-1.png
Renard-2.png
Renard-3.png
Renard-4.png
of 4'
removed='avatar is removed. These remain; delete what you no longer need, or show the site again by deploy/install.'
former_files='nginx goes on with its former files; its error log, as /var/log/nginx/error.log, may say why'
read_first="deploy/install: another site of this nginx no longer answers visitors who name no site, for nginx reads \
avatar first: write default_server into that site's listen lines, which nginx -T shows
deploy/install: no site is shown"
no_ipv6='The site does not answer by IPv6, because nginx did not. Where other sites listen, add listen [::]:80 and
[::]:443; if there are none, give deploy/remove; then install again.'
random='200 image/png no-cache, no-store, max-age=0 cross-origin'
no_redirect="https://$D/me.png at 127.0.0.1: expected a redirect to one of its pictures that nobody may keep, but got \
$random: nginx does not reach the Java program, or lacks the picture
http://$D/ at 127.0.0.1: expected a redirect to one of its pictures by https, but got \
$random: nginx does not reach the Java program, or lacks the picture"
certbot='Saving debug log to /var/log/letsencrypt/letsencrypt.log
...
- - - ...' # the end of its last frame
pebble="issuer=CN=Pebble Intermediate CA ...
sha256 Fingerprint=...
Hostname $D does match certificate"
cd /root

shown() { echo $site/pictures/*; } # the folder of the set that is shown
picture() { sed -n "s/[*]/$1/; s/^URL='\(.*\)'/\1/p" $site/environment; } # NUMBER: its address
set_name() { picture 1 | cut -d / -f 4; }
jvm() { systemctl show --property=MainPID --value avatar; }

# A server with the site of four cats, and without Debian's own site, which would answer whoever names no domain.
prepare() {
    rm -f $enabled/default
    systemctl --quiet enable --now nginx
    deploy/install $D cats
}

# NAME COMMANDS: what stands in for a tool from now on.
instead() {
    mkdir -p /srv/bin
    printf '#!/bin/sh\n%s\n' "$2" | /usr/bin/install -m 755 /dev/stdin "/srv/bin/$1"
    PATH=/srv/bin:$PATH
}
# PORT ADDRESS: another program listens there.
take_port() {
    systemd-run --quiet --collect --unit="port-$1" python3 -m http.server --bind "$2" "$1"
    until ss -Hltn "sport = :$1" | grep -q .; do sleep 0.1; done
}
# UNIT LINE...: lines of the operator's own, in the section [Service].
drop_in() {
    mkdir -p "/etc/systemd/system/$1.service.d"
    { echo '[Service]' && (shift && printf '%s\n' "$@"); } > "/etc/systemd/system/$1.service.d/own.conf"
    systemctl daemon-reload
}
# [BEGIN END [NAME [FOLDER]]]: the operator's own certificate, its own authority, for a time that begins and ends so
# many days from now, and for another name than the site's.
own_certificate() (
    mkdir -p "${4-/etc/avatar}" /srv/ca
    cd "${4-/etc/avatar}"
    : > /srv/ca/index
    printf '%s\n' '[ca]' default_ca=one '[one]' database=/srv/ca/index new_certs_dir=/srv/ca policy=names \
        copy_extensions=copy rand_serial=yes default_md=sha256 '[names]' commonName=supplied > /srv/ca/conf
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=${3-$D}" \
        -addext "subjectAltName=DNS:${3-$D}" -out /srv/ca/request -keyout privkey.pem 2> /dev/null
    openssl ca -batch -selfsign -notext -config /srv/ca/conf -in /srv/ca/request -keyfile privkey.pem \
        -out fullchain.pem -startdate "$(date -u -d "${1--1} days" +%y%m%d%H%M%SZ)" \
        -enddate "$(date -u -d "${2-89} days" +%y%m%d%H%M%SZ)" 2> /dev/null
)
# END NAME: one that certbot has, and that everybody trusts.
trusted() {
    own_certificate -9 "$1" "$2" /etc/letsencrypt/live/example.org
    cat /etc/letsencrypt/live/example.org/fullchain.pem >> /etc/ssl/certs/ca-certificates.crt
}
# COMMANDS: of sed, which change the site's nginx.conf.
edit() {
    sed -i.former "$1" $site/nginx.conf
    cmp -s $site/nginx.conf $site/nginx.conf.former && return 1
    systemctl restart nginx
}
no_site() { deploy/remove > /dev/null && rm -rf $state; } # no site of avatar yet

# FILE [LISTEN [REST]]: another site of nginx, with names and TLS that other sites have.
shop() {
    mkdir -p "${1%/*}"
    [ -e /srv/fullchain.pem ] || own_certificate -1 89 shop.example /srv
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
# NAME...: status and redirect, or how curl ends, at each place where a visitor may come to.
answers() {
    for name; do
        for url in http://$name https://$name "--tlsv1.3 https://$name" "--unix-socket /run/shop.sock http://$name"; do
            for to in 127.0.0.1 '[::1]'; do
                got=$(curl -q -ksg -m 30 -o /dev/null --connect-to "::$to:" -w '%{http_code} %{redirect_url}' $url) ||
                    got="status $?"
                echo "$url at $to: ${got%%[?]*}"
            done
        done
    done
}
# COMMAND...: prints how it refuses, without what all refusals have, and five names at most of what has changed.
refused() {
    snapshot > /srv/before
    status=0
    "$@" > /srv/said 2>&1 || status=$?
    snapshot > /srv/after
    diff /srv/before /srv/after | sed -n 's/^[<>] \([^\t]*\).*/\1 has changed./p' | sort -u | head -n 5
    [ $status != 0 ] || echo 'This is no refusal.'
    sed '/^deploy.install: the former site is shown$/d; s/^deploy.install: //; /^usage: /,$d' /srv/said
}
# What an installation may touch, a line each: files, links, services, ports, and whether visitors are answered.
snapshot() {
    cd /
    find etc var/lib/avatar -type f ! -name '*-' -exec sha256sum {} + | sed 's/\([^ ]*\)  \(.*\)/\2\t\1/' | sort
    find etc var/lib/avatar -printf '%p\t%m %u %l\n' | sort
    for service in avatar nginx; do
        printf "$service\t%s %s\n" "$(systemctl is-enabled $service)" "$(systemctl is-active $service)"
    done
    ss -Hltn | awk '{ print "port " $4 "\t" }' | sort
    visit --output /dev/null --write-out 'what visitors get\t%{http_code}\n' https://$D | sed 's/302/200/'
    cd /root
} 2> /dev/null

# COMMAND...: a first installation. It says which visitors of other sites no longer get what they got, now or when nginx
# has started again.
beside() {
    systemctl restart nginx
    answers nobody.invalid shop.example | grep -v 'status 7$' > /srv/others
    status=0
    "$@" || status=$?
    for _ in now later; do
        answers nobody.invalid shop.example > /srv/others.now
        grep -vxFf /srv/others.now /srv/others | sed 's/^/lost: /'
        systemctl restart nginx
    done
    if [ $status = 0 ]; then
        answers $D | grep -qF ": 302 https://$D/" || answers $D
        nginx -T 2>&1 | grep warn
    else
        ls $site /etc/nginx/*/zz-avatar.conf 2> /dev/null
    fi
    return $status
}

# deploy/check as root's cron calls it, but for the certificate, which nobody knows: curl --insecure.
check() { sh $site/deploy/check --insecure "$@"; }
# The whole check, of a server that trusts its own certificate and has its own domain in the DNS.
check_trusting() {
    grep -qF "$D" /etc/hosts || echo 127.0.0.1 $D >> /etc/hosts
    CURL_CA_BUNDLE=/etc/avatar/fullchain.pem SSL_CERT_FILE=/etc/avatar/fullchain.pem sh $site/deploy/check "$@"
}
# COMMAND...: runs it where deploy/check looks again after 0.1 s, for what lasts.
impatient() { instead sleep 'exec /bin/sleep 0.1' && "$@"; }

# COMMAND...: runs it while visitors follow redirects and load a picture of the set. It says what they get but pictures.
unnoticed() {
    picture=$(picture 1 2> /dev/null) || true # where deploy/install has shown a site
    : > /run/visitors
    while [ -e /run/visitors ]; do
        visit --location --write-out '%{http_code} %{size_download}\n' \
            --output /dev/null https://$D/me.png ${picture:+--output /dev/null "$picture"} || true
        sleep 0.1
    done > /run/visits &
    visitors=$! status=0
    "$@" || status=$?
    rm /run/visitors
    wait $visitors
    [ -s /run/visits ] || echo 'nobody came'
    grep -v '^200 [1-9]' /run/visits | sed 's/^/a visitor got /' || true
    return $status
}
# The pictures that 99 visits are led to, if they are the set's, byte for byte, and how many files the set has.
visitors_see() {
    visit --output /dev/null --write-out '%{redirect_url}\n' "https://$D/[1-99]" | sort -uV | while read -r url; do
        visit "$url" | cmp - $site/pictures/*/"${url##*/}" && echo "${url##*/}"
    done
    echo "of $(ls $site/pictures/*/ | wc -l)"
}

# What an installation says where no package is there, in two lines.
packages() { sed -n 's/^ *need \([a-z].*\)/apt-get install \1, which may take some minutes/p' deploy/install; }
# What it says when it has changed the pictures. The last line is the way back.
changed() {
    echo 'The pictures have changed. This shows the former ones again:'
    echo "sh $site/deploy/install $D $state/back/pictures/$(ls $state/back/pictures)"
}

# HEADING [BLOCK]: the commands that deploy's guides have under it, for this server's domain, as who became root by su,
# with a user's PATH.
guide() {
    sh /srv/test/guide.sh "$1" "${2-}" deploy/*.md | sed "s/avatar[.]example[.]org/$D/g" > /srv/guide
    [ -s /srv/guide ] || return 1
    after_su=$(grep -o 'PATH=$PATH:/usr/sbin' deploy/README.md)
    PATH=/srv/bin:/usr/local/bin:/usr/bin:/bin sh -ec "$after_su; . /srv/guide"
}
# WORDS: the first commands in the text of the guides that begin with them. What they copy to a server stays here.
inline() {
    sh -e -c "$(cat /root/deploy/README.md /root/deploy/operations.md | tr '\n' ' ' | grep -o "\`$1[^\`]*" |
        sed "1!d; s/^.//; s|192.0.2.1:|/root/|; s/avatar[.]example[.]org/$D/")"
}

# [PORT]: Pebble, an authority in this server, which certbot and everybody trust. It asks for domains at this port.
authority() {
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
    systemd-run --quiet --unit=other-pebble --setenv=PEBBLE_VA_NOSLEEP=1 --setenv=PEBBLE_WFE_NONCEREJECT=0 \
        --setenv=PEBBLE_AUTHZREUSE=0 pebble -config /srv/acme/pebble.json
    visit --retry 9 --retry-all-errors https://authority:14000/dir > /srv/acme/dir
    visit --retry 9 --retry-all-errors https://localhost:15000/roots/0 >> /etc/ssl/certs/ca-certificates.crt
}

# [DOMAIN]: the certificate that visitors get: its issuer, its fingerprint, and whether it is for the domain.
served() {
    openssl s_client -connect localhost:443 -servername "${1-$D}" < /dev/null 2> /dev/null |
        openssl x509 -noout -issuer -nameopt RFC2253 -fingerprint -sha256 -checkhost "${1-$D}" || true
}
# COMMAND...: runs it, and waits until visitors get another certificate, which it prints.
renewed() {
    before=$(served)
    "$@" > /srv/said 2>&1 || { cat /srv/said && return 1; }
    for _ in $(seq 300); do
        [ "$before" = "$(served)" ] || { served && return; }
        sleep 0.1
    done
    echo 'Visitors get the same certificate as before.'
}

# What nginx has answered, by the head on standard input: a word for what the site sends, or else what came.
kind() {
    tr -d '\r\0' | awk -v redirect="https://$D/$(set_name)/Renard-" '
        /^HTTP[^ ]* [2-5]/ && !status { status = $2; next } # a 100 Continue is no answer
        $0 == "" && status { ended = 1 }
        status && !ended { name = tolower($1); sub(/[^ ]* /, ""); head[name] = $0 }
        END {
            answer = status " " head["content-type:"] ", " head["cache-control:"] ", " head["location:"]
            if (head["access-control-allow-origin:"] head["cross-origin-resource-policy:"] == "*cross-origin")
                answer = answer ", cross-origin"
            if (index(answer, "302 , private, no-store, " redirect) && answer ~ /-[1-4].png, cross-origin$/)
                answer = "redirect"
            if (answer == "200 image/png, public, max-age=31536000, immutable, , cross-origin") answer = "kept"
            if (answer == "200 image/png, no-cache, no-store, max-age=0, , cross-origin") answer = "random"
            print answer
        }'
}
# PATH [OPTION...]: asks the site for it, by https; SET in PATH stands for its set. The body is in /srv/body.
get() {
    path=$(echo "$1" | sed "s/SET/$(set_name)/")
    shift
    visit --dump-header - --output /srv/body "$@" "https://$D$path" | kind
}
# [KIND]: sends all requests of requests.txt, twenty at once, and prints those whose answer is not that of the file, or
# KIND, and how many there are. Bytes go out in one write, and the answer ends when nginx closes, also by a reset.
ask_all() {
    grep -v '^#' /srv/test/requests.txt | sed "s/ZEROS/$(printf '%07500d' 0)/g
        s/HOST/Host: $D\\\\r\\\\nConnection: close\\\\r\\\\n/" | {
        set -f
        number=0
        while read -r wanted request; do
            case $request in raw*) places='80 tls 443' ;; *) places='http https' ;; esac
            for place in $places; do
                [ $(((number += 1) % 20)) != 0 ] || wait
                {
                    bytes=${request#raw }
                    got=$(case $place in
                        http*) visit -D - -o /dev/null $(echo "$request" | sed "s|@|$place://$D|") ;;
                        tls) /usr/bin/printf "$bytes" | timeout 30 openssl s_client -quiet -connect 127.0.0.1:443 ;;
                        *) bash -c 'exec 3<>/dev/tcp/127.0.0.1/$0; /usr/bin/printf "$1" >&3; timeout 30 cat <&3' \
                            "$place" "$bytes" ;;
                        esac 2> /dev/null | kind)
                    [ "$got" = "${1-$wanted}" ] || printf '%.150s\n' "$got by $place: $request"
                } &
            done
        done
        wait
        echo $number
    }
}

# As after a boot.
empty_cache() { systemctl stop nginx && find /run/avatar -type f -delete && systemctl start nginx; }
# All 64 redirects, and none of a former site.
fill_cache() {
    empty_cache
    for _ in $(seq 60); do
        visits 300 > /srv/said
        [ "$(find /run/avatar -type f ! -name '*.*' | wc -l)" != 64 ] || return 0
    done
    return 1
}
# COUNT: where so many visits on one connection are led to.
visits() { visit --output /dev/null --write-out '%{http_code} %{redirect_url}\n' "https://$D/[1-$1]"; }
# How many of 100 new visitors, and of 1,000 who stay connected, get what. Where the Java program hangs, nginx asks it
# once a second, and one visitor waits for that. 70 are those who need not wait if a busy machine takes 0.4 s for each.
nobody_waits() {
    for n in $(seq 100); do
        visit --http2 --output /dev/null --write-out '%{http_code} %{time_total}\n' "https://$D/$n"
        sleep 0.02
    done > /srv/waits
    awk '$2 < 0.9 { n++ } END { print (n > 70 ? "at once" : n " of 100 at once") }' /srv/waits
    cut -d ' ' -f 1 /srv/waits | sort | uniq -c
    timeout 60 visit --output /dev/null --write-out '%{http_code}\n' "https://$D/[1-1000]" | sort | uniq -c
}
# OPTION...: how nginx answers so many requests of twenty clients at once.
flood() { timeout 120 h2load -c20 -n15000 "$@" 2> /dev/null | sed -n 's/^status codes: //p'; }
