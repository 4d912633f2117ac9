"""What each topic of the numbers shows: its line, and the small table behind it."""

from collections.abc import Hashable

from reviewer.gui.audit.insights_cells import (
    NAME_LENGTH,
    TIED,
    Detail,
    Row,
    difference,
    missing,
    number,
    p_value,
    person,
    share,
    signed,
    spoken,
    whole,
)
from reviewer.gui.audit.words import ends, two
from reviewer.gui.grid import Cell, Column
from reviewer.gui.text import one_line
from reviewer.services.insights_values import (
    Calibrated,
    Consented,
    Drifted,
    FromGolden,
    Keys,
    LabelerDrift,
    LabelsNeeded,
    MetricInsights,
    PassChange,
    Repeated,
    RunChange,
    SelfConsistency,
    Slice,
    Sliced,
    Topic,
)
from reviewer.stats.calibration import Conformal, Step
from reviewer.stats.golden_set import NO_FAIL, NO_PASS
from reviewer.stats.planning import LabelPlan

TITLES = {
    "labels": "Labels needed",
    "calibration": "Calibration",
    "slices": "Categories",
    "consistency": "Self-consistency",
    "change": "Since the run before",
    "golden": "Golden set",
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
        "change": lambda: _change(found.change, found.pass_change),
        "golden": lambda: _golden(found.golden),
        "consensus": lambda: _consensus(found.consensus),
        "drift": lambda: _drift(found.drift),
    }
    return made[name]()


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
        whole(found.n),
        number(now, "The interval shown on this page is that for future traffic."),
        Cell(two(plan.half_width)),
        whole(plan.needed, plan.reason),
        whole(plan.without_judge, plan.reason),
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
    shown = missing(often.reason if often else None)
    if around is not None:
        low, high = bounds or around
        shown = Cell(ends(max(around[0], low), min(around[1], high)))
    return (
        Cell(two(step.level), "auto"),
        whole(step.n),
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
    listed: dict[Hashable, tuple[Keys, str]] = {
        n: (one.keys, f"{one.who} differs from itself")
        for n, one in enumerate(everyone)
        if one.keys
    }
    return Detail(_REPEATS, rows, figures, note, opens=bool(listed), responses=listed)


def _repeated(one: Repeated) -> tuple[Cell, ...]:
    spread = one.spread
    reason = "Categories have no spread." if spread is None else spread.reason
    return (
        person(one.who),
        whole(one.flips.items),
        share(one.flips.rate, one.flips.reason),
        number(spread.icc if spread else None, reason),
        number(spread.within_sd if spread else None, reason),
    )


_CHANGES = (
    Column("change of"),
    Column("n", 44, number=True),
    Column("by", 104, number=True, tip="Later minus earlier run, with its interval."),
    Column("p", 66, number=True, tip="Whether chance alone would do: paired t, McNemar's mid-p."),
)


def _change(found: RunChange, passing: PassChange) -> Detail:
    change, paired, anchors, verdicts = found.change, found.paired, found.anchors, found.verdicts
    rows: list[Row] = []
    if paired is not None:
        cells = difference(paired.difference, paired.low, paired.high)
        rows.append(
            ("paired", (Cell("all shared cases"), whole(paired.n), cells, p_value(paired.p)))
        )
    if anchors is not None:
        cells = difference(anchors.difference, anchors.low, anchors.high)
        what = Cell("the judge alone", tip="On answers that are the same to the byte.")
        rows.append(("judge", (what, whole(anchors.n), cells, p_value(anchors.p))))
    if change is not None:
        cells = difference(change.system, change.low, change.high)
        what = Cell("the system alone", tip="Change on new answers without the judge's part.")
        rows.append(("system", (what, missing(), cells, missing(change.reason))))
    if verdicts is not None:
        cells = difference(verdicts.difference, verdicts.low, verdicts.high)
        what = Cell("pass rate", tip=f"{verdicts.gained:,} gained, {verdicts.lost:,} lost.")
        rows.append(("verdicts", (what, whole(verdicts.n), cells, p_value(verdicts.mid))))
    if passing.verdicts is not None:
        one = passing.verdicts
        cells = difference(one.difference, one.low, one.high)
        what = Cell("verdict, all metrics", tip=f"{one.gained:,} gained, {one.lost:,} lost.")
        rows.append(("whole", (what, whole(one.n), cells, p_value(one.mid))))
    scorers = f"{found.before_scorer} before, {found.after_scorer} now"
    note = "" if change is None else f"Since {one_line(found.before, NAME_LENGTH)}. {scorers}."
    figures = "" if change is None or paired is None else f"{paired.n:,} cases"
    since = f"since {one_line(found.before, NAME_LENGTH)}"
    listed: dict[Hashable, tuple[Keys, str]] = {
        "paired": (found.moved, f"Score changed {since}"),
        "judge": (found.judge_moved, f"Same answer, other score {since}"),
        "verdicts": (found.flipped, f"Passes in one run only {since}"),
        "whole": (passing.flipped, f"Other verdict {since}"),
    }
    listed = {key: one for key, one in listed.items() if one[0]}
    return Detail(_CHANGES, tuple(rows), figures, note, opens=bool(listed), responses=listed)


_GOLD = (
    Column("judge"),
    Column("n", 54, number=True, tip="Golden responses with this verdict by people."),
    Column("right", 64, number=True, tip="Those to which the judge gave the same verdict."),
    Column("share", 64, number=True),
)


def _golden(found: FromGolden) -> Detail:
    block = found.golden
    if block is None:
        return Detail(_GOLD)
    one = block.counts
    rows: tuple[Row, ...] = (
        ("fails", (Cell("catches fails"), whole(one.fails), whole(one.caught),
                   share(one.catch_rate, NO_FAIL))),
        ("passes", (Cell("keeps passes"), whole(one.passes), whole(one.kept),
                    share(one.keep_rate, NO_PASS))),
    )  # fmt: skip
    made = block.corrected
    figures = "" if made.mean is None else f"{100 * made.mean:.0f} % pass"
    note = made.note or made.because or ""
    return Detail(_GOLD, rows if one.fails or one.passes else (), figures, spoken(note))


_AGREEING = (
    Column("labeler"),
    Column("labels", 54, number=True, tip="On evaluations with a settled consensus."),
    Column("majority", 72, number=True, tip="Share of them that equal the majority."),
    Column("weighed", 72, number=True, tip="The same, people weighed after Dawid and Skene."),
)


def _consensus(found: Consented) -> Detail:
    rows: tuple[Row, ...] = tuple(
        (
            one.labeler,
            (
                person(one.labeler),
                whole(one.n),
                share(one.majority, role="human"),
                share(one.weighed, found.not_weighed),
            ),
        )
        for one in found.people
    )
    note = found.not_weighed or ""
    if found.n_changed is not None:
        note = f"weighing people changes the consensus on {found.n_changed:,} evaluations"
    figures = f"{found.shared:,} shared" if found.shared else ""
    listed: dict[Hashable, tuple[Keys, str]] = {
        one.labeler: (one.keys, f"{one_line(one.labeler, NAME_LENGTH)} differs from the majority")
        for one in found.people
        if one.keys
    }
    if found.tied:
        what = Cell("no majority", tip="These wait for a decision.")
        rows += ((TIED, (what, whole(len(found.tied)), missing(), missing())),)
        listed[TIED] = (found.tied, "Without a majority")
    return Detail(_AGREEING, rows, figures, spoken(note), opens=bool(listed), responses=listed)


_MOVING = (
    Column("labeler"),
    Column("labels", 54, number=True, tip="With somebody else's on the same evaluation."),
    Column("apart", 60, number=True, tip="Mean distance from the others."),
    Column("since", 92, number=True, tip="When the last alarm's drift begins."),
    Column("by", 60, number=True, tip="Mean distance since then."),
)


def _drift(found: LabelerDrift) -> Detail:
    rows = tuple((one.labeler, _drifted(one)) for one in found.people)
    listed: dict[Hashable, tuple[Keys, str]] = {
        one.labeler: (one.keys, f"{one_line(one.labeler, NAME_LENGTH)} {_since(one)}")
        for one in found.people
        if one.keys
    }
    moved = sum(1 for one in found.people if one.alarms)
    figures = "" if not rows else f"{moved} of {len(rows)} moved"
    note = "A hint from cumulative sums at h = 8: false for one labeler in 25 over 400 labels."
    return Detail(
        _MOVING, rows, figures, note if rows else "", opens=bool(listed), responses=listed
    )


def _since(one: Drifted) -> str:
    if one.direction is None:
        return "beside others"
    return f"since {one.since:%Y-%m-%d}" if one.since else f"since label {one.since_label}"


def _drifted(one: Drifted) -> tuple[Cell, ...]:
    since = missing("No alarm.")
    if one.direction is not None:
        shown = f"{one.since:%Y-%m-%d}" if one.since else f"label {one.since_label}"
        since = Cell(shown, "alert")
    apart = Cell(signed(one.gap))
    by = missing("No alarm.") if one.shift is None else Cell(signed(one.shift), "alert")
    return (person(one.labeler), whole(one.n), apart, since, by)


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
    gap = difference(one.gap, one.low, one.high)
    if one.gap is None:
        gap = missing(one.gap_verdict.reason)
    elif one.gap_verdict.differs:
        gap = Cell(f"≠ {gap.words}", "alert", tip=gap.tip, below=gap.below)
    verdict = one.catch_verdict
    caught = share(one.caught, why or (verdict.reason if verdict else None))
    if one.caught is not None and verdict is not None and verdict.differs:
        caught = Cell(f"≠ {caught.words}", "alert")
    name = one.category or "none"
    return (
        Cell(one_line(name, NAME_LENGTH), tip=name, strong=True),
        whole(one.n),
        gap,
        missing(why) if why else whole(one.failed),
        caught,
    )
