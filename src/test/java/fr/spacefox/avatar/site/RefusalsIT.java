package fr.spacefox.avatar.site;

import static fr.spacefox.avatar.support.Needs.Tool.BOX;
import static fr.spacefox.avatar.support.Needs.Tool.IMAGEMAGICK;
import static org.junit.jupiter.api.Assertions.assertEquals;

import fr.spacefox.avatar.support.Command;
import fr.spacefox.avatar.support.Needs;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What deploy/install refuses: one line names the culprit, and nothing has changed. */
@Needs({BOX, IMAGEMAGICK})
class RefusalsIT {

    private static final String CATS = "cats.example.org";
    private static final String USAGE = "\nusage: deploy/install [DOMAIN FILE|FOLDER...]";
    private static final String NO_DOMAIN = "no domain: '%s'; it comes first, with letters outside ASCII as xn--...";
    private static final String NO_URL =
            ": write http:// or https://, one *, and what is not ASCII with %, such as %C3%A9";
    private static final String SETTINGS = "/etc/default/avatar";

    private static final Boxes BOXES = new Boxes(box -> {
        Box.drawFoxes(3, box.path("/root/cats"));
        box.run("""
                cd /root
                mv cats/Renard-3.png .
                mkdir empty
                echo text > cat.txt""");
    });

    @AfterAll
    static void discard() throws Exception {
        BOXES.close();
    }

    /** The machine is broken, deploy/install is called with arguments as one types them, and it is repaired. */
    private record Case(String breaks, String arguments, int status, String message, String repairs) {
        @Override
        public String toString() {
            return (breaks + " " + arguments).strip();
        }
    }

    private static Case wrong(String arguments, String message) {
        return new Case("", arguments, 2, message + USAGE, "");
    }

    private static Case noDomain(String domain) {
        return wrong("'" + domain + "' cats", NO_DOMAIN.formatted(domain));
    }

    private static Case refused(String breaks, String arguments, String message, String repairs) {
        return new Case(breaks, arguments, 1, message, repairs);
    }

    private static Case settings(String line, String message) {
        String key = line.substring(0, line.indexOf('='));
        return refused(
                "sed 's|^" + key + "=.*|" + line + "|' deploy/avatar.default > " + SETTINGS,
                "",
                message,
                "rm " + SETTINGS);
    }

    private static Case java(String version) {
        return refused(
                "mv /usr/bin/java /tmp; printf '#!/bin/sh\\necho openjdk version \\\\\"" + version
                        + "\\\\\" 2022-07-19 >&2\\n' > /usr/bin/java; chmod 755 /usr/bin/java",
                CATS + " cats",
                "/usr/bin/java is version " + version + ", but 17.0.5 or later is needed",
                "mv /tmp/java /usr/bin/java");
    }

    private static Stream<Case> cases() {
        return Stream.of(
                wrong("", NO_DOMAIN.formatted("")),
                wrong("cats", NO_DOMAIN.formatted("cats")),
                wrong("cats/*", NO_DOMAIN.formatted("cats/renard-1.png")),
                wrong("cat13.png", NO_DOMAIN.formatted("cat13.png")),
                noDomain("-h"),
                noDomain("192.0.2.1"),
                noDomain("fox..org"),
                noDomain("https://fox.org/"),
                noDomain("a_b.org"),
                noDomain("fox.org."),
                noDomain("a b\nfox.org"),
                noDomain("a".repeat(64) + ".org"),
                noDomain("a.".repeat(126) + "org"),
                wrong("$(printf 'r\\303\\251nard.fr') cats", NO_DOMAIN.formatted("r\u00c3\u00a9nard.fr")),
                wrong(CATS, "no picture given, and none is here"),
                refused("", CATS + " dogs", "dogs: no such file or folder", ""),
                refused("", CATS + " 'dogs/*'", "dogs/*: no such file or folder", ""),
                settings("COUNT=fox", SETTINGS + ": COUNT=fox is no number of pictures"),
                settings("COUNT=-1", SETTINGS + ": COUNT=-1 is no number of pictures"),
                settings("PORT=http", SETTINGS + ": PORT=http is no port"),
                settings("SIZE=big", SETTINGS + ": SIZE=big is no number of pixels"),
                settings("SIZE=0", SETTINGS + ": SIZE=0 is no number of pixels"),
                settings("URL=*", SETTINGS + ": URL=*" + NO_URL),
                settings(
                        "URL=https://h/caf\\xc3\\xa9/*.gif",
                        SETTINGS + ": URL=https://h/caf\u00c3\u00a9/*.gif" + NO_URL),
                settings(
                        "URL=https://avatar.spacefox.fr/*.png;",
                        SETTINGS
                                + ": URL=https://avatar.spacefox.fr/*.png;: a name here has only letters, digits, . _ -"
                                + " and one * before the ending"),
                refused(
                        "sed /^PORT=/d deploy/avatar.default > " + SETTINGS,
                        "",
                        SETTINGS + " lacks PORT",
                        "rm " + SETTINGS),
                refused(
                        "sed 's|^URL=.*|URL=https://cdn.example.org/*.png|' deploy/avatar.default > " + SETTINGS,
                        "avatar.spacefox.fr cats",
                        "cats: URL in " + SETTINGS + " leads to another server; put the pictures there",
                        "rm " + SETTINGS),
                java("17"),
                java("17.0.4"),
                java("11.0.22"),
                java("1.8.0_402"));
    }

    private static Stream<Arguments> casesOnBothDebians() {
        return cases().flatMap(one -> Arrays.stream(Debian.values()).map(debian -> Arguments.of(debian, one)));
    }

    @ParameterizedTest
    @MethodSource("casesOnBothDebians")
    @Execution(ExecutionMode.CONCURRENT)
    void namesTheCulpritAndChangesNothing(Debian debian, Case one) throws Exception {
        BOXES.use(debian, box -> {
            box.run("cd /root; " + one.breaks());
            try {
                var state = new State(box);
                assertEquals(
                        new Command(one.status(), "deploy/install: " + one.message() + "\n"),
                        box.tryInstall(one.arguments()));
                state.assertUnchanged();
            } finally {
                box.run("cd /root; " + one.repairs());
            }
        });
    }

    /** Only here the program says more than its line: its version comes first, for the arguments were right. */
    @ParameterizedTest
    @MethodSource("foldersWithoutPictures")
    @Execution(ExecutionMode.CONCURRENT)
    void namesWhatIsNoPicture(Debian debian, String arguments, String message) throws Exception {
        BOXES.use(debian, box -> {
            var state = new State(box);
            Command said = box.tryInstall(CATS + " " + arguments);
            assertEquals(1, said.status());
            assertEquals(message, said.output().substring(said.output().indexOf('\n') + 1));
            state.assertUnchanged();
        });
    }

    private static Stream<Arguments> foldersWithoutPictures() {
        return Arrays.stream(Debian.values())
                .flatMap(debian -> Stream.of(
                        Arguments.of(debian, "empty", "deploy/pictures: no usable picture\n"),
                        Arguments.of(
                                debian,
                                "cat.txt",
                                "left out: cat.txt: no picture (text/plain)\ndeploy/pictures: no usable picture\n")));
    }

    @ParameterizedTest
    @MethodSource("scripts")
    @Execution(ExecutionMode.CONCURRENT)
    void onlyRootMayRunIt(Debian debian, String script) throws Exception {
        BOXES.use(
                debian,
                box -> assertEquals(
                        script + ": must be run as root",
                        box.run("rm -rf /tmp/deploy; cp -r /root/deploy /tmp; cd /tmp; setpriv --reuid=65534 " + script
                                + " " + (script.endsWith("install") ? CATS + " deploy" : "") + " 2>&1 || true")));
    }

    private static Stream<Arguments> scripts() {
        return Arrays.stream(Debian.values())
                .flatMap(debian -> Stream.of("install", "remove", "certificate")
                        .map(script -> Arguments.of(debian, "deploy/" + script)));
    }
}
