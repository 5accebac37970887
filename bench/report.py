"""Keeps the last run of each part in results.json, and makes the tables and the chart from that alone."""

import json
import re
from statistics import median

import matplotlib

KEPT, CLOSED, FULL, CROWD = "10 kept alive", "10 closed", "full load", "10000 kept alive"
RATES = [f"{rate} visits/s" for rate in (1, 10, 100, 200, 500)]
ARTICLE, SITE = "article's program", "the deployed site"
OURS = ("avatar.jar", "the deployed")
CHART = {  # part, load and title of a column of bars, and its programs
    ("site", RATES[1], "CPU of a visit, µs, at ten a second, over TLS"): [
        SITE, "Go net/http", "nginx return 302", "nginx random_index", "PHP behind nginx", "Apache before avatar.jar"],
    ("peers", KEPT, "CPU of a request, µs, without TLS"): [
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
    """The samples of one load of one program."""

    def __init__(self, samples):
        self.all = samples

    def median(self, field="rate"):
        return median(self.all[field])

    def figure(self, field="rate"):
        """≥: the load generator's core was full, and the server's was not."""
        return "≥ " * (field == "rate" and median(self.all["limited"]) > 0.5) + number(self.median(field))

    def spread(self, field="rate"):
        """The median of all rounds, the lowest and the highest."""
        return f"{self.figure(field)} <sub>{number(min(self.all[field]))}–{number(max(self.all[field]))}</sub>"

    def right(self):
        share = self.median("right")
        return "" if share > 0.9995 else f", {share:.1%} right"

    def ahead(self, other):
        """Whether each round took less processor time; the generator's limit does not count then."""
        return max(self.all["cpu"]) < min(other.all["cpu"])


class Part:
    """The run of a part."""

    def __init__(self, run):
        self.programs = run["programs"]

    def load(self, name, key):
        program = self.programs.get(name, {"deviations": "", "loads": {}})
        closes = key == KEPT and "closes each connection" in program["deviations"]
        return Load(program["loads"][key]) if key in program["loads"] and not closes else None

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
    def visit(load, rate):
        late = load.median() < 0.95 * rate
        return load.spread("cpu") + f", {load.figure()} visits/s" * late + load.right()
    return table(["over TLS, µs of a core", *RATES, FULL, "and its visits/s"], [
        [name, *(site.cell(name, key, visit, int(key.split()[0])) for key in RATES),
         site.cell(name, FULL, Load.spread, "cpu"), site.cell(name, FULL) + site.cell(name, FULL, Load.right)]
        for name in site.sorted(RATES[1])])


def idle_table(site):
    head = ["nobody asks", "wake-ups/s", "CPU, µs/s", "MB", f"MB at {RATES[1]}", f"at {RATES[-1]}", f"at {FULL}"]
    return table(head, [
        [name, load.spread("wakeups"), load.spread("cpu"),
         *(site.cell(name, key, Load.figure, "memory") for key in ("idle", RATES[1], RATES[-1], FULL))]
        for name, load in site.sorted("idle").items()])


def waits_table(site):
    def waits(load):
        return f"{load.figure('median')} · {load.figure('p99')} · {number(max(load.all['slowest']))}{load.right()}"
    keys = (RATES[1], RATES[2], RATES[-1])
    return table(["ms", *keys, "bytes"], [
        [name, *(site.cell(name, key, waits) for key in keys), site.cell(name, keys[0], Load.figure, "bytes")]
        for name in site.sorted(RATES[1])])


def crowd_table(site):
    return table(["over TLS", "requests/s", "CPU, µs", "MB"], [
        [name, load.spread() + load.right(), load.spread("cpu"), load.figure("memory")]
        for name, load in site.sorted(CROWD).items()])


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


TABLES = {"site": (site_table, idle_table, waits_table, crowd_table), "article": (article_table,),
          "peers": (peers_table,), "growth": (growth_table,)}


def chart(parts, file):
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "avatar", "font.family": "sans-serif"})
    from matplotlib import pyplot
    figure, sides = pyplot.subplots(1, len(CHART), figsize=(9.5, 3.4), layout="constrained")
    for side, ((part, key, title), names) in zip(sides, CHART.items()):
        loads = {name: load for name in reversed(names) if part in parts and (load := parts[part].load(name, key))}
        middles = [load.median("cpu") for load in loads.values()]
        reach = [[load.median("cpu") - min(load.all["cpu"]) for load in loads.values()],
                 [max(load.all["cpu"]) - load.median("cpu") for load in loads.values()]]
        bars = side.barh([*loads], middles, xerr=reach, ecolor="#555", height=0.65, color=[
            "#d9541e" if name.startswith(OURS) else "#9aa5b1" for name in loads])
        side.bar_label(bars, [load.figure("cpu") for load in loads.values()], padding=4)
        side.set_title(title, fontsize=11, loc="left")
        side.margins(x=0.2)
        side.set_xticks([])
        side.spines[["top", "right", "bottom"]].set_visible(False)
    pyplot.savefig(file, metadata={"Date": None, "Creator": None})


def write(source, folder):
    """The chart into the folder, and into README.md there what it leaves to this program."""
    runs = json.loads((source / "results.json").read_text())
    parts = {part: Part(run) for part, run in runs.items()}
    chart(parts, folder / "results.svg")
    if (readme := folder / "README.md").exists():
        made = {make.__name__: make(parts[part]) for part in parts for make in TABLES[part]}
        made["machine"] = [f"{next(iter(runs.values()))['machine']}.", ""]
        text = readme.read_text()
        for name, lines in made.items():
            text = re.sub(f"(<!-- {name}, by bench/run -->\n).*?(<!-- to here -->)", lambda mark: "\n".join(
                [mark[1], *lines, mark[2]]), text, flags=re.S)
        readme.write_text(text)


def keep(folder, part, found):
    """Puts a run into results.json, where each load is one line, and prints its tables. Parts that were measured of
    other files or on another machine go."""
    file = folder / "results.json"
    runs = json.loads(file.read_text()) if file.exists() else {}
    alike = {name: run for name, run in runs.items() if all(run[key] == found[key] for key in ("files", "machine"))}
    text = json.dumps({**alike, part: found}, indent=1, ensure_ascii=False)
    file.write_text(re.sub(r"\{[^{}]*\}", lambda load: re.sub(r"\s+", " ", load[0]), text) + "\n")
    write(folder, folder)
    print("\n".join(line for make in TABLES[part] for line in make(Part(found))))
