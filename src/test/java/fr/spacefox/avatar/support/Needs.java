package fr.spacefox.avatar.support;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** What a test, or each test of a class, needs from the machine; without it the test is left out. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(Needs.Condition.class)
public @interface Needs {

    Tool[] value();

    /** What to install or to have, and a script that succeeds where it is there and may do what a test does. */
    enum Tool {
        AB("apache2-utils", "command -v ab"),
        BOX(
                "root's rights to mount and to make networks, systemd-container iproute2 procps util-linux, and"
                        + " files of Debian (export AVATAR_ROOTS=\"$(.ci/root bookworm) $(.ci/root trixie)\")",
                """
                for tool in systemd-nspawn ip nsenter pgrep; do command -v $tool; done
                for root in ${AVATAR_ROOTS:?}; do [ -d $root/packages ]; done
                # What Box does: root in a container may often not mount, nor make a network.
                unshare --mount --net sh -ec '
                    mount -t tmpfs box /mnt
                    cd /mnt
                    mkdir upper work root
                    mount -t overlay -o lowerdir=/,upperdir=upper,workdir=work box root'"""),
        CHROMIUM("chromium", "command -v chromium"),
        DISK("loop devices, and e2fsprogs mount", "command -v mkfs.ext4; losetup --find"),
        PYTHON("python3", "command -v python3"),
        WRK("wrk", "command -v wrk"),
        ZIP("zip", "command -v zip");

        private final String packages;
        private final boolean isHere;

        Tool(String packages, String script) {
            this.packages = packages;
            isHere = succeeds("PATH=$PATH:/usr/sbin\n" + script); // which users' paths lack in Debian
        }

        private static boolean succeeds(String script) {
            try {
                return Command.run("sh", "-ec", script).status() == 0;
            } catch (IOException noShell) {
                return false;
            }
        }
    }

    class Condition implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            String lacking = AnnotationSupport.findAnnotation(context.getElement(), Needs.class).stream()
                    .flatMap(needs -> Stream.of(needs.value()))
                    .filter(tool -> !tool.isHere)
                    .map(tool -> tool.packages)
                    .collect(Collectors.joining("; "));
            if (lacking.isEmpty()) return ConditionEvaluationResult.enabled("everything is here");
            return ConditionEvaluationResult.disabled(LeftOut.because(lacking));
        }
    }
}
