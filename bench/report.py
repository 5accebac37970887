#!/usr/bin/python3 -B
"""Makes results.json of the parts of a run, and the page's tables and chart of that alone; started by itself, it makes
them anew. With --check it says so when they are of another site than today's."""

import hashlib
import json
import math
import re
import sys
import textwrap
from itertools import combinations
from statistics import fmean, median

import peers

RESULTS, PARTS = peers.BENCH / "results.json", peers.BUILD / "parts"
RATES = {"1/min": 1 / 60, "1/s": 1, "100/s": 100, "1,000/s": 1000}  # of visits, a second
COLOURS = {"the site": "#d9541e", "Go net/http": "#0a84c6", "nginx alone, redirect": "#2e9d5b",
           "nginx alone, random_index": "#8a8f98", "PHP behind nginx": "#8e5bd0", "PHP behind nginx's cache": "#d64a9b"}
THEN = {"article's program": "8,807; 30 to 40 MB", "article's program, 16 MB": "nearly 10,000",
        "article's program, cached pool": "1.5 to 2 times as many", "article's program, ZGC": "half"}


def fingerprints():
    """Of what is measured: the jar with its command in the unit, and nginx.conf without comments."""
    command = re.search(r"(?m)^ExecStart=(.*\\\n)*.*", peers.UNIT.read_text())[0]
    conf = re.sub(r"(?m)^\s*(#.*)?\n", "", peers.CONF.read_text())
    return {name: hashlib.sha256(content).hexdigest()[:16] for name, content in (
        ("avatar.jar", peers.JAR.read_bytes() + command.encode()), ("nginx.conf", conf.encode()))}


def is_stale(part):
    """What it measured and is no longer there."""
    return part["site"].items() - fingerprints().items()


def middle(row, key, field="cpu"):
    """The median; of minutes the mean: in five of them the site's redirects are renewed once, mostly in the first."""
    return (fmean if key in ("1/min", "1/s") else median)(row[key][field])


def number(value):
    """With two significant digits."""
    value = float(f"{value:.1e}")
    return f"{value:,.{max(0, 1 - math.floor(math.log10(value)) if value else 0)}f}"


def apart(some, others):
    """Whether two sets of samples are told apart by the rank test of Mann, Whitney and Wilcoxon: exact, two-sided, at
    5 %. Of five samples on each side all splits are tried."""
    pooled = some + others
    ranks = [sum(other < value for other in pooled) + pooled.count(value) / 2 for value in pooled]
    off = [abs(sum(chosen) - fmean(ranks) * len(some)) for chosen in combinations(ranks, len(some))]
    return fmean(each >= off[0] for each in off) < 0.05


def spread(samples, unit=1):
    """The lowest and the highest."""
    return f" ({number(min(samples) / unit)} to {number(max(samples) / unit)})"


def figure(row, key, field="cpu", unit=1, beside=None):
    """≈: not told apart from that of `beside`; then with the lowest and the highest sample, where the medians alone
    would say something else. `beside` itself has them where they are wide."""
    value, text, samples = middle(row, key, field), number(middle(row, key, field) / unit), row[key][field]
    if beside and beside is not row and not apart(samples, beside[key][field]):
        text = f"≈ {text}"
        if not 0.9 < value / (middle(beside, key, field) or 1) < 1.1:
            text += spread(samples, unit)
    elif beside is row and max(samples) > 1.5 * min(samples):
        text += spread(samples, unit)
    right = min(row[key]["right"])
    return text + f", {math.floor(right * 100)} % right" * (right < 0.995 and field == "cpu")


def table(heads, lines):
    lines = [[f"**{line[0]}**" if line[0].startswith(("the site", "avatar.jar")) else line[0], *line[1:]]
             for line in lines]
    return [f"| {' | '.join(line)} |" for line in [heads, ["---"] + ["--:"] * (len(heads) - 1), *lines]]


def visits_table(rows):
    site = rows["the site"]
    programs = sorted((row for row in rows.values() if "1/s" in row), key=lambda row: middle(row, "1/s"))
    return table(["", "at rest: ms a minute", "a visit: ms, at 1/s", "at 100/s", "at 1,000/s", "a page of twenty: ms",
                  "MB"], [
        [row["name"], figure(row, "1/min", "rest", 1000 / 60, site),
         *(figure(row, key, "cpu", 1000, site) for key in ("1/s", "100/s", "1,000/s", "page")),
         figure(row, "1/s", "memory", 1, site)] for row in programs])


def times(rows, key, field):
    """What the pool changes, by rounds."""
    ratios = [pool / jar for pool, jar in zip(rows["avatar.jar --pool"][key][field], rows["avatar.jar"][key][field])]
    return f"{number(median(ratios))} times" + spread(ratios) * (max(ratios) > 1.1 * min(ratios))


def article_table(rows):
    first, site = rows["article's program"], rows["the site"]
    programs = sorted((row for row in rows.values() if "ab" in row), key=lambda row: -middle(row, "ab", "rate"))
    fields = ("rate", "cpu", "memory")
    return table(["", "then: requests/s", "here: requests/s", "CPU, µs", "MB"], [
        *([row["name"], THEN.get(row["name"], ""), *(figure(row, "ab", field, 1, first) for field in fields)]
          for row in programs),
        *([f"what --pool changes, {key}", "", *(times(rows, key, field) for field in fields)]
          for key in ("on two cores", "on one core") if key in rows["avatar.jar"]),
        *([f"the site, {what}", then, *(figure(site, key, field) for field in fields)] for what, then, key in (
            ("a picture", "450, by nginx over HTTPS", "picture"),
            ("10,000 clients", "50,000, a goal", "10,000 clients")) if key in site)])


def programs_table(rows):
    jar = rows["avatar.jar"]
    keys = ("kept alive", "closed")
    programs = sorted((row for row in rows.values() if "closed" in row),
                      key=lambda row: [middle(row, key) if key in row else math.inf for key in keys])
    return table(["", "brought by", "then: requests/s", "bytes", "kept alive: CPU, µs", "closed: CPU, µs", "MB"], [
        [row["name"], peers.NAMED[row["name"]].origin, peers.NAMED[row["name"]].said, f'{row["bytes"]:,}',
         *(figure(row, key, "cpu", 1, jar) if key in row else "–" for key in keys),
         figure(row, "closed", "memory", 1, jar)] for row in programs])


def chart(rows):
    """What a visit costs at each load: a line for each program, and the site's figures."""
    rows = sorted((row for row in rows.values() if "1/min" in row), key=lambda row: -middle(row, "1/min"))
    costs = {(row["name"], load): middle(row, load) / 1000 for row in rows for load in RATES}
    low, high, label = math.log(min(costs.values())), math.log(max(costs.values())), 0
    across = {load: round(240 + 500 * math.log(60 * rate) / math.log(60_000)) for load, rate in RATES.items()}

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
               f'{number(cost)}</text>' for x, cost in ((x, costs["the site", load]) for load, x in across.items())]
    return "\n".join(["<!-- by bench/report.py -->", *shapes, "</svg>", ""])


def write(found):
    """Makes what stands between a mark and the next empty line, and all of results.svg behind its head."""
    rows, parts = {}, found["parts"].values()
    for part in parts:
        for name, row in part["programs"].items():
            rows[name] = {"name": name, **rows.get(name, {}), **row}
    busy = [part for name, part in found["parts"].items() if name != "rest"]  # there, little is in use
    shares = [f"some {number(100 * max(part[share] for part in busy))} % went to {who}" for share, who in (
        ("others", "other programs"), ("steal", "other guests"))]
    made = {"machine": f"Of {max(part['of'] for part in parts)}, on {found['machine']}. Of the processor time in use "
                       f"under load, {' and '.join(shares)}."}
    for make in (visits_table, article_table, programs_table):
        made[make.__name__] = make(rows)
    picture, page = peers.BENCH / "results.svg", peers.BENCH / "README.md"
    picture.write_text(picture.read_text().partition("<!--")[0] + chart(rows))
    text = page.read_text()
    for name, lines in made.items():
        lines = textwrap.wrap(lines, 120, break_on_hyphens=False) if isinstance(lines, str) else lines
        text = re.sub(f"(<!-- {name}, by bench/report.py -->\n)(.+\n)*",
                      lambda mark: mark[1] + "".join(f"{line}\n" for line in lines), text)
    page.write_text(text)


def keep(name, part, names):
    """Keeps a part. All of these names, of one site and machine, become results.json, a program a line."""
    PARTS.mkdir(exist_ok=True)
    (PARTS / f"{name}.json").write_text(json.dumps(part))
    parts = {each: json.loads((PARTS / f"{each}.json").read_text()) for each in names
             if (PARTS / f"{each}.json").exists()}
    missing = [each for each in names
               if each not in parts or parts[each]["machine"] != part["machine"] or is_stale(parts[each])]
    if missing:
        return f"{name} is kept; for tables and chart these are missing: {', '.join(missing)}"
    found = {"machine": part["machine"],
             "parts": {each: {key: parts[each][key] for key in ("of", "site", "others", "steal", "programs")}
                       for each in names}}
    RESULTS.write_text(re.sub(r"\n {5,}|\n {3,4}(?=\})", " ", json.dumps(found, indent=1)) + "\n")
    write(found)
    return "results.json, tables and chart are of these parts"


def main():
    found = json.loads(RESULTS.read_text())
    if sys.argv[1:] != ["--check"]:
        write(found)
    elif stale := [name for name, part in found["parts"].items() if is_stale(part)]:
        print("The comparison's figures are of another site than today's. Measure anew: bench/run", *stale)


if __name__ == "__main__":
    main()
