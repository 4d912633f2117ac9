"""What each topic of the numbers shows: its line, and the small table behind it."""

from collections.abc import Hashable

from reviewer.gui.audit.insights_cells import (
    NAME_LENGTH,
    Detail,
    Row,
    difference,
    missing,
    number,
    p_value,
    person,
    share,
    spoken,
    whole,
)
from reviewer.gui.audit.words import two
from reviewer.gui.kit.grid import Cell, Column
from reviewer.gui.kit.text import one_line
from reviewer.services.findings.insights_values import (
    FromGolden,
    Keys,
    MetricInsights,
    PassChange,
    Repeated,
    RunChange,
    SelfConsistency,
    Slice,
    Sliced,
    Topic,
)
from reviewer.stats.golden_set import NO_FAIL, NO_PASS

TITLES = {
    "slices": "Categories",
    "consistency": "Self-consistency",
    "change": "Since the run before",
    "golden": "Golden set",
}
"""Topics in the order of the card."""


def topic(found: MetricInsights, name: str) -> Topic:
    """Give one topic's result."""
    result: Topic = getattr(found, name)
    return result


def detail(found: MetricInsights, name: str) -> Detail:
    """Give the table behind one topic's line."""
    made = {
        "slices": lambda: _slices(found.slices),
        "consistency": lambda: _consistency(found.consistency),
        "change": lambda: _change(found.change, found.pass_change),
        "golden": lambda: _golden(found.golden),
    }
    return made[name]()


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
