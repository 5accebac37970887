package fr.spacefox.avatar.support;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** What a test, or each test of a class, needs from the machine. Without it the test is skipped; in CI it fails. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(Needs.Condition.class)
public @interface Needs {

    Tool[] value();

    /** Commands, and Debian's packages that have them. */
    enum Tool {
        AB("apache2-utils", "ab"),
        BOX(
                "nginx openssl curl file systemd-container iproute2 util-linux",
                "nginx openssl curl file systemd-nspawn ip nsenter unshare"),
        CERTBOT("certbot pebble", "certbot pebble"),
        CHROMIUM("chromium", "chromium"),
        H2LOAD("nghttp2-client", "h2load"),
        IMAGEMAGICK("imagemagick", "convert"),
        MAVEN("maven", "mvn"),
        NFT("nftables", "nft"),
        PYTHON("python3", "python3"),
        SHELLCHECK("shellcheck", "shellcheck"),
        STRACE("strace", "strace"),
        SYSTEMD_ANALYZE("systemd", "systemd-analyze"),
        WRK("wrk", "wrk"),
        ROOT("util-linux", "setpriv unshare");

        private static final List<String> FOLDERS =
                List.of((System.getenv("PATH") + ":/usr/sbin").split(":")); // which users' paths lack in Debian

        private final String packages;
        private final String commands;

        Tool(String packages, String commands) {
            this.packages = packages;
            this.commands = commands;
        }

        private boolean isHere() {
            boolean mayBeHere = !needsRoot() || System.getProperty("user.name").equals("root");
            return mayBeHere
                    && Stream.of(commands.split(" "))
                            .allMatch(command ->
                                    FOLDERS.stream().anyMatch(folder -> Files.isExecutable(Path.of(folder, command))));
        }

        private String remedy() {
            return needsRoot() ? packages + " (as root)" : packages;
        }

        private boolean needsRoot() {
            return this == BOX || this == ROOT;
        }
    }

    /** Looks for the tools. */
    class Condition implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            List<Tool> missing = AnnotationSupport.findAnnotation(context.getElement(), Needs.class)
                    .map(needs -> Arrays.stream(needs.value())
                            .filter(tool -> !tool.isHere())
                            .toList())
                    .orElse(List.of());
            if (missing.isEmpty()) {
                return ConditionEvaluationResult.enabled("everything is here");
            }
            String reason = context.getDisplayName() + " is skipped. It needs Debian's packages: "
                    + missing.stream().map(Tool::remedy).collect(Collectors.joining(", "));
            if (System.getenv("CI") != null) {
                throw new IllegalStateException(reason);
            }
            System.out.println(reason);
            return ConditionEvaluationResult.disabled(reason);
        }
    }
}
