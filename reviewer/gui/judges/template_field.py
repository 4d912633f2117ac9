"""The field in which a template is written, with its places and changed lines in colour."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from PySide6.QtGui import (
    QColor,
    QFont,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QTextEdit
from typing_extensions import override

from reviewer.gui.kit import pieces
from reviewer.gui.kit.theme import TextStyle, Theme

_SIGNS: Final = (
    (re.compile(r"\{\{.*?\}\}"), "auto", False),
    (re.compile(r"\{%.*?%\}"), "adjusted", False),
    (re.compile(r"\{#.*?#\}"), "muted", False),
    (re.compile(r"^\[(?:system|user)\]\s*$"), "human", True),
)


class _Signs(QSyntaxHighlighter):
    """Colours what is not plain text in a template."""

    def __init__(self, theme: Theme, document: QTextDocument) -> None:
        super().__init__(document)
        self._theme = theme
        theme.changed.connect(self.rehighlight)

    @override
    def highlightBlock(self, text: str) -> None:
        """Colour one line."""
        for pattern, role, strong in _SIGNS:
            shape = QTextCharFormat()
            shape.setForeground(self._theme.colour(role))
            if strong:
                shape.setFontWeight(QFont.Weight.DemiBold)
            for match in pattern.finditer(text):
                self.setFormat(match.start(), match.end() - match.start(), shape)


class TemplateField(QPlainTextEdit):
    """A plain text in fixed width; Tab leaves it, as everywhere in the window."""

    def __init__(self, theme: Theme, name: str) -> None:
        """Make the field; `name` is what screen readers call it."""
        super().__init__()
        self._theme = theme
        self._added: tuple[int, ...] = ()
        self._wrong: int | None = None
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setProperty("role", "mono")
        self._signs = _Signs(theme, self.document())
        theme.changed.connect(self._dress)

    def mark_lines(self, added: Iterable[int], wrong: int | None = None) -> None:
        """Lay a ground under the lines that were added, and under the one that is wrong.

        Lines are counted from 0.
        """
        self._added, self._wrong = tuple(added), wrong
        grounds = [(line, self._theme.colour("added")) for line in self._added]
        if wrong is not None:
            grounds.append((wrong, self._theme.colour("removed")))
        self.setExtraSelections([x for x in map(self._ground, grounds) if x is not None])

    def insert_place(self, name: str) -> None:
        """Put a place at the cursor."""
        self.insertPlainText(f"{{{{ {name} }}}}")
        self.setFocus()

    def _ground(self, line: tuple[int, QColor]) -> QTextEdit.ExtraSelection | None:
        block = self.document().findBlockByNumber(line[0])
        if not block.isValid():
            return None
        mark = QTextEdit.ExtraSelection()
        shape = QTextCharFormat()
        shape.setBackground(line[1])
        shape.setProperty(QTextFormat.Property.FullWidthSelection, True)  # noqa: FBT003 - Qt's
        mark.format = shape
        cursor = QTextCursor(block)
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        mark.cursor = cursor
        return mark

    def _dress(self) -> None:
        self.document().setDefaultFont(self._theme.font(TextStyle.MONO))
        self.mark_lines(self._added, self._wrong)


class InsertButton(pieces.Button):
    """Opens a menu of places with what they stand for, and puts the chosen one at the cursor."""

    def __init__(self, field: TemplateField, places: Sequence[tuple[str, str]]) -> None:
        """Make the button for a field and its places."""
        super().__init__("Insert ▾", self._open, dense=True, name="Insert a variable")
        self._field = field
        self.menu_of_places = QMenu(self)
        for name, meaning in places:
            self.menu_of_places.addAction(f"{name}: {meaning}").triggered.connect(
                lambda _=False, x=name: field.insert_place(x)
            )

    def _open(self) -> None:
        pieces.open_below(self, self.menu_of_places)
