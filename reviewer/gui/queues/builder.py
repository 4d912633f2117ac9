"""Plan a queue and see at once what everybody would get, or why nothing is drawn."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QLineEdit,
    QScrollArea,
    QWidget,
)

from reviewer.domain.change import PeopleChanged
from reviewer.domain.errors import ReviewerError
from reviewer.gui.background import beside
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.number_field import choice
from reviewer.gui.kit.refreshing import soon
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import Surroundings
from reviewer.gui.project_dialog import ProjectDialog
from reviewer.gui.queues.plan_forms import DrawForm, PeopleForm
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles, recipes
from reviewer.services.queues.making import PersonPreview, Preview
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.queues.sampling import StratumDrawn

SETTLE_MS = 180
KIND, MAKE = "queue-preview", "queue-make"
CUSTOM = "custom"
_PEOPLE = (
    Column("labeler"),
    Column("answers", 66, number=True),
    Column("repeats", 66, number=True),
    Column("known", 60, number=True, tip="Evaluations with known answers."),
    Column("in all", 60, number=True),
)
_STRATA = (
    Column("stratum"),
    Column("there are", 76, number=True),
    Column("drawn", 66, number=True),
    Column("chance", 66, number=True, tip="Recorded with every label, for corrected figures."),
)


class QueueBuilder(ProjectDialog):
    """A form on the left, what it would make on the right.

    Signals:
        made: A queue was made, by its name.
    """

    made = Signal(str)

    def __init__(
        self,
        surroundings: Surroundings,
        session: Session,
        parent: QWidget,
        plan: QueuePlan | None = None,
    ) -> None:
        """Begin with a plan, by default with random evaluations for everybody."""
        super().__init__(parent, "New queue")
        self._surroundings, self._theme = surroundings, surroundings.theme
        self._session = session
        known = [(one.name, one.title) for one in recipes.RECIPES]
        self.recipe = choice("Recipe", [(CUSTOM, "A plan of your own"), *known])
        self.about = pieces.text("", "muted", wrap=True)
        self.name = pieces.named(QLineEdit(), "Name of the queue")
        self.draw = DrawForm(self._theme)
        offered = recipes.offered(session)
        self.draw.offer(offered.metrics, offered.judges, offered.runs)
        self.people = PeopleForm(self._theme, profiles.every(session))
        self.sentence = pieces.text("", wrap=True, name="What the queue would hold")
        self.problem = pieces.text("", "alert", wrap=True)
        self.per_person = GridView(self._theme, _PEOPLE, "What everybody would get")
        self.per_stratum = GridView(self._theme, _STRATA, "What is drawn of each stratum")
        self.make = pieces.Button("Make the queue", self._make, kind="primary")
        self._soon = soon(self, self._preview, SETTLE_MS)
        self._arrange()
        self._connect()
        self._show(plan or recipes.first_plan(session))

    def choose_recipe(self, name: str) -> None:
        """Take a recipe's plan."""
        self.recipe.setCurrentIndex(max(self.recipe.findData(name), 0))
        self._take_recipe()

    def plan(self) -> QueuePlan:
        """Give the plan as it stands in the form."""
        fields = self.draw.planned() | self.people.planned()
        recipe = self.recipe.currentData() or CUSTOM
        return QueuePlan(name=self.name.text(), recipe=recipe, **fields)  # type: ignore[arg-type]

    def _show(self, plan: QueuePlan) -> None:
        self.recipe.setCurrentIndex(max(self.recipe.findData(plan.recipe), 0))
        found = recipes.BY_NAME.get(plan.recipe)
        pieces.say(self.about, found.sentence if found else "")
        self.name.setText(plan.name)
        self.draw.show_plan(plan)
        self.people.show_plan(plan)
        self._soon.start(0)

    def _connect(self) -> None:
        pieces.connect(
            (self.recipe.activated, lambda _: self._take_recipe()),
            (self.draw.changed, lambda _: self._soon.start()),
            (self.people.changed, lambda _: self._soon.start()),
            (self.name.textChanged, lambda _: self._soon.start()),
        )

    def _take_recipe(self) -> None:
        name = self.recipe.currentData()
        if name == CUSTOM:
            self.about.hide()
            return
        chosen = self.people.planned()["labelers"]
        people = chosen if isinstance(chosen, tuple) else ()
        try:
            self._show(recipes.plan_by(self._session, name, labelers=people))
        except ReviewerError as error:
            self._say(str(error))

    def _preview(self) -> None:
        plan = self.plan()
        self._surroundings.tasks.run(
            KIND,
            beside(self._session, lambda own, _: making.preview(own, plan)),
            then=self._show_preview,
            failed=self._say,
        )

    def _show_preview(self, found: Preview) -> None:
        self._say("")
        why = why_nothing(self.plan(), found)
        self.sentence.setText(why or " ".join((found.sentence, *found.notes)))
        self.per_person.show_rows([(x.labeler, _person_cells(x)) for x in found.people])
        self.per_stratum.show_rows([(x.name, _stratum_cells(x)) for x in found.strata])
        self.per_stratum.setVisible(bool(found.strata))
        self.make.setEnabled(any(one.total for one in found.people))

    def _say(self, problem: str) -> None:
        pieces.say(self.problem, problem)
        if problem:
            self.sentence.setText("")
            self.per_person.show_rows([])
            self.per_stratum.show_rows([])
            self.make.setEnabled(False)

    def _make(self) -> None:
        plan = self.plan()
        self.make.setEnabled(False)
        self._surroundings.tasks.run(
            MAKE,
            beside(self._session, lambda own, _: making.create(own, plan).name),
            then=self._take_made,
            failed=self._say,
        )

    def _take_made(self, name: object) -> None:
        if self.is_left:
            return
        self._session.publish(PeopleChanged(f"the queue {name} was made"))
        self.made.emit(str(name))
        self.accept()

    def _arrange(self) -> None:
        px = self._theme.px
        left = QWidget()
        left.setProperty("kind", "scrolled")
        layouts.column(
            pieces.text("Recipe", "strong"),
            self.recipe,
            self.about,
            pieces.text("Name", "strong"),
            self.name,
            pieces.text("Evaluations", "strong"),
            self.draw,
            pieces.text("People", "strong"),
            self.people,
            1,
            on=left,
            margins=(0, 0, px(8), 0),
            gap=px(8),
        )
        area = pieces.named(QScrollArea(widgetResizable=True), "Plan")
        area.setWidget(left)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        card = pieces.Card("What everybody gets")
        layouts.fill(
            card.body, self.sentence, self.problem, (self.per_person, 1), (self.per_stratum, 1)
        )
        layouts.column(
            (layouts.row((area, 5), (card, 5), gap=px(16)), 1),
            layouts.row(1, pieces.Button("Cancel", self.reject), self.make),
            on=self,
            margins=px(16),
            gap=px(12),
        )
        fit(self, px(860), px(640))


def _person_cells(one: PersonPreview) -> tuple[Cell, ...]:
    counts = (one.labels, one.repeats, one.gold, one.total)
    return (Cell(one_line(one.labeler, 60), strong=True), *(Cell(f"{x:,}") for x in counts))


def _stratum_cells(one: StratumDrawn) -> tuple[Cell, ...]:
    chance = one.drawn / one.population if one.population else 0.0
    return (
        Cell(one_line(one.name, 80)),
        Cell(f"{one.population:,}"),
        Cell(f"{one.drawn:,}"),
        Cell(f"{100 * chance:.1f} %"),
    )


SELECT = "select responses in the list of Review or Audit and tag them"
GOLD = (
    "No response has a known answer yet. Known answers are decisions on responses with the tag "
    f"gold: {SELECT}, then decide their values on Audit."
)
CHOSEN = (
    "Nothing is chosen. Select responses in the list of Review or Audit, and make a queue of "
    "them from its menu."
)
NO_RESPONSES = "The project has no responses yet. Import evaluation results first (Ctrl+I)."
_NOT_DRAWN: dict[Sampling, str] = {
    Sampling.GOLD: GOLD,
    Sampling.CHOSEN: CHOSEN,
    Sampling.DISAGREEMENT: (
        "Nothing differs. Under “Compare with” choose another judge or run than the one whose "
        "scores are shown now, one that scored the same responses."
    ),
    Sampling.UNDECIDED: (
        "The judge's repeats never differ here, and no score is at the pass mark. Choose another "
        "metric, or draw at random."
    ),
    Sampling.RECENT: "No response is that new. Take more days, or draw at random.",
    Sampling.ACTIVE: "Nothing is left to label on this metric. Choose another one.",
}
TAG = "tag:"


def why_nothing(plan: QueuePlan, found: Preview) -> str:
    """Say why nobody gets anything, nothing where somebody does."""
    if any(one.total for one in found.people):
        return ""
    words = plan.filter_text.strip()
    if not found.population and words and plan.sampling not in (Sampling.GOLD, Sampling.CHOSEN):
        return f"No response matches {one_line(words, 60)}. {_instead(words)}"
    if plan.sampling in _NOT_DRAWN:
        return _NOT_DRAWN[plan.sampling]
    if not found.population:
        return NO_RESPONSES
    return "Nothing is left for these people: they answered all of it already."


def _instead(words: str) -> str:
    tag = words.removeprefix(TAG)
    if words.startswith(TAG) and tag.replace("-", "").replace("_", "").isalnum():
        return f"Give responses the tag {tag} first: {SELECT}. Or change the filter under “From”."
    return "Change the filter under “From”, or empty it."
