"""What changed between two sides: evaluations with both answers, latencies and cost."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from reviewer.domain.wording import gap_words, score_words
from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.number_field import choice, offer, titled
from reviewer.gui.kit.text import one_line, visible
from reviewer.gui.kit.theme import Theme
from reviewer.gui.kit.word_diff import compared
from reviewer.gui.plots.densities import Densities, Spread
from reviewer.gui.runs import words
from reviewer.gui.runs.compare_table import TONES
from reviewer.services.comparing import comparison_words
from reviewer.services.comparing import comparison_words as said
from reviewer.services.comparing.comparison import Comparison
from reviewer.services.comparing.comparison_words import OperationRow
from reviewer.services.comparing.side_by_side import CaseOnBoth, SideBySide, SideOfCase
from reviewer.services.figures.paired_scores import word_sign

MOST = 300
"""Evaluations that the list shows; all of them are opened on Review."""
LONGEST = 2_000
ANSWERS = ("side by side", "word by word")
_COLUMNS = (
    Column("evaluation"),
    Column("B", 48, number=True, tip="The score in run B."),
    Column("A", 48, number=True, tip="The score in run A."),
    Column("A − B", 56, number=True, tip="The score in A minus that in B."),
)


class FlipsCard(pieces.Card):
    """The list of one kind of change, and the answers of the chosen case.

    Signals:
        kind_chosen: Another kind of change is to be listed, such as `fixed`.
        case_chosen: Another case is in view, by A's evaluation.
        open_requested: The listed evaluations are to be opened on Review.
    """

    kind_chosen = Signal(str)
    case_chosen = Signal(int)
    open_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make the card empty."""
        super().__init__()
        self.setAccessibleName("What changed")
        self._theme = theme
        self._case: CaseOnBoth | None = None
        self.kinds = choice("Kind of change")
        self.kinds.currentIndexChanged.connect(
            lambda _: self.kind_chosen.emit(str(self.kinds.currentData() or ""))
        )
        self.open = pieces.Button("Open on Review", self.open_requested.emit, dense=True)
        # with large letters the heading stands in a row of its own
        heading = layouts.FlowLayout(together=True, pushed_from=1)
        layouts.fill(heading, self.title, titled(self.kinds), self.open)
        self.body.addLayout(heading)
        self.note = pieces.text("", "small", wrap=True)
        self.list = GridView(theme, _COLUMNS, "Evaluations that changed", most=6)
        pieces.connect(
            (self.list.row_chosen, self._choose),
            (self.list.row_opened, lambda _: self.open_requested.emit()),
        )
        self.how = choice("Answers")
        self.how.setMaximumWidth(theme.px(170))
        for title in ANSWERS:
            self.how.addItem(title)
        self.how.currentIndexChanged.connect(lambda _: self._show_case())
        self.case = QWidget()
        self._grid = layouts.grid(on=self.case, margins=0, across=theme.px(16))
        for column in (0, 1):
            self._grid.setColumnStretch(column, 1)
        self.question = pieces.text("", "strong", wrap=True, name="Question")
        self.problem = pieces.text("", "muted", wrap=True)
        layouts.fill(
            self.body,
            self.note,
            self.list,
            self.question,
            titled(self.how),
            self.problem,
            self.case,
        )
        self.show_problem("")

    def offer_kinds(self, kinds: Sequence[tuple[str, int]]) -> None:
        """Offer kinds of change with their counts; the chosen one stays."""
        offer(self.kinds, "", [(kind, f"{kind} · {n:,}") for kind, n in kinds])

    @property
    def kind(self) -> str:
        """Give the kind of change in view."""
        return str(self.kinds.currentData() or "")

    def show_list(
        self, title: str, rows: Sequence[tuple[int, str, float | None, float | None]], n: int
    ) -> None:
        """List evaluations of A with both scores; `n` is how many there are, hidden ones too."""
        self.title.setText(title)
        hidden = n - len(rows) if n > len(rows) and len(rows) < MOST else 0
        lines = []
        if n > MOST and len(rows) == MOST:
            lines.append(f"The first {MOST:,} of {n:,}; all of them open on Review.")
        if hidden:
            lines.append(f"{words.hidden(hidden, more=bool(rows))}.")
        pieces.say(self.note, " ".join(lines) or ("" if rows else "None."))
        self.list.setVisible(bool(rows))
        self.open.setEnabled(bool(rows))
        self.list.show_rows([(key, _cells(name, b, a)) for key, name, b, a in rows])
        if rows:
            self.list.choose(rows[0][0])
        else:
            self.show_problem("")

    def show_case(self, found: CaseOnBoth) -> None:
        """Show both answers of a case."""
        self._case = found
        self._show_case()

    def show_problem(self, sentence: str) -> None:
        """Show a sentence instead of a case."""
        self._case = None
        pieces.say(self.problem, sentence)
        for widget in (self.question, self.how.parentWidget(), self.case):
            if widget is not None:
                widget.hide()

    def restyle(self) -> None:
        """Take the theme's colours."""
        self._show_case()

    def _choose(self, key: object) -> None:
        if isinstance(key, int):
            self.case_chosen.emit(key)

    def _show_case(self) -> None:
        found = self._case
        if found is None:
            return
        pieces.clear(self._grid)
        self.problem.hide()
        pieces.say(self.question, visible(one_line(found.question, 300)).text)
        parent = self.how.parentWidget()
        differ = found.a.response != found.b.response
        if parent is not None:
            parent.setVisible(differ)
        together = differ and self.how.currentText() == ANSWERS[1]
        for column, (letter, side) in enumerate((("B", found.b), ("A", found.a))):
            self._show_side(letter, side, column, alone=not together)
        if together:
            self._grid.addWidget(
                pieces.named(
                    QLabel(
                        compared(
                            visible(found.b.response).text,
                            visible(found.a.response).text,
                            self._theme.colours,
                        )
                        or "Too long to compare word by word.",
                        textFormat=Qt.TextFormat.RichText,
                        wordWrap=True,
                        textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
                    ),
                    "Differences between the answers of B and A",
                ),
                2,
                0,
                1,
                2,
            )
        self.case.show()

    def _show_side(self, letter: str, side: SideOfCase, column: int, *, alone: bool) -> None:
        scores = " · ".join(f"{name} {score}" for name, score in side.scores.items())
        head = pieces.text(
            f"{letter}  {scores}",
            "auto" if letter == "A" else "strong",
            wrap=True,
            tip=f"{side.title} · {side.id}",
        )
        self._grid.addWidget(head, 0, column)
        if side.reasoning:
            said = pieces.named(
                pieces.text(f"“{one_line(side.reasoning, 400)}”", "muted", wrap=True),
                f"Reasoning of {letter}",
            )
            self._grid.addWidget(said, 1, column, Qt.AlignmentFlag.AlignTop)
        if alone:
            body = pieces.named(
                pieces.text(visible(side.response[:LONGEST]).text or "(no answer)", wrap=True),
                f"Answer of {letter}",
            )
            body.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            body.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            self._grid.addWidget(body, 2, column, Qt.AlignmentFlag.AlignTop)


def rows_of(
    shown: SideBySide, keys: Sequence[int], metric: str | None, names: dict[int, str]
) -> list[tuple[int, str, float | None, float | None]]:
    """Give the rows of evaluations of A, with the scores of a metric where one is in view."""
    pair = shown.found.metrics.get(metric or "")
    after = shown.found.keys[1]
    made = []
    for key in keys[:MOST]:
        b = a = None
        if pair is not None:
            place = int(after.searchsorted(key))
            b, a = (float(column[place]) for column in pair.values)
        made.append((key, names.get(key, str(key)), b, a))
    return made


def _cells(name: str, b: float | None, a: float | None) -> tuple[Cell, ...]:
    return (
        Cell(one_line(name, 90), tip=name),
        Cell(score_words(b)),
        Cell(score_words(a), "auto"),
        Cell(gap_words(None if a is None or b is None else a - b)),
    )


_OPERATION_COLUMNS = (
    Column("figure"),
    Column("B", 84, number=True, tip="Of all responses of B."),
    Column("A", 84, number=True, tip="Of all responses of A."),
    Column("A − B", 200, number=True, tip="Of the shared cases, with its interval.", drop=1),
)


class OperationsCard(pieces.Card):
    """The chart of latencies and a table of latency, cost, cache and templates.

    Signals:
        noted: A passing line, such as that the numbers of the chart were copied.
    """

    noted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make the card empty; the chart comes with the first latencies."""
        super().__init__("Latency and cost")
        self._theme = theme
        self.chart: Densities | None = None
        self.axis = pieces.text("latency of A and B, ms (logarithmic)", "small")
        self.caption = pieces.text("", "small", wrap=True, name="Latencies")
        self.table = GridView(
            theme, _OPERATION_COLUMNS, "Latency, cost, cache and templates", most=20
        )
        self._rows: dict[str, OperationRow] = {}
        self._found: Comparison | None = None
        layouts.fill(self.body, self.axis, self.caption, self.table)
        self.show_waiting()

    def show_waiting(self) -> None:
        """Say that latencies and costs are still being read."""
        self._found = None
        self.caption.setText("Reading latencies and costs…")
        pieces.show(self.axis, self.table, shown=False)
        if self.chart is not None:
            self.chart.hide()

    def show_comparison(self, found: Comparison) -> None:
        """Show what is known of both sides."""
        self._found = found
        rows = comparison_words.operation_rows(found)
        self._rows = {row.name: row for row in rows}
        self.table.show_rows([(row.name, _operation_cells(row)) for row in rows])
        self.table.setVisible(bool(rows))
        self._draw(found)
        words = comparison_words.latency_words(found)
        if not rows:
            words = "No response of these runs says how long it took or what it cost."
        pieces.say(self.caption, words)

    def figure(self, key: object, column: int) -> Figure | None:
        """Give the figure of a row, as somebody takes it away."""
        row, found = self._rows.get(str(key)), self._found
        if row is None or found is None or not column:
            return None
        return Figure(
            title=row.name,
            sentence=comparison_words.operation_sentence(found, row),
            steps=lambda: comparison_words.operation_steps(row),
        )

    def _draw(self, found: Comparison) -> None:
        before, after = found.latencies
        there = bool(before.size or after.size)
        if there and self.chart is None:
            self.chart = Densities(self._theme, "Latency of A and B", "ms")
            self.chart.noted.connect(self.noted)
            self.body.insertWidget(2, self.chart)
        self.axis.setVisible(there)
        if self.chart is None:
            return
        self.chart.setVisible(there)
        lines: tuple[tuple[str, float], ...] = ()
        if found.after_operations is not None:
            latency = found.after_operations.latency
            marks = (("A p50", latency.p50), ("A p95", latency.p95))
            lines = tuple((name, value) for name, value in marks if value is not None)
        spreads = [Spread("A", "auto_fill", after, lines)]
        if found.before.run != found.after.run:
            spreads.insert(0, Spread("B", "neutral_fill", before))
        self.chart.show_spreads(tuple(spreads))


def _operation_cells(row: OperationRow) -> tuple[Cell, ...]:
    change = ""
    if row.shift is not None and row.shift.difference is not None:
        low, high = row.shift.low, row.shift.high
        change = said.change(row.shift.difference, low, high, row.digits)
    tone = TONES.get(-word_sign(row.shift.sign, row.shift.n), "") if row.shift is not None else ""
    return (
        Cell(row.name, tip=row.tip),
        Cell(row.b, tip=row.n_b),
        Cell(row.a, "auto", tip=row.n_a),
        Cell(change, tone),
    )
