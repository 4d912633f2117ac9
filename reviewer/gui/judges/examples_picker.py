"""Cases on which judge and people differ, offered as examples for a prompt; none is held out."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from reviewer.domain.progress import Progress
from reviewer.gui import pieces
from reviewer.gui.own_session import beside
from reviewer.gui.page import Surroundings
from reviewer.gui.text import one_line
from reviewer.services.aligning.examples import Suggestion, suggest
from reviewer.services.insights_words import plain
from reviewer.services.session import Session

READ = "examples for a prompt"
OFFERED = 6
NOTHING = "Judge and people agree on every labelled response of the half for prompts."
HINT = (
    "Cases on which judge and people differ, from the half of the labels that prompts are made "
    "with."
)
WORKING = "Looking for cases…"
LONG = 160


class ExamplesPicker(QWidget):
    """Suggested examples of one metric, each with a box to check.

    Signals:
        changed: Another set of examples is chosen.
        failed: An expected error, as a sentence.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, surroundings: Surroundings) -> None:
        """Make it empty; `show_metric` says what the examples are for."""
        super().__init__()
        self._surroundings = surroundings
        self._about: tuple[Session, str, str, str] | None = None
        self._offered: tuple[Suggestion, ...] = ()
        self._kept: dict[str, frozenset[int]] = {}
        self.title = pieces.text("Examples", "strong")
        self.count = pieces.text("", "muted")
        self.state = pieces.text("", "muted", wrap=True, name="About the examples")
        self.boxes: dict[int, QCheckBox] = {}
        self._rows = QVBoxLayout()
        self._rows.setSpacing(8)
        head = pieces.FlowLayout()
        head.addWidget(self.title)
        head.addWidget(self.count)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.state)
        column.addLayout(self._rows)

    @property
    def about(self) -> str:
        """Give the metric that the examples are for."""
        return self._about[1] if self._about else ""

    @property
    def chosen(self) -> tuple[int, ...]:
        """Give the keys of the checked cases, in the order they are offered."""
        return tuple(key for key, box in self.boxes.items() if box.isChecked())

    def show_metric(
        self, session: Session, metric: str, *, run: str = "", judge: str = ""
    ) -> None:
        """Look for cases; what was checked for a metric stays checked.

        Args:
            session: The window's own; reading happens beside it.
            metric: What the judge is asked about.
            run: Whose responses; the newest run without one.
            judge: NAME or NAME@VERSION that people differ from; whose scores count without one.
        """
        self._about = (session, metric, run, judge)
        self.state.setText(WORKING)

        def read(own: Session, _: Progress) -> tuple[Suggestion, ...]:
            return suggest(own, metric, run=run or None, scorer=judge or None, most=OFFERED)

        task = self._surroundings.tasks.run(READ, beside(session, read))
        task.finished.connect(self._take)
        task.failed.connect(self._fail)

    def forget(self) -> None:
        """Let go of the project."""
        self._surroundings.tasks.cancel(READ)
        self._about = None
        self._kept.clear()
        self._show(())
        self.state.setText("")

    def _take(self, found: object) -> None:
        if self._about is not None and isinstance(found, tuple):
            self._show(found)

    def _fail(self, sentence: str) -> None:
        self._show(())
        self.state.setText(sentence)
        self.failed.emit(sentence)

    def _show(self, offered: Sequence[Suggestion]) -> None:
        before = self.chosen
        self._offered = tuple(offered)
        self.boxes = {}
        pieces.clear(self._rows)
        kept = self._kept.get(self.about, frozenset())
        for one in self._offered:
            self._rows.addWidget(self._row(one, checked=one.key in kept))
        self.state.setText(HINT if self._offered else NOTHING)
        self._count()
        if self.chosen != before:
            self.changed.emit()

    def _row(self, one: Suggestion, *, checked: bool) -> QWidget:
        said = f"people {_score(one.score)} · judge {_score(one.auto)}"
        box = QCheckBox(f"{said} · {one_line(one.id, 24)}")
        box.setChecked(checked)
        box.setAccessibleName(f"Example {one.id}: {said}")
        box.setToolTip("\n".join(x for x in (one.category, one.cause) if x))
        box.toggled.connect(lambda _: self._toggled())
        self.boxes[one.key] = box
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(box)
        for text, role in ((one.query, "muted"), (one.response, ""), (one.reasoning, "human")):
            if text.strip():
                line = pieces.ElidedText(one_line(text, LONG), role)
                line.setContentsMargins(26, 0, 0, 0)
                column.addWidget(line)
        return holder

    def _toggled(self) -> None:
        self._kept[self.about] = frozenset(self.chosen)
        self._count()
        self.changed.emit()

    def _count(self) -> None:
        many = len(self.chosen)
        self.count.setText(f"{many} chosen" if many else "")


def _score(value: float | int | str | None) -> str:
    return plain(float(value)) if isinstance(value, int | float) else str(value)
