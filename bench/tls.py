"""The deployed site: TLS through deploy/nginx.conf to the JVM with the unit's flags, both on the server's core."""

import contextlib
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import measure
import peers

HOST = "avatar.spacefox.fr"
LOADS = [(10, "kept alive"), (10, "closed"), (100, "kept alive"), (1_000, "kept alive"), (10_000, "kept alive")]


def configure(directory, jar_port):
    """Writes what nginx needs into the folder; returns the ports for TLS and without."""
    port, plain = measure.free_port(), measure.free_port()
    shutil.copytree(peers.PICTURES, directory / "pictures")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-days", "2", "-subj", f"/CN={HOST}", "-keyout", directory / "privkey.pem",
                    "-out", directory / "fullchain.pem"], check=True, capture_output=True)
    site = (peers.ROOT / "deploy/nginx.conf").read_text()
    for pattern, replacement in [(r"(ssl_certificate(?:_key)? +)/[^;]*/", rf"\g<1>{directory}/"),
                                 (r"/var/www/avatar", str(directory / "pictures")),
                                 (r"((?:127\.0\.0\.1|localhost):)6666\b", rf"\g<1>{jar_port}"),
                                 (r"(\blisten\s+(?:\[::\]:)?)443\b", rf"\g<1>{port}"),
                                 (r"(\blisten\s+(?:\[::\]:)?)80\b", rf"\g<1>{plain}")]:
        site = re.sub(pattern, replacement, site)
    (directory / "avatar.conf").write_text(site)
    whole = (peers.PEERS / "site/nginx.conf").read_text()
    (directory / "nginx.conf").write_text(whole.replace("@DIRECTORY@", str(directory)))
    return port, plain


def start(running, jar):
    """Starts a JVM and an nginx before it."""
    jvm = running.enter_context(measure.Server(jar))
    directory = Path(tempfile.mkdtemp(prefix="site-"))
    directory.chmod(0o755)  # nginx's workers are another user's
    port, plain = configure(directory, jvm.port)
    command = ["nginx", "-e", "stderr", "-p", str(directory), "-c", str(directory / "nginx.conf")]
    nginx = running.enter_context(measure.Server(peers.Peer("site", "nginx", command, ships=[]), port=plain))
    assert nginx.first_answer, f"nginx gives no redirect; {nginx.log.read_text()}"
    return jvm, nginx, f"https://127.0.0.1:{port}/"


def run(part, plan):
    """Loads each jar's site, in turn."""
    for tool in ("nginx", "openssl"):
        if not shutil.which(tool):
            raise peers.Missing(f"{tool} is not installed")
    peers.draw_pictures()
    with contextlib.ExitStack() as running:
        sites = {}
        for peer in peers.ALL:
            if peer.name in ("avatar-unit", "other-avatar-unit"):
                peers.build(peer)
                sites[peer.name.replace("avatar-unit", "site")] = start(running, peer)
        if plan["rounds"]:
            for jvm, *_ in sites.values():
                measure.warm_up(jvm)
        for clients, way in LOADS if plan["rounds"] else LOADS[:1]:
            for _ in range(plan["rounds"] or 1):
                for name, (jvm, nginx, url) in sites.items():
                    before = jvm.cpu()
                    seconds = plan["seconds"] + clients // 500  # so many handshakes take nginx and wrk a second
                    outcome = measure.WAYS[way](nginx, clients, seconds, url, HOST)
                    outcome["cpu_jvm"] = (jvm.cpu() - before) / max(outcome["requests"], 1)
                    part.keep(name, f"{clients} {way}", outcome)
                    assert outcome["rate"], f"{clients} clients, {way}: no redirect"
