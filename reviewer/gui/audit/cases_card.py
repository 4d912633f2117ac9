"""The evaluations behind a figure, and judge and people side by side on the chosen one."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from reviewer.domain.evaluation import Score
from reviewer.gui import pieces
from reviewer.gui.grid import Cell, Column, GridView
from reviewer.gui.text import number, one_line, signed, visible
from reviewer.gui.theme import Theme
from reviewer.services.auditing import Case, CaseOpinions, Opinion

LONGEST = 700
_COLUMNS = (
    Column("response"),
    Column("auto", 46, number=True),
    Column("human", 50, number=True),
    Column("gap", 56, number=True, tip="Human minus auto."),
    Column("state", 58, drop=1),
)


class CasesCard(pieces.Card):
    """The list; Return or a double click opens an evaluation on Review.

    Signals:
        case_chosen: Another evaluation is the current one, by its key.
        open_requested: An evaluation is to be shown on Review, by its key.
        all_requested: The whole list is wanted again, not one cell of it.
    """

    case_chosen = Signal(int)
    open_requested = Signal(int)
    all_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make an empty list."""
        super().__init__("Disagreements")
        self.what = pieces.text("", "small")
        self.show_all = pieces.Button("Show all", self.all_requested.emit, kind="link")
        self.notice = pieces.text("", "small", wrap=True)
        self.table = GridView(theme, _COLUMNS, "Disagreements, the largest gap first")
        self.table.row_chosen.connect(lambda key: self.case_chosen.emit(int(str(key))))
        self.table.row_opened.connect(lambda key: self.open_requested.emit(int(str(key))))
        self.head.addWidget(self.what)
        self.head.addWidget(self.show_all)
        self.body.addWidget(self.notice)
        self.body.addWidget(self.table, 1)

    def show_cases(self, cases: Sequence[Case], what: str, notice: str, *, narrowed: bool) -> None:
        """Show a list; `notice` says what is left out of it."""
        self.title.setText("Responses" if narrowed else "Disagreements")
        self.what.setText(what)
        self.show_all.setVisible(narrowed)
        self.notice.setText(notice)
        self.notice.setVisible(bool(notice))
        self.table.show_rows([(case.key, _cells(case)) for case in cases])
        if self.table.chosen() is None and cases:
            self.table.choose(cases[0].key)


def _cells(case: Case) -> tuple[Cell, ...]:
    title = one_line(case.title, 300)
    return (
        Cell(title, tip=f"{case.run} / {case.id}\n{title}"),
        Cell(number(case.auto), "auto"),
        Cell(number(case.human), "human"),
        Cell(signed(case.gap), strong=True),
        Cell("decided" if case.decided else "open", "muted"),
    )


class CaseCard(pieces.Card):
    """What the judge said about one evaluation beside what people said.

    Signals:
        open_requested: The evaluation is to be shown on Review.
    """

    open_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make an empty card."""
        super().__init__()
        self._theme = theme
        self.setAccessibleName("Response")
        self.name = pieces.ElidedText("Response", "heading")
        self.open_button = pieces.Button("Open on Review", self.open_requested.emit, dense=True)
        self.head.addWidget(self.name, 1)
        self.head.addWidget(self.open_button)
        self.body.addLayout(self.head)
        self._lines = QVBoxLayout()
        self._lines.setSpacing(theme.px(7))
        self.body.addLayout(self._lines)
        self.body.addStretch(1)

    def clear(self, sentence: str = "") -> None:
        """Show nothing but a sentence."""
        self.name.setText("Response")
        self.open_button.hide()
        pieces.clear(self._lines)
        if sentence:
            self._lines.addWidget(pieces.text(sentence, "muted", wrap=True))

    def show_opinions(self, found: CaseOpinions, metric: str) -> None:
        """Show judge and people on a metric."""
        pieces.clear(self._lines)
        self.open_button.show()
        self.name.setText(f"{one_line(found.id, 40)} · {metric}")
        self._lines.addWidget(pieces.text(one_line(found.question, 200), "strong", wrap=True))
        self._add_judge(found.score)
        for person in found.people:
            self._add_person(person)
        if found.response:
            card = pieces.Card(margin=self._theme.px(10))
            response = visible(found.response[:LONGEST]).text
            more = "…" if len(found.response) > LONGEST else ""
            label = pieces.text(response + more, wrap=True, name="The response under evaluation")
            card.body.addWidget(label)
            self._lines.addWidget(card)

    def _add_judge(self, score: Score | None) -> None:
        if score is None:
            self._line("Judge —", "auto", "")
            return
        scorer = " ".join(x for x in (score.scorer, score.scorer_version) if x)
        self._line(f"Judge {number(score.value)}", "auto", score.reasoning or "", scorer)

    def _add_person(self, person: Opinion) -> None:
        verb = " decided" if person.decided else ""
        name = one_line(person.labeler, 40)
        self._line(f"{name}{verb}: {number(person.value)}", "human", person.comment or "")

    def _line(self, head: str, role: str, words: str, foot: str = "") -> None:
        block = QWidget()
        column = QVBoxLayout(block)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        row = QHBoxLayout()
        row.setSpacing(self._theme.px(8))
        row.addWidget(pieces.text(head, role))
        row.addWidget(pieces.text(foot, "tiny"))
        row.addStretch(1)
        column.addLayout(row)
        if words:
            shown = visible(words).text
            column.addWidget(pieces.text(f"“{shown}”", "muted", wrap=True))
        self._lines.addWidget(block)
