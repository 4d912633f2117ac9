"""What a report tells of people: fails caught, agreement, causes, and how both sides moved."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from reviewer.domain.wording import (
    DASH,
    counted,
    fixed,
    in_percent,
    level_percent,
    listed,
    percent,
    percent_span,
    signed,
    two,
    upper_first,
)
from reviewer.reports.charts import lines
from reviewer.reports.document import MOST_ROWS, Fields
from reviewer.reports.evidence import OverTime
from reviewer.reports.parts import Cell, Grid, Heading, Part, Picture, Role, Words, below, right
from reviewer.reports.report import Report
from reviewer.reports.wording import days, figure_ends
from reviewer.stats.catalogue import FIGURES
from reviewer.stats.clustering import Quantity
from reviewer.stats.rates import RATES, RateName

OF_VERDICTS: Final[Sequence[RateName]] = ("catch_rate", "specificity")
SIDES: Final[Sequence[tuple[Role, str]]] = (("auto", "judge"), ("human", "people"))


def caught(report: Report) -> Iterator[Part]:
    """Tell how much of what people fail the judge fails, too."""
    found = report.figures
    if found is None:
        return
    rows = []
    for block in found["metrics"].values():
        one = block["trust"]["findings"]["caught"]
        if one["place"] == "absent" or not block["n_human"]:
            continue
        none = one["value"] is None
        hits = DASH if none else f"{round(one['value'] * one['n']):,}"
        why = upper_first(one.get("reason") or "people failed none")
        rows.append(
            [
                Cell(block["trust"]["title"]),
                Cell(f"{one['n']:,}"),
                Cell(hits, tip=why if none else ""),
                Cell(DASH if none else percent(one["value"]), tip=why if none else ""),
                Cell(
                    _span(one),
                    below=below(level_percent(block["trust"]["level"]) if _span(one) else ""),
                ),
            ]
        )
    if rows:
        columns = [
            Heading("Metric"),
            *right("People fail", "Judge fails too", "Share", "Interval"),
        ]
        yield Grid(columns, rows)
        yield from _verdicts(found)


def _span(one: Fields) -> str:
    if one["low"] is None or one["high"] is None:
        return ""
    return percent_span(one["low"], one["high"])


def _verdicts(found: Fields) -> Iterator[Words]:
    block = found["pass"]
    said = []
    for name in OF_VERDICTS:
        if block[name] is not None:
            ends = block["intervals"].get(name)
            around = f" ({percent_span(*ends)})" if ends else ""
            share = RATES[name].said.format(share=f"{percent(block[name])}{around}")
            said.append(share)
    if said:
        whole = counted(block["n"], "response")
        yield Words(f"By all metrics together, on {whole} with both verdicts: {listed(said)}.")


def agreement(report: Report) -> Iterator[Part]:
    """Tell how well the judge agrees with people."""
    found = report.figures
    blocks = {} if found is None else found["metrics"]
    rows, notes = [], dict[str, list[str]]()
    for name, block in blocks.items():
        if not block["n_human"] or not report.rubric.by_name[name].is_labelled:
            continue
        metric, one = report.rubric.by_name[name], block["agreement"]["judge_human"]
        n = f"{one['n_table']:,}"
        if one["n_table"] != one["n"]:
            n += f" of {one['n']:,}"
        rows.append(
            [
                Cell(metric.heading),
                Cell(n),
                _share(one, "percent"),
                _coefficient(one, metric.kind.coefficient),
            ]
        )
        if one.get("note"):
            notes.setdefault(one["note"], []).append(metric.heading)
    if rows:
        columns = [Heading("Metric"), *right("n", "Same answer", "Kappa")]
        yield Grid(columns, rows).named_once(3)
        yield Words(
            "Every label counts, 1 over the labels of its response; responses that somebody chose "
            "are left out where others were drawn by chance.",
            quiet=True,
        )
        for note, headings in notes.items():
            yield Words(f"{listed(headings)}: {note}", quiet=True)


def _share(one: Fields, name: str) -> Cell:
    if one[name] is None:
        return Cell(DASH, "muted", tip=upper_first(one["undefined"].get(name, "no pairs")))
    ends = one["intervals"].get(name)
    return Cell(
        in_percent(one[name]),
        below=below(percent_span(ends[0], ends[1], digits=1) if ends else ""),
    )


def _coefficient(one: Fields, name: str) -> Cell:
    title = FIGURES[name].title
    if one[name] is None:
        why = one["undefined"].get(name, "no pairs")
        return Cell(DASH, "muted", below=below(title), tip=upper_first(why))
    ends = one["intervals"].get(name)
    around = figure_ends(*ends) if ends else ""
    return Cell(fixed(one[name]), below=below(title, around))


def among_people(report: Report) -> Iterator[Part]:
    """Tell how well people agree with each other: all of them, and pair by pair."""
    found = report.figures
    blocks = {} if found is None else found["metrics"]
    rows = []
    for name, block in blocks.items():
        one, metric = block["agreement"]["human_human"], report.rubric.by_name[name]
        if one["n"]:
            alpha = "alpha_ordinal" if metric.is_numeric else "alpha_nominal"
            cells = (Cell(f"{one['n']:,}"), Cell(f"{one.get('labelers', 2):,}"))
            rows.append(
                [Cell(metric.heading), *cells, _share(one, "percent"), _coefficient(one, alpha)]
            )
    if not rows or found is None:
        return
    columns = [Heading("Metric"), *right("Responses", "People", "Same answer", "Alpha")]
    yield Grid(columns, rows).named_once(4)
    pairs = found["labelers"]
    titles = {name: report.rubric.by_name[name] for name in blocks}
    columns = [Heading("Two people"), Heading("Metric"),
               *right("n", "Same answer", "Kappa", "Second minus first")]  # fmt: skip
    whole = Grid(
        columns,
        [
            [
                Cell(f"{pair['a']} and {pair['b']}"),
                Cell(titles[pair["metric"]].heading),
                Cell(f"{pair['n']:,}"),
                _share(pair, "percent"),
                _coefficient(pair, _of_pair(titles[pair["metric"]].kind.coefficient, pair)),
                _bias(pair),
            ]
            for pair in pairs
        ],
    )
    yield whole.named_once(4).cut()
    more = len(pairs) - MOST_ROWS
    if more > 0:
        yield Words(f"{counted(more, 'more pair')} stand in the JSON report.", quiet=True)


def _of_pair(name: str, pair: Fields) -> str:
    return name if name in pair else "kappa"


def _bias(pair: Mapping[str, float | None]) -> Cell:
    value = pair["bias"]
    return (
        Cell(DASH, "muted", tip="Its values have no order.")
        if value is None
        else Cell(signed(value))
    )


def causes(report: Report) -> Iterator[Part]:
    """Tell why judge and people differ, as leads named it."""
    found = () if report.evidence is None else report.evidence.causes
    if not found:
        return
    said = ", ".join(f"{one.n:,} {one.title}" for one in found)
    cases = counted(found[0].share.n, "case")
    yield Words(f"Of {cases} for which a lead named the cause: {said}.")
    yield Grid(
        [Heading("Cause"), *right("Cases", "Share", "95 %"), Heading("Metrics")],
        [
            [
                Cell(upper_first(one.title)[:-1]),
                Cell(f"{one.n:,}"),
                Cell(percent(one.share.value or 0.0)),
                Cell(
                    ""
                    if one.share.low is None or one.share.high is None
                    else percent_span(one.share.low, one.share.high)
                ),
                Cell(", ".join(f"{title} {n:,}" for title, n in one.metrics)),
            ]
            for one in found
        ],
    )


def over_time(report: Report) -> Iterator[Part]:
    """Show how the means of judge and people moved, where there is more than one week."""
    found = () if report.evidence is None else report.evidence.over_time
    for one in found:
        yield Picture(lines(one), SIDES, title=one.title, table=_weeks(one), half=True)
    if found:
        level = level_percent((report.figures or {}).get("level", 0.95))
        yield Words(
            f"Means of a week; people's from ten labels on, with intervals at {level}.", quiet=True
        )
        changes = dict.fromkeys(change for one in found for change in one.changes)
        said = "; ".join(f"{days(one.day, one.day)}: {one.words}" for one in changes)
        if said:
            yield Words(f"What changed: {said}.", quiet=True)


def _weeks(found: OverTime) -> Grid:
    columns = [Heading("Week from"), *right("Judge", "n", "People", "n")]
    return Grid(
        columns,
        [
            [
                Cell(str(one.start)),
                *(
                    cell
                    for side in (one.judge, one.people)
                    for cell in (_mean(side), Cell(f"{side.n:,}"))
                ),
            ]
            for one in found.periods
        ],
    )


def _mean(one: Quantity) -> Cell:
    if one.value is None:
        why = "Too few labels for a mean." if one.n else "Nothing was scored in this week."
        return Cell(DASH, "muted", tip=why)
    return Cell(two(one.value), below=below(figure_ends(one.low, one.high)))
