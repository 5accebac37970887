"""Keeps the last two runs of each part in results.json, and writes the tables and the chart from that alone."""

import json
import re
from statistics import mean, median
from xml.sax.saxutils import escape

KEPT, CLOSED = "10 kept alive", "10 closed"
ARTICLE, SITE = "article's program", "the deployed site"
CHART = ["avatar.jar", ARTICLE, "Go net/http", "nginx return 302", "PHP behind nginx"]
ON_PAGE = [*CHART, "avatar.jar as deployed", f"{ARTICLE}, cached pool", "Rust hyper", "Ada Web Server",
           "C++ accept loop", "Tomcat NIO", "nginx random_index"]


def number(value):
    return f"{value:,.1f}" if value < 10 else f"{value:,.0f}"


def size(count):
    return f"{count:,}" if count < 10_000 else f"{count / 1e3:,.0f} k" if count < 1e6 else f"{count / 1e6:.1f} M"


def label(name):
    return f"**{name}**" if name.startswith("avatar.jar") or name == SITE else name


def table(head, rows):
    return [f"| {' | '.join(line)} |" for line in [head, ["---"] + ["--:"] * (len(head) - 1), *rows]] + [""]


class Load:
    """The samples of one load of one program, of each run."""

    def __init__(self, runs):
        self.runs = runs

    def all(self, field):
        return [value for run in self.runs for value in run[field]]

    def best(self, field="rate"):
        return (max if field == "rate" else min)(self.all(field))

    def figure(self, field="rate"):
        """The best of all rounds. ≥: the load generator's core was full, and the server's was not."""
        limited = field == "rate" and "limited" in self.runs[0] and mean(self.all("limited")) > 0.5
        return "≥ " * limited + number(self.best(field))

    def both(self, field="rate"):
        """The best of all rounds, and the median."""
        return f"{self.figure(field)} <sub>({number(median(self.all(field)))})</sub>"

    def each(self, field="rate"):
        """The median of each run."""
        return f"{self.both(field)} {' · '.join(number(median(run[field])) for run in self.runs)}"

    def ahead(self, other):
        """Whether best and median take less processor time in each run: the generator's limit does not count then."""
        return all(least(mine["cpu"]) < least(its["cpu"]) for mine, its in zip(self.runs, other.runs)
                   for least in (min, median))


class Part:
    """The runs of a part, and the programs that all of them have measured."""

    def __init__(self, runs):
        self.runs = [run["programs"] for run in runs]
        self.programs = {name: entry for name, entry in (self.runs[-1] if runs else {}).items()
                         if all(run.get(name, {}).get("loads") for run in self.runs)}

    def load(self, name, key=KEPT):
        runs = [run.get(name, {}).get("loads", {}).get(key) for run in self.runs]
        return Load(runs) if runs and all(runs) else None

    def memory(self, name):
        return number(max(run[name]["memory"] for run in self.runs))

    def pairs(self):
        """Programs with their loads kept alive and closed, least processor time first."""
        found = [(name, self.load(name), self.load(name, CLOSED)) for name in self.programs]
        return sorted([each for each in found if all(each)], key=lambda each: each[1].best("cpu"))

    def place(self, name, key):
        """The places that it may have: programs of which neither is ahead of the other are not told apart."""
        own, loads = self.load(name, key), [self.load(other, key) for other, *_ in self.pairs()]
        first, last = 1 + sum(load.ahead(own) for load in loads), len(loads) - sum(own.ahead(load) for load in loads)
        return f"{first}" if first == last else f"{first}–{last}"


def peers_table(results, names=ON_PAGE, cell=Load.both):
    peers = results["peers"]
    head = ["program", "from", "kept alive/s", "CPU, µs", "place", "closed/s", "CPU, µs", "place", "MB", "bytes"]
    return table(head, [
        [label(name), entry["origin"], cell(load), cell(load, "cpu"), peers.place(name, KEPT), cell(closed),
         cell(closed, "cpu"), peers.place(name, CLOSED), peers.memory(name), size(entry["bytes"])]
        for name, load, closed in peers.pairs() if name in names for entry in [peers.programs[name]]])


def site_table(results):
    site = results["site"]
    head = ["ten clients over TLS", "kept alive/s", "CPU, µs", "closed/s", "CPU, µs", "MB", "bytes of a visit"]
    lines = table(head, [
        [label(name), load.both(), load.both("cpu"), closed.both(), closed.both("cpu"), site.memory(name),
         number(median(load.all("bytes")))] for name, load, closed in site.pairs()])
    return lines + table([f"{SITE}, clients", "redirects/s", "right", "slowest percent, ms"], [
        [key, load.both(), f"{mean(load.all('right')):.2%}", load.figure("p99")]
        for key in site.programs.get(SITE, {"loads": []})["loads"] if (load := site.load(SITE, key))])


def article_table(results):
    article, ways = results["article"], ("one core", "both cores")
    if ARTICLE not in article.programs:
        return []

    def rates(name, prefix=""):
        loads = [article.load(name, f"10 {prefix}{way}") for way in ways]
        return [f"{load.both()}" if load else "–" for load in loads]

    def times(name):
        pairs = [(article.load(name, f"10 {way}"), article.load(ARTICLE, f"10 {way}")) for way in ways]
        return [f"{load.best() / own.best():.2f} times" if load and own else "–" for load, own in pairs]
    return table(["requests/s", "in the article", "here, on one core", "here, on both"], [
        ["its program", "8,807", *rates(ARTICLE)],
        ["with 16 MB of heap", "nearly 10,000", *rates(f"{ARTICLE}, 16 MB")],
        ["with a cached thread pool (a comment)", "1.5 to 2 times", *times(f"{ARTICLE}, cached pool")],
        ["with ZGC", "half", *times(f"{ARTICLE}, ZGC")],
        ["a static file by nginx over HTTPS", "450", *rates(SITE, "a picture, ")],
        [label("avatar.jar"), "", *rates("avatar.jar")],
        ["memory of its program", "30 to 40 MB", f"{article.memory(ARTICLE)} MB", ""],
        ["its jar", "2.02 KB", f"{article.programs[ARTICLE]['bytes']:,} bytes", ""]])


def growth_table(results):
    growth = results["growth"]

    def cell(load):
        lost = 1 - mean(load.all("right")) if load else 0
        return load.figure() + f", {lost:.1%} refused" * (lost > 0.0005) if load else "–"
    keys = dict.fromkeys(key for entry in growth.programs.values() for key in entry["loads"])
    return table(["direct clients", *map(label, growth.programs)], [
        [key, *(cell(growth.load(name, key)) for name in growth.programs)] for key in keys])


def details(runs, results):
    """All programs, and what README does not say."""
    lines = ["# All programs, and the versions", "", "[README.md](README.md) says how they are measured and what the "
             "columns mean. Behind best and median of all rounds, the median of each run.", ""]
    for part, found in runs.items():
        for run in found:
            lines += [f"- {part}: {run['date']}, {run['rounds']} rounds. {run['machine']}.",
                      *(f"- Left out: {name} ({why})." for name, why in run["left out"].items())]
    peers = results["peers"].programs
    return "\n".join([*lines, "", *peers_table(results, peers, Load.each), "Deviations:", "", *(
        f"- {name}: {entry['deviations']}." for name, entry in peers.items() if entry["deviations"]), ""])


def chart(results):
    """Two columns of bars; a stranger knows what each bar is from its name."""
    rows = [(f"{SITE} (TLS)", SITE, "site"), *((name, name, "peers") for name in CHART)]
    left, top, step, bar, height = 200, 84, 32, 170, 306
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {height}" font-family="sans-serif" '
             f'font-size="14" fill="#222">', f'<rect width="760" height="{height}" fill="#fff"/>',
             '<text x="16" y="30" font-size="18" font-weight="bold">Redirects a second from one processor core</text>']
    for x, key, title in [(left, KEPT, "connections kept alive"), (left + 280, CLOSED, "a new connection for each")]:
        loads = [results[part].load(name, key) for _, name, part in rows]
        most = max((load.best() for load in loads if load), default=1)
        lines.append(f'<text x="{x}" y="{top - 18}" font-weight="bold">{title}</text>')
        for y, (shown, name, _), load in zip(range(top, height, step), rows, loads):
            weight, length = ' font-weight="bold"' * (label(name) != name), load.best() / most * bar if load else 0
            if key == KEPT:
                lines.append(f'<text x="190" y="{y + 15}" text-anchor="end" font-size="13"{weight}>{escape(shown)}'
                             '</text>')
            colour = "#d9541e" if weight else "#9aa5b1"
            lines += [f'<rect x="{x}" y="{y}" width="{length:.1f}" height="21" fill="{colour}"/>',
                      f'<text x="{x + length + 6:.1f}" y="{y + 15}"{weight}>{load.figure() if load else "–"}</text>']
    return "\n".join([*lines, f'<text x="16" y="{height - 12}" font-size="12" fill="#666">Ten clients, best of all '
                      'rounds. Only the first line is over TLS. ≥: the generator could do no more.</text>\n</svg>\n'])


def keep(folder, part, found):
    """Adds a run to results.json, where each load is one line."""
    file = folder / "results.json"
    runs = json.loads(file.read_text()) if file.exists() else {}
    text = json.dumps({**runs, part: [*runs.get(part, []), found][-2:]}, indent=1, ensure_ascii=False)
    file.write_text(re.sub(r"\{[^{}]*\}", lambda load: re.sub(r"\s+", " ", load[0]), text) + "\n")
    write(folder)


def write(folder):
    """results.md and the chart into the folder, and the tables that README.md there leaves to this program."""
    runs = json.loads((folder / "results.json").read_text())
    results = {part: Part(runs.get(part, [])) for part in ("site", "peers", "article", "growth")}
    (folder / "results.md").write_text(details(runs, results))
    (folder / "results.svg").write_text(chart(results))
    readme = folder / "README.md"
    text = readme.read_text() if readme.exists() else ""
    for one in (site_table, peers_table, article_table, growth_table):
        lines = "\n".join(one(results)).rstrip()
        text = re.sub(f"(<!-- {one.__name__}, by bench/run -->\n).*?(\n<!-- to here -->)",
                      lambda marker: f"{marker[1]}\n{lines}\n{marker[2]}", text, flags=re.S)
    if text:
        readme.write_text(text)
