"""The status of a monitor as the card tells it: sign, word, rate with interval, past windows."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from reviewer.domain.monitoring import Monitor
from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.monitor_cards import MonitorCard
from reviewer.services.monitoring.view import Spell, Tally, View, status_of


def tally(passed: int, total: int) -> Tally:
    return Tally(passed, total, 0.75 if total else None, status_of(passed, total))


VIEW = View(
    monitor=Monitor(rate=0.05, seed=7, window="200"), tally=tally(1900, 2000), before=None,
    sampled=2100, waiting=0, spent_usd=0.5, strip=(), samples=(), keys=(),
)  # fmt: skip


@pytest.fixture
def card(qtbot: QtBot) -> MonitorCard:
    made = MonitorCard(Theme("light"))
    qtbot.addWidget(made)
    return made


def test_a_sure_status_stands_with_its_rate_and_interval(card: MonitorCard) -> None:
    card.show_view(VIEW)
    assert card.title.text() == "Monitor of agent-rubric"
    assert card.rate.text() == "95.0 %"
    assert card.status.accessibleName() == "Status: healthy"
    assert card.status.toolTip() == ""
    assert card.interval.text() == (
        "pass, 95 % 94.0 to 95.9, n = 2,000; average score 0.75, over the newest 200 samples"
    )
    assert card.sampled.text() == "2,100 samples at 5 %, seed 7"
    assert not card.stale.isVisibleTo(card)


def test_an_unsure_status_says_so(card: MonitorCard) -> None:
    card.show_view(replace(VIEW, tally=tally(43, 50), stale=("Two judges.", "Two rubrics.")))
    assert "uncertain" in card.status.text()
    assert "reaches into another status" in card.status.toolTip()
    assert card.stale.isVisibleTo(card)
    assert card.stale.text() == "Two judges. Two rubrics."


def test_what_waits_and_what_a_judge_costs_is_told(card: MonitorCard) -> None:
    asked = replace(VIEW.monitor, judge="careful")
    card.show_view(replace(VIEW, monitor=asked, waiting=1200))
    assert card.sampled.text() == (
        "2,100 samples at 5 %, seed 7 · 1,200 without a verdict · judge careful, $0.5000 spent"
    )
    card.show_view(replace(VIEW, monitor=replace(asked, max_cost=2.5)))
    assert card.sampled.text().endswith("judge careful, $0.5000 spent of at most $2.5")


def test_without_a_scored_sample_the_reason_stands_there(card: MonitorCard) -> None:
    card.show_view(replace(VIEW, tally=tally(0, 0), reason="no sample has a verdict"))
    assert (card.rate.text(), card.interval.text()) == ("—", "No sample has a verdict.")
    assert card.status.toolTip() == ""


def test_past_windows_are_bars_named_by_their_ends(card: MonitorCard, qtbot: QtBot) -> None:
    card.show_view(VIEW)
    assert card.strip is None
    assert not card.caption.isVisibleTo(card)
    spells = tuple(
        Spell(name, tally(passed, 100), (1, 2))
        for name, passed in (("2026-11-20", 95), ("samples 201 to 400", 40))
    )
    card.show_view(replace(VIEW, strip=spells))
    assert card.strip is not None
    assert card.strip.isVisibleTo(card)
    assert card.caption.text() == (
        "Past windows: warning below 85 %, critical below 70 %. Pale with “?”: uncertain."
    )
    assert card.strip.accessibleDescription().splitlines()[1:] == [
        "11-20; 100; 0.95; healthy; no", "400; 100; 0.4; critical; no",
    ]  # fmt: skip
    with qtbot.waitSignal(card.spell_chosen) as asked:
        card.strip.spot_chosen.emit(1)
    assert asked.args == [spells[1]]
    card.show_view(VIEW)
    assert not card.strip.isVisibleTo(card)
