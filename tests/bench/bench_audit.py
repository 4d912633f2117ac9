"""Time the Audit page on 100,000 evaluations with 5 metrics and 20,000 labels by 5 people.

    python tests/bench/bench_audit.py [--count 1000000 --metrics 9]

Prints the time from choosing the page, or changing its scope, to painted figures and to the
painted list of disagreements as well, what an arriving label costs on the window's thread, and
the longest time for which that thread answered nothing meanwhile.
Offscreen unless a display is there.
"""

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import perf_counter, sleep

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QApplication
from typing_extensions import override

from reviewer.gui.app import compose
from reviewer.gui.app import settle as load_the_rest
from reviewer.gui.audit.page import AuditPage
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session, set_blind
from tests.bench.audit_project import COUNT, LABELERS, METRICS, audit_project

LABELS = 12
LONGEST = 30.0
TICK_MS = 100


class Heart:
    """Beats every millisecond and keeps the longest pause between two beats."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = perf_counter()
        self._timer = QTimer()
        self._timer.setInterval(1)
        self._timer.timeout.connect(self._beat)

    def _beat(self) -> None:
        now = perf_counter()
        self.longest = max(self.longest, now - self._last)
        self._last = now

    def watch(self, seconds: float) -> float:
        """Give the longest pause in milliseconds while events run."""
        self.longest, self._last = 0.0, perf_counter()
        self._timer.start()
        settle(seconds)
        self._timer.stop()
        return 1e3 * self.longest


def settle(seconds: float) -> None:
    """Let timers and tasks run."""
    until = perf_counter() + seconds
    while perf_counter() < until:
        QApplication.processEvents()
        sleep(0.001)


class Painted(QObject):
    """Notes when the window was painted by itself for the first time after something held."""

    def __init__(self, window: MainWindow, done: Callable[[], bool]) -> None:
        super().__init__(window)
        self.at: float | None = None
        self._seen = False
        self._done = done
        window.installEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look at the window's own events only."""
        self._seen = self._seen or (event.type() == QEvent.Type.Paint and self._done())
        return False

    def look(self) -> None:
        """Keep the time if it was seen; call it when all of the window is painted."""
        if self._seen and self.at is None:
            self.at = perf_counter()


def painted(
    window: MainWindow, change: Callable[[], object], *done: Callable[[], bool]
) -> list[float]:
    """Give the milliseconds from a change until each of several things holds and is painted.

    Raises:
        TimeoutError: One was not for `LONGEST` seconds.
    """
    # the loop sleeps until something happens, as the program's own does; at the latest a tick
    tick, wait = QTimer(), QEventLoop.ProcessEventsFlag.WaitForMoreEvents
    tick.start(TICK_MS)
    start, paints = perf_counter(), [Painted(window, one) for one in done]
    change()
    while not all(paint.at for paint in paints):
        # it comes back when all of the window is painted, and whatever waited with it is done
        QApplication.processEvents(wait)
        for paint in paints:
            paint.look()
        if perf_counter() - start > LONGEST:
            raise TimeoutError("The window was not painted.")
    for paint in paints:
        window.removeEventFilter(paint)
    return [1e3 * (paint.at - start) for paint in paints if paint.at is not None]


def idle(window: MainWindow) -> None:
    """Wait for every task."""
    settle(0.2)
    while window.surroundings.tasks.running():
        settle(0.05)


def row(name: str, times: list[float]) -> None:
    """Print the median and the slowest."""
    middle, worst = statistics.median(times), max(times)
    sys.stdout.write(f"{name:<58} p50 {middle:7.1f} ms   max {worst:7.1f} ms\n")


def page_of(window: MainWindow) -> AuditPage:
    """Give the page in view.

    Raises:
        TypeError: It is another page.
    """
    if not isinstance(window.page, AuditPage):
        raise TypeError("The Audit page is not in view.")
    return window.page


def first_paint(window: MainWindow) -> None:
    """Choose the page for the first time."""

    def figures() -> bool:
        page = window.page
        return isinstance(page, AuditPage) and page.audit is not None

    def listed() -> bool:
        page = window.page
        return isinstance(page, AuditPage) and page.side.audit is not None

    times = painted(window, lambda: window.show_page("audit"), figures, listed)
    row("page chosen for the first time, figures painted", times[:1])
    row("the same, its list of disagreements painted as well", times[1:])


def scopes(window: MainWindow) -> None:
    """Change the scope in several ways, each to painted figures."""
    page = page_of(window)
    changes: dict[str, Callable[[], None]] = {
        "category": lambda: page.scope.category.pick("category 3"),
        "every category again": page.scope.category.pick,
        "one labeler": lambda: page.scope.labeler.pick("first"),
        "everybody again": page.scope.labeler.pick,
        "blind only": lambda: page.scope.blind.setChecked(True),
        "not blind only again": lambda: page.scope.blind.setChecked(False),
        "any date": lambda: page.scope.span.pick(None),
        "last 6 months again": lambda: page.scope.span.pick(6),
        "filter": lambda: page.scope.narrow("category:'category 1'"),
    }
    for name, change in changes.items():
        old = page.audit
        figures, listed = painted(
            window,
            change,
            lambda old=old: page.audit is not old,  # type: ignore[misc]
            lambda old=old: page.audit is not old and page.side.audit is page.audit,  # type: ignore[misc]
        )
        row(f"scope change, {name}", [figures])
        row("    with the list", [listed])
        idle(window)


def arriving(window: MainWindow, path: Path) -> None:
    """Let labels of somebody else arrive while the page is in view."""
    session, heart = window.session, Heart()
    if session is None:
        return
    costs, pauses = [], []
    with closing(Session.open(path, "first")) as other:
        for number in range(LABELS):
            entering.commit(other, 31 + number, METRICS[number % 5], number % 5 + 1)
            start = perf_counter()
            session.poll()
            costs.append(1e3 * (perf_counter() - start))
            pauses.append(heart.watch(1.6))
            idle(window)
    row("an arriving label, on the window's thread", costs)
    row("longest pause of the window while figures follow", pauses)


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--metrics", type=int, default=len(METRICS))
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = audit_project(folder, chosen.count, chosen.metrics)
        app = QApplication([])
        settings = Settings(folder / "config")
        # pages wait for a name, and leads decide who sees figures
        settings.set("labeler", LABELERS[0])
        with closing(Session.open(path, LABELERS[0])) as session:
            set_blind(session, blind=False)
        window = compose(settings, backups=False)
        window.resize(1280, 800)
        window.show()
        window.open_project(path)
        load_the_rest(window)
        # rooms are loaded step by step, then the page's columns in a quiet moment
        while window.session is None or "audit" not in window.session.kept:
            settle(0.05)
        idle(window)
        first_paint(window)
        idle(window)
        scopes(window)
        page_of(window).scope.filter.clear()
        arriving(window, path)
        window.close()
        app.processEvents()


if __name__ == "__main__":
    main()
    # the window's threads may still be ending
    sys.stdout.flush()
    os._exit(0)
