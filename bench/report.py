"""Keeps the last two runs of each part in results.json, and writes the tables and the chart from that alone."""

import json
import re
from statistics import mean, median
from xml.sax.saxutils import escape

KEPT, CLOSED = "10 kept alive", "10 closed"
OURS, SITE = ("avatar.jar", "avatar.jar as deployed"), "the deployed site"
ON_PAGE = [*OURS, "article's program", "article's program, cached pool", "empty handler", "Go net/http", "Rust hyper",
           "Ada Web Server", "C++ accept loop", "Tomcat NIO", "nginx return 302", "nginx random_index",
           "PHP behind nginx"]
FOX, GREY = "#d9541e", "#9aa5b1"  # avatar.jar, and everybody else


def number(value):
    return f"{value:,.1f}" if value < 10 else f"{value:,.0f}"


def size(count):
    return f"{count:,}" if count < 10_000 else f"{count / 1e3:,.0f} k" if count < 1e6 else f"{count / 1e6:.1f} M"


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

    def limited(self):
        """Whether the load generator's core was full and the server's was not: then the server can do more."""
        return mean(self.all("limited")) > 0.5 if "limited" in self.runs[0] else False

    def figure(self, field="rate"):
        return "≥ " * (field == "rate" and self.limited()) + number(self.best(field))

    def both(self, field="rate"):
        """The best of all rounds, and the median."""
        return f"{self.figure(field)} <sub>({number(median(self.all(field)))})</sub>"

    def each(self, field="rate"):
        """The best of each run."""
        return " · ".join(number((max if field == "rate" else min)(run[field])) for run in self.runs)

    def ahead(self, other):
        """Whether best and median take less processor time in each run: the generator's limit does not count then."""
        return all(least(mine["cpu"]) < least(its["cpu"]) for mine, its in zip(self.runs, other.runs)
                   for least in (min, median))


class Results:
    def __init__(self, results):
        self.machine, self.parts = results["machine"], {part: results.get(part, []) for part in (
            "peers", "growth", "site", "article")}

    def programs(self, part):
        """What is known of each program that every run has measured, from the latest."""
        runs = [run["programs"] for run in self.parts[part]]
        return {name: entry for name, entry in (runs[-1] if runs else {}).items()
                if entry["loads"] and all(run.get(name, {}).get("loads") for run in runs)}

    def load(self, part, name, key=KEPT):
        runs = [run["programs"].get(name, {}).get("loads", {}).get(key) for run in self.parts[part]]
        return Load(runs) if runs and all(runs) else None

    def memory(self, part, name):
        return max(run["programs"][name]["memory"] for run in self.parts[part]) / 2**20

    def ordered(self):
        """The peers, least processor time per request first."""
        found = [(name, entry, load) for name, entry in self.programs("peers").items()
                 if (load := self.load("peers", name)) and self.load("peers", name, CLOSED)]
        return sorted(found, key=lambda each: each[2].best("cpu"))

    def place(self, load):
        """The places that it may have: programs of which neither is ahead of the other are not told apart."""
        others = [other for _, _, other in self.ordered()]
        first = 1 + sum(other.ahead(load) for other in others)
        last = len(others) - sum(load.ahead(other) for other in others)
        return f"{first}" if first == last else f"{first}–{last}"


def label(name):
    return f"**{name}**" if name.startswith("avatar.jar") or name == SITE else name


def peers_table(results):
    rows = [[f"{label(name)} ({results.place(load)})", entry["origin"], load.both(), load.both("cpu"), closed.both(),
             closed.both("cpu"), number(results.memory("peers", name)), size(entry["bytes"])]
            for name, entry, load in results.ordered() if name in ON_PAGE
            for closed in [results.load("peers", name, CLOSED)]]
    lines = table(["program (place)", "from", "kept alive/s", "CPU, µs", "closed/s", "CPU, µs", "MB", "bytes"], rows)
    for ours in OURS:
        for key in (KEPT, CLOSED):
            if own := results.load("peers", ours, key):
                tied = [label(name) for name, *_ in results.ordered() if name != ours
                        for load in [results.load("peers", name, key)] if not load.ahead(own) and not own.ahead(load)]
                lines.append(f"- Not told apart from {label(ours)}, {key.removeprefix('10 ')}: "
                             f"{'; '.join(tied) or 'nobody'}.")
    return lines


def growth_table(results):
    programs = list(results.programs("growth"))
    keys = list(results.programs("growth")[programs[0]]["loads"]) if programs else []

    def cell(load):
        lost = 1 - mean(load.all("right")) if load else 0
        return load.figure() + f", {lost:.1%} refused" * (lost > 0.0005) if load else "–"
    return table(["direct clients", *map(label, programs)], [
        [key, *(cell(results.load("growth", name, key)) for name in programs)] for key in keys])


def site_table(results):
    lines = table(["over TLS, ten clients", "kept alive/s", "CPU, µs", "closed/s", "CPU, µs", "MB", "bytes of a visit"], [
        [label(name), load.both(), load.both("cpu"), closed.both(), closed.both("cpu"),
         number(results.memory("site", name)), number(median(load.all("bytes")))]
        for name in results.programs("site")
        for load, closed in [(results.load("site", name), results.load("site", name, CLOSED))] if load and closed])
    rows = [[key, load.both(), f"{mean(load.all('right')):.2%}", load.figure("p99")]
            for key in results.programs("site").get(SITE, {"loads": []})["loads"]
            for load in [results.load("site", SITE, key)]]
    return lines + table([f"{SITE}, clients", "redirects/s", "right", "slowest percent, ms"], rows)


def article_table(results):
    ways = ("10 one core", "10 both cores")

    def rate(name, prefix=""):
        loads = [results.load("article", name, way.replace("10 ", f"10 {prefix}")) for way in ways]
        return [load.both() + "/s" if load else "–" for load in loads]

    def times(name):
        pairs = [(results.load("article", name, way), results.load("article", "article's program", way))
                 for way in ways]
        return [f"{load.best() / own.best():.2f} times" if load and own else "–" for load, own in pairs]
    if "article's program" not in results.programs("article"):
        return []
    own = results.programs("article")["article's program"]
    return table(["the article's words", "there", "here, on one core", "here, on both"], [
        ["its program, `ab -n 100000 -c 10`", "8,807/s", *rate("article's program")],
        ["with 16 MB of heap", "nearly 10,000/s", *rate("article's program, 16 MB")],
        ["with a cached thread pool (a comment)", "1.5 to 2 times", *times("article's program, cached pool")],
        ["with ZGC", "half", *times("article's program, ZGC")],
        ["its memory", "30 to 40 MB", f"{results.memory('article', chr(97) + 'rticle' + chr(39) + 's program'):.0f} MB", ""],
        ["its jar", "2.02 KB", f"{own['bytes']:,} bytes", ""],
        ["a static file by nginx over HTTPS", "450/s", *rate(SITE, "a picture, ")],
        ["**avatar.jar** instead", "–", *rate("avatar.jar")]])


def details(results):
    """What README does not say."""
    machine = results.machine
    lines = ["# All programs, each run, and the versions", "",
             f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}. {'; '.join(machine['versions'])}.", "",
             "[README.md](README.md) says how they are measured and what the columns mean. The best of each run, which "
             "are separated by a dot; the median is of all rounds. Right: requests with a right answer.", ""]
    for part, runs in results.parts.items():
        for run in runs:
            lines.append(f"- {part}: {run['date']}, {run['rounds']} rounds.")
            lines += [f"- Missing: {name} ({why})." for name, why in run["missing"].items()]
            lines += [f"- Not measured, because wrong: {name} ({why})." for name, why in run["wrong"].items()]
    rows = []
    for name, entry, load in results.ordered():
        both = [load, results.load("peers", name, CLOSED)]
        rows.append([f"{label(name)} ({results.place(load)})", entry["origin"],
                     *[text for each in both for text in (each.each(), number(median(each.all("rate"))),
                                                          each.each("cpu"))],
                     f"{min(mean(each.all('right')) for each in both):.2%}", number(results.memory("peers", name)),
                     size(entry["bytes"]), entry["deviations"] or "–"])
    return "\n".join([*lines, "", *table(
        ["program (place)", "from", "kept alive/s", "median", "CPU, µs", "closed/s", "median", "CPU, µs", "right", "MB",
         "bytes", "deviations"], rows)])


def chart(results):
    """Two columns of bars; a stranger knows what each bar is from its name."""
    rows = [(SITE, f"{SITE} (TLS)", "site"), *[(name, name, "peers") for name in (
        "avatar.jar", "article's program", "Go net/http", "nginx return 302", "PHP behind nginx")]]
    width, top, step, bar = 760, 84, 32, 170
    height = top + step * len(rows) + 30
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
             f'font-size="14" fill="#222">', f'<rect width="{width}" height="{height}" fill="#fff"/>',
             '<text x="16" y="30" font-size="18" font-weight="bold">Redirects a second from one processor core</text>']
    for left, key, title in [(200, KEPT, "connections kept alive"), (480, CLOSED, "a new connection for each")]:
        loads = [results.load(part, name, key) for name, _, part in rows]
        most = max((load.best() for load in loads if load), default=1)
        lines.append(f'<text x="{left}" y="{top - 18}" font-weight="bold">{title}</text>')
        for index, ((name, shown, _), load) in enumerate(zip(rows, loads)):
            y, ours = top + step * index, label(name) != name
            weight, length = ' font-weight="bold"' * ours, load.best() / most * bar if load else 0
            if key == KEPT:
                lines.append(f'<text x="{left - 10}" y="{y + 15}" text-anchor="end" font-size="13"{weight}>'
                             f'{escape(shown)}</text>')
            lines += [f'<rect x="{left}" y="{y}" width="{length:.1f}" height="21" fill="{FOX if ours else GREY}"/>',
                      f'<text x="{left + length + 6:.1f}" y="{y + 15}"{weight}>{load.figure() if load else "–"}</text>']
    lines += [f'<text x="16" y="{height - 12}" font-size="12" fill="#666">Ten clients, best of all rounds; only the '
              f'first line speaks TLS. ≥: the load generator could do no more.</text>', "</svg>", ""]
    return "\n".join(lines)


def keep(folder, part, found, machine):
    """Adds a run to results.json, where each load is one line."""
    file = folder / "results.json"
    results = json.loads(file.read_text()) if file.exists() else {}
    results.update({"machine": machine, part: [*results.get(part, []), found][-2:]})
    text = json.dumps(results, indent=1, ensure_ascii=False)
    file.write_text(re.sub(r"\{[^{}]*\}", lambda load: re.sub(r"\s+", " ", load[0]), text) + "\n")
    write(folder)


def write(folder):
    """results.md and the chart into the folder, and the tables that README.md there leaves to this program."""
    results = Results(json.loads((folder / "results.json").read_text()))
    (folder / "results.md").write_text(details(results))
    (folder / "results.svg").write_text(chart(results))
    readme = folder / "README.md"
    text = readme.read_text() if readme.exists() else ""
    for write_table in (site_table, peers_table, article_table, growth_table):
        name, lines = write_table.__name__, "\n".join(write_table(results)).strip()
        text = re.sub(f"(<!-- {name}, by bench/run -->\n).*?(\n<!-- to here -->)",
                      lambda marker: f"{marker[1]}\n{lines}\n{marker[2]}", text, flags=re.S)
    if text:
        readme.write_text(text)
