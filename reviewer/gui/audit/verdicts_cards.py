"""Pass and fail: the table of verdicts with its rates, and the same by category."""

from collections.abc import Hashable
from functools import partial

from PySide6.QtCore import QModelIndex, Qt, Signal

from reviewer.domain.wording import DASH, fixed, percent, percent_span
from reviewer.gui.audit.confusion_view import ConfusionView
from reviewer.gui.figures.figure_menu import Figure, FigureMenu
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.number_field import choice
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.services.audits import passing
from reviewer.services.audits.passing import CategoryPass, PassAudit, Rate, Sides
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.statistics_blocks import Confusion
from reviewer.stats.rates import RATES, SHOWN, RateName, Side, look_words
from reviewer.stats.reasons import NO_RULE
from reviewer.stats.segments import SHOWN_FROM

HINT = "rows people, columns judge · choose a cell"
VERDICTS: tuple[Side, ...] = ("fail", "pass")
_RATES = (
    Column("rate"),
    Column("share", 96, number=True, tip="With its 95 % interval."),
    Column("n", 84, number=True, tip="Evaluations behind it, and of how many."),
)
_CATEGORIES = (
    Column("category"),
    Column("n", 44, number=True, tip="Evaluations with both verdicts."),
    Column("caught", 72, number=True, tip=RATES["catch_rate"].meaning),
    Column("passed", 72, number=True, tip=RATES["specificity"].meaning, drop=1),
    Column("judge", 72, number=True, tip="Pass rate as the judge says.", drop=3),
    Column("people", 72, number=True, tip="Pass rate as people say.", drop=2),
    Column("corrected", 76, number=True, tip=RATES["corrected_rate"].meaning),
)
_N = 1
_OF_CATEGORY: tuple[RateName, ...] = (
    "catch_rate", "specificity", "auto_rate", "human_rate", "corrected_rate",
)  # fmt: skip


class VerdictsCard(pieces.Card):
    """The table of people's verdicts against the judge's, and what follows from it.

    Signals:
        subject_chosen: The verdicts of a metric or of the whole rubric are wanted.
        responses_requested: The responses of a cell or behind a rate, by keys and heading.
    """

    subject_chosen = Signal()
    responses_requested = Signal(object, str)

    def __init__(self, theme: Theme, figures: FigureMenu) -> None:
        """Make an empty card; `figures` serves the rates."""
        super().__init__("Verdicts")
        self._found: PassAudit | None = None
        self._level = 0.95
        self.subject = choice("Verdicts of")
        self.subject.setMinimumContentsLength(12)
        self.subject.currentIndexChanged.connect(lambda _: self.subject_chosen.emit())
        layouts.fill(self.head, pieces.text("of", "muted"), self.subject)
        self.rule = pieces.text("", "muted", wrap=True)
        self.hint = pieces.text(HINT, "small")
        self.hint.setAlignment(Qt.AlignmentFlag.AlignTrailing)
        self.cells = pieces.named(ConfusionView(theme), "People's verdicts against the judge's")
        self.cells.cell_chosen.connect(self._open_cell)
        self.rates = GridView(theme, _RATES, "Rates of passes and fails", most=len(SHOWN))
        self.rates.row_opened.connect(self._open_rate)
        self.note = pieces.text("", "small", wrap=True)
        layouts.fill(self.body, self.rule, self.hint, self.cells, self.rates, self.note)
        figures.serve_grid(self.rates, self.figure)

    def offer(self, subjects: tuple[tuple[str, str], ...], chosen: str) -> None:
        """Offer whose verdicts can be shown, quietly."""
        with pieces.quiet(self.subject):
            self.subject.clear()
            for name, title in subjects:
                self.subject.addItem(one_line(title, 60), name)
            self.subject.setCurrentIndex(max(self.subject.findData(chosen), 0))

    def show_verdicts(self, found: PassAudit, level: float) -> None:
        """Show the verdicts of a subject, or why there are none."""
        self._found, self._level = found, level
        self.rule.setText(found.rule if found.reason is None else _missing(found))
        cells = found.cells
        there = found.reason is None
        table = ((cells.both_fail, cells.missed), (cells.alarmed, cells.both_pass))
        self.cells.show_table(Confusion(("fail", "pass"), table) if there else Confusion())
        pieces.show(self.hint, self.rates, shown=there)
        self.rates.show_rows([(name, self._row(name)) for name in SHOWN] if there else [])
        note = found.block.note or ""
        pieces.say(self.note, note)

    def figure(self, name: Hashable, _: int = 0) -> Figure | None:
        """Give a rate as somebody takes it away."""
        found = self._found
        if found is None or found.sides is None or name not in SHOWN:
            return None
        rate, entry = passing.rate(found.block, found.cells, name), RATES[name]
        return Figure(
            title=f"{entry.title}, {found.title}",
            sentence=passing.sentence(found, rate, self._level),
            steps=partial(passing.steps, rate, found.block, found.cells),
            keys=partial(found.sides.of, entry, entry.whole),
            heading=entry.counted,
        )

    def _row(self, name: RateName) -> tuple[Cell, ...]:
        found = self._found
        if found is None:
            return ()
        rate = passing.rate(found.block, found.cells, name)
        role = {"auto_rate": "auto", "human_rate": "human", "corrected_rate": "adjusted"}
        counted = passing.counted(rate)
        title = Cell(RATES[name].title, tip=RATES[name].meaning)
        if rate.value is None:
            reason = rate.reason or "It is not defined here."
            return (title, Cell(DASH, "muted", tip=reason), Cell(counted, "muted"))
        return (title, _share(rate, role.get(name, "")), Cell(counted))

    def _open_cell(self, row: int, column: int) -> None:
        if self._found is not None and self._found.sides is not None:
            people, judge = VERDICTS[row], VERDICTS[column]
            self.responses_requested.emit(
                self._found.sides.cell(people, judge), look_words(people, judge)
            )

    def _open_rate(self, name: object) -> None:
        found = self._found
        if found is not None and found.sides is not None and name in SHOWN:
            entry = RATES[name]
            self.responses_requested.emit(found.sides.of(entry, entry.apart), entry.heading)


class CategoriesCard(pieces.Card):
    """The rates of each category; a cell lists the responses behind it.

    Signals:
        responses_requested: The responses behind a rate, by keys and heading.
    """

    responses_requested = Signal(object, str)

    def __init__(self, theme: Theme, figures: FigureMenu) -> None:
        """Make an empty card; `figures` serves the cells."""
        super().__init__("Verdicts by category")
        self._found: PassAudit | None = None
        self._level = 0.95
        self.table = GridView(theme, _CATEGORIES, "Rates of passes and fails by category", most=12)
        pieces.connect(
            (self.table.clicked, self._open),
            (self.table.activated, self._open),
        )
        self.note = pieces.text("", "small", wrap=True)
        layouts.fill(self.body, self.table, self.note)
        figures.serve_grid(self.table, self.figure)

    def show_verdicts(self, found: PassAudit, level: float) -> None:
        """Show the categories of a subject; without any the card is not there."""
        self._found, self._level = found, level
        self.setVisible(bool(found.categories))
        self.table.show_rows([(place, _cells(one)) for place, one in enumerate(found.categories)])
        note = f"A rate needs {SHOWN_FROM} evaluations of its own kind."
        if found.left_out:
            note += f" {found.left_out:,} categories with fewer labels are not listed."
        self.note.setText(note)

    def figure(self, place: Hashable, column: int) -> Figure | None:
        """Give a cell's rate as somebody takes it away."""
        found = self._found
        if found is None or not isinstance(place, int):
            return None
        one = found.categories[place]
        if column == _N:
            return _of_labels(found, one)
        name = _name_of(column)
        rate = passing.rate(one.block, one.cells, name)
        about, entry = _name(one), RATES[name]
        return Figure(
            title=f"{entry.title}, {about}",
            sentence=passing.sentence(found, rate, self._level, about),
            steps=partial(passing.steps_of_category, rate, one.block, one.cells),
            keys=lambda: _of_category(found, one).of(entry, entry.whole),
            heading=f"{about} · {entry.counted}",
        )

    def _open(self, index: QModelIndex) -> None:
        found, place = self._found, self.table.rows.keys[index.row()]
        if found is None or not isinstance(place, int):
            return
        one, entry = found.categories[place], RATES[_name_of(index.column())]
        sides, part = _of_category(found, one), entry.heading
        keys = sides.of(entry, entry.apart)
        if index.column() == _N:
            keys, part = sides.cell(None, None), BOTH
        self.responses_requested.emit(keys, f"{_name(one)} · {part}")


def _missing(found: PassAudit) -> str:
    """Say why there is no verdict, and what to do about it."""
    if found.reason == NO_RULE:
        return "The rubric has no pass rule, so responses have no verdict. One can be tried below."
    return f"There is no verdict: {found.reason}. A pass mark can be tried below."


BOTH = "with both verdicts"


def _of_category(found: PassAudit, one: CategoryPass) -> Sides:
    sides = found.of_category(one.category)
    if sides is None:
        raise ValueError("A category that is listed has verdicts.")
    return sides


def _of_labels(found: PassAudit, one: CategoryPass) -> Figure:
    cells, about = one.cells, _name(one)
    return Figure(
        title=f"With both verdicts, {about}",
        sentence=f"{found.title}, {about}: people and judge gave a verdict on {cells.n:,} "
        "evaluations.",
        steps=lambda: (
            Step(
                "With both verdicts",
                "Both fail + only people fail + only the judge fails + both pass.",
                f"{cells.both_fail:,} + {cells.missed:,} + {cells.alarmed:,} + "
                f"{cells.both_pass:,} = {cells.n:,}",
            ),
        ),
        keys=lambda: _of_category(found, one).cell(None, None),
        heading=f"{about} · {BOTH}",
    )


def _name_of(column: int) -> RateName:
    return _OF_CATEGORY[column - 2] if column >= 2 else "catch_rate"


def _name(one: CategoryPass) -> str:
    return "without category" if one.category is None else one_line(one.category, 60)


def _cells(one: CategoryPass) -> tuple[Cell, ...]:
    shown = [_rate(passing.rate(one.block, one.cells, name)) for name in _OF_CATEGORY]
    return (Cell(_name(one), tip=_name(one), strong=True), Cell(f"{one.cells.n:,}"), *shown)


def _rate(rate: Rate) -> Cell:
    counted = passing.counted(rate)
    if rate.value is None:
        return Cell(DASH, "muted", tip=rate.reason or "It is not defined here.")
    few = passing.too_few(rate)
    if few:
        return Cell(DASH, "muted", tip=f"{few}.", below=counted)
    between = _between(rate)
    tip = f"{counted}; interval {between}" if between else counted
    return Cell(percent(rate.value), tip=tip, below=between or counted)


def _share(rate: Rate, role: str) -> Cell:
    value = rate.value or 0.0
    if rate.low is None:
        tip = f"{fixed(value, 4)}; an interval needs {SHOWN_FROM} of them."
        return Cell(percent(value), role, tip=tip, below="too few")
    return Cell(percent(value), role, tip=fixed(value, 4), strong=True, below=_between(rate))


def _between(rate: Rate) -> str:
    if rate.low is None or rate.high is None:
        return ""
    return percent_span(rate.low, rate.high)
