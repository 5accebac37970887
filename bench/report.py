"""Makes the table and the chart from results.json alone."""

import json

FOX, OTHER = "#d9541e", "#9aa5b1"  # avatar.jar, and everybody else


COMPARED = ["10 kept alive", "10 closed", "1000 kept alive", "1000 closed", "ab"]  # what every peer is measured with
PLACES = ("in brackets the places that it may have by that, since programs whose ranges overlap are not told apart")


def limited(load):
    """Whether the load generator's core was full and the server's was not: then the server can do more."""
    return load["generator"]["median"] >= 0.9 > load["server"]["median"]


def ours(entry):
    return entry["label"].startswith("avatar.jar")


def label(entry):
    return f"**{entry['label']}**" if ours(entry) else entry["label"]


def first(entry):
    return f"{entry['first']['median'] * 1e3:.0f}" if entry.get("first") else "–"


def ranged(spread):
    return f" <sub>{spread['min']:,.0f}–{spread['max']:,.0f}</sub>" if spread["min"] < spread["max"] else ""


def rate(entry, key, spreads=True):
    load, survives = entry.get("loads", {}).get(key), entry.get("survives", {})
    if not load and key not in survives:
        return "–"
    if not load:
        return f"dies in {entry['heap']} MB" + (f", survives in {survives[key]}" if survives[key] else "")
    if not load["rate"]["median"]:
        return "dies"
    text = f"{'≥ ' if limited(load) else ''}{load['rate']['median']:,.0f}"
    if spreads:
        text += ranged(load["rate"])
    if load["died"]:
        text += f", died {load['died']}×"
    return text


def cost(entry, key):
    """The processor time of a request, in microseconds: median, min and max."""
    return entry.get("loads", {}).get(key, {}).get("cpu")


def cpu(entry, key, peers):
    """The processor time of a request, and the places that it may have: samples of a second each do not tell programs
    apart whose ranges overlap."""
    own, costs = cost(entry, key), [found for peer in peers if (found := cost(peer, key))]
    if not own:
        return "–"
    best = 1 + sum(other["max"] < own["min"] for other in costs)
    worst = sum(other["min"] <= own["max"] for other in costs)
    places = f" ({best}{f'–{worst}' if worst > best else ''})"
    return f"{own['median']:.0f}" + places * (own["min"] < own["max"])  # a single sample says nothing of its range


def megabytes(spread):
    return f"{spread['median'] / 2**20:.0f}" if spread["median"] >= 2e6 else f"{spread['median'] / 2**20:.1f}"


def memory(entry, when):
    spreads = entry.get(when)
    return f"{megabytes(spreads['resident'])} ({megabytes(spreads['private'])})" if spreads else "–"


def errors(entry):
    loads = {key: entry["loads"][key] for key in COMPARED if key in entry.get("loads", {})}
    return "; ".join(f"{key}: {load[what]:,} {what} in {load['requests']:,}" for key, load in loads.items()
                     for what in ("errors", "closes") if load.get(what)) or "0"


def size(count):
    return f"{count:,}" if count < 10_000 else f"{count / 1e3:,.0f} k" if count < 1e6 else f"{count / 1e6:.1f} M"


def table(head, rows):
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return [f"| {' | '.join(line)} |" for line in lines] + [""]


def ordered(peers):
    """Least processor time per request first: the generator's limit does not count in it."""
    return sorted(peers.values(), key=lambda entry: (cost(entry, "10 closed") or {"median": float("inf")})["median"])


def markdown(results):
    machine, plan, peers = results["machine"], results["plan"], ordered(results["peers"])
    marks, crowds = {}, sorted((int(clients), rounds) for clients, rounds in results["crowds"].items())

    def name(entry):
        deviations = ", ".join(entry["deviations"])
        mark = f" [{marks.setdefault(deviations, len(marks) + 1)}]" if deviations else ""
        return label(entry) + mark

    lines = [f"{results['date'][:10]}, {machine['cpu']}, {machine['cores']} cores, {machine['system']}, Linux "
             f"{machine['kernel']}. One core for the server, one for the load generator. Medians of interleaved rounds "
             f"after {plan['warm_up']} s of warm-up: {plan['rounds'] or 1} with ten clients, {plan['grown']} with each "
             f"other number of clients, and last, {', '.join(f'{rounds} with {crowd:,}' for crowd, rounds in crowds)}. "
             f"A load lasts {plan['seconds']} s, with 10,000 clients 2 s more, with TLS {plan['site']} s. In "
             "small type the least and the most.", "",
             "Requests per second. Kept alive: wrk; closed: ab; N clients. ≥: the generator's core was full and the "
             f"server's was not. CPU: the server's, microseconds per request; {PLACES}. Errors: connection refused, no "
             "answer in time, not a 302. Closes: requests on a connection that the server closed without having said "
             "so in the answer before; browsers and nginx send them again.", ""]
    lines += table(["server", "kept alive, 10", "closed, 10", "kept alive, 1,000", "closed, 1,000",
                    "`ab -n 100000 -c 10`", "CPU kept alive", "CPU closed", "errors"],
                   [[name(entry), *(rate(entry, key) for key in COMPARED),
                     *(cpu(entry, key, peers) for key in COMPARED[:2]), errors(entry)] for entry in peers])
    lines += [f"[{number}] {deviations}  " for deviations, number in marks.items()]
    ceiling = {key: max((load["rate"]["max"] for entry in peers for kind, load in entry.get("loads", {}).items()
                        if kind.endswith(key)), default=0) for key in ("kept alive", "closed")}
    lines += ["", f"The generators themselves were seen to reach {ceiling['kept alive']:,.0f} requests/s kept alive "
              f"and {ceiling['closed']:,.0f} closed."]
    lines += ["", "Memory in MB: resident, in brackets what is private. Shipped: bytes beside what it runs on.", ""]
    heap = {id(entry): f"{entry['heap']}" + (f" (in 8: {entry['not_in_8']})" if "not_in_8" in entry else "")
            if entry["jvm"] else "–" for entry in peers}
    lines += table(["server", "heap, MB", "idle", "after load", "first 302, ms", "shipped", "runs on", "lines"],
                   [[label(entry), heap[id(entry)], memory(entry, "idle"), memory(entry, "after"),
                     first(entry), size(entry["bytes"]), entry["runtime"], str(entry["lines"])] for entry in peers])
    if results.get("java_version"):
        lines += [f"`java -version` takes {results['java_version']['median'] * 1e3:.0f} ms.", ""]
    lines += growth_tables(results) + growth_memory(results) + site_table(results)
    lines += [f"Missing: {peer} ({why})." for peer, why in results["missing"].items()]
    lines += [f"Not measured, because wrong: {peer} ({why})." for peer, why in results["wrong"].items()]
    versions = ", ".join(f"{version}" for version in machine["versions"].values() if version)
    return "\n".join([*lines, "", f"Versions: {versions}.", ""])


def site_table(results, spreads=True):
    """The deployed site, beside what nginx alone does."""
    if not results.get("tls"):
        return []
    lines = ["TLS: nginx with one worker and the JVM on the server's core. CPU: nginx + JVM, microseconds per "
             "request; in percent, of the same with ten clients. Errors: all but a 302, the foxes that nginx puts in "
             "the jar's place and connections that were closed under a request among them.", ""]
    rows = []
    for target, ways in results["tls"].items():
        base = ways.get("10 kept alive")
        for key, way in sorted(ways.items(), key=lambda way: int(way[0].split()[0])):
            clients, _, how = key.partition(" ")
            share = f" ({way['rate']['median'] / base['rate']['median']:.0%})" if base and how == "kept alive" else ""
            rows.append([target, how, f"{int(clients):,}",
                         f"{'≥ ' if way['generator']['median'] >= 0.9 else ''}{way['rate']['median']:,.0f}{share}"
                         + ranged(way["rate"]) * spreads,
                         f"{way['cpu']['median']:.0f} + {way['cpu_jvm']['median']:.0f}",
                         f"{way['errors']:,} of {way['requests']:,}"])
    return lines + table(["target", "connections", "clients", "requests/s", "CPU", "errors"], rows)


def grown(entry, key, spreads):
    """What one load of a growing program gave: requests per second and the share of those with ten clients."""
    load, base = entry.get("loads", {}).get(key), entry.get("loads", {}).get("10 " + key.partition(" ")[2])
    if not load:
        return "–"
    share = f" ({load['rate']['median'] / base['rate']['median']:.0%})" if base and base["rate"]["median"] else ""
    text = f"{'≥ ' if limited(load) else ''}{load['rate']['median']:,.0f}{share}"
    if spreads:
        text += ranged(load["rate"])
    notes = [f"{load[what]:,} {what}" for what in ("errors", "closes") if load.get(what)]
    notes += [f"died {load['died']}×"] if load["died"] else []
    return "<br>".join([text, *notes])


def growing(results):
    return [results["peers"][name] for name in results.get("growth", []) if name in results["peers"]]


def growth_tables(results, spreads=True):
    """Connections kept alive, and closed: a row for each number of clients."""
    entries = growing(results)
    if not entries:
        return []
    clients = grown_clients(entries)
    lines = ["Growth: requests per second (of those with ten clients, in percent) as clients grow, all programs warm "
             "and alive, the rounds in turn. Closes, of all rounds: requests that wrk had sent on a connection that "
             "the server closed without having said so; browsers and nginx repeat them, and they count as no "
             "errors.", ""]
    for how in ("kept alive", "closed"):
        rows = [[f"{count:,}", *(grown(entry, f"{count} {how}", spreads) for entry in entries)] for count in clients]
        lines += table([f"clients, {how}", *(entry["label"] for entry in entries)], rows)
    return lines


def grown_clients(entries):
    return sorted({int(key.split()[0]) for entry in entries for key in entry.get("loads", {}) if key[0].isdigit()})


def growth_memory(results):
    entries = growing(results)
    rows = [[f"{count:,}", *(megabytes(load["peak"]) if (load := entry["loads"].get(f"{count} kept alive"))
                             and load.get("peak") else "–" for entry in entries)] for count in grown_clients(entries)]
    return ["Resident MB while so many clients are kept alive:", "", *table(
        ["clients", *(entry["label"] for entry in entries)], rows)] if entries else []


def plotter():
    import matplotlib
    matplotlib.use("svg")
    # the same results give the same bytes; text stays text
    matplotlib.rcParams.update({"svg.hashsalt": "avatar", "svg.fonttype": "none", "font.family": "sans-serif",
                                "font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    from matplotlib import pyplot
    return pyplot


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None}, facecolor="white")


def growth_chart(results, path):
    """Requests per second over the number of clients: kept alive, closed, and through the site."""
    entries = growing(results)
    site = {target: ways for target, ways in results.get("tls", {}).items() if len(ways) > 2}
    if not entries and not site:
        return
    figure, axes = plotter().subplots(1, 3, figsize=(12, 4))
    lines = {"kept alive": {entry["label"]: entry.get("loads", {}) for entry in entries},
             "closed": {entry["label"]: entry.get("loads", {}) for entry in entries},
             "the deployed site, TLS, kept alive": site}
    for axis, (title, programs) in zip(axes, lines.items()):
        way = "closed" if title == "closed" else "kept alive"
        for (label, loads), style in zip(programs.items(), ["-", "--", ":", "-", "-.", "--", ":"]):
            rates = {int(key.split()[0]): load["rate"] for key, load in loads.items() if key.endswith(f" {way}")}
            clients = sorted(rates)
            low, middle, high = ([rates[count][which] for count in clients] for which in ("min", "median", "max"))
            colour = FOX if label.startswith(("avatar.jar", "through")) and "before" not in label else OTHER
            axis.plot(clients, middle, style, color=colour, marker=".", label=label)
            axis.fill_between(clients, low, high, color=colour, alpha=0.15, linewidth=0)
        axis.set(xscale="log", title=f"{title}, requests/s", xlabel="clients", ylim=(0, None))
        axis.title.set_fontsize(9)
        axis.xaxis.set_major_formatter("{x:,.0f}")
        axis.yaxis.set_major_formatter("{x:,.0f}")
        axis.legend(fontsize=7, frameon=False) if programs else None
    save(figure, path)


def chart(results, path):
    """Panels of bars over the same servers, the line on a bar from the least to the most."""
    pyplot = plotter()
    entries = [entry for entry in ordered(results["peers"]) if entry.get("loads")][::-1]
    colours = [FOX if ours(entry) else OTHER for entry in entries]

    def spread(entry, *keys, scale=1):
        for key in keys:
            entry = (entry or {}).get(key)
        return [entry[which] * scale for which in ("min", "median", "max")] if entry else [0, 0, 0]

    panels = [("closed connections,\nrequests/s", lambda entry: spread(entry, "loads", "10 closed", "rate"), "{:,.0f}"),
              ("kept alive,\nrequests/s", lambda entry: spread(entry, "loads", "10 kept alive", "rate"), "{:,.0f}"),
              ("resident after load,\nMB", lambda entry: spread(entry, "after", "resident", scale=2**-20), "{:,.0f}"),
              ("first 302,\nms", lambda entry: spread(entry, "first", scale=1e3), "{:,.0f}"),
              ("shipped,\nkB (log)", lambda entry: [entry["bytes"] / 1e3] * 3, "{:,.1f}")]
    figure, axes = pyplot.subplots(1, len(panels), sharey=True, figsize=(12, 0.8 + 0.26 * len(entries)))
    for axis, (title, value, form) in zip(axes, panels):
        lows, values, highs = zip(*map(value, entries)) if entries else ([], [], [])
        ranges = [[middle - low for low, middle in zip(lows, values)],
                  [high - middle for middle, high in zip(values, highs)]]
        bars = axis.barh([entry["label"] for entry in entries], values, color=colours, xerr=ranges,
                         error_kw={"ecolor": "#444444", "elinewidth": 0.6})
        axis.bar_label(bars, [form.format(number) if number else "–" for number in values], padding=2, fontsize=7)
        axis.set_title(title, fontsize=9)
        axis.set_xscale("log" if "log" in title else "linear")
        axis.margins(x=0.25)
        axis.tick_params(left=False, bottom=False, labelbottom=False)
        axis.spines[["bottom"]].set_visible(False)
    save(figure, path)


def beside(peers):
    """What the article's program has become, in the same heap and under the same command."""
    rows = []
    for ours, theirs in [("avatar", "original"), ("avatar-pool", "original-pool")]:
        if ours in peers and theirs in peers:
            loads = [(peers[ours].get("loads", {}).get(key), peers[theirs].get("loads", {}).get(key))
                     for key in ("10 kept alive", "10 closed")]
            if all(new and old for new, old in loads):
                rows.append([f"{label(peers[ours])} beside {label(peers[theirs])}",
                             *(f"{new['rate']['median'] / old['rate']['median']:.1f}×" for new, old in loads),
                             *(f"{new['cpu']['median'] / old['cpu']['median']:.0%}" for new, old in loads)])
    return table(["ten clients", "requests/s kept alive", "requests/s closed", "CPU kept alive", "CPU closed"],
                 rows) if rows else []


def excerpt(results):
    """README's tables: what most readers look for."""
    peers = ordered(results["peers"])
    rows = [[label(entry), *(cpu(entry, key, peers) for key in ("10 closed", "10 kept alive")),
             *(rate(entry, key, spreads=False) for key in ("10 closed", "10 kept alive", "1000 closed")),
             megabytes(entry["after"]["resident"]) if entry.get("after") else "–", first(entry), size(entry["bytes"])]
            for entry in peers]
    lines = ["", "Ten clients where no other number is given. CPU: the server's microseconds per request; "
             f"{PLACES}. /s: requests per second of one core. ≥: the load generator's core was full and the server's "
             "was not. MB: resident after load. First 302: milliseconds from the start of the process. Bytes: what is "
             "shipped, beside the runtime.", ""]
    lines += table(["server", "CPU closed", "CPU kept alive", "closed/s", "kept alive/s", "closed/s, 1,000 clients",
                    "MB", "first 302", "bytes"], rows)
    lines += beside(results["peers"])
    return "\n".join([*lines, *growth_tables(results, spreads=False), *site_table(results, spreads=False), ""])


def write(folder, readme=None):
    """The tables and the charts into the folder, and an excerpt between README's two marks."""
    results = json.loads((folder / "results.json").read_text())
    (folder / "results.md").write_text(markdown(results))
    if readme:
        begin, end = "<!-- bench/run writes from here -->\n", "<!-- to here -->"
        before, _, rest = readme.read_text().partition(begin)
        readme.write_text(before + begin + excerpt(results) + end + rest.partition(end)[2])
    chart(results, folder / "results.svg")
    growth_chart(results, folder / "growth.svg")
