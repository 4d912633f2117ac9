"""What would change with other pass marks, weights or rules: before and after, nothing saved."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import numpy as np
from msgspec import UNSET

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Metric, PassRule, Rubric
from reviewer.scoring.overall import has_extent
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.passing import (
    Sides,
    rate,
    sides_of,
    subject_title,
    why_no_sides,
)
from reviewer.services.figures import figure_table
from reviewer.services.figures.bands import DASH
from reviewer.services.figures.column_memory import held_now
from reviewer.services.figures.figure_settings import options_of
from reviewer.services.figures.figure_table import FigureTable, under
from reviewer.services.figures.human_columns import Ints
from reviewer.services.figures.request import Choices, covered
from reviewer.services.figures.statistics_blocks import MEANS, Cells, GapBlock, PassBlock
from reviewer.services.figures.statistics_gaps import Frame, metric_gaps, overall_gaps
from reviewer.services.figures.statistics_pass import block_of, no_verdicts
from reviewer.services.project.session import Session
from reviewer.stats.clustering import Quantity
from reviewer.stats.deviations import DeviationOptions, window, with_option
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.overall_columns import FAIL, OPEN, PASS
from reviewer.stats.rates import RATES, RateName
from reviewer.stats.values import HumanRule


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is tried; everything else stays as it is.

    Attributes:
        marks: Metrics with another pass mark, None for no mark.
        weights: Metrics with another weight.
        pass_rule: Another rule of pass and fail.
        pass_at: Another mark of the overall.
        preset: Another preset of deviations, without what the page's options change.
        options: Names and values of options that differ from the preset, or from the page's.
    """

    marks: tuple[tuple[str, float | None], ...] = ()
    weights: tuple[tuple[str, float], ...] = ()
    pass_rule: PassRule | None = None
    pass_at: float | None = None
    preset: str | None = None
    options: tuple[tuple[str, str], ...] = ()


def changed_rubric(rubric: Rubric, change: Change) -> Rubric:
    """Give the rubric as it would be.

    Raises:
        ReviewerError: A metric is not there, a weight is negative, a mark lies off the scale, or
            the rule of the overall has no mark.
    """
    marks, weights = dict(change.marks), dict(change.weights)
    unknown = [name for name in (*marks, *weights) if name not in rubric.by_name]
    if unknown:
        raise ReviewerError(f"The rubric {rubric.name} has no metric {unknown[0]!r}.")
    metrics = tuple(
        _changed(metric, marks.get(metric.name, metric.pass_at), weights.get(metric.name))
        for metric in rubric.metrics
    )
    pass_at = rubric.pass_at if change.pass_at is None else change.pass_at
    pass_rule = change.pass_rule or rubric.pass_rule
    if pass_rule == "overall" and pass_at is None:
        raise ReviewerError("Verdicts by the overall need its pass mark; give one.")
    return replace(rubric, metrics=metrics, pass_rule=pass_rule, pass_at=pass_at)


def _changed(metric: Metric, mark: float | None, weight: float | None) -> Metric:
    if weight is not None and not 0 <= weight < np.inf:
        raise ReviewerError(f"{metric.heading}: a weight is 0 or more, not {weight:g}.")
    if mark is not None and mark != metric.pass_at:
        if not has_extent(metric) or metric.bounds is None:
            raise ReviewerError(f"{metric.heading} has no range, so it takes no pass mark.")
        low, high = metric.bounds
        if not low <= mark <= high:
            raise ReviewerError(
                f"{metric.heading} runs from {low:g} to {high:g}; a pass mark of {mark:g} lies "
                "outside."
            )
    return replace(metric, pass_at=mark, weight=metric.weight if weight is None else weight)


Who = Literal["judge", "people"]
Style = Literal["share", "score"]
SATISFACTION: Final = "Satisfaction"
_VERDICTS: Final = {PASS: "pass", FAIL: "fail", OPEN: "open"}
_RATES: Final[tuple[RateName, ...]] = (
    "auto_rate", "human_rate", "corrected_rate", "catch_rate", "specificity", "precision",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shown(Quantity):
    """One figure: value, interval, the evaluations behind it, or why there is none.

    Attributes:
        instead: What stands where there is no value.
        mark: That the value lies off the scale, or at its end.
    """

    instead: str = DASH
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Beside:
    """One figure before and after; `group` says what it is about."""

    group: str
    title: str
    style: Style
    before: Shown
    after: Shown

    @property
    def moved(self) -> bool:
        """Tell whether the figure differs, or is there on one side only."""
        one, other = self.before.value, self.after.value
        if one is None or other is None:
            return one is not other
        return round(one, 9) != round(other, 9)


@dataclass(frozen=True, slots=True, eq=False)
class Flip:
    """Evaluations whose verdict changes in one way."""

    who: Who
    before: str
    after: str
    keys: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What a change would do."""

    subject: str
    change: Change
    figures: tuple[Beside, ...]
    flips: tuple[Flip, ...]

    def flipped(self, who: Who | None = None) -> Ints:
        """Give the evaluations whose verdict flips, on one side or on either, ascending."""
        found = [flip.keys for flip in self.flips if who is None or flip.who == who]
        return np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Base:
    """What changes are tried on: the page's figures, and tables with labels combined otherwise."""

    audit: Audit
    tables: dict[HumanRule, FigureTable] = field(default_factory=dict)

    @property
    def combine(self) -> HumanRule:
        """Give how the page's figures combine labels."""
        return self.audit.frame.choices.options.label_combine

    def has(self, change: Change) -> bool:
        """Tell whether a change can be tried without reading the project."""
        wanted = _choices(self.audit, change).options.label_combine
        return wanted == self.combine or wanted in self.tables

    def table(self, wanted: HumanRule, session: Session | None) -> FigureTable:
        """Give the table with labels combined in a way, read where it is not there yet."""
        if wanted == self.combine:
            return self.audit.frame.table
        if wanted not in self.tables and session is not None:
            options = replace(self.audit.frame.choices.options, label_combine=wanted)
            self.tables[wanted] = _load(session, self.audit, options)
        return self.tables[wanted]


def compute(
    base: Base, subject: str, metric: str, change: Change, session: Session | None = None
) -> Outcome:
    """Compute every figure before and after a change, and whose verdict flips.

    Args:
        base: The page's figures.
        subject: Whose verdict: a metric's name, or `passing.WHOLE`.
        metric: Whose deviations stand beside those of the satisfaction.
        change: What is tried.
        session: To read labels combined otherwise; needed where `base.has` says no.

    Raises:
        ReviewerError: The change does not fit the rubric.
    """
    audit = base.audit
    rubric = changed_rubric(audit.rubric, change)
    made_by = _choices(audit, change)
    table = base.table(made_by.options.label_combine, session)
    frames = audit.frame, Frame(under(table, rubric, made_by.options), made_by)
    policy = IntervalPolicy(level=audit.request.level, seed=audit.request.seed)
    before, after = (_Side.of(frame, subject, metric, policy) for frame in frames)
    return Outcome(
        subject=subject,
        change=change,
        figures=tuple(_beside(before, after, subject_title(rubric, subject))),
        flips=tuple(_flips(before, after)),
    )


def _choices(audit: Audit, change: Change) -> Choices:
    now = audit.frame.choices
    if change.preset is None and not change.options:
        return now
    made = now.options if change.preset is None else options_of(change.preset)
    scope = audit.request.scope
    try:
        for name, text in change.options:
            made = with_option(made, name, text)
        if scope.window_months is not UNSET:
            made = replace(made, window_months=scope.window_months, window_days=None)
        span = window(now.as_of, months=made.window_months, days=made.window_days)
    except ValueError as error:
        raise ReviewerError(str(error)) from error
    return replace(now, options=made, preset=change.preset or now.preset, span=span)


def _load(session: Session, audit: Audit, options: DeviationOptions) -> FigureTable:
    project, scope = session.project, audit.request.scope
    scoped = covered(project, scope)
    table = figure_table.load(
        project,
        scope,
        rubric=scoped.rubric,
        within=scoped.within,
        options=options,
        held=held_now(session),
    )
    if not np.array_equal(table.keys, audit.frame.table.keys):
        raise ReviewerError("The project has changed meanwhile; compute the figures anew.")
    return table


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Every figure under one rubric and one set of options."""

    sides: Sides | None
    block: PassBlock
    satisfaction: GapBlock
    metric: GapBlock
    title: str

    @classmethod
    def of(cls, frame: Frame, subject: str, metric: str, policy: IntervalPolicy) -> "_Side":
        table = frame.table
        why = why_no_sides(table, subject)
        sides = None if why else sides_of(table, subject, frame.choices.options.selection)
        if sides is None:
            block = no_verdicts(why or "")
        else:
            block = block_of(sides.auto, sides.human, sides.ways, policy, sides.selected)
        return cls(
            sides=sides,
            block=block,
            satisfaction=overall_gaps(frame),
            metric=metric_gaps(frame, table.metrics[metric]),
            title=table.metrics[metric].metric.heading,
        )


def _beside(before: _Side, after: _Side, verdicts: str) -> Sequence[Beside]:
    made = [
        Beside(verdicts, RATES[name].title, "share", *(_rate(x, name) for x in (before, after)))
        for name in _RATES
    ]
    blocks: tuple[tuple[str, Callable[[_Side], GapBlock]], ...] = (
        (SATISFACTION, lambda side: side.satisfaction),
        (after.title, lambda side: side.metric),
    )
    for group, of in blocks:
        made += [
            Beside(
                group, title.capitalize(), "score", *(_gap(of(x), name) for x in (before, after))
            )
            for name, title in MEANS.items()
        ]
    return made


def _rate(side: _Side, name: RateName) -> Shown:
    found = rate(side.block, Cells() if side.sides is None else side.sides.counts(), name)
    return Shown(found.value, found.n, found.low, found.high, found.reason)


def _gap(block: GapBlock, name: str) -> Shown:
    found = block.deviations
    values = {
        "auto_mean": (block.auto_mean, block.n_auto),
        "human_mean": (block.human_mean, found.n_labelled),
        "gap_mean": (found.gap_mean, found.n_labelled),
        "upper_deviation": (found.upper, found.n_higher),
        "lower_deviation": (found.lower, found.n_lower),
    }
    shown = {
        "band": (block.shown_band, found.n_labelled),
        "adjusted_mean": (block.shown_adjusted, block.n_auto),
    }
    if name in shown:
        score, n = shown[name]
        return Shown(
            score.value,
            n,
            reason=score.reason or None,
            instead=score.words(str),
            mark=score.mark,
        )
    value, n = values[name]
    why = block.undefined.get(name) or "nothing is labelled inside the window"
    return Shown(value, n, reason=None if value is not None else why)


def _flips(before: _Side, after: _Side) -> Sequence[Flip]:
    found: list[Flip] = []
    known = before.sides or after.sides
    if known is None:
        return found
    for who in ("judge", "people"):
        first, then = (_verdicts(side, who, known) for side in (before, after))
        codes = 3 * _code(first) + _code(then)
        for code in np.unique(codes[first != then]).tolist():
            one, other = divmod(int(code), 3)
            found.append(Flip(who, _NAMES[one], _NAMES[other], known.keys[codes == code]))
    return found


_ORDER: Final = (PASS, FAIL, OPEN)
_NAMES: Final = tuple(_VERDICTS[code] for code in _ORDER)


def _verdicts(side: _Side, who: Who, known: Sides) -> Ints:
    if side.sides is None:
        return np.full(known.keys.size, OPEN, dtype=np.int64)
    column = side.sides.auto if who == "judge" else side.sides.human
    return column.astype(np.int64)


def _code(verdicts: Ints) -> Ints:
    """Give the place of each verdict among pass, fail and open."""
    places = np.zeros(verdicts.size, dtype=np.int64)
    for place, code in enumerate(_ORDER):
        places[verdicts == code] = place
    return places
