"""Messages and progress on standard error: a bar on a terminal, else a line every few seconds."""

import contextlib
import signal
import sys
import time
from collections.abc import Iterator
from types import FrameType
from typing import Protocol, TextIO

LINE_SECONDS = 3.0
REFRESHES_A_SECOND = 10.0


def clean(text: str, longest: int = 0) -> str:
    """Make text from files harmless on a terminal, on one line and at most `longest` characters.

    Control characters and marks that turn the writing direction become a middle dot.
    """
    line = " ".join(text.split())
    line = "".join(letter if letter.isprintable() else "·" for letter in line)
    return line if not longest or len(line) <= longest else line[: longest - 1] + "…"


def say(sentence: str) -> None:
    """Write a message on standard error, line by line as it came."""
    sys.stderr.writelines(clean(line) + "\n" for line in sentence.splitlines())
    sys.stderr.flush()


class Display(Protocol):
    """Where a `Reporter` shows how far an operation is."""

    def show(self, done: int, total: int | None, note: str) -> None:
        """Show the present state."""
        ...

    def close(self) -> None:
        """Show nothing more."""
        ...


class Reporter:
    """The progress of one operation; Ctrl-C asks it to stop, a second Ctrl-C stops at once."""

    def __init__(self, display: Display) -> None:
        """Show on this display; use `reporting` to choose one."""
        self._display = display
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        """Tell whether Ctrl-C was pressed."""
        return self._cancelled

    def advance(self, done: int, total: int | None, note: str = "") -> None:
        """Show the work done so far."""
        self._display.show(done, total, "stopping…" if self._cancelled else note)

    def stop(self, number: int, _: FrameType | None = None) -> None:
        """Take a signal: the first asks politely.

        Raises:
            KeyboardInterrupt: It is not the first.
        """
        if self._cancelled:
            raise KeyboardInterrupt(number)
        self._cancelled = True


@contextlib.contextmanager
def reporting(title: str) -> Iterator[Reporter]:
    """Show the progress of the block on standard error and let Ctrl-C stop it cleanly."""
    display: Display = Bar(title) if sys.stderr.isatty() else Lines(title)
    reporter = Reporter(display)
    wanted = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, reporter.stop) for number in wanted]
    try:
        yield reporter
    finally:
        for number, handler in zip(wanted, before, strict=True):
            signal.signal(number, handler)
        display.close()


class Bar:
    """A bar with percentage, note and time left."""

    def __init__(self, title: str, stream: TextIO | None = None) -> None:
        """Start with an empty bar, on standard error."""
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        # drawn when there is news: a thread that redraws would take time from the work
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            TimeRemainingColumn(),
            console=Console(file=stream or sys.stderr, force_terminal=True, highlight=False),
            auto_refresh=False,
            transient=True,
        )
        self._task = self._progress.add_task(title, total=None, note="")
        self._shown = 0.0
        self._progress.start()

    def show(self, done: int, total: int | None, note: str) -> None:
        """Move the bar."""
        self._progress.update(self._task, completed=done, total=total, note=clean(note, 60))
        now = time.monotonic()
        if now - self._shown >= 1 / REFRESHES_A_SECOND:
            self._shown = now
            self._progress.refresh()

    def close(self) -> None:
        """Take the bar away."""
        self._progress.stop()


class Lines:
    """A line every few seconds, for logs of other programs."""

    def __init__(self, title: str) -> None:
        """Stay silent for the first seconds: short work needs no line."""
        self._title = title
        self._start = self._shown = time.monotonic()

    def show(self, done: int, total: int | None, note: str) -> None:
        """Write a line where the last one is old."""
        now = time.monotonic()
        if now - self._shown >= LINE_SECONDS:
            self._shown = now
            say(progress_line(self._title, done, total, note=note, seconds=now - self._start))

    def close(self) -> None:
        """Write nothing more."""


def progress_line(title: str, done: int, total: int | None, *, note: str, seconds: float) -> str:
    """Put a state of progress into words, with the time left where it can be known."""
    parts = [f"{title}: {100 * done // total} %" if total else f"{title}: {done:,}"]
    if note:
        parts.append(note)
    if total and 0 < done < total:
        parts.append(f"about {seconds * (total - done) / done:.0f} s left")
    return ", ".join(parts)
