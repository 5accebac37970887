"""Starts a server, asks it, loads it, and reads from /proc what that cost."""

import ctypes
import http.client
import os
import random
import re
import shutil
import signal
import socket
import ssl
import statistics
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


def keep_orphans():
    """Makes this process the parent of whatever its servers leave behind, so that all can be found and ended."""
    ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER


def descendants(root):
    """The processes below root, and root."""
    children = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def kill_all():
    """Ends every process that this one started, however deep."""
    while below := descendants(os.getpid())[1:]:
        kill(below)
        try:
            os.wait()
        except ChildProcessError:
            break


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


def unverified():
    """A TLS context that takes any certificate: the one here is made for the run."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


class Server:
    """A running peer: started with every core in view, as in use (a JVM chooses its collector by their number), and
    pinned to one once it answers."""

    def __init__(self, peer, heap=8, more=(), port=None, tls=False):
        self.directory = Path(tempfile.mkdtemp(prefix="avatar-bench-"))
        self.directory.chmod(0o755)  # nginx's workers are another user's
        self.port = port or free_port()
        self.tls = tls
        peers.fill_in(peer, self.directory, self.port)
        words = dict(port=self.port, count=peers.COUNT, dir=self.directory, heap=heap, properties="")
        command = [part for word in peer.run for part in (more if word == "{properties}" else [word.format(**words)])]
        self.log = self.directory / "log"
        with self.log.open("wb") as log:
            started = time.monotonic()
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=peers.ROOT)
        while not (answered := self.answers(START_LIMIT)):
            if self.process.poll() is not None or time.monotonic() > started + START_LIMIT:
                break
            time.sleep(0.001)
        self.first_answer = time.monotonic() - started if answered else None
        self.pin()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        below = descendants(self.process.pid)
        kill(below)
        self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def pin(self):
        for _ in range(2):  # twice, for threads that were born meanwhile
            for pid in descendants(self.process.pid):
                for task in Path(f"/proc/{pid}/task").glob("*"):
                    try:
                        os.sched_setaffinity(int(task.name), {SERVER_CORE})
                    except (ProcessLookupError, FileNotFoundError):
                        pass

    def url(self):
        # another loopback address each time: the ports of the run before may still be in TIME_WAIT
        return f"http://127.0.0.{random.randrange(1, 255)}:{self.port}/"

    def alive(self):
        return self.process.poll() is None

    def answers(self, limit=ANSWER_LIMIT):
        """Whether a new client gets its 302 within the limit."""
        try:
            with self.connection(limit) as client:
                client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return b" 302 " in client.recv(64)
        except OSError:
            return False

    def connection(self, limit):
        client = socket.create_connection(("127.0.0.1", self.port), limit)
        if not self.tls:
            return client
        return unverified().wrap_socket(client)

    def last_words(self):
        """Why it failed: the first line of its log that says out of memory, or else names an error, or the last one."""
        lines = self.log.read_text(errors="replace").strip().splitlines()
        errors = [line for pattern in ("OutOfMemory", "Error|Exception") for line in lines if re.search(pattern, line)]
        words = re.sub(r"\s+", " ", (errors or lines[-1:] or ["no answer"])[0])
        return "OutOfMemoryError" if "OutOfMemory" in words else words[:80]

    def cpu(self):
        """Microseconds of processor time spent so far, user and system."""
        total = 0
        for pid in descendants(self.process.pid):
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                total += sum(map(int, fields[11:13])) + sum(map(int, fields[13:15])) * (pid == self.process.pid)
            except OSError:
                pass
        return total * TICK

    def memory(self):
        """Resident and private memory of its processes, in bytes."""
        resident = private = 0
        for pid in descendants(self.process.pid):
            try:
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            except OSError:
                continue
            kilobytes = dict(re.findall(r"^(\w+): +(\d+) kB", rollup, re.M))
            resident += int(kilobytes.get("Rss", 0))
            private += int(kilobytes.get("Private_Clean", 0)) + int(kilobytes.get("Private_Dirty", 0))
        return {"resident": resident * 1024, "private": private * 1024}


def ask(client, method="GET", path="/any/path.png?and=query", body=None):
    client.request(method, path, body)
    response = client.getresponse()
    return response, response.read()


def check(server):
    """How the peer's answer differs from the one wanted; what makes it wrong comes as an AssertionError."""
    found = set()

    def note(deviates, what):
        if deviates:
            found.add(what)

    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=ANSWER_LIMIT)
    for method, body in [("GET", None), ("HEAD", None), ("POST", b"x=1"), ("GET", None)]:
        response, content = ask(client, method, body=body)
        assert response.status == 302, f"answers {method} with {response.status}"
        location, kind = response.getheader("Location"), response.getheader("Content-Type")
        assert location is None or LOCATION.fullmatch(location), f"Location: {location}"
        note(location is None, "sends no Location")
        note(response.getheader("Cache-Control") != "private, no-store", "sends no Cache-Control")
        note(content, "sends a body")
        note(kind is not None, f"sends Content-Type {kind}".strip())
        note(response.will_close and method == "GET", "closes each connection")
    # 100 draws of each number: one that is seen fewer than 40 or more than 160 times is off by six standard deviations
    drawn = [0] * (peers.COUNT + 1)
    for _ in range(0 if "sends no Location" in found else 100 * peers.COUNT):
        drawn[int(LOCATION.fullmatch(ask(client)[0].getheader("Location"))[1])] += 1
    assert not any(drawn) or drawn[0] == 0 and min(drawn[1:]) >= 40 and max(drawn) <= 160, f"not uniform: {drawn[1:]}"
    client.close()
    with socket.create_connection(("127.0.0.1", server.port), ANSWER_LIMIT) as client:
        client.sendall(b"\0this is no request\r\n\r\n")
        try:
            note(b" 302 " in client.recv(64), "ignores the request")
        except OSError:  # it waits for more, or resets
            pass
    return found


def generate(server, command, seconds, limit):
    """Runs a load generator on its own core; returns its output, its share of that core, and the server's cost."""
    before, started = server.cpu(), time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        generator = subprocess.Popen(["taskset", "-c", str(LOAD_CORE), *command], stdout=output,
                                     stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        peak = {}
        while True:
            pid, _, usage = os.wait4(generator.pid, os.WNOHANG)
            elapsed = time.monotonic() - started
            if pid:
                generator.returncode = 0  # waited for here
                break
            if elapsed > limit:
                generator.kill()
            if elapsed > seconds * 0.8 and not peak:  # late, while all clients are there
                peak = server.memory()
            time.sleep(0.02)
        server_time = server.cpu() - before
        output.seek(0)
        text = output.read()
    return {"text": text, "server": server_time, "share": (usage.ru_utime + usage.ru_stime) / elapsed,
            "busy": server_time / 1e6 / elapsed, "peak": peak}


def spread(values):
    values = [value for value in values if value is not None]
    return {"median": statistics.median(values), "min": min(values), "max": max(values)} if values else None


def number(pattern, text):
    match = re.search(pattern, text)
    return float(match[1]) if match else 0.0


def result(server, run, rate, requests, wrong, errors, closes=0):
    """wrong: those of the requests that got another answer; errors: all that failed; closes: see kept_alive."""
    good = max(0, 1 - wrong / requests) if requests else 0
    return {"rate": rate * good, "requests": int(requests), "errors": int(errors), "closes": int(closes),
            "cpu": run["server"] / requests if requests else None,
            "generator": round(run["share"], 2), "server": round(run["busy"], 2), "peak": run["peak"],
            "dead": not server.answers()}


def kept_alive(server, clients, seconds, url=None, headers=()):
    """wrk: connections that ask again and again. Errors: connection refused, no answer in time, not a 302. Counted
    apart as closes: wrk sends the next request at once, and the server had closed the connection without saying so in
    the answer before. wrk calls it a read or write error and connects anew; browsers and nginx send it again."""
    command = ["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", f"--timeout={ANSWER_LIMIT}s", *headers]
    run = generate(server, [*command, url or server.url()], seconds, seconds + 2 * ANSWER_LIMIT)
    text = run["text"]
    wrong = number(r"Non-2xx or 3xx responses: (\d+)", text) + number(r"not a 302: (\d+)", text)
    errors = number(r"connect (\d+)", text) + number(r"timeout (\d+)", text) + wrong
    closes = number(r"read (\d+)", text) + number(r"write (\d+)", text)
    return result(server, run, number(r"Requests/sec: +([\d.]+)", text), number(r"(\d+) requests in", text), wrong,
                  errors, closes)


def closed(server, clients, seconds=None, requests=None, url=None, headers=()):
    """ab: a connection for each request, for some seconds or, as in the article, for a number of requests. wrk would
    count each close that the server did not announce as an error, and makes fewer connections a second."""
    enough = 100_000 * (seconds or 0)  # more than one ab can do; it keeps a record of each
    bound = ["-t", str(seconds), "-n", str(enough)] if seconds else ["-n", str(requests)]
    command = ["ab", "-q", "-r", *bound, "-c", str(clients), *headers, url or server.url()]
    # a number of requests has a minute: the article's 100,000 are 1,700/s, a third of what the slowest peer makes
    run = generate(server, command, seconds or 1, seconds + 2 * ANSWER_LIMIT if seconds else 60)
    text = run["text"]
    done = number(r"Complete requests: +(\d+)", text)
    errors = number(r"Failed requests: +(\d+)", text) + ((requests - done) if requests else 0)
    return result(server, run, number(r"Requests per second: +([\d.]+)", text), done, errors, errors)


def load(server, clients, kept, seconds):
    return (kept_alive if kept else closed)(server, clients, seconds)


def warm_up(server, seconds):
    """Equal for all: kept alive, then closed, ten clients."""
    if seconds:
        kept_alive(server, 10, seconds - seconds // 3)
        closed(server, 10, seconds // 3)
