"""Whether run A meets its rubric's targets, and what went wrong how often."""

from typing import ClassVar, NamedTuple

from typing_extensions import override

from reviewer.domain.wording import DASH, fixed
from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.page import ProjectSurroundings
from reviewer.gui.runs import words
from reviewer.gui.runs.section import RunsSection
from reviewer.gui.sections import Reading
from reviewer.services.project.session import Session
from reviewer.services.reporting import cases, extremes
from reviewer.services.reporting.cases import PatternRow, Performed, TargetRow
from reviewer.services.reporting.extremes import Extremes

MOST = 12
_TARGETS = (
    Column("figure, target"),
    Column("judge", 84, number=True, tip="The judge's own value.", drop=2),
    Column("n", 46, number=True, drop=3, tip="Responses behind the judge's value."),
    Column("corrected", 100, number=True, tip="As people's labels correct it, with its interval."),
    Column("", 122),
)
_PATTERNS = (
    Column("pattern, and what to do"),
    Column("responses", 110, number=True, tip="Those that show the pattern, of all that could."),
    Column("share", 70, number=True, tip="Their part of all that could."),
)
_EXTREMES = (
    Column("response", tip="Chosen as in reports: by people's overall, then by the judge's."),
    Column("judge", 84, number=True, tip="The judge's overall."),
    Column("people", 84, number=True, tip="People's overall.", drop=1),
)
_ROLES = {"reached": "adjusted", "missed": "alert", "cannot be said": "muted"}


class _Standing(NamedTuple):
    performed: Performed
    extremes: Extremes


class TargetsSection(RunsSection[_Standing]):
    """Each target is a line: reached, missed, or neither yet; a pattern opens its responses.

    The best and the worst responses stand below.
    """

    title: ClassVar[str] = "Targets"

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the section without a run."""
        super().__init__(surroundings)
        self._targets: dict[str, TargetRow] = {}
        self._patterns: dict[str, PatternRow] = {}
        self.card = pieces.Card("Targets")
        self.verdict = pieces.text("", "small", name="How many targets are reached")
        self.card.head.addWidget(self.verdict)
        self.table = GridView(self.theme, _TARGETS, "Targets", most=MOST)
        self.card.body.addWidget(self.table)
        self.failures = pieces.Card("Failure patterns")
        self.look = pieces.text("", "alert", wrap=True, name="Where to look")
        self.failures.body.addWidget(self.look)
        self.patterns = GridView(self.theme, _PATTERNS, "Failure patterns", most=MOST)
        self.none = pieces.text("No response shows one.", "muted")
        layouts.fill(self.failures.body, self.patterns, self.none)
        self.ends = pieces.Card("Best and worst")
        self.extremes = GridView(self.theme, _EXTREMES, "Best and worst responses", most=MOST)
        self.unseen = pieces.text("", "muted", wrap=True, name="How many are hidden")
        layouts.fill(self.ends.body, self.extremes, self.unseen)
        layouts.fill(self.body, self.card, self.failures, self.ends)
        self.figures.serve_grid(self.table, self._target_figure)
        self.figures.serve_grid(self.patterns, self._pattern_figure)
        pieces.connect(
            (
                self.patterns.clicked,
                lambda index: self._open(self.patterns.rows.keys[index.row()]),
            ),
            (self.patterns.row_opened, self._open),
            (
                self.extremes.clicked,
                lambda index: self._open_one(self.extremes.rows.keys[index.row()]),
            ),
            (self.extremes.row_opened, self._open_one),
        )

    @classmethod
    @override
    def fits(cls, session: Session, run: str) -> bool:
        """Tell whether the run's rubric has targets."""
        names = dict(zip(session.run_names(), session.run_keys(), strict=True))
        return run in names and bool(session.rubric_of_run(names[run]).targets)

    @override
    def reading(self, run: str) -> Reading[_Standing] | None:
        if not run:
            return None
        return lambda own, _: _Standing(cases.of_run(own, run), extremes.of_run(own, run))

    @override
    def show_found(self, found: _Standing) -> None:
        """Show how the run stands."""
        self._show_performed(found.performed)
        self._show_extremes(found.extremes)

    def _show_extremes(self, found: Extremes) -> None:
        self.extremes.show_rows(
            [
                (
                    row.key,
                    (
                        Cell(row.id, below=row.question, mark="best" if row.is_best else "worst"),
                        Cell(fixed(row.judge)),
                        Cell(fixed(row.people), "human"),
                    ),
                )
                for row in found.rows
            ]
        )
        self.extremes.setVisible(bool(found.rows))
        told = f"{words.hidden(found.hidden, more=bool(found.rows))}." if found.hidden else ""
        pieces.say(self.unseen, told or ("" if found.rows else "No response has an overall."))

    def _open_one(self, key: object) -> None:
        self.responses_requested.emit((key,), f"Best and worst · {self.run}")

    def _show_performed(self, found: Performed) -> None:
        self._targets = {row.name: row for row in cases.target_rows(found)}
        self._patterns = {row.title: row for row in cases.pattern_rows(found)}
        self.verdict.setText(found.counted)
        self.table.show_rows(
            [
                (
                    row.name,
                    (
                        Cell(row.title, below=row.wanted),
                        Cell(row.value, strong=not row.corrected),
                        Cell(row.n, "muted"),
                        Cell(
                            row.corrected or DASH,
                            "adjusted" if row.corrected else "muted",
                            below=row.ends,
                        ),
                        Cell(row.words, _ROLES[row.result]),
                    ),
                )
                for row in self._targets.values()
            ]
        )
        self.patterns.show_rows(
            [
                (
                    row.title,
                    (
                        Cell(row.title.capitalize(), tip=row.sentence, below=row.advice or " "),
                        _count_cell(row),
                        Cell(row.share),
                    ),
                )
                for row in self._patterns.values()
            ]
        )
        self.patterns.setVisible(bool(self._patterns))
        self.none.setVisible(not self._patterns)
        pieces.say(self.look, found.look)

    def _target_figure(self, key: object, column: int) -> Figure | None:
        row = self._targets.get(str(key))
        if row is None or not column:
            return None
        return Figure(title=row.title, sentence=f"{self.run}: {row.sentence}")

    def _pattern_figure(self, key: object, column: int) -> Figure | None:
        row = self._patterns.get(str(key))
        if row is None or not column:
            return None
        return Figure(
            title=row.title.capitalize(),
            sentence=f"{self.run}: {row.sentence}",
            keys=(lambda: row.keys) if row.keys else None,
            heading=self._heading(row),
        )

    def _open(self, key: object) -> None:
        row = self._patterns.get(str(key))
        if row is None:
            return
        if row.keys:
            self.responses_requested.emit(row.keys, self._heading(row))
        else:
            self.noted.emit(f"{self._heading(row)}.")

    def _heading(self, row: PatternRow) -> str:
        parts = [f"{row.title.capitalize()} · {self.run}"]
        if row.hidden:
            parts.append(words.hidden(row.hidden, more=bool(row.keys)))
        return ": ".join(parts)


def _count_cell(row: PatternRow) -> Cell:
    if not row.hidden:
        return Cell(f"{row.count} ▸", tip="List these responses on Review.")
    tip = f"{words.hidden(row.hidden, more=bool(row.keys))}."
    if row.keys:
        tip = f"List these responses on Review; {tip}"
    return Cell(
        f"{row.count} ▸" if row.keys else row.count, tip=tip, below=f"{row.hidden:,} hidden"
    )
