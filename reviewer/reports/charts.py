"""Charts as drawings of lines, marks and words, which templates write as SVG.

Roles stand for colours, and shapes tell sides apart without them: people are squares.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Final

from reviewer.domain.wording import DASH, brief, two
from reviewer.reports.evidence import OverTime
from reviewer.reports.wording import MONTHS, line_of
from reviewer.stats.clustering import Quantity

WIDTH: Final = 540.0
HALF: Final = 460.0
"""How wide a chart is that another one may stand beside."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line of a side's colour; of the role `grid` part of the axes, of `mark` a dashed one."""

    x1: float
    y1: float
    x2: float
    y2: float
    role: str


@dataclass(frozen=True, slots=True)
class Spot:
    """A mark at a place: a square for people, a dot for the judge."""

    x: float
    y: float
    role: str


@dataclass(frozen=True, slots=True)
class Note:
    """A text at a place; `anchor` is start, middle or end."""

    x: float
    y: float
    text: str
    role: str = "ink"
    anchor: str = "start"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart with what is said to whoever cannot see it."""

    width: float
    height: float
    words: str
    strokes: Sequence[Stroke]
    spots: Sequence[Spot]
    notes: Sequence[Note]


@dataclass(frozen=True, slots=True)
class Dots:
    """What judge and people reach on a metric."""

    title: str
    judge: Quantity
    people: Quantity


_NAMES: Final = 150.0
_ROW: Final = 46.0
_LIFT: Final = 9.0
_LONGEST_NAME: Final = 21


def dots(rows: Sequence[Dots], sign: str) -> Drawing:
    """Draw agreement: a row a metric, people's own above the judge's; `sign` names it."""
    found = [x for row in rows for one in (row.judge, row.people) for x in (one.value, one.low)]
    # quarters, down to the one below everything
    first = math.floor(max(min([0.0, *(x for x in found if x is not None)]), -1.0) * 4) / 4
    bottom = 8 + _ROW * len(rows)
    across = _Axis(first, 1.0, _NAMES, WIDTH - 24)
    ticks = [first + step / 4 for step in range(round((1 - first) * 4) + 1)]
    strokes = [Stroke(across(x), 8, across(x), bottom, "grid") for x in ticks]
    notes = [Note(across(x), bottom + 16, two(x), "soft", "middle") for x in ticks]
    spots: list[Spot] = []
    for place, row in enumerate(rows):
        middle = 8 + _ROW * (place + 0.5)
        notes.append(Note(0, middle + 4, _short(row.title, _LONGEST_NAME)))
        for one, role, lift in ((row.people, "human", -_LIFT), (row.judge, "auto", _LIFT)):
            if one.value is None:
                continue
            y = middle + lift
            if one.low is not None and one.high is not None:
                strokes.append(Stroke(across(one.low), y, across(one.high), y, role))
            spots.append(Spot(across(one.value), y, role))
            beside = y + (16 if lift > 0 else -8)
            notes.append(Note(across(one.value), beside, two(one.value), role, "middle"))
    said = "; ".join(
        f"{row.title}: judge {_said(row.judge)}, people {_said(row.people)}" for row in rows
    )
    return Drawing(WIDTH, bottom + 24, f"{sign}. {said}", strokes, spots, notes)


@dataclass(frozen=True, slots=True)
class _Axis:
    """Places of values between two ends; what lies beyond is held at the end."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)


_LEFT, _RIGHT, _TOP, _PLOT = 40.0, 8.0, 26.0, 120.0
_APART: Final = 3.0
_LONGEST_CHANGE: Final = 34
_DAY_WIDTH: Final = 74.0


def lines(found: OverTime) -> Drawing:
    """Draw a metric over time: the means of judge and people with intervals, and what changed."""
    first, last = (found.periods[at].start.toordinal() for at in (0, -1))
    bottom = _TOP + _PLOT
    across = _Axis(first, max(last, first + 1), _LEFT + 18, HALF - _RIGHT - 18)
    ticks = _ticks(found)
    up = _Axis(ticks[0], ticks[-1], bottom, _TOP)
    strokes = [Stroke(_LEFT, up(x), HALF - _RIGHT, up(x), "grid") for x in ticks]
    notes = [Note(_LEFT - 8, up(x) + 4, brief(x, 3), "soft", "end") for x in ticks]
    for change in found.changes:
        at = across(change.day.toordinal())
        side, anchor = (-5, "end") if at > HALF / 2 else (5, "start")
        strokes.append(Stroke(at, _TOP - 8, at, bottom, "mark"))
        words = _short(change.words, _LONGEST_CHANGE)
        notes.append(Note(at + side, _TOP - 12, words, "soft", anchor))
    spots: list[Spot] = []
    # a little apart, so that neither side hides the other's interval
    sides = (
        ("auto", -_APART, [(one.start, one.judge) for one in found.periods]),
        ("human", _APART, [(one.start, one.people) for one in found.periods]),
    )
    for role, beside, points in sides:
        placed = [
            (across(day.toordinal()) + beside, up(one.value), one)
            for day, one in points
            if one.value is not None
        ]
        strokes += [Stroke(*here[:2], *there[:2], role) for here, there in pairwise(placed)]
        strokes += [
            Stroke(x, up(one.low), x, up(one.high), role)
            for x, _, one in placed
            if one.low is not None and one.high is not None
        ]
        spots += [Spot(x, y, role) for x, y, _ in placed]
    notes += _days([one.start for one in found.periods], across, bottom + 18)
    said = "; ".join(
        f"week of {one.start}: judge {_said(one.judge)}, people {_said(one.people)}"
        for one in found.periods
    )
    return Drawing(HALF, bottom + 26, f"{found.title}. {said}", strokes, spots, notes)


def _ticks(found: OverTime) -> list[float]:
    """Give round numbers around everything that is drawn, on the scale where it has ends."""
    values = [
        x
        for one in found.periods
        for side in (one.judge, one.people)
        for x in (side.value, side.low, side.high)
        if x is not None
    ]
    low, high = min(values), max(values)
    scale = 1.0 if found.bounds is None else found.bounds[1] - found.bounds[0]
    # values that hardly differ are not blown up
    span = max(high - low, scale / 8)
    size = 10.0 ** math.floor(math.log10(span))
    step = next(x * size for x in (0.5, 1.0, 2.0, 5.0) if span / (x * size) <= 3)
    lowest, highest = math.floor(low / step), math.ceil(high / step)
    ticks = [step * place for place in range(lowest, max(highest, lowest + 1) + 1)]
    if found.bounds is not None:
        ticks = [min(max(x, found.bounds[0]), found.bounds[1]) for x in ticks]
    return sorted(set(ticks)) if len(set(ticks)) > 1 else [ticks[0], ticks[0] + step]


def _days(days: Sequence[date], across: _Axis, y: float) -> Iterator[Note]:
    """Name as many days as there is room for."""
    nearest = -_DAY_WIDTH
    for day in days:
        x = across(day.toordinal())
        if x - nearest >= _DAY_WIDTH:
            nearest = x
            yield Note(x, y, f"{day.day} {MONTHS[day.month - 1][:3]}", "soft", "middle")


def _said(one: Quantity) -> str:
    if one.value is None:
        return DASH
    if one.low is None or one.high is None:
        return two(one.value)
    return f"{two(one.value)} ({two(one.low)} – {two(one.high)})"


def _short(text: str, most: int) -> str:
    text = line_of(text)
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
