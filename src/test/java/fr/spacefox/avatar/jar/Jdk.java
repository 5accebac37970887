package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertFalse;

import fr.spacefox.avatar.support.Command;
import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The JDKs of this machine that run the jar in tests. They are of versions that README says the jar works with. */
final class Jdk {

    private static List<Path> homes;

    private Jdk() {}

    /** Those that packages have installed, each once, that which runs the tests first. It says which it leaves out. */
    static synchronized List<Path> all() throws IOException {
        if (homes == null) homes = find();
        assertFalse(homes.isEmpty(), "there is no Java of those that README names");
        return homes;
    }

    static Path first() throws IOException {
        return all().get(0);
    }

    private static List<Path> find() throws IOException {
        String script =
                "for home in \"$0\" /usr/lib/jvm/*; do [ ! -e \"$home/release\" ] || readlink -f \"$home\"; done";
        String found =
                Command.run("sh", "-c", script, System.getProperty("java.home")).ok();
        List<Path> named = new ArrayList<>();
        for (Path home : found.lines().distinct().map(Path::of).toList()) {
            String release = Files.readString(home.resolve("release"));
            String version = release.replaceFirst("(?s)(.*\n)?JAVA_VERSION=\"(.*?)\".*", "$2");
            if (isNamed(version)) named.add(home);
            else System.out.println("Tests leave out " + home + ": README does not name Java " + version);
        }
        return named;
    }

    /** README's "from 17.0.13 on" is said of Java 17 alone, and "from 24 on" of all later versions, too. */
    static boolean isNamed(String version) throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        var oldest = Pattern.compile("from\\s+(\\d[0-9.]*)\\s+on\\b").matcher(readme);
        while (oldest.find()) {
            String series = oldest.group(1).replaceFirst("\\d+$", ""); // "17.0.", or "" for all
            boolean isOld = Version.parse(version).compareTo(Version.parse(oldest.group(1))) < 0;
            if (version.startsWith(series) && !isOld) return true;
        }
        return false;
    }
}
