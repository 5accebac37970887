package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.LeftOut;
import fr.spacefox.avatar.support.Needs;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What deploy/install refuses, also beside other programs and sites: it names the culprit, and nothing has changed. */
@Needs(BOX)
class RefusalsIT extends EachDebian {

    private static final String CATS = "cats.example.org";
    private static final String SETTINGS = "/etc/default/avatar";
    private static final String OTHER = "/etc/nginx/conf.d/other.conf";

    private static final String NO_DOMAIN = "'%s' is no domain: write one first, with letters outside ASCII as xn--...";
    private static final String NO_URL =
            ": write http:// or https://, one *, and what is not ASCII with %, such as %C3%A9";
    private static final String NO_NAME = ": a name here has only letters, digits, . _ - and one * before the ending";
    private static final String UNANSWERED = "the site does not answer as it should:\n<.*>";
    private static final String NO_REDIRECT = ": expected status 302, 0 bytes, Location: https://" + CATS
            + "/Renard-*.png, Cache-Control: private, no-store, but got <.*>";

    @BeforeParameterizedClassInvocation
    void prepare() throws Exception {
        Box.drawFoxes(2, box.path("/root/cats"));
        box.run("""
                cd /root
                cp -r deploy /tmp
                mkdir empty
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=other \\
                    -keyout other.key -out other.pem
                ip link add fox0 type veth peer name fox1
                ip address add 192.0.2.9/24 dev fox0
                ip link set fox0 up
                ip link set fox1 up
                systemctl enable --now nginx""");
    }

    /** The server is broken, deploy/install is called, and the server is repaired. In says, <...> is a pattern. */
    private record Case(String breaks, String arguments, int status, String says, String repairs) {}

    private static Case wrong(String arguments, String message) {
        String says = "deploy/install: " + message + "\nusage: deploy/install [DOMAIN [FILE|FOLDER]...]";
        return new Case("", arguments, 2, says, "");
    }

    private static Case noDomain(String domain) {
        return wrong("'" + domain + "' cats", NO_DOMAIN.formatted(domain));
    }

    private static Case refused(String breaks, String arguments, String message, String repairs) {
        return new Case(breaks, arguments, 1, "deploy/install: " + message, repairs);
    }

    private static Case settings(String line, String message) {
        String key = line.substring(0, line.indexOf('='));
        String breaks = "sed 's|^" + key + "=.*|" + line + "|' deploy/avatar.default > " + SETTINGS;
        boolean mayBeEnvironments = key.equals("PORT") || key.equals("SIZE");
        return refused(breaks, "", (mayBeEnvironments ? "" : SETTINGS + ": ") + message, "");
    }

    private static Case java(String version) {
        String breaks = """
                mv /usr/bin/java /tmp
                printf '#!/bin/sh\\necho openjdk version \\\\"%s\\\\" 2022-07-19 >&2\\n' > /usr/bin/java
                chmod 755 /usr/bin/java""".formatted(version);
        String message = "/usr/bin/java is version " + version + ", but 17.0.5 or later is needed";
        return inTheWay(breaks, message, "mv /tmp/java /usr/bin/java");
    }

    private static Case program(String port, String address, String remedy) {
        String unit = "other-" + port; // a unit that has ended keeps its name for a while
        String breaks = """
                systemctl stop nginx
                systemd-run --quiet --collect --unit=%s python3 -m http.server --bind %s %s
                until ss -Hltn | grep ':%3$s '; do sleep 0.1; done""".formatted(unit, address, port);
        String message = "port " + port + " is taken: python3, process <\\d+>. " + remedy;
        return refused(breaks, CATS + " cats", message, "systemctl stop " + unit + "; systemctl start nginx");
    }

    /** What is noticed late: the version comes first, for the arguments were right. */
    private static Case late(String breaks, String arguments, String says, String repairs) {
        return new Case(breaks, CATS + " " + arguments, 1, "avatar <[0-9-]{10}> for " + CATS + "\n" + says, repairs);
    }

    private static Case inTheWay(String breaks, String message, String repairs) {
        return late(breaks, "cats", "deploy/install: " + message, repairs);
    }

    private static Case site(String lines, String message) {
        return inTheWay("echo '" + lines + "' > " + OTHER, message, "");
    }

    /** Another site has one of this server's addresses for itself. */
    private static Case listen(String line) {
        return inTheWay(
                "echo 'server { " + line
                        + "; ssl_certificate /root/other.pem; ssl_certificate_key /root/other.key; }' > " + OTHER
                        + "; systemctl restart nginx",
                UNANSWERED + "<.*>" + NO_REDIRECT,
                "rm " + OTHER + "; systemctl restart nginx");
    }

    /** On one Debian what its programs have no part in, and the others on both. */
    private Stream<Case> cases() {
        String end = "End it, or see \"Behind another web server\" in deploy/operations.md";
        String defaultSite =
                "ln -s ../sites-available/default /etc/nginx/sites-enabled; rm " + OTHER + "; systemctl restart nginx";
        String noDomains = "-h cats cat13.png 192.0.2.1 fox..org https://fox.org/ a_b.org fox.org.";
        var domains = Stream.of(noDomains.split(" ")).map(RefusalsIT::noDomain);
        var versions = Stream.of("17", "17.0.4", "11.0.22", "1.8.0_402").map(RefusalsIT::java);
        var own = Stream.of(
                wrong("", NO_DOMAIN.formatted("")),
                wrong("cats/*", NO_DOMAIN.formatted("cats/renard-1.png")),
                noDomain("a b\nfox.org"),
                noDomain("a".repeat(64) + ".org"),
                noDomain("a.".repeat(126) + "org"),
                wrong("$(printf 'r\\303\\251nard.fr') cats", NO_DOMAIN.formatted("r\u00c3\u00a9nard.fr")),
                wrong(CATS, "no new picture given, and none is in /var/www/avatar"),
                refused("", CATS + " dogs", "dogs: no such file or folder", ""),
                settings("COUNT=fox", "COUNT=fox is no number of pictures"),
                settings("COUNT=-1", "COUNT=-1 is no number of pictures"),
                settings("PORT=http", "PORT=http is no port"),
                settings("PORT=0", "PORT=0 is no port"),
                settings("PORT=65536", "PORT=65536 is no port"),
                late(
                        "sed 's|^URL=.*|URL=https://cdn.example.org/{90}/*.png|' deploy/avatar.default > " + SETTINGS,
                        "",
                        "deploy/install: " + SETTINGS
                                + ": URL=https://cdn.example.org/{90}/*.png: the Java program says: URL*: <.*>",
                        ""),
                inTheWay(
                        "mv /usr/bin/java /tmp; printf '#!/bin/sh\\necho fox >&2; exit 1' > /usr/bin/java;"
                                + " chmod 755 /usr/bin/java",
                        "/usr/bin/java does not start. It says: fox",
                        "mv /tmp/java /usr/bin/java"),
                refused(
                        "cp --remove-destination $(readlink -f /etc/os-release) /etc/os-release;"
                                + " sed -i 's/^VERSION_ID=.*/VERSION_ID=\"11\"/' /etc/os-release",
                        CATS + " cats",
                        "Debian GNU/Linux <.*> is too old: Debian 12, Ubuntu 24.04 or a later one is needed",
                        "ln -sf ../usr/lib/os-release /etc/os-release"),
                refused(
                        "mkdir -p /var/www/avatar; cd /var/www/avatar; touch .htpasswd index.php 'a b.png'",
                        CATS + " cats",
                        "/var/www/avatar has files that are no pictures called Renard-*.png. This moves them away:\n"
                                + "cd /var/www/avatar && mkdir -p ../avatar-former"
                                + " && mv -n -- 'a b.png' index.php ../avatar-former",
                        "rm -r /var/www/avatar"),
                settings("SIZE=big", "SIZE=big is no number of pixels"),
                settings("SIZE=0", "SIZE=0 is no number of pixels"),
                settings(
                        "NAMES=*.png notes.txt",
                        "NAMES=*.png notes.txt: a name has only letters, digits, . _ - / and one *"),
                settings("URL=*", "URL=*" + NO_URL),
                settings("URL=https://h/caf\\xc3\\xa9/*.gif", "URL=https://h/caf\u00c3\u00a9/*.gif" + NO_URL),
                settings("URL=https://avatar.spacefox.fr/*.png;", "URL=https://avatar.spacefox.fr/*.png;" + NO_NAME),
                refused("sed /^PORT=/d deploy/avatar.default > " + SETTINGS, "", SETTINGS + " lacks PORT", ""),
                refused(
                        "sed 's|^URL=.*|URL=https://cdn.example.org/*.png|' deploy/avatar.default > " + SETTINGS,
                        "avatar.spacefox.fr cats",
                        "cats: URL in " + SETTINGS + " leads to another server; put the pictures there",
                        ""),
                late("", "empty", "deploy/pictures: no usable picture", ""));
        var others = Stream.of(
                refused(
                        "printf '[Socket]\\nListenStream=80\\n[Install]\\nWantedBy=sockets.target\\n' >"
                                + " /etc/systemd/system/other.socket; systemctl enable other.socket",
                        CATS + " cats",
                        "other.socket has port 80 or 443 after the next boot. This ends it:"
                                + " systemctl disable --now other.socket",
                        "systemctl disable other.socket; rm /etc/systemd/system/other.socket"),
                inTheWay(
                        "groupadd avatar",
                        "the Java program does not answer: avatar.service: Failed to update dynamic user credentials: "
                                + "User or group with specified name already exists.<.*>",
                        "groupdel avatar"),
                program("80", "127.0.0.2", end),
                program("443", "::", end),
                program("6666", "127.0.0.1", "End it, or choose another one: PORT=6667 deploy/install ..."),
                refused(
                        "systemctl stop nginx; nginx",
                        CATS + " cats",
                        "port 80 is taken: nginx, process <\\d+>. " + end,
                        "nginx -s stop; until systemctl start nginx; do sleep 0.1; done"),
                listen("listen 127.0.0.1:80"),
                listen("listen 192.0.2.9:443 ssl"),
                listen("listen 443 ssl proxy_protocol"),
                inTheWay(
                        "rm /etc/nginx/sites-enabled/default; echo 'server { listen [::]:80 ipv6only=off; }' > " + OTHER
                                + "; systemctl restart nginx",
                        "nginx would not start with avatar's \"listen 80\" and \"listen 443\" beside another listen"
                                + " line, which nginx -T shows. It says: <.*>bind() to <.*>",
                        defaultSite),
                site(
                        "server { listen 80; server_name dogs.example.org " + CATS + "; }",
                        "another site of nginx has the domain " + CATS + "; nginx -T shows it"),
                site(
                        "server { listen 80; fox on; }",
                        "nginx refuses its files; they are as before. It says:<.*>unknown directive \"fox\" in " + OTHER
                                + ":1<.*>"),
                inTheWay(
                        "sed -i 's|include /etc/nginx/conf.d|# &|' /etc/nginx/nginx.conf",
                        "nginx.conf does not include /etc/nginx/conf.d/*.conf",
                        "sed -i 's|# include /etc/nginx/conf.d|include /etc/nginx/conf.d|' /etc/nginx/nginx.conf"),
                refused(
                        "systemd-run --quiet --collect --unit=other flock /etc/default sleep 300;"
                                + " until ! flock -n /etc/default true; do sleep 0.1; done",
                        CATS + " cats",
                        "another deploy/install or deploy/remove is running",
                        "systemctl stop other"),
                inTheWay( // whatever the reason may be: here a jar that is not there
                        "mkdir -p /etc/systemd/system/avatar.service.d; printf '[Service]\\nExecStart=\\n"
                                + "ExecStart=/usr/bin/java -jar /fox.jar\\nRestart=no\\n'"
                                + " > /etc/systemd/system/avatar.service.d/other.conf",
                        "the Java program does not answer: Error: Unable to access jarfile /fox.jar",
                        "rm -r /etc/systemd/system/avatar.service.d; systemctl daemon-reload"),
                inTheWay( // nginx has an address that its files no longer have, and cannot open port 80 beside it
                        "rm /etc/nginx/sites-enabled/default; echo 'server { listen 127.0.0.1:80; }' > " + OTHER
                                + "; systemctl restart nginx; echo 'server { listen 80; }' > " + OTHER,
                        UNANSWERED + "https://" + CATS + "/ at 127.0.0.1" + NO_REDIRECT + "no answer, curl: <.*>",
                        "visit --output /dev/null http://localhost/; systemctl restart nginx; " + defaultSite));
        if (debian != Debian.OLDER) return others;
        return Stream.of(domains, versions, own, others).flatMap(cases -> cases);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void namesTheCulpritAndChangesNothing(Case one) {
        box.run("cd /root\n" + one.breaks());
        try {
            var state = new State(box);
            Command said = box.tryInstall(one.arguments());
            String pattern = "(?s)\\Q" + one.says().replace("<", "\\E").replace(">", "\\Q") + "\\E\n";
            assertTrue(said.output().matches(pattern), said::output);
            assertEquals(one.status(), said.status());
            state.assertUnchanged();
        } finally {
            box.run(one.repairs() + "\nrm -f " + SETTINGS + " " + OTHER);
        }
    }

    /** nginx -t is content with a program of its own that shares a port with http, but nginx does not start. */
    @Test
    void noticesThatNginxWouldNotStart() {
        String module = "/usr/share/nginx/modules/ngx_stream_module.so";
        assumeTrue(box.succeeds("ls " + module), () -> LeftOut.because("apt-get install libnginx-mod-stream"));
        String breaks = """
                cat > /etc/nginx/modules-enabled/stream.conf <<'END'
                load_module modules/ngx_stream_module.so;
                stream { server { listen 443; listen [::]:443; proxy_pass 127.0.0.1:8443; } }
                END
                mv /etc/nginx/modules-enabled/*mod-stream.conf /tmp || true
                systemctl restart nginx""";
        String message = "nginx would not start with avatar's \"listen 80\" and \"listen 443\" beside another listen"
                + " line, which nginx -T shows. It says: <.*>bind() to 0.0.0.0:443 failed<.*>";
        String undo = "systemctl restart nginx; rm /etc/nginx/modules-enabled/stream.conf; systemctl restart nginx";
        namesTheCulpritAndChangesNothing(inTheWay(breaks, message, undo));
    }

    /** Apache was stopped by hand, and would have port 80 at the next boot; while it runs on another, it may stay. */
    @Test
    void namesAWebServerThatStartsAtTheNextBoot() {
        if (debian != Debian.NEWER) return; // Apache is in its files only
        String disable = "systemctl disable apache2";
        String message = "apache2 does not run, but may take port 80 or 443 at the next boot. This keeps it from"
                + " starting: " + disable;
        namesTheCulpritAndChangesNothing(
                refused("systemctl stop apache2; systemctl enable apache2", CATS + " cats", message, ""));
        box.run("sed -i 's/^Listen 80$/Listen 8080/' /etc/apache2/ports.conf; systemctl start apache2");
        box.install(CATS + " cats");
        box.run("sed -i 's/^Listen 8080$/Listen 80/' /etc/apache2/ports.conf; " + disable + " --now; cd /root"
                + "; deploy/remove; rm -r /var/www/avatar /etc/avatar /etc/default/avatar");
    }

    @ParameterizedTest
    @ValueSource(strings = {"deploy/install", "deploy/remove", "deploy/certificate"})
    void onlyRootMayRunIt(String script) {
        Command refused = box.attempt("cd /tmp; setpriv --reuid=65534 " + script);
        assertEquals(new Command(1, script + ": must be run as root\n"), refused);
    }
}
