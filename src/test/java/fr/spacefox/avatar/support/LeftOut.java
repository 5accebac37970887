package fr.spacefox.avatar.support;

import java.util.Set;
import java.util.TreeSet;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Tests that lack something are left out, and the run ends with a list of them and what they need. In CI they fail. */
public final class LeftOut implements TestExecutionListener {

    private final Set<String> tests = new TreeSet<>();

    /** What to leave a test out with; in CI it fails. */
    public static String because(String need) {
        if (System.getenv("CI") != null) throw new IllegalStateException("needs " + need);
        return need;
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String need) {
        String name = test.getSource().orElse(null) instanceof MethodSource method
                ? method.getClassName() + "." + method.getMethodName()
                : test.getLegacyReportingName();
        tests.add("  " + name.replaceFirst("^[a-z.]*", "") + " needs " + need);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
            executionSkipped(test, result.getThrowable().orElseThrow().getMessage());
        }
    }

    @Override
    public void testPlanExecutionFinished(TestPlan finished) {
        if (tests.isEmpty()) return;
        System.out.println("These tests were left out; sudo .ci/run installs what they need:");
        tests.forEach(System.out::println);
    }
}
