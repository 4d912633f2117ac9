"""Does the judge pass and fail what people pass and fail: by whole, metric, category, in words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from reviewer.domain.errors import Progress, ReviewerError, heed
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.wording import fixed, percent, upper_first
from reviewer.scoring.overall import has_extent, part_of
from reviewer.services.audits.auditing import Audit
from reviewer.services.explaining.explanations_words import ONE_LOOK, Step
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.human_columns import Flags, Ints
from reviewer.services.figures.statistics_blocks import Cells, PassBlock
from reviewer.services.figures.statistics_corrected import Verdicts, Ways, best_ways, pass_rows
from reviewer.services.figures.statistics_pass import (
    Selected,
    block_of,
    count_cells,
    no_verdicts,
    why_no_verdict,
)
from reviewer.services.project.figure_rules import overall_rule, verdict_rule
from reviewer.services.project.session import Session
from reviewer.stats.clustering import Quantity
from reviewer.stats.deviations import DeviationOptions
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.overall_columns import FAIL, OPEN, PASS, verdict_columns
from reviewer.stats.rates import RATES, Look, RateEntry, RateName, Side, cells_of
from reviewer.stats.reasons import NO_MARK_OF_METRIC
from reviewer.stats.satisfaction import OverallRule
from reviewer.stats.segments import SHOWN_FROM
from reviewer.stats.values import SelectionRule
from reviewer.store import evaluation_columns

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

    def of(self, entry: RateEntry, look: Look) -> Ints:
        """Give the keys of verdicts among those that a rate is of."""
        people, judge = look
        if entry.of == "both":
            return self.cell(people, judge)
        if entry.of == "labels":
            wanted = pass_rows(self.auto, self.human, self.ways)
        else:
            wanted = _are(self.auto, judge) if entry.of == "judge" else _are(self.human, people)
        return np.asarray(self.keys[wanted])

    def counts(self) -> Cells:
        """Count the evaluations with both verdicts."""
        return count_cells(self.auto, self.human, self.counted)[0]


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
    labelled = np.bincount(places[sides.counted], minlength=len(names))
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


EQUAL = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate(Quantity):
    """One rate as it is shown; `hits` of `n` where it is a plain share."""

    entry: RateEntry
    hits: int | None = None


def rate(block: PassBlock, cells: Cells, name: RateName) -> Rate:
    """Take one rate out of a block."""
    entry = RATES[name]
    if entry.of == "labels":
        found = block.corrected
        return Rate(found.mean, found.n, found.low, found.high, found.reason, entry=entry)
    interval = block.intervals.get(name)
    hits, n = _counts(block, cells, entry)
    value = block.figures[name]
    if entry.of != "both":
        value = block.auto_rate if entry.of == "judge" else block.human_rate
    # where evaluations count by the chance of their drawing a rate is no share of them
    is_share = value is None or not n or abs(value - hits / n) < EQUAL
    return Rate(
        entry=entry,
        value=value,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        hits=hits if is_share else None,
        n=n,
        reason=block.undefined.get(name),
    )


def _counts(block: PassBlock, cells: Cells, entry: RateEntry) -> tuple[int, int]:
    if entry.of == "judge":
        return round((block.auto_rate or 0) * block.n_auto), block.n_auto
    if entry.of == "people":
        return round((block.human_rate or 0) * block.n_human), block.n_human
    table = (cells.both_fail, cells.missed, cells.alarmed, cells.both_pass)
    hits, whole = (sum(table[x] for x in cells_of(look)) for look in (entry.hits, entry.whole))
    return hits, whole


def sentence(found: PassAudit, one: Rate, level: float, category: str = "") -> str:
    """Say one rate in a sentence that stands alone."""
    about = f"{found.title}, {category}" if category else found.title
    if one.value is None:
        counted = f"; n = {one.n:,}" if one.n else ""
        why = one.reason or "not defined"
        return f"{about}: no {one.entry.title.lower()} ({why}{counted})."
    said = one.entry.said.format(share=percent(one.value))
    counted = f"n = {one.n:,}" if one.hits is None else f"{one.hits:,} of {one.n:,}"
    few = too_few(one) if category else ""
    if few:
        return f"{about}: {one.entry.title.lower()} cannot be told from {few}."
    between = ""
    if one.low is not None and one.high is not None:
        between = f"; {percent(level)} interval {percent(one.low)} to {percent(one.high)}"
    return f"{about}: {said} ({counted}{between})."


def counted(one: Rate) -> str:
    """Say how many evaluations stand behind a rate."""
    return f"{one.n:,}" if one.hits is None else f"{one.hits:,} of {one.n:,}"


def too_few(one: Rate) -> str:
    """Say that a category's rate has too few evaluations, nothing where there are enough."""
    if one.n >= SHOWN_FROM:
        return ""
    said = f"n = {one.n:,}" if one.hits is None else counted(one)
    return f"{said}: fewer than {SHOWN_FROM}"


def steps_of_category(one: Rate, block: PassBlock, cells: Cells) -> tuple[Step, ...]:
    """Give a category's rate with its numbers, or how few they are."""
    few = too_few(one)
    if one.value is None or not few:
        return steps(one, block, cells)
    entry = one.entry
    return (Step("What it is", entry.meaning), Step(entry.title, upper_first(few)))


def steps(one: Rate, block: PassBlock, cells: Cells) -> tuple[Step, ...]:
    """Give a rate's formula with the numbers filled in."""
    entry = one.entry
    title = entry.title
    if one.value is None:
        return (Step(title, upper_first(one.reason or "it is not defined")),)
    if entry.of == "labels":
        return _corrected(one, block, cells)
    meaning = Step("What it is", entry.meaning)
    if one.hits is None:
        return (meaning, Step(title, f"{percent(one.value)}. {block.note or ''}".rstrip()))
    counted = f"{one.hits:,} ÷ {one.n:,} = {fixed(one.value, 4)}"
    made = [meaning, Step(title, f"{entry.formula} = {counted}")]
    if one.low is not None and one.high is not None:
        interval = block.intervals[one.entry.name]
        hows = {"wilson": "Wilson", "wilson by conversation": "Wilson, by conversation"}
        how = hows.get(interval.method, "whole conversations")
        made.append(
            Step("Interval", f"{fixed(one.low, 4)} to {fixed(one.high, 4)} ({how}). {ONE_LOOK}")
        )
    return tuple(made)


def _corrected(one: Rate, block: PassBlock, cells: Cells) -> tuple[Step, ...]:
    found = block.corrected
    entry = one.entry
    made = [Step("What it is", entry.meaning)]
    passed, failed = cells.both_pass + cells.missed, cells.both_fail + cells.alarmed
    share = block.auto_rate or 0.0
    by_verdict = share * (cells.both_pass / passed if passed else 0.5) + (1 - share) * (
        cells.alarmed / failed if failed else 0.5
    )
    if found.method == "post_stratified" and abs(by_verdict - (one.value or 0)) < 1e-9:
        made.append(
            Step(
                entry.title,
                "judge's pass share × people's passes among them + judge's fail share × people's "
                f"passes among them = {fixed(share, 4)} × {_part(cells.both_pass, passed)} + "
                f"{fixed(1 - share, 4)} × {_part(cells.alarmed, failed)} = {fixed(one.value, 4)}",
            )
        )
    else:
        made.append(Step(entry.title, f"{fixed(one.value, 4)} from {one.n:,} labels."))
    if found.because:
        made.append(Step("Why so", upper_first(found.because)))
    if one.low is not None and one.high is not None:
        made.append(Step("Interval", f"{fixed(one.low, 4)} to {fixed(one.high, 4)}. {ONE_LOOK}"))
    return tuple(made)


def _part(hits: int, n: int) -> str:
    return f"{hits:,}/{n:,}" if n else "½ (no label there)"
