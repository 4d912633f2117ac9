"""The text of one turn: Markdown without HTML, nothing loaded from outside, spans highlighted."""

import math
from collections.abc import Callable, Sequence

from msgspec import Struct
from PySide6.QtCore import QObject, QPoint, QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QFont,
    QImage,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QMenu, QSizePolicy, QTextEdit
from typing_extensions import override

from reviewer.domain.evaluation import Mark
from reviewer.gui.kit.tasks import soon
from reviewer.gui.kit.text import LONG, Shown, align, visible
from reviewer.gui.kit.theme import TextStyle, Theme

Attachment = Callable[[str], bytes | None]
_FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | (
    QTextDocument.MarkdownFeature.MarkdownNoHTML
)
_LINE_HEIGHT = 122


class SealedDocument(QTextDocument):
    """A document whose images come from the project or not at all."""

    def __init__(self, attachment: Attachment, parent: QObject) -> None:
        """Make an empty document; `attachment` gives images of the project by their path."""
        super().__init__(parent)
        self._attachment = attachment

    @override
    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Give an image of the project, an empty one for everything else."""
        return self.image(name.toString() if isinstance(name, QUrl) else name)

    def image(self, path: str) -> QImage:
        """Give an image of the project, an empty one for everything else."""
        content = None if ":" in path else self._attachment(path)
        return QImage.fromData(content) if content else QImage()


def set_markdown(document: SealedDocument, text: str, theme: Theme) -> None:
    """Fill a document from Markdown, with headings near the text's size and airy lines."""
    document.setMarkdown(text, _FEATURES)
    _tame_headings(document, theme)
    _name_missing_images(document)
    _space_lines(document, theme)


def _blocks(document: QTextDocument) -> list[QTextBlock]:
    found = []
    block = document.begin()
    while block.isValid():
        found.append(block)
        block = block.next()
    return found


def _tame_headings(document: QTextDocument, theme: Theme) -> None:
    style = QTextCharFormat()
    style.setFontWeight(QFont.Weight.Bold)
    style.setProperty(QTextCharFormat.Property.FontSizeAdjustment, 0)
    size = theme.font(TextStyle.BODY).pixelSize() + 1
    style.setProperty(QTextCharFormat.Property.FontPixelSize, size)
    for block in _blocks(document):
        if block.blockFormat().headingLevel():
            cursor = QTextCursor(block)
            cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
            cursor.mergeCharFormat(style)


def _space_lines(document: QTextDocument, theme: Theme) -> None:
    airy = QTextBlockFormat()
    proportional = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
    airy.setLineHeight(_LINE_HEIGHT, proportional)
    airy.setBottomMargin(theme.px(5))
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    cursor.mergeBlockFormat(airy)
    airy.setBottomMargin(0)
    QTextCursor(document.lastBlock()).mergeBlockFormat(airy)


def _name_missing_images(document: SealedDocument) -> None:
    for position, name in reversed(_images(document)):
        if document.image(name).isNull():
            cursor = QTextCursor(document)
            cursor.setPosition(position)
            right, keep = QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor
            cursor.movePosition(right, keep)
            cursor.insertText(f"[image not loaded: {name}]", QTextCharFormat())


def _images(document: QTextDocument) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for block in _blocks(document):
        pieces = block.begin()
        while not pieces.atEnd():
            fragment = pieces.fragment()
            style = fragment.charFormat()
            if style.isImageFormat():
                name = style.toImageFormat().name()
                found += [(fragment.position() + i, name) for i in range(fragment.length())]
            pieces += 1
    return found


class Span(Struct, frozen=True):
    """A highlighted stretch of the stored text, with the mark that it is of."""

    start: int
    end: int
    mark: Mark | None = None


FOUND, STRESSED = ("find", "text"), ("accent", "on_accent")
"""The colours of places that were found, and of the one of them that is looked at."""


class TurnText(QTextEdit):
    """A read-only text as high as its content.

    Signals:
        marked: The user chose this stretch of the stored text (start, end), end after start.
        unmarked: A highlight is to be taken back, by its mark.
        unfolded: A very long text is shown to its end now.
    """

    marked = Signal(int, int)
    unmarked = Signal(object)
    unfolded = Signal()

    def __init__(self, theme: Theme, attachment: Attachment, *, markdown: bool = True) -> None:
        """Make an empty text; `attachment` gives images of the project by their path."""
        super().__init__()
        self._theme = theme
        self._markdown = markdown
        self.stored = ""
        self._shown = Shown("")
        self._whole = False
        self._places: list[int] | None = None
        self._spans: tuple[Span, ...] = ()
        self._found: list[QTextCursor] = []
        self._stressed = -1
        self._document = SealedDocument(attachment, self)
        self.setDocument(self._document)
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("kind", "turntext")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(
            lambda place: menu_at(self, place).popup(self.viewport().mapToGlobal(place))
        )
        self.document().setDocumentMargin(0)
        self._settle = soon(self, lambda: self.setViewportMargins(0, 0, 0, 0))

    @property
    def is_shortened(self) -> bool:
        """Tell whether only the start of a very long text is shown."""
        return len(self.stored) > LONG and not self._whole

    def set_text(self, stored: str) -> None:
        """Show a text; a very long one only from its start until `show_all`."""
        self.stored = stored
        self._whole = False
        self._render()

    def show_all(self) -> None:
        """Show a very long text to its end."""
        self._whole = True
        self._render()
        self.unfolded.emit()

    def set_spans(self, spans: Sequence[Span]) -> None:
        """Highlight stretches of the stored text."""
        self._spans = tuple(spans)
        self._paint_spans()

    def find_all(self, words: str) -> int:
        """Mark every place of the words and give their number; empty words clear the marks."""
        self._found, self._stressed = [], -1
        if words:
            cursor = self.document().find(words)
            while not cursor.isNull() and len(self._found) < 500:
                self._found.append(cursor)
                cursor = self.document().find(words, cursor)
        self._paint_spans()
        return len(self._found)

    def found_top(self, index: int) -> int:
        """Give the vertical place of a found stretch, in this widget's pixels."""
        return self.cursorRect(self._found[index]).top()

    def stress(self, index: int) -> None:
        """Mark one of the found places more than the others, or none (-1)."""
        self._stressed = index
        self._paint_spans()

    def span_top(self, span: Span) -> int:
        """Give the vertical place of a stretch of the stored text, in this widget's pixels."""
        selection = self._span_selection(span)
        if selection is None:
            return 0
        cursor = QTextCursor(self.document())
        cursor.setPosition(selection.cursor.selectionStart())
        return self.cursorRect(cursor).top()

    def mark_selection(self) -> bool:
        """Emit `marked` for what is selected; tells whether anything is.

        In the text that has the focus the highlight at the cursor is taken back instead where
        nothing is selected.
        """
        cursor = self.textCursor()
        if not cursor.hasSelection():
            mark = self.mark_at(cursor) if self.hasFocus() else None
            if mark is not None:
                self.unmarked.emit(mark)
            return mark is not None
        places = self._alignment()
        begin, end = _whole_words(self.document(), cursor.selectionStart(), cursor.selectionEnd())
        first = self._shown.to_stored(places[begin])
        last = self._shown.to_stored(places[end - 1] + 1)
        cursor.clearSelection()
        self.setTextCursor(cursor)
        if last > first:
            self.marked.emit(first, last)
        return True

    def mark_at(self, cursor: QTextCursor) -> Mark | None:
        """Find the shortest highlight at a place."""
        at = self._shown.to_stored(self._alignment()[cursor.position()])
        there = [x for x in self._spans if x.mark is not None and x.start <= at <= x.end]
        return min(there, key=lambda x: x.end - x.start).mark if there else None

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Follow the width with the height."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave scrolling to the conversation."""
        event.ignore()

    @override
    def sizeHint(self) -> QSize:
        """Ask for the content's height."""
        return QSize(200, self.height())

    def restyle(self) -> None:
        """Take the theme's fonts and colours."""
        self._render()

    def _render(self) -> None:
        text = self.stored if self._whole else self.stored[:LONG]
        self._shown = visible(text)
        self._places = None
        style = TextStyle.BODY if self._markdown else TextStyle.MONO
        document = self.document()
        document.setDefaultFont(self._theme.font(style))
        if self._markdown:
            set_markdown(self._document, self._shown.text, self._theme)
        else:
            document.setPlainText(self._shown.text)
        self._found, self._stressed = [], -1
        self._fit()
        self._paint_spans()

    def _fit(self) -> None:
        self.document().setTextWidth(self.maximumViewportSize().width())
        height = math.ceil(self.document().size().height())
        if height != self.height():
            self.setFixedHeight(max(height, 1))
            # within a resize Qt may leave the part that is painted at the height before
            self._settle.start()

    def _alignment(self) -> list[int]:
        if self._places is None:
            self._places = align(self.document().toPlainText(), self._shown.text)
        return self._places

    def _paint_spans(self) -> None:
        marks = [x for span in self._spans if (x := self._span_selection(span)) is not None]
        found = [
            _marked(self._theme, cursor, *(STRESSED if at == self._stressed else FOUND))
            for at, cursor in enumerate(self._found)
        ]
        self.setExtraSelections([*marks, *found])

    def _span_selection(self, span: Span) -> QTextEdit.ExtraSelection | None:
        places = self._alignment()
        first, last = self._shown.to_shown(span.start), self._shown.to_shown(span.end)
        inside = [at for at, place in enumerate(places[:-1]) if first <= place < last]
        if not inside:
            return None
        cursor = QTextCursor(self.document())
        cursor.setPosition(inside[0])
        cursor.setPosition(inside[-1] + 1, QTextCursor.MoveMode.KeepAnchor)
        selection = _marked(self._theme, cursor, "highlight")
        style: QTextCharFormat = selection.format
        style.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        style.setUnderlineColor(self._theme.colour("human_fill"))
        style.setToolTip((span.mark and span.mark.note) or "")
        selection.format = style
        return selection


def _marked(
    theme: Theme, cursor: QTextCursor, role: str, tone: str = "text"
) -> QTextEdit.ExtraSelection:
    selection = QTextEdit.ExtraSelection()
    style = QTextCharFormat()
    style.setBackground(theme.colour(role))
    style.setForeground(theme.colour(tone))
    selection.format = style
    selection.cursor = cursor
    return selection


def menu_at(text: TurnText, place: QPoint) -> QMenu:
    """Make the menu of a place: the usual one, and what is done to a highlight there."""
    menu = text.createStandardContextMenu(place)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    mark = text.mark_at(text.cursorForPosition(place))
    if mark is not None:
        menu.addSeparator()
        taken = menu.addAction("Take this highlight back")
        taken.triggered.connect(lambda *_: text.unmarked.emit(mark))
    return menu


def _whole_words(text: QTextDocument, begin: int, end: int) -> tuple[int, int]:
    """Give a stretch with the words whole that a hand cut at its ends."""
    edge = QTextCursor(text)
    if text.characterAt(begin).isalnum():
        edge.setPosition(begin)
        edge.movePosition(QTextCursor.MoveOperation.StartOfWord)
        begin = edge.position()
    if text.characterAt(end - 1).isalnum():
        edge.setPosition(end - 1)
        edge.movePosition(QTextCursor.MoveOperation.EndOfWord)
        end = max(end, edge.position())
    return begin, end
