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
    """Runs a load generator on its cores; returns what it prints, and how busy it and the server were."""
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
    return done.stdout, {"spent": spent, "limited": int(busy >= 0.9 > spent / 1e6 / elapsed)}


def outcome(answers, seconds, bytes, wrong, lost, p99, spent, limited):
    """What a load gave. lost: no connection, one that ended without an answer, or no answer in time. wrk sends its next
    request at once, so that it also meets connections that the server closes without having said so in the answer
    before; browsers and nginx send such a request again."""
    return {"rate": (answers - wrong) / seconds, "cpu": spent / max(answers, 1), "limited": limited, "p99": p99,
            "right": (answers - wrong) / max(answers + lost, 1), "bytes": bytes / max(answers, 1)}


def kept_alive(server, clients, seconds):
    """wrk: connections that ask again and again."""
    text, run = generate(server, LOAD_CORE, seconds, "wrk", "-t1", "-c", clients, "-d", seconds, "--timeout", LIMIT,
                         "-s", peers.BENCH / "wrk.lua")
    counted = re.search(r"^\{.*\}$", text, re.M)
    assert counted, f"wrk: {text[-200:]}"
    return outcome(**json.loads(counted[0]), **run)


def closed(server, clients, amount, timed=True, cores=(SERVER_CORE, LOAD_CORE), path="/"):
    """ab: a connection for each request, for so many seconds or so many requests. wrk would resume TLS sessions."""
    server.pin(cores[0])
    # -n: more than one ab can do; it keeps a record of each
    options = ["-t", amount, "-n", 100_000 * amount] if timed else ["-n", amount]
    text, run = generate(server, cores[1], 60, "ab", "-q", "-r", *options, "-c", clients, "-s", LIMIT, path=path)
    assert "Complete requests" in text, f"ab: {text[-200:]}"

    def number(label):
        return float((re.search(rf"{label}:? +([\d.]+)", text) or [0, 0])[1])
    # ab counts the lost among the complete ones; pictures of other lengths are no failures; a redirect is not 2xx
    lost = number("Failed requests") - number(", Length")
    answers, redirects = number("Complete requests") - lost, number("Non-2xx responses")
    wrong = redirects if server.peer.status == 200 or path != "/" else max(answers - redirects, 0)
    return outcome(answers, number("Time taken for tests"), number("Total transferred"), wrong, lost, number("99%"), **run)


BOTH = dict(timed=False, cores=(f"{SERVER_CORE},{LOAD_CORE}",) * 2)
WAYS = {"kept alive": kept_alive, "closed": closed,
        "one core": partial(closed, timed=False), "both cores": partial(closed, **BOTH),
        "a picture, one core": partial(closed, timed=False, path="/Renard-1.png"),
        "a picture, both cores": partial(closed, path="/Renard-1.png", **BOTH)}


def warm_up(server):
    """Equal for all. On one core a JVM gets faster for ten seconds, of which the first rounds are a part."""
    kept_alive(server, 10, 4)
    closed(server, 10, 2)
