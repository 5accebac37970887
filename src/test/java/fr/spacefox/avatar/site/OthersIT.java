package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Other sites and programs go on beside avatar, and it goes on beside them. */
@Needs(BOX)
@Order(0)
class OthersIT extends CatsSite {

    private List<String[]> whoNamesNoSiteGetsWhatWasThere() throws IOException {
        return share(rows("others.txt").toList());
    }

    /** Visitors of other sites get what they got. A refusal says what to do, and does not stop an nginx that ran. */
    @ParameterizedTest(name = "{0}")
    @MethodSource
    void whoNamesNoSiteGetsWhatWasThere(String script, String says) {
        run("no_site\n" + script + "\nsee_others");
        Command said = attempt("deploy/install $D cats");
        assertTrue(said.output().contains(says), said::output);
        if (said.status() != 0) {
            assertTrue(said.output().endsWith("\ndeploy/install: the site is as before\n"), said::output);
            String state = run("[ ! -e $site ]; systemctl is-active nginx || true");
            assertEquals(run("sed 's/.*ing/active/' /srv/was"), state); // reloading or activating
            run("same_for_others");
            if (!says.contains("default_server")) return;
            run("sed -i -E 's/listen ([^; ]*80|[^ ;]*443 ssl);/listen \\1 default_server;/g'"
                    + " $(grep -rl shop.sock /etc/nginx); deploy/install $D cats");
        }
        run("same_for_others; systemctl restart nginx; same_for_others; answers $D | grep \": 302 https://$D/\"");
        assertFalse(run("nginx -T 2>&1").contains("warn"));
    }

    private List<Arguments> listensByIpv6WhereOthersDo() {
        return share(List.of(
                Arguments.of("listen 80; listen *:443 ssl;", "80 443"),
                Arguments.of("listen 0.0.0.0:80; listen 443 ssl; listen [::]:443 ssl;", "80"),
                Arguments.of("listen 8080; listen [::1]:8443;", "none")));
    }

    /** Visitors of a site without IPv6 who come by its AAAA record fall back to IPv4, if nobody answers there. */
    @ParameterizedTest
    @MethodSource
    void listensByIpv6WhereOthersDo(String lines, String closed) {
        run("no_site; address 192.0.2.9/24; shop $enabled/shop '" + lines + "'; systemctl restart nginx");
        String said = run("deploy/install $D cats");
        for (String port : List.of("80", "443"))
            assertEquals(
                    closed.contains(port),
                    run("ss -Hltn6 'sport = :" + port + "'").isEmpty());
        assertEquals(!closed.equals("none"), said.contains("\nThe site does not answer by IPv6, "), said);
        // In some containers systemd cannot keep others from the Java program.
        boolean isOpen = box.succeeds("visit --max-time 2 http://192.0.2.9:6666/");
        assertEquals(isOpen, said.contains("\nThe Java program answers at 192.0.2.9 too, "), said);

        // What these words ask for: http and https at both addresses. shop, the default, has no TLS 1.3.
        run("sed -i 's/listen [^[].*;/listen 80; listen 443 ssl; listen [::]:80; listen [::]:443 ssl;/'"
                + " $enabled/shop; deploy/install; answers $D | grep -c ': 302 ' | grep -x 4");
    }

    /** Its first process is killed, and it comes back with its file descriptors; the operator's settings win. */
    @Test
    void nginxStartsAgainByItself() throws Exception {
        run("kill -KILL $(systemctl show --property=MainPID --value nginx)");
        box.awaitTrue("nginx", () -> run("answers $D").contains(": 302 "));
        run("! grep 'open files *1024 ' /proc/$(systemctl show --property=MainPID --value nginx)/limits");
        String restarts = "systemctl show --property=Restart --property=OOMPolicy nginx";
        assertEquals("Restart=on-failure\nOOMPolicy=continue", run(restarts));
        // What the operator has set otherwise stays.
        run("drop_in nginx Restart=always; deploy/install");
        assertEquals("Restart=always\nOOMPolicy=continue", run(restarts));
    }

    /** A kernel without IPv6, as nginx and the installation see one: no such sockets, and no /proc/net/if_inet6. */
    @Test
    void leavesIpv6OutWhereTheKernelHasNone() {
        run("""
                drop_in nginx 'RestrictAddressFamilies=AF_UNIX AF_INET'
                sed -i 's/listen .::.:80/# &/' $enabled/default
                cat > /run/systemd/system/other.service << 'END'
                [Service]
                Type=oneshot
                WorkingDirectory=/root
                RestrictAddressFamilies=AF_UNIX AF_INET AF_NETLINK
                ExecStart=strace -f -qq -o /dev/null -P /proc/net/if_inet6 -e trace=file -e inject=file:error=ENOENT \\
                    /root/deploy/install
                END
                systemctl daemon-reload
                systemctl stop nginx
                systemctl start other
                answers $D | grep -c ': 302 ' | grep -x 3""");
    }
}
