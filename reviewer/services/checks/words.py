"""How checks are said: in a line each, and all of them in words for a ticket."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from reviewer.domain.wording import (
    DASH,
    as_typed,
    brief,
    counted,
    fixed,
    in_percent,
    level_percent,
    listed,
    percent_span,
)
from reviewer.services.checks.check import Check, State
from reviewer.services.checks.ground import Ground
from reviewer.services.figures import trust_words
from reviewer.services.figures.auto_columns import RunRecord
from reviewer.services.figures.statistics_blocks import Correction, MetricBlock
from reviewer.stats.clustering import Quantity

STATES: Final[dict[State, str]] = {
    "holds": "holds",
    "fails": "does not hold",
    "cannot_be_said": "cannot be said",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What checks are of, as their figures found it.

    Attributes:
        runs: By name.
        n: Evaluations in scope.
        records: Whose scores count in each run, by metric.
        corrected: The corrected pass rate, or why there is none.
        level: Of its interval.
        metrics: Those that people are asked for.
    """

    runs: tuple[str, ...] = ()
    n: int = 0
    records: tuple[tuple[str, RunRecord], ...] = ()
    corrected: Correction = field(default_factory=Correction)
    level: float = 0.95
    metrics: tuple[MetricBlock, ...] = ()

    @property
    def headline(self) -> str:
        """Say whether to rely on the judge, as it is said everywhere."""
        return trust_words.headline(self.metrics)

    @property
    def judges(self) -> tuple[str, ...]:
        """Name whose scores count for what people are asked for, or else for anything."""
        versions = [one.version for _, one in self._counting]
        return tuple(dict.fromkeys(version.name for version in versions if version is not None))

    @property
    def scored(self) -> tuple[int, int]:
        """Count the evaluations with such scores: of the metric with the fewest, and the most."""
        found: Counter[str] = Counter()
        for name, one in self._counting:
            found[name] += one.n
        return (min(found.values()), max(found.values())) if found else (0, 0)

    @property
    def _counting(self) -> list[tuple[str, RunRecord]]:
        asked = {metric.name for metric in self.metrics}
        found = [(name, one) for name, one in self.records if one.n]
        return [x for x in found if x[0] in asked] or found


def subject(on: Ground) -> Subject:
    """Take what checks are of from the figures that they stand on."""
    document = on.document
    return Subject(
        runs=document.runs,
        n=int(on.table.keys.size),
        records=tuple(
            (name, one.by_set(on.sets[name]) if name in on.sets else one)
            for name, one in document.records
        ),
        corrected=document.passing.corrected,
        level=document.level,
        metrics=document.labelled,
    )


def line(check: Check) -> str:
    """Say a check with its figure, and what stands beside it."""
    said = f"{check.name}: {STATES[check.state]}"
    said += f", {why(check)}" if why(check) else ""
    said += f"; {_figure(check)}"
    for who, rate in (("people", check.people), ("corrected", check.corrected)):
        said += "" if rate is None else f"; {_beside(who, rate)}"
    return f"{said}."


def why(check: Check) -> str:
    """Say why a check does not hold, nothing where there is nothing to say."""
    return (check.reason or "").removeprefix("it cannot be said: ")


def _figure(check: Check) -> str:
    """Write the figure with its interval, n, coverage and judge, and the limit."""
    said = _written(check.value)
    if check.low is not None and check.high is not None:
        said += f" [{_written(check.low)}, {_written(check.high)}]"
    said += f", n {check.n:,}"
    if check.coverage is not None:
        said += f", covering {brief(100 * check.coverage)} %"
    if check.judge:
        said += f", by {check.judge}"
    return f"{said}; limit {_written(check.limit)}"


def _beside(who: str, figure: Quantity) -> str:
    said = f"{who} {_written(figure.value)}"
    if figure.low is not None and figure.high is not None:
        said += f" [{_written(figure.low)}, {_written(figure.high)}]"
    said += f", n {figure.n:,}"
    return f"{said} ({figure.reason})" if figure.reason else said


def _written(value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or DASH
    return as_typed(value)


def tally(checks: Sequence[Check]) -> str:
    """Count what holds."""
    return f"{_counted(checks)}."


def _counted(checks: Sequence[Check]) -> str:
    return f"{sum(check.ok for check in checks):,} of {len(checks):,} checks hold"


MOST_NAMED: Final = 3
"""Runs and judges beyond so many are counted, not named."""
DIGITS: Final = 6
"""Of limits, as many as the lines have."""
LARGE: Final = 1000
"""From here on a figure has no decimals."""


def ticket(checks: Sequence[Check], of: Subject) -> str:
    """Say what was checked and what came of it, so that it can stand alone in a ticket.

    The last words are those in which every page says whether to rely on the judge.
    """
    held = [_short(check, why(check)) for check in checks if check.ok]
    said = [f"{_counted(checks)}: {listed(held)}" if held else _counted(checks)]
    apart: dict[tuple[State, str], list[str]] = {}
    for check in checks:
        if not check.ok:
            apart.setdefault((check.state, why(check)), []).append(_short(check))
    said += [_not_held(names, *found) for found, names in apart.items()]
    found = f"{_subject(of)}: {'; '.join(said)}. {_corrected(of)}"
    # names may bring line breaks, and a ticket takes one paragraph
    return " ".join((*found.split(), of.headline))


def _not_held(names: Sequence[str], state: State, reason: str) -> str:
    verb = STATES[state] if len(names) == 1 else STATES[state].replace("does", "do")
    return f"{listed(names)} {verb}: {reason}" if reason else f"{listed(names)} {verb}"


def _subject(of: Subject) -> str:
    judges, (least, most) = _some(of.judges, "judge"), of.scored
    some = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    part = "" if least == of.n else f"{some} of them "
    by = f"{part}scored" + (f" by {judges}" if judges else "") if most else "not scored"
    run = "Run" if len(of.runs) == 1 else "Runs" if len(of.runs) <= MOST_NAMED else ""
    return f"{run} {_some(of.runs, 'run')} ({counted(of.n, 'response')}, {by})"


def _some(names: Sequence[str], noun: str) -> str:
    return listed(names) if len(names) <= MOST_NAMED else counted(len(names), noun)


def _short(check: Check, beside: str = "") -> str:
    """Give a check with its limit as it was asked for, and behind it what was found."""
    limit = check.limit if isinstance(check.limit, str) else brief(check.limit, DIGITS)
    found = ", ".join(filter(None, (_value(check.value), beside)))
    return f"{check.name} {limit}" + (f" ({found})" if found else "")


def _value(value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return brief(value) if abs(value) < LARGE else fixed(value, 0)


def _corrected(of: Subject) -> str:
    found = of.corrected
    if found.mean is None:
        return ""
    around = ""
    if found.low is not None and found.high is not None:
        ends = percent_span(found.low, found.high, 1)
        around = f" ({level_percent(of.level)} interval {ends})"
    labels = counted(found.n, "labelled response")
    return f"The corrected pass rate is {in_percent(found.mean)}{around}, from {labels}."
