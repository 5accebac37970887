"""Keeps the last run of each part in results.json, and makes the tables and the chart from that alone."""

import json
import re
from statistics import median

import matplotlib

KEPT, CLOSED, FULL, CROWD, IDLE = "10 kept alive", "10 closed", "full load", "10000 kept alive", "idle"
RATES = [f"{rate}/s" for rate in (1, 10, 100, 200, 500)]
OURS = ("avatar.jar", "the deployed")
CHART = {  # part, load and title of a column of bars, and its programs
    ("site", RATES[1], "A page of 20 avatars, at 10/s over TLS: CPU, µs"): [
        "the deployed site", "Go net/http", "nginx return 302", "nginx random_index", "PHP behind nginx",
        "Apache in front of avatar.jar"],
    ("peers", KEPT, "A request without TLS: CPU, µs"): [
        "avatar.jar", "article's program", "Go net/http", "Tomcat NIO", "nginx return 302", "PHP behind nginx",
        "Apache in front of avatar.jar"]}
SAID = {"article's program": "8,807; 30 to 40 MB", "article's program, 16 MB": "nearly 10,000",
        "article's program, cached pool": "1.5 to 2 times", "article's program, ZGC": "half",
        "the deployed site": "450, a file by nginx over HTTPS"}


TABLES = {  # the name, the part, the first head; of each other column the head, the load and what it shows of that
    "site_table": ("site", "CPU of a page over TLS in µs, at", *((key, key, "cpu") for key in RATES),
                   (FULL, FULL, "cpu"), ("and pages/s", FULL, "rate")),
    "idle_table": ("site", "over TLS", ("idle: CPU, µs/s", IDLE, "cpu"), ("wake-ups/s", IDLE, "wakeups"),
                   ("MB", IDLE, "memory"), ("of which Java", IDLE, "java"), ("MB at 10/s", RATES[1], "memory"),
                   ("at 500/s", RATES[-1], "memory"), (f"at {FULL}", FULL, "memory"),
                   ("a wait at 100/s, ms", RATES[2], "wait")),
    "crowd_table": ("site", "10,000 clients, TLS", ("CPU, µs", CROWD, "cpu"), ("requests/s", CROWD, "rate"),
                    ("MB", CROWD, "memory")),
    "article_table": ("article", "requests/s", ("in the article", "said", ""), ("here", "ab", "rate"),
                      ("CPU, µs", "ab", "cpu"), ("MB", "ab", "memory")),
    "peers_table": ("peers", "program", ("from", "from", ""), ("bytes", "bytes", ""),
                    ("kept alive: CPU, µs", KEPT, "cpu"), ("requests/s", KEPT, "rate"),
                    ("closed: CPU, µs", CLOSED, "cpu"), ("requests/s", CLOSED, "rate"), ("MB", CLOSED, "memory")),
    "growth_table": ("growth", "direct clients, requests/s", *(
        (key, key, "rate") for key in ("100 kept alive", "1000 kept alive", CROWD)))}


def number(value):
    return f"{value:,.1f}" if 0 < value < 10 else f"{value:,.0f}"


def cell(key, field, load):
    """The median of the rounds, the lowest and the highest. Behind a rate stands which part is right, unless all is, and
    behind a cost the rate, unless it is the load's. ≥: the load generator's core was full, and the server's was not."""
    if not isinstance(load, dict):
        return load
    middle, low, high = (number(pick(load[field])) for pick in (median, min, max))
    limited = field == "rate" and median(load["limited"]) > 0.5
    right = median(load["right"]) if field == "rate" else 1
    behind = f", {right:.0%} right" * (right < 0.995)
    if field == "cpu" and key in RATES and (rate := median(load["rate"])) < 0.99 * int(key[:-2]):
        behind = f", {rate:.0f}/s"
    return ("≥ " * limited + middle + f" <sub>{low}–{high}</sub>" * (field not in ("memory", "java"))
            + behind)


def needed(key):
    """What tables and chart need of a load."""
    shown = {field for _, _, *columns in TABLES.values() for _, load, field in columns if load == key}
    return shown | {"cpu"} | ({"rate"} if key in RATES else {"limited", "right"} if "rate" in shown else set())


def table(programs, first, *columns):
    """Markdown. The rows are in the order of processor time at the first load, and ours are bold."""
    def place(name):
        return next((index, median(programs[name][key]["cpu"])) for index, (_, key, _) in enumerate(columns)
                    if isinstance(programs[name].get(key), dict))
    programs = {name: {"said": SAID.get(name, ""), **loads} for name, loads in programs.items()
                if any(isinstance(loads.get(key), dict) for _, key, _ in columns)}
    rows = [[f"**{name}**" if name.startswith(OURS) else name,
             *(cell(key, field, programs[name].get(key, "–")) for _, key, field in columns)]
            for name in sorted(programs, key=place)]
    heads = [first, *(head for head, _, _ in columns)]
    return [f"| {' | '.join(line)} |" for line in [heads, ["---"] + ["--:"] * len(columns), *rows]] + [""]


def chart(runs, file):
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "avatar", "font.family": "sans-serif"})
    from matplotlib import pyplot
    _, sides = pyplot.subplots(1, len(CHART), figsize=(9.5, 3.4), layout="constrained")
    for side, ((part, key, title), names) in zip(sides, CHART.items()):
        found = runs.get(part, {})
        loads = {name: found[name][key]["cpu"] for name in names if key in found.get(name, ())}
        loads = dict(sorted(loads.items(), key=lambda load: -median(load[1])))
        middles = [*map(median, loads.values())]
        reach = [[middle - min(cpu) for middle, cpu in zip(middles, loads.values())],
                 [max(cpu) - middle for middle, cpu in zip(middles, loads.values())]]
        bars = side.barh([*loads], middles, xerr=reach, ecolor="#555", height=0.65, color=[
            "#d9541e" if name.startswith(OURS) else "#9aa5b1" for name in loads])
        side.bar_label(bars, map(number, middles), padding=4)
        side.set_title(title, fontsize=11, loc="left")
        side.margins(x=0.2)
        side.set_xticks([])
        side.spines[["top", "right", "bottom"]].set_visible(False)
    pyplot.savefig(file, metadata={"Date": None, "Creator": None})


def keep(folder, part, now, found):
    """Puts a part into results.json, where each load is one line, makes the chart and the tables anew, and prints the
    part's. Parts that were measured of other files or on another machine go."""
    file, readme = folder / "results.json", folder / "README.md"
    runs = json.loads(file.read_text()) if file.exists() else {}
    runs = {**(runs if all(runs.get(key) == now[key] for key in ("files", "machine")) else {}), **now, part: found}
    text = json.dumps(runs, indent=1, ensure_ascii=False)
    file.write_text(re.sub(r"\{[^{}]*\}", lambda load: re.sub(r"\s+", " ", load[0]), text) + "\n")
    chart(runs, folder / "results.svg")
    made = {name: table(runs.get(of, {}), *columns) for name, (of, *columns) in TABLES.items()}
    print("\n".join(line for name, lines in made.items() for line in lines if TABLES[name][0] == part))
    made["machine"] = [f"Of {now['of']}, {now['machine']}.", ""]
    text = readme.read_text() if readme.exists() else ""
    for name, lines in made.items():  # up to the next empty line
        text = re.sub(f"(<!-- {name}, by bench/run -->\n)(.+\n)*", lambda mark: mark[1] + "\n".join(lines), text)
    if text:
        readme.write_text(text)
