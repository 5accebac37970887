package fr.spacefox.avatar.jar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** How the program ends when it does not start: its exit status, and the lines that it printed. */
record Refusal(int status, List<String> out, List<String> err) {

    static Refusal of(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).start();
        try {
            assertTrue(process.waitFor(20, TimeUnit.SECONDS), "refuses to start");
            return new Refusal(
                    process.exitValue(),
                    process.inputReader(StandardCharsets.UTF_8).lines().toList(),
                    process.errorReader(StandardCharsets.UTF_8).lines().toList());
        } finally {
            process.destroyForcibly();
        }
    }

    /** One clear line that names the argument as the usage does, and the usage. */
    static void checkOfArguments(String culprit, String... arguments) throws Exception {
        Refusal refusal = of(Server.command(arguments));
        assertEquals(2, refusal.err.size(), refusal::toString);
        String line = refusal.err.get(0);
        assertTrue(line.startsWith(culprit + ": "), refusal::toString);
        assertFalse(line.contains("Exception") || line.contains("Index") || line.contains("null"), refusal::toString);
        assertEquals("usage: java -jar avatar.jar [--pool] PORT COUNT ['URL*']", refusal.err.get(1));
        assertEquals(List.of(), refusal.out);
        assertEquals(2, refusal.status);
    }
}
