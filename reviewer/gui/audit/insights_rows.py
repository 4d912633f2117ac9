"""What each topic of the numbers shows: its line, and the small table behind it."""

from collections.abc import Hashable
from dataclasses import dataclass

from reviewer.gui.audit.words import DASH, ends, two
from reviewer.gui.grid import Cell, Column
from reviewer.gui.text import one_line
from reviewer.services.insights_values import (
    Calibrated,
    Consented,
    Drifted,
    LabelerDrift,
    LabelsNeeded,
    MetricInsights,
    Repeated,
    RunChange,
    SelfConsistency,
    Slice,
    Sliced,
    Topic,
)
from reviewer.stats.calibration import Conformal, Step
from reviewer.stats.planning import LabelPlan

NAME_LENGTH = 40
Row = tuple[Hashable, tuple[Cell, ...]]


@dataclass(frozen=True, slots=True)
class Detail:
    """The table behind a line; without rows there is nothing to unfold.

    Attributes:
        figures: The few figures that stand beside the title.
        note: What the table cannot say, below it.
        opens: Whether a row leads to its responses.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...] = ()
    figures: str = ""
    note: str = ""
    opens: bool = False


TITLES = {
    "labels": "Labels needed",
    "calibration": "Calibration",
    "slices": "Categories",
    "consistency": "Self-consistency",
    "change": "Since the run before",
    "consensus": "Consensus of labelers",
    "drift": "Drift of labelers",
}
"""Topics in the order of the card."""


def topic(found: MetricInsights, name: str) -> Topic:
    """Give one topic's result."""
    result: Topic = getattr(found, name)
    return result


def detail(found: MetricInsights, name: str) -> Detail:
    """Give the table behind one topic's line."""
    made = {
        "labels": lambda: _labels(found.labels, found.pass_labels),
        "calibration": lambda: _calibration(found.calibration, found.bounds),
        "slices": lambda: _slices(found.slices),
        "consistency": lambda: _consistency(found.consistency),
        "change": lambda: _change(found.change),
        "consensus": lambda: _consensus(found.consensus),
        "drift": lambda: _drift(found.drift),
    }
    return made[name]()


def _signed(value: float) -> str:
    return f"+{two(value)}" if round(value, 2) > 0 else two(value)


def _missing(reason: str | None = None) -> Cell:
    return Cell(DASH, "muted", tip=reason or "")


def _number(value: float | None, reason: str | None = None, role: str = "") -> Cell:
    return _missing(reason) if value is None else Cell(two(value), role)


def _whole(value: int | None, reason: str | None = None) -> Cell:
    return _missing(reason) if value is None else Cell(f"{value:,}")


def _share(value: float | None, reason: str | None = None, role: str = "") -> Cell:
    return _missing(reason) if value is None else Cell(f"{100 * value:.0f} %", role)


def _difference(value: float | None, low: float | None, high: float | None) -> Cell:
    if value is None:
        return _missing()
    spoken = ends(low, high)
    return Cell(_signed(value), tip=f"95 % {spoken}" if spoken else "", below=spoken)


def _person(name: str) -> Cell:
    return Cell(one_line(name, NAME_LENGTH), strong=True, tip=name)


_PLAN = (
    Column("for"),
    Column("labels", 52, number=True, tip="Labels drawn at random that count already."),
    Column("± now", 56, number=True, tip="Half of the corrected figure's interval."),
    Column("± wanted", 66, number=True),
    Column("needed", 58, number=True, tip="Labels in all, those there are included."),
    Column("no judge", 66, number=True, tip="Labels in all without any auto score.", drop=1),
)


def _labels(mean: LabelsNeeded, rate: LabelsNeeded) -> Detail:
    rows: list[Row] = []
    for what, found in (("mean", mean), ("pass rate", rate)):
        if found.reason is not None:
            continue
        if found.plan is not None:
            rows.append(((what, "traffic"), _plan(what, "future traffic", found, found.plan)))
        if found.only_these is not None:
            rows.append(((what, "these"), _plan(what, "exactly these", found, found.only_these)))
    figures = "" if mean.half_width is None else f"±{two(mean.half_width)} · n = {mean.n:,}"
    note = "" if not rows else "Below 20 labels the plan takes the judge to be of no help."
    return Detail(_PLAN, tuple(rows), figures, note)


def _plan(what: str, whom: str, found: LabelsNeeded, plan: LabelPlan) -> tuple[Cell, ...]:
    # an interval belongs to the traffic; exactly these evaluations would have a narrower one
    now = found.half_width if plan is found.plan else None
    return (
        Cell(what, tip=plan.reason or "", below=whom),
        _whole(found.n),
        _number(now, "The interval shown on this page is that for future traffic."),
        Cell(two(plan.half_width)),
        _whole(plan.needed, plan.reason),
        _whole(plan.without_judge, plan.reason),
    )


_STEPS = (
    Column("judge"),
    Column("n", 40, number=True, tip="Labelled evaluations at this level."),
    Column("people", 60, number=True, tip="Their mean human score."),
    Column("fitted", 60, number=True, tip="The nearest means that never fall (isotonic fit)."),
    Column("9 in 10", 90, number=True, tip="Where 9 in 10 human scores lie."),
)


def _calibration(found: Calibrated, bounds: tuple[float, float] | None) -> Detail:
    often = found.ranges[0] if found.ranges else None
    steps = found.table.steps if found.table else ()
    rows = tuple((step.level, _step(step, often, bounds)) for step in steps)
    told = [
        f"{100 * one.level:.0f} % within ±{two(one.half_width)}"
        for one in found.ranges
        if one.half_width is not None
    ]
    if rows and found.on_levels:
        told.append("choose a level to list its responses")
    note = " · ".join(told) or (often.reason or "" if often else "")
    figures = f"n = {often.n:,}" if often and often.n else ""
    return Detail(_STEPS, rows, figures, note, opens=found.on_levels)


def _step(
    step: Step, often: Conformal | None, bounds: tuple[float, float] | None
) -> tuple[Cell, ...]:
    around = often.around(step.level) if often else None
    shown = _missing(often.reason if often else None)
    if around is not None:
        low, high = bounds or around
        shown = Cell(ends(max(around[0], low), min(around[1], high)))
    return (
        Cell(two(step.level), "auto"),
        _whole(step.n),
        Cell(two(step.mean), "human"),
        Cell(two(step.fitted), "adjusted"),
        shown,
    )


_REPEATS = (
    Column("who"),
    Column("items", 50, number=True, tip="Evaluations judged more than once."),
    Column("flips", 54, number=True, tip="Share of pairs of repeats that differ."),
    Column("ICC", 54, number=True, tip="ICC(1,1): share of the variance between evaluations."),
    Column("sd", 50, number=True, tip="Standard deviation of repeats on one evaluation."),
)


def _consistency(found: SelfConsistency) -> Detail:
    everyone = (*found.judges, *found.people)
    rows = tuple((n, _repeated(one)) for n, one in enumerate(everyone))
    rate = found.judges[0].flips.rate if found.judges else None
    figures = "" if rate is None else f"{100 * rate:.0f} % flips"
    note = ""
    if found.ceiling is not None:
        note = f"With these repeats judge and people correlate at most {two(found.ceiling)}."
    return Detail(_REPEATS, rows, figures, note)


def _repeated(one: Repeated) -> tuple[Cell, ...]:
    spread = one.spread
    reason = "Categories have no spread." if spread is None else spread.reason
    return (
        _person(one.who),
        _whole(one.flips.items),
        _share(one.flips.rate, one.flips.reason),
        _number(spread.icc if spread else None, reason),
        _number(spread.within_sd if spread else None, reason),
    )


_CHANGES = (
    Column("change of"),
    Column("n", 44, number=True),
    Column("by", 104, number=True, tip="Later minus earlier run, with its interval."),
    Column("p", 66, number=True, tip="Whether chance alone would do: paired t, McNemar's mid-p."),
)


def _change(found: RunChange) -> Detail:
    change, paired, anchors, verdicts = found.change, found.paired, found.anchors, found.verdicts
    rows: list[Row] = []
    if paired is not None:
        cells = _difference(paired.difference, paired.low, paired.high)
        rows.append(("paired", (Cell("all shared cases"), _whole(paired.n), cells, _p(paired.p))))
    if anchors is not None:
        cells = _difference(anchors.difference, anchors.low, anchors.high)
        what = Cell("the judge alone", tip="On answers that are the same to the byte.")
        rows.append(("judge", (what, _whole(anchors.n), cells, _p(anchors.p))))
    if change is not None:
        cells = _difference(change.system, change.low, change.high)
        what = Cell("the system alone", tip="Change on new answers without the judge's part.")
        rows.append(("system", (what, _missing(), cells, _missing(change.reason))))
    if verdicts is not None:
        cells = _difference(verdicts.difference, verdicts.low, verdicts.high)
        what = Cell("pass rate", tip=f"{verdicts.gained:,} gained, {verdicts.lost:,} lost.")
        rows.append(("verdicts", (what, _whole(verdicts.n), cells, _p(verdicts.mid))))
    scorers = f"{found.before_scorer} before, {found.after_scorer} now"
    note = "" if change is None else f"Since {one_line(found.before, NAME_LENGTH)}. {scorers}."
    figures = "" if change is None or paired is None else f"{paired.n:,} cases"
    return Detail(_CHANGES, tuple(rows), figures, note)


def _p(value: float | None) -> Cell:
    if value is None:
        return _missing()
    return Cell("< 0.001" if value < 0.001 else f"{value:.3f}")


_AGREEING = (
    Column("labeler"),
    Column("labels", 54, number=True, tip="On evaluations with a settled consensus."),
    Column("majority", 72, number=True, tip="Share of them that equal the majority."),
    Column("weighed", 72, number=True, tip="The same, people weighed after Dawid and Skene."),
)


def _consensus(found: Consented) -> Detail:
    rows = tuple(
        (
            one.labeler,
            (
                _person(one.labeler),
                _whole(one.n),
                _share(one.majority, role="human"),
                _share(one.weighed, found.not_weighed),
            ),
        )
        for one in found.people
    )
    note = found.not_weighed or ""
    if found.n_changed is not None:
        note = f"weighing people changes the consensus on {found.n_changed:,} evaluations"
    figures = f"{found.shared:,} shared" if found.shared else ""
    return Detail(_AGREEING, rows, figures, _spoken(note))


_MOVING = (
    Column("labeler"),
    Column("labels", 54, number=True, tip="With somebody else's on the same evaluation."),
    Column("apart", 60, number=True, tip="Mean distance from the others."),
    Column("since", 92, number=True, tip="When the last alarm's drift begins."),
    Column("by", 60, number=True, tip="Mean distance since then."),
)


def _drift(found: LabelerDrift) -> Detail:
    rows = tuple((one.labeler, _drifted(one)) for one in found.people)
    moved = sum(1 for one in found.people if one.alarms)
    figures = "" if not rows else f"{moved} of {len(rows)} moved"
    note = "A hint from cumulative sums at h = 8: false for one labeler in 25 over 400 labels."
    return Detail(_MOVING, rows, figures, note if rows else "")


def _drifted(one: Drifted) -> tuple[Cell, ...]:
    since = _missing("No alarm.")
    if one.direction is not None:
        shown = f"{one.since:%Y-%m-%d}" if one.since else f"label {one.since_label}"
        since = Cell(shown, "alert")
    apart = Cell(_signed(one.gap))
    by = _missing("No alarm.") if one.shift is None else Cell(_signed(one.shift), "alert")
    return (_person(one.labeler), _whole(one.n), apart, since, by)


_SLICED = (
    Column("category"),
    Column("n", 40, number=True, tip="Evaluations with auto and human score."),
    Column("gap", 100, number=True, tip="Mean gap, human minus auto, with its interval."),
    Column("failed", 54, number=True, tip="Evaluations that people failed.", drop=1),
    Column("caught", 60, number=True, tip="Share of those that the judge failed too."),
)


def _slices(found: Sliced) -> Detail:
    rows = tuple((one.category, _slice(one, found.catch_reason)) for one in found.slices)
    note = "≠ differs from the rest, allowing for the number of categories. "
    note += "Choose a category to see its responses alone, once more to see all."
    figures = f"{len(rows):,} categories" if len(rows) > 1 else ""
    return Detail(_SLICED, rows, figures, note if rows else "", opens=True)


def _slice(one: Slice, why: str | None) -> tuple[Cell, ...]:
    gap = _difference(one.gap, one.low, one.high)
    if one.gap is None:
        gap = _missing(one.gap_verdict.reason)
    elif one.gap_verdict.differs:
        gap = Cell(f"≠ {gap.words}", "alert", tip=gap.tip, below=gap.below)
    verdict = one.catch_verdict
    caught = _share(one.caught, why or (verdict.reason if verdict else None))
    if one.caught is not None and verdict is not None and verdict.differs:
        caught = Cell(f"≠ {caught.words}", "alert")
    name = one.category or "none"
    return (
        Cell(one_line(name, NAME_LENGTH), tip=name, strong=True),
        _whole(one.n),
        gap,
        _missing(why) if why else _whole(one.failed),
        caught,
    )


def _spoken(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}." if words else ""
