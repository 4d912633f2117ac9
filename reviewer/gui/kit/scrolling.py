"""Areas that scroll where the window is too small for what they hold."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QScrollBar, QWidget
from typing_extensions import override


class SteadyBar(QScrollBar):
    """Keeps its room where there is nothing to scroll, so that what it scrolls keeps its width."""

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint nothing where there is nothing to scroll."""
        if self.maximum() > self.minimum():
            super().paintEvent(event)


class ScrolledColumn(QScrollArea):
    """Scrolls vertically only, is never narrower than what it holds, and takes no focus."""

    def __init__(self, content: QWidget, name: str) -> None:
        """Put a widget into it; `name` is what screen readers call the area."""
        super().__init__()
        self._content = content
        content.setProperty("kind", "scrolled")
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tell the layout around it when the content needs another width."""
        if watched is self._content and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    @override
    def minimumSizeHint(self) -> QSize:
        """Ask for the content's least width beside the scroll bar."""
        bar = self.verticalScrollBar().sizeHint().width()
        least = self._content.minimumSizeHint().width()
        return QSize(least + bar, super().minimumSizeHint().height())


class ReadingColumn(ScrolledColumn):
    """A column that is read by keys: a tab stop while there is more than is in sight.

    Arrows, Page Up and Page Down, Home and End move it, Space and Shift+Space by a page.
    """

    def __init__(self, content: QWidget, name: str) -> None:
        """Put a widget into it; `name` is what screen readers call the area."""
        super().__init__(content, name)
        self.setProperty("kind", "reading")
        self.verticalScrollBar().rangeChanged.connect(self._be_a_stop)

    def scroll_by_page(self, pages: int) -> None:
        """Scroll down, or up where `pages` is negative; two lines stay in sight."""
        bar = self.verticalScrollBar()
        step = max(bar.pageStep() - 2 * self.fontMetrics().height(), bar.singleStep())
        bar.setValue(bar.value() + pages * step)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scroll to the ends and by pages; the rest is Qt's."""
        bar = self.verticalScrollBar()
        match event.key():
            case Qt.Key.Key_Home:
                bar.setValue(bar.minimum())
            case Qt.Key.Key_End:
                bar.setValue(bar.maximum())
            case Qt.Key.Key_Space:
                back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                self.scroll_by_page(-1 if back else 1)
            case _:
                super().keyPressEvent(event)

    def _be_a_stop(self, lowest: int, highest: int) -> None:
        more = highest > lowest
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if more else Qt.FocusPolicy.NoFocus)


class ScrolledPage(QScrollArea):
    """A whole page: fills its room, and scrolls where large text needs more than there is."""

    def __init__(self, content: QWidget) -> None:
        """Put a page into it."""
        super().__init__()
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
