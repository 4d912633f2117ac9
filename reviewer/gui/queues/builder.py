"""Plan a queue: what it draws, who answers, and at once what everybody would get."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QWidget,
)
from typing_extensions import override

from reviewer.domain.change import PeopleChanged
from reviewer.domain.run import Labeler
from reviewer.domain.wording import in_percent
from reviewer.gui.background import beside
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.form import Choice, Flag, Form, Spin, Text
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.number_field import choice
from reviewer.gui.kit.tasks import soon, telling
from reviewer.gui.kit.text import literal, one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.labelers.dots import dot
from reviewer.gui.page import ProjectDialog, Surroundings
from reviewer.services.project.session import Session, may_lead
from reviewer.services.queues import making, profiles, recipes
from reviewer.services.queues.making import PersonPreview, Preview
from reviewer.services.queues.plans import MOST_OVERLAP, NEEDS_N, QueuePlan, Sampling
from reviewer.services.queues.sampling import StratumDrawn

SETTLE_MS = 180
KIND, MAKE = "queue-preview", "queue-make"
CUSTOM = "custom"
_PEOPLE = (
    Column("labeler"),
    Column("answers", 66, number=True, tip="Evaluations to label for the first time."),
    Column("repeats", 66, number=True, tip="Evaluations that come once more, unrecognised."),
    Column("known", 60, number=True, tip="Evaluations with known answers."),
    Column("in all", 60, number=True, tip="Everything in this person's turn."),
)
_STRATA = (
    Column("stratum"),
    Column("there are", 76, number=True, tip="Evaluations of the stratum that could be drawn."),
    Column("drawn", 66, number=True, tip="Those that the queue takes."),
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
        self.people = PeopleForm(self._theme, profiles.dealt_to(session))
        # who sees auto scores is for leads to say
        self.people.widgets["blind"].setEnabled(may_lead(session))
        self.sentence = pieces.text("", wrap=True, name="What the queue would hold")
        self.problem = pieces.text("", "alert", wrap=True)
        self.per_person = GridView(self._theme, _PEOPLE, "What everybody would get")
        self.per_stratum = GridView(self._theme, _STRATA, "What is drawn of each stratum")
        self.make = pieces.Button("Make the queue", self._make, kind="primary")
        self._soon = soon(self, self._preview, SETTLE_MS)
        self._arrange()
        pieces.connect(
            (self.recipe.activated, lambda _: self._take_recipe()),
            (self.draw.changed, lambda _: self._soon.start()),
            (self.people.changed, lambda _: self._soon.start()),
            (self.name.textChanged, lambda _: self._soon.start()),
        )
        self._show(plan or recipes.first_plan(session))

    def choose_recipe(self, name: str) -> None:
        """Take a recipe's plan for the active labeler alone."""
        with telling(self._say):
            me = self._session.labeler.name
            self._show(recipes.plan_by(self._session, name, labelers=(me,)))

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

    def _take_recipe(self) -> None:
        name = self.recipe.currentData()
        if name == CUSTOM:
            self.about.hide()
            return
        chosen = self.people.planned()["labelers"]
        people = chosen if isinstance(chosen, tuple) else ()
        with telling(self._say):
            self._show(recipes.plan_by(self._session, name, labelers=people))

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
            loss=f"the queue {plan.name}",
        )

    def _take_made(self, name: object) -> None:
        if self.is_left:
            return
        self._session.publish(PeopleChanged(f"the queue {name} was made"))
        self.made.emit(str(name))
        self.accept()

    def _arrange(self) -> None:
        px = self._theme.px
        left = pieces.dressed(QWidget(), kind="scrolled")
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
        Cell(in_percent(chance)),
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
    Sampling.RECENT: (
        "No response of these days can be drawn. Take more days, count them from another day, or "
        "draw at random."
    ),
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


WAYS: tuple[tuple[Sampling, str], ...] = (
    (Sampling.RANDOM, "At random"),
    (Sampling.STRATIFIED, "At random within strata"),
    (Sampling.ALL, "All of them"),
    (Sampling.NEWEST, "The newest"),
    (Sampling.RECENT, "At random of the last days"),
    (Sampling.ACTIVE, "Most informative next"),
    (Sampling.DISAGREEMENT, "Another judge or run disagrees"),
    (Sampling.UNDECIDED, "The judge is undecided"),
    (Sampling.RELEASE, "Last check before release"),
    (Sampling.GOLD, "Known answers only"),
    (Sampling.CHOSEN, "Chosen by hand"),
)
USUAL = 50
USUAL_OF = {Sampling.NEWEST: 10, Sampling.RECENT: 10}
"""How many a way begins with, where that is not the usual number."""
RUN = "run\n"
"""What stands before the name of a run among the others to disagree with."""


def _for(*ways: Sampling) -> Callable[["DrawForm"], bool]:
    """Tell that a field is needed for some ways of drawing alone."""
    return lambda form: form.way in ways


class DrawForm(Form):
    """The fields of the draw; only those that the chosen way needs are shown.

    Signals:
        changed: Something is planned otherwise.
    """

    titles, apart = 0, -1
    sampling = Choice("Draw", name="How evaluations are drawn", entries=WAYS)
    filter_text = Text(
        "From", "all evaluations, or a filter: category:policies …",
        when=_for(*{*Sampling} - {Sampling.GOLD, Sampling.CHOSEN, Sampling.RELEASE}),
    )  # fmt: skip
    n = Spin(
        "How many", lowest=1, highest=10_000, usual=USUAL, settles=True,
        when=_for(*NEEDS_N, Sampling.DISAGREEMENT, Sampling.UNDECIDED),
    )  # fmt: skip
    days = Spin("Of the last", lowest=1, highest=3_650, usual=10, unit=" days", settles=True,
                when=_for(Sampling.RECENT))  # fmt: skip
    until = Text("Counted from", "the newest evaluation, or a day: 2026-11-23", optional=True,
                 name="Last of these days", when=_for(Sampling.RECENT))  # fmt: skip
    unlabelled = Flag("Only", "scored, and labelled by nobody yet", name="Only what can count",
                      when=_for(Sampling.RECENT))  # fmt: skip
    stratify = Choice("Strata", when=_for(Sampling.STRATIFIED))
    allocation = Choice(
        "Share", name="Share of each stratum", when=_for(Sampling.STRATIFIED),
        entries=(("proportional", "in proportion"), ("equal", "equally many")),
    )  # fmt: skip
    other = Choice("Compare with", name="Other judge or run", when=_for(Sampling.DISAGREEMENT))
    measured = Choice(
        "Metric", when=_for(Sampling.ACTIVE, Sampling.DISAGREEMENT, Sampling.UNDECIDED)
    )
    seed = Spin("Seed", highest=999_999, settles=True)

    def __init__(self, theme: Theme) -> None:
        """Make the form empty; `offer` says what the project has."""
        self._keys: tuple[int, ...] = ()
        self._before = Sampling.RANDOM
        super().__init__(theme)

    def offer(
        self, metrics: Sequence[tuple[str, str]], judges: Sequence[str], runs: Sequence[str]
    ) -> None:
        """Offer a project's metrics (name and title), judges and runs."""
        for combo in (self.stratify, self.other, self.measured):
            combo.clear()
        self.stratify.addItem("category", "category")
        self.stratify.addItem("run", "run")
        self.measured.addItem("all, or the neediest", None)
        for name, title in metrics:
            self.stratify.addItem(f"auto score of {title}", f"auto:{name}")
            self.measured.addItem(title, name)
        for judge in judges:
            self.other.addItem(f"judge {judge}", judge)
        for run in runs:
            self.other.addItem(f"run {run}", RUN + run)

    def show_plan(self, plan: QueuePlan) -> None:
        """Show a plan's draw."""
        self._keys = plan.keys
        other = f"{RUN if plan.other_is_run else ''}{plan.other or ''}"
        self.fill(asdict(plan) | {"other": other, "measured": plan.metric})

    def planned(self) -> dict[str, object]:
        """Give the fields of the plan that stand here."""
        said = self.values()
        other = str(said.pop("other") or "")
        measured = said.pop("measured")
        return said | {
            "filter_text": said["filter_text"] if self.is_needed("filter_text") else "",
            "sampling": self.way,
            "n": said["n"] if self.is_needed("n") else None,
            "stratify": said["stratify"] or "category",
            "other": other.removeprefix(RUN) or None,
            "other_is_run": other.startswith(RUN),
            "until": said["until"] if self.is_needed("until") else None,
            "unlabelled": said["unlabelled"] if self.is_needed("unlabelled") else False,
            "metric": measured if self.is_needed("measured") else None,
            "keys": self._keys,
        }

    @property
    def way(self) -> Sampling:
        """Give the way of drawing in force."""
        return Sampling(self.sampling.currentData())

    @override
    def adapt(self) -> None:
        """Begin another way with its usual number, and show what it needs."""
        before, self._before = self._before, self.way
        # a number that somebody chose stays under another way
        if self.way is not before and self.n.value() == USUAL_OF.get(before, USUAL):
            self.n.setValue(USUAL_OF.get(self.way, USUAL))
        super().adapt()


NAME, LONGEST = 26, 300
"""Characters of a name beside the fields, and in its tooltip."""


class PeopleForm(Form):
    """One line a person, and beneath it how evaluations are shared out.

    Signals:
        changed: Something is planned otherwise.
    """

    titles, apart = 0, -1
    assignment = Choice(
        "Share out", name="How evaluations are shared out",
        entries=(
            ("round_robin", "in turns, equally many"), ("by_person", "by person, in shares"),
            ("free", "to whoever is free"),
        ),
        tip="Whoever is free gets the next evaluation from the hub of a shared project; the other "
        "two deal all of them out beforehand.",
    )  # fmt: skip
    overlap = Spin("People per evaluation", lowest=1, highest=MOST_OVERLAP, usual=1, settles=True)
    overlap_share = Spin("On", usual=100, unit=" % of the evaluations", settles=True,
                         when=lambda form: form.overlap.value() > 1)  # fmt: skip
    repeats = Spin(
        "Own repeats", unit=" %", settles=True, when=lambda form: not form.is_given_out,
        tip="Share of own earlier evaluations that people answer once more.",
    )  # fmt: skip
    gold = Spin("Known answers", unit=" %", settles=True,
                tip="Evaluations with known answers that are mixed in unseen.")  # fmt: skip
    blind = Flag("Blind", "Auto scores stay hidden until an evaluation is answered", usual=True)

    def __init__(self, theme: Theme, people: Sequence[Labeler]) -> None:
        """Offer a project's people."""
        self._offered = people
        self.boxes: dict[str, QCheckBox] = {}
        self.weights: dict[str, QSpinBox] = {}
        super().__init__(theme)

    @override
    def place(self) -> None:
        """Lay the people above the fields."""
        layouts.column(self._people(self._offered), self.rows(), on=self, margins=0)

    def show_plan(self, plan: QueuePlan) -> None:
        """Show how a plan shares out."""
        with pieces.quiet(self):
            for name, box in self.boxes.items():
                box.setChecked(name in plan.labelers)
        shares = {key: round(100 * each) for key, each in _shares(asdict(plan)).items()}
        self.fill(asdict(plan) | shares)

    def planned(self) -> dict[str, object]:
        """Give the fields of the plan that stand here."""
        said = self.values()
        chosen = tuple(name for name, box in self.boxes.items() if box.isChecked())
        shares = (float(self.weights[x].value()) for x in chosen if self._by_person)
        parts = {key: each / 100 for key, each in _shares(said).items()}
        if self.is_given_out:
            parts["repeats"] = 0.0
        return {**said, **parts, "labelers": chosen, "shares": tuple(shares)}

    @property
    def is_given_out(self) -> bool:
        """Tell whether nothing is dealt out beforehand."""
        return bool(self.assignment.currentData() == "free")

    @property
    def _by_person(self) -> bool:
        return bool(self.assignment.currentData() == "by_person")

    def _people(self, people: Sequence[Labeler]) -> QGridLayout:
        grid = layouts.grid(stretch={0: 1})
        for row, person in enumerate(people):
            shown = one_line(person.name, 60)
            box = pieces.named(
                QCheckBox(literal(f"{one_line(person.name, NAME)} · {person.role}")),
                shown,
                tip=one_line(person.name, LONGEST),
            )
            box.setIcon(dot(self.theme, person.colour))
            box.toggled.connect(partial(self.follow, "labelers"))
            weight = pieces.named(
                Spin("", highest=1_000, usual=1, settles=True).make(self.theme),
                f"Share of {shown}",
            )
            weight.valueChanged.connect(partial(self.follow, "shares"))
            grid.addWidget(box, row, 0)
            grid.addWidget(weight, row, 1)
            self.boxes[person.name], self.weights[person.name] = box, weight
        return grid

    @override
    def adapt(self) -> None:
        """Show shares where they count."""
        pieces.show(*self.weights.values(), shown=self._by_person)
        super().adapt()


def _shares(plan: Mapping[str, object]) -> dict[str, float]:
    """Give what a plan counts as a share of all."""
    found = ((key, plan[key]) for key in ("overlap_share", "repeats", "gold"))
    return {key: float(each) for key, each in found if isinstance(each, int | float)}
