"""Time what a labeler feels in the real window: start, label press, scrolling, filter.

    python tests/bench/bench_window.py [starts] [evaluations to label]

The project holds 100,000 evaluations and 20,000 labels. Every figure stands beside its floor of
the same run: a process that imports the same libraries and shows a bare window, and a bare one-row
commit with fsync. Offscreen unless a display is there.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from time import monotonic_ns, perf_counter, sleep

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from typing_extensions import override

from reviewer.gui.app import compose
from reviewer.gui.review.page import ReviewPage
from reviewer.services.computer.settings import Settings
from tests.bench.bench_label import bare_commit, bare_file
from tests.bench.environment import installed
from tests.bench.large_project import RARE, large_project

LONGEST_S = 10
BARE = """
import json, os, time
import pydantic, sqlite_utils
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
class W(QWidget):
    def paintEvent(self, event):
        print(json.dumps({"painted": time.monotonic_ns()}), flush=True); os._exit(0)
app = QApplication([]); w = QMainWindow(); w.resize(1280, 800); w.setCentralWidget(W()); w.show()
app.exec()
"""
OURS = """
import gc
gc.disable()
import json, os, sys, time
from pathlib import Path
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication
from reviewer.gui.app import assemble, begin, settle
from reviewer.services.computer.settings import Settings
class Painted(QObject):
    seen = False
    def eventFilter(self, watched, event):
        self.seen |= event.type() == QEvent.Type.Paint
        return False
app = QApplication([])
window = assemble(Settings(Path(sys.argv[2])), backups=False)
begin(window, Path(sys.argv[1]))
painted = [Painted() for _ in range(3)]
page = window.page
cards = list(page.scores.cards.values())
last = page.case.conversation.texts[-1]
for view, seen in zip((page.queue.view.list, last, cards[-1]), painted):
    view.installEventFilter(seen)
while not all(x.seen for x in painted):
    app.processEvents()
usable = time.monotonic_ns()
QTimer.singleShot(1500, lambda: settle(window))
import psutil
def end():
    memory = psutil.Process().memory_info().rss / 1e6
    print(json.dumps({"painted": usable, "memory": memory}), flush=True); os._exit(0)
QTimer.singleShot(8000, end)
app.exec()
"""


def started(code: str, environment: dict[str, str], *arguments: str) -> dict[str, float]:
    """Run a process and give the milliseconds until it painted."""
    start = monotonic_ns()
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=120, env=environment
    )
    found = json.loads(done.stdout.strip().splitlines()[-1])
    return {"ms": (found["painted"] - start) / 1e6, "memory": found.get("memory", 0.0)}


def row(name: str, milliseconds: list[float]) -> str:
    """Give one line of the table."""
    ordered = sorted(milliseconds)
    p50, p99 = statistics.median(ordered), ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    return f"{name:<44} p50 {p50:8.2f} ms   p99 {p99:8.2f} ms\n"


def starts(path: Path, folder: Path, count: int) -> None:
    """Compare the start with the bare window's, in turns."""
    ours, bare, memory = [], [], 0.0
    environment = installed(folder)
    for code in (BARE, OURS):
        started(code, environment, str(path), str(folder / "config"))
    for _ in range(count):
        bare.append(started(BARE, environment)["ms"])
        found = started(OURS, environment, str(path), str(folder / "config"))
        ours.append(found["ms"])
        memory = max(memory, found["memory"])
    ratio = statistics.median(a / b for a, b in zip(ours, bare, strict=True))
    sys.stdout.write(row("bare window", bare) + row("window usable on the project", ours))
    sys.stdout.write(f"{'ratio':<44} {ratio:.2f}   memory {memory:.0f} MB\n")


def settle(seconds: float = 0.4) -> None:
    """Let timers and tasks run."""
    until = perf_counter() + seconds
    while perf_counter() < until:
        QApplication.processEvents()
        sleep(0.005)


class Painted(QObject):
    """Notes that the window was painted."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.seen = False
        window.installEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look at the window's own events only."""
        self.seen |= event.type() == QEvent.Type.Paint
        return False

    def wait(self) -> None:
        """Run the event loop until the window was painted."""
        until = perf_counter() + LONGEST_S
        while not self.seen:
            QApplication.processEvents()
            if perf_counter() > until:
                raise SystemExit("A key changed nothing that is seen.")


def presses(page: ReviewPage, bare_path: Path, count: int) -> None:
    """Time real keys to the painted answer, next to bare commits."""
    times: list[float] = []
    last: list[float] = []
    floor = []
    painted = Painted(page.window())
    with closing(bare_file(bare_path)) as bare:
        for number in range(count):
            metrics = len(page.scores.cards)
            for place in range(metrics):
                painted.seen = False
                start = perf_counter()
                QTest.keyClick(page.window(), Qt.Key(Qt.Key.Key_1 + (number + place) % 5))
                painted.wait()
                (last if place == metrics - 1 else times).append(1e3 * (perf_counter() - start))
                floor.append(1e3 * bare_commit(bare, number))
            QTest.keyClick(page.window(), Qt.Key.Key_Space)
            settle(0.06)
    sys.stdout.write(row("bare one-row commit with fsync", floor))
    sys.stdout.write(row("label press to painted answer", times))
    sys.stdout.write(row("last metric, to painted figures", last))


def scrolling(page: ReviewPage) -> None:
    """Time repaints while the queue is scrolled and jumped through."""
    page.queue.view.set_filter("")
    settle()
    view = page.queue.view.list
    bar = view.verticalScrollBar()
    times = []
    for step in range(200):
        start = perf_counter()
        bar.setValue(
            (step * 7919 * 97) % max(bar.maximum(), 1) if step % 4 == 0 else bar.value() + 72
        )
        view.viewport().repaint()
        times.append(1e3 * (perf_counter() - start))
    sys.stdout.write(row("scroll step or jump, repainted", times))


def filters(page: ReviewPage) -> None:
    """Time filters and searches to the painted list."""
    times = []
    for words in (
        "category:coding",
        RARE,
        "category:qa state:open",
        f"-{RARE} category:math",
        "",
    ) * 6:
        start = perf_counter()
        page.queue.view.set_filter(words)
        page.queue.view.list.viewport().repaint()
        times.append(1e3 * (perf_counter() - start))
        settle(0.02)
    sys.stdout.write(row("filter or search, painted", times))


def main(count: int, labelled: int) -> None:
    """Run everything and print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = large_project(folder)
        starts(path, folder, count)
        app = QApplication([])
        settings = Settings(folder / "config")
        # keys do nothing before somebody said their name, and the whole page is measured
        settings.set("labeler", settings.labeler)
        settings.set("focus", "never")
        window = compose(settings, backups=False)
        window.show()
        window.activateWindow()
        window.open_project(path)
        settle(6)
        page = window.page
        if isinstance(page, ReviewPage):
            page.queue.view.set_filter("state:new")
            settle()
            presses(page, folder / "bare.sqlite", labelled)
            scrolling(page)
            filters(page)
        window.close()
        app.processEvents()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(*(numbers + [5, 60][len(numbers) :]))
