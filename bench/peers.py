"""What is compared, and how each program is started. peers/Makefile builds them."""

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


def only(pattern, file):
    """What the pattern's group has where it stands in the file, once."""
    found = re.findall(pattern, file.read_text(), re.M)
    assert len(found) == 1, f"{file}: {pattern} stands there {len(found)} times, and this benchmark needs it once"
    return found[0]


AGE = int(only(r"^ *proxy_cache_valid 302 (\d+)s;", CONF))  # seconds for which nginx keeps a redirect


@dataclass(eq=False)
class Peer:
    name: str  # in the tables and in the chart
    commands: list  # each a list of words, in which {PORT} and the like are filled in; the last one is asked
    builds: list = ()  # files that peers/Makefile makes
    configs: str = ""  # the folder of PEERS whose files are copied into {DIRECTORY}, with @PORT@ and the like filled in
    status: int = 302  # 200: it answers with the picture itself
    path: str = "/any/path.png?and=query"
    picture: str = ""  # behind its redirect: the path, with %d for the number
    draws: bool = True  # anew for each request
    needs: str = ""  # a command that --quick may lack


def java(*program, heap=8):
    """The article's command, which is README's too."""
    return [JAVA, f"-Xmx{heap}m", "-Xss256k", *program, "{COUNT}"]


def avatar(name, *flags, heap=8):
    return Peer(name, [java("-jar", JAR, *flags, "0.0.0.0:{PORT}", heap=heap)])


def deployed(address):
    """The unit's command, which is configured there alone, at another address."""
    command = only(r"^ExecStart=\S+ ((?:.*\\\n)*.*)", UNIT).replace("\\\n", " ")
    command = re.sub(r"-jar \S+ \S+", f"-jar {JAR} {address}", command)
    return [JAVA, *command.replace("${", "{").split()]


def jvm(name, folder, *args, flags=(), heap=64):
    """Libraries get more memory than the article's program, because some lose requests in 8 MB."""
    jar, lib = BUILD / folder / "main.jar", BUILD / folder / "lib"
    return Peer(name, [[*java(*flags, "-cp", f"{jar}:{lib}/*", "Main", "{PORT}", heap=heap), *args]], [jar])


def binary(name, path, *args, **more):
    program = BUILD / path
    return Peer(name, [[program, "{PORT}", "{COUNT}", *args]], [program], **more)


def served(name, *before, **more):
    """nginx, and the program that runs behind it."""
    return Peer(name, [*before, NGINX], [BUILD / "pictures", BUILD / "privkey.pem"], "nginx", **more)


PICTURE = "/Renard-%d.png"
SITE = served("the site", deployed("127.0.0.1:{INNER}"), draws=False, picture=f"/{SET}/Renard-%d.png")
AVATAR, AVATAR_16 = avatar("avatar.jar"), avatar("avatar.jar, 16 MB", heap=16)
ARTICLE = jvm("article's program", "original", heap=8)
CACHED_POOL = jvm("article's program, cached pool", "original", "--pool", heap=8)
GO = binary("Go net/http", "go/avatar", "{TLS}", BUILD / "fullchain.pem", BUILD / "privkey.pem", BUILD / "pictures",
            picture=PICTURE)
HYPER = binary("Rust hyper", "rust/release/hyper")
REDIRECT = served("nginx alone, redirect", path="/redirect/any.png", picture=PICTURE)
# What a visit costs.
RIVALS = [SITE, REDIRECT, served("nginx alone, random_index", path="/picture/any.png", status=200), GO,
          served("PHP behind nginx", PHP, path="/php/any.png", picture=PICTURE),
          served("PHP behind nginx's cache", PHP, path="/cached/any.png", draws=False, picture=PICTURE)]
# What became of the article's figures.
CLAIMS = [ARTICLE, jvm("article's program, 16 MB", "original", heap=16), CACHED_POOL,
          jvm("article's program, ZGC", "original", flags=["-XX:+UseZGC"], heap=8), AVATAR, AVATAR_16, GO]
# Three processes of each are warmed up and measured, and of the others one.
OFTEN = [AVATAR, ARTICLE, GO, HYPER]
# The programs of the article, of its comments and of the benchmarks beside it, and a few more.
ALL = [
    *OFTEN, avatar("avatar.jar --pool", "--pool"),
    Peer("avatar.jar as deployed", [deployed("0.0.0.0:{PORT}")]), CACHED_POOL,
    binary("Go sequential TCP", "tcp-go/avatar"),
    binary("Rust sequential TCP", "rust/release/tcp"),
    binary("Ada Web Server", "ada/avatar", needs="gprbuild"),
    binary("C++ accept loop", "cpp/avatar"),
    Peer("Cloudflare Worker (workerd)",
         [[BUILD / "worker/node_modules/workerd/bin/workerd", "serve", "{DIRECTORY}/config.capnp"]],
         [BUILD / "worker/node_modules"], "worker"),
    binary("Go, an SVG in any colour", "svg/avatar", status=200),
    jvm("Tomcat NIO", "tomcat"),
    jvm("Jetty servlet", "jetty"),
    jvm("HttpCore NIO", "httpcore"),
    jvm("Vert.x", "vertx"),
    Peer("Node.js", [["node", PEERS / "node/server.js", "{PORT}", "{COUNT}"]]),
    REDIRECT,
]


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
    script = f". deploy/common; fill_nginx_conf {directory}/pictures {SET} {BUILD}"
    names = {"here": "deploy", "domain": HOST, "no_ipv6_80": without, "no_ipv6_443": without}
    done = subprocess.run(["sh", "-c", script, "bench"], cwd=ROOT, env={**os.environ, **names},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert not done.returncode, done.stderr
    text = done.stdout
    for pattern, replacement in [(r"(listen .*\b)80;", rf"\g<1>{words['PORT']};"),
                                 (r"(listen .*\b)443 ", rf"\g<1>{words['TLS']} "),
                                 ("127.0.0.1:302", f"127.0.0.1:{words['INNER']}"), ("/var/lib/avatar", directory),
                                 ("/run/avatar", f"{directory}/draws"), ("/etc/avatar", f"{directory}/own")]:
        text, count = re.subn(pattern, replacement, text)
        assert count, f"{CONF}: {pattern} does not stand there"
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
