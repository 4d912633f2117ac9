"""What a report tells its readers, section by section; every kind of file has the same order."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from reviewer.domain.rubric import Metric
from reviewer.domain.wording import (
    DASH,
    counted,
    fixed,
    in_percent,
    level_percent,
    listed,
    percent_span,
    signed,
    two,
    upper_first,
)
from reviewer.reports import closing, sections_cases, sections_people, sections_run, targets
from reviewer.reports.charts import Dots, dots
from reviewer.reports.document import Fields
from reviewer.reports.evidence import CountingJudge, Measured
from reviewer.reports.parts import (
    Cell,
    Entries,
    Grid,
    Heading,
    Part,
    Picture,
    Role,
    Section,
    Words,
    below,
    right,
)
from reviewer.reports.report import Report
from reviewer.reports.wording import days, figure_ends, signs
from reviewer.stats.catalogue import FIGURES
from reviewer.stats.clustering import NO_QUANTITY, Quantity
from reviewer.stats.trust import ORDER, SIGNS, State

MOST_JUDGES: Final = 3
PERFORMANCE: Final = "Performance"
LEGEND: Final[Sequence[tuple[Role, str]]] = (
    ("human", "people with each other"),
    ("auto", "the judge with people"),
)
STATE_ROLES: Final[Mapping[State, Role]] = {
    "rely": "adjusted",
    "do_not_rely": "alert",
    "cannot_be_said": "muted",
}
"""The role in which a state is written."""


def title(report: Report) -> str:
    """Give the heading: the question where people can answer it, and the runs."""
    runs = ", ".join(report.found.runs)
    asked = report.people is not None and report.people.labelled
    return f"Can the judge be trusted? {runs}" if asked else f"Evaluation report: {runs}"


def told(report: Report, alone: Sequence[tuple[str, str]] = ()) -> list[Section]:
    """Give the sections of a report that have something to say.

    `alone` are fields that have no place of their own, by their titles.
    """
    made = [Section(heading, list(parts(report))) for heading, parts in _SECTIONS]
    beside = [Entries(alone)] if alone else []
    made = [
        replace(one, parts=[*one.parts, *beside]) if one.title == PERFORMANCE else one
        for one in made
    ]
    there = [one for one in made if one.parts]
    return [*there, *closing.told(report, there)]


def facts(report: Report) -> list[str]:
    """Say what was measured, by whom, how chosen and how blind."""
    if report.evidence is None:
        return [counted(report.run.total_cases, "response")]
    found = report.evidence.measured
    of = days(found.first, found.last)
    said = [counted(found.responses, "response") + (f" of {of}" if of else "")]
    judges = [one for one in found.judges if one.is_judge]
    if judges:
        said.append(_judges(judges))
    return [*said, _labels(found)]


def _judges(judges: Sequence[CountingJudge]) -> str:
    def name(one: CountingJudge) -> str:
        many = "prompts" if len(one.prompts) > 1 else "prompt"
        prompt = f", {many} {', '.join(one.prompts)}" if one.prompts else ""
        metrics = f" ({', '.join(one.metrics)})" if len(judges) > 1 else ""
        return f"{one.name}{prompt}{metrics}"

    more = len(judges) - MOST_JUDGES
    named = "; ".join(name(one) for one in judges[:MOST_JUDGES])
    return (
        ("judge " if len(judges) == 1 else "judges ")
        + named
        + (f" and {more:,} more" if more > 0 else "")
    )


def _labels(found: Measured) -> str:
    if not found.labelled:
        return "nothing labelled by people"
    by = counted(found.labelers, "person", "people") if found.labelers else "a decision"
    ways = [
        f"{n:,} {words}" if n < found.labelled else words
        for n, words in (
            (found.drawn, "drawn by chance"),
            (found.chosen, "chosen by somebody"),
            (found.unknown, "chosen in a way that nobody knows"),
        )
        if n
    ]
    return ", ".join((f"{found.labelled:,} labelled by {by}", *ways, f"{found.blind:,} blind"))


def _passes(report: Report) -> Iterator[Part]:
    run, found = report.run, report.figures
    if not report.has_rule:
        yield Words("The rubric has no pass rule, so nothing passes or fails.")
        return
    target = next((x for x in run.targets if x.name == "pass_rate"), None)
    columns = [Heading("Passed"), *right("Rate", "95 %" if found is None else _level(found))]
    rows = _pass_rows(report)
    if target is not None:
        columns += [Heading(f"Target {signs(target.target)}")]
        decides = len(rows) - 1 if target.corrected is not None else 0
        words = Cell(targets.RESULT_WORDS[target.result], sections_run.RESULT_ROLES[target.result])
        rows = [[*row, words if place == decides else Cell("")] for place, row in enumerate(rows)]
    yield Grid(columns, rows)
    more = f", {run.incomplete:,} incomplete (a score is missing; in no rate)"
    said = f"By the judge {run.passed:,} passed, {run.failed:,} failed"
    yield Words(f"{said}{more if run.incomplete else ''}.", quiet=True)
    if found is not None:
        corrected = found["pass"]["corrected"]
        if corrected.get("reason"):
            yield Words(f"Corrected pass rate: {upper_first(corrected['reason'])}", quiet=True)
        if found["pass"].get("note"):
            yield Words(f"What passes: {found['pass']['note']}", quiet=True)
    look = run.where_to_look
    if look is not None:
        title = targets.title_of(report.rubric, look.metric)
        times = counted(look.metric_failures, "time")
        text = targets.without(look.text, "Where to look")
        yield Words(f"Where to look: {title} fails most, {times}. {text}")


def _pass_rows(report: Report) -> list[list[Cell]]:
    run, found = report.run, report.figures
    n = run.passed + run.failed
    judge = f"by the judge, {n:,} of {run.total_cases:,}"
    if found is None:
        return [[Cell(judge, "auto"), Cell(in_percent(run.pass_rate)), Cell("")]]
    block = found["pass"]
    ends, corrected = block["intervals"], block["corrected"]
    whole = Quantity(corrected["mean"], corrected["n"], corrected["low"], corrected["high"])
    made: Sequence[tuple[str, Role, float | None, Sequence[float] | None]] = (
        (judge, "auto", block["auto_rate"], ends.get("auto_rate")),
        (f"by people, {block['n_human']:,}", "human", block["human_rate"], ends.get("human_rate")),
        (
            f"corrected by {whole.n:,} labels, all {run.total_cases:,}"
            if whole.n
            else "corrected",
            "",
            whole.value,
            None if whole.low is None or whole.high is None else (whole.low, whole.high),
        ),
    )
    return [
        [
            Cell(words, role, strong=not role),
            Cell(in_percent(rate), strong=not role),
            Cell(percent_span(around[0], around[1], digits=1) if around else ""),
        ]
        for words, role, rate, around in made
    ]


def _level(found: Fields) -> str:
    return level_percent(found["level"])


def _metrics(report: Report) -> Iterator[Part]:
    found = report.figures
    if found is None:
        yield _averages(report)
        return
    blocks = found["metrics"]
    order = list(ORDER)
    names = sorted(
        blocks,
        key=lambda name: (
            not report.rubric.by_name[name].is_labelled,
            order.index(blocks[name]["trust"]["state"]),
        ),
    )
    columns = [
        Heading("Metric"),
        *right("Judge", "People", f"Corrected, {_level(found)}", "Gap", "Fails caught",
               "Agreement", "People's own"),
        Heading("In a word"),
    ]  # fmt: skip
    rows = [
        _metric(report.rubric.by_name[name], blocks[name], found)
        for name in names
        if _asked(report, name)
    ]
    yield Grid(columns, [*rows, _overall(found["satisfaction"])])
    yield from _notes(report, names)
    yield from _picture(found, names)
    yield from _adjusted(report, names)
    rest = [name for name in names if not _asked(report, name)]
    if rest:
        yield Words("Measured, and not asked of people:", quiet=True)
        yield _averages(report, rest)


def _asked(report: Report, name: str) -> bool:
    """Tell whether people say anything of a metric, or follow with their labels of others."""
    block = (report.figures or {})["metrics"][name]
    return report.rubric.by_name[name].is_labelled or bool(block["n_human"])


def _metric(metric: Metric, block: Fields, found: Fields) -> list[Cell]:
    scale = "" if metric.bounds is None else f"{metric.bounds[0]:g} – {metric.bounds[1]:g}"
    since = found["window"]["words"]
    undefined = block["undefined"]
    trust, corrected = block["trust"], block["corrected"]
    state: State = trust["state"]
    sides = trust.get("agreement", {})
    ends = sides.get("intervals", {})
    word = Cell(f"{SIGNS[state]} {trust['words']}", STATE_ROLES[state], strong=True)
    return [
        Cell(
            metric.heading,
            strong=True,
            below=below(scale or metric.unit or "", block["scorer"] or ""),
        ),
        _mean(
            block["auto_mean"],
            below(f"n {block['n_auto']:,}"),
            undefined.get("auto_mean"),
            "auto",
        ),
        _mean(
            block["human_mean"],
            below(f"n {block['n_labelled']:,}", since),
            undefined.get("human_mean"),
            "human",
        ),
        _corrected(corrected),
        Cell(DASH if block["gap_mean"] is None else signed(block["gap_mean"]),
             tip=undefined.get("gap_mean", "")),
        _caught(trust["findings"]["caught"]),
        _reached(sides, "judge", ends),
        _reached(sides, "people", ends),
        word if metric.is_labelled else Cell("from other metrics", "muted"),
    ]  # fmt: skip


def _mean(value: float | None, n: Sequence[str], why: str | None, role: str) -> Cell:
    if value is None:
        return Cell(DASH, "muted", tip=upper_first(why) if why else "There is nothing to average.")
    return Cell(two(value), "auto" if role == "auto" else "human", below=n)


def _corrected(found: Fields) -> Cell:
    if found["mean"] is None:
        return Cell(DASH, "muted", tip=upper_first(found.get("reason", "there is none here")))
    ends = figure_ends(found["low"], found["high"])
    return Cell(two(found["mean"]), below=below(ends, f"n {found['n']:,}"))


def _caught(found: Fields) -> Cell:
    if found["value"] is None:
        return Cell(DASH, "muted", tip=upper_first(found.get("reason") or "people failed none"))
    return Cell(f"{round(found['value'] * found['n']):,} of {found['n']:,}")


def _reached(sides: Fields, side: str, ends: Fields) -> Cell:
    value = sides.get(side)
    if value is None:
        why = sides.get("undefined", {}).get(side) or "no two people labelled the same responses"
        return Cell(DASH, "muted", tip=upper_first(why))
    around = figure_ends(*ends[side]) if side in ends else ""
    return Cell(two(value), below=below(around, f"n {sides['n']:,}"))


def _overall(block: Fields) -> list[Cell]:
    undefined = block["undefined"]
    gap = block["gap_mean"]
    return [
        Cell("Overall", strong=True),
        _mean(
            block["auto_mean"], below(f"n {block['n_auto']:,}"), undefined.get("auto_mean"), "auto"
        ),
        _mean(
            block["human_mean"],
            below(f"n {block['n_labelled']:,}"),
            undefined.get("human_mean"),
            "human",
        ),
        Cell(""),
        Cell(DASH if gap is None else signed(gap), tip=undefined.get("gap_mean", "")),
        *[Cell("")] * 4,
    ]


def _averages(report: Report, names: Iterable[str] | None = None) -> Grid:
    """Give means alone, of metrics or of all where people's figures were not asked for."""
    rows = []
    for name in report.run.averages if names is None else names:
        found = report.run.averages.get(name, NO_QUANTITY)
        scorer = report.found.scorers.get(name) or ""
        cells = (Cell(fixed(found.value)), Cell(f"{found.n:,}"))
        rows.append([Cell(targets.title_of(report.rubric, name), below=below(scorer)), *cells])
    return Grid([Heading("Metric"), *right("Average", "n")], rows)


def _notes(report: Report, names: Sequence[str]) -> Iterator[Words]:
    found = report.figures or {}
    since = found["window"]["words"]
    within = f" in the {since}" if since else ""
    said = (
        "The judge's means are over everything it scored; people's means and gaps over what has "
        f"both scores{within}; corrected means over every label that can stand for all."
    )
    signs_of = listed(_signs(found, names))
    if signs_of:
        said += (
            " Agreement and people's own are of the responses that two people or more labelled, "
            f"by {signs_of} with intervals at {_each(found, names)}."
        )
    yield Words(said, quiet=True)
    whys: dict[str, list[str]] = {}
    for name in names:
        block = found["metrics"][name]
        corrected = block["corrected"]
        if block["n_human"] and corrected.get("reason"):
            title = report.rubric.by_name[name].heading
            whys.setdefault(corrected["reason"], []).append(title)
    for why, titles in whys.items():
        yield Words(f"Corrected mean of {listed(titles)}: {why}.", quiet=True)


def _signs(found: Fields, names: Sequence[str]) -> list[str]:
    trusts = (found["metrics"][name]["trust"] for name in names)
    return list(
        dict.fromkeys(FIGURES[x["agreement"]["name"]].title for x in trusts if "agreement" in x)
    )


def _each(found: Fields, names: Sequence[str]) -> str:
    """Say the level of intervals that hold together over the metrics."""
    return level_percent(next((found["metrics"][x]["trust"]["level"] for x in names), 0.95))


def _picture(found: Fields, names: Sequence[str]) -> Iterator[Picture]:
    """Draw what judge and people reach, as the Trust page does; coefficients do not mix."""
    blocks = found["metrics"]
    rows: dict[str, list[Dots]] = {}
    for name in names:
        trust = blocks[name]["trust"]
        one = trust.get("agreement")
        if one is None or (one["judge"] is None and one["people"] is None):
            continue
        judge, people = (
            Quantity(one[side], one["n"], *one["intervals"].get(side, (None, None)))
            for side in ("judge", "people")
        )
        rows.setdefault(one["name"], []).append(Dots(trust["title"], judge, people))
    for name, mine in rows.items():
        heading = upper_first(f"{FIGURES[name].title}, intervals at {_each(found, names)}")[:-1]
        yield Picture(dots(mine, heading), LEGEND, title=heading)


def _adjusted(report: Report, names: Sequence[str]) -> Iterator[Grid]:
    """Give adjusted means where any has labels enough; else there is nothing to adjust by."""
    found = report.figures or {}
    blocks = [(report.rubric.by_name[x].heading, found["metrics"][x]) for x in names]
    blocks.append(("Overall", found["satisfaction"]))
    if any(block["shown"]["adjusted"]["value"] is not None for _, block in blocks):
        columns = [
            Heading("Metric"),
            *right("Upper deviation", "Lower deviation", "Error band", "Adjusted mean"),
        ]
        yield Grid(
            columns,
            [
                [
                    Cell(title),
                    *(_deviation(block, side) for side in ("higher", "lower")),
                    _banded(block["shown"]["band"], gap=True),
                    _banded(block["shown"]["adjusted"]),
                ]
                for title, block in blocks
            ],
        )


def _deviation(block: Fields, side: str) -> Cell:
    value = block["upper_deviation" if side == "higher" else "lower_deviation"]
    n = block[f"n_{side}"]
    if value is None:
        reason = "It is not defined here" if n is None else f"People are {side} on {n:,}"
        return Cell(DASH, "muted", tip=f"{reason}.")
    return Cell(signed(value), below=below(f"n {n:,}"))


def _banded(entry: Fields, *, gap: bool = False) -> Cell:
    if entry["value"] is None:
        of = f"{DASH} {entry['n']:,} of {entry['of']:,}" if "of" in entry else DASH
        return Cell(of, "muted", tip=upper_first(entry.get("reason", "it is not defined here")))
    text = signed(entry["value"]) if gap else two(entry["value"])
    return Cell(f"{text} ({entry['mark']})" if "mark" in entry else text)


Telling = Callable[[Report], Iterable[Part]]
_SECTIONS: Final[Sequence[tuple[str, Telling]]] = (
    ("What passes", _passes),
    ("Metric by metric", _metrics),
    ("Fails caught", sections_people.caught),
    ("Judge and people", sections_people.agreement),
    ("People among each other", sections_people.among_people),
    ("Where people say otherwise", sections_cases.differing),
    ("Why it goes wrong", sections_people.causes),
    ("Over time", sections_people.over_time),
    ("Best", sections_cases.best),
    ("Worst", sections_cases.worst),
    ("Run by run", sections_run.runs),
    ("Targets", sections_run.held),
    (PERFORMANCE, sections_run.performance),
    ("Failure patterns", sections_run.patterns),
)
