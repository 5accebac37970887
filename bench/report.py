"""Makes the table and the chart from results.json alone."""

import json

FOX, OTHER = "#d9541e", "#9aa5b1"  # avatar.jar, and everybody else


def limited(load):
    """Whether the load generator's core was full and the server's was not: then the server can do more."""
    return load["generator"]["median"] >= 0.9 > load["server"]["median"]


def ours(entry):
    return entry["label"].startswith("avatar.jar")


def label(entry):
    return f"**{entry['label']}**" if ours(entry) else entry["label"]


def first(entry):
    return f"{entry['first']['median'] * 1e3:.0f}" if entry.get("first") else "–"


def rate(entry, key, spreads=True):
    load, survives = entry.get("loads", {}).get(key), entry.get("survives", {})
    if not load and key not in survives:
        return "–"
    if not load:
        return f"dies in {entry['heap']} MB" + (f", survives in {survives[key]}" if survives[key] else "")
    if not load["rate"]["median"]:
        return "dies"
    text = f"{'≥ ' if limited(load) else ''}{load['rate']['median']:,.0f}"
    if spreads and load["rate"]["min"] < load["rate"]["max"]:
        text += f" <sub>{load['rate']['min']:,.0f}–{load['rate']['max']:,.0f}</sub>"
    if load["died"]:
        text += f", died {load['died']}×"
    return text


def cpu(entry, key):
    load = entry.get("loads", {}).get(key)
    return f"{load['cpu']['median']:.0f}" if load and load["cpu"] else "–"


def megabytes(spread):
    return f"{spread['median'] / 2**20:.0f}" if spread["median"] >= 2e6 else f"{spread['median'] / 2**20:.1f}"


def memory(entry, when):
    spreads = entry.get(when)
    return f"{megabytes(spreads['resident'])} ({megabytes(spreads['private'])})" if spreads else "–"


def errors(entry):
    lost = {key: load["errors"] for key, load in entry.get("loads", {}).items() if load["errors"]}
    return "; ".join(f"{key}: {count:,} of {entry['loads'][key]['requests'] + count:,}"
                     for key, count in lost.items()) or "0"


def size(count):
    return f"{count:,}" if count < 10_000 else f"{count / 1e3:,.0f} k" if count < 1e6 else f"{count / 1e6:.1f} M"


def table(head, rows):
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return [f"| {' | '.join(line)} |" for line in lines] + [""]


def ordered(peers):
    """Fastest first, by requests per second of core time: the generator's limit does not count in it."""
    def cost(entry):
        load = entry.get("loads", {}).get("10 closed")
        return load["cpu"]["median"] if load and load["cpu"] else float("inf")

    return sorted(peers.values(), key=cost)


def markdown(results):
    machine, plan, peers = results["machine"], results["plan"], ordered(results["peers"])
    marks = {}

    def name(entry):
        deviations = ", ".join(entry["deviations"])
        mark = f" [{marks.setdefault(deviations, len(marks) + 1)}]" if deviations else ""
        return label(entry) + mark

    lines = [f"{results['date'][:10]}, {machine['cpu']}, {machine['cores']} cores, {machine['system']}, Linux "
             f"{machine['kernel']}. One core for the server, one for the load generator. Medians of "
             f"{plan['rounds'] or 1} interleaved rounds, of 1,000 and more clients "
             f"{max(results['crowds'].values(), default=0)} that come last, {plan['seconds']} s "
             f"a load, after {plan['warm_up']} s of warm-up; in small type the least and the most.", "",
             "Requests per second. Kept alive: wrk; closed: ab; N clients. ≥: the generator's core was full and the "
             "server's was not. CPU: the server's, microseconds per request.", ""]
    keys = ["10 kept alive", "10 closed", "1000 kept alive", "1000 closed", "ab"]
    lines += table(["server", "kept alive, 10", "closed, 10", "kept alive, 1,000", "closed, 1,000",
                    "`ab -n 100000 -c 10`", "CPU kept alive", "CPU closed", "errors"],
                   [[name(entry), *(rate(entry, key) for key in keys), cpu(entry, keys[0]), cpu(entry, keys[1]),
                     errors(entry)] for entry in peers])
    lines += [f"[{number}] {deviations}  " for deviations, number in marks.items()]
    ceiling = {key: max(load["rate"]["max"] for entry in peers for kind, load in entry.get("loads", {}).items()
                        if kind.endswith(key)) for key in ("kept alive", "closed")}
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
    lines += site_table(results) + growth_tables(results)
    lines += [f"Missing: {peer} ({why})." for peer, why in results["missing"].items()]
    lines += [f"Not measured, because wrong: {peer} ({why})." for peer, why in results["wrong"].items()]
    versions = ", ".join(f"{version}" for version in machine["versions"].values() if version)
    return "\n".join([*lines, "", f"Versions: {versions}.", ""])


def site_table(results):
    """The deployed site, beside what nginx alone does."""
    if not results.get("tls"):
        return []
    lines = ["TLS: nginx with one worker and the JVM on the server's core. CPU: nginx + JVM, microseconds per "
             "request; in percent, of the same with ten clients. Errors: all but a 302, the foxes that nginx puts in "
             "the jar's place and connections that were closed under a request among them.", ""]
    rows = []
    for target, ways in results["tls"].items():
        base = ways.get("10 kept alive")
        for key, way in ways.items():
            clients, _, how = key.partition(" ")
            share = f" ({way['rate']['median'] / base['rate']['median']:.0%})" if base and how == "kept alive" else ""
            rows.append([target, how, f"{int(clients):,}",
                         f"{'≥ ' if way['generator']['median'] >= 0.9 else ''}{way['rate']['median']:,.0f}{share} "
                         f"<sub>{way['rate']['min']:,.0f}–{way['rate']['max']:,.0f}</sub>",
                         f"{way['cpu']['median']:.0f} + {way['cpu_jvm']['median']:.0f}",
                         f"{way['errors']:,} of {way['requests']:,}"])
    return lines + table(["target", "connections", "clients", "requests/s", "CPU", "errors"], rows)


def grown(entry, key):
    """What one load of a growing program gave: requests per second and the share of those with ten clients."""
    load, base = entry.get("loads", {}).get(key), entry.get("loads", {}).get("10 " + key.partition(" ")[2])
    if not load:
        return "–"
    share = f" ({load['rate']['median'] / base['rate']['median']:.0%})" if base and base["rate"]["median"] else ""
    text = f"{'≥ ' if limited(load) else ''}{load['rate']['median']:,.0f}{share}"
    if load["rate"]["min"] < load["rate"]["max"]:
        text += f" <sub>{load['rate']['min']:,.0f}–{load['rate']['max']:,.0f}</sub>"
    notes = [f"{load[what]:,} {what}" for what in ("errors", "closes") if load.get(what)]
    notes += [f"died {load['died']}×"] if load["died"] else []
    return "<br>".join([text, *notes])


def growing(results):
    return [results["peers"][name] for name in results.get("growth", []) if name in results["peers"]]


def growth_tables(results):
    """A table of connections kept alive, one of closed ones, and one of memory: a row for each number of clients."""
    entries = growing(results)
    if not entries:
        return []
    clients = sorted({int(key.split()[0]) for entry in entries for key in entry.get("loads", {})
                      if key[0].isdigit()})
    lines = ["Growth: requests per second (of those with ten clients, in percent) as clients grow, all programs warm "
             "and alive, the rounds in turn. Closes, of all rounds: requests that wrk had sent on a connection that "
             "the server closed without having said so; browsers and nginx repeat them, and they count as no "
             "errors.", ""]
    for how in ("kept alive", "closed"):
        lines += table([f"clients, {how}", *(entry["label"] for entry in entries)],
                       [[f"{count:,}", *(grown(entry, f"{count} {how}") for entry in entries)] for count in clients])
    peaks = [[f"{count:,}", *(megabytes(load["peak"]) if (load := entry["loads"].get(f"{count} kept alive"))
                              and load.get("peak") else "–" for entry in entries)] for count in clients]
    return lines + ["Resident MB while so many clients are kept alive:", ""] + table(
        ["clients", *(entry["label"] for entry in entries)], peaks)


def chart(results, path):
    """Four panels of bars over the same servers."""
    import matplotlib
    matplotlib.use("svg")
    # the same results give the same bytes; text stays text
    matplotlib.rcParams.update({"svg.hashsalt": "avatar", "svg.fonttype": "none", "font.family": "sans-serif",
                                "font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    from matplotlib import pyplot
    entries = [entry for entry in ordered(results["peers"]) if entry.get("loads")][::-1]
    colours = [FOX if ours(entry) else OTHER for entry in entries]

    def median(entry, *keys):
        for key in keys:
            entry = (entry or {}).get(key)
        return entry["median"] if entry else 0

    panels = [("closed connections,\nrequests/s", lambda entry: median(entry, "loads", "10 closed", "rate"), "{:,.0f}"),
              ("kept alive,\nrequests/s", lambda entry: median(entry, "loads", "10 kept alive", "rate"), "{:,.0f}"),
              ("resident after load,\nMB", lambda entry: median(entry, "after", "resident") / 2**20, "{:,.0f}"),
              ("first 302,\nms", lambda entry: median(entry, "first") * 1e3, "{:,.0f}"),
              ("shipped,\nkB (log)", lambda entry: entry["bytes"] / 1e3, "{:,.1f}")]
    figure, axes = pyplot.subplots(1, len(panels), sharey=True, figsize=(12, 0.8 + 0.26 * len(entries)))
    for axis, (title, value, form) in zip(axes, panels):
        values = [value(entry) for entry in entries]
        bars = axis.barh([entry["label"] for entry in entries], values, color=colours)
        axis.bar_label(bars, [form.format(number) if number else "–" for number in values], padding=2, fontsize=7)
        axis.set_title(title, fontsize=9)
        axis.set_xscale("log" if "log" in title else "linear")
        axis.margins(x=0.25)
        axis.tick_params(left=False, bottom=False, labelbottom=False)
        axis.spines[["bottom"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None}, facecolor="white")


def excerpt(results):
    """README's table: what most readers look for."""
    rows = [[label(entry), *(rate(entry, key, spreads=False) for key in ("10 closed", "10 kept alive", "1000 closed")),
             cpu(entry, "10 closed"), cpu(entry, "10 kept alive"),
             megabytes(entry["after"]["resident"]) if entry.get("after") else "–",
             first(entry), size(entry["bytes"])]
            for entry in ordered(results["peers"])]
    return "\n".join(table(["server", "closed/s", "kept alive/s", "closed/s, 1,000 clients", "CPU µs closed",
                            "kept alive", "MB after load", "first 302, ms", "bytes"], rows))


def write(folder, readme=None):
    """The table and the chart into the folder, and an excerpt between README's two marks."""
    results = json.loads((folder / "results.json").read_text())
    (folder / "results.md").write_text(markdown(results))
    if readme:
        begin, end = "<!-- bench/run writes from here -->\n", "<!-- to here -->"
        before, _, rest = readme.read_text().partition(begin)
        readme.write_text(before + begin + excerpt(results) + end + rest.partition(end)[2])
    chart(results, folder / "results.svg")
