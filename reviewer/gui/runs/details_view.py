"""What one run holds: facts, who scored it, its categories."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from reviewer.domain.rubric import Rubric
from reviewer.gui.kit import pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.times import stamp
from reviewer.gui.page import Surroundings
from reviewer.gui.runs.words import facts, made_with, percent, scored
from reviewer.services.figures import run_records
from reviewer.services.figures.run_records import RunRecords
from reviewer.services.transfer.run_details import CategoryCount, RunDetails, ScoreSet
from reviewer.services.upkeep.projects import RunSummary

_SETS = (
    Column("scorer or judge"),
    Column("scores", 58, number=True, tip="Scores of this run, without those that failed."),
    Column("failed", 52, number=True, tip="Attempts that ended in an error.", drop=1),
    Column("last score", 128, drop=2),
)
_CATEGORIES = (
    Column("category"),
    Column("n", 64, number=True, tip="Evaluations."),
    Column("labelled", 70, number=True, tip="Evaluations with at least one label."),
    Column("share", 64, number=True, tip="Of the category's evaluations."),
)
MOST_CATEGORIES = 14
MOST_SETS = 6


class DetailsView(QWidget):
    """Cards about the chosen run."""

    def __init__(self, surroundings: Surroundings) -> None:
        """Make the view without a run."""
        super().__init__()
        self._surroundings = surroundings
        self._run = ""
        theme = surroundings.theme
        self.title = pieces.ElidedText("", "title")
        self.facts = pieces.text("", "muted", wrap=True)
        self.rate = pieces.text("", wrap=True)
        self.judge = pieces.text("", "muted", wrap=True, name="Whose scores these are")
        self.sets = GridView(theme, _SETS, "Scorers and judges")
        self.sets.fit_to_rows(MOST_SETS)
        self.categories = GridView(theme, _CATEGORIES, "Categories")
        self.categories.fit_to_rows(MOST_CATEGORIES)
        head = pieces.Card()
        for label in (self.title, self.facts, self.rate, self.judge):
            head.body.addWidget(label)
        scorers = pieces.Card("Scorers and judges")
        scorers.body.addWidget(self.sets)
        categories = pieces.Card("Categories")
        categories.body.addWidget(self.categories)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(pieces.GAP)
        for card in (head, scorers, categories):
            self._column.addWidget(card)
        self._column.addStretch(1)

    def put_below_head(self, card: QWidget) -> None:
        """Let a card stand right below what the run is."""
        self._column.insertWidget(1, card)

    def show_run(self, run: RunSummary) -> None:
        """Show what the list knows of a run; `show_details` follows."""
        self.title.setText(one_line(run.name))
        self.facts.setText(facts(run))
        self.rate.setText(_rate(run))
        if run.name != self._run:
            # of another run, until its own is read
            self._run = run.name
            self._show_judge("")

    def show_records(self, found: RunRecords) -> None:
        """Say whose scores the pass rate is made of, and on how many."""
        said = run_records.told(found.metrics) if found.metrics else ""
        self._show_judge(f"Scores of {said}." if said else "")

    def show_details(self, details: RunDetails, rubric: Rubric | None) -> None:
        """Show scorers and categories."""
        style = self._surroundings.settings.time_format
        self.sets.show_rows(
            [(x.version.key, _set_cells(x, rubric, style)) for x in details.score_sets]
        )
        self.categories.show_rows([(x.name, _category_cells(x)) for x in details.categories])

    def _show_judge(self, words: str) -> None:
        self.judge.setText(words)
        self.judge.setVisible(bool(words))


def _rate(run: RunSummary) -> str:
    if run.pass_rate is None:
        return "There is no pass rate: the rubric has no pass rule, or nothing could be decided."
    return f"{percent(run.pass_rate)} pass by the judge's scores."


def _set_cells(found: ScoreSet, rubric: Rubric | None, style: str) -> tuple[Cell, ...]:
    below = made_with(found.version) or "no model, prompt or parameters recorded"
    words = scored(found, rubric)
    return (
        Cell(one_line(found.version.name, 80), tip=f"{found.version.name}\n{below}", below=below),
        Cell(f"{sum(found.metrics.values()):,}", tip=words),
        Cell(f"{found.failed:,}" if found.failed else "—", "alert" if found.failed else "muted"),
        Cell(stamp(found.newest, style), "muted"),
    )


def _category_cells(found: CategoryCount) -> tuple[Cell, ...]:
    name = "without a category" if found.name is None else one_line(found.name, 80)
    share = found.labelled / found.evaluations if found.evaluations else None
    return (
        Cell(name, "muted" if found.name is None else ""),
        Cell(f"{found.evaluations:,}"),
        Cell(f"{found.labelled:,}"),
        Cell("—" if share is None else f"{share * 100:.0f} %", "muted"),
    )
