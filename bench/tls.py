"""The real path: TLS through deploy/nginx.conf to the jar, beside nginx alone over the same TLS."""

import http.client
import random
import re
import shutil
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

import measure
import peers
from measure import Server, closed, kept_alive, spread

CONF = peers.ROOT / "deploy/nginx.conf"
CLIENTS = 10
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


def run(jar, plan, say):
    """Requests per second, and what they cost nginx and the JVM, for each target and way to connect."""
    if not CONF.exists():
        raise peers.Missing("deploy/nginx.conf is not there")
    if not jar:
        raise peers.Missing("avatar.jar is not there")
    for tool in ("nginx", "openssl"):
        if not shutil.which(tool):
            raise peers.Missing(f"{tool} is not installed")
    with Server(jar) as jvm:
        measure.warm_up(jvm, plan["warm_up"])  # what nginx does needs none
        directory = Path(tempfile.mkdtemp(prefix="site-"))
        directory.chmod(0o755)  # nginx's workers are another user's
        port, direct = configure(directory, jvm.port)
        command = ["nginx", "-e", "stderr", "-p", str(directory), "-c", str(directory / "nginx.conf")]
        with Server(peers.Peer("site", "nginx", command, ships=[]), port=direct, tls=True) as nginx:
            return measure_all(jvm, nginx, port, direct, plan, say)


def measure_all(jvm, nginx, port, direct, plan, say):
    targets = {"through nginx to the jar": (f"https://127.0.0.1:{port}/", 302),
               "nginx's own return 302": (f"https://127.0.0.1:{direct}/", 302),
               "a picture served by nginx": (f"https://127.0.0.1:{port}/Renard-7.png", 200)}
    for name, (url, expected) in targets.items():
        assert (found := status(url)) == expected, f"{name}: {found} instead of {expected}; {nginx.last_words()}"
    ways = {"handshake per request": closed, "kept alive": kept_alive}
    samples = {(name, way): [] for name in targets for way in ways}
    # every third of it would be one more round; three rounds are two seconds each for six cases
    for turn in range(3 if plan["rounds"] else 1):
        for name, (url, _) in targets.items():
            for way, generate in ways.items():
                before = jvm.cpu()
                outcome = generate(nginx, CLIENTS, plan["seconds"], url=url, headers=["-H", f"Host: {HOST}"])
                assert outcome["requests"], f"{name}, {way}: no request succeeded"
                outcome["cpu_jvm"] = (jvm.cpu() - before) / outcome["requests"]
                samples[name, way].append(outcome)
                say(f"tls, {name}, {way}: {outcome['rate']:,.0f}/s, {outcome['errors']} errors")
    return {name: {way: {**{key: spread([sample[key] for sample in samples[name, way]])
                            for key in ("rate", "cpu", "cpu_jvm", "generator")},
                         "errors": sum(sample["errors"] for sample in samples[name, way])} for way in ways}
            for name in targets}
