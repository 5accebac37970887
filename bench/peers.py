"""What is compared: where each peer comes from, how it is started, and what it ships. peers/Makefile builds them."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT, PEERS, BUILD = BENCH.parent, BENCH / "peers", BENCH / "build"
DEPLOY = ROOT / "deploy"
JAR = DEPLOY / "avatar.jar"
NO_IPV6 = "" if Path("/proc/net/if_inet6").exists() else "# "
HOST, SET = "avatar.spacefox.fr", "0123abcd"
COUNT = 21  # pictures, as in the article
JAVA = "/usr/lib/jvm/default-java/bin/java"  # Debian's default-jre, whatever else is on PATH
FPM = str(max(Path("/usr/sbin").glob("php-fpm*"), default="php-fpm"))  # Debian names it by its version
NGINX = ["nginx", "-e", "stderr", "-p", "{DIRECTORY}", "-c", "{DIRECTORY}/nginx.conf"]
PHP = [FPM, "-R", "-y", "{DIRECTORY}/php-fpm.conf"]
APACHE = ["apache2", "-D", "FOREGROUND", "-f", "{DIRECTORY}/apache.conf"]
valid, unit = re.search(r"proxy_cache_valid 302 (\d+)([sm]);", (DEPLOY / "nginx.conf").read_text()).groups()
AGE = int(valid) * {"s": 1, "m": 60}[unit]  # seconds for which a draw serves the site


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
    picture: str = ""  # behind its redirect: the path, with %d for the number
    draws: bool = True  # anew for each request
    deploy: Path = None  # the site's folder
    optional: bool = False  # not in Debian 12, so that even CI may be without it


def java(*program, heap=8):
    """The article's command, which is README's too."""
    return [JAVA, f"-Xmx{heap}m", "-Xss256k", *program, "{COUNT}"]


def avatar(name, *flags, heap=8):
    return Peer(name, "us", [java("-jar", JAR, *flags, "0.0.0.0:{PORT}", heap=heap)], [JAR])


def deployed(port="PORT", deploy=DEPLOY):
    """The unit's command, which is configured there alone."""
    unit = (deploy / "avatar.service").read_text().replace("\\\n", " ")
    command = re.sub(r"-jar \S+", f"-jar {deploy / 'avatar.jar'}", re.search(r"^ExecStart=\S+ (.*)", unit, re.M)[1])
    return [JAVA, *command.replace("127.0.0.1:${PORT}", f"0.0.0.0:{{{port}}}").replace("${", "{").split()]


def jvm(name, origin, folder, *args, flags=(), heap=64, port="{PORT}"):
    """Libraries get more memory than the article's program, because some lose requests in 8 MB."""
    jar, lib = BUILD / folder / "main.jar", BUILD / folder / "lib"
    command = java(*flags, "-cp", f"{jar}:{lib}/*", "Main", port, heap=heap)
    return Peer(name, origin, [[*command, *args]], [jar, lib], [jar])


def binary(name, origin, path, *args, **more):
    program = BUILD / path
    return Peer(name, origin, [[program, "{PORT}", "{COUNT}", *args]], [program], [program], **more)


def served(name, origin, server, *before, ships=(), builds=(), **more):
    """A web server, and the program that runs behind it."""
    return Peer(name, origin, [*before, server], ships, [BUILD / "pictures", BUILD / "privkey.pem", *builds],
                "apache" if server is APACHE else "nginx", **more)


def site(deploy, name="the site"):
    return served(name, "us", NGINX, deployed("INNER", deploy), ships=[deploy / "avatar.jar"], draws=False,
                  deploy=deploy, picture=f"/{SET}/Renard-%d.png")


SITE = site(DEPLOY)
SCRIPT = [PEERS / "nginx/index.php"]
PICTURE = "/Renard-%d.png"
TOMCAT = jvm("Tomcat NIO", "Tomcat's benchmark", "tomcat", "Http11NioProtocol")
ALL = [
    avatar("avatar.jar"),
    avatar("avatar.jar --pool", "--pool"),
    Peer("avatar.jar as deployed", "us", [deployed()], [JAR]),
    jvm("article's program", "the article", "original", heap=8),
    jvm("article's program, cached pool", "a comment", "original", "--pool", heap=8),
    binary("Go net/http", "a comment", "go/avatar", "{TLS}", BUILD / "fullchain.pem", BUILD / "privkey.pem",
           BUILD / "pictures", picture=PICTURE),
    binary("Go sequential TCP", "a comment", "tcp-go/avatar"),
    binary("Rust sequential TCP", "a comment", "rust/release/tcp"),
    binary("Ada Web Server", "a comment", "ada/avatar", optional=True, typed=True),
    binary("C++ accept loop", "a comment", "cpp/avatar"),
    Peer("Cloudflare Worker (workerd)", "a comment",
         [[BUILD / "worker/node_modules/workerd/bin/workerd", "serve", "{DIRECTORY}/config.capnp"]],
         [PEERS / "worker"], [BUILD / "worker/node_modules"], "worker"),
    binary("Go, an SVG in any colour", "a comment", "svg/avatar", status=200),
    TOMCAT,
    jvm("Tomcat NIO2", "Tomcat's benchmark", "tomcat", "Http11Nio2Protocol"),
    served("Apache in front of Tomcat NIO", "Tomcat's benchmark", APACHE,
           *jvm("", "", "tomcat", "Http11NioProtocol", port="{INNER}").commands, builds=TOMCAT.builds,
           ships=TOMCAT.ships),
    served("Apache in front of avatar.jar", "Tomcat's benchmark", APACHE, deployed("INNER"),
           ships=[JAR], picture=PICTURE),
    jvm("Jetty servlet", "Jetty's benchmark", "jetty"),
    jvm("Jetty async servlet", "Jetty's benchmark", "jetty", "--async"),
    jvm("HttpCore NIO", "HttpCore's benchmark", "httpcore"),
    jvm("Vert.x", "us", "vertx"),
    binary("Rust hyper", "us", "rust/release/hyper"),
    Peer("Node.js", "us", [["node", PEERS / "node/server.js", "{PORT}", "{COUNT}"]], [PEERS / "node"]),
    served("PHP behind nginx", "us", NGINX, PHP, path="/php/any.png", ships=SCRIPT, picture=PICTURE),
    served("nginx return 302", "us", NGINX, path="/redirect/any.png", typed=True, picture=PICTURE),
    served("nginx random_index", "us", NGINX, path="/picture/any.png", status=200),
]
NAMED = {peer.name: peer for peer in ALL}
GO = NAMED["Go net/http"]
RIVALS = [*(NAMED[name] for name in ("nginx return 302", "nginx random_index", "Go net/http", "PHP behind nginx",
                                     "Apache in front of avatar.jar")),
          served("PHP behind nginx's cache", "us", NGINX, PHP, path="/cached/any.png", ships=SCRIPT, draws=False,
                 picture=PICTURE)]
ARTICLE = [NAMED["article's program"], NAMED["avatar.jar"],
           avatar("avatar.jar, 16 MB", heap=16),
           jvm("article's program, 16 MB", "the article", "original", heap=16),
           NAMED["article's program, cached pool"],
           jvm("article's program, ZGC", "a comment", "original", flags=["-XX:+UseZGC"], heap=8)]


def build(*files):
    """Builds what its sources have outdated."""
    targets = [os.path.relpath(file, PEERS) for file in files] or ["Makefile"]
    done = subprocess.run(["make", "-s", "-C", PEERS, *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    assert not done.returncode, f"make: {done.stdout.strip()[:300]}"


def fill(text, words):
    return re.sub(r"@([A-Z0-9_]+)@", lambda word: words[word[1]], text)


def site_file(deploy, words):
    """nginx.conf as deploy/install fills it in, with this machine's ports and folders, and the pictures in its root."""
    directory = words["DIRECTORY"]
    text = fill((deploy / "nginx.conf").read_text(), {
        "DOMAIN": HOST, "PORT": words["INNER"], "SET": SET, "SITE": directory, "CERTIFICATE": str(BUILD),
        "HTTP2": " http2", "HTTP2_ON": "", **dict.fromkeys(("IPV6", "IPV6_80", "IPV6_443"), NO_IPV6)})
    for pattern, replacement in [("/var/lib/avatar", directory), ("/run/avatar", f"{directory}/draws"),
                                 ("/etc/avatar", f"{directory}/own"),
                                 (r"(listen .*)\b80\b", rf"\g<1>{words['PORT']}"),
                                 (r"(listen .*)\b443\b", rf"\g<1>{words['TLS']}")]:
        text = re.sub(pattern, replacement, text)
    shutil.copytree(BUILD / "pictures", Path(re.search(r"^ *root (.*);", text, re.M)[1]) / SET, dirs_exist_ok=True)
    return text


def prepare(peer, words):
    """Copies the peer's configuration into its directory; returns its commands, filled in."""
    directory = Path(words["DIRECTORY"])
    share = int(10_000 / COUNT) / 100  # split_clients takes two decimals; the last takes the rest
    words = {**words, "COUNT": str(COUNT), "BUILD": str(BUILD), "AGE": str(AGE), "URL": f"https://{HOST}/Renard-*.png",
             "SERVER": "rivals",
             "NUMBERS": "".join(f"{share}% {number};\n" for number in range(1, COUNT)) + f"* {COUNT};"}
    if peer.deploy:
        words.update(URL=f"https://{HOST}/{SET}/Renard-*.png", SERVER="site")
        (directory / "site.conf").write_text(site_file(peer.deploy, words))
    if peer.configs:  # copies, because the servers' workers may not be allowed to read this folder
        for config in (PEERS / peer.configs).iterdir():
            (directory / config.name).write_text(fill(config.read_text(), words))
        shutil.copytree(BUILD / "pictures", directory / "pictures", dirs_exist_ok=True)
    return [[str(word).format_map(words) for word in command] for command in peer.commands]


def shipped_bytes(peer):
    count = sum(file.stat().st_size for path in peer.ships
                for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())
    return f"{count:,}" if count < 10_000 else f"{count / 1e3:,.0f} k" if count < 1e6 else f"{count / 1e6:.1f} M"
