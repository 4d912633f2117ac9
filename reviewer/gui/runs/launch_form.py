"""The named fields of the launch pane: what is evaluated again, by what, and for how much."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, cast, get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QLayout,
    QWidget,
)
from typing_extensions import override

from reviewer.domain.judging import JobKind, Only, Selection
from reviewer.gui.kit import layouts, number_field, pieces
from reviewer.gui.kit.form import Amount, Choice, Count, Flag, Form, Own, Text
from reviewer.gui.kit.number_field import MoneyField
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.scorer_rows import ScorerRows
from reviewer.services.jobs.launching import Choices, JudgeOffer, Wish

NAMES = 70
"""Pixels at 100 % that the names take."""


class FieldRows(QGridLayout):
    """Rows that can be shown or hidden."""

    def __init__(self, theme: Theme) -> None:
        """Make it without a row."""
        super().__init__()
        self._theme = theme
        self.setHorizontalSpacing(theme.px(8))
        self.setVerticalSpacing(theme.px(7))
        self.setColumnStretch(1, 1)
        self.setColumnMinimumWidth(0, theme.px(NAMES))
        self._rows: dict[str, tuple[QLabel, QWidget]] = {}

    def add(
        self,
        name: str,
        field: QWidget | QLayout,
        buddy: QWidget | None = None,
        *,
        tall: bool = False,
        key: str = "",
    ) -> None:
        """Add a row.

        Args:
            name: Stands before it.
            field: What it holds.
            buddy: What the name stands for, where that is not the whole field.
            tall: Whether the name stands at its top.
            key: By which it is shown and hidden; the name where it is empty.
        """
        label = pieces.text(name, "muted")
        holder = field if isinstance(field, QWidget) else _held(field)
        target = buddy or holder
        label.setBuddy(target)
        if not target.accessibleName():
            target.setAccessibleName(name)
        place = self.rowCount()
        side = Qt.AlignmentFlag.AlignTop if tall else Qt.AlignmentFlag.AlignVCenter
        if tall:
            # level with the words of the buttons in its first line
            label.setContentsMargins(0, self._theme.px(3), 0, 0)
        self.addWidget(label, place, 0, side)
        self.addWidget(holder, place, 1)
        self._rows[key or name] = (label, holder)

    def add_wide(self, name: str, field: QWidget, *, key: str = "") -> None:
        """Add a row over the whole width, with its name above it."""
        label = pieces.text(name, "muted")
        label.setBuddy(field)
        if not field.accessibleName():
            field.setAccessibleName(name)
        place = self.rowCount()
        self.addWidget(label, place, 0, 1, 2)
        self.addWidget(field, place + 1, 0, 1, 2)
        self._rows[key or name] = (label, field)

    def show_row(self, key: str, *, shown: bool) -> None:
        """Show or hide a row."""
        pieces.show(*self._rows[key], shown=shown)


class RowForm(Form):
    """A form whose names stand in a narrow column.

    Attributes:
        tall: The fields whose names stand at their top.
        wide: Those that have the whole width, below their names.
        pairs: Those that stand behind another one, by its key.
    """

    tall: ClassVar[frozenset[str]] = frozenset()
    wide: ClassVar[frozenset[str]] = frozenset()
    pairs: ClassVar[Mapping[str, str]] = {}

    @override
    def place(self) -> None:
        """Lay the fields under each other."""
        self._field_rows = rows = FieldRows(self.theme)
        for key, field in self.fields().items():
            if key in self.wide:
                rows.add_wide(field.title, self.widgets[key], key=key)
            elif key not in self.pairs.values():
                buddy, tall = self.widgets[key], key in self.tall
                rows.add(field.title, self.hold(key), buddy, tall=tall, key=key)
        layouts.column(rows, on=self, margins=0)

    @override
    def show_row(self, key: str, *, shown: bool) -> None:
        """Show or hide a field with its name."""
        self._field_rows.show_row(key, shown=shown)


def beside(field: QWidget, *others: QWidget | int, gap: int = 6) -> QWidget:
    """Lay others behind a field that takes the room they leave."""
    made = QWidget()
    layouts.row((field, 1), *others, on=made, margins=0, gap=gap)
    return made


def _held(layout: QLayout) -> QWidget:
    holder = QWidget()
    layout.setContentsMargins(0, 0, 0, 0)
    holder.setLayout(layout)
    return holder


KINDS: Final[tuple[tuple[JobKind, str], ...]] = (
    ("judge", "Re-judge"),
    ("scorer", "Re-score"),
    ("bot", "Re-run by a bot"),
)
DEVELOPMENT: Final = "development"
SELECTIONS: Final = (
    ("", "Whole run"),
    ("labelled", "Labelled"),
    (DEVELOPMENT, "Labelled, development half"),
    ("unlabelled", "Not labelled"),
    ("disagreements", "Judge and people differ"),
    ("failed", "Failed the last time"),
)
SCORERS: Final = "by the rubric's scorers"
OF_RUN: Final = "the run's cases"
EVERY: Final = "every category"
MORE: Final = " "
FOLDED, UNFOLDED = "category, filter, limit… ▸", "fewer choices ▾"


class MetricTicks(QWidget):
    """A button a metric; none pressed stands for every one that fits.

    Signals:
        changed: Other metrics are chosen.
    """

    changed = Signal()

    def __init__(self) -> None:
        """Make it without a metric."""
        super().__init__(accessibleName="Metrics; none chosen stands for all")
        self._flow = layouts.FlowLayout(self, spacing=4)
        self.buttons: dict[str, pieces.Button] = {}

    @property
    def chosen(self) -> tuple[str, ...]:
        """Give the ids of the chosen metrics, nothing for all."""
        return tuple(name for name, button in self.buttons.items() if button.isChecked())

    def offer(self, metrics: Sequence[tuple[str, str]]) -> None:
        """Offer metrics by id and heading; what was chosen stays so where it is still there."""
        if tuple(self.buttons) == tuple(name for name, _ in metrics):
            return
        kept = set(self.chosen)
        pieces.clear(self._flow)
        self.buttons = {}
        for name, heading in metrics:
            button = pieces.Button(one_line(heading, 40), dense=True)
            button.setCheckable(True)
            button.setChecked(name in kept)
            button.toggled.connect(lambda _: self.changed.emit())
            self.buttons[name] = button
            self._flow.addWidget(button)
        self.updateGeometry()

    def choose(self, *names: str) -> None:
        """Choose metrics by their ids."""
        for name, button in self.buttons.items():
            button.setChecked(name in names)


@dataclass(slots=True)
class _Kept:
    """What was offered, and the cases of a test set that were asked for."""

    run: str = ""
    found: Choices | None = None
    tests: str = ""
    cases: tuple[str, ...] = ()
    asked: bool = False


class LaunchForm(RowForm):
    """What somebody chooses; `wish` gives it.

    Signals:
        changed: Something else is chosen.
        judge_changed: Another judge is chosen, or what is known of it changed.
    """

    judge_changed = Signal()
    tall, wide = frozenset({"metrics"}), frozenset({"scorers"})
    what = Choice("What", entries=KINDS)
    metrics = Own[MetricTicks]("Metrics", when=lambda form: form.kind != "bot")
    scorers = Own[ScorerRows]("Scorers", when=lambda form: form.kind == "scorer")
    selection = Choice("Selection", entries=SELECTIONS, when=lambda form: not form.is_of_set)
    judge = Choice("Judge", when=lambda form: form.kind == "judge")
    test = Own[pieces.Button]("", when=lambda form: form.asks_a_judge)
    set_key = Own[pieces.Button]("Key", when=lambda form: form.asks_a_judge)
    bot = Choice("Bot", when=lambda form: form.kind == "bot")
    tests = Choice("Cases", name="Cases that the bot answers", entries=[(None, OF_RUN)],
                   when=lambda form: form.kind == "bot")  # fmt: skip
    then = Choice("Scored", name="What scores the answers", entries=[(None, SCORERS)],
                  when=lambda form: form.kind == "bot")  # fmt: skip
    repeats = Count("Repeats", name="How often each is judged", lowest=1,
                    when=lambda form: form.kind == "judge")  # fmt: skip
    at_most = Amount(
        "At most", name="At most, in dollars", kind=MoneyField, highest=100_000, usual=0.5,
        step=0.5, prefix="$", special="no limit", when=lambda form: form.kind != "scorer",
    )  # fmt: skip
    more = Own[pieces.Button](MORE)
    category = Choice("Category", entries=[(None, EVERY)],
                      when=lambda form: form.is_open and not form.is_of_set)  # fmt: skip
    filter = Text("Filter", "such as tag:hard OR latency:>2s",
                  when=lambda form: form.is_open and not form.is_of_set)  # fmt: skip
    limit = Count(
        "Limit", name="Only the first so many of the file", highest=10_000_000,
        prefix="the first ", special="no limit",
        when=lambda form: form.is_open and not form.is_of_set,
    )  # fmt: skip
    at_once = Count(
        "At once", name="Calls at once", highest=512, unit=" calls",
        special="as the endpoint allows",
        when=lambda form: form.is_open and form.kind != "scorer",
    )  # fmt: skip
    cache = Flag("Cache", "take replies paid for earlier", usual=True,
                 when=lambda form: form.is_open and form.kind == "judge")  # fmt: skip

    def __init__(self, theme: Theme) -> None:
        """Make the form without anything to choose from."""
        self._kept = _Kept()
        self.is_open = False
        self.edit_judge = pieces.Button("Edit…", dense=True, name="Edit judges")
        self.edit_bot = pieces.Button("Edit…", dense=True, name="Edit bots")
        self.dot = pieces.text("", "small", name="Whether the judge is reachable")
        self.key = pieces.named(pieces.ElidedText("", ""), "Where the key is")
        super().__init__(
            theme,
            metrics=MetricTicks(),
            scorers=ScorerRows(theme),
            test=pieces.Button("Test", dense=True, name="Ask the judge for a word"),
            set_key=pieces.Button("Set key…", dense=True),
            more=pieces.Button(FOLDED, self._unfold, kind="link", name="More choices"),
        )
        pieces.connect(
            (self.judge.currentIndexChanged, lambda _: self.judge_changed.emit()),
            (self.metrics.changed, partial(self.follow, "metrics")),
            (self.scorers.changed, partial(self.follow, "scorers")),
        )

    @override
    def hold(self, key: str) -> QWidget:
        """Lay buttons behind what they are about."""
        match key:
            # where the field is hidden the button stands in its place
            case "judge":
                return beside(self.judge, self.edit_judge, 0)
            case "test":
                return beside(self.dot, self.test, 0)
            case "set_key":
                return beside(self.key, self.set_key, 0)
            case "bot":
                return beside(self.bot, self.edit_bot, 0)
            case "more":
                made = QWidget()
                layouts.row(self.more, 1, on=made, margins=0)
                return made
        return super().hold(key)

    @override
    def adapt(self) -> None:
        """Show what the kind of job needs, and scorers of the chosen metrics alone."""
        self.scorers.narrow(self.metrics.chosen)
        super().adapt()

    @property
    def is_of_set(self) -> bool:
        """Tell whether a bot answers the cases of a test set."""
        return self.kind == "bot" and self.tests.currentData() is not None

    @property
    def asks_a_judge(self) -> bool:
        """Tell whether there is a judge to ask."""
        return self.kind == "judge" and self.judge.count() > 0

    @property
    def kind(self) -> JobKind:
        """Give what is to be done."""
        return cast("JobKind", self.what.currentData())

    @property
    def single_metric(self) -> str:
        """Give the one metric that a judge is asked about, empty where it is not one."""
        chosen = self.metrics.chosen or tuple(self.metrics.buttons)
        return chosen[0] if self.kind == "judge" and len(chosen) == 1 else ""

    @property
    def rubric(self) -> str:
        """Give the name of the run's rubric, empty without a run."""
        return self._kept.found.rubric if self._kept.found else ""

    @property
    def judge_choice(self) -> JudgeOffer | None:
        """Give the chosen judge with its endpoint and key."""
        name, found = self.judge.currentData(), self._kept.found
        return next((x for x in found.judges if x.judge.name == name), None) if found else None

    @property
    def problem(self) -> str:
        """Say what is wrong in a field, nothing where all is right."""
        if self.kind == "scorer":
            return self.scorers.problem
        if self.kind == "judge" and self.judge.currentData() is None:
            return "Add a judge first: a model, and where it is reached."
        if self.kind == "bot" and self.bot.currentData() is None:
            return "Add a bot first."
        return ""

    def wish(self) -> Wish | None:
        """Give what is wished; None where there is no run, or a field is wrong."""
        if not self._kept.run or self.problem:
            return None
        metrics = self.metrics.chosen if self.kind != "bot" else ()
        scorers, parameters = self.scorers.wished(metrics)
        asks = self.kind != "scorer"
        tests = str(self.tests.currentData() or "") if self.kind == "bot" else ""
        return Wish(
            kind=self.kind,
            selection=self._selection(),
            metrics=metrics if asks or metrics else self.scorers.wanted,
            scorers=scorers if not asks else {},
            parameters=parameters if not asks else {},
            judge=str(self.judge.currentData() or ""),
            bot=str(self.bot.currentData() or ""),
            tests=tests,
            then=str(self.then.currentData() or "") if self.kind == "bot" else "",
            test_cases=self._kept.cases if tests == self._kept.tests else (),
            repeats=self.repeats.value() if self.kind == "judge" else 1,
            max_cost=(self.at_most.value() or None) if asks else None,
            concurrency=(self.at_once.value() or None) if asks else None,
            use_cache=self.cache.isChecked(),
        )

    def show_choices(self, found: Choices) -> None:
        """Offer what there is for a run; what was chosen stays where it is still there."""
        self._kept.run, self._kept.found = found.run, found
        self.metrics.offer([(x.name, x.heading) for x in found.metrics])
        self.scorers.offer(found.metrics, found.scorers)
        number_field.offer(self.judge, "", [(x.judge.name, x.title) for x in found.judges])
        number_field.offer(self.bot, "", [(x.bot.name, x.title) for x in found.bots])
        number_field.offer(
            self.then, SCORERS, [(x.judge.name, f"and by {x.title}") for x in found.judges]
        )
        number_field.offer_names(self.tests, OF_RUN, found.tests)
        self._take_tests()
        number_field.offer_names(self.category, EVERY, found.categories)
        self.edit_judge.setText("Edit…" if found.judges else "Add a judge…")
        self.edit_bot.setText("Edit…" if found.bots else "Add a bot…")
        for choice, edit in ((self.judge, self.edit_judge), (self.bot, self.edit_bot)):
            choice.setVisible(choice.count() > 0)
            edit.setAccessibleName(edit.text().rstrip("…"))
        self.adapt()
        self.judge_changed.emit()

    def show_count(self, evaluations: int | None) -> None:
        """Show how many evaluations the chosen selection holds, None where unknown."""
        for place, (_, title) in enumerate(SELECTIONS):
            chosen = place == self.selection.currentIndex() and evaluations is not None
            self.selection.setItemText(place, f"{title} — {evaluations:,}" if chosen else title)

    def ask_tests(self, name: str, ids: Sequence[str]) -> None:
        """Let a bot answer cases of a test set: all of them where no ids are named."""
        self._kept.tests, self._kept.cases, self._kept.asked = name, tuple(ids), True
        self.what.setCurrentIndex(self.what.findData("bot"))
        self._take_tests()

    def _take_tests(self) -> None:
        kept = self._kept
        place = self.tests.findData(kept.tests)
        if place < 0 or not kept.tests:
            return
        part = f" — {len(kept.cases):,} of its cases" if kept.cases else ""
        self.tests.setItemText(place, f"{one_line(kept.tests, 40)}{part}")
        if kept.asked:
            kept.asked = False
            self.tests.setCurrentIndex(place)
            self.changed.emit("tests")

    def _unfold(self) -> None:
        self.is_open = not self.is_open
        self.more.setText(UNFOLDED if self.is_open else FOLDED)
        self.adapt()

    def _selection(self) -> Selection:
        chosen = self.selection.currentData()
        return Selection(
            runs=(self._kept.run,),
            categories=number_field.chosen(self.category),
            filter_text=self.filter.text().strip(),
            only=cast("Only", chosen) if chosen in get_args(Only) else None,
            part="dev" if chosen == DEVELOPMENT else None,
            limit=self.limit.value() or None,
        )
