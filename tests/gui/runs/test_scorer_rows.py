"""The rows of scorers, offered anew when a rubric changes."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.scorer_rows import ScorerRow, ScorerRows
from reviewer.scoring.registry import SCORERS
from reviewer.services.jobs import scorers
from reviewer.services.jobs.launching import MetricChoice, ScorerChoice

OFFERED = [
    ScorerChoice(name, SCORERS[name].title, "", scorers.of_scorer(name))
    for name in ("contains", "regex")
]


def metric(name: str) -> MetricChoice:
    return MetricChoice(name, name.title(), None, {}, judged=True)


@pytest.fixture
def rows(qtbot: QtBot) -> ScorerRows:
    made = ScorerRows(Theme("light"))
    qtbot.addWidget(made)
    made.offer([metric("tone"), metric("facts")], OFFERED)
    made.show()
    return made


def type_pattern(row: ScorerRow, words: str) -> None:
    row.choice.setCurrentIndex(row.choice.findData("regex"))
    assert row.fields is not None
    row.fields.fields["pattern"].type(words)


def in_view(rows: ScorerRows) -> list[str]:
    shown = [x for x in rows.findChildren(ScorerRow) if x.isVisible()]
    return [x.about.name for x in sorted(shown, key=lambda x: x.y())]


def test_what_was_typed_stays_where_another_metric_changes(rows: ScorerRows, qtbot: QtBot) -> None:
    type_pattern(rows.rows["facts"], r"\d+")
    kept = rows.rows["facts"]
    changed = replace(metric("tone"), scorer="contains")
    rows.offer([metric("care"), metric("facts"), changed], OFFERED)
    assert rows.rows["facts"] is kept
    assert rows.wished(()) == ({"facts": "regex"}, {"facts": {"pattern": r"\d+"}})
    assert rows.rows["tone"].scorer == "contains"
    qtbot.waitUntil(lambda: in_view(rows) == ["care", "facts", "tone"])
    with qtbot.waitSignal(rows.changed):
        type_pattern(rows.rows["care"], "x")
    told: list[int] = []
    rows.changed.connect(lambda: told.append(1))
    type_pattern(kept, "y")
    assert told == [1]


def test_a_row_goes_with_its_metric_and_every_row_with_other_scorers(rows: ScorerRows) -> None:
    type_pattern(rows.rows["facts"], "x")
    rows.offer([metric("facts")], OFFERED)
    assert in_view(rows) == ["facts"]
    rows.offer([metric("facts")], OFFERED[:1])
    assert rows.wished(()) == ({}, {})
    assert rows.rows["facts"].choice.findData("regex") < 0
