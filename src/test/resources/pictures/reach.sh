# shellcheck shell=sh
# What a tool that a picture has taken over would try.
for file in /etc/shadow /etc/avatar/privkey.pem /etc/passwd /root/case/b.png original \
        $(find / -path /usr -prune -o -name "*.png" -print 2> /dev/null); do
    ! cat "$file" > /dev/null 2>&1 || said="$said reads $file,"
done
perl -MSocket -e "socket S, PF_INET, SOCK_STREAM, 0; exit !connect S, sockaddr_in 7000, INADDR_LOOPBACK" &&
    said="$said connects,"
for place in / /usr/bin /box /box/picture /tmp /dev /etc; do
    ! (: > "$place/x") 2> /dev/null || said="$said writes $place,"
done
sleep 3.21
echo "probe:$said"
exit 126
