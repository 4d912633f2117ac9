"""What commands say: messages and progress, the document of `--json`, sessions, numbers."""

import contextlib
import json
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Protocol, TextIO

from reviewer.domain import wording
from reviewer.domain.errors import LabelError, readable
from reviewer.domain.evaluation import JsonValue
from reviewer.domain.wording import DASH, fixed, in_percent
from reviewer.services.computer.settings import Settings
from reviewer.services.project import beginning
from reviewer.services.project.session import Session, conversion_told
from reviewer.services.project.sight import figures_closed

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
    sys.stderr.writelines(clean(readable(line)) + "\n" for line in sentence.splitlines())
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
        self.cancelled = False

    def advance(self, done: int, total: int | None, note: str = "") -> None:
        """Show the work done so far."""
        self._display.show(done, total, "stopping…" if self.cancelled else note)

    def stop(self, number: int, _: FrameType | None = None) -> None:
        """Take a signal: the first asks politely.

        Raises:
            KeyboardInterrupt: It is not the first.
        """
        if self.cancelled:
            raise KeyboardInterrupt(number)
        self.cancelled = True


@contextlib.contextmanager
def reporting(title: str) -> Iterator[Reporter]:
    """Show the progress of the block on standard error and let Ctrl-C stop it cleanly."""
    display: Display = Bar(title) if sys.stderr.isatty() else Lines(title)
    try:
        with stoppable(display) as reporter:
            yield reporter
    finally:
        display.close()


ENDING_SECONDS = 1.5
"""How long the program has to stop cleanly once the system ends it; the next start sweeps up."""


@contextlib.contextmanager
def stoppable(display: Display) -> Iterator[Reporter]:
    """Let Ctrl-C stop the block cleanly, and the system end it, cleanly where that is quick."""
    reporter = Reporter(display)

    def end(number: int, frame: FrameType | None) -> None:
        if hasattr(signal, "setitimer"):
            # without a handler it is the system that ends the program, whatever that hangs in
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, ENDING_SECONDS)
        reporter.stop(number, frame)

    interrupted = signal.signal(signal.SIGINT, reporter.stop)
    terminated = signal.signal(signal.SIGTERM, end)
    try:
        yield reporter
    finally:
        signal.signal(signal.SIGINT, interrupted)
        signal.signal(signal.SIGTERM, terminated)


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


def _is_somebody(session: Session) -> bool:
    """Tell whether a person of the project sits here; scripts have no name that it knows."""
    chosen = session.package_labeler() or Settings().name_given
    return chosen is not None and session.labeler.key > 0


CLOSED = (
    "This command tells what judge and people say: leads run it, as {name} labels blind in "
    "{project}. If you lead it, choose your name under Switch labeler in the window."
)


@contextmanager
def opened(path: Path, *, tells: bool = False) -> Iterator[Session]:
    """Open a project, say what is unsafe about where it lies, and close it afterwards.

    Args:
        path: The project file.
        tells: Whether the command tells what judge and people say.

    Raises:
        ProjectError: No such file, no project, made by a newer version, or damaged.
        LabelError: The command `tells`, and the person of the settings labels blind here.
    """
    with closing(Session.open(path)) as session:
        if tells and _is_somebody(session) and figures_closed(session):
            raise LabelError(CLOSED.format(name=clean(session.labeler.name), project=path.name))
        if session.project.older_copy is not None:
            _tell_conversion(session)
        if session.project.warning and not session.project.read_only:
            say(session.project.warning)
        yield session


@contextmanager
def begun(path: Path, *, tells: bool = False) -> Iterator[Session]:
    """Open a project as `opened` does; one that is not there is made, and kept if all goes well.

    Raises:
        ProjectError: It cannot be made, or as for `opened`.
    """
    fresh = beginning.begin(path)
    try:
        with opened(path, tells=tells) as session:
            yield session
    except BaseException:
        if fresh:
            beginning.drop(path)
        raise
    if fresh:
        say(f"{path.name} was begun.")


def be_known(session: Session) -> None:
    """Act as the project's lead where the settings name nobody of this project."""
    leads = [person.name for person in session.labelers() if person.role == "lead"]
    if not _is_somebody(session) and len(leads) == 1:
        session.set_labeler(leads[0])


def _tell_conversion(session: Session) -> None:
    """Say that the project was just brought up to date, and where the rest is told."""
    told = conversion_told(session)
    for sentence in told[:1]:
        say(sentence)
    if len(told) > 1:
        say("`reviewer judges PROJECT record` lists which scores count otherwise than before.")


WIDE = 200
"""Columns of output that goes to a file or another program, so that no cell is cut."""


def out(text: str = "") -> None:
    """Write a line on standard output."""
    sys.stdout.write(text + "\n")


def answer(document: Mapping[str, Any], words: str, *, as_json: bool) -> None:
    """Write what came of a command: the document where that was asked for, else in words."""
    if as_json:
        write(document)
    else:
        out(words)


def tell(sentence: str, *, as_json: bool, **beside: JsonValue) -> None:
    """Say what was done; the document has the sentence, too, behind what is `beside` it."""
    say(sentence)
    if as_json:
        write({**beside, "text": sentence})


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table with its title above.

    Args:
        title: Empty for none.
        columns: Headings; those that end in `>` are aligned right.
        rows: A cell a column; columns in which no row has anything to say are left out.
    """
    # rich takes a while to load, and most of what is said needs none of it
    from rich import box
    from rich.console import Console
    from rich.table import Table

    cells = [[clean(cell) for cell in row] for row in rows]
    used = [place for place in range(len(columns)) if _says_something(cells, place)]
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place in used:
        right = columns[place].endswith(">")
        grid.add_column(columns[place].removesuffix(">"), justify="right" if right else "left")
    for row in cells:
        grid.add_row(*(row[place] for place in used))
    console = Console(markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = WIDE
    with console.capture() as written:
        console.print(grid)
    if title:
        out(f"\n{clean(title)}")
    for line in written.get().splitlines():
        if line.strip():
            out(line.rstrip())


def _says_something(rows: Sequence[Sequence[str]], place: int) -> bool:
    return place == 0 or not rows or any(row[place] not in ("", DASH) for row in rows)


def number(value: float | None, digits: int = 2) -> str:
    """Give a figure with so many decimals, a dash where it is undefined."""
    return fixed(value, digits).replace("−", "-")


def signed(value: float | None, digits: int = 2) -> str:
    """Give a difference with its sign, a dash where it is undefined."""
    return DASH if value is None else wording.signed(value, digits).replace("−", "-")


def percent(value: float | None) -> str:
    """Give a share in percent, a dash where it is undefined."""
    return in_percent(value).replace("−", "-")


def interval(ends: Sequence[float | None] | None, digits: int = 2) -> str:
    """Give an interval in brackets, nothing where there is none."""
    if not ends or None in ends:
        return ""
    return f"[{number(ends[0], digits)}, {number(ends[1], digits)}]"


def shown(entry: Mapping[str, Any], write: Callable[[float | None], str]) -> str:
    """Give a band or an adjusted score: the number with its mark, or the labels of how many."""
    if entry["value"] is not None:
        return write(entry["value"]) + (f" ({entry['mark']})" if "mark" in entry else "")
    return f"{DASH} {entry['n']:,} of {entry['of']:,}" if "of" in entry else DASH


def with_interval(block: Mapping[str, Any], name: str) -> str:
    """Give a coefficient of an agreement block with its interval."""
    ends = interval(block.get("intervals", {}).get(name))
    return f"{number(block.get(name))} {ends}".strip()
