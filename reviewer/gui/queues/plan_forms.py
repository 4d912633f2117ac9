"""The fields of a plan: which evaluations a queue draws, and who answers how many of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial

from PySide6.QtWidgets import QCheckBox, QGridLayout, QSpinBox
from typing_extensions import override

from reviewer.domain.run import Labeler
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.form import Choice, Flag, Form, Spin, Text
from reviewer.gui.kit.text import literal, one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.labelers.dots import dot
from reviewer.services.queues.plans import MOST_OVERLAP, NEEDS_N, QueuePlan, Sampling

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
        entries=(("round_robin", "in turns, equally many"), ("by_person", "by person, in shares")),
    )  # fmt: skip
    overlap = Spin("People an evaluation", lowest=1, highest=MOST_OVERLAP, usual=1, settles=True)
    overlap_share = Spin("On", usual=100, unit=" % of the evaluations", settles=True,
                         when=lambda form: form.overlap.value() > 1)  # fmt: skip
    repeats = Spin(
        "Own repeats", unit=" %", settles=True,
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
        return {**said, **parts, "labelers": chosen, "shares": tuple(shares)}

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
