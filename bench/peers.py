"""What is compared: where each peer comes from, how it is built and started, and what it ships."""

import os
import re
import shlex
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
US, ARTICLE, COMMENT = "us", "the article", "a comment"


@dataclass
class Peer:
    name: str  # in the tables, in the chart and as an argument
    origin: str
    run: list  # {port}, {inner} (another port), {count}, {heap} (MB), {dir} (its own, temporary) and, with TLS,
    ships: list  # {certificate} and {key} are filled in. ships: files and folders beside the runtime
    needs: list  # commands
    build: tuple = ()
    sources: str = ""  # folder in bench/peers
    configs: tuple = ()  # templates copied into {dir}, filled in
    allowed: frozenset = frozenset()  # deviations that the peer does not let us avoid
    heap: int = 8
    compiles: bool = False  # while it runs, so that it has to be warmed up
    picture: bool = False  # answers with the picture itself, not with a redirect
    optional: bool = False  # not in Debian 12, so that even CI may be without it
    tls: bool = False

    def status(self):
        return 200 if self.picture else 302


class Missing(Exception):
    """Something that this machine does not have; the run carries on without it."""


def newest_jdk():
    """Name and java command of the newest JDK in Debian's place that is newer than 17."""
    found = [(17, "a newer JDK", "a JDK newer than 17 in /usr/lib/jvm")]
    for release in Path("/usr/lib/jvm").glob("*/release"):
        version = re.search(r'^JAVA_VERSION="(\d+)', release.read_text(), re.M)
        if version and (release.parent / "bin/java").exists():
            found.append((int(version[1]), f"JDK {version[1]}", str(release.parent / "bin/java")))
    return max(found)[1:]


NEWER, NEWER_JAVA = newest_jdk()
PUBLISHED = ["-Xmx{heap}m", "-Xss256k"]  # as in the article
NGINX = ["nginx", "-e", "stderr", "-p", "{dir}", "-c", "{dir}/nginx.conf"]
FPM = str(max(Path("/usr/sbin").glob("php-fpm*"), default="php-fpm"))  # Debian names it by its version


def java(flags, jar, *args, command="java"):
    return [command, *flags, "-jar", str(jar), "{port}", "{count}", *args]


def unit_command(jar, command="java"):
    """The JVM command of deploy/avatar.service, which is the only place that configures it."""
    lines = (ROOT / "deploy/avatar.service").read_text().replace("\\\n", " ").splitlines()
    variables = [line.removeprefix("Environment=").strip('"') for line in lines if line.startswith("Environment=")]
    start = next(line for line in lines if line.startswith("ExecStart=")).split()
    flags = [re.sub(r"^-Xmx\d+m$", "-Xmx{heap}m", flag) for flag in start[1:start.index("-jar")]]
    return ["env", *variables, *java(flags, jar, command=command)]


def before_nginx(*command):
    """A command in the background, and nginx in front of it."""
    return ["sh", "-c", f"{shlex.join(command)} & exec {shlex.join(NGINX)}"]


def avatars(jar, prefix=""):
    common = dict(origin=US, ships=[jar], compiles=True)
    newer = dict(common, needs=[NEWER_JAVA], optional=True)
    return [Peer(f"{prefix}avatar.jar", run=java(PUBLISHED, jar), needs=["java"], **common),
            Peer(f"{prefix}avatar.jar --pool", run=java(PUBLISHED, jar, "--pool"), needs=["java"], **common),
            Peer(f"{prefix}avatar.jar as deployed", run=unit_command(jar), needs=["java"], **common),
            Peer(f"{prefix}avatar.jar on {NEWER}", run=java(PUBLISHED, jar, command=NEWER_JAVA), **newer),
            Peer(f"{prefix}avatar.jar as deployed on {NEWER}", run=unit_command(jar, NEWER_JAVA), **newer)]


def one_class(sources, main, *args, flags=PUBLISHED):
    """A program of one class, packed as the smallest executable jar that the jar tool makes."""
    out = BUILD / sources
    return dict(sources=sources, needs=["java", "javac", "jar"], compiles=True, ships=[out / "main.jar"],
                build=(["javac", "-d", str(out / "classes"), str(PEERS / sources / f"{main}.java")],
                       ["jar", "-c", "-f", str(out / "main.jar"), "-e", main, "-C", str(out / "classes"), "."]),
                run=java(flags, out / "main.jar", *args))


def maven(sources, *args):
    """A Maven project: its own jar, and its dependencies beside it."""
    jar = BUILD / sources / f"{sources}.jar"
    return dict(sources=sources, needs=["java", "mvn"], compiles=True, ships=[jar, jar.parent / "lib"],
                build=(["mvn", "-q", "-B", "-f", str(PEERS / "pom.xml"), "-pl", sources, "package"],),
                run=java(PUBLISHED, jar, *args))


def robaho():
    """avatar.jar on another implementation of the engine's API, which runs a whole connection where the JDK's runs a
    request: hence --pool."""
    main = re.search(r"Main-Class: (\S+)", zipfile.ZipFile(JAR).read("META-INF/MANIFEST.MF").decode())[1]
    lib = BUILD / "robaho/lib"
    return {**maven("robaho"), "needs": [NEWER_JAVA, "mvn"], "ships": [lib, JAR], "optional": True, "run": [
        NEWER_JAVA, *PUBLISHED, "-cp", f"{lib}/*:{JAR}", main, "--pool", "{port}", "{count}"]}


def cargo(sources, binary):
    # Debian 12's cargo is too old for the lock files, its cargo-web is not
    return dict(sources=sources, needs=["cargo"], ships=[BUILD / "cargo/release" / binary],
                build=(["cargo", "build", "-q", "--locked", "--release", "--manifest-path",
                        str(PEERS / sources / "Cargo.toml"), "--target-dir", str(BUILD / "cargo")],),
                run=[str(BUILD / "cargo/release" / binary), "{port}", "{count}"])


def binary(sources, tool, build, *args):
    """A program that one command compiles."""
    out = BUILD / sources / "avatar"
    return dict(sources=sources, needs=[tool], ships=[out], run=[str(out), "{port}", "{count}", *args],
                build=([tool, *[word.format(out=out, dir=out.parent, sources=PEERS / sources) for word in build.split()]],))


def go(sources):
    # a file outside any module: Debian 12's Go, 1.19, neither knows -C nor needs a go.mod for it
    return binary(sources, "go", "build -trimpath -ldflags=-s -o {out} {sources}/main.go", "{certificate}", "{key}")


def nginx(sources, run=NGINX, needs=("nginx",), ships=None, configs=("nginx.conf",)):
    return dict(run=run, needs=[*needs, "openssl"], ships=ships or [PEERS / sources],
                configs=tuple(PEERS / sources / config for config in configs))


ALL = [
    *avatars(JAR),
    *(avatars(Path(OTHER_JAR), "other ") if OTHER_JAR else []),
    Peer("avatar.jar on robaho's engine", US, **robaho()),
    Peer("empty handler", US, allowed=frozenset({"sends no Location", "sends no Cache-Control"}),
         **one_class("floor", "Floor")),
    Peer("article's program", ARTICLE, **one_class("original", "Original")),
    Peer("article's program, cached pool", COMMENT, **one_class("original", "Original", "--pool")),
    Peer("Go net/http", COMMENT, **go("go")),
    Peer("Go sequential TCP", COMMENT, **go("tcp-go")),
    Peer("Rust sequential TCP", COMMENT, **cargo("tcp-rust", "tcp-rust")),
    Peer("Ada Web Server", COMMENT, optional=True, allowed=frozenset({"sends Content-Type (empty)"}),
         **binary("ada", "gprbuild", "-q -p -aP/opt/aws/share/gpr -XBUILD={dir} -P {sources}/avatar.gpr")),
    Peer("C++ accept loop", COMMENT, **binary("tcp-cpp", "g++", "-O2 -s -Wall -o {out} {sources}/main.cpp")),
    Peer("Tomcat NIO", "Tomcat's", heap=16, **maven("tomcat", "Http11NioProtocol")),  # in 8 MB it loses requests
    Peer("Tomcat NIO2", "Tomcat's", heap=16, **maven("tomcat", "Http11Nio2Protocol")),
    Peer("Jetty servlet", "Jetty's", **maven("jetty")),
    Peer("Jetty async servlet", "Jetty's", **maven("jetty", "--async")),
    Peer("HttpCore NIO", "HttpCore's", **maven("httpcore")),
    Peer("Vert.x", US, **maven("vertx")),
    Peer("Rust hyper", US, **cargo("hyper", "hyper-peer")),
    Peer("Node.js", US, ["node", str(PEERS / "node/server.js"), "{port}", "{count}"], needs=["node"],
         ships=[PEERS / "node"], compiles=True),
    Peer("PHP behind nginx", US, **nginx("php", before_nginx(FPM, "-R", "-y", "{dir}/php-fpm.conf"), ("nginx", FPM),
                                         configs=("nginx.conf", "php-fpm.conf"))),
    Peer("nginx return 302", US, allowed=frozenset({"sends a body", "sends Content-Type text/html"}),
         **nginx("nginx")),
    Peer("nginx random_index", US, picture=True, **nginx("nginx-pictures"), allowed=frozenset(
        {"answers POST with 405", "sends no Location", "sends a body", "sends Content-Type image/png"})),
    Peer("the deployed site", US, tls=True, compiles=True,
         **nginx("site", before_nginx(*[word.replace("{port}", "{inner}") for word in unit_command(JAR)]),
                 ("nginx", "java"), [JAR, ROOT / "deploy/nginx.conf"], ("nginx.conf", "../../../deploy/nginx.conf"))),
]
NAMED = {peer.name: peer for peer in ALL}


def variant(name, of, **changes):
    return replace(NAMED[of], name=name, **changes)


def build(peer):
    """Builds what its sources have outdated; raises Missing when a tool is not there."""
    for tool in peer.needs:
        if not shutil.which(tool):
            raise Missing(f"{tool} is not installed")
    if peer.configs and not (BUILD / "pictures").exists():  # samples, as many as the article's service has
        subprocess.run(["java", ROOT / "samples/Foxes.java", str(COUNT), BUILD / "pictures"], check=True)
    if peer.configs and not (BUILD / "privkey.pem").exists():
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-days", "3650", "-subj", f"/CN={HOST}", "-out", BUILD / "fullchain.pem",
                        "-keyout", BUILD / "privkey.pem"], check=True, capture_output=True)
    newest = max((file.stat().st_mtime for file in (PEERS / peer.sources).rglob("*")), default=0)
    if not peer.build or peer.ships[0].exists() and peer.ships[0].stat().st_mtime >= newest:
        return
    peer.ships[0].parent.mkdir(parents=True, exist_ok=True)
    for command in peer.build:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise (Missing if peer.optional else RuntimeError)(f"{' '.join(command[:2])}: {done.stdout.strip()[:300]}")


def fill_in(peer, directory, port):
    """Copies the peer's configuration into its directory; returns its command."""
    share = int(10_000 / COUNT) / 100  # split_clients takes two decimals; the last takes the rest
    site = (ROOT / "deploy/nginx.conf").read_text()
    tls = "\n".join(re.findall(r"^ *ssl_.*;", site, re.M)) if peer.tls else ""
    words = {"@PORT@": f"{port}{' ssl' * peer.tls}", "@TLS@": tls, "@DIRECTORY@": directory, "@COUNT@": COUNT,
             "@PHP@": PEERS / "php/index.php",
             "@NUMBERS@": "".join(f"{share}% {number};\n" for number in range(1, COUNT)) + f"* {COUNT};"}
    places = [(r"(ssl_certificate(?:_key)? +)/[^;]*/", rf"\g<1>{BUILD}/"), (r"/var/www/avatar", f"{directory}/pictures"),
              (r"\b127\.0\.0\.1:6666\b", f"127.0.0.1:{port + 1}"), (r"(\blisten\s+(?:\[::\]:)?)443\b", rf"\g<1>{port}"),
              (r"\n *listen\s+(?:\[::\]:)?80;", "")]
    for config in peer.configs:
        ours = config.parent.name == "deploy"
        text = config.read_text()
        for word, value in words.items():
            text = text.replace(word, str(value))
        for pattern, replacement in places:
            text = re.sub(pattern, replacement, text)
        (directory / ("avatar.conf" if ours else config.name)).write_text(text)
    if peer.configs:
        shutil.copytree(BUILD / "pictures", directory / "pictures")
    words = dict(port=port, inner=port + 1, count=COUNT, heap=peer.heap, dir=directory,
                 certificate=BUILD / "fullchain.pem" if peer.tls else "", key=BUILD / "privkey.pem" if peer.tls else "")
    return [filled for word in peer.run if (filled := word.format(**words))]


def shipped_bytes(peer):
    return sum(file.stat().st_size for path in peer.ships
               for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())
