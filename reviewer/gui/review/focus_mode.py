"""Focus mode: conversation, cards and progress, and nothing that a labeler does not need."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QProgressBar, QSplitter

from reviewer.domain.errors import ReviewerError
from reviewer.domain.wording import fixed
from reviewer.gui.kit import layouts
from reviewer.gui.kit.layouts import FlowLayout
from reviewer.gui.kit.pieces import Button, Panel, named, pill, say, text
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.review.case_view import CaseView
from reviewer.gui.review.queue_side import QueueSide
from reviewer.gui.review.scores_view import ScoresView
from reviewer.services.computer.settings import Settings
from reviewer.services.labelling import pace
from reviewer.services.listing.listing import QueueProgress
from reviewer.services.project.session import Session

ROLE, ALWAYS, NEVER = "role", "always", "never"
CARDS = 460
"""Pixels at 100 % in which the buttons below the cards stand in one line."""
RIGHT = 0.34
"""Share of the width that the cards take beside the conversation."""


class FocusBar(Panel):
    """Which response, how far, how fast, and the few buttons that are left.

    Signals:
        wished: A command is to be run, by its id.
    """

    wished = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make it out of sight."""
        super().__init__("bottom")
        self.setAccessibleName("Focus mode")
        self.id = text("", "heading")
        self.progress = text("", "muted")
        self._bar = named(QProgressBar(textVisible=False), "Progress of the queue")
        self._bar.setProperty("role", "adjusted")
        self._bar.setFixedWidth(theme.px(180))
        self.pace = text("", "muted")
        self.sight = pill("")
        self.labeler = Button("", lambda: self.wished.emit("window.labeler"), dense=True)
        self.labeler.let_shrink()
        row = FlowLayout(self, spacing=theme.px(10), pushed_from=4)
        row.setContentsMargins(14, 6, 14, 6)
        layouts.fill(
            row,
            self.id,
            self.progress,
            self._bar,
            self.pace,
            self.sight,
            self._button("Guidelines", "window.guidelines", "G"),
            self._button("Find", "review.find", "Ctrl+F"),
            self.labeler,
            self._button("Leave focus", "review.focus", "F11"),
        )
        self.hide()

    def _button(self, words: str, command: str, key: str) -> Button:
        return Button(words, lambda: self.wished.emit(command), key=key, dense=True)

    def show_progress(self, found: QueueProgress, queue: str, pace_words: str) -> None:
        """Show how far the labeler is."""
        name = f" · {one_line(queue, 40)}" if queue else ""
        self.progress.setText(f"{found.done:,} of {found.total:,}{name}")
        self._bar.setMaximum(max(found.total, 1))
        self._bar.setValue(found.done)
        self.pace.setText(pace_words)


class FocusMode(QObject):
    """Leaves Review with what somebody needs who labels, and gives the rest back.

    Attributes:
        on: Whether it is on.

    Signals:
        changed: It was turned on or off.
    """

    changed = Signal()

    def __init__(
        self, theme: Theme, settings: Settings, *,
        queue: QueueSide, case: CaseView, scores: ScoresView, split: QSplitter,
    ) -> None:  # fmt: skip
        """Make it turned off."""
        super().__init__(split)
        self.on = False
        self.bar = FocusBar(theme)
        self._theme = theme
        self._settings = settings
        self._session: Session | None = None
        self._queue, self._case, self._scores, self._split = queue, case, scores, split
        self._shared: list[int] = []
        self._progress: QueueProgress | None = None
        queue.counted.connect(self._show_progress)
        leave = settings.subscribe(self._on_setting)
        self.destroyed.connect(lambda *_: leave())

    def open(self, session: Session) -> None:
        """Begin a project as the labeler wants it: by default labelers alone are in focus mode."""
        self._session = session
        wish = self._settings.focus
        labels_only = session.is_named and session.labeler.role == "labeler"
        self.bar.labeler.setText(f"{one_line(session.labeler.name, 24)} ▾")
        self._turn(on=wish == ALWAYS or (wish == ROLE and labels_only))

    def close(self) -> None:
        """Let go of the project; without one there is nothing to focus on."""
        self._session = None
        self._turn(on=False)

    def turn(self) -> None:
        """Turn it on or off, and begin so from now on."""
        self._turn(on=not self.on)
        self._settings.set("focus", ALWAYS if self.on else NEVER)

    def show_response(self, name: str, sight: str) -> None:
        """Name the response in view and what of it is seen."""
        self.bar.id.setText(one_line(name, 28))
        say(self.bar.sight, sight)

    def _turn(self, *, on: bool) -> None:
        if on == self.on:
            return
        self.on = on
        self._scores.set_alone(alone=on)
        self._case.header.set_alone(alone=on)
        if on:
            self._shared = self._split.sizes()
        self._queue.view.setVisible(not on)
        self.bar.setVisible(on)
        if on:
            width = sum(self._shared) or self._split.width()
            right = min(max(round(width * RIGHT), self._theme.px(CARDS)), width // 2)
            self._split.setSizes([0, width - right, right])
        elif self._shared:
            self._split.setSizes(self._shared)
        self._show_progress(self._progress)
        self.changed.emit()

    def _show_progress(self, found: QueueProgress | None) -> None:
        self._progress = found
        if found is None or not self.on or self._session is None:
            return
        self.bar.show_progress(found, self._queue.given or "", self._pace(found))

    def _pace(self, found: QueueProgress) -> str:
        """Say what was done today, of one's own goal, and how long the rest takes."""
        session = self._session
        if session is None:
            return ""
        try:
            words = f"today {pace.answered_today(session):,}"
        except (ReviewerError, KeyError, ValueError):
            return ""
        if self._settings.goal:
            words += f" of {self._settings.goal:,}"
        if found.seconds_left:
            words += f" · about {span(found.seconds_left)} left at your pace"
        return words

    def _on_setting(self, name: str) -> None:
        if name == "goal":
            self._show_progress(self._progress)


def span(seconds: float) -> str:
    """Write how long something takes, such as `40 min` or `2.5 h`."""
    minutes = max(round(seconds / 60), 1)
    return f"{minutes} min" if minutes < 90 else f"{fixed(minutes / 60, 1)} h"
