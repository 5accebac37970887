"""Keeps the last run of each part in results.json, and makes the tables and the chart from that alone."""

import json
import re
from functools import partial
from statistics import median

import matplotlib

KEPT, CLOSED, FULL, CROWD = "10 kept alive", "10 closed", "full load", "10000 kept alive"
RATES = [f"{rate} visits/s" for rate in (1, 10, 100, 200, 500)]
ARTICLE, SITE = "article's program", "the deployed site"
OURS = ("avatar.jar", "the deployed")
CHART = {  # part, load and title of a column of bars, and its programs
    ("site", RATES[1], "A visit at ten a second, over TLS: CPU in µs"): [
        SITE, "Go net/http", "nginx return 302", "nginx random_index", "PHP behind nginx", "Apache before avatar.jar"],
    ("peers", KEPT, "A request, without TLS: CPU in µs"): [
        "avatar.jar", ARTICLE, "Go net/http", "Tomcat NIO", "nginx return 302", "PHP behind nginx",
        "Apache before avatar.jar"]}


def number(value):
    return f"{value:,.1f}" if value < 10 else f"{value:,.0f}"


def size(count):
    return f"{count:,}" if count < 10_000 else f"{count / 1e3:,.0f} k" if count < 1e6 else f"{count / 1e6:.1f} M"


def figure(field, load):
    """The median of the rounds. ≥: the load generator's core was full, and the server's was not."""
    return "≥ " * (field == "rate" and median(load["limited"]) > 0.5) + number(median(load[field]))


def spread(field, load):
    """The median, the lowest and the highest."""
    return f"{figure(field, load)} <sub>{number(min(load[field]))}–{number(max(load[field]))}</sub>"


def right(load):
    return "" if median(load["right"]) > 0.9995 else f", {median(load['right']):.1%} right"


def answers(load):
    return spread("rate", load) + right(load)


def visit(rate, load):
    """What a visit costs, and how many there were if not as many as should have been."""
    late = median(load["rate"]) < 0.95 * rate
    return spread("cpu", load) + f", {figure('rate', load)} visits/s" * late + right(load)


def waits(load):
    return f"{figure('median', load)} · {figure('p99', load)} · {number(max(load['slowest']))}"


CPU, MEMORY = partial(spread, "cpu"), partial(figure, "memory")


def loaded(programs, key):
    """The programs that have this load, least processor time first."""
    found = {name: each["loads"][key] for name, each in programs.items() if key in each["loads"] and not (
        key == KEPT and "closes each connection" in each["deviations"])}
    return dict(sorted(found.items(), key=lambda each: median(each[1]["cpu"])))


def table(programs, first, columns, names=None, **more):
    """Rows of Markdown, each of a program, in the order of the first load; columns say what they show of which load,
    and more columns have values of their own. Names are what programs are called here; ours are bold."""
    names = names or {name: name for _, key, _ in columns for name in loaded(programs, key)}
    heads = [first, *more, *(head for head, _, _ in columns)]
    rows = [[f"**{shown}**" if shown.startswith(OURS) else shown, *(values[name] for values in more.values()),
             *(show(load) if (load := loaded(programs, key).get(name)) else "–" for _, key, show in columns)]
            for name, shown in names.items()]
    return [f"| {' | '.join(line)} |" for line in [heads, ["---"] + ["--:"] * (len(heads) - 1), *rows]] + [""]


def site_table(programs):
    return table(programs, "over TLS, CPU of a visit in µs", [
        *((key, key, partial(visit, int(key.split()[0]))) for key in RATES),
        (FULL, FULL, CPU), ("and visits/s", FULL, answers)])


def idle_table(programs):
    return table(programs, "nobody asks", [
        ("CPU, µs/s", "idle", CPU), ("wake-ups/s", "idle", partial(spread, "wakeups")), ("MB", "idle", MEMORY),
        *((f"MB at {key}", key, MEMORY) for key in (RATES[1], RATES[-1], FULL))])


def waits_table(programs):
    return table(programs, "ms", [*((key, key, waits) for key in (RATES[1], RATES[2], RATES[-1])),
                                  ("bytes", RATES[1], partial(figure, "bytes"))])


def crowd_table(programs):
    return table(programs, "10,000 clients, TLS", [
        ("CPU, µs", CROWD, CPU), ("requests/s", CROWD, answers), ("MB", CROWD, MEMORY)])


def article_table(programs):
    said = {ARTICLE: ("its program", "8,807; 30 to 40 MB"), "avatar.jar": ("avatar.jar", ""),
            f"{ARTICLE}, 16 MB": ("its program with 16 MB of heap", "nearly 10,000"),
            f"{ARTICLE}, cached pool": ("its program with a cached thread pool", "1.5 to 2 times"),
            f"{ARTICLE}, ZGC": ("its program with ZGC", "half"), SITE: ("a static file by nginx over HTTPS", "450")}
    return table(programs, "requests/s", [("here", "ab", answers), ("CPU, µs", "ab", CPU), ("MB", "ab", MEMORY)],
                 {name: shown for name, (shown, _) in said.items()},
                 **{"in the article": {name: figures for name, (_, figures) in said.items()}})


def peers_table(programs):
    return table(programs, "program", [
        ("kept alive: CPU, µs", KEPT, CPU), ("requests/s", KEPT, answers), ("closed: CPU, µs", CLOSED, CPU),
        ("requests/s", CLOSED, answers), ("MB", CLOSED, MEMORY)],
        **{"from": {name: each["origin"] for name, each in programs.items()},
           "bytes": {name: size(each["bytes"]) for name, each in programs.items()}})


def growth_table(programs):
    keys = dict.fromkeys(key for each in programs.values() for key in each["loads"])
    return table(programs, "direct clients, requests/s", [(key, key, answers) for key in keys])


TABLES = {"site": (site_table, idle_table, waits_table, crowd_table), "article": (article_table,),
          "peers": (peers_table,), "growth": (growth_table,)}


def chart(runs, file):
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "avatar", "font.family": "sans-serif"})
    from matplotlib import pyplot
    figures, sides = pyplot.subplots(1, len(CHART), figsize=(9.5, 3.4), layout="constrained")
    for side, ((part, key, title), names) in zip(sides, CHART.items()):
        found = loaded(runs[part]["programs"], key) if part in runs else {}
        loads = {name: found[name] for name in reversed(names) if name in found}
        middles = [median(load["cpu"]) for load in loads.values()]
        reach = [[middle - min(load["cpu"]) for middle, load in zip(middles, loads.values())],
                 [max(load["cpu"]) - middle for middle, load in zip(middles, loads.values())]]
        bars = side.barh([*loads], middles, xerr=reach, ecolor="#555", height=0.65, color=[
            "#d9541e" if name.startswith(OURS) else "#9aa5b1" for name in loads])
        side.bar_label(bars, map(number, middles), padding=4)
        side.set_title(title, fontsize=11, loc="left")
        side.margins(x=0.2)
        side.set_xticks([])
        side.spines[["top", "right", "bottom"]].set_visible(False)
    pyplot.savefig(file, metadata={"Date": None, "Creator": None})


def write(source, folder):
    """The chart into the folder, and into README.md there what it leaves to this program."""
    runs = json.loads((source / "results.json").read_text())
    chart(runs, folder / "results.svg")
    if (readme := folder / "README.md").exists():
        made = {make.__name__: make(run["programs"]) for part, run in runs.items() for make in TABLES[part]}
        last = next(iter(runs.values()))
        made["machine"] = [f"Of {last['date']}, commit {last['commit']}, {last['machine']}.", ""]
        text = readme.read_text()
        for name, lines in made.items():  # up to the next empty line
            text = re.sub(f"(<!-- {name}, by bench/run -->\n)(.+\n)*", lambda mark: mark[1] + "\n".join(lines), text)
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
    print("\n".join(line for make in TABLES[part] for line in make(found["programs"])))
