package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.site.CatsSite.*;
import static fr.spacefox.avatar.site.Refusal.*;
import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.util.stream.Stream;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When deploy/install refuses something, it names the culprit and what to do, and nothing has changed. */
@Needs(BOX)
class RefusalsIT extends EachDebian {

    private static final String UNANSWERED = "the site does not answer as it should:\n<.*>%s: expected <.*>"
            + "\nAnother site of nginx may have these addresses; nginx -T shows all sites.";

    @BeforeParameterizedClassInvocation
    void prepare() throws Exception {
        Box.drawFoxes(2, box.path("/root/cats"));
        box.run("""
                cd /root
                mkdir photos.new
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=other \\
                    -keyout other.key -out other.pem
                ip link add fox0 type veth peer name fox1
                ip address add 192.0.2.9/24 dev fox0
                ip link set fox0 up
                ip link set fox1 up
                systemctl enable --now nginx""");
    }

    /** On both Debians what nginx, systemd or Java says, and of the others each on one. */
    private Stream<Refusal> cases() {
        String end = "End it, or see \"Behind another web server\" in deploy/operations.md";
        var domains = Stream.of("fox..org a_b.org fox.org.".split(" ")).map(Refusal::noDomain);
        var ports = Stream.of("http 0 65536 80 443".split(" "))
                .map(port -> settings(
                        "PORT=" + port, " is no port for the Java program: write 1 to 65535, but not 80 or 443"));
        var sizes = Stream.of("SIZE=big", "SIZE=0")
                .map(line -> settings(line, " is no number of pixels: write 1 to 9999, or nothing"));
        var own = Stream.of(
                wrong("", "write a domain, and the folder with all pictures that the site shall show"),
                noDomain("a b\nfox.org"),
                noDomain("a".repeat(64) + ".org"),
                noDomain("a.".repeat(126) + "org"),
                wrong("$(printf 'r\\303\\251nard.fr') cats", NO_DOMAIN.formatted("r\u00c3\u00a9nard.fr")),
                wrong("--fox", "--fox is no option"),
                wrong("https://fox.org/ cats", "https://fox.org/ is an address: write the domain alone"),
                wrong(
                        "192.0.2.1 cats",
                        "192.0.2.1 is an IP address: write a domain, for certificates and forums want one"),
                wrong("cats", "cats is a file or a folder: write the domain first"),
                wrong("photos.new", "photos.new is a file or a folder: write the domain first"),
                wrong(CATS, "write the folder, too, with all pictures that the site shall show"),
                wrong(CATS + " dogs", "dogs is no folder: write the one with all pictures that the site shall show"),
                wrong(
                        CATS + " cats/*",
                        "cats/Renard-2.png: too many arguments; write one folder, with all pictures that the site"
                                + " shall show"),
                refused(
                        "cp --remove-destination $(readlink -f /etc/os-release) /etc/os-release;"
                                + " echo 'VERSION_ID=\"11\"' >> /etc/os-release",
                        "Debian GNU/Linux <.*> is too old: Debian 12, Ubuntu 24.04 or a later one is needed",
                        "ln -sf ../usr/lib/os-release /etc/os-release"),
                refused(
                        "echo FOX=1 > " + SETTINGS,
                        SETTINGS + " is another program's: rename it, and what uses it, first",
                        ""),
                refused(
                        "mkdir /var/lib/avatar; echo x > /var/lib/avatar/photo.png",
                        "/var/lib/avatar is somebody else's: rename it first, for avatar needs this folder",
                        "rm -r /var/lib/avatar"),
                refused(
                        "systemd-run --quiet --collect --unit=other flock /etc/default sleep 300;"
                                + " until ! flock -n /etc/default true; do sleep 0.1; done",
                        "another deploy/install or deploy/remove is running: wait for its end",
                        "systemctl stop other"));
        var names = Stream.of(
                        "/etc/systemd/system/avatar.service",
                        "/run/systemd/system/avatar.service",
                        "/usr/lib/systemd/system/avatar.service",
                        "/etc/systemd/system/nginx.service.d/00-avatar.conf",
                        "/etc/nginx/sites-enabled/zz-avatar.conf",
                        "/etc/nginx/conf.d/zz-avatar.conf",
                        "/etc/letsencrypt/renewal-hooks/deploy/avatar",
                        "/usr/local/lib/avatar/check",
                        "/usr/local/lib/avatar/other")
                .map(Refusal::names);
        var javas = Stream.of(
                version("17.0.4"),
                version("11.0.22"),
                version("1.8.0_402"),
                java("echo warning >&2; echo fox >&2; exit 1", "/usr/bin/java does not start. It says: <.*>fox"),
                java(
                        "/etc/alternatives/java \"$@\"",
                        "/usr/bin/java is a script that does not start Java by exec, so systemd could not end it:"
                                + " install Java as a package"),
                late(
                        "mv /usr/bin/java /tmp; install -D /bin/true /root/jdk/java; ln -s /root/jdk/java /usr/bin",
                        "/usr/bin/java leads to /root/jdk/java, which a service may not see: install Java outside of"
                                + " home folders",
                        "mv /tmp/java /usr/bin/java"),
                late( // whatever the reason may be: here a jar that is not there
                        "mkdir -p /etc/systemd/system/avatar.service.d; printf '[Service]\\nExecStart=\\n"
                                + "ExecStart=/usr/bin/java -jar /fox.jar\\nRestart=no\\n'"
                                + " > /etc/systemd/system/avatar.service.d/other.conf",
                        "the Java program does not answer. It says: Error: Unable to access jarfile /fox.jar",
                        "rm -r /etc/systemd/system/avatar.service.d; systemctl daemon-reload"));
        var others = Stream.of(
                masked("nginx"),
                masked("avatar"),
                refused(
                        "printf '[Socket]\\nListenStream=80\\n[Install]\\nWantedBy=sockets.target\\n' >"
                                + " /etc/systemd/system/other.socket; systemctl enable other.socket",
                        "other.socket has port 80 or 443 after the next boot. This ends it:"
                                + " systemctl disable --now other.socket",
                        "systemctl disable other.socket; rm /etc/systemd/system/other.socket"),
                refused(
                        "systemctl stop apache2; systemctl enable apache2",
                        "apache2 does not run, but may take port 80 or 443 at the next boot. This keeps it from"
                                + " starting: systemctl disable apache2",
                        "systemctl disable apache2"),
                program("80", "127.0.0.2", end),
                program("443", "::", end),
                program("6666", "127.0.0.1", "End it, or choose another port: echo PORT=6667 >> " + SETTINGS),
                refused(
                        "systemctl stop nginx; nginx",
                        "port 80 is taken: nginx, process <\\d+>. " + end,
                        "nginx -s stop; until systemctl start nginx; do sleep 0.1; done"),
                late(
                        "mkdir -p /etc/systemd/system/nginx.service.d; printf '[Service]\\nExecStart=\\n"
                                + "ExecStart=/usr/sbin/nginx -c /etc/other.conf\\n'"
                                + " > /etc/systemd/system/nginx.service.d/other.conf; systemctl daemon-reload",
                        "nginx.service starts nginx with -c /etc/other.conf, but the site needs /etc/nginx/nginx.conf:"
                                + " see systemctl cat nginx",
                        "rm -r /etc/systemd/system/nginx.service.d; systemctl daemon-reload"),
                late(
                        "mkdir -m 700 /var/lib/avatar",
                        "nginx's user www-data may not read the pictures; chmod a+rx opens a folder:"
                                + " <.*>Permission denied",
                        "rmdir /var/lib/avatar"),
                late(
                        "sed -i.old 's|include /etc/nginx/[cs][^m]|# &|' /etc/nginx/nginx.conf",
                        "nginx.conf lacks this line in its http block: include /etc/nginx/conf.d/*.conf;",
                        "mv /etc/nginx/nginx.conf.old /etc/nginx/nginx.conf"),
                listen(
                        "server { listen 443 ssl proxy_protocol; ssl_certificate /root/other.pem; ssl_certificate_key"
                                + " /root/other.key; }",
                        UNANSWERED.formatted("https://" + CATS + "/me.jpg at 127.0.0.1")),
                late( // the domain leads to one of this server's addresses, and another site has that
                        "echo 'server { listen 192.0.2.9:80; }' > " + OTHER + "; systemctl restart nginx; echo"
                                + " 192.0.2.9 " + CATS + " >> /etc/hosts",
                        UNANSWERED.formatted("http://" + CATS + "/ at 192.0.2.9"),
                        "rm " + OTHER + "; systemctl restart nginx; sed -i /" + CATS + "/d /etc/hosts"));
        var theirs = Stream.of(
                late(
                        "groupadd avatar",
                        "the Java program does not answer. It says: avatar.service: Failed to update dynamic user"
                                + " credentials: User or group with specified name already exists.<.*>",
                        "groupdel avatar"),
                site(
                        "server { listen 80; server_name dogs.example.org " + CATS + "; }",
                        "another site of nginx has the domain " + CATS + ": take it out there; nginx -T shows where"),
                site(
                        "server { listen 80; fox on; }",
                        "nginx refuses its files. It says:<.*>unknown directive \"fox\" in " + OTHER + ":1<.*>"),
                late(
                        "mkdir /etc/avatar; echo 'fox on;' > /etc/avatar/site-own.conf",
                        "nginx refuses its files with the site. It says: <.*>\"fox\" in"
                                + " /etc/avatar/site-own.conf:1<.*>",
                        "rm -r /etc/avatar"),
                certificate("rm privkey.pem", "/etc/avatar/privkey.pem"),
                certificate("openssl x509 -in fullchain.pem -outform der -out fullchain.pem", "fullchain.pem"),
                certificate("openssl ecparam -genkey -name prime256v1 -out privkey.pem", "key values mismatch"),
                certificate( // the authority's certificate before the site's own
                        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=authority"
                                + " -keyout /dev/null -out a.pem; cat a.pem /root/other.pem > fullchain.pem; rm a.pem",
                        "key values mismatch"),
                certificate("printf %s \"$(cat /root/other.pem)\" | cat - /root/other.pem > fullchain.pem", "PEM"),
                listen("server { listen 127.0.0.1:80; }", "nginx does not take its files<.*>80 failed<.*>"),
                listen("server { listen [::]:80 ipv6only=off; }", "nginx does not take its files<.*>bind() to <.*>"));
        var shared = Stream.of(domains, ports, sizes, own, names, javas, others).flatMap(cases -> cases);
        return Stream.concat(share(shared.toList()).stream(), theirs);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void namesTheCulpritAndChangesNothing(Refusal one) {
        box.run("cd /root\n" + one.breaks());
        try {
            var state = new State(box);
            Command said = box.tryInstall(one.arguments());
            String pattern = "(?s)\\Q" + one.says().replaceAll("<([^<>]+)>", "\\\\E$1\\\\Q") + "\\E\n"
                    + "(deploy/install: all but packages is as before\n)?"; // when something had been written
            assertTrue(said.output().matches(pattern), said::output);
            assertEquals(one.status(), said.status());
            state.assertUnchanged();
            if (!one.says().contains("another program's")) return;
            box.run("cd /root; deploy/remove"); // does not delete it either
            state.assertUnchanged();
        } finally {
            box.run("cd /root\n" + one.repairs() + "\nrm -f " + SETTINGS + " " + OTHER);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-h", "--help"})
    void helps(String word) {
        Command help = box.attempt("cd /root; deploy/install " + word);
        assertEquals(new Command(0, "usage: deploy/install [--replace] [DOMAIN [FOLDER]]\n"), help);
    }

    @ParameterizedTest
    @ValueSource(strings = {"install", "remove", "certificate"})
    void onlyRootMayRunIt(String script) {
        Command refused = box.attempt("cp -r /root/deploy /tmp; setpriv --reuid=65534 sh /tmp/deploy/" + script);
        assertEquals(
                new Command(1, "deploy/" + script + ": must be run as root, for example after sudo -s\n"), refused);
    }
}
