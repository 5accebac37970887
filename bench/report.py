#!/usr/bin/python3 -B
"""Makes results.json of the parts of a run, and of that alone the tables, the chart and some sentences of the pages;
started by itself, it makes them anew. With --check it says so when they are of another site than today's."""

import hashlib
import json
import math
import re
import sys
import textwrap
from statistics import median

import peers

RESULTS = peers.BENCH / "results.json"
RATES = {"1/min": 1 / 60, "1/s": 1, "10/s": 10, "100/s": 100, "1,000/s": 1000}  # of visits, a second
SITE = "avatar (nginx and Java)"  # what readers call the site
COLOURS = {"the site": "#d9541e", "Go net/http": "#0a84c6", "nginx alone, redirect": "#2e9d5b",
           "PHP behind nginx": "#8e5bd0", "PHP behind nginx's cache": "#d64a9b"}  # of the chart's lines
# What others measured, in requests a second. README.md has the conditions of 1 to 4.
THEN = {"article's program": "8,807; 30 to 40 MB by estimate", "article's program, 16 MB": "nearly 10,000",
        "article's program, cached pool": "1.5 to 2 times as many", "article's program, ZGC": "half",
        "Go net/http": "13,000, on two cores", "picture": "450, by nginx over HTTPS",
        "10,000 clients": "50,000, another article's goal"}
ELSEWHERE = {"Ada Web Server": "20,606, i7-6700HQ", "C++ accept loop": "55,000; by five ab 143,000 (1)",
             "Go net/http": "17,781, i7-10710U; 23,000, i7-7700HQ and i7-8565U",
             "Go sequential TCP": "28,000, i7-8565U; 49,000 (1)",
             "Go, an SVG in any colour": "12,590, i7-10710U", "HttpCore NIO": "16,137 to 18,291 (2)",
             "Jetty servlet": "11,834 to 14,543 (2); 2,829 (4)", "Rust hyper": "23,000, i7-7700HQ",
             "Rust sequential TCP": "18,454, i7-7700HQ", "Tomcat NIO": "20,378 (3); 3,206 to 7,405 (2)",
             "Vert.x": "about the article's program",
             "article's program": "8,807, Xeon E5-2690 v3; 17,000, its author's"}


def fingerprints():
    """Of what is measured: the jar with its command in the unit, and nginx.conf without comments."""
    command = peers.only(r"^(ExecStart=(?:.*\\\n)*.*)", peers.UNIT)
    conf = re.sub(r"(?m)^\s*(#.*)?\n", "", peers.CONF.read_text())
    return {name: hashlib.sha256(content).hexdigest()[:16] for name, content in (
        ("avatar.jar", peers.JAR.read_bytes() + command.encode()), ("nginx.conf", conf.encode()))}


def stale(parts):
    """Those that are of another site than today's, or of another machine than the last one."""
    machine = max(parts.values(), key=lambda part: part["of"])["machine"]
    return [name for name, part in parts.items()
            if part["site"].items() - fingerprints().items() or part["machine"] != machine]


def number(value):
    """With two significant digits."""
    value = float(f"{value:.1e}")
    return f"{value:,.{max(0, 1 - math.floor(math.log10(value)) if value else 0)}f}"


def figure(row, key, field="cpu", unit=1):
    """The median, and where samples differ by a tenth the lowest and the highest; – where there is none."""
    if field not in row.get(key, {}):
        return "–"
    samples = [sample / unit for sample in row[key][field]]
    low, high, right = min(samples), max(samples), min(row[key]["right"])
    # What one process costs, another one may cost half as much again.
    mark = "~" * (high > 1.5 * low or field == "cpu" and len(samples) == 1)
    return (mark + number(median(samples)) + f" ({number(low)} to {number(high)})" * (high > 1.1 * low)
            + f", {math.floor(right * 100)} % right" * (right < 0.995 and field == "cpu"))


def order(row, key, field="cpu"):
    return median(row[key][field]) if key in row else math.inf


def table(heads, lines):
    lines = [[line[0].replace("the site", SITE), *line[1:]] for line in lines]
    lines = [[f"**{line[0]}**" if line[0].startswith("avatar") else line[0], *line[1:]] for line in lines]
    return [f"| {' | '.join(line)} |" for line in [heads, ["---"] + ["--:"] * (len(heads) - 1), *lines]]


COSTS = {  # the columns of the first table: load, field and unit
    "at rest: ms a minute": ("1/min", "rest", 1000 / 60),
    **{f"{load}: ms": (load, "cpu", 1000) for load in ("1/s", "10/s", "100/s", "1,000/s")},
    "a page of twenty: ms": ("page", "cpu", 1000)}


def rivals(rows):
    return sorted((row for row in rows.values() if "1/s" in row), key=lambda row: order(row, "1/s"))


def verdicts(rows):
    """Whether nginx and Go cost less than the site, or more, in each round."""
    lines = []
    for name in ("nginx alone, redirect", "Go net/http"):
        said = {"cheaper": [], "not told apart": [], "dearer": []}
        for column, (load, field, _) in COSTS.items():
            pairs = [*zip(*(rows[each].get(load, {}).get(field, []) for each in (name, "the site")))]
            less, more = (pairs and all(sign * (his - ours) > 0 for his, ours in pairs) for sign in (-1, 1))
            said["cheaper" if less else "dearer" if more else "not told apart"].append(column.partition(":")[0])
        lines.append(f"- **{name}** is " + "; ".join(f"{verdict}: {', '.join(columns)}"
                                                   for verdict, columns in said.items() if columns) + ".")
    return lines


def visits_table(rows):
    return table(["", *COSTS, "MB at 1/s"], [[row["name"], *(figure(row, *cost) for cost in COSTS.values()),
                                       figure(row, "1/s", "memory")] for row in rivals(rows)])


def article_table(rows):
    programs = sorted((row for row in rows.values() if "ab" in row), key=lambda row: -order(row, "ab", "rate"))
    fields = ("rate", "cpu", "first", "memory")
    heads = ["", "then: requests/s", "here: requests/s", "CPU: µs a request", "CPU: ms to the first answer", "MB"]
    return table(heads, [
        *([row["name"], THEN.get(row["name"], ""), *(figure(row, "ab", field) for field in fields)]
          for row in programs),
        *([f"the site, {what}", THEN[key], *(figure(rows["the site"], key, field) for field in fields)]
          for what, key in (("a picture", "picture"), ("10,000 clients", "10,000 clients")))])


def programs_table(rows):
    programs = sorted((row for row in rows.values() if row.keys() & {"kept alive", "closed"}),
                      key=lambda row: (order(row, "kept alive"), order(row, "closed")))
    return table(["", "kept alive: µs a request", "closed: µs a request", "closed: MB", "then: requests/s"], [
        [row["name"], figure(row, "kept alive"), figure(row, "closed"), figure(row, "closed", "memory"),
         ELSEWHERE.get(row["name"], "")] for row in programs])


def place(x, y, text, lines):
    """The nearest place for the label of a point where it covers none of the lines, or else right above."""
    def height(line, at):
        """The line's y there, between two of its points."""
        at = min(max(at, line[0][0]), line[-1][0])
        (left, before), (right, after) = next(pair for pair in zip(line, line[1:]) if pair[1][0] >= at)
        return before + (after - before) * (at - left) / (right - left)
    half = 5 * len(text)
    places = [(x + across, y + down) for across in (0, half, -half, 2 * half, -2 * half) for down in (-9, 20, -22, 33)]
    free = [(middle, base) for middle, base in places if not any(
        base - 14 < height(line, at) < base + 5 for line in lines for at in range(middle - half, middle + half + 1))]
    return min(free, key=lambda each: math.dist(each, (x, y + 5)), default=places[0])


def chart(rows):
    """What a visit costs at each load: a line for each program, and the site's figures."""
    rows = sorted((row for row in rivals(rows) if row["name"] in COLOURS), key=lambda row: -order(row, "1/min"))
    loads = [load for load in RATES if all(load in row for row in rows)]
    costs = {(row["name"], load): order(row, load) / 1000 for row in rows for load in loads}
    low, high, label = math.log(min(costs.values())), math.log(max(costs.values())), 0
    across = {load: round(240 + 500 * math.log(60 * RATES[load]) / math.log(60_000)) for load in loads}

    def down(cost):
        return round(320 - 240 * (math.log(cost) - low) / (high - low))
    shapes = [f'<text x="{x}" y="352" text-anchor="middle">{load}</text>' for load, x in across.items()]
    shapes += [f'<path class="grid" d="M240 {down(cost)}H760"/><text x="768" y="{down(cost) + 4}">{cost} ms</text>'
               for cost in (0.2, 0.5, 1, 2, 5, 10, 20) if low <= math.log(cost) <= high]
    lines = {row["name"]: [(x, down(costs[row["name"], load])) for load, x in across.items()] for row in rows}
    for name, points in lines.items():
        label = max(points[0][1] + 4, label + 18)  # names do not cover each other
        colour = f'"{COLOURS[name]}"' + ' class="site"' * (name == "the site")
        shapes += [f'<polyline stroke={colour} points="{" ".join(f"{x},{y}" for x, y in points)}"/>',
                   f'<text x="228" y="{label}" text-anchor="end" fill={colour}>{name.replace("the site", SITE)}</text>']
    for load, (x, y) in zip(loads, lines["the site"]):
        text = number(costs["the site", load])
        x, y = place(x, y, text, lines.values())
        shapes.append(f'<text x="{x}" y="{y}" text-anchor="middle" fill="{COLOURS["the site"]}" class="site">{text}</text>')
    return "\n".join(["<!-- by bench/report.py -->", *shapes, "</svg>", ""])


def write(parts):
    """Makes what stands between a mark and the next empty line, and all of results.svg behind its head."""
    rows, last = {}, max(parts.values(), key=lambda part: part["of"])
    for part in parts.values():
        for name, row in part["programs"].items():
            rows[name] = {"name": name, **rows.get(name, {}), **row}
    others = {}
    for name, part in parts.items():
        percent = abs(100 * part["others"])  # a count below 0 is as far off as one above
        others[name] = max(1, math.ceil(percent))
    resting = others.pop("rest")  # there, little is in use
    failed = [f"{name} ({key}: {why})" for key, part in parts.items() for name, why in part["failed"].items()]
    machine = re.sub(r", go .*", "", last["machine"])  # Java and nginx are enough here
    made = {"machine": textwrap.wrap(
        f"Measured on {last['of'][:10]}, on {machine}. Other processes took at most {max(others.values())} % of the processor time in "
        f"use, and {resting} % where all mostly rest.{' Without figures: ' * bool(failed)}{'; '.join(failed)}", 120,
        break_on_hyphens=False)}
    for make in (verdicts, visits_table, article_table, programs_table):
        made[make.__name__] = make(rows)
    picture, page = peers.BENCH / "results.svg", peers.BENCH / "README.md"
    picture.write_text(picture.read_text().partition("<!--")[0] + chart(rows))
    text = page.read_text()
    for name, lines in made.items():
        text = re.sub(f"(<!-- {name}, by bench/report.py -->\n)(.+\n)*",
                      lambda mark: mark[1] + "".join(f"{line}\n" for line in lines), text)
    page.write_text(text)


def keep(name, part):
    """Puts a part into results.json, a program a line."""
    parts = {**json.loads(RESULTS.read_text()), name: part}
    RESULTS.write_text(re.sub(r"\n {4,}|\n {2,3}(?=\})", " ", json.dumps(parts, indent=1)) + "\n")
    if missing := stale(parts):
        return f"{name} is in results.json; for tables and chart these are missing: {', '.join(missing)}"
    write(parts)
    return "results.json, tables and chart are of these parts"


def main():
    parts = json.loads(RESULTS.read_text())
    if sys.argv[1:] != ["--check"]:
        write(parts)
    elif old := stale(parts):
        print("The comparison's figures are of another site than today's. Measure anew: bench/run", *old)


if __name__ == "__main__":
    main()
