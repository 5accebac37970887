"""What is compared: where each program comes from, how it is started, and what it ships. peers/Makefile builds them."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT, PEERS, BUILD = BENCH.parent, BENCH / "peers", BENCH / "build"
DEPLOY = ROOT / "deploy"
JAR, CONF, UNIT = DEPLOY / "avatar.jar", DEPLOY / "nginx.conf", DEPLOY / "avatar.service"
HOST, SET = "avatar.spacefox.fr", "0123abcd"
COUNT = 21  # pictures, as in the article
JAVA = "/usr/lib/jvm/default-java/bin/java"  # Debian's default-jre, whatever else is on PATH
FPM = str(max(Path("/usr/sbin").glob("php-fpm*"), default="php-fpm"))  # Debian names it by its version
NGINX = ["nginx", "-e", "stderr", "-p", "{DIRECTORY}", "-c", "{DIRECTORY}/nginx.conf"]
PHP = [FPM, "-R", "-y", "{DIRECTORY}/php-fpm.conf"]
APACHE = ["apache2", "-D", "FOREGROUND", "-f", "{DIRECTORY}/apache.conf"]
valid, unit = re.search(r"proxy_cache_valid 302 (\d+)([sm]);", CONF.read_text()).groups()
AGE = int(valid) * {"s": 1, "m": 60}[unit]  # seconds for which a draw serves the site


@dataclass(eq=False)
class Peer:
    name: str  # in the tables and in the chart
    origin: str  # who brought it: the article, a comment, a project by its benchmark that comments quote, or us
    commands: list  # each a list of words, in which {PORT} and the like are filled in; the last one is asked
    ships: list  # files and folders beside the runtime
    builds: list = ()  # files that peers/Makefile makes
    configs: str = ""  # the folder of PEERS whose files are copied into {DIRECTORY}, with @PORT@ and the like filled in
    said: str = ""  # requests a second, by whoever brought it, on a machine of theirs
    status: int = 302  # 200: it answers with the picture itself
    typed: bool = False  # it cannot redirect without a Content-Type
    path: str = "/any/path.png?and=query"
    picture: str = ""  # behind its redirect: the path, with %d for the number
    draws: bool = True  # anew for each request
    needs: str = ""  # a command that --quick may lack


def java(*program, heap=8):
    """The article's command, which is README's too."""
    return [JAVA, f"-Xmx{heap}m", "-Xss256k", *program, "{COUNT}"]


def avatar(name, *flags):
    return Peer(name, "us", [java("-jar", JAR, *flags, "0.0.0.0:{PORT}")], [JAR])


def deployed(address):
    """The unit's command, which is configured there alone, at another address."""
    command = re.search(r"^ExecStart=\S+ ((.*\\\n)*.*)", UNIT.read_text(), re.M)[1].replace("\\\n", " ")
    command = re.sub(r"-jar \S+", f"-jar {JAR}", re.sub(r"\S*\$\{PORT\}", address, command))
    return [JAVA, *command.replace("${", "{").split()]


def jvm(name, origin, folder, *args, flags=(), heap=64, port="{PORT}", **more):
    """Libraries get more memory than the article's program, because some lose requests in 8 MB."""
    jar, lib = BUILD / folder / "main.jar", BUILD / folder / "lib"
    command = java(*flags, "-cp", f"{jar}:{lib}/*", "Main", port, heap=heap)
    return Peer(name, origin, [[*command, *args]], [jar, lib], [jar], **more)


def binary(name, origin, path, *args, **more):
    program = BUILD / path
    return Peer(name, origin, [[program, "{PORT}", "{COUNT}", *args]], [program], [program], **more)


def served(name, origin, server, *before, ships=(), builds=(), **more):
    """A web server, and the program that runs behind it."""
    return Peer(name, origin, [*before, server], ships, [BUILD / "pictures", BUILD / "privkey.pem", *builds],
                "apache" if server is APACHE else "nginx", **more)


PICTURE = "/Renard-%d.png"
SCRIPT = [PEERS / "nginx/index.php"]
SITE = served("the site", "us", NGINX, deployed("127.0.0.1:{INNER}"), ships=[JAR], draws=False,
              picture=f"/{SET}/Renard-%d.png")
AVATAR = avatar("avatar.jar")
POOL = avatar("avatar.jar --pool", "--pool")
ARTICLE = jvm("article's program", "the article", "original", heap=8, said="8,807")
CACHED_POOL = jvm("article's program, cached pool", "a comment", "original", "--pool", heap=8, said="1.5 to 2 times")
GO = binary("Go net/http", "a comment", "go/avatar", "{TLS}", BUILD / "fullchain.pem", BUILD / "privkey.pem",
            BUILD / "pictures", picture=PICTURE, said="17,781")
REDIRECT = served("nginx alone, redirect", "us", NGINX, path="/redirect/any.png", picture=PICTURE)
# What a visit costs.
RIVALS = [SITE, REDIRECT, served("nginx alone, random_index", "us", NGINX, path="/picture/any.png", status=200), GO,
          served("PHP behind nginx", "us", NGINX, PHP, path="/php/any.png", ships=SCRIPT, picture=PICTURE),
          served("PHP behind nginx's cache", "us", NGINX, PHP, path="/cached/any.png", ships=SCRIPT, draws=False,
                 picture=PICTURE)]
# What became of the article's figures.
CLAIMS = [ARTICLE, jvm("article's program, 16 MB", "the article", "original", heap=16), CACHED_POOL,
          jvm("article's program, ZGC", "a comment", "original", flags=["-XX:+UseZGC"], heap=8), AVATAR]
TOMCAT = jvm("Tomcat NIO", "Tomcat", "tomcat", "Http11NioProtocol", said="20,378")
# The programs of the article and of its comments, and a few more.
ALL = [
    AVATAR, POOL,
    Peer("avatar.jar as deployed", "us", [deployed("0.0.0.0:{PORT}")], [JAR]),
    ARTICLE, CACHED_POOL, GO,
    binary("Go sequential TCP", "a comment", "tcp-go/avatar", said="28,000"),
    binary("Rust sequential TCP", "a comment", "rust/release/tcp", said="18,454"),
    binary("Ada Web Server", "a comment", "ada/avatar", needs="gprbuild", typed=True, said="20,606"),
    binary("C++ accept loop", "a comment", "cpp/avatar", said="143,000"),
    Peer("Cloudflare Worker (workerd)", "a comment",
         [[BUILD / "worker/node_modules/workerd/bin/workerd", "serve", "{DIRECTORY}/config.capnp"]],
         [PEERS / "worker"], [BUILD / "worker/node_modules"], "worker"),
    binary("Go, an SVG in any colour", "a comment", "svg/avatar", status=200),
    TOMCAT,
    jvm("Tomcat NIO2", "Tomcat", "tomcat", "Http11Nio2Protocol", said="2,659"),
    served("Apache in front of Tomcat NIO", "Tomcat", APACHE,
           *jvm("", "", "tomcat", "Http11NioProtocol", port="{INNER}").commands, builds=TOMCAT.builds,
           ships=TOMCAT.ships),
    served("Apache in front of avatar.jar", "us", APACHE, deployed("--pool 127.0.0.1:{INNER}"), ships=[JAR],
           picture=PICTURE),
    jvm("Jetty servlet", "Jetty", "jetty", said="12,066"),
    jvm("Jetty async servlet", "Jetty", "jetty", "--async", said="14,543"),
    jvm("HttpCore NIO", "HttpCore", "httpcore", said="18,291"),
    jvm("Vert.x", "us", "vertx"),
    binary("Rust hyper", "us", "rust/release/hyper"),
    Peer("Node.js", "us", [["node", PEERS / "node/server.js", "{PORT}", "{COUNT}"]], [PEERS / "node"]),
    REDIRECT,
]
NAMED = {peer.name: peer for peer in [*ALL, *CLAIMS, *RIVALS]}


def build(*files):
    """Builds what its sources have outdated."""
    targets = [os.path.relpath(file, PEERS) for file in files] or ["Makefile"]
    done = subprocess.run(["make", "-s", "-C", PEERS, *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    assert not done.returncode, f"make: {done.stdout.strip()[:300]}"


def fill(text, words):
    """Replaces the words between @."""
    return re.sub("@([A-Z0-9_]+)@", lambda word: words[word[1]], text)


def site_file(words):
    """nginx.conf as deploy/install fills it in, with this run's ports and folders in place of a server's."""
    directory, without = words["DIRECTORY"], "" if Path("/proc/net/if_inet6").exists() else "# "
    text = fill(CONF.read_text(), {"DOMAIN": HOST, "PORT": words["INNER"], "SET": SET, "SITE": directory,
                                   "CERTIFICATE": str(BUILD), "IPV6_80": without, "IPV6_443": without})
    # As a word of listen, http2 is known to every nginx.
    for pattern, replacement in [(r"(listen .*\b)80;", rf"\g<1>{words['PORT']};"),
                                 (r"(listen .*\b)443 ssl;", rf"\g<1>{words['TLS']} ssl http2;"), ("http2 on;", ""),
                                 ("/var/lib/avatar", directory), ("/run/avatar", f"{directory}/draws"),
                                 ("/etc/avatar", f"{directory}/own")]:
        text = re.sub(pattern, replacement, text)
    return text


def prepare(peer, words):
    """Copies the peer's configuration into its directory; returns its commands, filled in."""
    directory = Path(words["DIRECTORY"])
    share = int(10_000 / COUNT) / 100  # split_clients takes two decimals; the last takes the rest
    words = {**words, "COUNT": str(COUNT), "BUILD": str(BUILD), "AGE": str(AGE), "URL": f"https://{HOST}/Renard-*.png",
             "SERVER": "rivals", "CACHE": "" if peer.path.startswith("/cached/") else "# ",
             "NUMBERS": "".join(f"{share}% {number};\n" for number in range(1, COUNT)) + f"* {COUNT};"}
    if peer is SITE:
        words.update(URL=f"https://{HOST}/{SET}/Renard-*.png", SERVER="site")
        (directory / "site.conf").write_text(site_file(words))
    if peer.configs:  # copies, because the servers' workers may not be allowed to read this folder
        for config in (PEERS / peer.configs).iterdir():
            (directory / config.name).write_text(fill(config.read_text(), words))
        pictures = directory / "pictures"
        shutil.copytree(BUILD / "pictures", pictures / SET if peer is SITE else pictures, dirs_exist_ok=True)
    return [[str(word).format_map(words) for word in command] for command in peer.commands]


def shipped_bytes(peer):
    return sum(file.stat().st_size for path in peer.ships
               for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())
