"""What assistive technology is told: roles and states by kind, and a name for all that is used."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QAccessible, QAccessibleActionInterface, QAccessibleInterface
from PySide6.QtWidgets import QApplication, QLineEdit, QSplitter, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from reviewer.domain.rubric import Level, Metric
from reviewer.gui import tour
from reviewer.gui.kit import pieces, roles
from reviewer.gui.kit.section_row import SectionRow
from reviewer.gui.kit.theme import Theme
from reviewer.gui.review.level_button import LevelButton, Levels

Role = QAccessible.Role
METRIC = Metric(name="tone", levels=tuple(Level(value=value, title="") for value in (1, 2, 3)))
USED = {
    Role.Button, Role.ButtonMenu, Role.CheckBox, Role.ComboBox, Role.EditableText, Role.Grip,
    Role.Link, Role.List, Role.MenuItem, Role.PageTab, Role.PageTabList, Role.RadioButton,
    Role.ScrollBar, Role.Slider, Role.SpinBox, Role.Table, Role.Tree,
}  # fmt: skip


def told(widget: QWidget) -> QAccessibleInterface:
    return QAccessible.queryAccessibleInterface(widget)


def nameless(widget: QWidget) -> Iterator[str]:
    """Give what can be used below a widget and has no name to be said."""
    for part in widget.findChildren(QWidget):
        one = told(part)
        if part.isVisible() and one is not None and one.role() in USED:
            name = one.text(QAccessible.Text.Name) or part.accessibleName()
            if not name.strip():
                yield f"{type(part).__name__} in {type(part.parentWidget()).__name__}"


@pytest.fixture(autouse=True)
def installed(qtbot: QtBot) -> None:
    del qtbot
    roles.install()


def test_a_row_of_sections_is_a_list_of_tabs(qtbot: QtBot) -> None:
    row = SectionRow(["Judge", "People"])
    qtbot.addWidget(row)
    assert told(row).role() is Role.PageTabList
    first, second = (told(button) for button in row.buttons)
    assert {first.role(), second.role()} == {Role.PageTab}
    assert (first.state().selected, second.state().selected) == (1, 0)
    acts = second.actionInterface()
    assert acts.actionNames()[0] == QAccessibleActionInterface.pressAction()
    acts.doAction(QAccessibleActionInterface.pressAction())
    assert row.place == 1
    assert (first.state().selected, second.state().selected) == (0, 1)
    assert second.text(QAccessible.Text.Name) == "People"


def test_a_level_is_a_radio_button_of_its_metric(qtbot: QtBot) -> None:
    levels = Levels(Theme("light"), METRIC)
    qtbot.addWidget(levels)
    levels.show_values(2, None)
    buttons = levels.findChildren(LevelButton)
    assert {told(button).role() for button in buttons} == {Role.RadioButton}
    assert [told(button).state().checked for button in buttons] == [0, 1, 0]
    assert told(buttons[1]).text(QAccessible.Text.Name) == "Tone, 2, your label"
    with qtbot.waitSignal(levels.chosen) as chosen:
        told(buttons[2]).actionInterface().doAction(QAccessibleActionInterface.pressAction())
    assert chosen.args == [3]


def test_other_buttons_are_what_qt_says(qtbot: QtBot) -> None:
    button = pieces.Button("Skip")
    qtbot.addWidget(button)
    assert told(button).role() is Role.Button


def test_the_parts_that_qt_makes_have_names(qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    splitter = QSplitter()
    splitter.addWidget(pieces.named(QLineEdit("x", clearButtonEnabled=True), "Filter"))
    splitter.addWidget(QWidget())
    QVBoxLayout(holder).addWidget(splitter)
    holder.show()
    list(nameless(holder))
    QApplication.processEvents()
    assert list(nameless(holder)) == []


def test_all_of_every_page_and_dialog_has_a_name(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tour, "LOOKS", tour.LOOKS[:1])
    monkeypatch.setattr(tour, "SETTLE_S", 0.05)
    found: dict[str, list[str]] = {}

    def look(taken: tour._Tour, widget: QWidget, name: str, _: object) -> None:
        tour._settle(taken._window)
        list(nameless(widget))
        QApplication.processEvents()
        found[name] = list(nameless(widget))

    monkeypatch.setattr(tour._Tour, "_shoot", look)
    tour.render(project, tmp_path / "tour")
    assert len(found) > 20
    assert {name: parts for name, parts in found.items() if parts} == {}
