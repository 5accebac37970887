package fr.spacefox.avatar.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A program that has ended: its exit status, and what it printed on both streams. */
public record Command(int status, String output) {

    public static Command run(String... words) throws IOException {
        return finish(new ProcessBuilder(words).redirectErrorStream(true).start());
    }

    /** Closes the input of a running program and waits for its end. */
    public static Command finish(Process process) {
        try (var output = process.getInputStream()) {
            process.getOutputStream().close();
            String text = new String(output.readAllBytes(), StandardCharsets.ISO_8859_1);
            return new Command(process.waitFor(), text);
        } catch (IOException | InterruptedException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** What it printed; its exit status must be 0. */
    public String ok() {
        assertEquals(0, status, output);
        return output.strip();
    }
}
