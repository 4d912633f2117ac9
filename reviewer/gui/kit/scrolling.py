"""Areas that scroll where the window is too small for what they hold."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QPaintEvent
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


class ScrolledPage(QScrollArea):
    """A whole page: fills its room, and scrolls where large text needs more than there is."""

    def __init__(self, content: QWidget) -> None:
        """Put a page into it."""
        super().__init__()
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
