package fr.spacefox.avatar.support;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Tests that lack something are left out, and the run ends with what they need and their names. In CI they fail. */
public final class LeftOut implements TestExecutionListener {

    private final Map<String, Set<String>> testsByNeed = new TreeMap<>();

    /** What to leave a test out with; in CI it fails. */
    static String because(String need) {
        if (System.getenv("CI") != null) throw new IllegalStateException("needs " + need);
        return need;
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String need) {
        String name = test.getSource().orElse(null) instanceof MethodSource method
                ? method.getClassName() + "." + method.getMethodName()
                : test.getLegacyReportingName();
        testsByNeed.computeIfAbsent(need, any -> new TreeSet<>()).add(name.replaceFirst("^[a-z.]*", ""));
    }

    @Override
    public void testPlanExecutionFinished(TestPlan finished) {
        testsByNeed.forEach((need, tests) ->
                System.out.println("Left out, for they need " + need + ":\n  " + String.join(" ", tests)));
        if (!testsByNeed.isEmpty()) System.out.println("sudo .ci/run installs what they need, and leaves none out.");
    }
}
