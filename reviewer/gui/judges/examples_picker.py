"""Cases on which judge and people differ, offered as examples for a prompt; none is held out."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from reviewer.domain.errors import Progress
from reviewer.domain.wording import plain
from reviewer.gui.background import beside
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.text import literal, one_line
from reviewer.gui.page import ProjectSurroundings
from reviewer.services.aligning.examples import Suggestion, suggest
from reviewer.services.project.session import Session

READ = "examples for a prompt"
OFFERED = 6
NOTHING = "Judge and people agree on every labelled response of the half for prompts."
HINT = (
    "Cases on which judge and people differ, from the half of the labels that prompts are made "
    "with."
)
WORKING = "Looking for cases…"
LONG = 160
FOLDED, UNFOLDED = "Examples ▸", "Examples ▾"


class ExamplesPicker(QWidget):
    """Suggested examples of one metric, each with a box to check.

    Signals:
        changed: Another set of examples is chosen.
        failed: An expected error, as a sentence.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make it empty; `show_metric` says what the examples are for."""
        super().__init__()
        self._surroundings = surroundings
        self._about: tuple[str, str, str] | None = None
        self._kept: dict[str, tuple[int, ...]] = {}
        self.unfold = pieces.Button(FOLDED, self.toggle, kind="link", name="Examples")
        self.count = pieces.text("", "muted")
        self.state = pieces.text("", "muted", wrap=True, name="About the examples")
        self.boxes: dict[int, QCheckBox] = {}
        self._body = QWidget()
        self._rows = layouts.column(gap=8)
        head = layouts.FlowLayout()
        layouts.fill(head, self.unfold, self.count)
        layouts.column(head, self._body, on=self, margins=0, gap=6)
        layouts.column(self.state, self._rows, on=self._body, margins=0, gap=6)
        self._body.hide()

    @property
    def about(self) -> str:
        """Give the metric that the examples are for."""
        return self._about[0] if self._about else ""

    @property
    def chosen(self) -> tuple[int, ...]:
        """Give the keys of the checked cases, in the order they were checked."""
        return self._kept.get(self.about, ())

    def show_metric(self, metric: str, *, run: str = "", judge: str = "") -> None:
        """Look for cases; what was checked for a metric stays checked.

        Args:
            metric: What the judge is asked about.
            run: Whose responses; the newest run without one.
            judge: NAME or NAME@VERSION that people differ from; whose scores count without one.
        """
        about = (metric, run, judge)
        if about == self._about and (self.boxes or not self.is_open):
            return
        self._about = about
        if self.is_open:
            self._read()
        else:
            self._show(())

    @property
    def is_open(self) -> bool:
        """Tell whether the cases are in view; only then are they looked for."""
        return not self._body.isHidden()

    def toggle(self) -> None:
        """Show the cases, or hide them; what is checked stays so."""
        self._body.setVisible(not self.is_open)
        self.unfold.setText(UNFOLDED if self.is_open else FOLDED)
        if self.is_open and not self.boxes:
            self._read()

    def _read(self) -> None:
        if self._about is None:
            return
        metric, run, judge = self._about
        also = self.chosen
        self.state.setText(WORKING)

        def read(own: Session, _: Progress) -> tuple[Suggestion, ...]:
            return suggest(
                own, metric, run=run or None, scorer=judge or None, most=OFFERED, also=also
            )

        self._surroundings.tasks.run(
            READ,
            beside(self._surroundings.session, read),
            then=self._take,
            failed=self._fail,
        )

    def _take(self, found: tuple[Suggestion, ...]) -> None:
        offered = {one.key for one in found}
        kept = tuple(key for key in self.chosen if key in offered)
        changed, self._kept[self.about] = kept != self.chosen, kept
        self._show(found)
        if changed:
            self.changed.emit()

    def _fail(self, sentence: str) -> None:
        self._show(())
        self.state.setText(sentence)
        self.failed.emit(sentence)

    def _show(self, offered: Sequence[Suggestion]) -> None:
        self.boxes = {}
        pieces.clear(self._rows)
        for one in offered:
            self._rows.addWidget(self._row(one, checked=one.key in self.chosen))
        self.state.setText(HINT if offered else NOTHING)
        self._count()

    def _row(self, one: Suggestion, *, checked: bool) -> QWidget:
        said = f"people {_score(one.score)} · judge {_score(one.auto)}"
        box = pieces.named(
            QCheckBox(literal(f"{said} · {one_line(one.id, 24)}")),
            f"Example {one.id}: {said}",
            tip="\n".join(x for x in (one.category, one.cause) if x),
        )
        box.setChecked(checked)
        box.toggled.connect(lambda on: self._toggle_case(one.key, on=on))
        self.boxes[one.key] = box
        holder = QWidget()
        column = layouts.column(box, on=holder, margins=0, gap=2)
        for text, role in ((one.query, "muted"), (one.response, ""), (one.reasoning, "human")):
            if text.strip():
                line = pieces.ElidedText(one_line(text, LONG), role)
                line.setContentsMargins(26, 0, 0, 0)
                column.addWidget(line)
        return holder

    def _toggle_case(self, key: int, *, on: bool) -> None:
        others = tuple(x for x in self.chosen if x != key)
        self._kept[self.about] = (*others, key) if on else others
        self._count()
        self.changed.emit()

    def _count(self) -> None:
        many = len(self.chosen)
        self.count.setText(f"{many} chosen" if many else "")


def _score(value: float | int | str | None) -> str:
    return plain(float(value)) if isinstance(value, int | float) else str(value)
