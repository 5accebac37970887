package fr.spacefox.avatar.support;

import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Tests that lack something are left out, and the run ends with what they need. In CI they fail. */
public final class LeftOut implements TestExecutionListener {

    private final Set<String> needs = new ConcurrentSkipListSet<>();

    /** What to leave a test out with; in CI it fails. */
    static String because(String need) {
        if (System.getenv("CI") != null) throw new IllegalStateException("needs " + need);
        return need;
    }

    @Override
    public void executionSkipped(TestIdentifier test, String need) {
        needs.add(need);
    }

    @Override
    public void testPlanExecutionFinished(TestPlan finished) {
        needs.forEach(need -> System.out.println("Tests were left out, for they need " + need));
        if (!needs.isEmpty()) System.out.println("sudo .ci/run installs what they need, and leaves none out.");
    }
}
