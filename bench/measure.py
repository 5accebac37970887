"""Starts a server, asks it, loads it, and says what that cost."""

import contextlib
import http.client
import os
import random
import re
import ssl
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path

import psutil

import peers

SERVER_CORE, LOAD_CORE = (sorted(os.sched_getaffinity(0)) * 2)[:2]
FOLDER = tempfile.TemporaryDirectory(prefix="avatar-bench-")
os.chmod(FOLDER.name, 0o755)  # nginx's workers are another user's
LIMIT = 8  # seconds to an answer; whoever waits longer for an avatar has left
AVATARS = 20  # of a page
LOCATION = re.compile(r"https://avatar\.spacefox\.fr/Renard-([1-9]\d*)\.png")
PORTS = iter(range(10_000 + os.getpid() % 5_000 * 3, 32_000, 3))  # clients connect from higher ones
HTTPS = partial(http.client.HTTPSConnection, context=ssl._create_unverified_context())  # a self-signed certificate


class Server:
    """A running peer. It starts with every core in view, as in use (a JVM chooses its collector by their number)."""

    running = []

    def __init__(self, peer, tls=False, port=None):
        self.peer, self.tls = peer, tls
        first = port or next(PORTS)
        self.port = first + tls
        self.directory = Path(tempfile.mkdtemp(dir=FOLDER.name))
        self.directory.chmod(0o755)
        self.words = {"PORT": str(first), "TLS": str(first + 1), "INNER": str(first + 2),
                      "DIRECTORY": str(self.directory)}
        self.processes, self.reached = [], 0  # pages a second

    def start(self):
        self.running.append(self)
        with (self.directory / "log").open("w+") as log:
            for command in peers.prepare(self.peer, self.words):
                self.processes.append(psutil.Popen(command, stdout=log, stderr=log, cwd=self.directory))
            assert self.answers(), f"does not start: {Path(log.name).read_text()[-500:]}"

    def family(self):
        return [*self.processes, *(child for process in self.processes for child in process.children(recursive=True))]

    def pin(self):
        """To one core; twice, for threads that were born meanwhile."""
        for process in self.family() * 2:
            subprocess.run(["taskset", "-a", "-c", "-p", str(SERVER_CORE), str(process.pid)], stdout=subprocess.DEVNULL)

    def sum(self, read):
        """Of what is read from each process that has not ended meanwhile."""
        found = 0
        for process in self.family():
            with contextlib.suppress(psutil.NoSuchProcess, OSError):
                found += read(process)
        return found

    def stop(self):
        for process in self.family():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        for process in self.processes:
            process.wait()
        self.processes = []
        self.running.remove(self)

    def cpu(self):
        """Seconds of processor time so far, by each process's own clock (see clock_getcpuclockid), which counts in
        nanoseconds and includes threads that have ended. Child processes that have ended count in ticks of 10 ms."""
        return self.sum(lambda process: time.clock_gettime(~process.pid << 3 | 2) + sum(process.cpu_times()[2:4]))

    def memory(self, name=""):
        """Resident, in MB, of all processes or those of this name; what they share is counted for each."""
        return self.sum(lambda process: process.memory_info().rss * (name in process.name())) / 2**20

    def wakeups(self):
        """Of each thread so far, because threads may end: its voluntary context switches."""
        found = {}
        for status in (file for each in self.family() for file in Path(f"/proc/{each.pid}/task").glob("*/status")):
            with contextlib.suppress(OSError):
                found[status] = int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status.read_text(), re.M)[1])
        return found

    def client(self):
        return (HTTPS if self.tls else http.client.HTTPConnection)("127.0.0.1", self.port, timeout=LIMIT)

    def answers(self):
        """Whether a new client gets an answer in time; it may be refused while others' connections end."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end and all(process.poll() is None for process in self.processes):
            with contextlib.suppress(OSError, http.client.HTTPException):
                if ask(self.client(), self.peer)[0].status == self.peer.status:
                    return True
            time.sleep(0.02)
        return False


def ask(client, peer, method="GET"):
    client.request(method, peer.path, "x=1" if method.startswith("P") else None, {"Host": peers.HOST})
    response = client.getresponse()
    return response, response.read()


def check(server):
    """Whether each answer is the one wanted, and each draw as frequent as the others: chi square of 30 draws for each
    is at most eight standard deviations above its mean. Returns whether the server keeps connections alive."""
    peer, client, drawn = server.peer, server.client(), {}
    for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "GET") if peer.status == 302 else ("GET",):
        response, content = ask(client, peer, method)
        assert response.status == peer.status, f"answers {method} with {response.status}"
        kind = response.getheader("Content-Type")
        if peer.status == 200:
            assert content and kind.startswith("image/"), f"sends Content-Type: {kind}"
            continue
        assert LOCATION.fullmatch(response.getheader("Location", "")), f"sends Location: {response.headers}"
        assert response.getheader("Cache-Control") == "private, no-store", "sends another Cache-Control"
        assert peer.typed or kind is None and not content, f"sends Content-Type: {kind}, and {content[:100]}"
    for _ in range(30 * peers.COUNT if peer.kinds else 0):
        response, content = ask(client, peer)
        answer = response.getheader("Location") or content
        drawn[answer] = drawn.get(answer, 0) + 1
    mean = 30 * peers.COUNT / max(peer.kinds, 1)
    square = sum((times - mean) ** 2 / mean for times in drawn.values()) + (peer.kinds - len(drawn)) * mean
    assert len(drawn) <= peer.kinds and square <= peer.kinds + 8 * (2 * peer.kinds) ** 0.5, f"not uniform: {drawn}"
    return not response.will_close


def generate(server, *command, pinned=True, seconds=0):
    """Runs a load generator; returns what it prints, the server's processor time in µs of at least so many seconds,
    and whether the generator was the limit: its core was full, and the server's was not."""
    words = ["timeout", "-s", "KILL", 120, *(["taskset", "-c", LOAD_CORE] if pinned else []), *command]
    before, usage, started = server.cpu(), os.times(), time.monotonic()
    done = subprocess.run([*map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "OPENSSL_CONF": str(peers.BENCH / "client.cnf")})
    elapsed, own = time.monotonic() - started, sum(os.times()[2:4]) - sum(usage[2:4])
    time.sleep(max(0, seconds - elapsed))
    spent = server.cpu() - before
    assert not done.returncode, f"{command[0]} ends with {done.returncode}: {done.stdout.strip()[-200:]}"
    return done.stdout, 1e6 * spent, int(own / elapsed >= 0.9 > spent / elapsed)


def url(server):
    # another loopback address each time: the ports of the run before may still be in TIME_WAIT
    return f"http{'s' * server.tls}://127.0.0.{random.randrange(1, 255)}:{server.port}{server.peer.path}"


def number(pattern, text, default=None):
    """The first number in what a generator printed."""
    found = re.search(pattern, text)
    assert found or default is not None, f"no {pattern} in: {text[-300:]}"
    return float(found[1]) if found else default


def wrk(server, clients, seconds):
    """Kept alive. wrk sends its next request at once, so that it also meets connections that the server closes without
    having said so in the answer before; browsers and nginx send such a request again."""
    text, spent, limited = generate(server, "wrk", "-t1", "-c", clients, "-d", seconds, "--timeout", LIMIT, url(server))
    answers, wrong = number(r"(\d+) requests in", text), number(r"Non-2xx or 3xx responses: (\d+)", text, 0)
    lost = sum(map(int, re.findall(r"(?:connect|read|write|timeout) (\d+)", text)))  # or no answer in time
    right = answers - wrong
    return {"rate": number(r"Requests/sec: +([\d.]+)", text) * right / max(answers, 1), "cpu": spent / max(right, 1),
            "limited": limited, "right": right / max(answers + lost, 1)}


def ab(server, *options, address=None, pinned=True):
    """A connection for each request, as in the article."""
    text, spent, limited = generate(server, "ab", "-c", 10, *options, address or url(server), pinned=pinned)
    complete, failed, other_length = (number(rf"{label}: +(\d+)", text, 0)
                                      for label in ("Complete requests", "Failed requests", ", Length"))
    right = complete - failed + other_length  # ab counts the lost among the complete ones; any length is right
    return {"rate": right / number(r"Time taken for tests: +([\d.]+)", text), "cpu": spent / max(right, 1),
            "limited": limited, "right": right / max(complete, 1)}


def closed(server, seconds):
    # -n: more than ab can do in this time; it keeps a record of each
    return ab(server, "-q", "-r", "-s", LIMIT, "-t", seconds, "-n", 100_000 * seconds)


def h2load(server, *options, seconds=0):
    """A wait is that for an answer, without connecting."""
    text, spent, limited = generate(server, "h2load", *options, url(server), seconds=seconds)
    right = number(rf"(\d+) {server.peer.status // 100}xx", text)
    took, wait = (float(value) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit] for value, unit in re.findall(
        r"(?:finished in |time for request: +\S+ +\S+ +)([\d.]+)([a-z]+)", text))
    return {"rate": right / max(seconds, took / 1e3), "cpu": spent / max(right, 1), "limited": limited,
            "right": right / max(number(r"(\d+) total,", text), 1), "wait": wait}


def visits(server, rate, seconds, together=1):
    """Pages that begin at a fixed rate, evenly, whether or not the server keeps up: each opens a connection of its own
    and asks for its avatars at once. h2load's period is whole milliseconds."""
    pages = round(rate * seconds)
    found = h2load(server, "-c", pages, "-n", AVATARS * pages, "-m", AVATARS, "-r", together,
                   "--rate-period", f"{round(1e3 * together / rate)}ms", seconds=seconds)
    server.reached = max(server.reached, found["rate"] / AVATARS)
    return {**found, "rate": found["rate"] / AVATARS, "cpu": found["cpu"] * AVATARS}


def most_visits(server, seconds):
    """At least a third more pages than the server has ever done, some every 20 ms."""
    while True:
        together = int(1.33 * server.reached / 50) + 1
        found = visits(server, 50 * together, seconds, together)
        if found["rate"] < 42 * together:
            return found


def idle(servers, seconds):
    """What each takes while nobody asks."""
    before = [(server.wakeups(), server.cpu()) for server in servers]
    time.sleep(seconds)
    return [{"cpu": 1e6 * (server.cpu() - cpu) / seconds, "memory": server.memory(), "java": server.memory("java"),
             "wakeups": sum(now - earlier.get(thread, 0) for thread, now in server.wakeups().items()) / seconds}
            for server, (earlier, cpu) in zip(servers, before)]
