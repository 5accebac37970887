package fr.spacefox.avatar.site;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** Each test of a class begins with the site of four cats, on both Debians. */
abstract class CatsSite extends EachDebian {

    static final String CATS = "cats.example.org";
    static final String ADDRESS = "https://" + CATS + "/me.";
    static final String SETTINGS = "/etc/default/avatar";
    static final String FILE = InstalledSite.FILE;

    @BeforeParameterizedClassInvocation
    void install() throws Exception {
        Box.drawFoxes(4, box.path("/root/foxes"));
        box.install(CATS + " foxes");
        box.run("cp " + SETTINGS + " /root/settings; cp /var/lib/avatar/site/environment /root");
    }

    @BeforeEach
    void begin() {
        box.run("""
                cd /root
                rm -rf cats
                cp -r foxes cats
                rm -rf /etc/nginx/conf.d/other.conf bin
                [ ! -L /etc/default/avatar ] || rm /etc/default/avatar
                cmp settings /etc/default/avatar && cmp environment /var/lib/avatar/site/environment || {
                    cp settings /etc/default/avatar
                    deploy/install --replace $0 cats
                }
                """.replace("$0", CATS));
    }

    /** The last line of what deploy/install prints. */
    static void assertReports(int pictures, String address, String said) {
        String count = pictures + " picture" + (pictures == 1 ? "" : "s");
        assertTrue(said.endsWith("\n" + count + ". The address for a profile: " + address), said);
    }
}
