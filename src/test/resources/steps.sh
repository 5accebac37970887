# shellcheck shell=sh
# A folder of commands in front of PATH makes a step of each with which deploy/install, deploy/certificate and certbot's
# hook change the disk or the services: afterwards it runs /root/then, in which $step is its number. A command that only
# reads is no step.
mkdir /root/bin
cd /root/bin || exit
cat > step << 'END'
#!/bin/sh
PATH=${PATH#/root/bin:}
case "${0##*/} $*" in
'cat '?* | find*[!+e] | 'nginx -'* | 'openssl '[sx]* | systemctl*' is-'* | systemctl*' show '*) exec "${0##*/}" "$@" ;;
esac
"${0##*/}" "$@" || status=$?
step=$(($(cat /root/step) + 1))
echo $step > /root/step
. /root/then
exit ${status:-0}
END
for name in cat chmod cp find ln mkdir mv nginx openssl rm rmdir sync systemctl; do ln -s step $name; done

# It leaves to the kernel when its files are on the disk, as certbot does.
cat > certbot << 'END'
#!/bin/sh
cd /etc/letsencrypt || exit
mkdir -p live/cats.example.org archive/cats.example.org
n=$(date +%s%N)
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 -subj /CN=authority \
    -addext subjectAltName=DNS:cats.example.org -keyout archive/cats.example.org/privkey$n.pem \
    -out archive/cats.example.org/fullchain$n.pem 2> /dev/null
for name in privkey fullchain; do
    ln -sf ../../archive/cats.example.org/$name$n.pem live/cats.example.org/$name.pem
done
[ "$1" != renew ] || RENEWED_LINEAGE=$PWD/live/cats.example.org renewal-hooks/deploy/avatar
END

# Begins anew: a site of three cats, the project's own files, and a folder with a picture that nobody has seen.
cat > begin << 'END'
cd /root
echo : > then
rm -rf deploy new
cp -r pristine deploy
cp -r cats new
convert -size 80x80 "xc:#$(openssl rand -hex 3)" new/new.png
[ ! -e /etc/letsencrypt/live ] && grep -qs COUNT=3 /etc/default/avatar && cmp -s former /etc/default/avatar || {
    rm -rf /etc/letsencrypt/*
    deploy/install --replace cats.example.org cats > /dev/null
}
cp /etc/default/avatar former
END

# Prints what is wrong with the site when a change is complete: what a visitor sees, what is left, empty, or damaged.
cat > faults << 'END'
sh /usr/local/lib/avatar/check --insecure 2>&1
ls -d /var/tmp/avatar-install.* /var/lib/avatar/.new 2> /dev/null
find /etc /usr/local/lib /var/lib/avatar -name '.*~'
find /etc/avatar /etc/nginx/sites-enabled /etc/systemd/system/avatar* /usr/local/lib/avatar -type f -empty
cd /var/lib/avatar
ls | tail -n +3
for set in *; do
    [ "$(find $set -name '[!.]*' -type f | sort -V | xargs cat | sha256sum | cut -c 1-8)" = $set ] || ls -lA $PWD/$set
done
END
chmod 755 step certbot
