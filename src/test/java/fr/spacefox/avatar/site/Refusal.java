package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.site.CatsSite.*;

/** The server is broken, deploy/install is called, and the server is repaired. In says, <...> is a pattern. */
record Refusal(String breaks, String arguments, int status, String says, String repairs) {

    static final String OTHER = "/etc/nginx/conf.d/other.conf";
    static final String NO_DOMAIN = "'%s' is no domain: write one first, with letters outside ASCII as xn--...";

    static Refusal wrong(String arguments, String message) {
        String says = "deploy/install: " + message + "\nusage: deploy/install [--replace] [DOMAIN [FOLDER]]";
        return new Refusal("", arguments, 2, says, "");
    }

    static Refusal noDomain(String domain) {
        return wrong("'" + domain + "' cats", NO_DOMAIN.formatted(domain));
    }

    static Refusal refused(String breaks, String message, String repairs) {
        return new Refusal(breaks, CATS + " cats", 1, "deploy/install: " + message, repairs);
    }

    static Refusal settings(String line, String message) {
        return refused("echo " + line + " > " + SETTINGS, SETTINGS + ": " + line + message, "");
    }

    static Refusal names(String file) {
        String breaks = "mkdir -p $(dirname " + file + "); echo '# other' > " + file + "; systemctl daemon-reload";
        String culprit = file.replace("/avatar/other", "/avatar").replace("/usr/lib/systemd", "<(/usr)?>/lib/systemd");
        String message = culprit + " is another program's: rename it, and what uses it, first";
        return refused(breaks, message, "rm " + file + "; deploy/remove"); // which deletes empty folders
    }

    static Refusal masked(String unit) {
        String message = unit + ".service is masked. This ends it: systemctl unmask " + unit;
        return refused("systemctl mask " + unit, message, "systemctl unmask " + unit);
    }

    static Refusal program(String port, String address, String remedy) {
        String unit = "other-" + port; // a unit that has ended keeps its name for a while
        String breaks = """
                systemctl stop nginx
                systemd-run --quiet --collect --unit=%s python3 -m http.server --bind %s %s
                until ss -Hltn | grep ':%3$s '; do sleep 0.1; done""".formatted(unit, address, port);
        String message = "port " + port + " is taken: python3, process <\\d+>. " + remedy;
        return refused(breaks, message, "systemctl stop " + unit + "; systemctl start nginx");
    }

    /** What is noticed when the arguments, the names and the system are right. */
    static Refusal late(String breaks, String message, String repairs) {
        String says = "avatar for " + CATS + "\ndeploy/install: " + message;
        return new Refusal(breaks, CATS + " cats", 1, says, repairs);
    }

    static Refusal java(String script, String message) {
        String breaks = "mv /usr/bin/java /tmp; printf '#!/bin/sh\\n%s\\n' '" + script
                + "' > /usr/bin/java; chmod 755 /usr/bin/java";
        return late(breaks, message, "mv /tmp/java /usr/bin/java");
    }

    static Refusal version(String version) {
        String script = "echo openjdk version \\\"" + version + "\\\" 2022-07-19 >&2";
        return java(
                script,
                "/usr/bin/java is version " + version + ", but 17.0.5 or later is needed: apt-get install"
                        + " default-jre-headless, or choose it by update-alternatives --config java");
    }

    static Refusal site(String lines, String message) {
        return late("echo '" + lines + "' > " + OTHER, message, "");
    }

    /** The running nginx has the address of another site's line for itself. */
    static Refusal listen(String lines, String message) {
        String breaks =
                "rm /etc/nginx/sites-enabled/default; echo '" + lines + "' > " + OTHER + "; systemctl restart nginx";
        String repairs = "rm " + OTHER + "; ln -s ../sites-available/default /etc/nginx/sites-enabled;"
                + " systemctl restart nginx";
        return late(breaks, message, repairs);
    }

    /** The operator's certificate, which deploy/install takes as it is: nginx says what is wrong with it. */
    static Refusal certificate(String makes, String nginxSays) {
        String breaks = "mkdir -p /etc/avatar; cd /etc/avatar; cp /root/other.pem fullchain.pem; cp /root/other.key"
                + " privkey.pem; " + makes;
        String message = "nginx refuses its files with the site. It says: <.*>" + nginxSays + "<.*>";
        return late(breaks, message, "rm -r /etc/avatar");
    }
}
