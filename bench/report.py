"""Keeps the last two runs of each part in results.json, and makes the tables and the chart from that alone."""

import json
import re
from statistics import mean, median

KEPT, CLOSED, VISITS = "10 kept alive", "10 closed", "visits"
ARTICLE, SITE = "article's program", "the deployed site"
RATES = {"10 visits a second": "10 visits/s", "half": "half of its visits/s", "nine tenths": "nine tenths"}
ON_PAGE = ["avatar.jar", "avatar.jar as deployed", ARTICLE, f"{ARTICLE}, cached pool", "Go net/http", "Rust hyper",
           "Ada Web Server", "C++ accept loop", "Tomcat NIO", "Apache before avatar.jar", "Apache before Tomcat NIO",
           "Cloudflare Worker (workerd)", "Go, an SVG in any colour", "nginx sub_filter, the same SVG", "nginx return 302",
           "nginx random_index", "PHP behind nginx"]


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

    def all(self, field="rate"):
        return [value for run in self.runs for value in run[field]]

    def median(self, field="rate"):
        return median(self.all(field))

    def figure(self, field="rate"):
        """≥: the load generator's core was full, and the server's was not."""
        return "≥ " * (field == "rate" and mean(self.all("limited")) > 0.5) + number(self.median(field))

    def spread(self, field="rate"):
        """The median of all rounds, the lowest and the highest."""
        return f"{self.figure(field)} <sub>{number(min(self.all(field)))} – {number(max(self.all(field)))}</sub>"

    def each(self, field="rate"):
        """That, and the median of each run."""
        return f"{self.spread(field)} {' · '.join(number(median(run[field])) for run in self.runs)}"

    def ahead(self, other):
        """Whether it takes less processor time in each run; the generator's limit does not count then."""
        return all(median(mine["cpu"]) < median(its["cpu"]) for mine, its in zip(self.runs, other.runs))


class Part:
    """The runs of a part, and the programs that all of them have measured."""

    def __init__(self, runs):
        self.runs = [run["programs"] for run in runs]
        self.programs = {name: entry for name, entry in (self.runs[-1] if runs else {}).items()
                         if all(run.get(name, {}).get("loads") for run in self.runs)}

    def load(self, name, key=KEPT):
        runs = [run.get(name, {}).get("loads", {}).get(key) for run in self.runs]
        return Load(runs) if runs and all(runs) else None

    def cell(self, name, key, show=Load.spread, field="rate"):
        load = self.load(name, key)
        return show(load, field) if load else "–"

    def sorted(self, key):
        """Programs, least processor time first."""
        return sorted((name for name in self.programs if self.load(name, key)),
                      key=lambda name: self.load(name, key).median("cpu"))

    def place(self, name, key):
        """The places that it may have: programs of which neither is ahead of the other are not told apart."""
        own, loads = self.load(name, key), [self.load(other, key) for other in self.sorted(key)]
        if not own:
            return "–"
        first, last = 1 + sum(load.ahead(own) for load in loads), len(loads) - sum(own.ahead(load) for load in loads)
        return f"{first}" if first == last else f"{first}–{last}"


def site_table(site):
    return table(["over TLS, on one core", "visits/s", "CPU of one, µs", "kept alive/s", "CPU, µs", "MB", "bytes"], [
        [label(name), *(site.cell(name, key, Load.spread, field) for key, field in (
            (VISITS, "rate"), (VISITS, "cpu"), (KEPT, "rate"), (KEPT, "cpu"))),
         *(site.cell(name, VISITS, Load.figure, field) for field in ("memory", "bytes"))] for name in site.sorted(VISITS)])


def waits_table(site):
    def cell(load):
        parts = [number(load.median(field)) for field in ("median", "p99")] + [number(max(load.all("slowest")))]
        lost = 1 - mean(load.all("right"))
        return (" · ".join(parts) + f" <sub>{number(load.median('connect'))} · {number(max(load.all('slowest connect')))}</sub>"
                + f", {lost:.1%} lost" * (lost > 0.0005))
    return table(["ms", *RATES.values()], [
        [label(name), *(cell(load) if (load := site.load(name, key)) else "–" for key in RATES)]
        for name in site.sorted(VISITS)])


def crowd_table(site):
    names = [name for name in site.programs if site.load(name, "1000 kept alive")]
    return table(["clients over TLS", *map(label, names)], [
        [key, *(f"{load.spread()}, {mean(load.all('right')):.2%}, {max(load.all('slowest')) / 1e3:.1f} s"
                if (load := site.load(name, key)) else "–" for name in names)]
        for key in (KEPT, "1000 kept alive", "10000 kept alive")])


def article_table(article):
    def row(words, said, name, times=False):
        load, own = article.load(name, "ab"), article.load(ARTICLE, "ab")
        ratio = f"{load.median() / own.median():.2f} times" if load and own else ""
        return [words, said, article.cell(name, "ab"), ratio, article.cell(name, "ab", Load.spread, "cpu"),
                article.cell(name, "ab", Load.figure, "memory")]
    return table(["ab -n 100000 -c 10", "in the article", "requests/s", "of its program's", "CPU, µs", "MB"], [
        row("its program", "8,807; 30 to 40 MB", ARTICLE), row(label("avatar.jar"), "", "avatar.jar"),
        row("its program with 16 MB of heap", "nearly 10,000", f"{ARTICLE}, 16 MB"),
        row("its program with a cached thread pool", "1.5 to 2 times", f"{ARTICLE}, cached pool"),
        row("its program with ZGC", "half", f"{ARTICLE}, ZGC"),
        row("a static file by nginx over HTTPS", "450", SITE)])


def peers_table(peers, names=ON_PAGE, show=Load.spread):
    return table(["program", "from", "kept alive/s", "CPU, µs", "place", "closed/s", "CPU, µs", "place", "MB", "bytes"], [
        [label(name), peers.programs[name]["origin"],
         *(text for key in (KEPT, CLOSED) for text in (peers.cell(name, key, show), peers.cell(name, key, show, "cpu"),
                                                       peers.place(name, key))),
         peers.cell(name, KEPT, Load.figure, "memory"), size(peers.programs[name]["bytes"])]
        for name in peers.sorted(KEPT) if name in names])


def growth_table(growth):
    def cell(load):
        lost = 1 - mean(load.all("right"))
        return load.spread() + f", {lost:.0%} refused" * (lost > 0.005)
    keys = dict.fromkeys(key for entry in growth.programs.values() for key in entry["loads"])
    return table(["direct clients", *map(label, growth.programs)], [
        [key, *(cell(load) if (load := growth.load(name, key)) else "–" for name in growth.programs)] for key in keys])


TABLES = {"site": (site_table, waits_table, crowd_table), "article": (article_table,), "peers": (peers_table,),
          "growth": (growth_table,)}


def details(runs, parts):
    """All programs, and what README does not say."""
    lines = ["# All programs, and the versions", "", "[README.md](README.md) says how they are measured and what the "
             "columns mean. Behind the median of all rounds, lowest and highest, stands the median of each run.", ""]
    for part, found in runs.items():
        for run in found:
            steal = max([value for entry in run["programs"].values() for load in entry["loads"].values()
                         for value in load["steal"]], default=0)
            lines += [f"- {part}: {run['date']}, commit {run['commit']}, steal time at most {steal:.1%}. "
                      + ", ".join(f"{name} {digest[:12]}" for name, digest in run["files"].items()) + ".",
                      *(f"- Left out: {name} ({why})." for name, why in run["left out"].items())]
    programs = parts["peers"].programs
    return "\n".join([*lines, *{f"- {run['machine']}." for found in runs.values() for run in found}, "",
                      *peers_table(parts["peers"], programs, Load.each), "Deviations:", "",
                      *(f"- {name}: {entry['deviations']}." for name, entry in programs.items() if entry["deviations"]), ""])


def chart(parts, file):
    """Two columns of bars; a stranger knows what each bar is from its name."""
    import matplotlib  # only here, so that one can measure without it
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "avatar", "font.family": "sans-serif"})
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
    columns = [("site", VISITS, "Visits a second, of 20 avatars, over TLS", [
        SITE, "the site of 7a30f13", "Go net/http", "nginx return 302", "nginx random_index", "PHP behind nginx",
        "Apache before avatar.jar"]), ("peers", KEPT, "Redirects a second, kept alive, without TLS", [
            "avatar.jar", "avatar.jar as deployed", ARTICLE, "Go net/http", "nginx return 302", "PHP behind nginx",
            "Apache before avatar.jar"])]
    for side, (part, key, title, names) in zip(axes, columns):
        loads = {name: load for name in reversed(names) if (load := parts[part].load(name, key))}
        middles = [load.median() for load in loads.values()]
        reach = [[middle - min(load.all()) for middle, load in zip(middles, loads.values())],
                 [max(load.all()) - middle for middle, load in zip(middles, loads.values())]]
        bars = side.barh([*loads], middles, xerr=reach, ecolor="#555", color=[
            "#d9541e" if label(name) != name else "#9aa5b1" for name in loads])
        side.bar_label(bars, [load.figure() for load in loads.values()], padding=4)
        side.set_title(title, fontsize=11)
        side.margins(x=0.2)
        side.set_xticks([])
        side.spines[["top", "right", "bottom"]].set_visible(False)
    pyplot.savefig(file, metadata={"Date": None, "Creator": None})


def keep(folder, part, found):
    """Adds a run to results.json, where each load is one line."""
    file = folder / "results.json"
    runs = json.loads(file.read_text()) if file.exists() else {}
    same = [run for run in runs.get(part, []) if run["files"] == found["files"]]
    text = json.dumps({**runs, part: [*same, found][-2:]}, indent=1, ensure_ascii=False)
    file.write_text(re.sub(r"\{[^{}]*\}", lambda load: re.sub(r"\s+", " ", load[0]), text) + "\n")
    for one in TABLES[part]:
        print("\n".join(one(Part([*same, found][-2:]))))
    write(folder, folder)


def write(source, folder):
    """results.md and the chart into the folder, and the tables that README.md there leaves to this program."""
    runs = json.loads((source / "results.json").read_text())
    parts = {part: Part(runs.get(part, [])) for part in TABLES}
    (folder / "results.md").write_text(details(runs, parts))
    chart(parts, folder / "results.svg")
    readme = folder / "README.md"
    text = readme.read_text() if readme.exists() else ""
    for part, tables in TABLES.items():
        for one in tables:
            lines = "\n".join(one(parts[part])).rstrip()
            text = re.sub(f"(<!-- {one.__name__}, by bench/run -->\n).*?(\n<!-- to here -->)",
                          lambda marker: f"{marker[1]}\n{lines}\n{marker[2]}", text, flags=re.S)
    if text:
        readme.write_text(text)
