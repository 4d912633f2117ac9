"""What a report tells of a run: run by run, targets, performance, failure patterns, own tables."""

from collections.abc import Iterator, Mapping
from typing import Final

from reviewer.domain.wording import DASH, counted, fixed, in_percent, signed, two, upper_first
from reviewer.reports import wording
from reviewer.reports.cases import LatencyFigures
from reviewer.reports.document import LISTED, Fields, named_of
from reviewer.reports.parts import Cell, Grid, Heading, Part, Role, Section, Words, below, right
from reviewer.reports.report import Report
from reviewer.reports.targets import (
    RESULT_WORDS,
    Target,
    TargetResult,
    count_targets,
    titled,
    without,
)
from reviewer.reports.wording import figure, figure_ends, signs, spaced
from reviewer.stats.catalogue import FIGURES

RESULT_ROLES: Final[Mapping[TargetResult, Role]] = {
    "reached": "adjusted",
    "missed": "alert",
    "cannot be said": "muted",
}
"""The role in which a result is written."""


def runs(report: Report) -> Iterator[Part]:
    """Tell each run's figures where several are pooled."""
    people = report.people
    if people is None or not people.runs:
        return
    columns = [Heading("Metric"), Heading("Run"), *right("Judge", "People", "Gap", "Corrected",
               "Kappa")]  # fmt: skip
    if report.has_rule:
        columns += right("Judge passes")
    rows = []
    for row in people.runs:
        kappa = FIGURES[row.coefficient].title
        around = figure_ends(*row.kappa_interval) if row.kappa_interval else ""
        cells = [
            Cell(row.title),
            Cell(row.run),
            Cell(fixed(row.auto_mean), below=below(f"n {row.n_auto:,}")),
            Cell(fixed(row.human_mean), below=below(f"n {row.n_labelled:,}")),
            Cell(DASH if row.gap_mean is None else signed(row.gap_mean)),
            _corrected(row.corrected),
            Cell(
                fixed(row.kappa),
                tip=upper_first(row.kappa_reason) if row.kappa is None else "",
                below=below(kappa, around, f"n {row.n:,}"),
            ),
        ]
        passing = [Cell(in_percent(row.auto_rate))] if report.has_rule else []
        rows.append([*cells, *passing])
    yield Grid(columns, rows).named_once(6)


def _corrected(found: Fields) -> Cell:
    if found["mean"] is None:
        return Cell(DASH, "muted", tip=upper_first(found.get("reason", "there is none here")))
    ends = figure_ends(found["low"], found["high"])
    return Cell(two(found["mean"]), below=below(ends, f"n {found['n']:,}"))


def held(report: Report) -> Iterator[Part]:
    """Hold the run to the rubric's targets."""
    targets = report.run.targets
    if not targets:
        return
    columns = [
        Heading("Figure"),
        Heading("Target"),
        *right("Judge", "Corrected"),
        Heading("Result"),
    ]
    yield Grid(columns, [_target(one) for one in targets])
    yield Words(f"{count_targets(targets)}. The interval of the corrected figure decides where "
                "there is one, else the judge's own value.", quiet=True)  # fmt: skip


def _target(one: Target) -> list[Cell]:
    corrected = one.corrected
    return [
        Cell(one.title),
        Cell(signs(one.target)),
        _unit(one.value, one.low, one.high, one.name, f"n {one.n:,}"),
        Cell(DASH, "muted", tip="No label corrects it.")
        if corrected is None
        else _unit(corrected.value, corrected.low, corrected.high, one.name, f"n {corrected.n:,}"),
        Cell(
            RESULT_WORDS[one.result],
            RESULT_ROLES[one.result],
            below=below(one.reason),
            strong=True,
        ),
    ]


def _unit(value: float | None, low: float | None, high: float | None, name: str, n: str) -> Cell:
    if value is None:
        return Cell(DASH, "muted", tip="No response carries it.")
    ends = ""
    if low is not None and high is not None:
        first, last = spaced(figure(low, name)), spaced(figure(high, name))
        ends = f"{first.removesuffix(' %')} – {last}"
    return Cell(spaced(figure(value, name)), below=below(ends, n))


def performance(report: Report) -> Iterator[Part]:
    """Tell how fast and how dear the responses came about."""
    found = report.run.operations
    timed = [
        (name, one)
        for name, one in (
            ("Latency", found.latency),
            ("Cache warm", found.warm),
            ("Cache cold", found.cold),
        )
        if one.n
    ]
    if timed:
        columns = [Heading(""), *right("n", "Average", "p50", "p95", "p99", "Under 1 s")]
        yield Grid(columns, [_latency(name, one) for name, one in timed])
    money, ms = wording.money, wording.milliseconds
    said = []
    if found.n_cost:
        n = f"n {found.n_cost:,}"
        total, mean = money(found.total_cost), money(found.average_cost)
        said.append(f"Cost {total} in all, {mean} on average ({n}).")
    for title, share, n_share in (
        ("Template match rate", found.template_match, found.n_template),
        ("Direct substitution rate", found.direct_substitution, found.n_direct),
    ):
        if n_share:
            said.append(f"{title} {in_percent(share)} (n {n_share:,}).")
    if found.cache_p95 is not None:
        said.append(f"The cache saves {ms(found.cache_p95)} at p95.")
    if said:
        yield Words(" ".join(said))


def _latency(name: str, found: LatencyFigures) -> list[Cell]:
    times = (found.average, found.p50, found.p95, found.p99)
    return [
        Cell(name),
        Cell(f"{found.n:,}"),
        *(Cell(wording.milliseconds(time)) for time in times),
        Cell(in_percent(found.fast_share)),
    ]


def patterns(report: Report) -> Iterator[Part]:
    """Tell what fails in the same way, and what to do about it."""
    found = [one for one in report.run.patterns if one.count]
    if not found:
        return
    advised = any(one.advice for one in found)
    columns = [Heading("Pattern"), *right("Responses", "Share"), Heading("Which")]
    columns += [Heading("What to do")] if advised else []
    rows = []
    for one in found:
        title = titled(one.name)
        cells = [
            Cell(title.capitalize()),
            Cell(f"{one.count:,} of {one.n:,}"),
            Cell(in_percent(one.share)),
            Cell(named_of(one.responses[:LISTED]) + _more(one.count)),
        ]
        rows.append([*cells, *([Cell(without(one.advice, title))] if advised else [])])
    yield Grid(columns, rows)


def _more(count: int) -> str:
    return f" and {count - LISTED:,} more" if count > LISTED else ""


def tables(report: Report) -> Iterator[Section]:
    """Give the tables of the system that was evaluated."""
    for table in report.own.tables():
        if table.rows:
            rows = [[Cell(text) for text in row] for row in table.rows]
            grid = Grid([Heading(title) for title in table.columns], rows)
            note = [Words(table.note, quiet=True)] if table.note else []
            yield Section(table.title, [grid, *note])


def scope_words(report: Report) -> list[str]:
    """Say of what the report is, and when it was made."""
    rubric = report.rubric
    return [
        f"made {report.moment:%Y-%m-%d %H:%M} UTC",
        f"rubric {rubric.name} {rubric.version}".strip(),
        f"project {report.project}",
        *report.wanted.filters,
        *(
            [f"{counted(len(report.found.runs), 'run')} pooled"]
            if len(report.found.runs) > 1
            else []
        ),
    ]
