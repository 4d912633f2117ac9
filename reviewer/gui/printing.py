"""A report as PDF: laid out once as one long page, then cut where nothing is cut through.

Qt's own paging cuts through rows of tables and loses headings from what they head; so the cuts are
chosen here, and every page repeats the head of the table that it goes on with. Works without a
display, and on any thread.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication, QEventLoop, QMarginsF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QFontMetricsF,
    QPageLayout,
    QPageSize,
    QPainter,
    QPalette,
    QPdfWriter,
    QTextBlock,
    QTextFrame,
    QTextTable,
)
from PySide6.QtWidgets import QApplication

from reviewer.domain.errors import ProjectError
from reviewer.gui.kit import theme
from reviewer.gui.kit.paper import TEXT_WIDTH, Paper, letters

DOTS: Final = 1200
"""Dots an inch: what nobody sees the rounding of."""
PIXELS: Final = 96
PAGE: Final = QSizeF(210 / 25.4 * PIXELS, 297 / 25.4 * PIXELS)
SIDE, TOP, BOTTOM = (PAGE.width() - TEXT_WIDTH) / 2, 84.0, 72.0
"""Margins in pixels; header and footer stand in those above and below."""
EPS: Final = 0.05
BORDER: Final = 1.0
SMALL: Final = 10
OVERLAP: Final = 3.0
"""Pixels by which borders of neighbours may lie in each other without hanging together."""


@dataclass(frozen=True, slots=True, order=True)
class Solid:
    """What must stand on one page: from the top to the bottom of a line, row or heading."""

    top: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a table, repeated on every page that goes on with it."""

    top: float
    bottom: float
    end: float


@dataclass(frozen=True, slots=True)
class Page:
    """A part of the long page, below the head of a table where it goes on with one."""

    top: float
    bottom: float
    head: Head | None = None


def pages_of(
    solids: Sequence[Solid], heads: Sequence[Head], end: float, room: float
) -> list[Page]:
    """Cut a long page: each cut lies as low as it may without cutting anything through.

    Args:
        solids: what must not be cut; what is higher than a page is, between its parts.
        heads: of tables.
        end: where the long page ends.
        room: the height of a page.
    """
    found: list[Page] = []
    tops = sorted(one.top for one in solids)
    top = tops[0] if tops else 0.0
    while top < end - EPS or not found:
        head = next((x for x in heads if x.bottom - EPS < top < x.end - EPS), None)
        free = room - (head.bottom - head.top if head else 0.0)
        cut = _cut(solids, top, top + free, free) if top + free < end else end
        found.append(Page(top, cut, head))
        through = [x.bottom for x in solids if x.top < cut - EPS and x.bottom > cut + OVERLAP]
        following = next((x for x in tops if x >= cut - EPS), end)
        # blank space between two pages is on neither; the rest of what was cut is no blank space
        top = cut if through and following >= max(through) - EPS else following
    return found


def _cut(solids: Sequence[Solid], top: float, limit: float, free: float) -> float:
    cut = limit
    crossing = [x for x in solids if top - EPS < x.top and x.bottom - x.top <= free + EPS]
    while True:
        above = [x.top for x in crossing if x.top < cut - EPS and x.bottom > cut + OVERLAP]
        if not above:
            return cut
        if min(above) <= top + EPS:
            # one that begins the page and does not fit with what hangs on it
            crossing = [x for x in crossing if x.top > top + EPS]
            cut = limit
            continue
        cut = min(above)


def write(html: str, to: Path, title: str) -> int:
    """Write a document as PDF with page numbers, and give how many pages it has.

    Raises:
        ProjectError: The file cannot be written.
    """
    family = _family()
    # a document starts timers, for which a thread of Python's own has nothing yet
    timing = QEventLoop()
    paper = Paper(family)
    paper.setHtml(html)
    paper.setTextWidth(TEXT_WIDTH)
    found = _pages(paper)
    writer = QPdfWriter(str(to))
    writer.setResolution(DOTS)
    writer.setTitle(title)
    writer.setCreator("Reviewer")
    writer.setPageLayout(
        QPageLayout(
            QPageSize(QPageSize.PageSizeId.A4),
            QPageLayout.Orientation.Portrait,
            QMarginsF(0, 0, 0, 0),
        )
    )
    painter = QPainter()
    if not painter.begin(writer):
        raise ProjectError(f"{to.name} cannot be written.")
    try:
        painter.scale(DOTS / PIXELS, DOTS / PIXELS)
        for number, page in enumerate(found, 1):
            if number > 1:
                writer.newPage()
            _paint(painter, paper, page)
            _paint_edges(painter, title, f"{number} / {len(found)}", letters(family, SMALL))
    finally:
        painter.end()
        del paper, timing
    return len(found)


def _family() -> str:
    """Give the family of the letters; without a window, fonts are loaded first."""
    if QCoreApplication.instance() is None:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        _kept.append(QApplication(["reviewer"]))
    return theme.family()


_kept: list[QApplication] = []
"""The application, where no window made one: it lives as long as the process."""


def _pages(paper: Paper) -> list[Page]:
    heads: list[Head] = []
    solids = [*_blocks(paper), *_frames(paper, paper.rootFrame(), heads)]
    height = paper.documentLayout().documentSize().height()
    return pages_of(solids, heads, height, PAGE.height() - TOP - BOTTOM)


def _blocks(paper: Paper) -> Iterator[Solid]:
    """Give every line, and headings with the beginning of what they head."""
    block = paper.begin()
    while block.isValid():
        lines = list(_lines(paper, block))
        yield from lines
        following = block.next()
        if block.blockFormat().headingLevel() and lines and following.isValid():
            # a head of a table holds its first row
            below = next(_lines(paper, following), lines[-1])
            yield Solid(lines[0].top, max(below.bottom, lines[-1].bottom))
        block = following


def _lines(paper: Paper, block: QTextBlock) -> Iterator[Solid]:
    top = paper.documentLayout().blockBoundingRect(block).top()
    layout = block.layout()
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        yield Solid(top + line.y(), top + line.y() + line.height())


def _frames(paper: Paper, frame: QTextFrame, heads: list[Head]) -> Iterator[Solid]:
    for child in frame.childFrames():
        if isinstance(child, QTextTable):
            rows = _rows(paper, child)
            yield from rows
            lead = child.format().toTableFormat().headerRowCount()
            first = rows[min(lead, len(rows) - 1)]
            if 0 < lead < len(rows):
                heads.append(Head(rows[0].top, rows[lead - 1].bottom, rows[-1].bottom))
                yield Solid(rows[0].top, first.bottom)
            yield from _with_heading(paper, child, first)
        yield from _frames(paper, child, heads)


def _with_heading(paper: Paper, table: QTextTable, first: Solid) -> Iterator[Solid]:
    """Keep a heading that stands right above a table with its first row."""
    before = table.firstCursorPosition().block().previous()
    while before.isValid() and not before.text().strip():
        before = before.previous()
    if before.isValid() and before.blockFormat().headingLevel():
        yield Solid(paper.documentLayout().blockBoundingRect(before).top(), first.bottom)


def _rows(paper: Paper, table: QTextTable) -> list[Solid]:
    """Give the rows of a table; its first and last reach to its border."""
    rows = [_row(paper, table, row) for row in range(table.rows())]
    around = paper.documentLayout().frameBoundingRect(table)
    rows[0] = Solid(min(around.top(), rows[0].top), rows[0].bottom)
    rows[-1] = Solid(rows[-1].top, max(around.bottom(), rows[-1].bottom))
    return rows


def _row(paper: Paper, table: QTextTable, row: int) -> Solid:
    padding = table.format().toTableFormat().cellPadding()
    layout = paper.documentLayout()
    tops, bottoms = [], []
    for column in range(table.columns()):
        cell = table.cellAt(row, column)
        first, last = cell.firstCursorPosition().block(), cell.lastCursorPosition().block()
        tops.append(layout.blockBoundingRect(first).top())
        bottoms.append(layout.blockBoundingRect(last).bottom())
    return Solid(min(tops) - padding, max(bottoms) + padding)


def _paint(painter: QPainter, paper: Paper, page: Page) -> None:
    top = TOP
    if page.head is not None:
        _paint_part(painter, paper, page.head.top, page.head.bottom, top)
        top += page.head.bottom - page.head.top
    _paint_part(painter, paper, page.top, page.bottom, top)


def _paint_part(painter: QPainter, paper: Paper, top: float, bottom: float, at: float) -> None:
    # borders are painted around what they enclose
    part = QRectF(-2, top - BORDER, TEXT_WIDTH + 4, bottom - top)
    painter.save()
    painter.translate(QPointF(SIDE, at - top))
    painter.setClipRect(part)
    context = QAbstractTextDocumentLayout.PaintContext()
    context.clip = part
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.Text, QColor(theme.LIGHT.text))
    context.palette = palette
    paper.documentLayout().draw(painter, context)
    painter.restore()


def _paint_edges(painter: QPainter, title: str, number: str, font: QFont) -> None:
    """Write the title above a page and its number below."""
    painter.save()
    painter.setFont(font)
    painter.setPen(QColor(theme.LIGHT.muted))
    elided = QFontMetricsF(font).elidedText(title, Qt.TextElideMode.ElideRight, TEXT_WIDTH)
    header = QRectF(SIDE, TOP - 44, TEXT_WIDTH, 20)
    footer = QRectF(SIDE, PAGE.height() - BOTTOM + 22, TEXT_WIDTH, 20)
    painter.drawText(header, Qt.AlignmentFlag.AlignLeading, elided)
    painter.drawText(footer, Qt.AlignmentFlag.AlignTrailing, number)
    painter.drawText(footer, Qt.AlignmentFlag.AlignLeading, "Reviewer")
    painter.restore()
