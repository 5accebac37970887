"""Keeps the last two runs of each part in results.json, and makes the tables and the chart from that alone."""

import json
import re
from statistics import mean, median

import matplotlib

KEPT, CLOSED, VISITS = "10 kept alive", "10 closed", "visits"
ARTICLE, SITE, FORMER_SITE = "article's program", "the deployed site", "the site of 7a30f13"
OURS = ("avatar.jar", "the deployed")
CHART = {  # part, load and title of a column of bars, and its programs
    ("site", VISITS, "Visits a second, over TLS"): [
        SITE, FORMER_SITE, "Go net/http", "nginx return 302", "nginx random_index", "PHP behind nginx",
        "Apache before avatar.jar"],
    ("peers", KEPT, "Redirects a second, without TLS"): [
        "avatar.jar", ARTICLE, "Go net/http", "Tomcat NIO", "nginx return 302", "PHP behind nginx",
        "Apache before avatar.jar"]}


def number(value):
    return f"{value:,.1f}" if value < 10 else f"{value:,.0f}"


def size(count):
    return f"{count:,}" if count < 10_000 else f"{count / 1e3:,.0f} k" if count < 1e6 else f"{count / 1e6:.1f} M"


def table(head, rows):
    """Rows of Markdown; those of ours are bold."""
    rows = [[f"**{name}**" if name.startswith(OURS) else name, *cells] for name, *cells in rows]
    return [f"| {' | '.join(line)} |" for line in [head, ["---"] + ["--:"] * (len(head) - 1), *rows]] + [""]


class Load:
    """The samples of one load of one program, of all runs."""

    def __init__(self, runs):
        self.all = {field: [value for run in runs for value in run[field]] for field in runs[0]}

    def median(self, field="rate"):
        return median(self.all[field])

    def figure(self, field="rate"):
        """≥: the load generator's core was full, and the server's was not."""
        return "≥ " * (field == "rate" and mean(self.all["limited"]) > 0.5) + number(self.median(field))

    def spread(self, field="rate"):
        """The median of all rounds, the lowest and the highest."""
        return f"{self.figure(field)} <sub>{number(min(self.all[field]))}–{number(max(self.all[field]))}</sub>"

    def right(self):
        share = mean(self.all["right"])
        return "" if share > 0.9995 else f", {share:.1%} right"

    def ahead(self, other):
        """Whether each round took less processor time; the generator's limit does not count then."""
        return max(self.all["cpu"]) < min(other.all["cpu"])


class Part:
    """The runs of a part."""

    def __init__(self, runs):
        self.runs = [run["programs"] for run in runs]
        self.programs = self.runs[-1] if runs else {}

    def load(self, name, key):
        if key == KEPT and "closes each connection" in self.programs.get(name, {}).get("deviations", ""):
            return None
        runs = [run.get(name, {"loads": {}})["loads"].get(key) for run in self.runs]
        return Load(runs) if runs and all(runs) else None

    def cell(self, name, key, show=Load.spread, *arguments):
        load = self.load(name, key)
        return show(load, *arguments) if load else "–"

    def sorted(self, key):
        """The programs that have this load, least processor time first."""
        loads = {name: load for name in self.programs if (load := self.load(name, key))}
        return dict(sorted(loads.items(), key=lambda each: each[1].median("cpu")))

    def place(self, own, key):
        """The places that it may have: programs of which neither is ahead of the other are not told apart."""
        loads = self.sorted(key).values()
        first, last = 1 + sum(load.ahead(own) for load in loads), len(loads) - sum(own.ahead(load) for load in loads)
        return f"{first}" if first == last else f"{first}–{last}"


def site_table(site):
    return table(["over TLS, on one core", "visits/s", "CPU of one, µs", "kept alive/s", "CPU, µs", "MB", "bytes"], [
        [name, load.spread() + load.right(), load.spread("cpu"), site.cell(name, KEPT),
         site.cell(name, KEPT, Load.spread, "cpu"), load.figure("memory"), load.figure("bytes")]
        for name, load in site.sorted(VISITS).items()])


def waits_table(site):
    def waits(load):
        return (f"{load.figure('median')} · {load.figure('p99')} · {number(max(load.all['slowest']))} <sub>"
                f"{load.figure('connect')} · {number(max(load.all['slowest connect']))}</sub>{load.right()}")
    return table(["ms", "10 visits/s", "half of its visits/s", "nine tenths of them"], [
        [name, *(site.cell(name, key, waits) for key in ("10 visits a second", "half", "nine tenths"))]
        for name in site.sorted(VISITS)])


def crowd_table(site):
    def crowd(load):
        return f"{load.spread()}, {number(max(load.all['slowest']))} ms{load.right()}"
    keys = (KEPT, "1000 kept alive", "10000 kept alive")
    return table(["clients over TLS", *keys], [
        [name, *(site.cell(name, key, crowd) for key in keys)] for name in site.sorted(keys[-1])])


def article_table(article):
    def row(shown, said, name):
        load, own = article.load(name, "ab"), article.load(ARTICLE, "ab")
        return [shown, said, *([load.spread(), f"{load.median() / own.median():.2f}", load.spread("cpu"),
                                load.figure("memory")] if load and own else "––––")]
    return table(["requests/s", "in the article", "here", "of its program's", "CPU, µs", "MB"], [
        row("its program", "8,807; 30 to 40 MB", ARTICLE), row("avatar.jar", "", "avatar.jar"),
        row("its program with 16 MB of heap", "nearly 10,000", f"{ARTICLE}, 16 MB"),
        row("its program with a cached thread pool", "1.5 to 2 times", f"{ARTICLE}, cached pool"),
        row("its program with ZGC", "half", f"{ARTICLE}, ZGC"),
        row("a static file by nginx over HTTPS", "450", SITE)])


def peers_table(peers):
    def cells(name, key):
        load = peers.load(name, key)
        return [load.spread(), load.spread("cpu"), peers.place(load, key)] if load else "–––"
    head = ["program", "from", "kept alive/s", "CPU, µs", "place", "closed/s", "CPU, µs", "place", "MB", "bytes"]
    return table(head, [
        [name, peers.programs[name]["origin"], *cells(name, KEPT), *cells(name, CLOSED),
         peers.cell(name, CLOSED, Load.figure, "memory"), size(peers.programs[name]["bytes"])]
        for name in {**peers.sorted(KEPT), **peers.sorted(CLOSED)}])


def growth_table(growth):
    def rate(load):
        return load.spread() + load.right()
    keys = dict.fromkeys(key for entry in growth.programs.values() for key in entry["loads"])
    return table(["direct clients", *keys], [
        [name, *(growth.cell(name, key, rate) for key in keys)] for name in growth.programs])


TABLES = {"site": (site_table, waits_table, crowd_table), "article": (article_table,), "peers": (peers_table,),
          "growth": (growth_table,)}


def chart(parts, file):
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "avatar", "font.family": "sans-serif"})
    from matplotlib import pyplot
    figure, sides = pyplot.subplots(1, len(CHART), figsize=(9.5, 3.4), layout="constrained")
    for side, ((part, key, title), names) in zip(sides, CHART.items()):
        loads = {name: load for name in reversed(names) if (load := parts[part].load(name, key))}
        middles = [load.median() for load in loads.values()]
        reach = [[load.median() - min(load.all["rate"]) for load in loads.values()],
                 [max(load.all["rate"]) - load.median() for load in loads.values()]]
        bars = side.barh([*loads], middles, xerr=reach, ecolor="#555", height=0.65, color=[
            "#d9541e" if name.startswith(OURS) else "#9aa5b1" for name in loads])
        side.bar_label(bars, [load.figure() for load in loads.values()], padding=4)
        side.set_title(title, fontsize=11, loc="left")
        side.margins(x=0.2)
        side.set_xticks([])
        side.spines[["top", "right", "bottom"]].set_visible(False)
    pyplot.savefig(file, metadata={"Date": None, "Creator": None})


def write(source, folder):
    """The chart into the folder, and into README.md there the tables that it leaves to this program."""
    runs = json.loads((source / "results.json").read_text())
    parts = {part: Part(runs.get(part, [])) for part in TABLES}
    chart(parts, folder / "results.svg")
    if (readme := folder / "README.md").exists():
        text = readme.read_text()
        for part, make in [(part, make) for part, tables in TABLES.items() for make in tables]:
            text = re.sub(f"(<!-- {make.__name__}, by bench/run -->\n).*?(<!-- to here -->)", lambda mark: "\n".join(
                [mark[1], *make(parts[part]), mark[2]]), text, flags=re.S)
        readme.write_text(text)


def keep(folder, part, found):
    """Adds a run to results.json, where each load is one line, and prints its tables. Figures of different files or
    machines are never put together."""
    file = folder / "results.json"
    runs = json.loads(file.read_text()) if file.exists() else {}
    alike = [run for run in runs.get(part, []) if all(run[key] == found[key] for key in ("files", "machine"))]
    runs[part] = [*alike, found][-2:]
    text = json.dumps(runs, indent=1, ensure_ascii=False)
    file.write_text(re.sub(r"\{[^{}]*\}", lambda load: re.sub(r"\s+", " ", load[0]), text) + "\n")
    write(folder, folder)
    print("\n".join(line for make in TABLES[part] for line in make(Part(runs[part]))))
