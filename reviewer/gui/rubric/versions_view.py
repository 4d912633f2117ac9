"""The versions of a rubric, and what changed from one to another, word by word."""

import difflib
from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QTextEdit, QVBoxLayout, QWidget

from reviewer.domain.rubric import Rubric
from reviewer.gui.kit import pieces
from reviewer.gui.kit.theme import Theme
from reviewer.gui.kit.word_diff import diff_markup, word_diff
from reviewer.services.project import rubrics

AROUND = 2
"""Unchanged lines shown before and after a change."""

Piece = tuple[str, str]


def compare(old: str, new: str) -> list[list[Piece]]:
    """Give each place where two texts differ, with the lines around it, compared by words."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    places = []
    for group in matcher.get_grouped_opcodes(AROUND):
        pieces_of_place: list[Piece] = []
        for how, a, b, c, d in group:
            if how == "equal":
                pieces_of_place.append(("same", "".join(after[c:d])))
            else:
                pieces_of_place += word_diff("".join(before[a:b]), "".join(after[c:d]))
        places.append(pieces_of_place)
    return places


class VersionsView(QWidget):
    """Two versions to choose, the draft among them, and their differences.

    Signals:
        return_requested: To go on from a kept version, with its rubric.
    """

    return_requested = Signal(object)

    def __init__(self, theme: Theme) -> None:
        """Make the view without versions."""
        super().__init__()
        self._theme = theme
        self._versions: tuple[tuple[str, Rubric], ...] = ()
        self.older, self.newer = QComboBox(), QComboBox()
        self.older.setAccessibleName("Compare this version")
        self.newer.setAccessibleName("with this version")
        self.text = QTextEdit()
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName("Differences")
        self.text.setProperty("role", "mono")
        row = QHBoxLayout()
        row.addWidget(pieces.text("From", "muted"))
        row.addWidget(self.older)
        row.addWidget(pieces.text("to", "muted"))
        row.addWidget(self.newer)
        self._count = pieces.text("", "small")
        row.addWidget(self._count)
        row.addStretch(1)
        self.back = pieces.Button("Go back", self._go_back, dense=True)
        row.addWidget(self.back)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme.px(10), 0, 0)
        column.addLayout(row)
        column.addWidget(self.text, 1)
        for combo in (self.older, self.newer):
            combo.currentIndexChanged.connect(lambda _: self._compare())
        theme.changed.connect(self._compare)

    def show_versions(self, kept: Sequence[Rubric], draft: Rubric | None) -> None:
        """Offer the kept versions, newest first, and before them the draft where it is sound."""
        named = [(f"version {rubric.version}", rubric) for rubric in kept]
        if draft is not None:
            named.insert(0, ("what you are editing", draft))
        self._versions = tuple(named)
        blockers = [QSignalBlocker(self.older), QSignalBlocker(self.newer)]
        for combo, place in ((self.newer, 0), (self.older, min(1, len(named) - 1))):
            combo.clear()
            combo.addItems([name for name, _ in named])
            combo.setCurrentIndex(place)
        for blocker in blockers:
            blocker.unblock()
        self._compare()

    def _go_back(self) -> None:
        self.return_requested.emit(self._versions[self.older.currentIndex()][1])

    def _compare(self) -> None:
        places = self.older.currentIndex(), self.newer.currentIndex()
        if min(places) < 0 or max(places) >= len(self._versions):
            return
        name, older = self._versions[places[0]]
        former = older is not self._versions[0][1]
        self.back.setText(f"Go back to {name}" if former else "Go back")
        self.back.setEnabled(former)
        old, new = (rubrics.to_toml(self._versions[place][1]) for place in places)
        found = compare(old, new)
        many = "1 place differs" if len(found) == 1 else f"{len(found)} places differ"
        self._count.setText(many if found else "")
        colours = self._theme.colours
        gap = f'<p style="color:{colours.muted}">⋯</p>'
        markup = gap.join(diff_markup(one, colours) for one in found)
        shown = markup or f'<span style="color:{colours.muted}">Nothing differs.</span>'
        self.text.setHtml(f'<div style="white-space: pre-wrap">{shown}</div>')
