"""Does the judge pass and fail what people pass and fail: as a whole, by metric, by category."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from reviewer.domain.errors import ReviewerError
from reviewer.domain.progress import Progress, heed
from reviewer.domain.rubric import Metric, Rubric
from reviewer.scoring.overall import has_extent, part_of
from reviewer.services.audits.auditing import Audit
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.human_columns import Flags, Ints
from reviewer.services.figures.statistics_blocks import Cells, PassBlock
from reviewer.services.figures.statistics_corrected import Verdicts, Ways, best_ways, pass_rows
from reviewer.services.figures.statistics_pass import (
    Selected,
    block_of,
    cells_of,
    no_verdicts,
    why_no_verdict,
)
from reviewer.services.project.figure_rules import overall_rule, verdict_rule
from reviewer.services.project.session import Session
from reviewer.stats.deviations import DeviationOptions
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.lacking import NO_MARK_OF_METRIC
from reviewer.stats.overall_columns import FAIL, OPEN, PASS, verdict_columns
from reviewer.stats.satisfaction import OverallRule
from reviewer.stats.values import SelectionRule
from reviewer.store import evaluation_columns

Side = Literal["pass", "fail"] | None
"""A verdict to look for; None is any verdict."""
WHOLE = ""
"""The subject that stands for the verdict of the whole rubric."""
WHOLE_TITLE = "Whole rubric"
MANY = 100


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Verdicts of n evaluations: the judge's, people's, and how labels came about.

    Attributes:
        selected: Which of them count in what judge and people say of the same ones.
    """

    keys: Ints
    auto: Verdicts
    human: Verdicts
    ways: Ways
    selected: Selected

    def where(self, wanted: Flags | Ints) -> "Sides":
        """Give the wanted evaluations only."""
        ways = Ways(
            self.ways.chosen[wanted],
            self.ways.probability[wanted],
            None if self.ways.clusters is None else self.ways.clusters[wanted],
        )
        selected = self.selected.at(wanted)
        return Sides(self.keys[wanted], self.auto[wanted], self.human[wanted], ways, selected)

    @property
    def counted(self) -> Flags:
        """Tell which evaluations have both verdicts and count."""
        return self.selected.counted(self.auto, self.human)

    def cell(self, people: Side, judge: Side) -> Ints:
        """Give the keys of one cell of the table of verdicts."""
        wanted = _are(self.human, people) & _are(self.auto, judge) & self.counted
        return np.asarray(self.keys[wanted])

    def of_judge(self, judge: Side) -> Ints:
        """Give the keys of what the judge passed or failed, labelled or not."""
        return np.asarray(self.keys[_are(self.auto, judge)])

    def of_people(self, people: Side) -> Ints:
        """Give the keys of what people passed or failed, judged or not."""
        return np.asarray(self.keys[_are(self.human, people)])

    def used(self) -> Ints:
        """Give the keys of what the corrected rate is estimated from."""
        return np.asarray(self.keys[pass_rows(self.auto, self.human, self.ways)])

    def counts(self) -> Cells:
        """Count the evaluations with both verdicts."""
        return cells_of(self.auto, self.human, self.counted)[0]


@dataclass(frozen=True, slots=True)
class CategoryPass:
    """The figures of one category; None is without category."""

    category: str | None
    cells: Cells
    block: PassBlock


@dataclass(frozen=True, slots=True, eq=False)
class PassAudit:
    """The figures of one subject.

    Attributes:
        subject: A metric's name, or `WHOLE`.
        rule: What passes, in words.
        sides: For lists of responses, beside `categories` numbered in `places`.
        reason: Why there is no verdict at all, None where there is.
        left_out: Categories beyond the first `MANY`, those with the fewest labels.
    """

    subject: str
    title: str
    rule: str
    block: PassBlock
    cells: Cells
    categories: tuple[CategoryPass, ...] = ()
    sides: Sides | None = None
    places: Ints | None = None
    names: tuple[str | None, ...] = ()
    reason: str | None = None
    left_out: int = 0

    def of_category(self, category: str | None) -> Sides | None:
        """Give the verdicts of one category, None where there are none at all."""
        if self.sides is None or self.places is None:
            return None
        return self.sides.where(self.places == self.names.index(category))


def _are(verdicts: Verdicts, wanted: Side) -> Flags:
    if wanted is None:
        return np.asarray(verdicts != OPEN)
    return np.asarray(verdicts == (PASS if wanted == "pass" else FAIL))


def subjects(rubric: Rubric) -> tuple[str, ...]:
    """Give what has a verdict or may have one: the whole rubric, and each metric with a mark."""
    marked = [m.name for m in rubric.metrics if m.pass_at is not None and has_extent(m)]
    return (WHOLE, *marked)


def subject_title(rubric: Rubric, subject: str) -> str:
    """Give a subject's title."""
    return rubric.by_name[subject].heading if subject else WHOLE_TITLE


def sides_of(table: FigureTable, subject: str, selection: SelectionRule) -> Sides:
    """Work out both sides' verdicts.

    Raises:
        ReviewerError: There is no verdict; the sentence says why.
    """
    why = why_no_sides(table, subject)
    if why is not None:
        raise ReviewerError(f"There is no verdict: {why}.")
    if subject:
        rule = OverallRule(parts=(part_of(table.rubric.by_name[subject]),), passing="every")
    else:
        rule = table.verdict_rule
    parts = [table.metrics[part.name] for part in rule.parts]
    return Sides(
        keys=table.keys,
        auto=verdict_columns({x.metric.name: x.auto for x in parts}, rule),
        human=verdict_columns({x.metric.name: x.human.score for x in parts}, rule, need_all=True),
        ways=best_ways([x.human for x in parts], table.clusters),
        selected=Selected(table.selection, selection),
    )


def why_no_sides(table: FigureTable, subject: str) -> str | None:
    """Say why a subject has no verdict, None where it has one."""
    if not subject:
        return why_no_verdict(table)
    metric = table.rubric.by_name.get(subject)
    if metric is None:
        return f"the rubric has no metric {subject!r}"
    if metric.pass_at is None or not has_extent(metric):
        return f"{metric.heading}: {NO_MARK_OF_METRIC}"
    return None


def rule_words(rubric: Rubric, subject: str, options: DeviationOptions) -> str:
    """Say what passes."""
    if subject:
        return f"{subject_title(rubric, subject)} passes {_mark(rubric.by_name[subject])}."
    rule = verdict_rule(rubric, options)
    if rule.passing == "overall":
        low, high = overall_rule(rubric, options).range
        mark = "no mark" if rule.pass_at is None else f"{rule.pass_at:g}"
        return f"A response passes where its overall, {low:g} to {high:g}, reaches {mark}."
    if rule.passing == "none":
        return "The rubric has no pass rule."
    marked = [rubric.by_name[part.name] for part in rule.parts if part.pass_at is not None]
    named = ", ".join(f"{metric.heading} {_mark(metric)}" for metric in marked[:6])
    more = f" and {len(marked) - 6} more" if len(marked) > 6 else ""
    return f"A response passes where every marked metric does: {named}{more}."


def _mark(metric: Metric) -> str:
    side = "from" if metric.higher_is_better else "up to"
    return f"{side} {metric.pass_at:g}"


def read(
    session: Session, audit: Audit, subject: str, progress: Progress | None = None
) -> PassAudit:
    """Compute the figures of a subject, as a whole and by category; call it beside the window.

    Raises:
        CancelledError: Nobody waits any more.
    """
    go_on = partial(heed, progress)
    table = audit.frame.table
    policy = IntervalPolicy(level=audit.request.level, seed=audit.request.seed)
    why = why_no_sides(table, subject)
    if why is not None:
        return _nothing(table, subject, why)
    sides = sides_of(table, subject, audit.frame.choices.options.selection)
    places, names = _categories(session, table.keys, go_on)
    groups = _by_category(sides, places, names)
    found = tuple(_category(sides, name, rows, policy, go_on) for name, rows in groups[:MANY])
    return PassAudit(
        subject=subject,
        title=subject_title(audit.rubric, subject),
        rule=rule_words(table.rubric, subject, table.options),
        block=block_of(sides.auto, sides.human, sides.ways, policy, sides.selected),
        cells=sides.counts(),
        categories=found,
        sides=sides,
        places=places,
        names=names,
        left_out=max(len(groups) - MANY, 0),
    )


def _nothing(table: FigureTable, subject: str, why: str) -> PassAudit:
    rubric = table.rubric
    known = subject in ("", *rubric.by_name)
    return PassAudit(
        subject=subject,
        title=subject_title(rubric, subject) if known else subject,
        rule=rule_words(rubric, "", table.options) if not subject else "",
        block=no_verdicts(why),
        cells=Cells(),
        reason=why,
    )


def _categories(
    session: Session, keys: Ints, go_on: Callable[[], None]
) -> tuple[Ints, tuple[str | None, ...]]:
    """Number the category of each evaluation."""
    if not keys.size:
        return np.zeros(0, dtype=np.int64), ()
    span = (int(keys[0]), int(keys[-1]))
    found = evaluation_columns.read_categories(session.project, span, go_on)
    numbers: dict[str | None, int] = {None: 0}
    codes = np.array([numbers.setdefault(x, len(numbers)) for x in found.categories], np.int64)
    there = np.frombuffer(found.keys, dtype=np.int64)
    places = np.minimum(np.searchsorted(there, keys), max(there.size - 1, 0))
    known = there[places] == keys if there.size else np.zeros(keys.size, dtype=np.bool_)
    return np.where(known, codes[places] if there.size else 0, 0), tuple(numbers)


def _by_category(
    sides: Sides, places: Ints, names: Sequence[str | None]
) -> list[tuple[str | None, Ints]]:
    """Give each category with the positions of its evaluations, most labels first."""
    order = np.argsort(places, kind="stable")
    ends = np.searchsorted(places[order], np.arange(len(names) + 1))
    both = sides.counted
    labelled = np.bincount(places[both], minlength=len(names))
    ranked = sorted(range(len(names)), key=lambda at: (-labelled[at], str(names[at] or "")))
    groups = [(names[at], order[ends[at] : ends[at + 1]]) for at in ranked]
    filled = [(name, rows) for name, rows in groups if rows.size]
    return filled if len(filled) > 1 else []


def _category(
    sides: Sides,
    name: str | None,
    rows: Ints,
    policy: IntervalPolicy,
    go_on: Callable[[], None],
) -> CategoryPass:
    go_on()
    mine = sides.where(rows)
    block = block_of(mine.auto, mine.human, mine.ways, policy, mine.selected)
    return CategoryPass(name, mine.counts(), block)
