package fr.spacefox.avatar.support;

import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Says at the end of a run how many tests were left out, which, and what they need. */
public final class LeftOut implements TestExecutionListener {

    private final TreeMap<String, SortedSet<String>> testsByNeed = new TreeMap<>();
    private TestPlan plan;

    @Override
    public void testPlanExecutionStarted(TestPlan started) {
        plan = started;
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String need) {
        var tests = testsByNeed.computeIfAbsent(need, unseen -> new TreeSet<>());
        tests.add(name(test));
        plan.getDescendants(test).forEach(child -> tests.add(name(child)));
        if (test.getSource().orElse(null) instanceof ClassSource) tests.remove(name(test));
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
            executionSkipped(test, result.getThrowable().orElseThrow().getMessage());
        }
    }

    private static String name(TestIdentifier test) {
        if (test.getSource().orElse(null) instanceof MethodSource method) {
            String type = method.getClassName();
            return type.substring(type.lastIndexOf('.') + 1) + "." + method.getMethodName();
        }
        return test.getDisplayName();
    }

    @Override
    public void testPlanExecutionFinished(TestPlan finished) {
        testsByNeed.forEach((need, tests) -> System.out.println(
                tests.size() + " tests are left out for want of: " + need + "\n    " + String.join("\n    ", tests)));
    }
}
