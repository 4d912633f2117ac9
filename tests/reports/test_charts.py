"""Charts as lines, marks and words: where they lie, and what whoever cannot see them is told."""

from datetime import date

import pytest

from reviewer.reports import charts
from reviewer.reports.charts import Dots
from reviewer.reports.evidence import Change, OverTime, Period
from reviewer.stats.clustering import Quantity

NOTHING = Quantity(None, 0)


def weeks(*values: float | None, bounds: tuple[float, float] | None = (1.0, 5.0)) -> OverTime:
    return OverTime(
        metric="a",
        title="Accuracy",
        bounds=bounds,
        periods=tuple(
            Period(date(2026, 11, 2 + 7 * place), Quantity(value, 12, 1.0, 5.0), NOTHING)
            for place, value in enumerate(values)
        ),
        changes=(Change(date(2026, 11, 9), "agent v7 " * 20),),
    )


def test_dots_lie_by_their_value_and_people_above_the_judge() -> None:
    found = charts.dots(
        [Dots("Accuracy", Quantity(0.2, 9, 0.1, 0.3), Quantity(0.6, 9, 0.4, 0.9))], "Kappa"
    )
    people, judge = found.spots
    assert (people.role, judge.role) == ("human", "auto")
    assert people.y < judge.y
    assert people.x > judge.x
    assert found.words == "Kappa. Accuracy: judge 0.20 (0.10 – 0.30), people 0.60 (0.40 – 0.90)"
    assert {note.text for note in found.notes} >= {"0.00", "1.00", "0.20", "0.60", "Accuracy"}


def test_what_is_not_there_is_a_dash_and_no_dot() -> None:
    found = charts.dots([Dots("A" * 90, NOTHING, Quantity(-0.4, 3))], "Kappa")
    assert len(found.spots) == 1
    assert "judge —, people −0.40" in found.words
    assert all(len(note.text) < 30 for note in found.notes)
    assert all(0 <= spot.x <= found.width for spot in found.spots)


@pytest.mark.parametrize(
    ("values", "bounds"),
    [((4.0, 4.5), (1.0, 5.0)), ((3.0, 3.0), None), ((0.0, 1e6, 5.0), None), ((-2.0, -1.0), None)],
)
def test_everything_lies_inside(values: tuple[float, ...], bounds: tuple[float, float]) -> None:
    found = charts.lines(weeks(*values, bounds=bounds))
    xs = [x for one in found.strokes for x in (one.x1, one.x2)] + [x.x for x in found.spots]
    ys = [y for one in found.strokes for y in (one.y1, one.y2)] + [x.y for x in found.spots]
    assert 0 <= min(xs) <= max(xs) <= found.width
    assert 0 <= min(ys) <= max(ys) <= found.height
    assert [x.role for x in found.strokes].count("mark") == 1
    assert "9 Nov" in {note.text for note in found.notes}


def test_a_week_without_a_mean_has_no_mark() -> None:
    found = charts.lines(weeks(4.0, None, 3.0))
    assert len(found.spots) == 2
    assert "week of 2026-11-09: judge —, people —" in found.words
