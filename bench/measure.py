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
MOUNTS = (line.split() for line in Path("/proc/mounts").read_text().splitlines())
GROUPS = next((Path(path) for _, path, kind, *_ in MOUNTS if kind == "cgroup2"), None)
LIMIT = 8  # seconds to an answer; whoever waits longer for an avatar has left
SOON = 1  # seconds, within which whoever is at its highest load must answer
ENOUGH = 0.99  # of the requests
PAGE_AVATARS = 20
MEMORY_PAGE = os.sysconf("SC_PAGE_SIZE")
LOCATION = re.compile(rf"https://{peers.HOST}/({peers.SET}/)?Renard-[0-9]+[.]png")
PORTS = iter(range(10_000 + os.getpid() % 5_000 * 3, 32_000, 3))  # clients connect from higher ones
HTTPS = partial(http.client.HTTPSConnection, context=ssl._create_unverified_context())  # a self-signed certificate


class Server:
    """A running peer, in a cgroup of its own. It starts with every core in view, as in use (a JVM chooses its collector
    by their number)."""

    running = []

    def __init__(self, peer, tls=False, connections=24_000):
        self.peer, self.tls, self.processes, self.rates = peer, tls, [], {}
        first = next(PORTS)
        self.port = first + tls
        self.group = GROUPS / f"avatar-bench-{first}"
        self.directory = Path(tempfile.mkdtemp(dir=FOLDER.name))
        self.directory.chmod(0o755)
        self.words = {"PORT": str(first), "TLS": str(first + 1), "INNER": str(first + 2),
                      "DIRECTORY": str(self.directory), "CONNECTIONS": str(connections)}

    def start(self):
        self.group.mkdir(exist_ok=True)
        self.running.append(self)
        with (self.directory / "log").open("w+") as log:
            for command in peers.prepare(self.peer, self.words):
                self.processes.append(subprocess.Popen(
                    ["sh", "-c", 'echo $$ >"$0" && exec "$@"', self.group / "cgroup.procs", *command],
                    stdout=log, stderr=log, cwd=self.directory, start_new_session=True))
            assert self.answers(), f"does not start: {Path(log.name).read_text()[-500:]}"

    def stop(self):
        (self.group / "cgroup.kill").write_text("1")
        for process in self.processes:
            process.wait()
        while self.group.exists():  # until its last process has ended
            with contextlib.suppress(OSError):
                self.group.rmdir()
        self.processes = []
        self.running.remove(self)

    def pin(self):
        """To one core; twice, for threads that were born meanwhile."""
        for _ in range(2):
            for thread in (self.group / "cgroup.threads").read_text().split():
                with contextlib.suppress(OSError):
                    os.sched_setaffinity(int(thread), {SERVER_CORE})

    def cpu(self):
        """Its processor time so far, in µs."""
        return int(re.search(r"usage_usec (\d+)", (self.group / "cpu.stat").read_text())[1])

    def memory(self):
        """In MB. A page that several of its processes share counts once, and in full: this is the PSS that they would
        have if no other program ran here. (memory.current counts a library for the cgroup that read it first.)"""
        frames = set()
        for process in (self.group / "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError), open(f"/proc/{process}/pagemap", "rb", 0) as pagemap:
                # Mappings with pages in memory: the sizes of the mapping and of its pages stand in front of Rss.
                for bounds in re.findall(r"^(\w+)-(\w+) .*(?:\n[A-QS-Z].*)*\nRss: +[1-9]",
                                         Path(f"/proc/{process}/smaps").read_text(), re.M):
                    first, last = (int(bound, 16) // MEMORY_PAGE * 8 for bound in bounds)
                    pagemap.seek(first)
                    entries = array("Q", pagemap.read(last - first))
                    # Bit 63: in memory; bits 0 to 54: the page frame.
                    frames.update(entry & 2**55 - 1 for entry in entries if entry >> 63)
        return len(frames) * MEMORY_PAGE / 2**20

    def client(self):
        return (HTTPS if self.tls else http.client.HTTPConnection)("127.0.0.1", self.port, timeout=LIMIT)

    def ask(self, client, method="GET", path=None):
        client.request(method, path or self.peer.path, "x" if method.startswith("P") else None, {"Host": peers.HOST})
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
        while self.cpu() - before > 20_000 and time.monotonic() < end:
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
    for _ in range(20 * peers.COUNT):
        response, content = server.ask(client)
        drawn.add(response.getheader("Location") or content)
    assert len(drawn) >= peers.COUNT * peer.draws, f"draws only {len(drawn)}"
    if peer.picture:
        picture, content = server.ask(client, path=peer.picture % peers.COUNT)
        assert content == (peers.BUILD / f"pictures/Renard-{peers.COUNT}.png").read_bytes(), "sends another picture"
        assert "max-age=31536000" in picture.getheader("Cache-Control"), f"sends a picture with: {picture.headers}"
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
    return done.stdout, spent, spent / 1e6 / (time.monotonic() - started)


def url(server):
    # another loopback address each time: the ports of the run before may still be in TIME_WAIT
    return f"http{'s' * server.tls}://127.0.0.{random.randrange(1, 255)}:{server.port}{server.peer.path}"


def number(pattern, text, default=None):
    """The first number in what a generator printed."""
    found = re.search(pattern, text)
    assert found or default is not None, f"no {pattern} in: {text[-300:]}"
    return float(found[1]) if found else default


def wrk(server, seconds):
    """Ten clients. wrk sends its next request at once, so that it also meets connections that the server closes
    without having said so in the answer before; browsers and nginx send such a request again."""
    text, spent, busy = generate(server, "wrk", "-t1", "-c10", "-d", max(1, int(seconds)), "--timeout", LIMIT,
                                 url(server))
    answers, wrong = number(r"(\d+) requests in", text), number(r"Non-2xx or 3xx responses: (\d+)", text, 0)
    lost = sum(map(int, re.findall(r"(?:connect|read|write|timeout) (\d+)", text)))  # or no answer in time
    return {"cpu": spent / max(answers - wrong, 1), "right": (answers - wrong) / max(answers + lost, 1), "busy": busy}


def ab(server, requests, address, *options, pinned=False):
    """Ten clients, and a connection for each request."""
    text, spent, busy = generate(server, "ab", "-q", "-c", 10, *options, "-n", int(requests), address, pinned=pinned)
    complete, failed, other_length = (number(rf"{label}: +(\d+)", text, 0)
                                      for label in ("Complete requests", "Failed requests", ", Length"))
    right = complete - failed + other_length  # ab counts the lost among the complete ones; any length is right
    return {"rate": right / number(r"Time taken for tests: +([\d.]+)", text), "cpu": spent / max(right, 1),
            "right": right / max(complete, 1), "busy": busy}


def closed(server, seconds):
    # More requests a second than ab can do; it keeps a record of each. wrk with "Connection: close" would count half of
    # the JDK's answers as lost, for these do not say that they close.
    return ab(server, 100_000 * seconds, url(server), "-r", "-s", LIMIT, "-t", max(1, int(seconds)), pinned=True)


def article(server, requests):
    """The article's command. Of the site it asked for a picture; a twentieth of the requests takes as long."""
    if server.tls:
        return ab(server, requests / 20, f"https://localhost:{server.port}{server.peer.picture % 1}")
    return ab(server, requests, f"http://localhost:{server.port}/")


def crowd(server, clients):
    """So many at once over TLS, kept alive over HTTP/1.1, of which each asks for twenty avatars."""
    clients = int(clients)
    text, spent, busy = generate(server, "h2load", "--h1", "-c", clients, "-n", PAGE_AVATARS * clients, url(server))
    right = number(rf"(\d+) {server.peer.status // 100}xx", text)
    return {"cpu": spent / max(right, 1), "right": right / clients / PAGE_AVATARS, "busy": busy}


def visits(server, seconds, kind, rate, limit=LIMIT):
    """Visits that begin at a fixed rate, whether or not the server keeps up. Waits are in ms."""
    peer = server.peer
    text, spent, busy = generate(
        server, peers.BUILD / "browser", f"127.0.0.1:{server.port}", peers.HOST, peer.path, peer.status,
        peer.picture if kind == "first visit" else "", peers.COUNT, PAGE_AVATARS if kind == "page" else 1,
        rate, seconds, limit, seconds=seconds)
    found = json.loads(text)
    return {"cpu": spent / max(found.pop("visits"), 1), **found, "busy": busy}


def minute(server, seconds, kind):
    """One visit, at half-time; what the server takes until then is what it takes while nobody asks."""
    before = server.cpu()
    time.sleep(seconds / 2)
    idle = server.cpu() - before
    return {**visits(server, seconds / 2, kind, 1 / seconds), "cpu": server.cpu() - before, "idle": 2 * idle / seconds}


def most(server, seconds, kind):
    """The highest rate, in steps of a tenth, at which enough requests are answered rightly and soon; it begins where
    the round before has ended."""
    load, best, lower = partial(visits, server, seconds, kind, limit=SOON), None, False
    rate = server.rates.get(kind) or 0.8e6 / load(rate=100)["cpu"]
    while rate > 1:
        sample = load(rate=rate)
        server.settle()
        if sample["right"] < ENOUGH and not best:
            rate, lower = rate / 1.1, True
        elif best and (sample["right"] < ENOUGH or sample["rate"] < 1.03 * best["rate"]):
            return best
        else:
            best, server.rates[kind] = sample, rate
            if lower:
                return best
            rate *= 1.1
    raise AssertionError("no rate is answered")
