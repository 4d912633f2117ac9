"""The card below the list of runs: the judges on run A, the nearest to people first."""

from collections.abc import Hashable
from typing import Final

from PySide6.QtWidgets import QComboBox, QHBoxLayout
from typing_extensions import override

from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit import choosing, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.page import Surroundings
from reviewer.gui.runs import judges_words as words
from reviewer.gui.runs.section import Reading, RunsSection
from reviewer.services.aligning.comparing import OneMetric, Wanted, on_one_metric
from reviewer.services.aligning.leaderboard import Leaderboard
from reviewer.services.aligning.standing import STATISTICS, title_of

SUITED: Final = "κ that suits"
_SHORT: Final = {
    "kappa_quadratic": "κw", "kappa": "κ", "kappa_linear": "κ linear", "percent": "same",
    "within_one": "±1", "icc": "ICC", "ac1": "AC1", "ac2": "AC2",
}  # fmt: skip
HELD_OUT, BIAS = 1, 2
TITLE = "Judges on run A"
EMPTY = "No judge or scorer has scored this run on a metric that people label."


class JudgesCard(RunsSection):
    """Judge versions with their agreement on the held-out half, which is shown once asked for."""

    def __init__(self, surroundings: Surroundings) -> None:
        """Make an empty card."""
        super().__init__(surroundings)
        self.board: Leaderboard | None = None
        self._look = False
        self.chosen_metric: QComboBox = choosing.choice("Metric that judges are compared on")
        self.chosen_statistic: QComboBox = choosing.choice("Statistic that judges are ordered by")
        self.chosen_statistic.addItem(SUITED, None)
        for name in STATISTICS:
            self.chosen_statistic.addItem(title_of(name), name)
        self.table = GridView(self.theme, _columns("κw"), TITLE)
        self.table.fit_to_rows(8)
        self.empty = pieces.text(EMPTY, "muted", wrap=True)
        self.sentence = pieces.text("", wrap=True, name="Which judge is nearest to people")
        self.halves = pieces.text("", "muted", wrap=True, name="The held-out half")
        self.worn = pieces.text("", "alert", wrap=True, name="Warning about the held-out half")
        self.look = pieces.Button("Look at the held-out half", self._look_now, dense=True)
        self._arrange()
        self.chosen_metric.activated.connect(lambda _: self.recompute())
        self.chosen_statistic.activated.connect(lambda _: self.recompute())
        self.figures.serve_grid(self.table, self._figure_of)
        self._show(OneMetric((), None))

    def _arrange(self) -> None:
        card = pieces.Card(TITLE)
        choices = QHBoxLayout()
        choices.addWidget(self.chosen_metric, 1)
        choices.addWidget(self.chosen_statistic, 1)
        card.body.addLayout(choices)
        foot = QHBoxLayout()
        foot.addWidget(self.look)
        foot.addStretch(1)
        for widget in (self.empty, self.table, self.sentence, self.halves, self.worn):
            card.body.addWidget(widget)
        card.body.addLayout(foot)
        self.body.addWidget(card)

    @property
    @override
    def task(self) -> str:
        """Give the kind of the card's own task."""
        return "judges on run A"

    @override
    def reading(self, run: str) -> Reading | None:
        """Compare the judges of the run on the chosen metric; looking is said by the button."""
        metric, statistic = self.chosen_metric.currentData(), self.chosen_statistic.currentData()
        look, self._look = self._look, False
        wanted = Wanted(run=run, statistic=statistic, look=look)
        return lambda own, progress: on_one_metric(own, wanted, metric, progress)

    @override
    def show_found(self, found: object) -> None:
        """Show the judges, or that there is none."""
        if isinstance(found, OneMetric):
            self._show(found)

    @override
    def forget(self) -> None:
        """Let go of the project."""
        super().forget()
        self._show(OneMetric((), None))

    def _show(self, found: OneMetric) -> None:
        board = self.board = found.board
        there = board is not None and bool(board.rows)
        self.empty.setVisible(not there)
        for widget in (
            self.chosen_metric,
            self.chosen_statistic,
            self.table,
            self.sentence,
            self.halves,
        ):
            widget.setVisible(there)
        self.worn.setVisible(bool(board and board.worn))
        self.look.setVisible(bool(board and board.unseen))
        if board is None:
            self.table.show_rows([])
            return
        choosing.offer(self.chosen_metric, "", found.choices)
        self.chosen_metric.setCurrentIndex(max(0, self.chosen_metric.findData(board.metric)))
        self.chosen_metric.setVisible(there and len(found.choices) > 1)
        short = _SHORT.get(board.statistic, title_of(board.statistic))
        self.table.rows.columns = _columns(short)
        self.table.show_rows(_rows(board))
        self.sentence.setText(board.sentence)
        self.halves.setText(board.held_out_line)
        self.halves.setToolTip(words.looks(board, self.surroundings.settings.time_format))
        self.worn.setText(board.worn or "")
        self.look.setText(_button(board))
        self.look.setToolTip(
            "Each look is counted: the half that is held out tells the truth only as long as "
            "nobody chooses a prompt by it."
        )
        if board.recorded:
            self.noted.emit(board.held_out_line)

    def _look_now(self) -> None:
        self._look = True
        self.recompute()

    def _figure_of(self, key: Hashable, _: int) -> Figure | None:
        board = self.board
        row = next((x for x in board.rows if x.key == key), None) if board else None
        return words.figure_of(board, row) if board and row else None


def _columns(statistic: str) -> tuple[Column, ...]:
    return (
        Column("judge", tip="A judge in one version; below, what it cost and how often it flips."),
        Column(
            f"{statistic} held out", 88, number=True,
            tip="Agreement with people on the half of the labels that no prompt was made with.",
        ),
        Column("bias", 54, number=True, tip="Mean gap, human minus auto."),
    )  # fmt: skip


def _rows(board: Leaderboard) -> list[tuple[Hashable, tuple[Cell, ...]]]:
    rows: list[tuple[Hashable, tuple[Cell, ...]]] = [
        (
            row.key,
            (
                words.judge_cell(row),
                words.held_out_cell(row, board.statistic),
                words.bias_cell(row),
            ),
        )
        for row in board.rows
    ]
    return [*rows, ("people", words.people_cells(board.people, board.statistic))]


def _button(board: Leaderboard) -> str:
    if board.unseen == 1:
        return "Look at 1 held-out figure"
    return f"Look at {board.unseen} held-out figures"
