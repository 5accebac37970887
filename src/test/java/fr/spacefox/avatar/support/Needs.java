package fr.spacefox.avatar.support;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * What a test, or each test of a class, needs from the machine; without it the test is left out.
 */
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
        DISK("e2fsprogs mount bsdutils procps", "mkfs.ext4 losetup script pkill"),
        H2LOAD("nghttp2-client", "h2load"),
        IMAGEMAGICK("imagemagick", "convert"),
        MAVEN("maven", "mvn"),
        NFT("nftables", "nft"),
        PYTHON("python3", "python3"),
        STRACE("strace", "strace"),
        SYSTEMD_ANALYZE("systemd", "systemd-analyze"),
        WRK("wrk", "wrk"),
        ROOT("util-linux", "setpriv unshare");

        /** What Box does: root in a container may often not mount, nor make a network. */
        private static final String MAKE_A_BOX = """
                mount -t tmpfs box /mnt
                cd /mnt
                mkdir upper work root
                mount -t overlay -o lowerdir=/,upperdir=upper,workdir=work box root""";

        private static final boolean IS_ROOT = System.getProperty("user.name").equals("root");
        private static final boolean BOX_CAN_BE_MADE =
                IS_ROOT && succeeds("unshare", "--mount", "--net", "sh", "-ec", MAKE_A_BOX);

        private final String packages;
        private final String commands;

        Tool(String packages, String commands) {
            this.packages = packages;
            this.commands = commands;
        }

        private boolean isInstalled() {
            String path = "PATH=$PATH:/usr/sbin; "; // which users' paths lack in Debian
            return succeeds("sh", "-c", path + "for tool in " + commands + "; do command -v $tool || exit; done");
        }

        private boolean isAllowed() {
            return switch (this) {
                case BOX -> BOX_CAN_BE_MADE;
                case DISK -> IS_ROOT && succeeds("losetup", "--find");
                case ROOT -> IS_ROOT && succeeds("unshare", "--net", "true");
                default -> true;
            };
        }

        private static boolean succeeds(String... command) {
            try {
                return Command.run(command).status() == 0;
            } catch (IOException notInstalled) {
                return false;
            }
        }
    }

    class Condition implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            List<Tool> tools = AnnotationSupport.findAnnotation(context.getElement(), Needs.class)
                    .map(needs -> List.of(needs.value()))
                    .orElse(List.of());
            String packages = tools.stream()
                    .filter(tool -> !tool.isInstalled())
                    .map(tool -> " " + tool.packages)
                    .collect(Collectors.joining());
            List<String> lacking = new ArrayList<>();
            if (!packages.isEmpty()) lacking.add("apt-get install" + packages);
            if (!tools.stream().allMatch(Tool::isAllowed)) lacking.add("root who may mount and make networks");
            if (lacking.isEmpty()) return ConditionEvaluationResult.enabled("everything is here");
            return ConditionEvaluationResult.disabled(LeftOut.because(String.join(", ", lacking)));
        }
    }
}
