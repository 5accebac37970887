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
HOST = "avatar.spacefox.fr"
COUNT = 21  # pictures, as in the article
JAVA = "/usr/lib/jvm/default-java/bin/java"  # Debian's default-jre, whatever else is on PATH
NEWER_JAVA = str(next(Path("/usr/lib/jvm").glob("*-25-*/bin/java"), "JDK 25"))
FPM = str(max(Path("/usr/sbin").glob("php-fpm*"), default="php-fpm"))  # Debian names it by its version
NGINX = ["nginx", "-e", "stderr", "-p", "{DIRECTORY}", "-c", "{DIRECTORY}/nginx.conf"]
APACHE = ["apache2", "-D", "FOREGROUND", "-f", "{DIRECTORY}/apache.conf"]


@dataclass
class Peer:
    name: str  # in the tables and in the chart
    origin: str
    commands: list  # each a list of words, in which {PORT} and the like are filled in; the last one is asked
    ships: list  # files and folders beside the runtime
    builds: list = ()  # files that peers/Makefile makes
    configs: str = ""  # the folder of PEERS whose files are copied into {DIRECTORY}, with @PORT@ and the like filled in
    status: int = 302  # 200: it answers with the picture itself
    typed: bool = False  # it cannot redirect without a Content-Type
    path: str = "/any/path.png?and=query"
    kinds: int = COUNT  # different answers; 0: they are not draws
    optional: bool = False  # not in Debian 12, so that even CI may be without it


def java(jar, *flags, java=JAVA, heap=8, port="{PORT}", args=()):
    """The article's command, which is README's too."""
    return [java, f"-Xmx{heap}m", "-Xss256k", *flags, "-jar", jar, *args, port, str(COUNT)]


def unit(port):
    """The JVM command of deploy/avatar.service, which is the only place that configures it."""
    text = (ROOT / "deploy/avatar.service").read_text().replace("\\\n", " ")
    flags = re.search(r"^ExecStart=\S+ (.*) -jar ", text, re.M)[1]
    return [JAVA, *flags.split(), "-jar", JAR, port, str(COUNT)]


def built_java(name, origin, folder, *args, flags=(), heap=8):
    jar = BUILD / folder / "main.jar"
    return Peer(name, origin, [[*java(jar, *flags, heap=heap), *args]], [jar, BUILD / folder / "lib"], [jar])


def binary(name, origin, path, *args, **more):
    program = BUILD / path
    return Peer(name, origin, [[program, "{PORT}", str(COUNT), *args]], [program], [program], **more)


def served(name, origin, server, folder, *before, ships=(), builds=(), **more):
    """A web server, and the programs that run behind it."""
    return Peer(name, origin, [*before, server], [*ships] or [PEERS / folder],
                [BUILD / "pictures", BUILD / "privkey.pem", *builds], folder, **more)


TOMCAT = built_java("Tomcat NIO", "Tomcat's benchmark", "tomcat", "Http11NioProtocol", heap=16)
SITE = served("the deployed site", "us", NGINX, "site", unit("{INNER}"), kinds=0,  # nginx uses a draw for half a minute
              ships=[JAR, ROOT / "deploy/nginx.conf"])
ALL = [
    Peer("avatar.jar", "us", [java(JAR)], [JAR]),
    Peer("avatar.jar --pool", "us", [java(JAR, args=["--pool"])], [JAR]),
    Peer("avatar.jar as deployed", "us", [unit("{PORT}")], [JAR]),
    Peer("avatar.jar on JDK 25", "us", [java(JAR, java=NEWER_JAVA)], [JAR], optional=True),
    built_java("article's program", "the article", "original"),
    built_java("article's program, cached pool", "a comment", "original", "--pool"),
    binary("Go net/http", "a comment", "go/avatar", "{TLS}", BUILD / "fullchain.pem", BUILD / "privkey.pem"),
    binary("Go sequential TCP", "a comment", "tcp-go/avatar"),
    binary("Rust sequential TCP", "a comment", "tcp-rust/release/avatar"),
    binary("Ada Web Server", "a comment", "ada/avatar", optional=True, typed=True),
    binary("C++ accept loop", "a comment", "tcp-cpp/avatar"),
    Peer("Cloudflare Worker (workerd)", "a comment",
         [[BUILD / "worker/node_modules/workerd/bin/workerd", "serve", "{DIRECTORY}/config.capnp"]],
         [PEERS / "worker"], [BUILD / "worker/node_modules"], "worker"),
    binary("Go, an SVG in any colour", "a comment", "svg/avatar", kinds=360, status=200),
    served("nginx sub_filter, the same SVG", "us", NGINX, "svg", path="/hue/120.svg", kinds=0, status=200,
           ships=[PEERS / "svg/nginx.conf", PEERS / "svg/avatar.svg"]),
    TOMCAT,
    built_java("Tomcat NIO2", "Tomcat's benchmark", "tomcat", "Http11Nio2Protocol", heap=16),
    served("Apache in front of Tomcat NIO", "Tomcat's benchmark", APACHE, "apache",
           [*java(TOMCAT.ships[0], heap=16, port="{INNER}"), "Http11NioProtocol"],
           builds=TOMCAT.builds, ships=[PEERS / "apache", *TOMCAT.ships]),
    served("Apache in front of avatar.jar", "Tomcat's benchmark", APACHE, "apache",
           java(JAR, heap=16, port="{INNER}"), ships=[PEERS / "apache", JAR]),
    built_java("Jetty servlet", "Jetty's benchmark", "jetty"),
    built_java("Jetty async servlet", "Jetty's benchmark", "jetty", "--async"),
    built_java("HttpCore NIO", "HttpCore's benchmark", "httpcore"),
    built_java("Vert.x", "us", "vertx"),
    binary("Rust hyper", "us", "hyper/release/avatar"),
    Peer("Node.js", "us", [["node", PEERS / "node/server.js", "{PORT}", str(COUNT)]], [PEERS / "node"]),
    served("PHP behind nginx", "us", NGINX, "php", [FPM, "-R", "-y", "{DIRECTORY}/php-fpm.conf"]),
    served("nginx return 302", "us", NGINX, "nginx", typed=True),
    served("nginx random_index", "us", NGINX, "random-index", status=200),
]
NAMED = {peer.name: peer for peer in ALL}
ARTICLE = [NAMED["article's program"], NAMED["avatar.jar"],
           Peer("avatar.jar, 16 MB", "us", [java(JAR, heap=16)], [JAR]),
           built_java("article's program, 16 MB", "the article", "original", heap=16),
           NAMED["article's program, cached pool"],
           built_java("article's program, ZGC", "a comment", "original", flags=["-XX:+UseZGC"])]
GROWING = [NAMED["avatar.jar"], Peer("avatar.jar, 64 MB", "us", [java(JAR, heap=64)], [JAR]), NAMED["Go net/http"]]


def build(peer):
    """Builds what its sources have outdated."""
    targets = [os.path.relpath(file, PEERS) for file in peer.builds] or ["Makefile"]
    done = subprocess.run(["make", "-s", "-C", PEERS, *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    assert not done.returncode, f"make: {done.stdout.strip()[:300]}"


def site(words):
    """The site's file, with this machine's ports and folders in the place of a server's."""
    text = subprocess.run([ROOT / "deploy/render"], stdout=subprocess.PIPE, text=True, check=True, env={
        **os.environ, "DOMAIN": HOST, "PORT": words["INNER"], "URL": f"https://{HOST}/Renard-*.png"}).stdout
    for pattern, replacement in [("certificate /etc/avatar/site", f"certificate {BUILD}/fullchain"),
                                 ("/etc/avatar/site.pem", f"{BUILD}/privkey.pem"), ("/etc/avatar/", f"{BUILD}/"),
                                 ("/var/www/avatar", f"{words['DIRECTORY']}/pictures"),
                                 ("/run/avatar", f"{words['DIRECTORY']}/draws"),
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
    count = sum(file.stat().st_size for path in peer.ships
                for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())
    return f"{count:,}" if count < 10_000 else f"{count / 1e3:,.0f} k" if count < 1e6 else f"{count / 1e6:.1f} M"
