"""Starts a server, asks it, loads it, and reads from /proc what that cost."""

import http.client
import json
import os
import random
import re
import resource
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import peers

SERVER_CORE, LOAD_CORE = (sorted(os.sched_getaffinity(0)) * 2)[:2]
TICK = 1e6 / os.sysconf("SC_CLK_TCK")  # microseconds
START_LIMIT = 10  # seconds to the first answer; the slowest peer takes 2 when it starts at all
ANSWER_LIMIT = 8  # seconds; whoever waits longer for an avatar has left
LOCATION = re.compile(r"https://avatar\.spacefox\.fr/Renard-([1-9]\d*)\.png")


def free_port():
    """A port below those that clients connect from, so that no client can take it before the server does."""
    while True:
        port = random.randrange(10_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("", port))
                return port
            except OSError:
                pass


class Server:
    """A running peer: started with every core in view, as in use (a JVM chooses its collector by their number), and
    pinned to one once it answers."""

    running = set()

    def __init__(self, peer, heap=8, properties=(), port=None):
        self.directory = Path(tempfile.mkdtemp(prefix="avatar-bench-"))
        self.directory.chmod(0o755)  # nginx's workers are another user's
        self.peer, self.port = peer, port or free_port()
        peers.fill_in(peer, self.directory, self.port)
        words = dict(port=self.port, count=peers.COUNT, dir=self.directory, heap=heap)
        command = [part for word in peer.run
                   for part in (properties if word == "{properties}" else [word.format(**words)])]
        self.log = self.directory / "log"
        with self.log.open("wb") as log:
            started = time.monotonic()
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=peers.ROOT)
        self.running.add(self)
        while not (answered := self.answers(START_LIMIT)):
            if self.process.poll() is not None or time.monotonic() > started + START_LIMIT:
                break
            time.sleep(0.001)
        self.first_answer = time.monotonic() - started if answered else None
        for pid, _ in self.processes() * 2:  # twice, for threads that were born meanwhile
            subprocess.run(["taskset", "-acp", str(SERVER_CORE), str(pid)], capture_output=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        subprocess.run(["kill", "-9", *[str(pid) for pid, _ in self.processes()]], capture_output=True)
        self.process.wait()
        self.running.discard(self)
        shutil.rmtree(self.directory, ignore_errors=True)

    def processes(self):
        """Number and status of the process and of all below it; proc(5) explains the fields after the name."""
        status = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                status[int(stat.parent.name)] = stat.read_text().rpartition(")")[2].split()
            except OSError:  # it has just ended
                pass
        found = [self.process.pid]
        for parent in found:
            found += [pid for pid, fields in status.items() if int(fields[1]) == parent]
        return [(pid, status[pid]) for pid in found if pid in status]

    def cpu(self):
        """Microseconds of processor time spent so far, user and system, with that of processes that have ended."""
        return sum(sum(map(int, fields[11:15])) for _, fields in self.processes()) * TICK

    def memory(self):
        """Resident memory in bytes; what processes share is counted for each."""
        return sum(int(fields[21]) for _, fields in self.processes()) * resource.getpagesize()

    def url(self):
        # another loopback address each time: the ports of the run before may still be in TIME_WAIT
        return f"http://127.0.0.{random.randrange(1, 255)}:{self.port}/"

    def answers(self, limit=ANSWER_LIMIT):
        """Whether a new client gets an answer within the limit; it may be refused while others' connections end."""
        end = time.monotonic() + limit
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with socket.create_connection(("127.0.0.1", self.port), limit) as client:
                    client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    if (b" 200 " if self.peer.picture else b" 302 ") in client.recv(64):
                        return True
            except OSError:
                time.sleep(0.05)
        return False


def ask(client, method="GET", body=None):
    client.request(method, "/any/path.png?and=query", body)
    response = client.getresponse()
    return response, response.read()


def check(server):
    """How the peer's answer differs from the one wanted; what makes it wrong comes as an AssertionError."""
    found = set()

    picture = server.peer.picture
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=ANSWER_LIMIT)
    for method, body in [("GET", None), ("HEAD", None), ("POST", b"x=1"), ("GET", None)]:
        response, content = ask(client, method, body)
        if method == "POST" and response.status == 405:
            found.add("answers POST with 405")
            continue
        assert response.status == (200 if picture else 302), f"answers {method} with {response.status}"
        location, kind = response.getheader("Location"), response.getheader("Content-Type")
        assert location is None or LOCATION.fullmatch(location), f"Location: {location}"
        found |= {what for what, deviates in {
            "sends no Location": location is None and not picture,
            "sends no Cache-Control": response.getheader("Cache-Control") != "private, no-store",
            "sends a body": content,
            f"sends Content-Type {kind}".strip(): kind is not None,
            "closes each connection": response.will_close and method == "GET"}.items() if deviates}
    # 100 draws of each number: one that is seen fewer than 40 or more than 160 times is off by six standard deviations
    drawn = {}
    for _ in range(0 if "sends no Location" in found else 100 * peers.COUNT):
        response, content = ask(client)
        number = content if picture else int(LOCATION.fullmatch(response.getheader("Location"))[1])
        drawn[number] = drawn.get(number, 0) + 1
    times = drawn.values() or [100] * peers.COUNT
    assert len(times) == peers.COUNT and min(times) >= 40 and max(times) <= 160, f"not uniform: {sorted(times)}"
    return found


def generate(server, command, limit, **variables):
    """Runs a load generator on its own core; returns what it prints, and how busy both cores were."""
    usage, before, started = resource.getrusage(resource.RUSAGE_CHILDREN), server.cpu(), time.monotonic()
    done = subprocess.run(["timeout", "-s", "KILL", str(limit), "taskset", "-c", str(LOAD_CORE), *command],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, **variables})
    elapsed, spent = time.monotonic() - started, server.cpu() - before
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    share = (used.ru_utime + used.ru_stime - usage.ru_utime - usage.ru_stime) / elapsed
    return done.stdout, {"generator": share, "server": spent / 1e6 / elapsed, "spent": spent}


def result(server, counted, run):
    """What a load gave. wrong: another answer; late: no answer in time; refused: no connection, or one that the server
    closed under a request. wrk sends its next request at once, so that it also meets connections that the server closes
    without having said so in the answer before; browsers and nginx send such a request again."""
    right, answers = counted["requests"] - counted["wrong"], max(counted["requests"], 1)
    return {**counted, "rate": right / counted.pop("seconds"), "cpu": run.pop("spent") / answers,
            "bytes": counted["bytes"] / answers, **run, "alive": server.answers()}


def kept_alive(server, clients, seconds, url, host):
    """wrk: connections that ask again and again."""
    command = ["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", f"--timeout={ANSWER_LIMIT}s", "-s",
               str(peers.BENCH / "wrk.lua"), "-H", f"Host: {host}", url]
    # the site may answer with a picture, and looking at each status costs the generator; the peers are checked before
    only = "302" if url.startswith("https") else ""
    text, run = generate(server, command, seconds + 2 * ANSWER_LIMIT, ONLY=only)
    line = re.search(r"^\{.*\}$", text, re.M)
    counted = json.loads(line[0]) if line else dict(
        requests=0, seconds=seconds, bytes=0, wrong=0, late=clients, refused=0, p99=0, slowest=0)
    return result(server, counted, run)


def closed(server, clients, seconds, url, host):
    """ab: a connection for each request. wrk makes fewer connections a second."""
    enough = 100_000 * seconds  # more than one ab can do; it keeps a record of each
    command = ["ab", "-q", "-r", "-t", str(seconds), "-n", str(enough), "-c", str(clients), "-s", str(ANSWER_LIMIT),
               "-H", f"Host: {host}", url]
    text, run = generate(server, command, seconds + 2 * ANSWER_LIMIT)

    def number(pattern):
        found = re.search(pattern, text)
        return float(found[1]) if found else 0

    # ab counts the refused among the complete ones; pictures of other lengths are no failures
    refused = int(number(r"Failed requests: +(\d+)") - number(r"Length: (\d+)"))
    counted = dict(requests=int(number(r"Complete requests: +(\d+)")) - refused, wrong=0, late=0, refused=refused,
                   seconds=number(r"Time taken for tests: +([\d.]+)") or seconds,
                   bytes=number(r"Total transferred: +(\d+)"), p99=number(r" 99% +(\d+)"),
                   slowest=number(r"100% +(\d+)"))
    return result(server, counted, run)


WAYS = {"kept alive": kept_alive, "closed": closed}


def load(server, clients, way, seconds):
    return WAYS[way](server, clients, seconds, server.url(), "localhost")


def warm_up(server, seconds=9):
    """Equal for all: kept alive, then closed, ten clients. On one core a JVM gets faster for ten seconds."""
    load(server, 10, "kept alive", seconds * 2 // 3)
    load(server, 10, "closed", seconds // 3)
