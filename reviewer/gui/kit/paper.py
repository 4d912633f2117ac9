"""A document for print and preview: vector pictures stay sharp, and nothing is loaded.

The only pictures are drawings that stand in the document itself; whatever else a template names
is left empty.
"""

import base64
import binascii

from PySide6.QtCore import QByteArray, QObject, QRect, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QFont,
    QPainter,
    QPyTextObject,
    QTextDocument,
    QTextFormat,
    QTextOption,
)
from PySide6.QtSvg import QSvgRenderer
from typing_extensions import override

DRAWING = "data:image/svg+xml;base64,"
BODY_PIXELS = 13
TEXT_WIDTH = 660.0
"""Pixels of a line of text as documents are laid out: pictures are made for it."""


def letters(family: str, pixels: int) -> QFont:
    """Give letters for paper: they stand where they were designed, not on pixels."""
    font = QFont(family)
    font.setPixelSize(pixels)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    # a hyphen between digits would be another one, which nobody can copy or search
    font.setFeature(QFont.Tag("calt"), 0)
    return font


class Drawings(QPyTextObject):
    """Paints the drawings of a document as vectors, wherever it is painted."""

    @override
    def intrinsicSize(self, doc: QTextDocument, posInDocument: int, format: QTextFormat) -> QSizeF:
        """Give the size that the document asks for, less where there is less room."""
        picture = format.toImageFormat()
        room = doc.textWidth() - 2 * doc.documentMargin()
        share = min(1.0, room / TEXT_WIDTH) if room > 0 else 1.0
        return QSizeF(picture.width(), picture.height()) * share

    @override
    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        doc: QTextDocument,
        posInDocument: int,
        format: QTextFormat,
    ) -> None:
        """Paint a drawing; any other picture stays empty."""
        name = format.toImageFormat().name()
        if not name.startswith(DRAWING):
            return
        try:
            content = base64.b64decode(name.removeprefix(DRAWING), validate=True)
        except (binascii.Error, ValueError):
            return
        QSvgRenderer(QByteArray(content)).render(painter, QRectF(rect))


class Paper(QTextDocument):
    """A document whose text keeps its width at every size, and that loads nothing."""

    def __init__(self, family: str, parent: QObject | None = None, *, margin: float = 0.0) -> None:
        """Make an empty document in a family of letters."""
        super().__init__(parent)
        self.setDefaultFont(letters(family, BODY_PIXELS))
        self.setUseDesignMetrics(True)
        self.setDocumentMargin(margin)
        wrapping = QTextOption(Qt.AlignmentFlag.AlignLeading)
        wrapping.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setDefaultTextOption(wrapping)
        self._drawings = Drawings()
        self.documentLayout().registerHandler(
            QTextFormat.ObjectTypes.ImageObject.value, self._drawings
        )

    @override
    def loadResource(self, type: int, name: QUrl | str) -> object:
        """Give nothing: what a text names is not fetched."""
        return None
