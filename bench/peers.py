"""What is compared: where each peer comes from, how it is started, and what it ships. peers/Makefile builds them."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT, PEERS, BUILD = BENCH.parent, BENCH / "peers", BENCH / "build"
JAR = ROOT / "deploy/avatar.jar"
OTHER_JAR = os.environ.get("AVATAR_JAR")  # another avatar.jar, measured in the same rounds
HOST = "avatar.spacefox.fr"
COUNT = 21  # pictures, as in the article
JAVA = "/usr/lib/jvm/default-java/bin/java"  # Debian's default-jre, whatever else is on PATH
# the newest other JDK in Debian's place, by the number in its folder's name
NEWER, NEWER_JAVA = max([(int(found[0]), str(java)) for java in Path("/usr/lib/jvm").glob("*/bin/java")
                         if (found := re.search(r"\b[1-9]\d\b", java.parts[4])) and int(found[0]) > 17],
                        default=(25, "a JDK newer than 17"))
FPM = str(max(Path("/usr/sbin").glob("php-fpm*"), default="php-fpm"))  # Debian names it by its version
NGINX = ["nginx", "-e", "stderr", "-p", "{DIRECTORY}", "-c", "{DIRECTORY}/nginx.conf"]
APACHE = ["apache2", "-D", "FOREGROUND", "-f", "{DIRECTORY}/apache.conf"]


@dataclass
class Peer:
    name: str  # in the tables, in the chart and as an argument
    origin: str
    commands: list  # each a list of words, in which {PORT} and the like are filled in; the last one is asked
    ships: list  # files and folders beside the runtime
    needs: list  # commands
    builds: list = ()  # files that peers/Makefile makes
    configs: str = ""  # the folder of PEERS whose files are copied into {DIRECTORY}, with @PORT@ and the like filled in
    allowed: tuple = ()  # deviations that the peer does not let us avoid
    status: int = 302  # 200: it answers with the picture itself
    path: str = "/any/path.png?and=query"
    contains: bytes = b""  # what each answer's body contains
    kinds: int = COUNT  # different answers
    draws: str = "PORT"  # where each answer is a draw of its own
    optional: bool = False  # not in Debian 12, so that even CI may be without it


class Missing(Exception):
    """Something that this machine does not have; the run carries on without it."""


def java(jar, *flags, java=JAVA, heap=8, port="{PORT}", args=()):
    """The article's command, which is README's too."""
    return [java, f"-Xmx{heap}m", "-Xss256k", *flags, "-jar", jar, *args, port, str(COUNT)]


def unit(jar, port="{PORT}"):
    """The JVM command of deploy/avatar.service, which is the only place that configures it."""
    text = (ROOT / "deploy/avatar.service").read_text().replace("\\\n", " ")
    flags = re.search(r"^ExecStart=\S+ (.*) -jar ", text, re.M)[1]
    return ["env", *re.findall(r"^Environment=(.*)", text, re.M), JAVA, *flags.split(), "-jar", jar, port, str(COUNT)]


def avatars(jar, prefix=""):
    common = dict(origin="us", ships=[jar], needs=[JAVA])
    return [Peer(f"{prefix}avatar.jar", commands=[java(jar)], **common),
            Peer(f"{prefix}avatar.jar --pool", commands=[java(jar, args=["--pool"])], **common),
            Peer(f"{prefix}avatar.jar as deployed", commands=[unit(jar)], **common),
            Peer(f"{prefix}avatar.jar on JDK {NEWER}", commands=[java(jar, java=NEWER_JAVA)],
                 **{**common, "needs": [NEWER_JAVA], "optional": True})]


def built_java(name, origin, folder, *flags, args=(), heap=8, **more):
    jar = BUILD / folder / "main.jar"
    return Peer(name, origin, [[*java(jar, *flags, heap=heap), *args]], [jar], [JAVA, "javac"], [jar], **more)


def maven(name, origin, folder, *args, heap=8):
    jar = BUILD / folder / "main.jar"
    return Peer(name, origin, [[*java(jar, heap=heap), *args]], [jar, BUILD / folder / "lib"], [JAVA, "mvn"], [jar])


def binary(name, origin, path, compiler, *args, **more):
    program = BUILD / path
    return Peer(name, origin, [[program, "{PORT}", str(COUNT), *args]], [program], [compiler], [program], **more)


def served(name, server, folder, *before, needs=(), builds=(), ships=(), origin="us", **more):
    """A web server, and the programs that run behind it."""
    return Peer(name, origin, [*before, server], [*ships] or [PEERS / folder],
                [server[0], JAVA, "openssl", *needs], [BUILD / "pictures", BUILD / "privkey.pem", *builds], folder,
                **more)


TOMCAT = maven("Tomcat NIO", "Tomcat's benchmark", "tomcat", "Http11NioProtocol", heap=16)  # in 8 MB it loses requests
FILE = ("answers POST with 405", "answers PUT with 405", "answers DELETE with 405", "sends no Location", "sends a body")
PICTURE = dict(status=200, allowed=(*FILE, "sends Content-Type image/png"))
SVG = dict(status=200, allowed=(*FILE, "sends Content-Type image/svg+xml", "sends another Cache-Control"))
SITE = served("the deployed site", NGINX, "site", unit(JAR, port="{INNER}"), draws="INNER",
              ships=[JAR, ROOT / "deploy/nginx.conf"])
ALL = [
    *avatars(JAR),
    *(avatars(Path(OTHER_JAR), "other ") if OTHER_JAR else []),
    built_java("empty handler", "us", "floor", allowed=("sends no Location", "sends another Cache-Control")),
    built_java("article's program", "the article", "original"),
    built_java("article's program, cached pool", "a comment", "original", args=["--pool"]),
    binary("Go net/http", "a comment", "go/avatar", "go", "{TLS}", BUILD / "fullchain.pem", BUILD / "privkey.pem"),
    binary("Go sequential TCP", "a comment", "tcp-go/avatar", "go"),
    binary("Rust sequential TCP", "a comment", "tcp-rust/release/avatar", "cargo"),
    binary("Ada Web Server", "a comment", "ada/avatar", "gprbuild", optional=True,
           allowed=("sends Content-Type (empty)",)),
    binary("C++ accept loop", "a comment", "tcp-cpp/avatar", "g++"),
    Peer("Cloudflare Worker (workerd)", "a comment",
         [[BUILD / "worker/node_modules/workerd/bin/workerd", "serve", "{DIRECTORY}/config.capnp"]],
         [PEERS / "worker"], ["npm"], [BUILD / "worker/node_modules"], "worker"),
    binary("Go, an SVG in any colour", "a comment", "svg/avatar", "go", kinds=360, **SVG),
    served("nginx sub_filter, the same SVG", NGINX, "svg", path="/hue/120.svg", contains=b"hsl(120 ", draws="",
           **SVG),
    TOMCAT,
    maven("Tomcat NIO2", "Tomcat's benchmark", "tomcat", "Http11Nio2Protocol", heap=16),
    served("Apache before Tomcat NIO", APACHE, "apache",
           [*java(TOMCAT.ships[0], heap=16, port="{INNER}"), "Http11NioProtocol"],
           needs=TOMCAT.needs, builds=TOMCAT.builds, ships=[PEERS / "apache", *TOMCAT.ships],
           origin="Tomcat's benchmark"),
    served("Apache before avatar.jar", APACHE, "apache", java(JAR, heap=16, port="{INNER}"),
           ships=[PEERS / "apache", JAR], origin="Tomcat's benchmark"),
    maven("Jetty servlet", "Jetty's benchmark", "jetty"),
    maven("Jetty async servlet", "Jetty's benchmark", "jetty", "--async"),
    maven("HttpCore NIO", "HttpCore's benchmark", "httpcore"),
    maven("Vert.x", "us", "vertx"),
    binary("Rust hyper", "us", "hyper/release/avatar", "cargo"),
    Peer("Node.js", "us", [["node", PEERS / "node/server.js", "{PORT}", str(COUNT)]], [PEERS / "node"], ["node"]),
    served("PHP behind nginx", NGINX, "php", [FPM, "-R", "-y", "{DIRECTORY}/php-fpm.conf"], needs=[FPM]),
    served("nginx return 302", NGINX, "nginx", allowed=("sends a body", "sends Content-Type text/html")),
    served("nginx random_index", NGINX, "random-index", **PICTURE),
    SITE,
]
NAMED = {peer.name: peer for peer in ALL}
OF_THE_ARTICLE = [built_java("article's program, 16 MB", "the article", "original", heap=16),
                  NAMED["article's program, cached pool"],
                  built_java("article's program, ZGC", "a comment", "original", "-XX:+UseZGC")]
WIDER_JAR = Peer("avatar.jar, 64 MB", "us", [java(JAR, heap=64)], [JAR], [JAVA])


def build(peer):
    """Builds what its sources have outdated; raises Missing when a tool is not there."""
    for tool in [*peer.needs, "make"]:
        if not shutil.which(tool):
            raise Missing(f"{tool} is not installed")
    targets = [os.path.relpath(file, PEERS) for file in peer.builds] or ["Makefile"]
    done = subprocess.run(["make", "-s", "-C", PEERS, *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if done.returncode:
        raise (Missing if peer.optional else RuntimeError)(f"make: {done.stdout.strip()[:300]}")


def site(words):
    """The site's file, with this machine's ports and folders in the place of a server's."""
    text = subprocess.run([ROOT / "deploy/render"], stdout=subprocess.PIPE, text=True, check=True, env={
        **os.environ, "DOMAIN": HOST, "PORT": "6666", "URL": f"https://{HOST}/Renard-*.png"}).stdout
    for pattern, replacement in [("certificate /etc/avatar/site", f"certificate {BUILD}/fullchain"),
                                 ("/etc/avatar/site.pem", f"{BUILD}/privkey.pem"), ("/etc/avatar/", f"{BUILD}/"),
                                 ("/var/www/avatar", f"{words['DIRECTORY']}/pictures"),
                                 ("/run/avatar", f"{words['DIRECTORY']}/draws"),
                                 ("127.0.0.1:6666", f"127.0.0.1:{words['INNER']}"),
                                 (r"\b(listen .*)\b80\b", rf"\g<1>{words['PORT']}"),
                                 (r"\b(listen .*)\b443\b", rf"\g<1>{words['TLS']}")]:
        text = re.sub(pattern, replacement, text)
    return text


def prepare(peer, words):
    """Copies the peer's configuration into its directory; returns its commands, filled in."""
    directory = Path(words["DIRECTORY"])
    share = int(10_000 / COUNT) / 100  # split_clients takes two decimals; the last takes the rest
    words = {**words, "COUNT": str(COUNT), "BUILD": str(BUILD), "SITE": site(words) if peer is SITE else "",
             "CERTIFICATE": f"ssl_certificate {BUILD}/fullchain.pem; ssl_certificate_key {BUILD}/privkey.pem; "
                            "ssl_protocols TLSv1.2 TLSv1.3; ssl_session_tickets off;",
             "NUMBERS": "".join(f"{share}% {number};\n" for number in range(1, COUNT)) + f"* {COUNT};"}
    if peer.configs:  # copies, because the servers' workers may not be allowed to read this folder
        for config in (PEERS / peer.configs).iterdir():
            text = re.sub(r"@([A-Z]+)@", lambda word: words[word[1]], config.read_text())
            (directory / config.name).write_text(text)
        shutil.copytree(BUILD / "pictures", directory / "pictures", dirs_exist_ok=True)
    return [[str(word).format_map(words) for word in command] for command in peer.commands]


def shipped_bytes(peer):
    return sum(file.stat().st_size for path in peer.ships
               for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())
