package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static fr.spacefox.avatar.support.Needs.Tool.IMAGEMAGICK;
import static fr.spacefox.avatar.support.Needs.Tool.PYTHON;
import static fr.spacefox.avatar.support.Needs.Tool.STRACE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** deploy/install on a server that has other programs and other sites. */
@Needs({BOX, IMAGEMAGICK, PYTHON})
class ServersIT {

    private static final String CATS = "cats.example.org";
    private static final String OTHER = "/etc/nginx/conf.d/other.conf";

    private static final String NEEDS_ALL =
            "avatar needs ports 80 and 443 of all addresses. For other sites too, write \"listen PORT\" and"
                    + " \"listen [::]:PORT\", without an address, ipv6only and proxy_protocol: " + OTHER + ": ";

    private static final Boxes BOXES = new Boxes(box -> {
        Box.drawFoxes(1, box.path("/root/cats"));
        box.run("""
                cd /root
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=other \\
                    -keyout other.key -out other.pem
                systemctl enable --now nginx""");
    });

    @AfterAll
    static void discard() throws Exception {
        BOXES.close();
    }

    /** What is on the server, and what deploy/install says; ... stands for anything. */
    private record Case(String prepare, String message, String repair) {
        @Override
        public String toString() {
            return prepare;
        }
    }

    private static Case program(String port, String address, String unit, String remedy) {
        String other =
                "other-" + port + address.replaceAll("\\W", "-"); // a unit that has ended keeps its name for a while
        return new Case(
                unit + "; systemd-run --quiet --collect --unit=" + other + " python3 -m http.server --bind " + address
                        + " " + port + "; until ss -Hltn | grep ':" + port + " '; do sleep 0.1; done",
                "port " + port + " is taken: python3, process .... " + remedy,
                "systemctl stop " + other + "; systemctl start nginx");
    }

    private static Case site(String lines, String message) {
        return new Case("echo '" + lines + "' > " + OTHER, message, "rm " + OTHER);
    }

    private static Case listen(String line) {
        return site(
                "server { " + line + "; ssl_certificate /root/other.pem; ssl_certificate_key /root/other.key; }",
                NEEDS_ALL + line);
    }

    private static Stream<Case> cases() {
        String end = "End it, or see \"Behind another web server\" in deploy/operations.md";
        return Stream.of(
                program("80", "0.0.0.0", "systemctl stop nginx", end),
                program("80", "127.0.0.2", "systemctl stop nginx", end),
                program("443", "::", ":", end),
                program("443", "127.0.0.1", ":", end),
                program("6666", "127.0.0.1", ":", "End it, or choose another PORT in /etc/default/avatar"),
                new Case(
                        "systemctl stop nginx; nginx",
                        "port 80 is taken: nginx, process .... " + end,
                        "nginx -s stop; until systemctl start nginx; do sleep 0.1; done"),
                listen("listen 127.0.0.1:80"),
                listen("listen 127.0.0.2:443 ssl"),
                listen("listen localhost"),
                listen("listen [::1]:80"),
                listen("listen 443 ssl proxy_protocol"),
                new Case(
                        "rm /etc/nginx/sites-enabled/default; echo 'server { listen [::]:80 ipv6only=off; }' > " + OTHER
                                + "; systemctl restart nginx",
                        NEEDS_ALL + "listen [::]:80 ipv6only=off",
                        "ln -s ../sites-available/default /etc/nginx/sites-enabled; rm " + OTHER
                                + "; systemctl restart nginx"),
                site(
                        "server { listen 80; server_name dogs.example.org " + CATS + "; }",
                        "another site of nginx has the domain " + CATS + "; nginx -T shows it"),
                site(
                        "server { listen 443 ssl; server_name " + CATS
                                + "; ssl_certificate /root/other.pem; ssl_certificate_key /root/other.key; }",
                        "another site of nginx has the domain " + CATS + "; nginx -T shows it"),
                site(
                        "server { listen 80; fox on; }",
                        "nginx refuses its files; they are as before. It says:...unknown directive \"fox\" in " + OTHER
                                + ":1..."),
                new Case(
                        "sed -i 's|include /etc/nginx/conf.d|# &|' /etc/nginx/nginx.conf",
                        "nginx.conf does not include /etc/nginx/conf.d/*.conf",
                        "sed -i 's|# include /etc/nginx/conf.d|include /etc/nginx/conf.d|' /etc/nginx/nginx.conf"),
                new Case(
                        "systemd-run --quiet --collect --unit=other flock /etc/default sleep 300;"
                                + " until ! flock -n /etc/default true; do sleep 0.1; done",
                        "another deploy/install or deploy/remove is running",
                        "systemctl stop other"),
                new Case( // whatever the reason may be: here a jar that is not there
                        "mkdir -p /etc/systemd/system/avatar.service.d; printf '[Service]\\nExecStart=\\n"
                                + "ExecStart=/usr/bin/java -jar /fox.jar\\nRestart=no\\n'"
                                + " > /etc/systemd/system/avatar.service.d/other.conf",
                        "the Java program does not answer: Error: Unable to access jarfile /fox.jar",
                        "rm -r /etc/systemd/system/avatar.service.d; systemctl daemon-reload"));
    }

    private static Stream<Arguments> casesOnBothDebians() {
        return cases().flatMap(one -> Arrays.stream(Debian.values()).map(debian -> Arguments.of(debian, one)));
    }

    @ParameterizedTest
    @MethodSource("casesOnBothDebians")
    @Execution(ExecutionMode.CONCURRENT)
    void namesWhatIsInTheWayAndLeavesEverythingAsItWas(Debian debian, Case one) throws Exception {
        BOXES.use(debian, box -> {
            box.run(one.prepare());
            try {
                assertRefused(box, one.message());
            } finally {
                box.run(one.repair());
            }
        });
    }

    private static void assertRefused(Box box, String message) {
        var state = new State(box);
        Command said = box.tryInstall(CATS + " cats");
        String pattern = "(?s)(avatar \\w{12} for " + CATS + "\n)?deploy/install: \\Q"
                + message.replace("...", "\\E.*\\Q") + "\\E\n";
        assertTrue(said.output().matches(pattern), said::output);
        assertEquals(1, said.status());
        state.assertUnchanged();
    }

    /** nginx -t is content with a program of its own that shares a port with http, but nginx does not start. */
    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void noticesThatNginxWouldNotStart(Debian debian) throws Exception {
        BOXES.use(debian, box -> {
            if (!box.succeeds("ls /usr/share/nginx/modules/ngx_stream_module.so")) {
                Debian.skip("libnginx-mod-stream is not installed");
            }
            box.run("""
                    cat > /etc/nginx/modules-enabled/stream.conf <<'END'
                    load_module modules/ngx_stream_module.so;
                    stream { server { listen 443; listen [::]:443; proxy_pass 127.0.0.1:8443; } }
                    END
                    mv /etc/nginx/modules-enabled/*mod-stream.conf /tmp || true
                    systemctl restart nginx""");
            try {
                assertRefused(
                        box,
                        "nginx would not start with avatar's ports 80 and 443 beside one of these lines: ..."
                                + "/etc/nginx/modules-enabled/stream.conf: listen 443; ...");
                box.run("systemctl restart nginx");
            } finally {
                box.run("rm /etc/nginx/modules-enabled/stream.conf; systemctl restart nginx");
            }
        });
    }

    /** nginx runs with an address that its files no longer have, and cannot open port 80 before its next start. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void undoesEverythingWhenTheSiteDoesNotAnswer() throws Exception {
        BOXES.use(Debian.THIS, box -> {
            box.run("""
                    rm /etc/nginx/sites-enabled/default
                    echo 'server { listen 127.0.0.1:80; }' > /etc/nginx/conf.d/other.conf
                    systemctl restart nginx
                    echo 'server { listen 80; }' > /etc/nginx/conf.d/other.conf""");
            try {
                assertRefused(
                        box,
                        "https://" + CATS + "/me.png answers '000 ' and no redirect to a picture."
                                + " /var/log/nginx/error.log may say why");
                box.run("visit --output /dev/null http://localhost/; systemctl restart nginx");
            } finally {
                box.run("rm /etc/nginx/conf.d/other.conf; ln -s ../sites-available/default /etc/nginx/sites-enabled"
                        + "; systemctl restart nginx");
            }
        });
    }

    /** Other sites go on, avatar answers beside them, and nginx starts again. */
    @ParameterizedTest
    @EnumSource
    @Execution(ExecutionMode.CONCURRENT)
    void installsBesideOtherSites(Debian debian) throws Exception {
        BOXES.use(debian, box -> {
            box.run("""
                    cat > /etc/nginx/conf.d/other.conf <<'END'
                    limit_conn_zone $binary_remote_addr zone=client:10m;
                    limit_req_zone $binary_remote_addr zone=site:10m rate=9r/s;
                    upstream jvm { zone jvm 1m; server 127.0.0.1:7777; }
                    server { listen 80; listen [::]:80; listen *:443 ssl default_server; listen unix:/run/other.sock;
                        server_name other.example.org *.example.org;
                        ssl_certificate /root/other.pem; ssl_certificate_key /root/other.key;
                        location / { return 200 other; } }
                    server { # listen 127.0.0.1:80;
                        listen 127.0.0.1:8080; listen [::1]:8443; proxy_cache off; }
                    END
                    systemctl reload nginx""");
            try {
                box.install(CATS + " cats");
                assertEquals(
                        "nginx: the configuration file /etc/nginx/nginx.conf syntax is ok\n"
                                + "nginx: configuration file /etc/nginx/nginx.conf test is successful",
                        box.run("nginx -t 2>&1"));
                box.run("systemctl restart nginx");
                for (String scheme : new String[] {"http", "https"}) {
                    assertEquals("other", box.run("visit " + scheme + "://other.example.org/x"));
                    assertEquals("other", box.run("visit " + scheme + "://any.example.org/x"));
                    box.run("sum=$(visit --location " + scheme + "://" + CATS + "/x | sha256sum)"
                            + "; sha256sum /root/cats/* | grep \"${sum%-}\"");
                }
            } finally {
                remove(box);
                box.run("rm /etc/nginx/conf.d/other.conf; systemctl restart nginx");
            }
        });
    }

    private static void remove(Box box) {
        box.run("cd /root; deploy/remove; rm -rf /etc/avatar /etc/default/avatar /var/www/avatar");
    }

    /** nginx's table has no room for long names; what deploy/install says then is enough for the longest. */
    @ParameterizedTest
    @MethodSource("longNames")
    @Execution(ExecutionMode.CONCURRENT)
    void aLongDomainNeedsOneLine(Debian debian, String domain) throws Exception {
        BOXES.use(debian, box -> {
            box.run("echo 'server { listen 80; server_name other.example.org; }' > " + OTHER);
            try {
                var state = new State(box);
                Command said = box.tryInstall(domain + " cats");
                if (said.status() != 0) {
                    state.assertUnchanged();
                    assertTrue(
                            said.output().contains("nginx's table of names is too small for " + domain), said::output);
                    box.run(said.output().lines().reduce((first, last) -> last).orElseThrow());
                    box.install(domain + " cats");
                }
                String answer = box.run("visit --head https://" + domain + "/x");
                assertTrue(answer.contains("ocation: https://" + domain + "/Renard-"), answer);
                remove(box);
            } finally {
                box.run("rm -f " + OTHER + " /etc/nginx/conf.d/server_names.conf");
            }
        });
    }

    private static Stream<Arguments> longNames() {
        String label = "a".repeat(61) + ".";
        return Arrays.stream(Debian.values())
                .flatMap(debian -> Stream.of("a".repeat(35) + ".example.org", label.repeat(4) + "org")
                        .map(domain -> Arguments.of(debian, domain)));
    }

    /** A kernel without IPv6, as nginx and the installation see one: no such sockets, and no /proc/net/if_inet6. */
    @Test
    @Needs({BOX, STRACE})
    void leavesIpv6OutWhereTheKernelHasNone() throws Exception {
        BOXES.use(Debian.THIS, box -> {
            try {
                box.run("""
                        mkdir -p /etc/systemd/system/nginx.service.d
                        printf '[Service]\\nRestrictAddressFamilies=AF_UNIX AF_INET\\n' \\
                            > /etc/systemd/system/nginx.service.d/ipv4.conf
                        sed -i 's/listen .::.:80/# &/' /etc/nginx/sites-available/default
                        systemctl daemon-reload
                        systemctl restart nginx || { journalctl --unit nginx --lines 20; exit 1; }""");
                box.run("cd /root; systemd-run --quiet --pipe --wait --working-directory=/root"
                        + " --property='RestrictAddressFamilies=AF_UNIX AF_INET AF_NETLINK'"
                        + " strace -f -qq -o /dev/null -P /proc/net/if_inet6 -e trace=file"
                        + " -e inject=file:error=ENOENT"
                        + " deploy/install " + CATS + " cats");
                assertEquals("2", box.run("grep -c '# no IPv6 here' /etc/nginx/conf.d/avatar.conf"));
                String answer = box.run("visit --head https://" + CATS + "/x");
                assertTrue(answer.contains("ocation: https://" + CATS + "/Renard-"), answer);
            } finally {
                remove(box);
                box.run("rm -r /etc/systemd/system/nginx.service.d; systemctl daemon-reload"
                        + "; sed -i 's/# listen .::.:80/listen [::]:80/'"
                        + " /etc/nginx/sites-available/default; systemctl restart nginx");
            }
        });
    }
}
