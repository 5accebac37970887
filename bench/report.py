"""Writes the tables and the chart from results.json alone."""

import json
import re
from statistics import median
from xml.sax.saxutils import escape

FORUM = 10 * 20  # requests a second: page views a second, times avatars on a page
KEPT, CLOSED = "10 kept alive", "10 closed"
FOX, GREY = "#d9541e", "#9aa5b1"  # avatar.jar, and everybody else
BEST = {"rate": max, "cpu": min, "cpu_jvm": min, "p99": min, "slowest": min, "first": min}


def best(load, field):
    return BEST[field](load[field]) if load and load.get(field) else None


def number(value):
    return "–" if value is None else f"{value:,.1f}" if value < 10 else f"{value:,.0f}"


def limited(load):
    """Whether the load generator's core was full and the server's was not: then the server can do more."""
    return load and median(load["generator"]) >= 0.9 > median(load["server"])


def figure(load, field="rate"):
    return f"{'≥ ' * bool(field == 'rate' and limited(load))}{number(best(load, field))}"


def both(load, field="rate"):
    """The best of the rounds, and the median."""
    return f"{figure(load, field)} <sub>({number(median(load[field]))})</sub>" if load else "–"


def ahead(load, other):
    """Whether it stands before the other, by processor time: the generator's limit does not count in that."""
    return min(load["cpu"]) < min(other["cpu"]) and median(load["cpu"]) < median(other["cpu"])


def megabytes(entry):
    return number(entry["memory"] / 2**20)


def size(count):
    return f"{count:,}" if count < 10_000 else f"{count / 1e3:,.0f} k" if count < 1e6 else f"{count / 1e6:.1f} M"


def table(head, rows):
    return [f"| {' | '.join(line)} |" for line in [head, ["---"] + ["--:"] * (len(head) - 1), *rows]] + [""]


class Results:
    def __init__(self, results):
        self.machine = results["machine"]
        self.parts = {part: results.get(part, {}) for part in ("peers", "growth", "site")}

    def programs(self, part):
        return self.parts[part].get("programs", {})

    def load(self, part, name, key=KEPT):
        return self.programs(part).get(name, {}).get("loads", {}).get(key)

    def ordered(self, key=KEPT):
        """The peers and their loads, least processor time per request first."""
        found = [(name, entry, load) for name, entry in self.programs("peers").items()
                 if (load := entry.get("loads", {}).get(key))]
        return sorted(found, key=lambda each: min(each[2]["cpu"]))

    def place(self, load):
        """The places that it may have: programs of which neither is ahead of the other are not told apart."""
        others = [other for _, _, other in self.ordered()]
        first = 1 + sum(ahead(other, load) for other in others)
        last = len(others) - sum(ahead(load, other) for other in others)
        return f"{first}" if first == last else f"{first}–{last}"

    def label(self, name):
        label = self.programs("peers").get(name, {}).get("label", name)
        return f"**{label}**" if label.startswith("avatar.jar") else label


def thirty_seconds(results):
    """What a reader wants to know first; a line whose figures are not there is left out."""
    lines = []
    site, crowd = results.load("site", "site"), results.load("site", "site", "1000 kept alive")
    if site and crowd:
        jvm, nginx = best(site, "cpu_jvm"), best(site, "cpu")
        lines += [f"- **A busy forum** needs {FORUM} redirects a second: ten page views a second, with twenty avatars "
                  "on each page, and no browser keeps a redirect.",
                  f"- **One core of the deployed site**, nginx and the JVM together, gives {figure(site)} a second "
                  f"over TLS, enough for {best(site, 'rate') / FORUM:,.0f} such forums. A redirect takes "
                  f"{jvm + nginx:.0f} µs of processor time, of which the JVM takes {jvm:.0f} "
                  f"({jvm / (jvm + nginx):.0%}).",
                  f"- **The slowest percent** waits at least {figure(site, 'p99')} ms when ten clients ask without a "
                  f"pause, and {figure(crowd, 'p99')} ms when a thousand do.", "",
                  "Without TLS, requests a second of one core over connections kept alive, as behind nginx, and with a "
                  "new connection for each; memory after load; the first answer after the start; and what is shipped:",
                  ""]
    for text, name in [("**avatar.jar, as deployed**", "avatar-unit"), ("Three lines of PHP behind nginx", "php"),
                       ("Go", "go"), ("nginx alone, `return 302`", "nginx"),
                       ("nginx alone, `random_index`", "nginx-pictures"),
                       ("**avatar.jar** under README's command", "avatar"),
                       ("The article's program under the same command", "original"),
                       ("An empty handler under it, the floor for this engine", "floor")]:
        if load := results.load("peers", name):
            entry = results.programs("peers")[name]
            line = (f"- {text}: **{figure(load)}** and **{figure(results.load('peers', name, CLOSED))}**; "
                    f"{megabytes(entry)} MB, {best(entry, 'first') * 1e3:,.0f} ms, {size(entry['bytes'])} bytes.")
            if name == "nginx-pictures":
                line += (f" No redirect, but each visit loads the picture again: {median(load['bytes']):,.0f} bytes. "
                         "After a redirect the browser already has it.")
            lines.append(line)
    return lines


def behind(results):
    """Who is ahead of the jar in best and median, kept alive and closed."""
    lines = []
    for key in (KEPT, CLOSED):
        for name in ("avatar-unit", "avatar"):
            if own := results.load("peers", name, key):
                others = [(results.label(other), load) for other, _, load in results.ordered(key)
                          if not other.startswith(("avatar", "other"))]
                before = "; ".join(label for label, load in others if ahead(load, own)) or "nobody"
                tied = "; ".join(label for label, load in others if not ahead(load, own) and not ahead(own, load))
                lines.append(f"- {key.removeprefix('10 ').capitalize()}, less processor time than "
                             f"{results.label(name)}: {before}." + f" Not told apart from it: {tied}." * bool(tied))
    return [*lines, ""]


def main_table(results):
    rows = [[f"{results.label(name)} ({results.place(load)})", both(load), both(load, "cpu"),
             both(results.load("peers", name, CLOSED)), both(results.load("peers", name, CLOSED), "cpu"),
             megabytes(entry), f"{best(entry, 'first') * 1e3:,.0f}", size(entry["bytes"])]
            for name, entry, load in results.ordered()]
    return table(["server (place)", "kept alive/s", "CPU, µs", "closed/s", "CPU, µs", "MB", "first answer, ms",
                  "bytes"], rows)


def growth_cell(load):
    """What direct clients get: answers a second, the share of attempts that are refused, and whether it stays alive."""
    if not load:
        return "–"
    lost = sum(load["refused"]) / max(sum(load["refused"]) + sum(load["requests"]), 1)
    died, late = load["alive"].count(False), sum(load["late"])
    return "<br>".join([f"{number(best(load, 'rate'))}/s", *[f"{lost:.2%} refused"] * bool(lost),
                        *[f"{late:,} late"] * bool(late), *[f"dead {died} of {len(load['alive'])}"] * bool(died)])


def growth_tables(results):
    programs = results.programs("growth")
    lines = []
    for way in ("kept alive", "closed"):
        keys = [key for entry in list(programs.values())[:1] for key in entry["loads"] if key.endswith(way)]
        lines += table([f"direct clients, {way}", *programs], [
            [key.removesuffix(f" {way}"), *(growth_cell(entry["loads"].get(key)) for entry in programs.values())]
            for key in keys])
    return lines


def site_table(results):
    rows = []
    for name, entry in results.programs("site").items():
        for key, load in entry["loads"].items():
            right = sum(load["requests"]) - sum(load["wrong"])
            asked = sum(load["requests"]) + sum(load["refused"]) + sum(load["late"])
            rows.append([f"{name}, {key}", both(load), f"{right / asked:.2%}", figure(load, "p99"),
                         figure(load, "slowest"), f"{best(load, 'cpu'):.0f} + {best(load, 'cpu_jvm'):.0f}"])
    return table(["clients over TLS", "redirects/s", "right", "slowest percent, ms", "slowest, ms",
                  "CPU, nginx + JVM, µs"], rows)


def details(results):
    """What README does not say."""
    machine, peers = results.machine, results.ordered()
    lines = ["# Versions, and the figures that README leaves out", "",
             f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}, Linux {machine['kernel']}. "
             f"{'; '.join(machine['versions'])}.", "",
             "[README.md](README.md) says how they are measured and what the columns mean.", ""]
    for part, found in results.parts.items():
        if found:
            lines += [f"- {part}: {found['date'][:10]}, {found['plan']['rounds']} rounds of loads of "
                      f"{found['plan']['seconds']} s."]
            lines += [f"- Missing: {name} ({why})." for name, why in found["missing"].items()]
            lines += [f"- Not measured, because wrong: {name} ({why})." for name, why in found["wrong"].items()]
    lines += ["", "Ten clients. Slowest percent: ms, kept alive and closed. Bytes per answer: with headers. Generator: "
              "the share of its core that it used. Lost: requests without a right answer, of all rounds.", ""]
    rows = []
    for name, entry, load in peers:
        second = results.load("peers", name, CLOSED)
        loads = [each for each in (load, second) if each]
        lost = sum(sum(each[what]) for each in loads for what in ("wrong", "late", "refused"))
        rows.append([results.label(name), str(entry["heap"] or "–"), entry["runtime"],
                     " · ".join(figure(each, "p99") for each in loads), number(median(load["bytes"])),
                     " · ".join(f"{median(each['generator']):.0%}" for each in loads), f"{lost:,}",
                     ", ".join(entry["deviations"]) or "–"])
    return "\n".join([*lines, *table(["server", "heap, MB", "runs on", "slowest percent", "bytes per answer",
                                      "generator", "lost", "deviations"], rows)])


def chart(results):
    """Two columns of bars; a stranger knows what each bar is from its name."""
    rows = [("avatar.jar behind nginx, over TLS", "site", "site"), ("avatar.jar", "peers", "avatar"),
            ("the article's program", "peers", "original"), ("Go net/http", "peers", "go"),
            ("nginx alone, return 302", "peers", "nginx"), ("three lines of PHP behind nginx", "peers", "php")]
    panels = [(280, KEPT, "connections kept alive"), (555, CLOSED, "a new connection for each")]
    width, top, step, bar = 820, 84, 32, 170
    height = top + step * len(rows) + 30
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
             f'font-size="14" fill="#222">', f'<rect width="{width}" height="{height}" fill="#fff"/>',
             '<text x="16" y="30" font-size="18" font-weight="bold">Redirects a second from one processor core</text>']
    for left, key, title in panels:
        loads = [results.load(part, name, key) for _, part, name in rows]
        most = max((best(load, "rate") for load in loads if load), default=1)
        lines.append(f'<text x="{left}" y="{top - 18}" font-weight="bold">{title}</text>')
        for index, ((label, *_), load) in enumerate(zip(rows, loads)):
            y, ours = top + step * index, label.startswith("avatar.jar")
            weight, length = ' font-weight="bold"' * ours, best(load, "rate") / most * bar if load else 0
            if key == KEPT:
                lines.append(f'<text x="{left - 10}" y="{y + 15}" text-anchor="end" font-size="13"{weight}>'
                             f'{escape(label)}</text>')
            lines += [f'<rect x="{left}" y="{y}" width="{length:.1f}" height="21" fill="{FOX if ours else GREY}"/>',
                      f'<text x="{left + length + 6:.1f}" y="{y + 15}"{weight}>{figure(load)}</text>']
    lines += [f'<text x="16" y="{height - 12}" font-size="12" fill="#666">Ten clients, best of all '
              f'rounds; only the first line speaks TLS. ≥: the load generator could do no more.</text>', "</svg>", ""]
    return "\n".join(lines)


def write(folder):
    """results.md and the chart into the folder, and the regions that README.md there leaves to this program."""
    results = Results(json.loads((folder / "results.json").read_text()))
    (folder / "results.md").write_text(details(results))
    (folder / "results.svg").write_text(chart(results))
    regions = {"thirty seconds": thirty_seconds(results), "table": main_table(results),
               "growth": growth_tables(results), "site": site_table(results), "behind": behind(results)}
    readme = folder / "README.md"
    if readme.exists():
        text = readme.read_text()
        for name, lines in regions.items():
            region = f"<!-- bench/run writes from here: {name} -->\n\n{chr(10).join(lines).strip()}\n\n<!-- to here -->"
            text = re.sub(f"<!-- bench/run writes from here: {name} -->.*?<!-- to here -->", lambda _: region, text,
                          flags=re.S)
        readme.write_text(text)
