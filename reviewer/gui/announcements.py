"""What the window says by itself: what a conversion changed, and how monitors stand."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QScrollArea, QWidget

from reviewer.gui.jobs_watch import JobsWatch
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.notices import Kind, Notice
from reviewer.gui.kit.text import visible
from reviewer.gui.kit.theme import Theme
from reviewer.gui.project_dialog import ProjectDialog
from reviewer.gui.window import PAINTED_MS, MainWindow
from reviewer.services.project.session import Session

TITLE = "What changed in this project"
WIDTH, HEIGHT = 640, 420


class ConversionNotice(QObject):
    """Shows the first sentence in the bar, and the others in a list that is a press away.

    Attributes:
        dialog: The list, None before it was asked for.
    """

    def __init__(self, window: MainWindow) -> None:
        """Follow the window's projects."""
        super().__init__(window)
        self._window = window
        self._told: tuple[str, ...] = ()
        self._notice: Notice | None = None
        self.dialog: ConversionDialog | None = None
        pieces.connect(
            (window.session_opened, self._open),
            (window.session_closing, self._forget),
            (window.notices.more_requested, self._show_list),
        )

    def _open(self, session: Session) -> None:
        # the page comes first
        QTimer.singleShot(PAINTED_MS, self, lambda: self._tell(session))

    def _tell(self, session: Session) -> None:
        if self._window.session is not session:
            return
        from reviewer.services.project import conversion

        self._told = tuple(conversion.untold(session))
        if not self._told:
            return
        more = TITLE if len(self._told) > 1 else ""
        self._notice = Notice(Kind.WARNING, self._told[0], more)
        self._window.notices.show_notice(self._notice)
        conversion.keep_shown(session)

    def _show_list(self, notice: Notice) -> None:
        if notice is self._notice:
            self.dialog = ConversionDialog(
                self._window.surroundings.theme, self._told, self._window
            )
            self.dialog.show()

    def _forget(self) -> None:
        self._told, self._notice = (), None


class ConversionDialog(ProjectDialog):
    """Every sentence, to be read and copied at leisure."""

    def __init__(self, theme: Theme, told: Sequence[str], parent: QWidget) -> None:
        """Show the sentences."""
        super().__init__(parent, TITLE)
        self.setModal(False)
        fit(self, theme.px(WIDTH), theme.px(HEIGHT))
        self.lines = [pieces.text(visible(one).text, wrap=True) for one in told]
        body = pieces.dressed(QWidget(), kind="scrolled")
        inside = layouts.column(on=body, margins=(0, 0, theme.px(8), 0), gap=theme.px(10))
        for line in self.lines:
            line.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse
                | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            inside.addWidget(line)
        inside.addStretch(1)
        area = pieces.named(QScrollArea(widgetResizable=True), TITLE)
        area.setWidget(body)
        layouts.column(
            pieces.text(TITLE, "heading"),
            (area, 1),
            (pieces.Button("Close", self.close), 0, Qt.AlignmentFlag.AlignTrailing),
            on=self,
            margins=(theme.px(20), theme.px(16), theme.px(20), theme.px(16)),
            gap=theme.px(10),
        )


class MonitorNotices(QObject):
    """Ties the monitors at work to the window around the pages."""

    def __init__(self, window: MainWindow, watch: JobsWatch) -> None:
        """Watch over a window; `watch` has the system's notifications."""
        super().__init__(window)
        self._window, self._notifier = window, watch.notifier
        monitors = window.surroundings.monitors
        pieces.connect(
            (window.session_opened, monitors.open),
            (window.session_closing, lambda: monitors.open(None)),
            (monitors.looked, self._tell),
            (monitors.failed, lambda _, sentence: window.notices.error(sentence)),
        )

    def _tell(self, looked: Any) -> None:  # noqa: ANN401  # of a room that is loaded late
        session = self._window.session
        if session is None:
            return
        for sentence in looked.fed.sentences:
            self._window.notices.note(sentence)
        if looked.change:
            self._window.notices.note(looked.change)
            self._notifier.tell("The monitor's status changed", looked.change)
        session.poll()
