"""Starts a server, asks it, loads it, and says what that cost."""

import contextlib
import http.client
import json
import os
import random
import re
import ssl
import subprocess
import tempfile
import time
from array import array
from functools import partial
from pathlib import Path

import peers

SERVER_CORE, LOAD_CORE = (sorted(os.sched_getaffinity(0)) * 2)[:2]
FOLDER = tempfile.TemporaryDirectory(prefix="avatar-bench-", dir="/dev/shm")  # memory, as /run is
os.chmod(FOLDER.name, 0o755)  # nginx's workers are another user's
LIMIT = 8  # seconds to an answer; whoever waits longer for an avatar has left
AVATARS = 20  # of a page
SURPLUS = 1_500  # pages a second, more than any of the servers or browser.go can do
PAGE = os.sysconf("SC_PAGE_SIZE")
LOCATION = re.compile(rf"https://{peers.HOST}/({peers.SET}/)?Renard-[0-9]+[.]png")
PORTS = iter(range(10_000 + os.getpid() % 5_000 * 3, 32_000, 3))  # clients connect from higher ones
HTTPS = partial(http.client.HTTPSConnection, context=ssl._create_unverified_context())  # a self-signed certificate


class Server:
    """A running peer. It starts with every core in view, as in use (a JVM chooses its collector by their number)."""

    running = []

    def __init__(self, peer, tls=False, port=None, connections=24_000):
        self.peer, self.tls, self.warmed = peer, tls, set()
        first = port or next(PORTS)
        self.port = first + tls
        self.directory = Path(tempfile.mkdtemp(dir=FOLDER.name))
        self.directory.chmod(0o755)
        self.words = {"PORT": str(first), "TLS": str(first + 1), "INNER": str(first + 2),
                      "DIRECTORY": str(self.directory), "CONNECTIONS": str(connections)}
        self.processes = []

    def start(self):
        self.running.append(self)
        with (self.directory / "log").open("w+") as log:
            for command in peers.prepare(self.peer, self.words):
                self.processes.append(subprocess.Popen(command, stdout=log, stderr=log, cwd=self.directory,
                                                       start_new_session=True))
            assert self.answers(), f"does not start: {Path(log.name).read_text()[-500:]}"

    def family(self):
        """The processes of the sessions that it began, each with what its stat says from the state on."""
        sessions = [process.pid for process in self.processes]
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                fields = stat.read_text().rpartition(")")[2].split()
                if int(fields[3]) in sessions and fields[0] != "Z":
                    yield int(stat.parent.name), fields

    def pin(self):
        """To one core; twice, for threads that were born meanwhile."""
        for pid, _ in [*self.family()] * 2:
            subprocess.run(["taskset", "-a", "-c", "-p", str(SERVER_CORE), str(pid)], stdout=subprocess.DEVNULL)

    def stop(self):
        while family := [*self.family()]:
            for pid, _ in family:
                with contextlib.suppress(OSError):
                    os.kill(pid, 9)
            for process in self.processes:
                process.wait()
        self.processes = []
        self.running.remove(self)

    def cpu(self):
        """Seconds of processor time so far, by each process's own clock (see clock_getcpuclockid), which counts in
        nanoseconds and includes threads that have ended. Child processes that have ended count in ticks of 10 ms."""
        spent = 0
        for pid, fields in self.family():
            with contextlib.suppress(OSError):
                spent += time.clock_gettime(~pid << 3 | 2) + sum(map(int, fields[13:15])) / 100
        return spent

    def memory(self):
        """In MB. A page that several of its processes share counts once, and in full: this is the PSS that they would
        have if no other program ran here. Several of the others are JVMs, too."""
        frames = set()
        for pid, _ in self.family():
            with contextlib.suppress(OSError), open(f"/proc/{pid}/pagemap", "rb", 0) as pagemap:
                for bounds in re.findall(r"^(\w+)-(\w+) .*(?:\n[A-QS-Z].*)*\nRss: +[1-9]",
                                         Path(f"/proc/{pid}/smaps").read_text(), re.M):
                    first, last = (int(bound, 16) // PAGE * 8 for bound in bounds)
                    pagemap.seek(first)
                    entries = array("Q", pagemap.read(last - first))
                    frames.update(entry & 2**55 - 1 for entry in entries if entry >> 63)
        return len(frames) * PAGE / 2**20

    def wakeups(self):
        """Of each thread so far, because threads may end: its voluntary context switches."""
        found = {}
        for status in (file for pid, _ in self.family() for file in Path(f"/proc/{pid}/task").glob("*/status")):
            with contextlib.suppress(OSError):
                found[status] = int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", status.read_text(), re.M)[1])
        return found

    def client(self):
        return (HTTPS if self.tls else http.client.HTTPConnection)("127.0.0.1", self.port, timeout=LIMIT)

    def ask(self, client, method="GET"):
        client.request(method, self.peer.path, "x" if method.startswith("P") else None, {"Host": peers.HOST})
        response = client.getresponse()
        return response, response.read()

    def answers(self):
        """Whether a new client gets an answer in time; it may be refused while others' connections end."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end and all(process.poll() is None for process in self.processes):
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self.ask(self.client())[0].status == self.peer.status:
                    return True
            time.sleep(0.02)
        return False

    def settle(self):
        """Lets it end what clients that have left asked it for."""
        before, end = 0, time.monotonic() + 5 * LIMIT
        while self.cpu() - before > 0.02 and time.monotonic() < end:
            before = self.cpu()
            time.sleep(0.2)


def check(server):
    """Whether each answer is the one wanted, and whether all pictures are drawn. Returns whether the server keeps
    connections alive."""
    peer, client, drawn = server.peer, server.client(), set()
    for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "GET") if peer.status == 302 else ("GET",):
        response, content = server.ask(client, method)
        assert response.status == peer.status, f"answers {method} with {response.status}"
        kind = response.getheader("Content-Type")
        if peer.status == 200:
            assert content and kind.startswith("image/"), f"sends Content-Type: {kind}"
            continue
        assert LOCATION.fullmatch(response.getheader("Location", "")), f"sends Location: {response.headers}"
        assert response.getheader("Cache-Control") == "private, no-store", "sends another Cache-Control"
        assert peer.typed or kind is None and not content, f"sends Content-Type: {kind}, and {content[:100]}"
    for _ in range(20 * peers.COUNT * peer.draws):
        response, content = server.ask(client)
        drawn.add(response.getheader("Location") or content)
    assert len(drawn) >= peers.COUNT * peer.draws, f"draws only {len(drawn)}"
    return not response.will_close


def generate(server, *command, pinned=True, seconds=0):
    """Runs a load generator, for at least so many seconds; returns what it prints, the server's processor time in µs,
    and which part of its core that was."""
    words = ["timeout", "-s", "KILL", 500, *(["taskset", "-c", LOAD_CORE] if pinned else []), *command]
    before, started = server.cpu(), time.monotonic()
    done = subprocess.run([*map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    time.sleep(max(0, started + seconds - time.monotonic()))
    spent = server.cpu() - before
    assert not done.returncode, f"{command[0]} ends with {done.returncode}: {done.stdout.strip()[-200:]}"
    return done.stdout, 1e6 * spent, spent / (time.monotonic() - started)


def url(server):
    # another loopback address each time: the ports of the run before may still be in TIME_WAIT
    return f"http{'s' * server.tls}://127.0.0.{random.randrange(1, 255)}:{server.port}{server.peer.path}"


def number(pattern, text, default=None):
    """The first number in what a generator printed."""
    found = re.search(pattern, text)
    assert found or default is not None, f"no {pattern} in: {text[-300:]}"
    return float(found[1]) if found else default


def wrk(server, seconds):
    """Ten clients, kept alive. wrk sends its next request at once, so that it also meets connections that the server
    closes without having said so in the answer before; browsers and nginx send such a request again."""
    text, spent, busy = generate(server, "wrk", "-t1", "-c10", "-d", seconds, "--timeout", LIMIT, url(server))
    answers, wrong = number(r"(\d+) requests in", text), number(r"Non-2xx or 3xx responses: (\d+)", text, 0)
    lost = sum(map(int, re.findall(r"(?:connect|read|write|timeout) (\d+)", text)))  # or no answer in time
    return {"cpu": spent / max(answers - wrong, 1), "right": (answers - wrong) / max(answers + lost, 1), "busy": busy}


def ab(server, requests, *options, address=None):
    """Ten clients, and a connection for each request. The article's command has an address, and all cores."""
    text, spent, busy = generate(server, "ab", "-n", requests, "-c", 10, *options, address or url(server),
                                 pinned=not address)
    complete, failed, other_length = (number(rf"{label}: +(\d+)", text, 0)
                                      for label in ("Complete requests", "Failed requests", ", Length"))
    right = complete - failed + other_length  # ab counts the lost among the complete ones; any length is right
    return {"rate": right / number(r"Time taken for tests: +([\d.]+)", text), "cpu": spent / max(right, 1),
            "right": right / max(complete, 1), "busy": busy}


def closed(server, seconds):
    # more requests than ab can do in this time; it keeps a record of each
    return ab(server, 100_000 * seconds, "-q", "-r", "-s", LIMIT, "-t", seconds)


def crowd(server, clients):
    """So many at once over TLS, kept alive over HTTP/1.1, of which each asks for twenty avatars."""
    text, spent, busy = generate(server, "h2load", "--h1", "-c", clients, "-n", AVATARS * clients, url(server))
    right = number(rf"(\d+) {server.peer.status // 100}xx", text)
    return {"cpu": spent / max(right, 1), "right": right / clients / AVATARS, "busy": busy}


def visits(server, seconds, rate):
    """Pages that begin at a fixed rate, whether or not the server keeps up. Waits are in ms."""
    text, spent, busy = generate(server, peers.BUILD / "browser", f"127.0.0.1:{server.port}", peers.HOST,
                                 server.peer.path, server.peer.status, rate, seconds, LIMIT, seconds=seconds)
    found = json.loads(text)
    return {"cpu": spent * AVATARS / max(found.pop("answers"), 1), **found, "busy": busy}


def idle(servers, seconds):
    """What each takes while nobody asks."""
    before = [(server.wakeups(), server.cpu()) for server in servers]
    time.sleep(seconds)
    return [{"cpu": max(0, 1e6 * (server.cpu() - cpu) / seconds),
             "wakeups": sum(now - earlier.get(thread, 0) for thread, now in server.wakeups().items()) / seconds}
            for server, (earlier, cpu) in zip(servers, before)]
