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
COLOURS = {"the site": "#d9541e", "Go net/http": "#0a84c6", "nginx alone, redirect": "#2e9d5b",
           "PHP behind nginx": "#8e5bd0", "PHP behind nginx's cache": "#d64a9b"}  # of the chart's lines
THEN = {"article's program": "8,807; 30 to 40 MB by estimate", "article's program, 16 MB": "nearly 10,000",
        "article's program, cached pool": "1.5 to 2 times as many", "article's program, ZGC": "half",
        "Go net/http": "13,000, on two cores"}


def fingerprints():
    """Of what is measured: the jar with its command in the unit, and nginx.conf without comments."""
    command = re.search(r"(?m)^ExecStart=(.*\\\n)*.*", peers.UNIT.read_text())[0]
    conf = re.sub(r"(?m)^\s*(#.*)?\n", "", peers.CONF.read_text())
    return {name: hashlib.sha256(content).hexdigest()[:16] for name, content in (
        ("avatar.jar", peers.JAR.read_bytes() + command.encode()), ("nginx.conf", conf.encode()))}


def stale(parts):
    """Those that are of another site than today's, or of another machine than the last one."""
    machine = max(parts.values(), key=lambda part: part["of"])["machine"]
    return [name for name, part in parts.items()
            if part["site"].items() - fingerprints().items() or part["machine"] != machine]


def number(value, digits=2):
    """With two significant digits, or with one, but two where the first is 1."""
    digits = max(digits, 1 + (f"{value:e}"[0] == "1"))
    value = float(f"{value:.{digits - 1}e}")
    return f"{value:,.{max(0, digits - 1 - math.floor(math.log10(value)) if value else 0)}f}"


def figure(row, key, field="cpu", unit=1):
    """The median, and where samples differ by a tenth the lowest and the highest; – where there is none."""
    if field not in row.get(key, {}):
        return "–"
    samples = [sample / unit for sample in row[key][field]]
    low, high, right = min(samples), max(samples), min(row[key]["right"])
    # What one process costs, another one may cost half as much again.
    digits = 1 if high > 1.5 * low or field == "cpu" and len(samples) == 1 else 2
    return (number(median(samples), digits) + f" ({number(low, digits)} to {number(high, digits)})" * (high > 1.1 * low)
            + f", {math.floor(right * 100)} % right" * (right < 0.995 and field == "cpu"))


def order(row, key, field="cpu"):
    return median(row[key][field]) if key in row else math.inf


def table(heads, lines):
    lines = [[f"**{line[0]}**" if line[0].startswith(("the site", "avatar.jar")) else line[0], *line[1:]]
             for line in lines]
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
    return table(["", *COSTS, "MB"], [[row["name"], *(figure(row, *cost) for cost in COSTS.values()),
                                       figure(row, "1/s", "memory")] for row in rivals(rows)])


def article_table(rows):
    programs = sorted((row for row in rows.values() if "ab" in row), key=lambda row: -order(row, "ab", "rate"))
    fields = ("rate", "cpu", "first", "memory")
    return table(["", "then: requests/s", "here: requests/s", "CPU, µs", "CPU to the first answer, ms", "MB"], [
        *([row["name"], THEN.get(row["name"], ""), *(figure(row, "ab", field) for field in fields)]
          for row in programs),
        *([f"the site, {what}", then, *(figure(rows["the site"], key, field) for field in fields)]
          for what, then, key in (("a picture", "450, by nginx over HTTPS", "picture"),
                                  ("10,000 clients", "50,000, another article's goal", "10,000 clients")))])


def programs_table(rows):
    programs = sorted((row for row in rows.values() if row.keys() & {"kept alive", "closed"}),
                      key=lambda row: (order(row, "kept alive"), order(row, "closed")))
    return table(["", "kept alive: CPU, µs", "closed: CPU, µs", "MB"], [
        [row["name"], figure(row, "kept alive"), figure(row, "closed"), figure(row, "closed", "memory")]
        for row in programs])


def chart(rows):
    """What a visit costs at each load: a line for each program, and the site's figures."""
    rows = sorted((row for row in rivals(rows) if row["name"] in COLOURS), key=lambda row: -order(row, "1/min"))
    loads = [load for load in RATES if all(load in row for row in rows)]
    costs = {(row["name"], load): order(row, load) / 1000 for row in rows for load in loads}
    low, high, label = math.log(min(costs.values())), math.log(max(costs.values())), 0
    across = {load: round(240 + 500 * math.log(60 * RATES[load]) / math.log(60_000)) for load in loads}

    def down(cost):
        return round(320 - 240 * (math.log(cost) - low) / (high - low))
    shapes = [f'<text x="{x}" y="356" text-anchor="middle">{load}</text>' for load, x in across.items()]
    shapes += [f'<path class="grid" d="M240 {down(cost)}H760"/><text x="768" y="{down(cost) + 4}">{cost} ms</text>'
               for cost in (0.7, 1, 2, 5, 10) if low <= math.log(cost) <= high]
    for row in rows:
        name, points = row["name"], [(x, down(costs[row["name"], load])) for load, x in across.items()]
        label = max(points[0][1] + 4, label + 18)  # names do not cover each other
        colour = f'"{COLOURS[name]}"' + ' class="site"' * (name == "the site")
        shapes += [f'<polyline stroke={colour} points="{" ".join(f"{x},{y}" for x, y in points)}"/>',
                   f'<text x="228" y="{label}" text-anchor="end" fill={colour}>{name}</text>']
    # Above the line while the site costs the most, and else below, where it covers no other line.
    shapes += [f'<text x="{x}" y="{down(cost) + (-9 if x < 500 else 20)}" text-anchor="middle" class="site">'
               f'{number(cost, 2)}</text>' for x, cost in ((x, costs["the site", load]) for load, x in across.items())]
    return "\n".join(["<!-- by bench/report.py -->", *shapes, "</svg>", ""])


def write(parts):
    """Makes what stands between a mark and the next empty line, and all of results.svg behind its head."""
    rows, last = {}, max(parts.values(), key=lambda part: part["of"])
    for part in parts.values():
        for name, row in part["programs"].items():
            rows[name] = {"name": name, **rows.get(name, {}), **row}
    others = max(part["others"] for name, part in parts.items() if name != "rest")  # there, little is in use
    failed = [f"{name} ({key}: {why})" for key, part in parts.items() for name, why in part["failed"].items()]
    made = {"machine": textwrap.wrap(
        f"Of {last['of'][:10]}, on {last['machine']}. Of the processor time in use under full load, others took about "
        f"{math.ceil(max(1, 100 * others))} %.{' Without figures: ' * bool(failed)}{'; '.join(failed)}", 120,
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
