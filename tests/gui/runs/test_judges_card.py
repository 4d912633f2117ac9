"""The card of judges on run A: nothing held out before a look, then figures and who is best."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from reviewer.domain.judging import Endpoint, Judge
from reviewer.gui.page import around
from reviewer.gui.runs.judges_card import JudgesCard
from reviewer.gui.runs.page import RunsPage
from reviewer.gui.window import MainWindow
from reviewer.services.jobs import launching
from reviewer.services.project.session import Session
from reviewer.store import judging, splits
from tests.building import build_project, record
from tests.services.aligning.judged_projects import two_judges

RUN = "agent v7"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    opened = Session.open(
        build_project(tmp_path / "judged.review", evaluations=two_judges()), "Lead"
    )
    opened.blind = False
    yield opened
    opened.close()


@pytest.fixture
def card(
    qtbot: QtBot, window: MainWindow, session: Session, settle: Callable[[], None]
) -> JudgesCard:
    made = JudgesCard(around(window.surroundings, session))
    qtbot.addWidget(made)
    made.resize(320, 500)
    made.show()
    made.show_runs(RUN)
    settle()
    choose(made.chosen_metric, "accuracy", settle)
    return made


def choose(combo: QComboBox, key: str, settle: Callable[[], None]) -> None:
    place = combo.findData(key)
    combo.setCurrentIndex(place)
    combo.activated.emit(place)
    settle()


def said(card: JudgesCard, row: int) -> list[str]:
    rows = card.table.rows
    return [rows.cell(row, column).words for column in range(3)]


def test_before_a_look_only_the_half_for_prompts_is_shown(card: JudgesCard) -> None:
    rows = card.table.rows
    assert [said(card, row)[0] for row in range(3)] == ["judge", "judge", "people"]
    assert said(card, 0)[1] == "—"
    assert rows.cell(0, 0).below.startswith("v2 · $0.06")
    assert rows.cell(0, 1).below.startswith("dev 0.9")
    assert "Not looked at yet" in rows.cell(0, 1).tip
    assert card.look.isVisibleTo(card)
    assert card.look.text() == "Look at 2 held-out figures"
    assert card.halves.text() == "Held-out half: 40 labelled responses, not looked at yet."


def test_a_look_shows_the_figures_and_is_counted(
    card: JudgesCard, session: Session, settle: Callable[[], None]
) -> None:
    noted: list[str] = []
    card.noted.connect(noted.append)
    QTest.mouseClick(card.look, Qt.MouseButton.LeftButton)
    settle()
    rows = card.table.rows
    assert rows.cell(0, 0).mark == "best"
    assert rows.cell(0, 1).words.startswith("0.9")
    assert " – " in rows.cell(0, 1).below
    assert rows.cell(2, 0).words == "people"
    assert card.sentence.text().startswith("judge@2 is nearest to people on Accuracy")
    assert card.halves.text() == "Held-out half: 40 labelled responses, looked at twice."
    assert noted == [card.halves.text()]
    lines = card.halves.toolTip().splitlines()
    assert [line.split(": ")[1] for line in lines] == [
        "Lead, judge@1, agent v7", "Lead, judge@2, agent v7",
    ]  # fmt: skip
    assert not card.look.isVisibleTo(card)
    assert [x.labeler for x in splits.looks(session.project.conn)] == ["Lead", "Lead"]
    card.recompute()
    settle()
    assert len(splits.looks(session.project.conn)) == 2


def test_another_metric_has_looks_of_its_own(card: JudgesCard, settle: Callable[[], None]) -> None:
    QTest.mouseClick(card.look, Qt.MouseButton.LeftButton)
    settle()
    choose(card.chosen_statistic, "percent", settle)
    # the choice above names the statistic, and so does the column on hover
    rows, across = card.table.rows, Qt.Orientation.Horizontal
    assert rows.headerData(1, across) == "held out"
    tip = str(rows.headerData(1, across, Qt.ItemDataRole.ToolTipRole))
    assert tip.startswith("Agreement with people (same) on the half")
    assert said(card, 0)[1].endswith(" %")
    assert "looked at twice" in card.halves.text()


def test_a_figure_is_copied_and_explained_but_leads_to_no_response(
    card: JudgesCard, settle: Callable[[], None]
) -> None:
    QTest.mouseClick(card.look, Qt.MouseButton.LeftButton)
    settle()
    asked: list[object] = []
    card.responses_requested.connect(lambda keys, _: asked.append(keys))
    card.table.choose(card.table.rows.keys[1])
    card.table.setFocus()
    QTest.keyClick(card.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("Quadratic kappa of judge v1 on Accuracy, against people on the held")
    assert "n = 40" in copied or "n = 3" in copied
    assert card.board is not None
    figure = card._figure_of(card.table.rows.keys[1], 1)
    assert figure is not None
    assert figure.keys is None
    assert figure.steps is not None
    titles = [step.title for step in figure.steps()]
    assert titles == ["Agreement with people", "Beside judge v2", "What people reach"]
    QTest.keyClick(card.table, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert asked == []


def test_a_run_without_scores_says_so(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, settle: Callable[[], None]
) -> None:
    path = build_project(tmp_path / "bare.review", evaluations=[record(1, scores=[])])
    opened = Session.open(path)
    made = JudgesCard(around(window.surroundings, opened))
    qtbot.addWidget(made)
    made.show()
    made.show_runs(RUN)
    settle()
    assert made.empty.isVisibleTo(made)
    assert not made.table.isVisibleTo(made)
    opened.close()


def test_the_page_has_the_card_and_launches_with_checked_examples(
    qtbot: QtBot, window: MainWindow, demo: Path, settle: Callable[[], None]
) -> None:
    with closing(Session.open(demo)) as opened:
        judging.keep(opened.project, Endpoint(name="near", base_url="http://127.0.0.1:9/v1"))
        judging.keep(opened.project, Judge(name="careful", endpoint="near", model="m"))
    assert window.open_project(demo)
    window.show_page("runs")
    settle()
    page = window.page
    assert isinstance(page, RunsPage)
    shown = next(x for x in page.cards if isinstance(x, JudgesCard))
    assert shown.isVisibleTo(page)
    names = [shown.table.rows.cell(row, 0).words for row in range(2)]
    assert names == ["deepseek-chat", "deepseek-chat"]
    for name, button in page.launch.form.metrics.buttons.items():
        if button.isChecked() != (name == "accuracy"):
            button.click()
    settle()
    examples = page.launch.prompt.examples
    assert examples.about == "accuracy"
    examples.unfold.click()
    settle()
    first = next(iter(examples.boxes))
    examples.boxes[first].click()
    settle()
    wish = page.launch._wished()
    assert wish is not None
    assert wish.examples == {"accuracy": (first,)}
    with closing(Session.open(demo)) as opened:
        made = launching.plan(opened, wish)
    assert len(made.examples["accuracy"]) == 1
    qtbot.waitUntil(lambda: "calls" in page.launch.estimate.text(), timeout=60_000)


def test_a_metric_is_chosen_only_where_there_are_several(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, settle: Callable[[], None]
) -> None:
    shown = []
    for count in (1, 2):
        rows = two_judges()
        for row in rows if count == 2 else ():
            row["scores"].append({"metric": "safety", "value": 3, "scorer": "judge"})
            row["labels"] += [x | {"metric": "safety"} for x in row["labels"]]
        path = build_project(tmp_path / f"{count}.review", evaluations=rows)
        with closing(Session.open(path, "Lead")) as opened:
            made = JudgesCard(around(window.surroundings, opened))
            qtbot.addWidget(made)
            made.show()
            made.show_runs(RUN)
            settle()
            assert made.table.isVisibleTo(made)
            shown.append((made.chosen_metric.count(), made.chosen_metric.isVisibleTo(made)))
    assert shown == [(1, False), (2, True)]
