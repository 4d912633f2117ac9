"""Which sides are compared: runs, whose scores count, and further sides beside A and B."""

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QMenu, QWidget

from reviewer.gui.kit import pieces
from reviewer.gui.kit.choosing import choice, offer
from reviewer.gui.kit.text import literal, one_line
from reviewer.gui.kit.theme import Theme
from reviewer.services.evaluating.side_by_side import Wanted
from reviewer.services.evaluating.sides import Side

OF_RECORD = "of record"


class SidesBar(QWidget):
    """A and B as choices in a line; a button adds further sides.

    Signals:
        changed: Other sides are wanted.
    """

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make the line without runs."""
        super().__init__()
        self._theme = theme
        self._runs: tuple[str, ...] = ()
        self._scorers: dict[str, tuple[str, ...]] = {}
        self._a = ""
        self._also: list[Side] = []
        self.a_scores = choice("A by")
        self.b_run = choice("B")
        self.b_run.setMinimumContentsLength(12)
        self.b_scores = choice("B by")
        self.more = pieces.Button("Also ▾", self._open_menu, dense=True, name="Further sides")
        self.more.setToolTip("Hold A against further runs and judges, in a table of their own.")
        row = pieces.FlowLayout(self, spacing=theme.px(8))
        row.setContentsMargins(0, 0, 0, 0)
        for combo in (self.a_scores, self.b_run, self.b_scores):
            combo.currentIndexChanged.connect(lambda _, x=combo: self._take(x))
            row.addWidget(_titled(combo))
        row.addWidget(self.more)

    def show_runs(self, runs: Sequence[str], a: str, b: str) -> None:
        """Take the runs of the project, and the marks A and B."""
        self._runs, self._a = tuple(runs), a
        offer(self.b_run, "", [(run, run) for run in runs])
        self._choose(self.b_run, b or a)
        self._also = [side for side in self._also if side.run in runs]
        self._offer_scores()

    def show_scorers(self, scorers: Mapping[str, Sequence[str]]) -> None:
        """Take what scored which run; what was chosen stays where it is still there."""
        self._scorers |= {run: tuple(names) for run, names in scorers.items()}
        self._offer_scores()

    def show_b(self, side: Side) -> None:
        """Show which side stands as B where none was chosen."""
        self._choose(self.b_run, side.run)
        self._offer_scores()
        self._choose(self.b_scores, side.scorer)

    @property
    def wanted(self) -> Wanted:
        """Give the sides that are chosen."""
        b = Side(str(self.b_run.currentData() or ""), _name(self.b_scores))
        a = Side(self._a, _name(self.a_scores))
        return Wanted(a=a, b=Side("") if a == b else b, also=tuple(self._also))

    def menu(self, parent: QWidget) -> QMenu:
        """Make the menu of further sides."""
        made = QMenu("Further sides", parent)
        taken = (self.wanted.a, self.wanted.b)
        for run in self._runs:
            for scorer in (None, *self._scorers.get(run, ())):
                side = Side(run, scorer)
                if side in taken:
                    continue
                action = made.addAction(literal(one_line(side.title, 80)))
                action.setCheckable(True)
                action.setChecked(side in self._also)
                action.triggered.connect(partial(self._toggle, side))
        return made

    def _toggle(self, side: Side, *_: object) -> None:
        if side in self._also:
            self._also.remove(side)
        else:
            self._also.append(side)
        self.changed.emit()

    def _open_menu(self) -> None:
        made = self.menu(self)
        made.aboutToHide.connect(made.deleteLater)
        made.popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def _take(self, combo: QComboBox) -> None:
        if combo is self.b_run:
            self._offer_scores()
        self.changed.emit()

    def _offer_scores(self) -> None:
        for combo, run in ((self.a_scores, self._a), (self.b_scores, self.b_run.currentData())):
            offer(combo, OF_RECORD, [(x, x) for x in self._scorers.get(str(run), ())])

    def _choose(self, combo: QComboBox, name: str | None) -> None:
        blocker = QSignalBlocker(combo)
        combo.setCurrentIndex(max(0, combo.findData(name)))
        blocker.unblock()


def _titled(combo: QComboBox) -> QWidget:
    """Keep a choice and its letter in one line."""
    made = QWidget()
    row = QHBoxLayout(made)
    row.setContentsMargins(0, 0, 0, 0)
    row.addWidget(pieces.text(combo.accessibleName(), "muted"))
    row.addWidget(combo)
    return made


def _name(combo: QComboBox) -> str | None:
    name = combo.currentData()
    return None if name is None else str(name)
