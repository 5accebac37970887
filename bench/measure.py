"""Starts a server, checks it, loads it, and says what that cost."""

import contextlib
import http.client
import os
import random
import re
import ssl
import subprocess
import tempfile
import time
from array import array
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean

import peers

CORES = tuple(sorted(os.sched_getaffinity(0)))
FOLDER = tempfile.TemporaryDirectory(prefix="avatar-bench-", dir="/dev/shm")  # memory, as /run is
os.chmod(FOLDER.name, 0o755)  # nginx's workers are another user's
MOUNTS = (line.split() for line in Path("/proc/mounts").read_text().splitlines())
GROUPS = next((Path(path) for _, path, kind, *_ in MOUNTS if kind == "cgroup2"), None)
GROUP = GROUPS and GROUPS / f"avatar-bench-{os.getpid()}"  # of all that this process starts
START = 30  # seconds to a program's first answer
LIMIT = 8  # seconds to others: whoever waits longer for an avatar has left
MEMORY_PAGE = os.sysconf("SC_PAGE_SIZE")
LOCATION = re.compile(rf"https://{peers.HOST}/({peers.SET}/)?Renard-[0-9]+[.]png")
PORTS = iter(range(10_000 + os.getpid() % 5_000 * 3, 32_000, 3))  # clients connect from higher ones
HTTPS = partial(http.client.HTTPSConnection, context=ssl._create_unverified_context())  # a self-signed certificate


def spent(group):
    """Its processor time so far, in µs."""
    return int(re.search(r"usage_usec (\d+)", (group / "cpu.stat").read_text())[1])


@contextlib.contextmanager
def machine():
    """Ends all servers. Says which part of the processor time in use others took, and this guest did not get."""
    def now():
        user, nice, system, _, _, *others = map(int, Path("/proc/stat").read_text().split()[1:9])
        return user + nice + system + sum(others), spent(GROUP) / 1e6 * os.sysconf("SC_CLK_TCK")
    GROUP.mkdir()
    (GROUP / "cgroup.procs").write_text(str(os.getpid()))
    before, share = now(), {}
    try:
        yield share
    finally:
        for server in list(Server.running):
            server.stop()
        used, own = (after - earlier for after, earlier in zip(now(), before))
        share["others"] = round(1 - own / used, 4)
        (GROUPS / "cgroup.procs").write_text(str(os.getpid()))
        GROUP.rmdir()


@dataclass
class Load:
    command: str  # of what asks, with {n} for the amount
    amount: int  # in a sample, of visits, pages, requests, clients or seconds
    shared: bool = False  # server and load have all cores; else one each
    seconds: int = 0  # that a sample takes at least
    rests: bool = False  # nobody asks for so many seconds before
    requests: int = 1  # that make a visit or a page
    tls: bool = True
    fresh: bool = False  # each sample has a process of its own
    connections: int = 768  # that nginx may have; this is Debian's
    warm: int = 0  # the amount before the first sample; then samples are taken until two in a row agree


class Server:
    """A running peer, in a cgroup of its own. It starts with every core in view, as in use (a JVM chooses its collector
    by their number)."""

    running = []

    def __init__(self, peer, load):
        self.peer, self.tls, self.processes = peer, load.tls, []
        first = next(PORTS)
        self.port = first + load.tls
        self.group = GROUP / str(first)
        self.directory = Path(tempfile.mkdtemp(dir=FOLDER.name))
        self.directory.chmod(0o755)
        self.words = {"PORT": str(first), "TLS": str(first + 1), "INNER": str(first + 2),
                      "DIRECTORY": str(self.directory), "CONNECTIONS": str(load.connections)}

    def start(self):
        self.group.mkdir(exist_ok=True)
        self.running.append(self)
        with (self.directory / "log").open("w+") as log:
            for command in peers.prepare(self.peer, self.words):
                self.processes.append(subprocess.Popen(
                    ["sh", "-c", 'echo $$ >"$0" && exec "$@"', self.group / "cgroup.procs", *command],
                    stdout=log, stderr=log, cwd=self.directory, start_new_session=True))
            assert self.answers(START), f"ends or has no answer within {START} s: {Path(log.name).read_text()[-300:]}"
        self.first = spent(self.group) / 1000  # ms of processor time to the first answer

    def stop(self):
        (self.group / "cgroup.kill").write_text("1")
        for process in self.processes:
            process.wait()
        while self.group.exists():  # until its last process has ended
            with contextlib.suppress(OSError):
                self.group.rmdir()
        self.processes = []
        self.running.remove(self)

    def pin(self, load):
        for thread in (self.group / "cgroup.threads").read_text().split():
            with contextlib.suppress(OSError):
                os.sched_setaffinity(int(thread), CORES if load.shared else CORES[:1])

    def memory(self):
        """In MB: the frames of memory that its processes have, each counted once, whoever else uses them."""
        frames = set()
        for process in (self.group / "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError), open(f"/proc/{process}/pagemap", "rb", 0) as pagemap:
                # Mappings with pages in memory: the sizes of the mapping and of its pages stand in front of Rss.
                for bounds in re.findall(r"^(\w+)-(\w+) .*(?:\n[A-QS-Z].*)*\nRss: +[1-9]",
                                         Path(f"/proc/{process}/smaps").read_text(), re.M):
                    first, last = (int(bound, 16) // MEMORY_PAGE * 8 for bound in bounds)
                    pagemap.seek(first)
                    # Bit 63: in memory; bits 0 to 54: the frame.
                    frames.update(entry & 2**55 - 1 for entry in array("Q", pagemap.read(last - first)) if entry >> 63)
        return len(frames) * MEMORY_PAGE / 2**20

    def ask(self, client, path=None):
        client.request("GET", path or self.peer.path, headers={"Host": peers.HOST})
        response = client.getresponse()
        return response, response.read()

    def client(self):
        return (HTTPS if self.tls else http.client.HTTPConnection)("127.0.0.1", self.port, timeout=LIMIT)

    def answers(self, limit=LIMIT):
        """Whether a new client gets an answer in time; it may be refused while others' connections end."""
        end = time.monotonic() + limit
        while time.monotonic() < end and all(process.poll() is None for process in self.processes):
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self.ask(self.client())[0].status == self.peer.status:
                    return True
            time.sleep(0.02)
        return False


def check(server):
    """Whether each answer is the one wanted, and whether all pictures are drawn. Returns whether the server keeps
    connections alive."""
    peer, client, drawn = server.peer, server.client(), set()
    for _ in range(20 * peers.COUNT):
        response, content = server.ask(client)
        kind, location = response.getheader("Content-Type"), response.getheader("Location", "")
        assert response.status == peer.status, f"answers with {response.status}"
        if peer.status == 200:
            assert content and kind.startswith("image/"), f"sends Content-Type: {kind}"
        else:
            assert LOCATION.fullmatch(location), f"sends Location: {location}"
            # phpBB takes no redirect that has one.
            assert not server.tls or kind is None and not content, f"sends Content-Type: {kind}, and {content[:100]}"
        assert response.getheader("Cache-Control", "").endswith("no-store"), "sends another Cache-Control"
        drawn.add(location or content)
    assert len(drawn) >= peers.COUNT * peer.draws, f"draws only {len(drawn)}"
    if peer.picture:
        picture, content = server.ask(client, peer.picture % peers.COUNT)
        assert content == (peers.BUILD / f"pictures/Renard-{peers.COUNT}.png").read_bytes(), "sends another picture"
        assert "max-age=31536000" in picture.getheader("Cache-Control"), f"sends a picture with: {picture.headers}"
    return not response.will_close


def count(text, status):
    """Of what h2load, ab or wrk print: how many requests were answered rightly, and how many there were."""
    def number(pattern):
        return sum(map(int, re.findall(pattern, text)))
    if "succeeded" in text:
        return number(rf"(\d+) {status // 100}xx"), number(r"requests: (\d+) total")
    if "Complete requests" in text:  # ab counts the lost ones, too; any length is right
        complete = number(r"Complete requests: +(\d+)")
        return complete - number(r"Failed requests: +(\d+)") + number(r", Length: +(\d+)"), complete
    answers, lost = number(r"(\d+) requests in"), number(r"(?:connect|read|write|timeout) (\d+)")
    return answers - number(r"Non-2xx or 3xx responses: (\d+)"), answers + lost


def sample(server, load, amount):
    """What such an amount of the load costs the server: µs of processor time for each visit, page or request; the part
    answered rightly; and how many a second."""
    # Another loopback address each time: the ports of the run before may still be in TIME_WAIT.
    url = f"http{'s' * server.tls}://127.0.0.{random.randrange(1, 255)}:{server.port}{server.peer.path}"
    number = max(1, int(amount))
    command = load.command.format(n=number, n20=20 * number, url=url, port=server.port,
                                  picture=server.peer.picture and server.peer.picture % 1)
    seconds, rest, before = load.seconds * amount / load.amount, {}, spent(server.group)
    if load.rests:
        time.sleep(seconds)
        rest["rest"] = (spent(server.group) - before) / seconds  # µs a second
    asked = time.monotonic()
    cores = ",".join(map(str, CORES if load.shared else CORES[-1:]))
    done = subprocess.run(["timeout", "-s", "KILL", "500", "taskset", "-c", cores, *command.split()],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    took = time.monotonic() - asked
    time.sleep(max(0, seconds - took))
    cost, (right, made) = spent(server.group) - before, count(done.stdout, server.peer.status)
    assert not done.returncode and right, f"{command} ends with {done.returncode}: {done.stdout.strip()[-300:]}"
    return {"cpu": cost * load.requests / right, "right": right / made, "rate": right / load.requests / took, **rest}


def settled(server, load):
    """The mean of the first two samples in a row that agree within a tenth. Until then a JVM still compiles."""
    sample(server, load, load.warm)
    after = sample(server, load, load.amount)
    for _ in range(20):
        before, after = after, sample(server, load, load.amount)
        if max(before["cpu"], after["cpu"]) < 1.1 * min(before["cpu"], after["cpu"]):
            return {field: fmean((before[field], after[field])) for field in after}
    raise AssertionError(f"no two samples in a row agree: the last took {before['cpu']:.0f} and {after['cpu']:.0f} µs")


VISITS = "h2load -c {n} -n {n} -m 1 -r 1 --rate-period=%s {url}"
# A sample of a hundred visits a second is as long as nginx keeps a redirect. Those of more have shorter ones, and more
# renewals than in use, for nginx begins each with old redirects.
LOADS = {
    "1/min": Load("h2load -c 1 -n 1 {url}", 1, seconds=30, rests=True),
    "1/s": Load(VISITS % "1s", 60, seconds=60),
    "10/s": Load(VISITS % "100ms", 600, seconds=60),
    "100/s": Load(VISITS % "10ms", 100 * peers.AGE),
    "1,000/s": Load(VISITS % "1ms", 500 * peers.AGE),
    # The site takes 16 at a time. One that has made nginx ask the JVM still counts while it asks.
    "page": Load("h2load -c {n} -n {n20} -m 16 -r 1 --rate-period=10ms {url}", 50 * peers.AGE, requests=20),
    "ab": Load("ab -q -n {n} -c 10 http://localhost:{port}/", 100_000, shared=True, tls=False, fresh=True),
    "picture": Load("ab -q -n {n} -c 10 https://localhost:{port}{picture}", 5000, shared=True),
    "10,000 clients": Load("h2load --h1 -c {n} -n {n20} {url}", 10_000, connections=12_000),
    # wrk also meets connections that the server closes unannounced. Browsers and nginx ask again. A JVM's compiler has
    # the same core.
    "kept alive": Load(f"wrk -t 1 -c 10 -d {{n}} --timeout {LIMIT} {{url}}", 2, tls=False, fresh=True, warm=10),
    "closed": Load(f"ab -q -c 10 -r -s {LIMIT} -t {{n}} -n 1000000 {{url}}", 2, tls=False, fresh=True, warm=10)}
