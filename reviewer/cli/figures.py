"""The document of `stats` as tables for people, pooled and by run: no figure without its n."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reviewer.cli.console import (
    clean,
    interval,
    number,
    out,
    percent,
    shown,
    signed,
    table,
    with_interval,
)
from reviewer.domain.wording import DASH
from reviewer.stats.rates import OF_VERDICTS, RATES

Block = Mapping[str, Any]
NAMED = 6
"""Runs that are named in the first line; there may be hundreds."""
PAIRS_SHOWN = 100
"""Pairs of labelers that are listed; a crowd has thousands, and the document has them all."""


def show(document: Block) -> None:
    """Show the whole document."""
    out(_heading(document))
    for entry in document["stale"]:
        out(f"Mind: {clean(entry['text'])}")
    if _all_outside(document):
        out(f"Mind: every labelled evaluation lies {_beyond(document)}.")
    _trust(document)
    _scores(document)
    _records(document)
    for block in document["metrics"].values():
        found = block["leaning"]
        if found["state"] != "unlabelled":
            said, n = clean(found["sentence"]).rstrip("."), found.get("n", block["n_labelled"])
            out(f"{said} (its bias, n {n:,})." if n != block["n_labelled"] else f"{said}.")
    _uncorrected(document)
    _agreement(document, "judge_human", "Agreement of judge and people")
    _agreement(document, "human_human", "Agreement among people (of these labelers)")
    _pairs(document)
    _passing(document["pass"])
    by_run(document)
    if "groups" in document:
        _groups(document["groups"])
    if "insights" in document:
        _insights(document["insights"])


def _trust(document: Block) -> None:
    """Say first what the figures come to."""
    out(clean(document["trust"]["headline"]))
    for block in document["metrics"].values():
        found = block["trust"]
        if block["n_labelled"]:
            out(clean(f"{found['title']}: {found['words']}. {found['text']}"))


def _heading(document: Block) -> str:
    parts = [
        f"Rubric {document['rubric']}",
        _covers(document["filters"]),
        f"preset {document['preset']}",
        _window(document["window"]),
        f"intervals at {100 * document['level']:g} %, each for one look",
    ]
    return clean("; ".join(parts)) + "."


def _covers(filters: Block) -> str:
    """Say which runs the figures are of, and which they leave out."""
    covers, left_out = filters["covers"], filters["left_out"]
    words = f"{'run' if len(covers) == 1 else 'runs'} {_listed(covers)}"
    if not left_out:
        return words
    if len(covers) == 1 and not filters["run"]:
        words += ", the newest"
    return f"{words}; left out: {_listed(left_out)}"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[-NAMED:]) + (f" and {more:,} more" if more > 0 else "")


def _beyond(document: Block) -> str:
    if document["window"]["bounds"] == "nothing":
        return f"after {document['as_of']}; a later --as-of takes them in"
    return "outside the window; --window-months none takes them in"


def _window(window: Block) -> str:
    if window["bounds"] == "nothing":
        until = window["words"]
        return f"no window; gaps, deviations and bands {until}" if until else "no window"
    days = f"{window['from']} to {window['to']}"
    if window["bounds"] == "everything":
        return f"everything of {days}"
    return f"gaps, deviations and bands of the {window['words']} ({days})"


def _all_outside(document: Block) -> bool:
    """Tell whether there are pairs of auto and human scores, but none in the window."""
    blocks = document["metrics"].values()
    return bool(sum(block["agreement"]["judge_human"]["n"] for block in blocks)) and not sum(
        block["n_labelled"] for block in blocks
    )


def _scores(document: Block) -> None:
    rows = [(name, block["scorer"] or DASH, block) for name, block in document["metrics"].items()]
    rows.append(("overall", "", document["satisfaction"]))
    since = document["window"]["words"]
    both = f"n both, {since}>" if since else "n both>"
    table(
        "Scores",
        ("metric", "judge", "n auto>", "auto>", both, "blind>", "human>", "gap>",
         "upper dev.>", "lower dev.>", "band>", "adjusted>", "corrected>"),
        (
            (
                name,
                judge,
                f"{block['n_auto']:,}",
                number(block["auto_mean"]),
                f"{block['n_labelled']:,}",
                f"{block['n_blind']:,}" if "n_blind" in block else "",
                number(block["human_mean"]),
                signed(block["gap_mean"]),
                signed(block["upper_deviation"]),
                signed(block["lower_deviation"]),
                shown(block["shown"]["band"], signed),
                shown(block["shown"]["adjusted"], number),
                corrected_with_ends(block.get("corrected")),
            )
            for name, judge, block in rows
        ),
    )  # fmt: skip


def _records(document: Block) -> None:
    """Say of which version each metric's scores are, on how many, and what does not count."""
    alike: dict[tuple[str, str], list[str]] = {}
    for x in document["record"]:
        alike.setdefault((x["run"], _counted(x)), []).append(x["metric"])
    for (run, told), metrics in alike.items():
        out(clean(f"{', '.join(metrics)} of {run}: {told}"))
    scored = {x["metric"] for x in document["record"]}
    for name, block in document["metrics"].items():
        if name in scored and block["n_derived"]:
            out(
                clean(
                    f"{name}: {block['n_derived']:,} more auto scores follow from other metrics."
                )
            )


def _counted(found: Block) -> str:
    others = ", ".join(f"{x['name']} on {x['n']:,}" for x in found["not_counted"])
    beside = f"; not counted: {others}" if others else ""
    if found["name"] is None:
        return f"{found['reason']}{beside}."
    repeats = ", with its repeats" if found["with_repeats"] else ""
    return f"{found['name']} on {found['n']:,} of {found['of']:,}{repeats}{beside}."


def _agreement(document: Block, side: str, title: str) -> None:
    rows = [(name, block["agreement"][side]) for name, block in document["metrics"].items()]
    if side == "judge_human":
        _apart(document, rows)
    rows = [(name, block) for name, block in rows if block["n"]]
    if not rows:
        return
    table(
        title,
        ("metric", "n>", "labelers>", "same>", "within one>", "kappa>", "quadratic kappa>",
         "ordinal alpha>", "AC2>", "ICC>", "mean abs. gap>", "bias>"),
        (
            (
                name,
                f"{block['n']:,}",
                str(block.get("labelers", "")),
                percent(block["percent"]),
                percent(block["within_one"]),
                with_interval(block, "kappa"),
                with_interval(block, "kappa_quadratic"),
                with_interval(block, "alpha_ordinal"),
                with_interval(block, "ac2"),
                with_interval(block, "icc"),
                number(block["mae"]),
                signed(block["bias"]),
            )
            for name, block in rows
        ),
    )  # fmt: skip
    judged = side == "judge_human"
    majority = judged and document["options"].get("label_table") == "majority"
    said: dict[str, list[str]] = {}
    for name, block in rows:
        for note in _mind(block, majority=majority):
            said.setdefault(note, []).append(name)
    for note, names in said.items():
        out(clean(f"{', '.join(names)}: {note}"))
    if judged:
        found = [f"{name} {block['n_unknown']:,}" for name, block in rows if block["n_unknown"]]
        if found:
            out(
                clean(
                    f"How labelled evaluations were chosen is unknown: {', '.join(found)}; "
                    "import --selection says it."
                )
            )


def _apart(document: Block, rows: Iterable[tuple[str, Block]]) -> None:
    """Say where people labelled and something scored, but never the same evaluation."""
    for name, block in rows:
        there = document["metrics"][name]
        if not block["n"] and there["n_auto"] and there["n_human"]:
            out(clean(f"Agreement on {name}: {block['undefined']['percent']}."))


def _mind(block: Block, *, majority: bool) -> list[str]:
    """Give what to know of an agreement: why there is no kappa, what was left out or moved."""
    found: list[str | None] = [block.get("note")]
    why = block["undefined"].get("kappa")
    if why and block["undefined"].get("fleiss") == why:
        found.append(f"{why[:1].upper()}{why[1:]}.")
    if block["n_rounded"]:
        found.append(f"Between levels, counted at the nearest one: {block['n_rounded']:,}.")
    if block["n_no_majority"] and majority:
        found.append(f"Left out, without a majority label: {block['n_no_majority']:,}.")
    if block["n_off_level"]:
        found.append(f"Labels between levels, which are in no table: {block['n_off_level']:,}.")
    if "without_decisions" in block:
        found.append(_undecided(block["without_decisions"]))
    return [note for note in found if note]


def _undecided(block: Block) -> str:
    """Say the main figures without decisions made where judge and people differ."""
    n = block["n_decisions"]
    decisions = "one decision that was" if n == 1 else f"{n:,} decisions that were"
    figures = [
        f"{title} {with_interval(block, name)}"
        for name, title in (("kappa", "kappa"), ("kappa_quadratic", "quadratic kappa"))
        if block[name] is not None
    ]
    if block["bias"] is not None:
        figures.append(f"bias {signed(block['bias'])}")
    return (
        f"Without the {decisions} made where judge and people differ: "
        f"{', '.join([percent(block['percent']) + ' the same', *figures])} (n {block['n']:,})."
    )


def _uncorrected(document: Block) -> None:
    """Say why a labelled metric has no corrected mean or interval, and what to mind."""
    for name, block in document["metrics"].items():
        found = block["corrected"]
        if block["n_human"] and found["mean"] is None:
            out(clean(f"No corrected mean of {name}: {found['reason']}."))
            continue
        if found["mean"] is not None and found["low"] is None:
            out(clean(f"Corrected mean of {name}, no interval: {found['reason']}."))
        if found.get("note"):
            out(clean(f"Corrected mean of {name}: {found['note']}."))


def _pairs(document: Block) -> None:
    if not document["labelers"]:
        return
    table(
        "Labelers in pairs",
        ("metric", "labelers", "n>", "same>", "quadratic kappa>", "bias>"),
        (
            (
                pair["metric"],
                f"{pair['a']} and {pair['b']}",
                f"{pair['n']:,}",
                percent(pair.get("percent")),
                with_interval(pair, "kappa_quadratic"),
                signed(pair.get("bias")),
            )
            for pair in document["labelers"][:PAIRS_SHOWN]
        ),
    )
    more = len(document["labelers"]) - PAIRS_SHOWN
    if more > 0:
        out(f"and {more:,} more pairs; --json has them all, --labeler chooses people")


def _passing(block: Block) -> None:
    if not (block["n_auto"] or block["n_human"]):
        return
    ends, corrected, n = block.get("intervals", {}), block["corrected"], f"{block['n']:,}"
    around = {"corrected": (corrected["low"], corrected["high"])}
    told = [RATES[name] for name in OF_VERDICTS]
    rows = [
        ("by the judge", f"{block['n_auto']:,}", share_with_ends(block, ends, "auto_rate")),
        ("by people", f"{block['n_human']:,}", share_with_ends(block, ends, "human_rate")),
        (
            "corrected",
            f"{corrected['n']:,}",
            share_with_ends({"corrected": corrected["mean"]}, around, "corrected"),
        ),
        *((x.listed, n, share_with_ends(block, ends, x.name)) for x in told if x.is_share),
        *((x.listed, n, number(block[x.name])) for x in told if not x.is_share),
    ]
    table("Pass; the class that is looked for is fail", ("", "n>", "rate>"), rows)
    if corrected["mean"] is None and block["n_human"]:
        out(clean(f"No corrected pass rate: {corrected['reason']}."))
    if "golden" in block:
        out(clean(f"Golden set {block['golden']['set']}: {block['golden']['sentence']}"))
    notes = [("Pass", block.get("note")), ("Corrected pass rate", corrected.get("note"))]
    for name, note in notes:
        if note:
            out(clean(f"{name}: {note}"))


_TITLES = {
    "labels_needed": "labels needed",
    "calibration": "calibration",
    "self_consistency": "self-consistency",
    "run_change": "since the run before",
    "labeler_drift": "drift of labelers",
    "consensus": "consensus",
    "slices": "slices",
    "golden": "golden set",
}


def _insights(block: Block) -> None:
    rows = [
        (metric, _TITLES[name], topic["sentence"])
        for metric, topics in [*block["metrics"].items(), ("pass", block["pass"])]
        for name, topic in topics.items()
    ]
    table("What the numbers say", ("metric", "about", ""), rows)


def _groups(block: Block) -> None:
    names = sorted({name for found in block["metrics"].values() for name in found["mean"]})
    figures = [f"{name}>" for name in names]
    table(
        f"Mean correlation within groups by {block['field']}",
        ("metric", "groups used>", "skipped>", *figures),
        (
            (
                metric,
                f"{found['n_used']:,}",
                f"{found['n_skipped']:,}",
                *(number(found["mean"].get(name), 4) for name in names),
            )
            for metric, found in block["metrics"].items()
        ),
    )
    table(
        f"Correlation of the means of groups by {block['field']}",
        ("metric", "groups>", *figures),
        (
            (
                metric,
                f"{found['between']['n']:,}",
                *(number(found["between"].get(name), 4) for name in names),
            )
            for metric, found in block["metrics"].items()
        ),
    )


def corrected_with_ends(block: Block | None) -> str:
    """Write a corrected mean with its interval; nothing where there is none."""
    if block is None:
        return ""
    if block["mean"] is None:
        return DASH
    ends = interval((block["low"], block["high"]))
    return f"{number(block['mean'])} {ends} n {block['n']:,}".replace("  ", " ")


def share_with_ends(block: Block, ends: Block, name: str) -> str:
    """Write a share of a block as a percentage with its interval, where it has one."""
    around = ends.get(name)
    if not around or None in around:
        return percent(block[name])
    return f"{percent(block[name])} [{percent(around[0])}, {percent(around[1])}]"


def by_run(document: Block) -> None:
    """Show the figures of each run where several are pooled, as far as they differ."""
    found = document.get("runs", {})
    rows = []
    for name in document["metrics"]:
        mine = [(run, _run_row(one["metrics"][name])) for run, one in found.items()]
        if len({cells for _, cells in mine}) > 1:
            rows += [(name, run, *cells) for run, cells in mine]
    if rows:
        table(
            "By run",
            ("metric", "run", "n auto>", "auto>", "n both>", "human>", "gap>", "adjusted>",
             "corrected>", "n agreed on>", "kappa>", "quadratic kappa>"),
            rows,
        )  # fmt: skip
    passed = [(run, _run_rates(one["pass"])) for run, one in found.items()]
    if len({cells for _, cells in passed}) > 1:
        table(
            "Pass by run",
            ("run", "n judge>", "by the judge>", "n people>", "by people>", "n corrected>",
             "corrected>"),
            [(run, *cells) for run, cells in passed],
        )  # fmt: skip


def _run_row(block: Block) -> tuple[str, ...]:
    return (
        f"{block['n_auto']:,}",
        number(block["auto_mean"]),
        f"{block['n_labelled']:,}",
        number(block["human_mean"]),
        signed(block["gap_mean"]),
        shown(block["shown"]["adjusted"], number),
        corrected_with_ends(block["corrected"]),
        f"{block['n']:,}",
        with_interval(block, "kappa"),
        with_interval(block, "kappa_quadratic"),
    )


def _run_rates(block: Block) -> tuple[str, ...]:
    ends, corrected = block["intervals"], block["corrected"]
    around = {"corrected": (corrected["low"], corrected["high"])}
    return (
        f"{block['n_auto']:,}",
        share_with_ends(block, ends, "auto_rate"),
        f"{block['n_human']:,}",
        share_with_ends(block, ends, "human_rate"),
        f"{corrected['n']:,}",
        share_with_ends({"corrected": corrected["mean"]}, around, "corrected"),
    )
