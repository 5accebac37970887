package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Other sites and programs go on beside avatar, and it goes on beside them. */
@Needs(BOX)
class OthersIT extends CatsSite {

    private static final String OTHER = "/etc/nginx/conf.d/other.conf";

    private List<String> folders() {
        return share(List.of("sites-enabled", "conf.d"));
    }

    /** The site's file is the last that nginx reads: another site stays the default of its ports, with its TLS. */
    @ParameterizedTest
    @MethodSource("folders")
    void installsBesideOtherSites(String folder) {
        boolean isDebians = folder.equals("sites-enabled");
        box.run("""
                cd /root
                deploy/remove
                cp /etc/nginx/nginx.conf .
                %s sed -i '/sites-enabled/d' /etc/nginx/nginx.conf
                rm /etc/nginx/sites-enabled/default
                cat > /etc/nginx/$0/yy.conf <<'END'
                limit_conn_zone $binary_remote_addr zone=client:10m;
                limit_req_zone $binary_remote_addr zone=site:10m rate=9r/s;
                upstream jvm { zone jvm 1m; server 127.0.0.1:7777; }
                server { listen 80; listen [::]:80; listen 443 ssl; listen unix:/run/other.sock;
                    server_name other.example.org; ssl_protocols TLSv1.2;
                    ssl_certificate /etc/avatar/self-signed/fullchain.pem;
                    ssl_certificate_key /etc/avatar/self-signed/privkey.pem;
                    location / { return 200 other; } }
                server { # listen 127.0.0.1:80;
                    listen 127.0.0.1:8080; listen [::1]:8443; proxy_cache off; }
                END
                systemctl reload nginx""".replace("$0", folder).formatted(isDebians ? "true" : ""));
        assertReports(4, ADDRESS + "png", box.install(""));
        assertEquals(
                "/etc/nginx/" + folder + "/zz-avatar.conf",
                box.run("nginx -T 2> /root/said | sed -n 's/^# configuration file \\(.*\\):/\\1/p' | tail -n 1"));
        box.run("! grep warn /root/said");
        for (String restarted : List.of("true", "systemctl restart nginx")) {
            box.run(restarted);
            for (String scheme : List.of("http://", "https://")) {
                assertEquals("other", box.run("visit " + scheme + "other.example.org/x"));
                assertEquals("other", box.run("visit " + scheme + "any.example.net/x"));
                box.run("visit --head " + scheme + CATS + "/x | grep -F 'ocation: https://" + CATS + "/'");
            }
            assertFalse(box.succeeds("visit --tlsv1.3 https://other.example.org/x"));
            assertEquals("other", box.run("visit --unix-socket /run/other.sock http://other.example.org/x"));
        }
        box.run("""
                cd /root
                deploy/remove
                rm /etc/nginx/$0/yy.conf
                cp nginx.conf /etc/nginx
                ln -s ../sites-available/default /etc/nginx/sites-enabled
                systemctl restart nginx""".replace("$0", folder));
    }

    /**
     * Where nginx cannot listen, nginx -t and nginx -s reload both end with 0, the running nginx goes on with its
     * former files, and the next boot fails. A site at an address to which the domain does not lead is no conflict.
     */
    @Test
    void anUpdateThatNginxDoesNotTakeIsRefused() {
        box.run("ip link add fox0 type veth peer name fox1; ip address add 192.0.2.9/24 dev fox0"
                + "; ip link set fox0 up; ip link set fox1 up; rm /etc/nginx/sites-enabled/default");
        box.run("echo 'server { listen 192.0.2.9:80; return 200 other; }' > " + OTHER);
        String said = box.install("");
        // In some containers systemd cannot keep others from the Java program.
        boolean isOpen = box.succeeds("visit http://192.0.2.9:6666/");
        assertEquals(isOpen, said.contains("\nThe Java program answers at 192.0.2.9 too, "), said);
        assertEquals("other", box.run("curl -s http://192.0.2.9/"));
        // nginx cannot open the port beside the former address, nor where another program has it.
        box.run("echo 'server { listen 127.0.0.1:8080; }' > " + OTHER + "; systemctl restart nginx"
                + "; systemd-run --quiet --collect --unit=other python3 -m http.server 8081"
                + "; until ss -Hltn | grep -q ':8081 '; do sleep 0.1; done");
        for (String port : share(List.of("8080", "8081"))) {
            box.run("echo 'server { listen " + port + "; }' > " + OTHER);
            var state = new State(box);
            Command refused = box.tryInstall("");
            String says = "deploy/install: nginx does not take its files with the site. It says: "
                    + "[^\n]*\\[emerg\\][^\n]*:" + port + "[^\n]*\n"
                    + "deploy/install: all but packages is as before\n";
            assertTrue(refused.output().matches("(?s).*" + says), refused::output);
            assertEquals(1, refused.status());
            state.assertUnchanged();
            assertTrue(box.run("visit --head https://" + CATS + "/").contains(" 302 "));
        }
        box.run("systemctl stop other; rm " + OTHER);
        box.run("ip link del fox0; ln -s ../sites-available/default /etc/nginx/sites-enabled; systemctl restart nginx");
    }

    /** An Apache that runs on another port may stay, and so may a unit of nginx that names its own file. */
    @Test
    void whatIsNotInTheWayMayStay() {
        box.run("""
                sed -i 's/^Listen 80$/Listen 8080/' /etc/apache2/ports.conf
                systemctl enable --now apache2
                mkdir -p /etc/systemd/system/nginx.service.d
                printf '[Service]\nExecStart=\nExecStart=/usr/sbin/nginx -c /etc/nginx/nginx.conf\n' \
                    > /etc/systemd/system/nginx.service.d/own.conf
                systemctl daemon-reload""");
        box.install("");
        box.run("""
                sed -i 's/^Listen 8080$/Listen 80/' /etc/apache2/ports.conf
                systemctl disable --now apache2
                rm /etc/systemd/system/nginx.service.d/own.conf
                systemctl daemon-reload""");
    }

    /** Its first process is killed; the kernel's OOM killer, which takes a worker, is not for a test to call. */
    @Test
    void nginxStartsAgainByItself() throws Exception {
        // The file descriptors come without a restart of nginx, because another site may have visitors.
        String limits = "for pid in $(pgrep nginx); do grep 'open files' /proc/$pid/limits; done | sort -u";
        box.run("cd /root; deploy/remove; systemctl restart nginx; deploy/install");
        String running = box.run(limits);
        assertFalse(running.contains(" 1024 "), running);
        box.run("kill -KILL $(systemctl show --property=MainPID --value nginx)");
        box.awaitTrue("nginx", () -> box.succeeds("visit --head https://cats.example.org/ | grep ' 302 '"));
        assertEquals(running, box.run(limits));
        assertEquals(
                "Restart=on-failure\nOOMPolicy=continue",
                box.run("systemctl show --property=Restart --property=OOMPolicy nginx"));
        box.run("cd /root; deploy/remove | grep 'deleted .*/nginx.service.d/00-avatar.conf'");
        assertEquals("Restart=no", box.run("systemctl show --property=Restart nginx"));
        // What the operator has set otherwise stays.
        box.run("""
                mkdir -p /etc/systemd/system/nginx.service.d
                printf '[Service]\nRestart=always\n' > /etc/systemd/system/nginx.service.d/own.conf
                cd /root
                deploy/install""");
        assertEquals("Restart=always", box.run("systemctl show --property=Restart nginx"));
        box.run("rm /etc/systemd/system/nginx.service.d/own.conf; systemctl daemon-reload");
    }

    /** A kernel without IPv6, as nginx and the installation see one: no such sockets, and no /proc/net/if_inet6. */
    @Test
    void leavesIpv6OutWhereTheKernelHasNone() throws Exception {
        box.run("""
                mkdir -p /etc/systemd/system/nginx.service.d
                printf '[Service]\\nRestrictAddressFamilies=AF_UNIX AF_INET\\n' \\
                    > /etc/systemd/system/nginx.service.d/ipv4.conf
                sed -i 's/listen .::.:80/# &/' /etc/nginx/sites-available/default
                cat > /run/systemd/system/ipv4.service <<'END'
                [Service]
                Type=oneshot
                WorkingDirectory=/root
                RestrictAddressFamilies=AF_UNIX AF_INET AF_NETLINK
                ExecStart=strace -f -qq -o /dev/null -P /proc/net/if_inet6 -e trace=file -e inject=file:error=ENOENT \\
                    /root/deploy/install
                END
                systemctl daemon-reload
                systemctl stop nginx
                systemctl start ipv4""");
        assertEquals("2", box.run("grep -c '# no IPv6 here' /etc/nginx/sites-enabled/zz-avatar.conf"));
        box.run("visit --head https://cats.example.org/x | grep -F 'ocation: https://cats.example.org/'");
        box.run("""
                rm -r /etc/systemd/system/nginx.service.d
                systemctl daemon-reload
                systemctl stop nginx
                sed -i 's/# listen .::.:80/listen [::]:80/' /etc/nginx/sites-available/default
                cd /root
                deploy/install""");
    }
}
