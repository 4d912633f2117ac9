"""The verdict on a judge: what was reached, metric by metric, and the worst disagreements."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from reviewer.domain.wording import gap_words, percent, score_words, two, upper_first
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectDialog
from reviewer.services.queues import validation_values
from reviewer.services.queues.validation_values import MetricVerdict, Validation, Worst
from reviewer.stats.intervals import Interval

HEADS = {
    "reaches": "The judge reaches 80 % agreement",
    "misses": "The judge falls short of 80 % agreement",
    "too close to call": "Too close to call against 80 % agreement",
    "cannot be told": "Too few answers for a verdict",
}
MOST_METRICS = 8
ROLES = {"reaches": "adjusted", "misses": "alert", "too close to call": "human"}
_METRICS = (
    Column("metric"),
    Column("verdict", 116),
    Column("n", 40, number=True),
    Column("equal", 140, number=True, tip="Share of equal answers with its interval."),
    Column("kappa", 140, number=True, tip="Quadratic weights where the scale is ordered."),
    Column("catch rate", 170, number=True, tip="Share of people's fails that the judge fails."),
)
_WORST = (
    Column("response"),
    Column("metric", 110),
    Column("human", 56, number=True),
    Column("auto", 56, number=True),
    Column("gap", 56, number=True, tip="Human minus auto."),
)


class VerdictDialog(ProjectDialog):
    """The end of a validation; it stands beside the window and keeps nobody from working.

    Signals:
        evaluation_requested: One of the worst disagreements is to be shown on Review, by its key.
        worst_requested: All of them are to be listed, as evaluation keys.
    """

    evaluation_requested = Signal(int)
    worst_requested = Signal(object)

    def __init__(self, theme: Theme, found: Validation, parent: QWidget) -> None:
        """Show a verdict."""
        super().__init__(parent, f"Verdict: {one_line(found.queue, 60)}")
        self._theme = theme
        self._found = found
        self.head = pieces.text(HEADS[found.verdict], "title")
        self.sentence = pieces.text(found.sentence, wrap=True, name="The verdict in words")
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.looks = pieces.text(
            validation_values.sentence(found.looks), "small", wrap=True, name="Looks"
        )
        self.metrics = GridView(theme, _METRICS, "Verdict by metric", most=MOST_METRICS)
        self.worst = GridView(theme, _WORST, "Worst disagreements, the largest first")
        self.copy_button = pieces.Button("Copy as sentence", self.copy)
        self.open_button = pieces.Button("Open worst disagreements", self._open, kind="primary")
        self._fill()
        self._arrange()

    def copy(self) -> None:
        """Put the verdict on the clipboard."""
        QGuiApplication.clipboard().setText(self._found.sentence)

    def _open(self) -> None:
        self.worst_requested.emit(tuple(dict.fromkeys(one.key for one in self._found.worst)))
        self.close()

    def _fill(self) -> None:
        found = self._found
        self.metrics.show_rows([(one.metric, _metric_cells(one)) for one in found.metrics])
        self.worst.show_rows([((one.key, one.metric), _worst_cells(one)) for one in found.worst])
        self.worst.row_opened.connect(self._open_one)
        self.open_button.setEnabled(bool(found.worst))

    def _open_one(self, key: object) -> None:
        if isinstance(key, tuple):
            self.evaluation_requested.emit(int(key[0]))

    def _arrange(self) -> None:
        px = self._theme.px
        card = pieces.Card()
        layouts.fill(card.body, self.head, self.sentence, self.looks, self.metrics)
        below = pieces.Card("Worst disagreements")
        none = "Nobody differed from the judge by more than nothing."
        if self._found.worst:
            below.body.addWidget(self.worst, 3)
        else:
            below.body.addWidget(pieces.text(none, "muted", wrap=True))
        layouts.column(
            card,
            (below, 1),
            layouts.row(self.copy_button, 1, pieces.Button("Close", self.close), self.open_button),
            on=self,
            margins=px(14),
            gap=px(12),
        )
        fit(self, px(840), px(620))


def _metric_cells(one: MetricVerdict) -> tuple[Cell, ...]:
    return (
        Cell(one.title, strong=True, tip=one.sentence),
        Cell(one.verdict, ROLES.get(one.verdict, "muted"), tip=one.sentence),
        Cell(f"{one.n:,}"),
        _share(one.percent, one.percent_interval, one.undefined, "percent"),
        _coefficient(one),
        _share(one.catch_rate, one.catch_interval, one.undefined, "catch_rate", one.n_failed),
    )


def _share(
    value: float | None,
    interval: Interval | None,
    why: Mapping[str, str],
    name: str,
    n: int | None = None,
) -> Cell:
    if value is None:
        return Cell("—", "muted", tip=why.get(name, ""))
    of = "" if n is None else f" of {n}"
    if interval is None:
        return Cell(f"{percent(value)}{of}", tip=why.get(f"{name}_interval", ""))
    return Cell(f"{percent(value)}{of}   {percent(interval.low)} – {percent(interval.high)}")


def _coefficient(one: MetricVerdict) -> Cell:
    if one.kappa is None:
        return Cell("—", "muted", tip=one.undefined.get("kappa", ""))
    interval = one.kappa_interval
    if interval is None:
        return Cell(two(one.kappa), tip=one.undefined.get("kappa_interval", ""))
    word = upper_first(one.kappa_word) if one.kappa_word else ""
    return Cell(f"{two(one.kappa)}   {two(interval.low)} – {two(interval.high)}", tip=word)


def _worst_cells(one: Worst) -> tuple[Cell, ...]:
    title = one_line(one.title, 200)
    return (
        Cell(title, tip=f"{one.id}\n{title}"),
        Cell(one.heading, tip=one.heading),
        Cell(score_words(one.human), "human"),
        Cell(score_words(one.auto), "auto"),
        Cell(gap_words(one.gap), strong=True),
    )
