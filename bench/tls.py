"""The real path: TLS through deploy/nginx.conf to the jar, beside nginx alone over the same TLS."""

import contextlib
import http.client
import random
import re
import shutil
import struct
import subprocess
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import measure
import peers
from measure import Server, closed, kept_alive, spread

CONF = peers.ROOT / "deploy/nginx.conf"
CLIENTS = [10, 50, 200, 1_000]
ONLY_302 = """-- wrk counts every answer below 400 as right, and so a fox that nginx puts in the jar's place
local threads = {}
function setup(thread) table.insert(threads, thread) end
function init() wrong = 0 end
function response(status) if status ~= 302 then wrong = wrong + 1 end end
function done() for _, thread in ipairs(threads) do print("not a 302: " .. thread:get("wrong")) end end
"""
HOST = "avatar.spacefox.fr"
WRAPPER = """daemon off;
pid {directory}/nginx.pid;
error_log stderr crit;
worker_processes 1;
worker_rlimit_nofile 16000;
events {{ worker_connections 15000; }}
http {{
    include /etc/nginx/mime.types;
    access_log off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    include {directory}/avatar.conf;
    server {{
        listen {direct} ssl;
        {ssl}
        return 302 https://avatar.spacefox.fr/Renard-1.png;
    }}
}}
"""


def picture(path, side=96):
    """A PNG of noise, which does not compress: 27 KB, as an avatar weighs."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + random.randbytes(3 * side) for _ in range(side))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", side, side, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def moved(site, directory, jar_port, port, plain):
    """The deployed site, its ports and paths moved to where no installation is needed."""
    for pattern, replacement in [(r"/etc/letsencrypt/live/[^/;]+", str(directory)),
                                 (r"/var/www/avatar", str(directory / "pictures")),
                                 (r"((?:127\.0\.0\.1|localhost):)6666\b", rf"\g<1>{jar_port}"),
                                 (r"(\blisten\s+(?:\[::\]:)?)443\b", rf"\g<1>{port}"),
                                 (r"(\blisten\s+(?:\[::\]:)?)80\b", rf"\g<1>{plain}")]:
        site = re.sub(pattern, replacement, site)
    return site


def configure(directory, jar_port):
    """Writes what nginx needs into the folder; returns the ports of the deployed site and of nginx's own redirect."""
    port, plain, direct = (measure.free_port() for _ in range(3))
    (directory / "pictures").mkdir()
    for number in range(1, peers.COUNT + 1):
        picture(directory / f"pictures/Renard-{number}.png")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-days", "2", "-subj", "/CN=avatar.spacefox.fr", "-keyout", directory / "privkey.pem",
                    "-out", directory / "fullchain.pem"], check=True, capture_output=True)
    site = moved(CONF.read_text(), directory, jar_port, port, plain)
    (directory / "avatar.conf").write_text(site)
    tls = "\n        ".join(dict.fromkeys(re.findall(r"^\s*(ssl_[^;]+;)", site, re.M)))
    (directory / "nginx.conf").write_text(WRAPPER.format(directory=directory, direct=direct, ssl=tls))
    return port, direct


def status(url):
    """The status of one request over TLS, as curl and any forum sees it."""
    host, _, path = url.removeprefix("https://").partition("/")
    client = http.client.HTTPSConnection(host, timeout=measure.ANSWER_LIMIT, context=measure.unverified())
    client.request("GET", "/" + path, headers={"Host": HOST})
    answer = client.getresponse()
    answer.read()
    client.close()
    return answer.status


def run(jars, plan, say):
    """Requests per second, and what they cost nginx and the JVM, for each target, way to connect and number of
    clients. The first jar's nginx also serves what needs no jar; each jar has a JVM and an nginx of its own."""
    if not CONF.exists():
        raise peers.Missing("deploy/nginx.conf is not there")
    if not jars[0]:
        raise peers.Missing("avatar.jar is not there")
    for tool in ("nginx", "openssl"):
        if not shutil.which(tool):
            raise peers.Missing(f"{tool} is not installed")
    with contextlib.ExitStack() as running:
        cases = []
        for jar in jars:
            jvm = running.enter_context(Server(jar))
            directory = Path(tempfile.mkdtemp(prefix="site-"))
            directory.chmod(0o755)  # nginx's workers are another user's
            port, direct = configure(directory, jvm.port)
            command = ["nginx", "-e", "stderr", "-p", str(directory), "-c", str(directory / "nginx.conf")]
            site = peers.Peer("site", "nginx", command, ships=[])
            nginx = running.enter_context(Server(site, port=direct, tls=True))
            measure.warm_up(jvm, plan["warm_up"])  # what nginx does needs none
            name = "through nginx to the jar" + (", before" if cases else "")
            script = directory / "only302.lua"
            script.write_text(ONLY_302)
            cases += [Case(name, kept_alive, clients, jvm, nginx, f"https://127.0.0.1:{port}/", 302, script)
                      for clients in (CLIENTS if plan["rounds"] else CLIENTS[:1])]
            if len(cases) <= len(CLIENTS):
                targets = {name: (f"https://127.0.0.1:{port}/", 302),
                           "nginx's own return 302": (f"https://127.0.0.1:{direct}/", 302),
                           "a picture served by nginx": (f"https://127.0.0.1:{port}/Renard-7.png", 200)}
                cases += [Case(target, way, CLIENTS[0], jvm, nginx, *wanted)
                          for target, wanted in targets.items() if plan["checks"]
                          for way in (closed, kept_alive) if target != name or way == closed]
        return measure_all(cases, plan, say)


@dataclass
class Case:
    target: str
    way: object
    clients: int
    jvm: Server
    nginx: Server
    url: str
    expected: int
    script: Path = None

    def measure(self, seconds):
        before = self.jvm.cpu()
        script = ["-s", str(self.script)] if self.script else []
        outcome = self.way(self.nginx, self.clients, seconds, url=self.url,
                           headers=["-H", f"Host: {HOST}", *script])
        assert outcome["requests"], f"{self.target}, {self.clients} clients: no request succeeded"
        return dict(outcome, cpu_jvm=(self.jvm.cpu() - before) / outcome["requests"])


def measure_all(cases, plan, say):
    """{target: {way and clients: figures}}"""
    for case in cases:
        found = status(case.url)
        assert found == case.expected, f"{case.target}: {found} not {case.expected}; {case.nginx.last_words()}"
    samples = {}
    for _ in range(plan["rounds"] and min(plan["rounds"], 3) or 1):
        for case in sorted(cases, key=lambda case: case.clients):
            outcome = case.measure(plan["site"])
            way = "handshake per request" if case.way == closed else "kept alive"
            samples.setdefault(case.target, {}).setdefault(f"{case.clients} {way}", []).append(outcome)
            say(f"tls, {case.target}, {case.clients} clients, {way}: {outcome['rate']:,.0f}/s, "
                f"{outcome['cpu']:.0f} + {outcome['cpu_jvm']:.0f} us, {outcome['errors']} errors")
    return {target: {key: {**{field: spread([outcome[field] for outcome in outcomes])
                              for field in ("rate", "cpu", "cpu_jvm", "generator")},
                           "requests": sum(outcome["requests"] for outcome in outcomes),
                           "errors": sum(outcome["errors"] + outcome["closes"] for outcome in outcomes)}
                     for key, outcomes in ways.items()} for target, ways in samples.items()}
