"""What is compared: how each peer is built and started, and what it ships."""

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
PEERS = BENCH / "peers"
BUILD = BENCH / "build"
JAR = ROOT / "target/avatar.jar"
BEFORE = os.environ.get("AVATAR_JAR")  # another avatar.jar to be measured beside this one
COUNT = 21  # as in the article
XSS = "-Xss256k"  # as in the article


@dataclass
class Peer:
    name: str
    label: str
    run: list  # {port}, {count}, {dir} (its own, temporary) and {heap} (MB) are filled in
    ships: list  # files and folders; the runtime below is not counted
    runtime: str = "none"
    build: list = field(default_factory=list)
    needs: list = field(default_factory=list)  # commands
    sources: list = field(default_factory=list)  # what its lines are counted in; default: its folder
    configs: list = field(default_factory=list)  # templates copied into {dir}, filled in
    allowed: set = field(default_factory=set)  # deviations that the peer does not let us avoid
    jvm: bool = False
    not_in_debian: str = ""  # why not even CI can have it

    def __post_init__(self):
        self.sources = [Path(source) for source in self.sources] or [PEERS / self.name]


def java(heap_and_flags, jar, *args):
    return ["java", *heap_and_flags, "-jar", str(jar), "{port}", "{count}", *args]


PUBLISHED = ["-Xmx{heap}m", XSS]
AVATAR = dict(ships=[JAR], runtime="JDK", sources=[ROOT / "src/main"], needs=["java", "mvn"], jvm=True,
              build=[["mvn", "-q", "-B", "-DskipTests", "-f", str(ROOT), "package"]])


def one_class(folder, main):
    """A program of one class, packed as the smallest executable jar that the jar tool makes."""
    out = BUILD / folder
    return dict(runtime="JDK", needs=["java", "javac", "jar"], jvm=True, ships=[out / "main.jar"],
                sources=[PEERS / folder / f"{main}.java"],
                build=[["javac", "-d", str(out / "classes"), str(PEERS / folder / f"{main}.java")],
                       ["jar", "-c", "-f", str(out / "main.jar"), "-e", main, "-C", str(out / "classes"), "."]])


def with_libraries(folder):
    """A Maven project: its own jar, and its dependencies beside it."""
    out = BUILD / folder
    return dict(runtime="JDK", needs=["java", "mvn"], jvm=True, ships=[out / f"{folder}.jar", out / "lib"],
                sources=[PEERS / folder / "Main.java"],
                build=[["mvn", "-q", "-B", "-f", str(PEERS / "pom.xml"), "-pl", folder, "package"]])


def cargo(folder, binary):
    # Debian 12's cargo is too old for the lock files, its cargo-web is not
    return dict(needs=["cargo"], ships=[BUILD / "cargo/release" / binary], sources=[PEERS / folder / "src/main.rs"],
                build=[["cargo", "build", "-q", "--locked", "--release", "--manifest-path",
                        str(PEERS / folder / "Cargo.toml"), "--target-dir", str(BUILD / "cargo")]],
                run=[str(BUILD / "cargo/release" / binary), "{port}", "{count}"])


def go(folder):
    binary, source = BUILD / folder / "avatar", PEERS / folder / "main.go"
    # a file outside any module: Debian 12's Go, 1.19, neither knows -C nor needs a go.mod for it
    return dict(needs=["go"], ships=[binary], sources=[source],
                build=[["go", "build", "-trimpath", "-ldflags=-s -w", "-o", str(binary), str(source)]],
                run=[str(binary), "{port}", "{count}"])


NGINX = ["nginx", "-e", "stderr", "-p", "{dir}", "-c", "{dir}/nginx.conf"]
NGINX_BODY = {"sends a body", "sends Content-Type text/html"}  # its `return` always does
FPM = str(max(Path("/usr/sbin").glob("php-fpm*"), default="php-fpm"))  # Debian names it by its version
CPP = BUILD / "tcp-cpp/avatar"
ADA = BUILD / "ada/avatar"

ALL = [
    Peer("avatar", "avatar.jar", java(PUBLISHED, JAR), **AVATAR),
    Peer("avatar-pool", "avatar.jar --pool", java(PUBLISHED, JAR, "--pool"), **AVATAR),
    Peer("avatar-unit", "avatar.jar, unit's flags", [], **AVATAR),
    Peer("floor", "empty handler, JDK's server", java([*PUBLISHED, "{properties}"], BUILD / "floor/main.jar"),
         allowed={"sends no Location", "sends no Cache-Control"}, **one_class("floor", "Floor")),
    Peer("original", "article's program", java(PUBLISHED, BUILD / "original/main.jar"),
         **one_class("original", "Original")),
    Peer("original-pool", "article's program, cached pool", java(PUBLISHED, BUILD / "original/main.jar", "--pool"),
         **one_class("original", "Original")),
    Peer("tomcat-nio", "Tomcat 11 NIO", java(PUBLISHED, BUILD / "tomcat/tomcat.jar", "Http11NioProtocol"),
         **with_libraries("tomcat")),
    Peer("tomcat-nio2", "Tomcat 11 NIO2", java(PUBLISHED, BUILD / "tomcat/tomcat.jar", "Http11Nio2Protocol"),
         **with_libraries("tomcat")),
    Peer("jetty", "Jetty 12 servlet", java(PUBLISHED, BUILD / "jetty/jetty.jar"), **with_libraries("jetty")),
    Peer("jetty-async", "Jetty 12 async servlet", java(PUBLISHED, BUILD / "jetty/jetty.jar", "--async"),
         **with_libraries("jetty")),
    Peer("vertx", "Vert.x 5", java(PUBLISHED, BUILD / "vertx/vertx.jar"), **with_libraries("vertx")),
    Peer("httpcore", "HttpCore 5 async", java(PUBLISHED, BUILD / "httpcore/httpcore.jar"),
         **with_libraries("httpcore")),
    Peer("go", "Go net/http", **go("go")),
    Peer("node", "Node.js http", ["node", str(PEERS / "node/server.js"), "{port}", "{count}"], runtime="Node.js",
         needs=["node"], ships=[PEERS / "node"]),
    Peer("php", "PHP-FPM behind nginx", ["sh", "-c", f"{FPM} -R -y {{dir}}/php-fpm.conf & exec {' '.join(NGINX)}"],
         runtime="nginx, PHP", needs=["nginx", FPM], ships=[PEERS / "php"],
         configs=[PEERS / "php/nginx.conf", PEERS / "php/php-fpm.conf"]),
    Peer("hyper", "Rust hyper", **cargo("hyper", "hyper-peer")),
    Peer("ada", "Ada Web Server", [str(ADA), "{port}", "{count}"], needs=["gprbuild"], ships=[ADA],
         build=[["gprbuild", "-q", "-p", f"-XBUILD={ADA.parent}", "-P", str(PEERS / "ada/avatar.gpr")]],
         allowed={"sends Content-Type"},
         not_in_debian="Debian 12 has gnat, but no Ada Web Server: put its aws.gpr on GPR_PROJECT_PATH"),
    Peer("nginx", "nginx split_clients", NGINX, runtime="nginx", needs=["nginx"], ships=[PEERS / "nginx"],
         configs=[PEERS / "nginx/nginx.conf"], allowed=NGINX_BODY),
    Peer("tcp-go", "Go sequential TCP", **go("tcp-go")),
    Peer("tcp-rust", "Rust sequential TCP", **cargo("tcp-rust", "tcp-rust")),
    Peer("tcp-cpp", "C++ accept loop", [str(CPP), "{port}", "{count}"], needs=["g++"], ships=[CPP],
         build=[["g++", "-O2", "-s", "-Wall", "-o", str(CPP), str(PEERS / "tcp-cpp/main.cpp")]]),
]


if BEFORE:
    before = dict(ships=[Path(BEFORE)], runtime="JDK", needs=["java"], jvm=True)
    ALL += [Peer("before", "before", java(PUBLISHED, BEFORE), **before),
            Peer("before-pool", "before, --pool", java(PUBLISHED, BEFORE, "--pool"), **before),
            Peer("before-unit", "before, unit's flags", [], **before)]


class Missing(Exception):
    """Something that this machine does not have; the run carries on without it."""


def unit_command(jar):
    """The JVM command of deploy/avatar.service, which is the only place that configures it."""
    unit = ROOT / "deploy/avatar.service"
    if not unit.exists():
        raise Missing("deploy/avatar.service is not there")
    lines = unit.read_text().replace("\\\n", " ").splitlines()
    value = {line.split("=", 1)[0].strip(): line.split("=", 1)[1].split() for line in lines if "=" in line}
    command = value["ExecStart"]
    environment = value.get("Environment", [])
    flags = command[1:command.index("-jar")]
    return [*(["env", *(word.strip('"') for word in environment)] if environment else []), *java(flags, jar)]


def newest(paths):
    files = [file for path in paths if path.exists() for file in ([path] if path.is_file() else path.rglob("*"))]
    return max((file.stat().st_mtime for file in files), default=0)


def build(peer):
    """Builds what its sources have outdated; raises Missing when a tool is not there."""
    for tool in peer.needs:
        if not shutil.which(tool):
            raise Missing(f"{tool} is not installed")
    if peer.name.endswith("-unit"):
        peer.run = unit_command(peer.ships[0])
    outputs = [path for path in peer.ships if BUILD in path.parents or path == JAR]
    if JAR in outputs:
        inputs = [ROOT / "pom.xml", ROOT / "jar.groovy", ROOT / "src/main"]
    else:
        inputs = [PEERS / source.relative_to(PEERS).parts[0] for source in peer.sources]
    if not outputs or all(path.exists() for path in outputs) and newest(outputs[:1]) >= newest(inputs):
        return
    outputs[0].parent.mkdir(parents=True, exist_ok=True)
    for command in peer.build:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            if peer.not_in_debian and "not found" in done.stdout:
                raise Missing(peer.not_in_debian)
            raise RuntimeError(f"{' '.join(command)}:\n{done.stdout[-2000:]}")


def fill_in(peer, directory, port):
    """Copies the peer's configuration into its directory."""
    share = int(10_000 / COUNT) / 100  # split_clients takes two decimals; the last takes the rest
    numbers = "".join(f"{share}% {number};\n" for number in range(1, COUNT)) + f"* {COUNT};"
    words = {"PORT": str(port), "DIRECTORY": str(directory), "HERE": str(PEERS / peer.name), "NUMBERS": numbers,
             "FOXES": str(COUNT)}
    for config in peer.configs:
        text = config.read_text()
        for word, value in words.items():
            text = text.replace(f"@{word}@", value)
        (directory / config.name).write_text(text)


def shipped_bytes(peer):
    return sum(file.stat().st_size for path in peer.ships
               for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())


def lines_of_code(peer):
    """Neither blank lines nor comments."""
    files = [file for source in peer.sources for file in ([source] if source.is_file() else sorted(source.rglob("*")))]
    lines = [line.strip() for file in files if file.is_file() for line in file.read_text().splitlines()]
    return sum(bool(line) and not line.startswith(("//", "/*", "*", "#", ";", "--")) or line.startswith("#include")
               for line in lines)
