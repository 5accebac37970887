#!/usr/bin/python3 -B
"""Keeps the last run of each part in results.json, and makes the tables, the chart and the sentences with figures from
that alone; started by itself, it makes them anew."""

import json
import math
import re
import textwrap
from pathlib import Path
from statistics import median

BENCH = Path(__file__).resolve().parent
RATES = ("1/s", "10/s", "100/s", "full load")
SITE, GO, RETURN, RANDOM, PHP, APACHE = NAMES = ("the site", "Go net/http", "nginx return 302", "nginx random_index",
                                                 "PHP behind nginx", "Apache in front of avatar.jar")
COLOURS = ("#d9541e", "#0a84c6", "#2e9d5b", "#8a8f98", "#8e5bd0", "#b8860b")
OURS = (SITE, "avatar.jar")
SAID = {"article's program": "8,807; 30 to 40 MB", "article's program, 16 MB": "nearly 10,000",
        "article's program, cached pool": "1.5 to 2 times", "article's program, ZGC": "half",
        SITE: "450, a file by nginx over HTTPS"}
EQUAL = 1.5  # programs whose costs are within this factor of each other are not ranked
TEXTS = {  # figures are filled in by the program's first letters, and the load or the field
    "how_fast": """One core of this {processor} answers {avatars} avatars a second over TLS, {billion} billion a day. From
        one page of twenty avatars a second up to full load, a page costs the site {site_1} to {site_full} ms of a core,
        Go's own server {go_1} to {go_full}, PHP behind nginx {php_1} to {php_full}, and Apache in front of the jar
        {apache_1} to {apache_full}. Others are better elsewhere: nginx alone, by `return 302`, takes {return_1} to
        {return_full} ms; Go takes {go_mb} MB of memory at rest and the site {site_mb}; with 10,000 clients at once a
        request costs Go {go_crowd} µs and the site {site_crowd}; and by the [article's](#more) command, in 16 MB of
        heap, the article's program answers {original16} requests a second and the jar {jar16}.""",
    "in_short": """From one page of twenty avatars a second up to full load, a page costs the site {site_1} to {site_full}
        ms of a core, Go's own server {go_1} to {go_full}, and nginx's `return 302`, which phpBB refuses, {return_1} to
        {return_full}. What sets PHP apart is nginx's cache: PHP takes {php_1} to {php_full} ms, and {kept_1} to
        {kept_full} when nginx keeps 64 of its draws, as it does for the site. At rest the site takes {site_mb} MB of
        memory and wakes up {site_wakeups} times a second, and Go {go_mb} and {go_wakeups} times. With 10,000 clients at
        once a request costs the site {site_crowd} µs and Go {go_crowd}, and in 16 MB of heap the article's program
        answers {original16} requests a second by the article's command, and the jar {jar16}. None of this matters for a
        forum, which at one page a second takes {dearest}% of a core with the dearest of these; cost matters to who serves
        many forums, and memory to who rents the smallest server."""}


def middle(row, key, field="cpu"):
    return median(row[key][field])


def number(value, digits=2):
    """With so many digits that count; up to 100 at least."""
    return f"{value:,.{max(0, digits - 1 - math.floor(math.log10(value)))}f}" if value else "0"


def down(value):
    """To two digits that count."""
    unit = 10 ** (math.floor(math.log10(value)) - 1)
    return math.floor(value / unit) * unit


def right(row, key):
    share = middle(row, key, "right")
    return f", {share:.0%} right" * (share < 0.995)


def spread(row, keys):
    """The highest cost of a load's samples divided by the lowest, where that is most."""
    return f"{max(max(row[key]['cpu']) / max(min(row[key]['cpu']), 1) for key in keys if key in row):.1f}"


def table(heads, rows):
    """Markdown, in which ours are bold."""
    rows = [[f"**{name}**" if name.startswith(OURS) else name, *cells] for name, *cells in rows]
    return [f"| {' | '.join(line)} |" for line in [heads, ["---"] + ["--:"] * (len(heads) - 1), *rows]]


def cost(row):
    return next(middle(row, key) for key in ("1/s", "ab", "kept alive", "closed") if key in row)


def sites(found):
    """The two parts about the site, as one."""
    return {name: {**found.get("rest", {}).get(name, {}), **found["site"][name]} for name in found.get("site", {})
            if name in found.get("rest", {})}


def site_table(found):
    return table(
        ["ms of a core for a page, at", *RATES, "pages/s at full load", "wait at 10/s", "at 100/s", "MB at rest",
         "MB at full load", "idle: µs/s", "wake-ups/s", "spread"],
        [[name, *(number(middle(row, key) / 1e3, 3) + (right(row, key) if key != "full load" else "") for key in RATES),
          "≥ " * (middle(row, "full load", "busy") < 0.9) + number(middle(row, "full load", "rate"), 3)
          + right(row, "full load"),
          *(f"{number(middle(row, key, 'wait'))} / {number(middle(row, key, 'wait99'))}" for key in RATES[1:3]),
          *(number(middle(row, *of)) for of in (("idle", "memory"), ("full load", "memory"), ("idle", "cpu"),
                                                ("idle", "wakeups"))),
          spread(row, RATES)] for name, row in sorted(sites(found).items(), key=lambda pair: cost(pair[1]))])


def article_table(found):
    rows = sorted(found.get("article", {}).items(), key=lambda pair: cost(pair[1]))
    return table(["requests/s", "in the article", "here", "CPU, µs", "MB", "spread"],
                 [[name, SAID.get(name, ""), number(middle(row, "ab", "rate"), 3), number(middle(row, "ab")),
                   number(middle(row, "ab", "memory")), spread(row, ["ab"])] for name, row in rows])


def peers_table(found):
    """A place is a range: better are those that cost less than a fraction, and worse those that cost more."""
    rows = found.get("peers", {})

    def cells(row, key):
        if key not in row:
            return ["–", "–"]
        own, costs = middle(row, key), [middle(other, key) for other in rows.values() if key in other]
        best, worst = (sum(test(other) for other in costs) for test in (lambda other: other * EQUAL < own,
                                                                        lambda other: other <= own * EQUAL))
        return [number(own) + right(row, key), f"{best + 1}–{worst}" if worst > best + 1 else str(worst)]
    heads = ["program", "from", "bytes", "kept alive: CPU, µs", "place", "closed: CPU, µs", "place", "MB", "spread"]
    return table(heads,
                 [[name, row["from"], row["bytes"], *cells(row, "kept alive"), *cells(row, "closed"),
                   number(middle(row, "closed", "memory")), spread(row, ["kept alive", "closed"])]
                  for name, row in sorted(rows.items(), key=lambda pair: ("kept alive" not in pair[1], cost(pair[1])))])


def text(found, name):
    """A paragraph, with its figures."""
    site, article = sites(found), found["article"]
    known = {"processor": re.search(" of ([^,]*)", found["machine"])[1],
             "avatars": f"{down(20 * middle(site[SITE], 'full load', 'rate')):,}",
             "billion": down(20 * 86_400 * middle(site[SITE], "full load", "rate") / 1e8) / 10,
             "dearest": number(max(middle(row, "1/s") for row in site.values()) / 1e4)}
    for short, long in zip(("site", "go", "return", "php", "apache", "kept"),
                           (SITE, GO, RETURN, PHP, APACHE, "PHP behind nginx, 64 draws kept")):
        row = site[long]
        known.update({f"{short}_{key.partition(' ')[0].removesuffix('/s')}": number(middle(row, key) / 1e3)
                      for key in RATES})
        known.update({f"{short}_mb": number(middle(row, "idle", "memory")),
                      f"{short}_wakeups": number(middle(row, "idle", "wakeups"))})
        if "10,000 clients" in row:
            known[f"{short}_crowd"] = number(middle(row, "10,000 clients"))
    for short, long in {"jar": "avatar.jar", "original": "article's program"}.items():
        known.update({f"{short}{heap.strip(', MB')}": number(middle(article[long + heap], "ab", "rate"), 3)
                      for heap in ("", ", 16 MB")})
    return textwrap.wrap(" ".join(TEXTS[name].split()).format(**known), 120, break_on_hyphens=False,
                         break_long_words=False)


def chart(found):
    """Lines on logarithmic scales: a page's cost over the load. It has a background of its own, light or dark."""
    rows = sites(found)
    costs = {name: [middle(rows[name], key) / 1e3 for key in RATES] for name in NAMES if name in rows}
    least, most = (edge(cost for line in costs.values() for cost in line) for edge in (min, max))
    across = [60 + 145 * index for index in range(len(RATES))]

    def down_to(cost):
        return 310 - 240 * math.log(cost / least) / math.log(most / least)
    shapes = [f'<text x="{x}" y="345" text-anchor="middle">{key}</text>' for x, key in zip(across, RATES)]
    for tick in (0.2, 0.5, 1, 2, 5, 10, 20, 50):
        if least <= tick <= most:
            y = down_to(tick)
            shapes += [f'<path class="grid" d="M45 {y:.0f}H500"/>',
                       f'<text x="38" y="{y + 4:.0f}" text-anchor="end">{tick}</text>']
    last = 400
    for name, line in sorted(costs.items(), key=lambda pair: pair[1][-1]):
        colour, y = COLOURS[NAMES.index(name)], down_to(line[-1])
        last = min(y, last - 16)  # labels do not cover each other
        points = " ".join(f"{x},{down_to(cost):.0f}" for x, cost in zip(across, line))
        bold = ' stroke-width="4"' * (name == SITE)
        shapes += [f'<polyline stroke="{colour}" points="{points}"{bold}/>',
                   f'<text x="508" y="{last + 4:.0f}"><tspan fill="{colour}">●</tspan> {name} '
                   f'{number(line[-1])}</text>']
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 360" font-family="sans-serif" font-size="13">
<style>
rect {{ fill: #fff }} text {{ fill: #1f2328 }} .grid {{ stroke: #ccc }} polyline {{ fill: none; stroke-width: 2 }}
@media (prefers-color-scheme: dark) {{ rect {{ fill: #161b22 }} text {{ fill: #e6edf3 }} .grid {{ stroke: #444 }} }}
</style>
<rect width="760" height="360" rx="8"/>
<text x="20" y="28" font-size="15">A page of 20 avatars over TLS: ms of a core, at so many pages a second</text>
{chr(10).join(shapes)}
</svg>
"""


def write(found):
    """What is between a mark and the next empty line is made anew, if the parts that it needs are there."""
    for file in (BENCH / "README.md", BENCH.parent / "README.md"):
        page = file.read_text()
        made = {name: globals()[name](found) for name in ("site_table", "article_table", "peers_table")}
        made["machine"] = [f"Of {found['of']}, {found['machine']}."]
        if sites(found) and "article" in found:
            made.update({name: text(found, name) for name in TEXTS})
        for name, lines in made.items():
            page = re.sub(f"(<!-- {name}, by bench/report.py -->\n)(.+\n)*",
                          lambda mark: mark[1] + "\n".join([*lines, ""]), page)
        file.write_text(page)
    if sites(found):
        (BENCH / "results.svg").write_text(chart(found))


def keep(part, now, programs):
    """Puts a part into results.json, a program a line. Parts that were measured of other files or on another machine
    go."""
    file = BENCH / "results.json"
    found = json.loads(file.read_text()) if file.exists() else {}
    same = all(found.get(key) == now[key] for key in ("files", "machine"))
    found = {**(found if same else {}), **now, part: programs}
    text = json.dumps(found, indent=1)
    file.write_text(re.sub(r"(?<=\n)  \"[^\n]*\{\n(   .*\n)+  \}", lambda row: re.sub(r"\n +", " ", row[0]), text) + "\n")
    write(found)


if __name__ == "__main__":
    write(json.loads((BENCH / "results.json").read_text()))
