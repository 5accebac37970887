#!/usr/bin/python3 -B
"""Makes results.json of a whole run's parts, and tables, chart and sentences from that alone; started by itself, it
makes them anew. With --check it says so when they are of another site than today's."""

import hashlib
import json
import math
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from statistics import fmean, median

BENCH = Path(__file__).resolve().parent
ROOT, RESULTS, PARTS = BENCH.parent, BENCH / "results.json", BENCH / "build/parts"
RATES = ("1/min", "1/s", "100/s", "most")
AT_REST = RATES[:2]  # loads for all programs at once
GO = "Go net/http"
COLOURS = {"the site": "#d9541e", GO: "#0a84c6", "nginx return 302": "#2e9d5b",
           "nginx random_index": "#8a8f98", "PHP behind nginx": "#8e5bd0", "PHP behind nginx's cache": "#d64a9b",
           "Apache in front of avatar.jar": "#b8860b"}
SAID = {"article's program": "8,807; 30 to 40 MB", "article's program, 16 MB": "nearly 10,000",
        "article's program, cached pool": "1.5 to 2 times", "article's program, ZGC": "half",
        "the site": "450, a file by nginx over HTTPS"}
CLOSE = 1.2  # samples whose highest is within this factor of the lowest are one figure


def fingerprint(texts):
    """Of all lines but comments."""
    lines = [re.sub(rb"(?m)^\s*(#|//|;)( .*)?\n", b"", text) for text in texts]
    return hashlib.sha256(b"".join(lines)).hexdigest()[:16]


def fingerprints():
    """Of the site: the jar, its command in the unit, and nginx.conf. And of what measures it, and of its peers. Tables
    and chart can be made anew."""
    files = subprocess.run(["git", "ls-files", "bench", "samples/Foxes.java"], cwd=ROOT, stdout=subprocess.PIPE,
                           text=True, check=True)
    jar, unit, conf = ((ROOT / "deploy" / name).read_bytes() for name in ("avatar.jar", "avatar.service", "nginx.conf"))
    command = re.search(rb"(?m)^ExecStart=(.*\\\n)*.*", unit)[0]
    return {"site": fingerprint([jar, command, conf]),
            "bench": fingerprint((ROOT / file).read_bytes() for file in files.stdout.split()
                                 if not re.search("README|report.py|results", file))}


def samples(row, key, field="cpu"):
    """Pages and visits are in ms."""
    return [value / (1e3 if key.endswith(RATES) and field == "cpu" else 1) for value in row[key][field]]


def middle(row, key, field="cpu"):
    """At rest each draw of the site is renewed in one sample of several, so there a cost is the mean."""
    return (fmean if key.endswith(AT_REST) and field == "cpu" else median)(samples(row, key, field))


def number(value, digits=2):
    """With so many significant digits."""
    places = digits - 1 - math.floor(math.log10(value)) if value else 0
    return f"{round(value, places):,.{max(0, places)}f}"


def figure(row, key, field="cpu"):
    """With the lowest and the highest sample, where they differ, and the part that was answered rightly, where that is
    not all."""
    found, share = samples(row, key, field), min(row[key]["right"])
    wide = max(found) > CLOSE * min(found)
    return (number(middle(row, key, field)) + f" ({number(min(found))} to {number(max(found))})" * wide
            + f", {math.floor(share * 100)}% right" * (share < 0.995 and field == "cpu"))


def below(row, other, key, field="cpu"):
    """Whether each sample of one is lower than each of the other; else neither is ahead."""
    return max(row[key][field]) < min(other[key][field])


def table(rows, heads, keys, cells):
    """Markdown: the rows in the order of cost by the first of these keys that each has; ours are bold."""
    ranked = sorted((next((index, middle(row, key)) for index, key in enumerate(keys) if key in row), name)
                    for name, row in rows.items() if keys[-1] in row)
    lines = [[f"**{name}**" if name.startswith(("the site", "avatar.jar")) else name, *cells(rows[name])]
             for _, name in ranked]
    return [f"| {' | '.join(line)} |" for line in [heads, ["---"] + ["--:"] * (len(heads) - 1), *lines]]


def load_table(rows, kind, rates, heads=(), more=lambda row: ()):
    most = f"{kind}, most"
    heads = [f"ms of a core for a {kind}, at", *rates, "most a second", "wait then, ms", "99th percentile", *heads]
    return table(rows, heads, [f"{kind}, 1/s"], lambda row: [
        *(figure(row, f"{kind}, {rate}") for rate in rates),
        "≥ " * (middle(row, most, "busy") < 0.9) + figure(row, most, "rate"), figure(row, most, "wait"),
        figure(row, most, "wait99"), *more(row)])


def visit_table(rows):
    return load_table(rows, "visit", RATES, ["MB at 1/s", "MB at most", "idle: µs/s"], lambda row: [
        figure(row, "visit, 1/s", "memory"), figure(row, "visit, most", "memory"), figure(row, "visit, 1/min", "idle")])


def waits(rows):
    cells = []
    for field in ("wait", "wait99"):
        found = [middle(row, "visit, 100/s", field) for row in rows.values() if "visit, 100/s" in row]
        cells += [number(min(found)), number(max(found))]
    return "At 100/s a visit waits {} to {} ms; the 99th percentile is {} to {} ms (medians of each).".format(*cells)


def first_visit_table(rows):
    return load_table(rows, "first visit", RATES)


def page_table(rows):
    return load_table(rows, "page", RATES[1:])


def article_table(rows):
    return table(rows, ["requests/s", "in the article", "here", "CPU, µs", "MB"], ["ab"], lambda row: [
        SAID.get(row["name"], ""), *(figure(row, "ab", field) for field in ("rate", "cpu", "memory"))])


def peers_table(rows):
    def cell(row, key):
        """A place is from the first to the last that it may have."""
        others = [other for other in rows.values() if key in other]
        first = sum(below(other, row, key) for other in others) + 1
        last = sum(not below(row, other, key) for other in others)
        return (figure(row, key) + "°" * (middle(row, key, "busy") < 0.85),
                f"{first} to {last}" if last > first else str(first))
    keys = ("kept alive", "closed")
    return table(rows, ["program", "from", "bytes", "kept alive: CPU, µs", "place", "closed: CPU, µs", "place",
                        "MB, closed"], keys, lambda row: [
        row["from"], "–" if row["bytes"] == "0" else row["bytes"],
        *(text for key in keys for text in (cell(row, key) if key in row else ("–", "–"))),
        figure(row, "closed", "memory")])


def beside(rows, key, field="cpu"):
    """Which rivals take less than the site, and more, by all samples."""
    site, found = rows["the site"], {"less": [], "not told apart": [], "more": []}
    for name, row in rows.items():
        if row is not site and key in row:
            less, more = below(row, site, key, field), below(site, row, key, field)
            found["less" if less else "more" if more else "not told apart"].append(name)
    return "(" + "; ".join(f"{word}: {', '.join(names)}" for word, names in found.items() if names) + ")"


def sentences(rows):
    def site(key, unit, field="cpu"):
        return f"{number(middle(rows['the site'], key, field))} {unit} {beside(rows, key, field)}"
    return ("A visit to a forum, which is a new TLS connection and one redirect, costs the site "
            + site("visit, 1/s", "ms of a core at one visit a second") + ".",
            "At one a minute it is " + site("visit, 1/min", "ms, with what the site takes in the rest of that minute")
            + ". The site takes " + site("visit, 1/s", "MB of memory, at most 8 of them Java's heap", "memory") + ".")


def crowd(rows):
    cells = [figure(rows[name], "10k clients", field) for field in ("cpu", "memory") for name in ("the site", GO)]
    return ("Of 10,000 clients at once, each with twenty requests on one connection, a request costs the site {} µs, "
            "and Go {}, in {} and {} MB.").format(*cells)


def chart(rows):
    """What a visit costs, on a background of its own, light or dark. Thin lines go from the lowest to the highest
    sample. A load that is not answered has no point."""
    keys, across, label = [f"visit, {rate}" for rate in RATES], [60, 205, 350, 495], 400
    rows = sorted((row for row in rows.values() if keys[0] in row), key=lambda row: middle(row, keys[-1]))
    costs = [value for row in rows for key in keys for value in samples(row, key)]
    low, high = math.log(min(costs)), math.log(max(costs))

    def down(cost):
        return round(330 - 270 * (math.log(cost) - low) / (high - low))
    shapes = ['<text x="20" y="28" font-size="15">A visit, one redirect over a new TLS connection: ms of a core '
              '(logarithmic; thin lines: all samples)</text>']
    shapes += [f'<text x="{x}" y="362" text-anchor="middle">{rate}</text>' for x, rate in zip(across, RATES)]
    for tick in (cost for cost in (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if low <= math.log(cost) <= high):
        shapes += [f'<path class="grid" d="M45 {down(tick)}H515"/>'
                   f'<text x="38" y="{down(tick) + 4}" text-anchor="end">{tick}</text>']
    for shift, row in enumerate(rows):
        points = [(x + 3 * shift - 9, key) for x, key in zip(across, keys) if min(row[key]["right"]) >= 0.99]
        last, colour = middle(row, points[-1][1]), COLOURS[row["name"]]
        label = min(down(last), label - 17)  # names do not cover each other
        shapes += [f'<g stroke="{colour}"><polyline' + ' class="site"' * (row["name"] == "the site") + ' points="'
                   + " ".join(f"{x},{down(middle(row, key))}" for x, key in points) + '"/>',
                   *(f'<path d="M{x} {down(min(samples(row, key)))}V{down(max(samples(row, key)))}"/>'
                     for x, key in points),
                   f'<path stroke-dasharray="2" d="M{points[-1][0]} {down(last)}L520 {label}"/>',
                   f'</g><text x="524" y="{label + 4}"><tspan fill="{colour}">●</tspan> '
                   f'{row["name"]} {number(last)}, {number(middle(row, keys[-1], "rate"))}/s</text>']
    shapes += [f'<text x="524" y="{label - 16}">at the most: ms, visits a second</text>']
    return "\n".join(["<!-- by bench/report.py -->", *shapes, "</svg>", ""])


def write(found):
    """Makes what stands between a mark and the next empty line, and all of results.svg behind its head."""
    rows = {}
    for part in found["parts"].values():
        for name, row in part["programs"].items():
            rows[name] = {"name": name, **rows.get(name, {}), **row}
    steal = [100 * part["steal"] for part in found["parts"].values()]
    made = {"machine": f"Of {found['of']} (the last part; all are of one site), on {found['machine']}. Of the "
                       f"processor time that programs wanted, other virtual machines took {number(min(steal), 1)} to "
                       f"{number(max(steal), 1)} %."}
    for make in (visit_table, first_visit_table, page_table, article_table, peers_table, waits, crowd):
        made[make.__name__] = make(rows)
    made["in_short"], more = sentences(rows)
    made["how_fast"] = f"{made['in_short']} {more}"
    picture = BENCH / "results.svg"
    picture.write_text(picture.read_text().partition("<!--")[0] + chart(rows))
    for file in (BENCH / "README.md", ROOT / "README.md"):
        page = file.read_text()
        for name, lines in made.items():
            lines = textwrap.wrap(lines, 120, break_on_hyphens=False) if isinstance(lines, str) else lines
            page = re.sub(f"(<!-- {name}, by bench/report.py -->\n)(.+\n)*",
                          lambda mark: mark[1] + "".join(f"{line}\n" for line in lines), page)
        file.write_text(page)


def keep(name, part, names):
    """Keeps a part. All of these names, of one site, harness and machine, become results.json, a program a line."""
    PARTS.mkdir(exist_ok=True)
    (PARTS / f"{name}.json").write_text(json.dumps(part))
    parts = {each: json.loads((PARTS / f"{each}.json").read_text()) for each in names
             if (PARTS / f"{each}.json").exists()}
    same = ("site", "bench", "machine")
    missing = [each for each in names if any(parts.get(each, {}).get(key) != part[key] for key in same)]
    if missing:
        return f"{name} is kept; for tables and chart these are missing: {', '.join(missing)}"
    found = {"of": part["of"], **{key: part[key] for key in same},
             "parts": {each: {key: parts[each][key] for key in ("steal", "programs")} for each in names}}
    RESULTS.write_text(re.sub(r"\n {5,}|\n {3,4}(?=\})", " ", json.dumps(found, indent=1)) + "\n")
    write(found)
    return "results.json, tables and chart are of these parts"


def main():
    found = json.loads(RESULTS.read_text())
    if sys.argv[1:] != ["--check"]:
        write(found)
    elif found.get("site") != fingerprints()["site"]:
        print(f"README's figures, of {found['of']}, are of another site than today's: bench/run measures anew.")


if __name__ == "__main__":
    main()
