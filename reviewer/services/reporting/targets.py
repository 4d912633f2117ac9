"""A rubric's targets over a scope, and its failure patterns, from columns: no text is read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from reviewer.domain.rubric import Rubric
from reviewer.domain.scope import Scope
from reviewer.reports.systems.conditions import Bound, condition_of
from reviewer.reports.systems.guest_response import operation_figures
from reviewer.reports.systems.guest_targets import Target, judge_targets
from reviewer.reports.systems.operations import Operations
from reviewer.reports.systems.run_report import marks_of
from reviewer.services.audits.auditing import hidden_among
from reviewer.services.comparing.sides import RunColumns, run_columns
from reviewer.services.figures import figure_table
from reviewer.services.figures.covered import Covered, covered
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.human_columns import Floats
from reviewer.services.figures.people_columns import HeldBack
from reviewer.services.project.session import Session
from reviewer.services.reporting.verdicts import score_figures
from reviewer.services.tallying.live_loading import held_back
from reviewer.stats.overall_columns import FAIL
from reviewer.store import figures
from reviewer.store.project import Project

LIMITS = {"latency_ms": ("high latency", 1000.0), "cost_usd": ("high cost", 0.005)}


@dataclass(frozen=True, slots=True)
class KeyedPattern:
    """One pattern.

    Attributes:
        n: Evaluations that carry the figure.
        keys: Those that show the pattern.
        limit: When a figure shows it, such as "below 3".
        advice: What to do, empty where the rubric does not say.
        judged: Whether auto scores show it, so that it tells what the judge says.
        hidden: Those of `keys` whose scores the active labeler may not see yet.
    """

    title: str
    n: int
    keys: tuple[int, ...]
    limit: str
    advice: str = ""
    judged: bool = False
    hidden: frozenset[int] = frozenset()

    @property
    def share(self) -> float | None:
        """Give the share of those that carry the figure."""
        return len(self.keys) / self.n if self.n else None


def of_columns(table: FigureTable, columns: RunColumns) -> tuple[KeyedPattern, ...]:
    """Look for low scores, high latency and high cost, in the order of the report."""
    return tuple(_patterns(table, columns))


def _patterns(table: FigureTable, columns: RunColumns) -> Iterator[KeyedPattern]:
    rubric, marks = table.rubric, marks_of(table.rubric)
    advice = _advice(rubric, marks)
    for name, mark in marks.items():
        bound, text = advice.get(name, (Bound("<", mark), ""))
        found = _pattern(
            table, f"low {name.replace('_', ' ')}", table.metrics[name].auto, bound, text
        )
        yield replace(found, judged=True)
    for name, (title, most) in LIMITS.items():
        bound, text = advice.get(name, (Bound(">", most), ""))
        values = columns.latency if name == "latency_ms" else columns.cost
        yield _pattern(table, title, values, bound, text)


def _advice(rubric: Rubric, marks: Mapping[str, float]) -> dict[str, tuple[Bound, str]]:
    found = ((condition_of(x.when, marks), x.text) for x in rubric.advice)
    return {condition.name: (condition.bound, text) for condition, text in found if condition}


def _pattern(
    table: FigureTable, title: str, values: Floats, bound: Bound, text: str
) -> KeyedPattern:
    there = np.isfinite(values)
    shown = [
        key
        for key, value in zip(table.keys[there].tolist(), values[there].tolist(), strict=True)
        if bound.holds(value)
    ]
    words = {"<": "below", "<=": "at most", ">": "above", ">=": "at least"}
    limit = f"{words.get(bound.sign, bound.sign)} {bound.limit:g}"
    bare = text.removeprefix(f"{title.capitalize()}: ")
    return KeyedPattern(title, int(there.sum()), tuple(shown), limit, bare[:1].upper() + bare[1:])


def look_first(table: FigureTable, pass_rate: float | None) -> str:
    """Say where to look where the pass rate is low; empty where it is not."""
    marks = marks_of(table.rubric)
    low, text = _advice(table.rubric, marks).get("pass_rate", (Bound("<", 0.7), ""))
    if pass_rate is None or not marks or not low.holds(pass_rate):
        return ""
    failed = table.auto_verdicts() == FAIL
    counts = {
        name: int((table.metrics[name].auto[failed] < mark - 1e-9).sum())
        for name, mark in marks.items()
    }
    worst = max(counts, key=lambda name: counts[name])
    title = table.rubric.by_name[worst].heading
    return (
        f"{title} fails most: in {counts[worst]:,} of {int(failed.sum()):,} fails. {text}".strip()
    )


@dataclass(frozen=True, slots=True)
class Performed:
    """How a scope stands: its rubric's targets, and how its responses came about.

    Attributes:
        titles: Headings of the metrics that targets name.
        look: Where to look first, empty unless the pass rate is low.
    """

    rubric: str
    targets: tuple[Target, ...]
    operations: Operations
    patterns: tuple[KeyedPattern, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    look: str = ""


def of_run(session: Session, run: str) -> Performed:
    """Hold a run to its rubric's targets, as the active labeler may see it.

    Raises:
        ReviewerError: There is no such run, or a target is no comparison.
    """
    held = held_back(session.project, session.labeler.name) if session.blind else None
    found = of_scope(session.project, Scope(runs=(run,)), held)
    judged = {key for pattern in found.patterns if pattern.judged for key in pattern.keys}
    hidden = hidden_among(session, judged)
    return replace(
        found,
        patterns=tuple(
            replace(x, hidden=hidden.intersection(x.keys)) if x.judged else x
            for x in found.patterns
        ),
    )


def of_scope(project: Project, scope: Scope, held: HeldBack | None = None) -> Performed:
    """Hold a scope to its rubric's targets, without the answers that are held back.

    Raises:
        ReviewerError: The scope names something that is not there, or a target is no comparison.
    """
    with figures.snapshot(project):
        found = covered(project, scope)
        table = figure_table.load(
            project,
            scope,
            rubric=found.rubric,
            within=found.within,
            options=kept_options(project, found.rubric),
            held=held,
        )
        return of_table(project, found, table)


def of_table(project: Project, found: Covered, table: FigureTable) -> Performed:
    """Hold columns that were read already to their rubric's targets.

    Raises:
        ReviewerError: A target is no comparison.
    """
    columns = run_columns(project, found)
    performed = columns.operations
    known = operation_figures(performed) | score_figures(table)
    rubric = table.rubric
    rate = known["pass_rate"].value if "pass_rate" in known else None
    return Performed(
        rubric=rubric.name,
        targets=judge_targets(rubric.targets, known),
        operations=performed,
        patterns=of_columns(table, columns),
        titles={name: metric.heading for name, metric in rubric.by_name.items()},
        look=look_first(table, rate),
    )
