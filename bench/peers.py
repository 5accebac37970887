"""What is compared: where each peer comes from, how it is started, and what it ships. peers/Makefile builds them."""

import os
import re
import shutil
import subprocess
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT, PEERS, BUILD = BENCH.parent, BENCH / "peers", BENCH / "build"
JAR = ROOT / "deploy/avatar.jar"
OTHER_JAR = os.environ.get("AVATAR_JAR")  # another avatar.jar, measured in the same rounds
HOST = "avatar.spacefox.fr"
COUNT = 21  # pictures, as in the article
# the newest JDK in Debian's place, by the number in its folder's name
NEWER, NEWER_JAVA = max([(int(found[0]), str(java)) for java in Path("/usr/lib/jvm").glob("*/bin/java")
                         if (found := re.search(r"\b[1-9]\d\b", java.parts[4])) and int(found[0]) > 17],
                        default=(25, "a-JDK-newer-than-17"))
PUBLISHED = "-Xmx{heap}m -Xss256k"  # as in the article
NGINX = "nginx -e stderr -p {dir} -c {dir}/nginx.conf"
FPM = str(max(Path("/usr/sbin").glob("php-fpm*"), default="php-fpm"))  # Debian names it by its version


@dataclass
class Peer:
    name: str  # in the tables, in the chart and as an argument
    origin: str
    run: str  # shell; {port}, {inner} (another port), {count}, {heap} (MB), {dir} and {certificate} are filled in
    ships: list  # files and folders beside the runtime; the first is built
    needs: str  # commands
    configs: tuple = ()  # templates copied into {dir}, filled in
    allowed: tuple = ()  # deviations that the peer does not let us avoid
    heap: int = 8
    compiles: bool = False  # while it runs, so that it has to be warmed up
    status: int = 302  # 200: it answers with the picture itself
    optional: bool = False  # not in Debian 12, so that even CI may be without it
    tls: bool = False


class Missing(Exception):
    """Something that this machine does not have; the run carries on without it."""


def java(jar, flags=PUBLISHED, java="java", args="", port="{port}"):
    return f"{java} {flags} -jar {jar} {args} {port} {{count}}"


def unit(jar, **changes):
    """The JVM command of deploy/avatar.service, which is the only place that configures it."""
    text = (ROOT / "deploy/avatar.service").read_text().replace("\\\n", " ")
    variables = " ".join(re.findall(r"^Environment=(?!COUNT|URL)(.*)", text, re.M))
    return f"env {variables} {java(jar, re.search(r'^ExecStart=[^ ]+ (.*) -jar ', text, re.M)[1], **changes)}"


def avatars(jar, prefix=""):
    common = dict(origin="us", ships=[jar], needs="java", compiles=True)
    newer = dict(common, needs=NEWER_JAVA, optional=True)
    return [Peer(f"{prefix}avatar.jar", run=java(jar), **common),
            Peer(f"{prefix}avatar.jar --pool", run=java(jar, args="--pool"), **common),
            Peer(f"{prefix}avatar.jar as deployed", run=unit(jar), **common),
            Peer(f"{prefix}avatar.jar on JDK {NEWER}", run=java(jar, java=NEWER_JAVA), **newer),
            Peer(f"{prefix}avatar.jar as deployed on JDK {NEWER}", run=unit(jar, java=NEWER_JAVA), **newer)]


def jvm(folder, args="", needs="javac", libraries=()):
    jar = BUILD / folder / "main.jar"
    return dict(run=f"{java(jar)} {args}", ships=[jar, *libraries], needs=f"java {needs}", compiles=True)


def maven(folder, args=""):
    return jvm(folder, args, "mvn", [BUILD / folder / "lib"])


def binary(path, needs):
    return dict(run=f"{BUILD}/{path} {{port}} {{count}} {{certificate}}", ships=[BUILD / path], needs=needs)


def nginx(folder, before="", needs="nginx", **more):
    return {"run": f"{before} & exec {NGINX}" if before else NGINX, "ships": [PEERS / folder],
            "needs": f"{needs} java openssl", "configs": tuple((PEERS / folder).glob("*.conf")), **more}


MAIN = re.search(r"Main-Class: (\S+)", zipfile.ZipFile(JAR).read("META-INF/MANIFEST.MF").decode())[1]
LIB = BUILD / "robaho/lib"
ALL = [
    *avatars(JAR),
    *(avatars(Path(OTHER_JAR), "other ") if OTHER_JAR else []),
    # --pool, because this engine runs a whole connection where the JDK's runs a request
    Peer("avatar.jar on robaho's engine", "us", ships=[LIB, JAR], needs=f"mvn {NEWER_JAVA}", optional=True,
         run=f"{NEWER_JAVA} {PUBLISHED} -cp '{LIB}/*:{JAR}' {MAIN} --pool {{port}} {{count}}", compiles=True),
    Peer("empty handler", "us", allowed=("sends no Location", "sends no Cache-Control"), **jvm("floor")),
    Peer("article's program", "the article", **jvm("original")),
    Peer("article's program, cached pool", "a comment", **jvm("original", "--pool")),
    Peer("Go net/http", "a comment", **binary("go/avatar", "go")),
    Peer("Go sequential TCP", "a comment", **binary("tcp-go/avatar", "go")),
    Peer("Rust sequential TCP", "a comment", **binary("tcp-rust/release/avatar", "cargo")),
    Peer("Ada Web Server", "a comment", optional=True, allowed=("sends Content-Type (empty)",),
         **binary("ada/avatar", "gprbuild")),
    Peer("C++ accept loop", "a comment", **binary("tcp-cpp/avatar", "g++")),
    # in 8 MB Tomcat loses requests
    Peer("Tomcat NIO", "Tomcat's benchmark", heap=16, **maven("tomcat", "Http11NioProtocol")),
    Peer("Tomcat NIO2", "Tomcat's benchmark", heap=16, **maven("tomcat", "Http11Nio2Protocol")),
    Peer("Jetty servlet", "Jetty's benchmark", **maven("jetty")),
    Peer("Jetty async servlet", "Jetty's benchmark", **maven("jetty", "--async")),
    Peer("HttpCore NIO", "HttpCore's benchmark", **maven("httpcore")),
    Peer("Vert.x", "us", **maven("vertx")),
    Peer("Rust hyper", "us", **binary("hyper/release/avatar", "cargo")),
    Peer("Node.js", "us", f"node {PEERS}/node/server.js {{port}} {{count}}", [PEERS / "node"], "node", compiles=True),
    Peer("PHP behind nginx", "us", **nginx("php", f"{FPM} -R -y {{dir}}/php-fpm.conf", f"nginx {FPM}")),
    Peer("nginx return 302", "us", allowed=("sends a body", "sends Content-Type text/html"), **nginx("nginx")),
    Peer("nginx random_index", "us", status=200, **nginx("nginx-pictures"), allowed=(
        "answers POST with 405", "sends no Location", "sends a body", "sends Content-Type image/png")),
    Peer("the deployed site", "us", tls=True, compiles=True, **nginx(
        "site", unit(JAR, port="{inner}"), ships=[JAR, ROOT / "deploy/nginx.conf"])),
]
NAMED = {peer.name: peer for peer in ALL}


def variant(name, of, **changes):
    return replace(NAMED[of], name=name, **changes)


def build(peer):
    """Builds what its sources have outdated; raises Missing when a tool is not there."""
    for tool in [*peer.needs.split(), "make"]:
        if not shutil.which(tool):
            raise Missing(f"{tool} is not installed")
    files = [BUILD / "pictures", BUILD / "privkey.pem"] if peer.configs else peer.ships[:1]
    targets = [os.path.relpath(file, PEERS) for file in files if BUILD in file.parents]
    if targets:
        done = subprocess.run(["make", "-s", "-C", PEERS, *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        if done.returncode:
            raise (Missing if peer.optional else RuntimeError)(f"make: {done.stdout.strip()[:300]}")


def command(peer, directory, port):
    """Copies the peer's configuration into its directory; returns the shell command that runs it."""
    site = (ROOT / "deploy/nginx.conf").read_text()
    for pattern, replacement in [(r"(ssl_certificate(?:_key)? +)/[^;]*/", rf"\g<1>{BUILD}/"),
                                 (r"ssl_session_cache .*;", "ssl_session_cache off;"),  # wrk would resume
                                 (r"/var/www/avatar\b", f"{directory}/pictures"),
                                 (r"\b127\.0\.0\.1:6666\b", f"127.0.0.1:{port + 1}"),
                                 (r"(\blisten\s+(?:\[::\]:)?)443\b", rf"\g<1>{port}"),
                                 (r"\n *listen\s+(?:\[::\]:)?80;", "")]:
        site = re.sub(pattern, replacement, site)
    share = int(10_000 / COUNT) / 100  # split_clients takes two decimals; the last takes the rest
    words = {"PORT": f"{port}{' ssl' * peer.tls}", "DIRECTORY": directory, "COUNT": COUNT, "SITE": site,
             "PHP": PEERS / "php/index.php",
             "TLS": "\n".join(re.findall(r"^ *ssl_.*;", site, re.M)) if peer.tls else "",
             "NUMBERS": "".join(f"{share}% {number};\n" for number in range(1, COUNT)) + f"* {COUNT};"}
    for config in peer.configs:
        (directory / config.name).write_text(re.sub(r"@(\w+)@", lambda word: str(words[word[1]]), config.read_text()))
    if peer.configs:  # a copy, because nginx's workers may not be allowed to read this folder
        shutil.copytree(BUILD / "pictures", directory / "pictures")
    run = peer.run if " & " in peer.run else f"exec {peer.run}"
    return run.format(port=port, inner=port + 1, count=COUNT, heap=peer.heap, dir=directory,
                      certificate=f"{BUILD}/fullchain.pem {BUILD}/privkey.pem" if peer.tls else "")


def shipped_bytes(peer):
    return sum(file.stat().st_size for path in peer.ships
               for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())
