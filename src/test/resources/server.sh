# shellcheck shell=sh disable=SC2034,SC2119,SC2120,SC2164 # the tests use these names
# What tests do to a server, which `restore` makes what it was when `keep` was called.
D=cats.example.org
state=/var/lib/avatar site=$state/site former=$state/former settings=/etc/default/avatar
conf=/etc/nginx/nginx.conf enabled=/etc/nginx/sites-enabled other=/etc/nginx/conf.d/other.conf
cd /root

keep() {
    mkdir -p /srv/kept/etc /srv/kept/root /srv/kept$state
    for place in etc root var/lib/avatar; do rsync -a --delete /$place/ /srv/kept/$place/; done
}
restore() {
    nft flush ruleset
    systemctl stop 'other*' apache2 avatar nginx 2> /dev/null || true
    pkill -x nginx || true
    ip link delete fox0 2> /dev/null || true
    rm -f /usr/lib/systemd/system/avatar.service
    [ ! -L $state ] || rm $state
    for place in etc root var/lib/avatar; do rsync -a --checksum --delete /srv/kept/$place/ /$place/; done
    [ ! -e /run/avatar ] || find /run/avatar -type f -delete
    systemctl daemon-reload
    systemctl reset-failed
    systemctl start avatar
    until systemctl start nginx && curl -fs -o /dev/null http://127.0.0.1:6666; do sleep 0.1; done
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
upstream jvm { zone jvm 1m; server 127.0.0.1:7777; }
server { # listen 127.0.0.1:80;
    ${2-listen 80; listen [::]:80; listen 443 ssl; listen [::]:443 ssl;} listen unix:/run/shop.sock;
    server_name shop.example; ssl_protocols TLSv1.2;
    ssl_certificate /srv/fullchain.pem; ssl_certificate_key /srv/privkey.pem;
    ${3-return 301 https://shop.example/;}
}
END
}

# NAME: status and redirect, or how curl ends, at each place where a visitor may come to.
answers() {
    for url in "http://$1" "https://$1" "--tlsv1.3 https://$1" "--unix-socket /run/shop.sock http://$1"; do
        for to in 127.0.0.1 '[::1]'; do
            # shellcheck disable=SC2086 # an option and an address
            got=$(curl -q -ksg -m 9 -o /dev/null --connect-to "::$to:" -w '%{http_code} %{redirect_url}' $url) ||
                got="status $?"
            echo "$url at $to: ${got%%[?]*}"
        done
    done
}

# What others get, and whether it is the same later where somebody listened.
see_others() {
    was=$(systemctl is-active nginx) || true
    case $was in active) systemctl restart nginx ;; inactive) systemctl start nginx ;; esac
    { answers nobody.invalid; answers shop.example; } > /srv/before
    [ "$was" != inactive ] || systemctl stop nginx
    echo "$was" > /srv/was
}
same_for_others() {
    systemctl start nginx
    { answers nobody.invalid; answers shop.example; } > /srv/after
    ! grep -v 'status 7$' /srv/before | grep -vxFf /srv/after
}
