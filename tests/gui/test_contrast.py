"""Outlines of controls and placeholders stand out from their ground, in painted pixels."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QWidget

from reviewer.gui.kit.pieces import Button
from reviewer.gui.kit.theme import contrast
from reviewer.gui.review.level_button import LevelButton
from reviewer.gui.window import MainWindow

OUTLINE, TEXT = 3.0, 4.5
"""Of WCAG 2.2, 1.4.11 and 1.4.3."""


def edge(picture: QImage, window: MainWindow, widget: QWidget, width: int) -> float:
    """Give the strongest contrast of a line across a left edge with the ground outside of it."""
    corner = widget.mapTo(window, QPoint(0, 0))
    middle = corner.y() + (15 if isinstance(widget, LevelButton) else widget.height() // 2)
    ground = picture.pixelColor(max(corner.x() - 3, 0), middle).name()
    line = [picture.pixelColor(corner.x() + x, middle).name() for x in range(width)]
    return max(contrast(ground, colour) for colour in line)


def words(picture: QImage, window: MainWindow, field: QWidget) -> float:
    """Give the contrast of the strongest letter in a field with its ground."""
    corner = field.mapTo(window, QPoint(0, 0))
    inner = picture.copy(corner.x() + 8, corner.y() + 6, field.width() // 2, field.height() - 12)
    seen = [
        inner.pixelColor(x, y).name() for x in range(inner.width()) for y in range(inner.height())
    ]
    ground = max(set(seen), key=seen.count)
    return max(contrast(ground, colour) for colour in set(seen))


def is_outlined(widget: QWidget) -> bool:
    if isinstance(widget, Button):
        return str(widget.property("kind")) == "pillbutton"
    return isinstance(widget, LevelButton | QLineEdit | QComboBox)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("page", ["review", "audit", "runs", "reports"])
def test_every_outline_in_sight(
    window: MainWindow, demo: Path, settle: Callable[[], None], theme: str, page: str
) -> None:
    window.surroundings.settings.set("theme", theme)
    window.surroundings.settings.set("labeler", "lead")
    window.resize(1440, 900)
    assert window.open_project(demo, "c-0003" if page == "review" else None)
    window.show_page(page)
    settle()
    picture = window.grab().toImage()
    shown = window.page
    assert shown is not None
    found = {
        x: edge(picture, window, x, 4)
        for x in shown.findChildren(QWidget)
        if is_outlined(x)
        and x.isEnabled()
        and not x.hasFocus()
        and not x.visibleRegion().isEmpty()
        and x.visibleRegion().boundingRect().size() == x.size()
    }
    assert len(found) > 3
    faint = {
        f"{type(x).__name__} {x.accessibleName()}": round(ratio, 2)
        for x, ratio in found.items()
        if ratio < OUTLINE and not (isinstance(x, QAbstractButton) and x.isChecked())
    }
    assert faint == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_placeholders(
    window: MainWindow, demo: Path, settle: Callable[[], None], theme: str
) -> None:
    window.surroundings.settings.set("theme", theme)
    window.resize(1440, 900)
    assert window.open_project(demo, "c-0003")
    settle()
    assert window.page is not None
    picture = window.grab().toImage()
    empty = [
        x
        for x in window.page.findChildren(QLineEdit)
        if x.isVisible() and x.placeholderText() and not x.text()
    ]
    assert empty
    assert {x.accessibleName(): words(picture, window, x) >= TEXT for x in empty} == {
        x.accessibleName(): True for x in empty
    }
