#!/usr/bin/python3 -B
"""Keeps the last run of each part in results.json, and makes tables, chart and sentences from that alone; started by
itself, it makes them anew."""

import json
import math
import re
import textwrap
from pathlib import Path
from statistics import median

BENCH = Path(__file__).resolve().parent
RATES = ("1/s", "10/s", "100/s", "full load")
LINES = {"the site": "#d9541e", "Go net/http": "#0a84c6", "nginx return 302": "#2e9d5b",
         "nginx random_index": "#8a8f98", "PHP behind nginx": "#8e5bd0", "Apache in front of avatar.jar": "#b8860b"}
SAID = {"article's program": "8,807; 30 to 40 MB", "article's program, 16 MB": "nearly 10,000",
        "article's program, cached pool": "1.5 to 2 times", "article's program, ZGC": "half",
        "the site": "450, a file by nginx over HTTPS"}
EQUAL = 1.5  # programs whose costs are within this factor of each other are equals
TEXT = """\
One core of this {processor} sends {avatars} redirects a second over TLS, twenty on a connection. A page of twenty
avatars costs the site {the site: 1/s} ms of a core at one page a second, {the site: 100/s} at a hundred and
{the site: full load} at full load; Go's own server {Go net/http: 1/s}, {Go net/http: 100/s} and
{Go net/http: full load}; at one page a second PHP behind nginx {PHP behind nginx: 1/s},
and Apache in front of the jar {Apache in front of avatar.jar: 1/s}.
Others are better: nginx alone, by `return 302`, costs less at every load, {nginx return 302: 1/s} ms at one page a
second and {nginx return 302: full load} at full load, and PHP, if nginx keeps 64 of its redirects like the jar's,
{PHP, 64 draws kept: 1/s} at one page a second; of memory the site then takes {the site: 1/s, memory} MB, that PHP
{PHP, 64 draws kept: 1/s, memory} and Go {Go net/http: 1/s, memory}; and when nobody asks, the site wakes up
{the site: idle, wakeups} times a second, and Go {Go net/http: idle, wakeups} times."""
ALIKE = """\
Where samples overlap neither is ahead, as with the site and Go at one page a second, and with the site and that PHP
at a hundred and at full load. So it is with 10,000 clients at once, where a request costs the site
{the site: 10k clients} µs and Go {Go net/http: 10k clients} (in {the site: 10k clients, memory} and
{Go net/http: 10k clients, memory} MB), and by the article's command in 16 MB of heap, where the article's program
answers {article's program, 16 MB: ab, rate} requests a second and the jar {avatar.jar, 16 MB: ab, rate}."""


def middle(row, key, field="cpu"):
    """Pages are in ms."""
    return median(row[key][field]) / (1e3 if key in RATES and field == "cpu" else 1)


def number(value, digits=2):
    """With so many digits that count, or more."""
    return f"{value:,.{max(0, digits - 1 - math.floor(math.log10(value)))}f}" if value else "0"


def figure(row, key, field="cpu", digits=2):
    """With the part of the requests that were answered rightly, where that is not all."""
    share = middle(row, key, "right") if field in ("cpu", "rate") and key != "idle" else 1
    return number(middle(row, key, field), digits) + f", {share:.0%} right" * (share < 0.995)


def spread(row, *keys):
    """The highest cost of a load's samples divided by the lowest, where that is most."""
    return f"{max(max(row[key]['cpu']) / max(min(row[key]['cpu']), 1) for key in keys if key in row):.1f}"


def cost(row, keys):
    return next((index, middle(row, key)) for index, key in enumerate(keys) if key in row)


def table(rows, heads, keys, cells):
    """Markdown: the rows that have the last load, in the order of cost; ours are bold."""
    rows = sorted((pair for pair in rows.items() if keys[-1] in pair[1]), key=lambda pair: cost(pair[1], keys))
    lines = [[f"**{name}**" if name.startswith(("the site", "avatar.jar")) else name, *cells(name, row)]
             for name, row in rows]
    return [f"| {' | '.join(line)} |" for line in [heads, ["---"] + ["--:"] * (len(heads) - 1), *lines]]


def site_table(rows):
    return table(rows, ["ms of a core for a page, at", *RATES[:3], RATES[3], "pages/s", "wait at 10/s, ms", "at 100/s",
                        "MB at 1/s", "at full load", "idle: µs/s", "wake-ups/s", "spread"], RATES, lambda name, row: [
        *(figure(row, key, digits=3) for key in RATES[:3]), number(middle(row, RATES[3]), 3),
        "≥ " * (middle(row, RATES[3], "busy") < 0.9) + figure(row, RATES[3], "rate", 3),
        *(f"{figure(row, key, 'wait')} / {figure(row, key, 'wait99')}" for key in RATES[1:3]),
        figure(row, "1/s", "memory"), figure(row, RATES[3], "memory"), figure(row, "idle"),
        figure(row, "idle", "wakeups"), spread(row, *RATES)])


def article_table(rows):
    return table(rows, ["requests/s", "in the article", "here", "CPU, µs", "MB", "spread"], ["ab"], lambda name, row: [
        SAID.get(name, ""), figure(row, "ab", "rate", 3), figure(row, "ab"), figure(row, "ab", "memory"),
        spread(row, "ab")])


def peers_table(rows):
    def place(row, key):
        """From the first to the last that it may have among its equals."""
        own, costs = middle(row, key), [middle(other, key) for other in rows.values() if key in other]
        first, last = sum(each * EQUAL < own for each in costs) + 1, sum(each <= own * EQUAL for each in costs)
        return f"{first} to {last}" if last > first else str(first)
    keys = ("kept alive", "closed")
    return table(rows, ["program", "from", "bytes", "kept alive: CPU, µs", "place", "closed: CPU, µs", "place",
                        "MB, closed", "spread"], keys, lambda name, row: [
        row["from"], "–" if row["bytes"] == "0" else row["bytes"],
        *(cell for key in keys for cell in ((figure(row, key), place(row, key)) if key in row else ("–", "–"))),
        figure(row, "closed", "memory"), spread(row, *keys)])


def sentences(text, rows, machine):
    best = 20 * middle(rows["the site"], RATES[3], "rate")  # avatars a second, which are rounded down
    known = {"processor": re.search(" of ([^,]*)", machine)[1], "avatars": f"{best // 1e3 * 1e3:,.0f}"}

    def fill(place):
        name, _, of = place[1].partition(": ")
        key, field = (of + ", cpu").split(", ")[:2]
        return known[name] if not of else number(middle(rows[name], key, field), 3 if field == "rate" else 2)
    return textwrap.wrap(re.sub(r"\{(.*?)\}", fill, text.replace("\n", " ")), 120,
                         break_on_hyphens=False)


def chart(rows):
    """A page's cost over the load, by logarithms, on a background of its own, light or dark."""
    lines = {name: [middle(rows[name], key) for key in RATES] for name in LINES}
    low, high = (math.log(edge(map(edge, lines.values()))) for edge in (min, max))
    across, shapes, label = [60, 205, 350, 495], [], 400

    def down(cost):
        return round(310 - 250 * (math.log(cost) - low) / (high - low))
    for x, key in zip(across, RATES):
        shapes += [f'<text x="{x}" y="342" text-anchor="middle">{key}</text>']
    for tick in (cost for cost in (0.2, 0.5, 1, 2, 5, 10, 20, 50) if low <= math.log(cost) <= high):
        shapes += [f'<path class="grid" d="M45 {down(tick)}H500"/>'
                   f'<text x="38" y="{down(tick) + 4}" text-anchor="end">{tick}</text>']
    for name, line in sorted(lines.items(), key=lambda pair: pair[1][-1]):
        label = min(down(line[-1]), label - 17)  # names do not cover each other
        points = " ".join(f"{x},{down(cost)}" for x, cost in zip(across, line))
        bold = ' class="site"' * (name == "the site")
        shapes += [f'<polyline stroke="{LINES[name]}" points="{points}"{bold}/><text x="508" y="{label + 4}">'
                   f'<tspan fill="{LINES[name]}">●</tspan> {name} {number(line[-1])}</text>']
    return "\n".join(["<!-- by bench/report.py -->", *shapes, "</svg>", ""])


def write(found):
    """Makes what stands between a mark and the next empty line, if the parts that it needs have been measured."""
    rows = {}
    for part in (part for part in found.values() if isinstance(part, dict)):
        for name, row in part.items():
            rows[name] = {**rows.get(name, {}), **row}
    made = {"machine": [f"Of {found['of']}, {found['machine']}."]}

    def has(*parts):
        return all(part in found for part in parts)
    needs = {site_table: ("rest", "site"), article_table: ("article",), peers_table: ("peers",)}
    made.update({make.__name__: make(rows) for make, parts in needs.items() if has(*parts)})
    if has("rest", "site", "article"):
        made["how_fast"] = sentences(TEXT, rows, found["machine"])
        made["alike"] = sentences(ALIKE, rows, found["machine"])
        picture = BENCH / "results.svg"
        picture.write_text(picture.read_text().partition("<!--")[0] + chart(rows))
    for file in (BENCH / "README.md", BENCH.parent / "README.md"):
        page = file.read_text()
        for name, lines in made.items():
            page = re.sub(f"(<!-- {name}, by bench/report.py -->\n)(.+\n)*",
                          lambda mark: mark[1] + "".join(f"{line}\n" for line in lines), page)
        file.write_text(page)


def keep(part, now, programs):
    """Puts a part into results.json, a program a line. Parts that were measured of other files or on another machine
    go."""
    file = BENCH / "results.json"
    found = json.loads(file.read_text()) if file.exists() else {}
    same = all(found.get(key) == now[key] for key in ("files", "machine"))
    found = {**(found if same else {}), **now, part: programs}
    file.write_text(re.sub(r"\n {3,}| {2}(?=\n  \})|\n  (?=\})", " ", json.dumps(found, indent=1)) + "\n")
    write(found)


if __name__ == "__main__":
    write(json.loads((BENCH / "results.json").read_text()))
