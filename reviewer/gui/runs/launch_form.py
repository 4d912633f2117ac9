"""The fields of the launch pane: what is evaluated again, by what, and for how much."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, cast, get_args

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLineEdit,
    QWidget,
)

from reviewer.domain.job import JobKind, Only, Selection
from reviewer.gui.kit import layouts, number_field, pieces
from reviewer.gui.kit.number_field import CountField, MoneyField
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.field_rows import FieldRows
from reviewer.gui.runs.scorer_rows import ScorerRows
from reviewer.services.jobs.launching import Choices, JudgeChoice, Wish

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
MORE: Final = " "
FOLDED, UNFOLDED = "category, filter, limit… ▸", "fewer choices ▾"


@dataclass(slots=True)
class _Kept:
    """What was offered, and the cases of a test set that were asked for."""

    run: str = ""
    found: Choices | None = None
    tests: str = ""
    cases: tuple[str, ...] = ()
    asked: bool = False


class LaunchForm(QWidget):
    """What somebody chooses; `wish` gives it.

    Signals:
        changed: Something else is chosen.
        judge_changed: Another judge is chosen, or what is known of it changed.
    """

    changed = Signal()
    judge_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make the form without anything to choose from."""
        super().__init__()
        self._kept = _Kept()
        self._make_what(theme)
        self._make_by()
        self._make_how()
        layouts.column(self._lay_out(theme), on=self, margins=0)
        self._connect()
        self._show_rows()

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
    def judge_choice(self) -> JudgeChoice | None:
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
        judges = [(x.judge.name, f"and by {x.title}") for x in found.judges]
        number_field.offer(self.then, SCORERS, judges)
        number_field.offer_names(self.tests, "the run's cases", found.tests)
        self._take_tests()
        number_field.offer_names(self.category, "every category", found.categories)
        self.edit_judge.setText("Edit…" if found.judges else "Add a judge…")
        self.edit_bot.setText("Edit…" if found.bots else "Add a bot…")
        for choice, edit in ((self.judge, self.edit_judge), (self.bot, self.edit_bot)):
            choice.setVisible(choice.count() > 0)
            edit.setAccessibleName(edit.text().rstrip("…"))
        self._show_rows()
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

    def forget(self) -> None:
        """Let go of the project."""
        self._kept = _Kept()
        for combo in (self.judge, self.bot, self.tests, self.then, self.category):
            combo.clear()
        self.filter.clear()

    def _make_what(self, theme: Theme) -> None:
        self.what = number_field.choice("What", KINDS)
        self.metrics = MetricTicks()
        self.scorers = ScorerRows(theme)
        self.selection = number_field.choice("Selection", SELECTIONS)
        self.category = number_field.choice("Category")
        number_field.offer(self.category, "every category", [])
        self.filter = QLineEdit(placeholderText="such as tag:hard OR latency:>2s")
        self.limit = CountField("Only the first so many of the file", 0, 10_000_000)
        self.limit.setSpecialValueText("no limit")
        self.limit.setPrefix("the first ")

    def _make_by(self) -> None:
        self.judge = number_field.choice("Judge")
        self.bot = number_field.choice("Bot")
        self.tests = number_field.choice("Cases that the bot answers")
        number_field.offer(self.tests, "the run's cases", [])
        self.then = number_field.choice("What scores the answers")
        number_field.offer(self.then, SCORERS, [])
        self.edit_judge = pieces.Button("Edit…", dense=True, name="Edit judges")
        self.edit_bot = pieces.Button("Edit…", dense=True, name="Edit bots")
        self.dot = pieces.text("", "small", name="Whether the judge is reachable")
        self.test = pieces.Button("Test", dense=True, name="Ask the judge for a word")
        self.key = pieces.named(pieces.ElidedText("", ""), "Where the key is")
        self.set_key = pieces.Button("Set key…", dense=True)

    def _make_how(self) -> None:
        self.repeats = CountField("How often each is judged", 1, 100)
        self.at_most = MoneyField("At most, in dollars")
        self.at_most.setRange(0, 100_000)
        self.at_most.setPrefix("$")
        self.at_most.setSpecialValueText("no limit")
        self.at_most.setSingleStep(0.5)
        self.at_most.setValue(0.5)
        self.at_once = CountField("Calls at once", 0, 512)
        self.at_once.setSpecialValueText("as the endpoint allows")
        self.at_once.setSuffix(" calls")
        self.more = pieces.named(pieces.Button(FOLDED, self._unfold, kind="link"), "More choices")
        self._is_open = False
        self.cache = QCheckBox("take replies paid for earlier")
        self.cache.setChecked(True)

    def _lay_out(self, theme: Theme) -> FieldRows:
        self.rows = rows = FieldRows(theme)
        rows.add("What", self.what)
        rows.add("Metrics", self.metrics, tall=True)
        rows.add_wide("Scorers", self.scorers)
        rows.add("Selection", self.selection)
        rows.add("Judge", _beside(self.judge, self.edit_judge), self.judge)
        rows.add("", _beside(self.dot, self.test), self.test)
        rows.add("Key", _beside(self.key, self.set_key), self.set_key)
        rows.add("Bot", _beside(self.bot, self.edit_bot), self.bot)
        rows.add("Cases", self.tests)
        rows.add("Scored", self.then)
        rows.add("Repeats", self.repeats)
        rows.add("At most", self.at_most)
        rows.add(MORE, _leading(self.more), self.more)
        rows.add("Category", self.category)
        rows.add("Filter", self.filter)
        rows.add("Limit", self.limit)
        rows.add("At once", self.at_once)
        rows.add("Cache", self.cache)
        return rows

    def _connect(self) -> None:
        self.what.currentIndexChanged.connect(self._show_rows)
        self.metrics.changed.connect(self._show_rows)
        self.judge.currentIndexChanged.connect(lambda _: self.judge_changed.emit())
        self.tests.currentIndexChanged.connect(self._show_rows)
        for combo in (
            self.what,
            self.selection,
            self.category,
            self.judge,
            self.bot,
            self.tests,
            self.then,
        ):
            combo.currentIndexChanged.connect(lambda _: self.changed.emit())
        for spin in (self.limit, self.repeats, self.at_once):
            spin.valueChanged.connect(lambda _: self.changed.emit())
        self.at_most.valueChanged.connect(lambda _: self.changed.emit())
        self.filter.textChanged.connect(lambda _: self.changed.emit())
        self.cache.toggled.connect(lambda _: self.changed.emit())
        self.metrics.changed.connect(self.changed)
        self.scorers.changed.connect(self.changed)

    def _show_rows(self, *_: object) -> None:
        kind, more = self.kind, self._is_open
        of_set = kind == "bot" and self.tests.currentData() is not None
        self.scorers.narrow(self.metrics.chosen)
        shown: dict[str, Callable[[], bool]] = {
            "Metrics": lambda: kind != "bot",
            "Scorers": lambda: kind == "scorer",
            "Judge": lambda: kind == "judge",
            "": lambda: kind == "judge" and self.judge.count() > 0,
            "Key": lambda: kind == "judge" and self.judge.count() > 0,
            "Bot": lambda: kind == "bot",
            "Cases": lambda: kind == "bot",
            "Scored": lambda: kind == "bot",
            "Repeats": lambda: kind == "judge",
            "At most": lambda: kind != "scorer",
            "Selection": lambda: not of_set,
            "Category": lambda: more and not of_set,
            "Filter": lambda: more and not of_set,
            "Limit": lambda: more and not of_set,
            "At once": lambda: more and kind != "scorer",
            "Cache": lambda: more and kind == "judge",
        }
        for name, wanted in shown.items():
            self.rows.show_row(name, shown=wanted())

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
            self.changed.emit()

    def _unfold(self) -> None:
        self._is_open = not self._is_open
        self.more.setText(UNFOLDED if self._is_open else FOLDED)
        self._show_rows()

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


def _beside(field: QWidget, *others: QWidget) -> QHBoxLayout:
    # where the field is hidden the others stand in its place
    return layouts.row((field, 1), *others, 0, gap=6)


def _leading(widget: QWidget) -> QHBoxLayout:
    return layouts.row(widget, 1)


class MetricTicks(QWidget):
    """A button a metric; none pressed stands for every one that fits.

    Signals:
        changed: Other metrics are chosen.
    """

    changed = Signal()

    def __init__(self) -> None:
        """Make it without a metric."""
        super().__init__()
        self.setAccessibleName("Metrics; none chosen stands for all")
        self._flow = pieces.FlowLayout(self, spacing=4)
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
