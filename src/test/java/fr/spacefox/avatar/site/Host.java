package fr.spacefox.avatar.site;

import fr.spacefox.avatar.support.Command;
import java.io.IOException;

/** Another machine: a network namespace with a cable to a box. It ends with its first process. */
final class Host implements AutoCloseable {

    /** The box's address on the cable. */
    static final String BOX = "192.0.2.1";

    private final Process process;

    Host(Box box) throws IOException, InterruptedException {
        String script = """
                ip link set lo up
                ip link add eth0 type veth peer name eth0 netns $0
                ip address add 192.0.2.2/24 dev eth0
                ip link set eth0 up
                exec sleep 300""";
        process = new ProcessBuilder("unshare", "--net", "sh", "-ec", script, Long.toString(box.leader()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        box.awaitTrue("the cable", () -> box.succeeds("ip link show eth0"));
        box.run("ip address add " + BOX + "/24 dev eth0; ip link set eth0 up");
        box.awaitTrue("the other end", () -> box.succeeds("ip link show eth0 | grep LOWER_UP"));
    }

    /** Runs a shell script in the other machine's network, which may fail. */
    Command attempt(String script) throws IOException {
        return Command.run("nsenter", "--target", Long.toString(process.pid()), "--net", "sh", "-ec", script);
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
