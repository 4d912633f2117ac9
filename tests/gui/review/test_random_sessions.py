"""Whatever a hand does with keys and mouse: what the eye was shown is what the file holds."""

import random
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from reviewer.gui.review.level_button import LevelButton
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from tests.building import build_project, record

KEY, CONTROL = Qt.Key, Qt.KeyboardModifier.ControlModifier
SHIFT, NONE = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.NoModifier
EVENTS = 40
Labels = dict[tuple[int, str], tuple[object, str]]
"""By evaluation and metric: value and kind of the label that stands."""


Change = Mapping[tuple[int, str], tuple[object, str] | None]


class Anything(list[Change]):
    """Every change of one response: an undo takes back one act, wherever it was."""

    def __contains__(self, changed: object) -> bool:
        return isinstance(changed, dict) and len({key for key, _ in changed}) <= 1


class Hand:
    """Somebody at the real window, who corrects, wanders, reveals, resizes and goes astray."""

    def __init__(self, window: MainWindow, path: Path, seed: int) -> None:
        """Sit down before an open project."""
        self.window, self.dice = window, random.Random(seed)  # noqa: S311 - no secret
        self.file = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.said = [f"seed {seed}"]
        self.before: Labels = {}
        self.at = (0, "")
        self.freely = False

    @property
    def page(self) -> ReviewPage:
        assert isinstance(self.window.page, ReviewPage)
        return self.window.page

    def labels(self) -> Labels:
        rows = self.file.execute(
            "SELECT c.evaluation, m.name, c.value, c.kind FROM current_labels c JOIN metrics m "
            "ON m.id = c.metric JOIN labelers l ON l.id = c.labeler "
            "WHERE l.name = 'me' AND c.kind IN ('label', 'not_applicable')"
        )
        return {(key, metric): (value, kind) for key, metric, value, kind in rows}

    def marks(self) -> dict[int, tuple[int, int, int]]:
        rows = self.file.execute(
            "SELECT evaluation, skipped, flagged, revealed FROM states s JOIN labelers l "
            "ON l.id = s.labeler WHERE l.name = 'me'"
        )
        return {key: (skipped, flagged, revealed) for key, skipped, flagged, revealed in rows}

    def target(self) -> tuple[int, str]:
        """Give what the eye takes for what keys go to: the named response, the ringed card."""
        view = self.page.view
        assert view is not None
        assert self.page.case.header.id.text() == view.evaluation.id
        ringed = [name for name, card in self.page.scores.cards.items() if card._ring.isVisible()]
        assert len(ringed) == 1, ringed
        return view.evaluation.key, ringed[0]

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
        QTest.keyClick(self.window.windowHandle(), key, modifier)

    def click(self, widget: QWidget) -> None:
        seen = widget.visibleRegion().boundingRect()
        place = widget.mapTo(self.window, seen.center())
        QTest.mouseClick(self.window.windowHandle(), Qt.MouseButton.LeftButton, NONE, place)

    def act(self) -> None:
        """Do one thing, and hold what is stored to what was in view."""
        before, marks, target = self.labels(), self.marks(), self.target()
        self.before, self.at, self.freely = before, target, False
        what = self.dice.choices(list(ACTS), weights=[ACTS[x] for x in ACTS])[0]
        self.said.append(f"{what} at {target}")
        allowed = getattr(self, f"_{what}")()
        QApplication.processEvents()
        after, now = self.labels(), self.marks()
        changed = {x: after.get(x) for x in {*before, *after} if before.get(x) != after.get(x)}
        assert changed in allowed, (self.said[-6:], changed, allowed)
        touched = {x for x in {*marks, *now} if marks.get(x, (0, 0, 0)) != now.get(x, (0, 0, 0))}
        if what not in {"undo", "redo"} and not self.freely:
            told = {x: (marks.get(x), now.get(x)) for x in touched}
            assert touched <= {target[0]}, (self.said[:1], self.said[-6:], told)
        elif changed and not self.freely:
            assert self.target() in changed, (self.said[-6:], self.target(), changed)

    def _digit(self) -> list[Change]:
        # where the caret blinks, a digit is a letter
        in_sight = self.page.case.shows_response and not self.page.scores.comment.hasFocus()
        value = self.dice.randint(1, 5)
        self.press(Qt.Key(KEY.Key_0.value + value))
        new: Change = {self.at: (value, "label")}
        if not in_sight or self.before.get(self.at) == new[self.at]:
            return [{}]
        mine = {name for key, name in self.before if key == self.at[0]}
        finished = mine == set(self.page.scores.cards)
        # after the last answer a digit asks first; the same one again is meant
        return [new, {}] if self.at in self.before and finished else [new]

    def _level(self) -> list[Change]:
        card = self.page.scores.cards[self.at[1]]
        shown = [x for x in card.findChildren(LevelButton) if not x.visibleRegion().isEmpty()]
        if not shown:
            return [{}]
        button = self.dice.choice(shown)
        self.click(button)
        new: Change = {self.at: (int(button.text()), "label")}
        return [{}] if self.before.get(self.at) == new[self.at] else [new]

    def _other_card(self) -> list[Change]:
        cards = [x for x in self.page.scores.cards.values() if not x.visibleRegion().isEmpty()]
        inside = [x for x in cards if x._in_focus is False]
        if inside:
            self.click(self.dice.choice(inside))
        return [{}]

    def _not_applicable(self) -> list[Change]:
        self.press(KEY.Key_X)
        return [{self.at: (None, "not_applicable")}, {}]

    def _withdraw(self) -> list[Change]:
        self.press(KEY.Key_Backspace)
        return [{self.at: None}] if self.at in self.before else [{}]

    def _undo(self) -> list[Change]:
        if self.dice.random() < 0.3:
            self.click(self.page.scores.undo)
        else:
            self.press(KEY.Key_Z, CONTROL)
        return Anything()

    def _redo(self) -> list[Change]:
        self.press(KEY.Key_Z, CONTROL | SHIFT)
        return Anything()

    def _move(self) -> list[Change]:
        key = self.dice.choice(
            [KEY.Key_Space, KEY.Key_Space, KEY.Key_J, KEY.Key_K, KEY.Key_Down, KEY.Key_Up,
             KEY.Key_Tab, KEY.Key_V, KEY.Key_Escape]
        )  # fmt: skip
        reached = QApplication.focusWidget()
        self.press(key)
        if key != KEY.Key_Space or not isinstance(reached, QAbstractButton):
            return [{}]
        # Space presses a button that Tab came to
        self.freely = not isinstance(reached, LevelButton)
        if self.freely:
            return Anything()
        new: Change = {self.at: (int(reached.text()), "label")}
        return [{} if self.before.get(self.at) == new[self.at] else new]

    def _mark(self) -> list[Change]:
        self.press(self.dice.choice([KEY.Key_S, KEY.Key_F, KEY.Key_R, KEY.Key_H]))
        return [{}]

    def _reason(self) -> list[Change]:
        """Say why, with digits in it, and end that in one way or another."""
        if self.dice.random() < 0.4:
            text = self.dice.choice(self.page.case.conversation.texts)
            text.selectAll()
        self.press(self.dice.choice([KEY.Key_S, KEY.Key_F, KEY.Key_H]), SHIFT)
        if self.page.scores.comment.hasFocus():
            for letter in "12 NO":
                self.press(Qt.Key(ord(letter)))
            self.press(self.dice.choice([KEY.Key_Return, KEY.Key_Escape, KEY.Key_Tab]))
        return [{}]

    def _button(self) -> list[Change]:
        scores = self.page.scores
        there = [
            x for x in (scores.skip, scores.flag, scores.next, scores.reveal) if x.isVisible()
        ]
        self.click(self.dice.choice(there))
        return [{}]

    def _row(self) -> list[Change]:
        rows = self.page.queue.view.list
        place = rows.mapTo(self.window, QPoint(60, self.dice.randint(5, rows.height() - 5)))
        QTest.mouseClick(self.window.windowHandle(), Qt.MouseButton.LeftButton, NONE, place)
        return [{}]

    def _wander(self) -> list[Change]:
        size = self.window.size()
        place = QPoint(self.dice.randrange(size.width()), self.dice.randrange(size.height()))
        QTest.mouseMove(self.window.windowHandle(), place)
        wheel = QWheelEvent(
            QPointF(place), QPointF(self.window.mapToGlobal(place)), QPoint(),
            QPoint(0, self.dice.choice([-240, -120, 120, 240])), Qt.MouseButton.NoButton,
            NONE, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(self.window.windowHandle(), wheel)
        return [{}]

    def _resize(self) -> list[Change]:
        self.window.resize(self.dice.randint(1024, 1600), self.dice.randint(700, 1000))
        return [{}]

    def _comment(self) -> list[Change]:
        about = self.page.scores.commented
        self.press(KEY.Key_C)
        for letter in "12 NO":
            self.press(Qt.Key(ord(letter)))
        self.press(KEY.Key_Return)
        view = self.page.view
        assert view is not None
        assert about is not None
        assert "12 no" in (view.own[about].comment or ""), (self.said[-6:], about)
        return [{}]


ACTS = {
    "digit": 30, "level": 10, "other_card": 4, "not_applicable": 2, "withdraw": 2, "undo": 10,
    "redo": 3, "move": 25, "mark": 4, "button": 6, "row": 5, "wander": 4, "resize": 1,
    "comment": 3, "reason": 3,
}  # fmt: skip
"""What a hand does, and how often."""


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Eight judged responses; no list is long enough to hide where one is."""
    return build_project(
        tmp_path / "work.review", evaluations=[record(number) for number in range(1, 9)]
    )


def sit_down(
    window: MainWindow, path: Path, qtbot: QtBot, settle: Callable[[], None], seed: int
) -> None:
    window.surroundings.settings.set("labeler", "me")
    window.resize(1280, 800)
    assert window.open_project(path)
    settle()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    hand = Hand(window, path, seed)
    for _ in range(EVENTS):
        hand.act()
    window.close_project()
    hand.file.close()


@pytest.mark.parametrize("seed", range(6))
def test_a_session(
    window: MainWindow, work: Path, qtbot: QtBot, settle: Callable[[], None], seed: int
) -> None:
    sit_down(window, work, qtbot, settle, seed)


@pytest.mark.long
def test_a_thousand_sessions(
    window: MainWindow, work: Path, qtbot: QtBot, settle: Callable[[], None], tmp_path: Path
) -> None:
    for seed in range(1000, 2000):
        path = Path(shutil.copy(work, tmp_path / f"{seed}.review"))
        sit_down(window, path, qtbot, settle, seed)
        path.unlink()
