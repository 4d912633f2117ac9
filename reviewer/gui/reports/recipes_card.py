"""Recipes: reports that are made again, of the newest run or of the one they name."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QInputDialog, QMessageBox, QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.reports.report_card import FORMS
from reviewer.services.project.session import Session
from reviewer.services.reporting import recipes
from reviewer.services.reporting.making import ReportRequest
from reviewer.services.reporting.recipes import Recipe

EMPTY = "None yet. A recipe keeps what is chosen above, and makes the same report of the next run."


class RecipesCard(pieces.Card):
    """The recipes of the project, each with its acts.

    Signals:
        run_requested: The report of a recipe is to be made again.
        noted: A passing line.
    """

    run_requested = Signal(object)
    noted = Signal(str)

    def __init__(self, theme: Theme, session: Session) -> None:
        """Show the recipes of a project."""
        super().__init__("Recipes")
        self._theme, self._session = theme, session
        self.rows: dict[str, RecipeRow] = {}
        self.problem = pieces.text("", "alert", wrap=True)
        self.problem.hide()
        self.empty = pieces.text(EMPTY, "small", wrap=True)
        self._list = layouts.column(gap=theme.px(8))
        layouts.fill(self.body, self.problem, self.empty, self._list)
        self.refresh()

    def refresh(self) -> None:
        """Read the recipes again."""
        pieces.clear(self._list)
        found = recipes.every(self._session.project)
        self.rows = {}
        for one in found:
            row = RecipeRow(self._theme, one, self._session.run_names())
            pieces.connect(
                (row.run_requested, partial(self.run_requested.emit, one)),
                (row.rename_requested, partial(self._ask_name, one)),
                (row.delete_requested, partial(self._ask_delete, one)),
            )
            self.rows[one.name] = row
            layouts.fill(self._list, row)
        self.empty.setVisible(not found)

    def ask_keep(self, suffix: str, request: ReportRequest) -> None:
        """Ask for a name, and keep a report under it."""
        name, agreed = QInputDialog.getText(self, "Keep as recipe", "Name of the recipe:")
        if agreed:
            self.keep(name, suffix, request)

    def keep(self, name: str, suffix: str, request: ReportRequest) -> None:
        """Keep a report as a recipe."""
        recipe = Recipe(name=name, file=recipes.PATTERN + suffix, request=request)
        self._try(lambda: recipes.keep(self._session.project, recipe), "is kept")

    def rename(self, recipe: Recipe, name: str) -> None:
        """Give a recipe another name."""
        self._try(lambda: recipes.rename(self._session.project, recipe.name, name), "is its name")

    def delete(self, recipe: Recipe) -> None:
        """Forget a recipe."""
        self._try(lambda: recipes.delete(self._session.project, recipe.name), "is deleted")

    def _ask_name(self, recipe: Recipe) -> None:
        name, agreed = QInputDialog.getText(self, "Rename", "Name:", text=recipe.name)
        if agreed:
            self.rename(recipe, name)

    def _ask_delete(self, recipe: Recipe) -> None:
        question = f"Delete the recipe “{one_line(recipe.name, 60)}”? Files it made stay."
        if QMessageBox.question(self, "Delete", question) == QMessageBox.StandardButton.Yes:
            self.delete(recipe)

    def _try(self, act: Callable[[], Recipe], done: str) -> None:
        problem = ""
        try:
            self.noted.emit(f"“{one_line(act().name, 60)}” {done}.")
        except ReviewerError as error:
            problem = str(error)
        pieces.say(self.problem, problem)
        self.refresh()


class RecipeRow(QWidget):
    """One recipe.

    Signals:
        run_requested, rename_requested, delete_requested: What is wanted of it.
    """

    run_requested = Signal()
    rename_requested = Signal()
    delete_requested = Signal()

    def __init__(self, theme: Theme, recipe: Recipe, runs: Sequence[str]) -> None:
        """Show its name, its files, and what can be done; `runs` are those that there are."""
        super().__init__()
        name = one_line(recipe.name, 60)
        again = pieces.Button(
            "Run again…", self.run_requested.emit, dense=True, name=f"Run {name} again"
        )
        more = pieces.Button("More", dense=True, name=f"More of {name}")
        pieces.offer_acts(
            more,
            (("Rename…", self.rename_requested.emit), ("Delete…", self.delete_requested.emit)),
        )
        acts = layouts.FlowLayout(spacing=theme.px(6))
        layouts.fill(acts, again, more)
        layouts.column(
            pieces.ElidedText(recipe.name, is_name=True),
            pieces.ElidedText(_what(recipe, runs), "small"),
            acts,
            on=self,
            margins=0,
            gap=theme.px(3),
        )


def _what(recipe: Recipe, there: Sequence[str]) -> str:
    scope = recipe.request.scope
    form = dict(FORMS).get(recipe.suffix, recipe.suffix)
    runs = "all runs" if scope.every_run else ", ".join(scope.runs) or "the newest run"
    gone = ", which is gone" if any(run not in there for run in scope.runs) else ""
    return f"{form} of {runs}{gone}"
