"""Starts a server, asks it, loads it, and reads from /proc what that cost."""

import contextlib
import http.client
import json
import os
import random
import re
import resource
import shutil
import ssl
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path

import peers

SERVER_CORE, LOAD_CORE = map(str, (sorted(os.sched_getaffinity(0)) * 2)[:2])
TICK = 1e6 / os.sysconf("SC_CLK_TCK")  # microseconds
LIMIT = 8  # seconds to an answer; whoever waits longer for an avatar has left
LOCATION = re.compile(r"https://avatar\.spacefox\.fr/Renard-([1-9]\d*)\.png")
PORTS = iter(range(10_000 + os.getpid() % 5_000 * 2, 32_000, 2))  # clients connect from higher ones
HTTPS = partial(http.client.HTTPSConnection, context=ssl._create_unverified_context())  # a self-signed certificate


class Server:
    """A running peer: started with every core in view, as in use (a JVM chooses its collector by their number), and
    pinned to one once it answers."""

    running = set()

    def __init__(self, peer):
        self.peer, self.port = peer, next(PORTS)
        self.directory = Path(tempfile.mkdtemp(prefix="avatar-bench-"))
        self.directory.chmod(0o755)  # nginx's workers are another user's
        with (self.directory / "log").open("w+") as log:
            self.process = subprocess.Popen(peers.command(peer, self.directory, self.port), shell=True, stdout=log,
                                            stderr=log, cwd=self.directory)
            self.running.add(self)
            assert self.answers(), f"does not start: {Path(log.name).read_text()[-500:]}"
        self.pin(SERVER_CORE)

    def pin(self, cores):
        for pid in [*self.processes()] * 2:  # twice, for threads that were born meanwhile
            subprocess.run(["taskset", "-acp", cores, pid], capture_output=True)

    def stop(self):
        subprocess.run(["kill", "-9", *self.processes()], capture_output=True)
        self.process.wait()
        self.running.discard(self)
        shutil.rmtree(self.directory, ignore_errors=True)

    def processes(self):
        """Of the process and of all below it the fields after the name, which proc(5) explains."""
        found, family = {}, [str(self.process.pid)]
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):  # it has just ended
                found[stat.parent.name] = stat.read_text().rpartition(")")[2].split()
        for parent in family:
            family += [pid for pid, fields in found.items() if fields[1] == parent]
        return {pid: found[pid] for pid in family if pid in found}

    def cpu(self):
        """Microseconds of processor time spent so far, user and system, with that of processes that have ended."""
        return sum(sum(map(int, fields[11:15])) for fields in self.processes().values()) * TICK

    def memory(self):
        """Resident memory in MB; what processes share is counted for each."""
        return sum(int(fields[21]) for fields in self.processes().values()) * resource.getpagesize() / 2**20

    def client(self):
        return (HTTPS if self.peer.tls else http.client.HTTPConnection)("127.0.0.1", self.port, timeout=LIMIT)

    def answers(self):
        """Whether a new client gets an answer in time; it may be refused while others' connections end."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(OSError, http.client.HTTPException):
                if ask(self.client())[0].status == self.peer.status:
                    return True
            time.sleep(0.02)
        return False


def ask(client, method="GET", body=None):
    client.request(method, "/any/path.png?and=query", body, {"Host": peers.HOST})
    response = client.getresponse()
    return response, response.read()


def check(server):
    """How the peer's answer differs from the one wanted; what makes it wrong comes as an AssertionError."""
    found, peer, client = set(), server.peer, server.client()
    for method, body in [("GET", None), ("HEAD", None), ("POST", b"x=1"), ("GET", None)]:
        response, content = ask(client, method, body)
        if method == "POST" and response.status == 405:
            found.add("answers POST with 405")
            continue
        assert response.status == peer.status, f"answers {method} with {response.status}"
        location, kind = response.getheader("Location"), response.getheader("Content-Type")
        assert location is None or LOCATION.fullmatch(location), f"Location: {location}"
        found |= {what for what, deviates in {
            "sends no Location": location is None,
            "sends no Cache-Control": response.getheader("Cache-Control") != "private, no-store",
            "sends a body": content,
            f"sends Content-Type {kind or '(empty)'}": kind is not None,
            "closes each connection": response.will_close and method == "GET"}.items() if deviates}
    wrong = found - {*peer.allowed, "closes each connection"}
    assert not wrong, ", ".join(sorted(wrong))
    # 100 draws of each number: one that is seen fewer than 40 or more than 160 times is off by six standard deviations
    drawn = {}
    for _ in range(0 if "sends no Location" in found and peer.status == 302 else 100 * peers.COUNT):
        response, content = ask(client)
        number = content if peer.status == 200 else int(LOCATION.fullmatch(response.getheader("Location"))[1])
        drawn[number] = drawn.get(number, 0) + 1
    times = drawn.values() or [100] * peers.COUNT
    assert len(times) == peers.COUNT and min(times) >= 40 and max(times) <= 160, f"not uniform: {sorted(times)}"
    return ", ".join(sorted(found))


def generate(server, cores, seconds, tool, *options, path="/"):
    """Runs a load generator on its cores; returns what it prints, the server's processor time, and whether the
    generator was the limit: its core was full, and the server's was not."""
    # another loopback address each time: the ports of the run before may still be in TIME_WAIT
    url = f"http{'s' * server.peer.tls}://127.0.0.{random.randrange(1, 255)}:{server.port}{path}"
    command = ["timeout", "-s", "KILL", seconds + 2 * LIMIT, "taskset", "-c", cores, tool, "-H", f"Host: {peers.HOST}",
               *options, url]
    environment = {**os.environ, "OPENSSL_CONF": str(peers.BENCH / "client.cnf"),
                   "STATUS": str(server.peer.status) if server.peer.tls else ""}
    usage, before, started = resource.getrusage(resource.RUSAGE_CHILDREN), server.cpu(), time.monotonic()
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=environment)
    elapsed, spent = time.monotonic() - started, server.cpu() - before
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = (used.ru_utime + used.ru_stime - usage.ru_utime - usage.ru_stime) / elapsed
    return done.stdout, spent, int(busy >= 0.9 > spent / 1e6 / elapsed)


def wrk(server, clients, seconds, *options):
    """What a load gave. lost: no connection, one that ended without an answer, or no answer in time. wrk sends its next
    request at once, so that it also meets connections that the server closes without having said so in the answer
    before; browsers and nginx send such a request again."""
    text, spent, limited = generate(server, LOAD_CORE, seconds, "wrk", "-t1", "-c", clients, "-d", seconds, "--timeout",
                                    LIMIT, "-s", peers.BENCH / "wrk.lua", *options)
    line = re.search(r"^\{.*\}$", text, re.M)
    assert line, f"wrk: {text[-200:]}"
    found = json.loads(line[0])
    answers = max(found["answers"], 1)
    right = found["answers"] - found["wrong"]
    return {"rate": right / found["seconds"], "cpu": spent / answers, "limited": limited, "p99": found["p99"],
            "right": right / (answers + found["lost"]), "bytes": found["bytes"] / answers}


def ab(server, clients, amount, timed=False, cores=(SERVER_CORE, LOAD_CORE), path="/"):
    """The article's way: a connection for each of so many requests, or for so many seconds."""
    server.pin(cores[0])
    # -n: more than one ab can do; it keeps a record of each
    options = ["-t", amount, "-n", 100_000 * amount] if timed else ["-n", amount]
    text, spent, limited = generate(server, cores[1], 100, "ab", "-q", "-r", "-c", clients, "-s", LIMIT, *options,
                                    path=path)
    complete, failed, other_length, seconds = [
        float((re.search(rf"{label}: +([\d.]+)", text) or [0, 0])[1])
        for label in ("Complete requests", "Failed requests", ", Length", "Time taken for tests")]
    assert seconds, f"ab: {text[-200:]}"
    answers = complete - failed + other_length  # ab counts the lost among the complete ones; any length is right
    return {"rate": answers / seconds, "cpu": spent / max(answers, 1), "limited": limited,
            "right": answers / max(complete, 1)}


def closed(server, clients, seconds):
    # wrk does not notice that the JDK's HTTP server closes a connection; ab has no TCP_NODELAY, so that Go's TLS waits
    # for delayed acknowledgements
    return wrk(server, clients, seconds, "-H", "Connection: close") if server.peer.tls else ab(
        server, clients, seconds, timed=True)


BOTH = (f"{SERVER_CORE},{LOAD_CORE}",) * 2
WAYS = {"kept alive": wrk, "closed": closed, "one core": ab, "both cores": partial(ab, cores=BOTH),
        "a picture, one core": partial(ab, path="/Renard-1.png"),
        "a picture, both cores": partial(ab, path="/Renard-1.png", cores=BOTH)}


def warm_up(server):
    """Equal for all. On one core a JVM gets faster for ten seconds, of which the first rounds are a part."""
    wrk(server, 10, 4)
    closed(server, 10, 2)
