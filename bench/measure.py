"""Starts a server, asks it, loads it, and says what that cost."""

import contextlib
import http.client
import os
import random
import re
import resource
import ssl
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median, quantiles

import psutil

import peers

SERVER_CORE, LOAD_CORE = (sorted(os.sched_getaffinity(0)) * 2)[:2]
FOLDER = tempfile.TemporaryDirectory(prefix="avatar-bench-")
os.chmod(FOLDER.name, 0o755)  # nginx's workers are another user's
LIMIT = 8  # seconds to an answer; whoever waits longer for an avatar has left
# A sample during which others took a larger share of the machine's time is taken again. The kernel counts by ticks, and
# makes up to a fifth of a server that wakes up with the clock.
DISTURBED = 0.25
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
        self.directory = Path(tempfile.mkdtemp(dir=FOLDER.name))
        self.directory.chmod(0o755)
        self.words = {"PORT": str(first), "TLS": str(first + 1), "INNER": str(first + 2),
                      "DIRECTORY": str(self.directory)}
        self.port = first + tls
        self.processes, self.best = [], 400  # visits a second

    def start(self, pinned=True):
        self.running.append(self)
        with (self.directory / "log").open("w+") as log:
            for command in peers.prepare(self.peer, self.words):
                self.processes.append(psutil.Popen(command, stdout=log, stderr=log, cwd=self.directory))
            assert self.answers(), f"does not start: {Path(log.name).read_text()[-500:]}"
        if pinned:
            self.pin()

    def family(self):
        return [*self.processes, *(child for process in self.processes for child in process.children(recursive=True))]

    def pin(self):
        """To one core; twice, for threads that were born meanwhile."""
        for process in self.family() * 2:
            for thread in process.threads():
                with contextlib.suppress(ProcessLookupError):
                    os.sched_setaffinity(thread.id, {SERVER_CORE})

    def sum(self, read):
        """Of what is read from each process that has not ended meanwhile."""
        found = 0
        for process in self.family():
            with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
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

    def memory(self):
        """Resident memory in MB; what processes share is counted for each."""
        return self.sum(lambda process: process.memory_info().rss) / 2**20

    def wakeups(self):
        """Of each thread so far."""
        return {status: int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status.read_text(), re.M)[1])
                for process in self.family() for status in Path(f"/proc/{process.pid}/task").glob("*/status")}

    def client(self, port=None):
        connection = HTTPS if self.tls and not port else http.client.HTTPConnection
        return connection("127.0.0.1", port or self.port, timeout=LIMIT)

    def answers(self):
        """Whether a new client gets an answer in time; it may be refused while others' connections end."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end and all(process.poll() is None for process in self.processes):
            with contextlib.suppress(OSError, http.client.HTTPException):
                if ask(self.client(), self.peer.path)[0].status == self.peer.status:
                    return True
            time.sleep(0.02)
        return False


def ask(client, path, method="GET", body=None):
    client.request(method, path, body, {"Host": peers.HOST})
    response = client.getresponse()
    return response, response.read()


def check(server):
    """How the peer's answer differs from the one wanted; what makes it wrong comes as an AssertionError."""
    found, peer, client = set(), server.peer, server.client()
    for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "GET"):
        response, content = ask(client, peer.path, method, b"x=1" if method.startswith("P") else None)
        if response.status == 405:
            found.add(f"answers {method} with 405")
            continue
        assert response.status == peer.status, f"answers {method} with {response.status}"
        assert peer.contains in content or method != "GET", f"sends {content[:100]}"
        location, kind = response.getheader("Location"), response.getheader("Content-Type")
        assert location is None or LOCATION.fullmatch(location), f"Location: {location}"
        found |= {what for what, deviates in {
            "sends no Location": location is None,
            "sends another Cache-Control": response.getheader("Cache-Control") != "private, no-store",
            "sends a body": content,
            f"sends Content-Type {kind or '(empty)'}": kind is not None,
            "closes each connection": response.will_close and method == "GET"}.items() if deviates}
    wrong = found - {*peer.allowed, "closes each connection"}
    assert not wrong, ", ".join(sorted(wrong))
    if peer.draws and not ("sends no Location" in found and peer.status == 302):
        check_uniform(server)
    return ", ".join(sorted(found))


def check_uniform(server):
    """That chi square of 100 draws for each picture is below its mean by eight standard deviations."""
    client, drawn = server.client(server.words[server.peer.draws]), {}
    for _ in range(100 * peers.COUNT):
        response, content = ask(client, server.peer.path)
        number = response.getheader("Location") or content
        drawn[number] = drawn.get(number, 0) + 1
    kinds = server.peer.kinds
    mean = 100 * peers.COUNT / kinds
    square = sum((times - mean) ** 2 / mean for times in drawn.values()) + (kinds - len(drawn)) * mean
    assert len(drawn) <= kinds and square < kinds + 8 * (2 * kinds) ** 0.5, f"not uniform: {sorted(drawn.values())}"


def used(who=resource.RUSAGE_CHILDREN):
    return sum(resource.getrusage(who)[:2])


def generate(server, *command, pinned=True, seconds=0):
    """Runs a load generator; returns what it prints, the server's processor time in µs of at least so many seconds,
    and whether the generator was the limit: its core was full, and the server's was not."""
    words = ["timeout", "-s", "KILL", 120, *(["taskset", "-c", LOAD_CORE] if pinned else []), *command]
    before, usage, started = server.cpu(), used(), time.monotonic()
    done = subprocess.run([*map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "OPENSSL_CONF": str(peers.BENCH / "client.cnf")})
    elapsed = time.monotonic() - started
    time.sleep(max(0, seconds - elapsed))
    spent = server.cpu() - before
    if done.returncode:
        raise RuntimeError(f"{command[0]} ends with {done.returncode}: {done.stdout.strip()[-200:]}")
    return done.stdout, 1e6 * spent, int((used() - usage) / elapsed >= 0.9 > spent / elapsed)


def url(server, path=None):
    # another loopback address each time: the ports of the run before may still be in TIME_WAIT
    return f"http{'s' * server.tls}://127.0.0.{random.randrange(1, 255)}:{server.port}{path or server.peer.path}"


def number(pattern, text, default=None):
    """The first number in what a generator printed."""
    found = re.search(pattern, text)
    assert found or default is not None, f"no {pattern} in: {text[-300:]}"
    return float(found[1]) if found else default


def milliseconds(text):
    return float(re.match(r"[\d.]+", text)[0]) * {"us": 1e-3, "ms": 1, "s": 1e3}[re.sub(r"[\d.]", "", text)]


def wrk(server, clients, seconds):
    """Kept alive. wrk sends its next request at once, so that it also meets connections that the server closes without
    having said so in the answer before; browsers and nginx send such a request again."""
    text, spent, limited = generate(server, "wrk", "-t1", "-c", clients, "-d", seconds, "--timeout", LIMIT, url(server))
    answers, wrong = number(r"(\d+) requests in", text), number(r"Non-2xx or 3xx responses: (\d+)", text, 0)
    lost = sum(map(int, re.findall(r"(?:connect|read|write|timeout) (\d+)", text)))  # or no answer in time
    right = answers - wrong
    return {"rate": number(r"Requests/sec: +([\d.]+)", text) * right / max(answers, 1), "cpu": spent / max(answers, 1),
            "limited": limited, "right": right / max(answers + lost, 1)}


def ab(server, options, address=None, path=None, pinned=True):
    """A connection for each request, as in the article."""
    text, spent, limited = generate(server, "ab", *options, address or url(server, path), pinned=pinned)
    complete, failed, other_length = (number(rf"{label}: +(\d+)", text, 0)
                                      for label in ("Complete requests", "Failed requests", ", Length"))
    answers = complete - failed + other_length  # ab counts the lost among the complete ones; any length is right
    return {"rate": answers / number(r"Time taken for tests: +([\d.]+)", text), "cpu": spent / max(answers, 1),
            "limited": limited, "right": answers / max(complete, 1)}


def closed(server, clients, seconds):
    # -n: more than ab can do in this time; it keeps a record of each
    return ab(server, ["-q", "-r", "-c", clients, "-s", LIMIT, "-t", seconds, "-n", 100_000 * seconds])


def h2load(server, *options, seconds=0):
    text, spent, limited = generate(server, "h2load", *options, url(server), seconds=seconds)
    right, done = number(rf"(\d+) {server.peer.status // 100}xx", text), number(r"(\d+) done", text)
    took = max(seconds, milliseconds(re.search(r"finished in (\S+),", text)[1]) / 1e3)
    return {"rate": right / took, "cpu": spent / max(done, 1), "limited": limited,
            "right": right / max(number(r"(\d+) total,", text), 1),
            "connect": milliseconds(re.search(r"time for connect: +(\S+)", text)[1]),
            "bytes": number(r"traffic: \S+ \((\d+)\)", text) / max(done, 1)}


def visits(server, rate, seconds, together=1):
    """Pages that begin at a fixed rate, evenly, whether or not the server keeps up: each opens a connection of its own
    and asks for its avatars at once. h2load's period is whole milliseconds."""
    period, pages = round(1e3 * together / rate), round(rate * seconds)
    log = server.directory / "requests"
    log.unlink(missing_ok=True)
    found = h2load(server, "-c", pages, "-n", AVATARS * pages, "-m", AVATARS, "-r", together,
                   "--rate-period", f"{period}ms", "--log-file", log, seconds=seconds)
    # Each wait begins when its page should have begun, even if generator or server were late, so that none is left out.
    rows = sorted((int(begin) / 1e3, int(wait) / 1e3) for begin, _, wait, *_ in map(
        str.split, log.read_text().splitlines()))
    due = [period * (row // (AVATARS * together)) for row in range(len(rows))]
    first = min(begin - then for (begin, _), then in zip(rows, due)) - found.pop("connect")
    waits = [begin + wait - then - first for (begin, wait), then in zip(rows, due)]
    return {**found, "rate": found["rate"] / AVATARS, "cpu": found["cpu"] * AVATARS, "median": median(waits),
            "p99": quantiles(waits, n=100)[98], "slowest": max(waits)}


def most_visits(server, seconds):
    """A third more pages than the server has reached, some every 5 ms."""
    together = round(1.33 * server.best / 200)
    found = visits(server, 200 * together, seconds, together)
    server.best = max(server.best, found["rate"])
    return found


def idle(servers, seconds):
    """What each takes while nobody asks."""
    before = [(server.wakeups(), server.cpu()) for server in servers]
    time.sleep(seconds)
    return [{"cpu": 1e6 * (server.cpu() - cpu) / seconds, "memory": server.memory(), "wakeups": sum(
        now - earlier.get(thread, 0) for thread, now in server.wakeups().items()) / seconds}
        for server, (earlier, cpu) in zip(servers, before)]


def quiet(load, server):
    """A sample of a load during which the machine was not taken away; the share that others had of its time, its owner
    or other programs, is in the sample."""
    for _ in range(4):
        before, ours = psutil.cpu_times(), used() + used(resource.RUSAGE_SELF) + server.cpu()
        found = load(server)
        after, ours = psutil.cpu_times(), used() + used(resource.RUSAGE_SELF) + server.cpu() - ours
        passed = [later - earlier for later, earlier in zip(after, before)]
        found["others"] = max(0, sum(passed[:3]) - ours + after.steal - before.steal) / max(sum(passed[:8]), 0.01)
        if found["others"] <= DISTURBED:
            break
        print(f"        others had {found['others']:.0%} of the machine's time", flush=True)
    return found


def warm_up(load, server):
    """Until two samples in a row differ by less than a tenth, or ten have been taken."""
    last = 0
    for _ in range(10):
        rate = load(server)["rate"]
        if abs(rate - last) < last / 10:
            break
        last = rate
