package fr.spacefox.avatar.site;

import fr.spacefox.avatar.support.Command;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Another machine: a network namespace with a cable to a box. It ends with its first process. */
final class Host implements AutoCloseable {

    /** The box's address on the cable, and the other machine's. */
    static final String BOX = "192.0.2.1";

    static final String ADDRESS = "192.0.2.2";

    private final Process process;

    /** Starts the machine, which runs this command and nothing else. */
    Host(Box box, String... command) throws IOException, InterruptedException {
        var line = new ArrayList<>(List.of("unshare", "--net", "sh", "-ec", """
                leader=$1
                shift
                ip link set lo up
                ip link add eth0 type veth peer name eth0 netns "$leader"
                ip address add 192.0.2.2/24 dev eth0
                ip link set eth0 up
                exec "$@\"""", "host", Long.toString(box.leader())));
        line.addAll(command.length == 0 ? List.of("sleep", "300") : List.of(command));
        process = new ProcessBuilder(line)
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

    /** Plugs the cable in or out. */
    void cable(String state) throws IOException {
        attempt("ip link set eth0 " + state).ok();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
