"""What is compared: how each peer is built and started, and what it ships."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
PEERS = BENCH / "peers"
BUILD = BENCH / "build"
JAR = ROOT / "target/avatar.jar"
OTHER_JAR = os.environ.get("AVATAR_JAR")  # another avatar.jar, measured in the same rounds
PICTURES = BUILD / "pictures"
COUNT = 21  # as in the article


@dataclass
class Peer:
    name: str
    label: str
    run: list  # {port}, {count}, {dir} (its own, temporary) and {heap} (MB) are filled in
    ships: list  # files and folders; the runtime below is not counted
    runtime: str = "none"
    folder: str = ""  # of its sources, in bench/peers; default: its name
    build: list = field(default_factory=list)
    needs: list = field(default_factory=list)  # commands
    configs: list = field(default_factory=list)  # templates copied into {dir}, filled in
    allowed: set = field(default_factory=set)  # deviations that the peer does not let us avoid
    jvm: bool = False
    picture: bool = False  # answers with the picture itself, not with a redirect
    not_in_debian: str = ""  # why not even CI can have it


class Missing(Exception):
    """Something that this machine does not have; the run carries on without it."""


def newest_jdk():
    """The version and the java command of the newest JDK in Debian's place that is newer than 17."""
    found = [(17, None)]
    for release in Path("/usr/lib/jvm").glob("*/release"):
        version = re.search(r'^JAVA_VERSION="(\d+)', release.read_text(), re.M)
        if version and (release.parent / "bin/java").exists():
            found.append((int(version[1]), str(release.parent / "bin/java")))
    return max(found, key=lambda jdk: jdk[0])


def java(heap_and_flags, jar, *args, command="java"):
    return [command, *heap_and_flags, "-jar", str(jar), "{port}", "{count}", *args]


def unit_command(jar, command="java"):
    """The JVM command of deploy/avatar.service, which is the only place that configures it."""
    lines = (ROOT / "deploy/avatar.service").read_text().replace("\\\n", " ").splitlines()
    variables = [line.removeprefix("Environment=").strip('"') for line in lines if line.startswith("Environment=")]
    start = next(line for line in lines if line.startswith("ExecStart=")).split()
    flags = [re.sub(r"^-Xmx\d+m$", "-Xmx{heap}m", flag) for flag in start[1:start.index("-jar")]]
    return ["env", *variables, *java(flags, jar, command=command)]


NEWER, NEWER_JAVA = newest_jdk()
NO_NEWER = "" if NEWER_JAVA else "Debian 12 has no JDK newer than 17: unpack one in /usr/lib/jvm"
NEWER_JAVA = NEWER_JAVA or "java"
PUBLISHED = ["-Xmx{heap}m", "-Xss256k"]  # as in the article
AVATAR = dict(ships=[JAR], runtime="JDK", needs=["java", "mvn"], jvm=True,
              build=[["mvn", "-q", "-B", "-DskipTests", "-f", str(ROOT), "package"]])


def one_class(folder, main, *args, flags=PUBLISHED):
    """A program of one class, packed as the smallest executable jar that the jar tool makes."""
    out = BUILD / folder
    return dict(folder=folder, runtime="JDK", needs=["java", "javac", "jar"], jvm=True, ships=[out / "main.jar"],
                build=[["javac", "-d", str(out / "classes"), str(PEERS / folder / f"{main}.java")],
                       ["jar", "-c", "-f", str(out / "main.jar"), "-e", main, "-C", str(out / "classes"), "."]],
                run=java(flags, out / "main.jar", *args))


def with_libraries(folder, *args):
    """A Maven project: its own jar, and its dependencies beside it."""
    jar = BUILD / folder / f"{folder}.jar"
    return dict(folder=folder, runtime="JDK", needs=["java", "mvn"], jvm=True, ships=[jar, jar.parent / "lib"],
                build=[["mvn", "-q", "-B", "-f", str(PEERS / "pom.xml"), "-pl", folder, "package"]],
                run=java(PUBLISHED, jar, *args))


def cargo(folder, binary):
    # Debian 12's cargo is too old for the lock files, its cargo-web is not
    return dict(folder=folder, needs=["cargo"], ships=[BUILD / "cargo/release" / binary],
                build=[["cargo", "build", "-q", "--locked", "--release", "--manifest-path",
                        str(PEERS / folder / "Cargo.toml"), "--target-dir", str(BUILD / "cargo")]],
                run=[str(BUILD / "cargo/release" / binary), "{port}", "{count}"])


def go(folder):
    binary, source = BUILD / folder / "avatar", PEERS / folder / "main.go"
    # a file outside any module: Debian 12's Go, 1.19, neither knows -C nor needs a go.mod for it
    return dict(folder=folder, needs=["go"], ships=[binary],
                build=[["go", "build", "-trimpath", "-ldflags=-s -w", "-o", str(binary), str(source)]],
                run=[str(binary), "{port}", "{count}"])


def nginx(folder):
    return dict(runtime="nginx", needs=["nginx"], ships=[PEERS / folder], configs=[PEERS / folder / "nginx.conf"],
                run=NGINX)


NGINX = ["nginx", "-e", "stderr", "-p", "{dir}", "-c", "{dir}/nginx.conf"]
NGINX_BODY = {"sends a body", "sends Content-Type text/html"}  # its `return` always does
FPM = str(max(Path("/usr/sbin").glob("php-fpm*"), default="php-fpm"))  # Debian names it by its version
CPP = BUILD / "tcp-cpp/avatar"
ADA = BUILD / "ada/avatar"

ALL = [
    Peer("avatar", "avatar.jar", java(PUBLISHED, JAR), **AVATAR),
    Peer("avatar-pool", "avatar.jar --pool", java(PUBLISHED, JAR, "--pool"), **AVATAR),
    Peer("avatar-unit", "avatar.jar, unit's flags", unit_command(JAR), **AVATAR),
    Peer("avatar-newer", f"avatar.jar, JDK {NEWER}", java(PUBLISHED, JAR, command=NEWER_JAVA),
         not_in_debian=NO_NEWER, **AVATAR),
    Peer("avatar-unit-newer", f"avatar.jar, unit's flags, JDK {NEWER}", unit_command(JAR, NEWER_JAVA),
         not_in_debian=NO_NEWER, **AVATAR),
    # --pool, because this engine runs a whole connection where the jar expects it to run a request
    Peer("robaho", "avatar.jar --pool on robaho's engine", not_in_debian=NO_NEWER,
         **{**with_libraries("robaho"), "ships": [JAR, BUILD / "robaho/lib"], "run": [
             NEWER_JAVA, *PUBLISHED, "-cp", f"{BUILD}/robaho/lib/*:{JAR}", "a", "--pool", "{port}", "{count}"]}),
    Peer("floor", "empty handler, JDK's server", allowed={"sends no Location", "sends no Cache-Control"},
         **one_class("floor", "Floor", flags=[*PUBLISHED, "{properties}"])),
    Peer("original", "article's program", **one_class("original", "Original")),
    Peer("original-pool", "article's program, cached pool", **one_class("original", "Original", "--pool")),
    Peer("tomcat-nio", "Tomcat 11 NIO", **with_libraries("tomcat", "Http11NioProtocol")),
    Peer("tomcat-nio2", "Tomcat 11 NIO2", **with_libraries("tomcat", "Http11Nio2Protocol")),
    Peer("jetty", "Jetty 12 servlet", **with_libraries("jetty")),
    Peer("jetty-async", "Jetty 12 async servlet", **with_libraries("jetty", "--async")),
    Peer("vertx", "Vert.x 5", **with_libraries("vertx")),
    Peer("httpcore", "HttpCore 5 async", **with_libraries("httpcore")),
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
    Peer("nginx", "nginx split_clients", allowed=NGINX_BODY, **nginx("nginx")),
    Peer("nginx-pictures", "nginx random_index, the picture itself", picture=True, **nginx("nginx-pictures"),
         allowed={"answers POST with 405", "sends a body", "sends Content-Type image/png"}),
    Peer("tcp-go", "Go sequential TCP", **go("tcp-go")),
    Peer("tcp-rust", "Rust sequential TCP", **cargo("tcp-rust", "tcp-rust")),
    Peer("tcp-cpp", "C++ accept loop", [str(CPP), "{port}", "{count}"], needs=["g++"], ships=[CPP],
         build=[["g++", "-O2", "-s", "-Wall", "-o", str(CPP), str(PEERS / "tcp-cpp/main.cpp")]]),
]

if OTHER_JAR:
    ALL += [replace(peer, name=f"other-{peer.name}", label=f"the other jar: {peer.label}", ships=[Path(OTHER_JAR)],
                    run=[OTHER_JAR if word == str(JAR) else word for word in peer.run], build=[])
            for peer in ALL if peer.name in ("avatar", "avatar-pool", "avatar-unit")]


def newest(paths):
    return max((file.stat().st_mtime for path in paths if path.exists() for file in [path, *path.rglob("*")]),
               default=0)


def draw_pictures():
    """Sample pictures of 5 KB, as many as the article's service has."""
    if not shutil.which("java"):
        raise Missing("java is not installed")
    if not PICTURES.exists():
        subprocess.run(["java", ROOT / "samples/Foxes.java", str(COUNT), PICTURES],
                       check=True)


def build(peer):
    """Builds what its sources have outdated; raises Missing when a tool is not there."""
    if peer.not_in_debian and peer.not_in_debian == NO_NEWER:
        raise Missing(NO_NEWER)
    for tool in peer.needs:
        if not shutil.which(tool):
            raise Missing(f"{tool} is not installed")
    if peer.picture:
        draw_pictures()
    outputs = [path for path in peer.ships if BUILD in path.parents or path == JAR and peer.name != "robaho"]
    inputs = [PEERS / (peer.folder or peer.name)]
    if JAR in outputs:
        inputs = [ROOT / "pom.xml", ROOT / "jar.groovy", ROOT / "src/main"]
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
    words = {"PORT": port, "DIRECTORY": directory, "HERE": PEERS / peer.name, "NUMBERS": numbers, "FOXES": COUNT}
    for config in peer.configs:
        text = config.read_text()
        for word, value in words.items():
            text = text.replace(f"@{word}@", str(value))
        (directory / config.name).write_text(text)
    if peer.picture:
        shutil.copytree(PICTURES, directory / "pictures")


def shipped_bytes(peer):
    return sum(file.stat().st_size for path in peer.ships
               for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())
