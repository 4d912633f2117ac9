"""The tables of the section on people."""

from collections.abc import Hashable, Sequence
from dataclasses import replace

from reviewer.domain.wording import DASH, percent, points, short
from reviewer.gui.audit import metric_figures, table_card
from reviewer.gui.kit.grid import Cell, Column
from reviewer.services.audits import people
from reviewer.services.audits.anchoring import Anchoring, Compared, Reconsidered
from reviewer.services.audits.gold import Hits
from reviewer.services.audits.people import (
    Ceiling,
    OwnRepeats,
    PeopleFigures,
    WithRest,
    is_boundless,
)
from reviewer.services.figures.statistics_blocks import LabelerPair
from reviewer.services.findings.insights_values import Drifted
from reviewer.stats.catalogue import FIGURES
from reviewer.stats.ceiling import Reach
from reviewer.stats.contrast import Contrast

Row = tuple[Hashable, tuple[Cell, ...]]

REACHED = (
    Column("statistic"),
    Column("n", 44, number=True, tip="Evaluations that two people and the judge scored.", drop=1),
    Column("people", 72, number=True, tip="A label beside another person's."),
    Column("judge", 72, number=True, tip="A label beside the judge's score."),
    Column("reached", 76, number=True, tip="Judge by people, with its interval."),
)
CHANGED = "changed"
SIGHT = (
    Column("labels"),
    Column("unseen", 62, number=True, tip="Labels given without sight of the auto score.", drop=3),
    Column("in sight", 72, number=True, tip="Labels given with the auto score in sight.", drop=2),
    Column("difference", 96, number=True, tip="In sight minus unseen, with its interval."),
    Column(
        "same people",
        96,
        number=True,
        tip="Only people with both kinds, each against themselves.",
        drop=1,
    ),
)
RECONSIDERED = (
    Column("answers"),
    Column("n", 52, number=True, tip="Answers given unseen, whatever became of them.", drop=4),
    Column("changed", 84, number=True, tip="Share that was changed after the reveal."),
    Column("nearer", 56, number=True, tip="Changes towards the judge's score.", drop=1),
    Column("farther", 56, number=True, tip="Changes away from the judge's score.", drop=2),
    Column("moved", 92, number=True, tip="Mean change: new answer minus the one before.", drop=3),
)
LABELERS = (
    Column("labeler"),
    Column("labels", 54, number=True, tip="Evaluations of the metric that they labelled."),
    Column("with the rest", 96, number=True, tip="Kappa with all the others together."),
    Column(
        "majority",
        70,
        number=True,
        tip="Labels like the majority's, where others labelled.",
        drop=4,
    ),
    Column("weighed", 70, number=True, tip="The same, weighed after Dawid and Skene.", drop=6),
    Column("repeats", 70, number=True, tip="The same answer as their own earlier one.", drop=2),
    Column("gold", 70, number=True, tip="Known answers of gold responses that they hit.", drop=3),
    Column("apart", 60, number=True, tip="Mean distance from the others.", drop=5),
    Column(
        "moved",
        88,
        number=True,
        tip="How far they drifted from the others, and since when.",
        drop=1,
    ),
)
PAIRS = (
    Column("pair"),
    Column("n", 44, number=True, tip="Evaluations that both labelled."),
    Column("same", 90, number=True, tip="Share of equal labels.", drop=1),
    Column("kappa", 90, number=True, tip=metric_figures.COLUMN_TIP),
    Column("apart", 96, number=True, tip="Mean of the second's minus the first's labels.", drop=2),
)


def reached(found: Ceiling) -> list[Row]:
    """Make a row a statistic; without a judge's score beside people there is nothing to show."""
    return [(one.name, _reach(one)) for one in found.figures if one.n]


def _span(found: Reach, name: str) -> tuple[float, float] | None:
    interval = found.intervals.get(name)
    return None if interval is None else (interval.low, interval.high)


def _reach(one: Reach) -> tuple[Cell, ...]:
    make = table_card.share_between if one.name == "percent" else table_card.between
    return (
        Cell(FIGURES[one.name].sign, strong=True),
        table_card.whole(one.n),
        make(one.people, _span(one, "people"), one.undefined.get("people"), "human"),
        make(one.judge, _span(one, "judge"), one.undefined.get("judge"), "auto"),
        table_card.share_between(
            None if is_boundless(one) else one.share,
            _span(one, "share"),
            one.undefined.get("share") or one.undefined.get("interval"),
        ),
    )


def sight(found: Anchoring) -> list[Row]:
    """Make a row a value that sight may move."""
    if found.reason is not None:
        return []
    n = f"{found.blind:,}", f"{found.seen:,}"
    counts = (Cell("labels", strong=True), Cell(n[0]), Cell(n[1]))
    rest = Cell(""), Cell(f"{found.people:,} {'person' if found.people == 1 else 'people'}")
    return [
        ("labels", (*counts, *rest)),
        ("agreement", _compared("like the judge's", found.agreement, shares=True)),
        ("gap", _compared("mean gap", found.gap, shares=False)),
    ]


def changed(found: Reconsidered | None) -> list[Row]:
    """Make the row of answers that were changed once the auto score was in sight."""
    if found is None or not found.n:
        return []
    counted = f"{found.changed:,} of {found.n:,}"
    share = Cell(percent(found.changed / found.n), tip=f"{counted} changed", below=counted)
    nearer, farther = (Cell(f"{n:,}", tip=found.sentence) for n in (found.towards, found.away))
    moved = table_card.missing(found.reason)
    if found.mean is not None:
        moved = table_card.difference(found.mean, found.low, found.high)
    title = Cell("given unseen", tip=found.sentence, strong=True)
    return [(CHANGED, (title, Cell(f"{found.n:,}"), share, nearer, farther, moved))]


def _compared(title: str, found: Compared, *, shares: bool) -> tuple[Cell, ...]:
    overall = found.overall
    if overall is None:
        return (
            Cell(title, strong=True),
            *(table_card.missing(found.reason) for _ in range(4)),
        )
    make = table_card.share if shares else table_card.number
    return (
        Cell(title, strong=True),
        make(overall.first, role="human"),
        make(overall.second, role="human"),
        _step(overall, shares=shares),
        _step(found.within, shares=shares),
    )


def _step(found: Contrast | None, *, shares: bool) -> Cell:
    if found is None or found.difference is None:
        return table_card.missing(None if found is None else found.reason)
    if not shares:
        shown = table_card.difference(found.difference, found.low, found.high)
        return replace(shown, tip=shown.tip or found.reason or "")
    if found.low is None or found.high is None:
        return Cell(f"{points(found.difference)} points", tip=found.reason or "")
    below = f"{points(found.low)} – {points(found.high)}"
    return Cell(f"{points(found.difference)} points", tip=f"95 % {below}", below=below)


def labelers(found: PeopleFigures) -> list[Row]:
    """Make a row a person."""
    agreeing = {one.labeler: one for one in found.consensus.people}
    repeats = {one.labeler: one for one in found.ceiling.repeats}
    drifts = {one.labeler: one for one in found.drift.people}
    hits = {one.labeler: one for one in found.gold.people}
    others = {one.labeler: one for one in found.rest}
    rows: list[Row] = []
    for name, keys in found.labelled.items():
        mine = agreeing.get(name)
        why = found.consensus.reason or "Nobody else labelled these."
        rows.append(
            (
                name,
                (
                    table_card.person(name),
                    table_card.whole(int(keys.size)),
                    _rest(others.get(name)),
                    table_card.share(mine.majority if mine else None, why, "human"),
                    table_card.share(
                        mine.weighed if mine else None, found.consensus.not_weighed or why
                    ),
                    _repeats(repeats.get(name)),
                    _gold(hits.get(name), found.gold.reason),
                    *_drift(drifts.get(name), found.drift.reason),
                ),
            )
        )
    tied = found.consensus.tied
    if tied:
        title = Cell("without a majority", "muted", tip="Evaluations that wait for a decision.")
        empty = [Cell("")] * (len(LABELERS) - 2)
        rows.append((table_card.TIED, (title, table_card.whole(len(tied)), *empty)))
    return rows


def _rest(found: WithRest | None) -> Cell:
    if found is None:
        return table_card.missing(people.ALONE)
    usual = found.usual
    return table_card.between(usual.judge, _span(usual, "judge"), people.reason(usual), "human")


def _repeats(found: OwnRepeats | None) -> Cell:
    figures = {one.name: one for one in found.figures} if found is not None else {}
    percent, quadratic = figures.get("percent"), figures.get("kappa_quadratic")
    if percent is not None and percent.people is not None:
        shown = table_card.share_between(percent.people, _span(percent, "people"))
        return Cell(shown.words, tip=f"n = {percent.n:,}; {shown.tip}", below=f"n = {percent.n:,}")
    if quadratic is not None and quadratic.people is not None:
        return Cell(
            short(quadratic.people),
            tip=FIGURES["kappa_quadratic"].sign,
            below=f"n = {quadratic.n:,}",
        )
    return table_card.missing("They labelled nothing twice.")


def _gold(found: Hits | None, reason: str | None) -> Cell:
    if found is None:
        return table_card.missing(reason or "They labelled no gold response.")
    span = None if found.interval is None else (found.interval.low, found.interval.high)
    shown = table_card.share_between(found.share, span)
    return Cell(
        shown.words, tip=f"n = {found.n:,}; {shown.tip}", below=f"{found.hits} / {found.n}"
    )


def _drift(found: Drifted | None, reason: str | None) -> tuple[Cell, Cell]:
    if found is None:
        why = reason or "Nobody else labelled these."
        return table_card.missing(why), table_card.missing(why)
    apart = Cell(table_card.signed(found.gap), tip=f"n = {found.n:,}")
    if found.direction is None or found.shift is None:
        return apart, Cell(DASH, "muted", tip="No drift was found.")
    since = f"{found.since:%Y-%m-%d}" if found.since else f"label {found.since_label}"
    return apart, Cell(table_card.signed(found.shift), "alert", below=since)


def told(found: PeopleFigures) -> str:
    """Say what the table of labelers shows, topic by topic; one reason for two is said once."""
    topics = (found.consensus.sentence, found.drift.sentence, found.gold.sentence)
    return " ".join(dict.fromkeys(topics))


def pairs(found: Sequence[LabelerPair], name: str) -> list[Row]:
    """Make a row a pair; `name` is the coefficient."""
    return [((one.a, one.b), _pair(one, name)) for one in found]


def _pair(one: LabelerPair, name: str) -> tuple[Cell, ...]:
    few = metric_figures.few_shared(one)
    same = table_card.missing(few)
    if not few:
        share, why = one.figures.get("percent"), one.undefined.get("percent")
        same = table_card.share_between(share, _ends(one, "percent"), why)
    first, second = table_card.person(one.a), table_card.person(one.b)
    bias, around = one.figures.get("bias"), one.intervals.get("bias")
    apart = table_card.missing(one.undefined.get("bias"))
    if bias is not None:
        low, high = (None, None) if around is None else (around.low, around.high)
        apart = table_card.difference(bias, low, high)
    return (
        Cell(first.words, tip=f"{one.a} – {one.b}", below=second.words),
        table_card.whole(one.n),
        same,
        metric_figures.pair_cell(one, name),
        apart,
    )


def _ends(one: LabelerPair, name: str) -> tuple[float, float] | None:
    interval = one.intervals.get(name)
    return None if interval is None else (interval.low, interval.high)
