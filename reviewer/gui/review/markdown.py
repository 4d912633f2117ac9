"""A document made from Markdown that obeys no HTML and loads nothing from outside."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import (
    QFont,
    QImage,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from typing_extensions import override

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
