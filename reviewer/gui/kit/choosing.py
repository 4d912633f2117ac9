"""Choices among what a project has, where "all" is one of them."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from reviewer.gui.kit import pieces
from reviewer.gui.kit.text import one_line


def choice(name: str) -> QComboBox:
    """Make an empty choice that shrinks where room is short."""
    combo = QComboBox()
    combo.setAccessibleName(name)
    combo.setMinimumContentsLength(7)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return combo


def titled(combo: QComboBox) -> QWidget:
    """Keep a choice and its name, as a title before it, in one line."""
    made = QWidget()
    row = QHBoxLayout(made)
    row.setContentsMargins(0, 0, 0, 0)
    row.addWidget(pieces.text(combo.accessibleName().lower(), "muted"))
    row.addWidget(combo)
    return made


def offer(combo: QComboBox, everything: str, entries: Sequence[tuple[str, str]]) -> None:
    """Offer names with their titles, quietly; what was chosen stays where it is still there.

    `everything` is the first entry and stands for no narrowing; empty leaves it out.
    """
    kept = combo.currentData()
    blocker = QSignalBlocker(combo)
    combo.clear()
    if everything:
        combo.addItem(everything, None)
    for name, title in entries:
        combo.addItem(one_line(title, 60), name)
    combo.setCurrentIndex(max(0, combo.findData(kept)))
    blocker.unblock()


def offer_names(combo: QComboBox, everything: str, names: Sequence[str]) -> None:
    """Offer names that are their own titles."""
    offer(combo, everything, [(name, name) for name in names])


def chosen(combo: QComboBox) -> tuple[str, ...]:
    """Give the chosen name alone, nothing for "all"."""
    name = combo.currentData()
    return (str(name),) if name else ()
