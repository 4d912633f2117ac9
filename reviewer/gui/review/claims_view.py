"""The claims behind a score as a table, and how the judge came to it; after the reveal."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.layouts import FlowLayout
from reviewer.gui.kit.pieces import Button, Card, text
from reviewer.gui.kit.text import one_line, visible
from reviewer.gui.kit.theme import Theme
from reviewer.gui.review.details import DetailView
from reviewer.gui.review.turns import Fold
from reviewer.services.adjudicating.claims import VERDICTS, ClaimRow, ClaimsFound, score_words
from reviewer.services.figures.judge_details import JudgeDetails

SIGNS = {"correct": "✓", "partly": "≈", "wrong": "✗", "unverifiable": "?"}
ROLES = {"correct": "adjusted", "partly": "human", "wrong": "alert", "unverifiable": "muted"}
ROWS = 6
_COLUMNS = (
    Column("claim"),
    Column("weight", 50, tip="Major claims count twice.", drop=1),
    Column("verdict", 96, tip="Correct counts 1, partly ½, wrong and unverifiable 0."),
)


class ClaimsView(QWidget):
    """Claim, importance and verdict; the evidence stands below the claim.

    Signals:
        place_chosen: The place of a claim in the response is to be shown: start, end.
        corrected: The claim in view is to have another verdict: its number, the verdict.
    """

    place_chosen = Signal(int, int)
    corrected = Signal(int, str)

    def __init__(self, theme: Theme, title: str) -> None:
        """Make an empty table; `title` is the metric's."""
        super().__init__()
        self._found: ClaimsFound | None = None
        column = layouts.column(on=self, margins=0, gap=theme.px(4))
        self.table = GridView(theme, _COLUMNS, f"Claims behind {title}", most=ROWS)
        self.evidence = text("", "small", wrap=True, name="Evidence")
        self.score = text("", "small", wrap=True, name=f"Score of {title} from its claims")
        self.buttons = QWidget()
        row = FlowLayout(self.buttons, spacing=theme.px(4))
        row.addWidget(text("Correct to", "small"))
        for verdict in VERDICTS:
            name = f"Correct the verdict to {verdict}"
            row.addWidget(Button(verdict, partial(self._correct, verdict), dense=True, name=name))
        layouts.fill(column, self.table, self.evidence, self.buttons, self.score)
        pieces.connect(
            (self.table.row_chosen, self._choose),
            (self.table.row_opened, self._choose),
            (self.table.clicked, lambda index: self._choose(self.table.rows.keys[index.row()])),
        )

    def show_claims(self, found: ClaimsFound) -> None:
        """Show claims; the one in view stays in view."""
        kept = self.table.chosen()
        self._found = None
        self.table.show_rows([(n, _cells(row)) for n, row in enumerate(found.rows)])
        if kept is not None:
            self.table.choose(kept)
        self._found = found
        self._show_evidence(kept)
        self.buttons.setVisible(found.may_correct)
        self.score.setText(f"{score_words(found)} {found.ground}")

    def _choose(self, number: object) -> None:
        found = self._found
        if found is None or not isinstance(number, int) or number >= len(found.rows):
            return
        self._show_evidence(number)
        place = found.rows[number].place
        if place is not None:
            self.place_chosen.emit(*place)

    def _show_evidence(self, number: object) -> None:
        found = self._found
        words = ""
        if found is not None and isinstance(number, int) and number < len(found.rows):
            row = found.rows[number]
            words = visible(row.evidence).text
            if row.place is None:
                words = f"{words} No sentence of the response is like it.".strip()
        pieces.say(self.evidence, words)

    def _correct(self, verdict: str) -> None:
        number = self.table.chosen()
        if isinstance(number, int):
            self.corrected.emit(number, verdict)


def _cells(row: ClaimRow) -> tuple[Cell, ...]:
    changed = row.verdict != row.judged
    tip = f"The judge said: {row.judged}." if changed else ""
    said = f"{SIGNS[row.verdict]} {row.verdict}"
    return (
        Cell(one_line(row.text, 160), tip="\n".join(x for x in (row.text, row.evidence) if x)),
        Cell(row.importance, "muted"),
        Cell(said, ROLES[row.verdict], tip=tip, strong=changed),
    )


HIDDEN = "How the judge came to its scores shows after the reveal."
NOTHING = "No score of this evaluation says how it came about."


class JudgeView(DetailView):
    """One card a metric."""

    def show_details(self, found: Sequence[JudgeDetails], *, hidden: bool) -> None:
        """Show how scores came about; a hidden evaluation tells nothing."""
        if not self.begin((tuple(found), hidden)):
            return
        told = [x for x in found if x.by or x.problem]
        if hidden or not told:
            self.add_empty(HIDDEN if hidden else NOTHING)
            return
        for one in told:
            self.add(self._card(one))

    def _card(self, one: JudgeDetails) -> Card:
        by = f" · {one.by}" if one.by else ""
        score = f": {one.score}" if one.score else ""
        card = Card(f"{one.metric.heading}{score}{by}")
        if one.problem:
            card.body.addWidget(text(f"No score: {visible(one.problem).text}", "alert", wrap=True))
        if one.reasoning:
            card.body.addWidget(text(f"“{visible(one.reasoning).text}”", "muted", wrap=True))
        for example in one.examples:
            card.body.addWidget(text(f"Example: {visible(example).text}", "small", wrap=True))
        if one.facts:
            card.body.addWidget(self._facts(one))
        for name, body in (
            ("reply as received", one.raw),
            ("reasoning trace", one.trace),
            (f"prompt {one.prompt_name}", one.prompt),
        ):
            if body:
                line = f"{name}: {one_line(body, 120)}"
                card.body.addWidget(Fold(self.theme, line, body, name=name))
        return card

    def _facts(self, one: JudgeDetails) -> QWidget:
        holder = QWidget()
        grid = layouts.grid(
            on=holder, margins=0, across=self.theme.px(16), down=self.theme.px(3), stretch={1: 1}
        )
        for row, (name, words) in enumerate(one.facts):
            grid.addWidget(text(name, "muted"), row, 0)
            said = pieces.named(
                text(visible(words).text, wrap=True), f"{one.metric.heading}, {name}: {words}"
            )
            grid.addWidget(said, row, 1)
        return holder
