"""The line at the bottom: what is saved, where the page is, what runs in the background."""

from datetime import UTC, datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QSizePolicy, QWidget

from reviewer.gui.kit import pieces
from reviewer.gui.kit.times import clock

PROMISE = "Nothing leaves this computer unless you start a judge."


class StatusBar(pieces.Panel):
    """Saved time and page's line on the left, background work or the promise on the right.

    Signals:
        work_clicked: The user wants to see the work that runs in the background.
        jobs_clicked: The user wants to see the jobs.
        failures_clicked: The user wants to see the calls that failed.
        retry_clicked: The calls that failed are to be tried again.
    """

    work_clicked = Signal()
    jobs_clicked = Signal()
    failures_clicked = Signal()
    retry_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        """Make the line with nothing but the promise."""
        super().__init__("top", parent)
        self.setAccessibleName("Status")
        self._saved = pieces.text("", "adjusted")
        self._page = pieces.ElidedText("", "small")
        self._bar = _bar("Progress of the background work")
        self._work = pieces.Button("", self.work_clicked.emit, kind="flat", name="Background work")
        self._jobs_bar = _bar("Progress of the re-evaluation")
        self._jobs = pieces.Button("", self.jobs_clicked.emit, kind="flat", name="Re-evaluation")
        self._failures = pieces.Button(
            "", self.failures_clicked.emit, kind="flat", name="Failures"
        )
        self._retry = pieces.Button("retry", self.retry_clicked.emit, kind="link")
        self._retry.setAccessibleName("Try the failed calls again")
        for button in (self._jobs, self._failures):
            button.let_shrink()
        self._promise = pieces.ElidedText(PROMISE, "small")
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 3, 14, 3)
        row.setSpacing(16)
        row.addWidget(self._saved)
        row.addWidget(self._page)
        row.addStretch(1)
        for widget in (*self._right, self._promise):
            row.addWidget(widget)
        self.setMinimumHeight(28)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.clear_saved()
        self._hide_right(*self._right)

    def show_saved(self, style: str = "system", moment: datetime | None = None) -> None:
        """Say that everything is on disk, with the time of the last write."""
        self._show(f"● Saved {clock(moment or datetime.now(UTC), style)}")

    def show_opened(self, *, read_only: bool = False) -> None:
        """Say that everything is on disk before the first write, or that nothing can be."""
        self._show("○ Read-only" if read_only else "● Saved")

    def clear_saved(self) -> None:
        """Say nothing about saving: no project is open."""
        self._show("")

    def _show(self, words: str) -> None:
        self._saved.setText(words)
        self._saved.setVisible(bool(words))

    def show_version(self) -> None:
        """Tell the program's version, unless a project is open."""
        if not self._saved.text():
            from reviewer.services.computer import versions

            self._page.setText(f"Version {versions.version()}")

    def show_page(self, words: str) -> None:
        """Show the page's own line."""
        self._page.setText(words)

    def show_work(self, words: str, share: float | None = None) -> None:
        """Show background work; `share` of it from 0 to 1 is done, None where unknown."""
        self._bar.setRange(0, 0 if share is None else 1000)
        if share is not None:
            self._bar.setValue(round(share * 1000))
        self._work.setText(f"{words} ▸")
        self._work.setAccessibleName(words)
        self._show_right(self._bar, self._work)

    def idle(self) -> None:
        """Show that nothing runs in the background."""
        self._hide_right(self._bar, self._work)

    def show_jobs(self, words: str, share: float | None = None, *, at_work: bool = True) -> None:
        """Show jobs; a bar with what `share` is done, where they are `at_work`."""
        self._jobs_bar.setRange(0, 0 if share is None else 1000)
        if share is not None:
            self._jobs_bar.setValue(round(share * 1000))
        self._jobs.setText(f"{words} ▸")
        self._jobs.setAccessibleName(words)
        self._show_right(self._jobs)
        self._jobs_bar.setVisible(at_work)

    def no_jobs(self) -> None:
        """Show no job any more."""
        self._hide_right(self._jobs_bar, self._jobs)

    def show_failures(self, words: str) -> None:
        """Show which calls failed, with a way to try them again."""
        self._failures.setText(f"{words} ▸")
        self._failures.setAccessibleName(words)
        self._show_right(self._failures, self._retry)

    def no_failures(self) -> None:
        """Show no failed calls any more."""
        self._hide_right(self._failures, self._retry)

    @property
    def _right(self) -> tuple[QWidget, ...]:
        jobs = (self._failures, self._retry, self._jobs_bar, self._jobs)
        return (*jobs, self._bar, self._work)

    def _show_right(self, *widgets: QWidget) -> None:
        for widget in widgets:
            widget.show()
        self._promise.hide()

    def _hide_right(self, *widgets: QWidget) -> None:
        for widget in widgets:
            widget.hide()
        self._promise.setVisible(all(widget.isHidden() for widget in self._right))


def _bar(name: str) -> QProgressBar:
    bar = QProgressBar()
    bar.setTextVisible(False)
    bar.setFixedWidth(140)
    bar.setAccessibleName(name)
    return bar
