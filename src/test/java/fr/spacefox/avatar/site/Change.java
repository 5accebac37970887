package fr.spacefox.avatar.site;

/** How the server is prepared, what changes it, and what completes that. */
enum Change {
    FIRST(
            "deploy/remove > /dev/null; rm -r /var/lib/avatar /etc/avatar /etc/default/avatar",
            "deploy/install cats.example.org cats"),
    UPDATE("""
            { date; cat pristine/avatar.jar; } > deploy/avatar.jar
            date '+# %s' | tee -a deploy/nginx.conf >> deploy/avatar.service""", "deploy/install"),
    PICTURES("", "deploy/install cats.example.org new"),
    MENDING(
            "cd $(sed -nE 's|^URL=.*/([0-9a-f]{8})/.*|/var/lib/avatar/\\1|p' /etc/default/avatar)"
                    + "; echo damaged > Renard-2.png",
            "deploy/install cats.example.org cats"),
    UNDO("sed -i '2i exit 1' deploy/check", "! deploy/install dogs.example.org new"),
    CERTIFICATE("", "deploy/certificate"),
    RENEWAL("PATH=/root/bin:$PATH deploy/certificate > /dev/null", "certbot renew");

    final String prepares;
    final String changes;

    Change(String prepares, String changes) {
        this.prepares = prepares;
        this.changes = changes;
    }

    String completes() {
        return switch (this) {
            case UNDO -> "cp pristine/check deploy; deploy/install cats.example.org new";
            // Of a change that did not come to pass, an update leaves nothing.
            case PICTURES -> "deploy/install; sh bin/faults; " + changes;
            default -> changes;
        };
    }
}
