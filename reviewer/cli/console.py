"""Messages and progress on standard error, and the one document that `--json` promises."""

import contextlib
import json
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any, Protocol, TextIO

from reviewer.domain.wording import fixed

LINE_SECONDS = 3.0
REFRESHES_A_SECOND = 10.0
SURE_SECONDS = 2.0
"""Seconds of a phase after which its pace says something about its end."""


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
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

        # drawn when there is news: a thread that redraws would take time from the work
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            console=Console(file=stream or sys.stderr, force_terminal=True, highlight=False),
            auto_refresh=False,
            transient=True,
        )
        self._task = self._progress.add_task(title, total=None, note="")
        self._left = TimeLeft()
        self._shown = 0.0
        self._progress.start()

    def show(self, done: int, total: int | None, note: str) -> None:
        """Move the bar."""
        now = time.monotonic()
        words = ", ".join(part for part in (note, self._left.words(done, total, note)) if part)
        self._progress.update(self._task, completed=done, total=total, note=clean(words, 60))
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
        self._left = TimeLeft()
        self._shown = time.monotonic()

    def show(self, done: int, total: int | None, note: str) -> None:
        """Write a line where the last one is old."""
        left = self._left.words(done, total, note)
        now = time.monotonic()
        if now - self._shown >= LINE_SECONDS:
            self._shown = now
            share = f"{100 * done // total} %" if total else f"{done:,}"
            say(", ".join(part for part in (f"{self._title}: {share}", note, left) if part))

    def close(self) -> None:
        """Write nothing more."""


class TimeLeft:
    """Foretells the end of a phase from its own pace; a phase ends where the count falls back."""

    def __init__(self) -> None:
        """Begin the first phase."""
        self._began = time.monotonic()
        self._from = self._done = 0

    def words(self, done: int, total: int | None, note: str) -> str:
        """Say how long it will take, or nothing where that is unknown or the note says it."""
        now = time.monotonic()
        if done < self._done:
            self._began, self._from = now, done
        self._done = done
        made, spent = done - self._from, now - self._began
        if not total or done >= total or " left" in note:
            return ""
        if spent < SURE_SECONDS or made * 100 < total:
            return ""
        return f"about {fixed(spent * (total - done) / made, 0)} s left"


VERSION = 1
"""The `schema` of every document; it changes when a key changes its meaning or goes away."""


def write(document: Mapping[str, Any]) -> None:
    """Write a document with `"schema"` as its first key.

    Raises:
        ValueError: A number is NaN or infinite, which JSON cannot say.
    """
    write_plain({"schema": VERSION, **document})


def write_plain(document: Mapping[str, Any]) -> None:
    """Write a document as it stands.

    Raises:
        ValueError: A number is NaN or infinite, which JSON cannot say.
    """
    # unpaired surrogates, as undecodable file names have them, would break UTF-8 output
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2)
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")
    sys.stdout.flush()
