package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.*;
import static org.junit.jupiter.api.Assertions.*;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of deploy/README.md work one after the other, and the links of all pages lead somewhere. */
class DocumentsIT {

    /** RowsIT does most of it on each Debian. */
    @Test
    @Needs(BOX)
    void theGuideWorks() throws Exception {
        try (var box = new Box(Debian.NEWER.files())) {
            Box.drawFoxes(12, box.path("/root/cats"));
            assertPictures(12, box.run(Documents.commands("Install")));

            // Of the folder at home, one picture is deleted, one replaced, and two are added.
            Box.drawFoxes(15, box.path("/root/home/cats"));
            box.run("""
                    cd /root/home
                    rm cats/Renard-2.png
                    mv cats/Renard-15.png cats/Renard-3.png
                    mogrify -resize '200x150!' cats/Renard-3.png
                    """ + inline("Good to know", "rsync").replace("192.0.2.1:", "/root/"));
            String change = Documents.commands("Change the pictures");
            String said = box.run(change);
            assertPictures(13, said);
            Matcher back = Pattern.compile("Pictures: 13 in place of 12[.] To go back: (.*)")
                    .matcher(said);
            assertTrue(back.find(), said);
            assertPictures(12, box.run("cd /root; " + back.group(1)));
            assertPictures(13, box.run(inline("Change the pictures", "echo") + "; " + change));
            box.run("visit --output seen.png https://avatar.example.org/picture/; identify seen.png | grep 120x120");
            assertPictures(13, box.run(Documents.commands("Update")));

            // Visitors do not notice that the JVM is dead, but cron does.
            box.run("""
                    printf '#!/bin/sh\\n(echo To: $@; cat) > /root/mail\\n' > /usr/sbin/sendmail
                    chmod 755 /usr/sbin/sendmail""");
            box.run(Documents.commands("Watch"));
            assertEquals("To: me@example.org\nSubject: avatar\n\nMail leaves the server.", box.run("cat /root/mail"));
            String monitor = box.run("sed -n 's/^7 8 [*] [*] [*] root //p' /etc/cron.d/avatar") + " --insecure";
            assertEquals(new Command(0, ""), box.attempt(monitor));
            box.run("systemctl stop avatar");
            Command alarm = box.attempt(monitor);
            assertTrue(alarm.output().startsWith("the Java program does not answer"), alarm::output);
            assertEquals(1, alarm.status());

            String version = box.run(inline("When something is wrong", "sh"));
            assertTrue(version.matches("[0-9a-f]{8}"), version);
            assertEquals(version, box.run("/root/deploy/install --version"));

            String left = box.run(Documents.commands("Remove"));
            assertTrue(left.contains("rm -r /etc/cron.d/avatar"), left);
            assertEquals("", box.run("ls /etc/nginx/*/ /etc/systemd/system | grep avatar || true"));
            assertPictures(13, box.install(""));
        }
    }

    /** A command in a sentence of the guide. */
    private static String inline(String heading, String command) throws IOException {
        Matcher inline = Pattern.compile("`(" + command + " .*?)`").matcher(Documents.section(heading));
        assertTrue(inline.find());
        return inline.group(1);
    }

    private static void assertPictures(int count, String said) {
        String line = "\n" + count + " pictures. The address for a profile: https://avatar.example.org/me.";
        assertTrue(said.contains(line), said);
    }

    /** Every link leads to a file, and to a heading of it. */
    @ParameterizedTest
    @ValueSource(strings = {"README.md", "deploy/README.md", "deploy/operations.md", "bench/README.md"})
    void linksLeadSomewhere(String page) throws IOException {
        Path file = Path.of(page);
        var links = Pattern.compile("\\]\\((?!https?:)([^)#\\s]*)(?:#([^)\\s]*))?\\)")
                .matcher(Files.readString(file));
        while (links.find()) {
            Path target = links.group(1).isEmpty() ? file : file.resolveSibling(links.group(1));
            assertTrue(Files.exists(target), page + ": " + links.group());
            if (links.group(2) == null) continue;
            String text = Files.readString(target).toLowerCase(Locale.ROOT).replaceAll("[^\\w\n# -]", "");
            boolean found = text.replace(' ', '-').matches("(?s).*\n#+-" + links.group(2) + "\n.*");
            assertTrue(found, page + ": " + links.group());
        }
    }
}
