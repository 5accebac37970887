package fr.spacefox.avatar.support;

import java.util.Map;
import java.util.TreeMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Tests that lack something are left out, and the run ends with how many, and what they need. In CI they fail. */
public final class LeftOut implements TestExecutionListener {

    private final Map<String, Integer> tests = new TreeMap<>();
    private TestPlan plan;

    /** What to leave a test out with; in CI it fails. */
    public static String because(String need) {
        if (System.getenv("CI") != null) throw new IllegalStateException("needs " + need);
        return need;
    }

    @Override
    public void testPlanExecutionStarted(TestPlan started) {
        plan = started;
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String need) {
        var source = test.getSource().orElse(null);
        String name = source instanceof MethodSource method
                ? method.getClassName() + "." + method.getMethodName()
                : test.getLegacyReportingName();
        int count = source instanceof ClassSource ? plan.getDescendants(test).size() : 1;
        tests.merge(name.replaceFirst("^[a-z.]*", "") + " needs " + need, count, Integer::sum);
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
        int all = tests.values().stream().mapToInt(count -> count).sum();
        System.out.println(all + " tests were left out:");
        tests.forEach((test, count) -> System.out.println("  " + test + " (" + count + ")"));
    }
}
