"""A row a family of metrics with a line for each metric, and the families edited as text."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.domain.wording import DASH, fixed, numeral, score_words, short
from reviewer.gui.audit.words import ends
from reviewer.gui.figures.figure_menu import Figure, FigureMenu
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.services.audits import families
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.families import (
    Family,
    FamilyTable,
    MetricFigures,
    RunFamilies,
)
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.project.session import Session

PEOPLE = 4
_COLUMNS = (
    Column("family"),
    Column(
        "auto",
        84,
        number=True,
        tip="Mean auto score; of a family: the mean of its metrics brought to 0 – 1.",
    ),
    Column("95 % interval", 96, number=True, drop=1, tip="Of the mean auto score."),
    Column("n", 44, number=True, tip="Evaluations with a score."),
    Column("people", 100, number=True, tip="Mean of labels, and mean gap, human minus auto."),
)


class FamiliesCard(pieces.Card):
    """One row a family, and beneath it a line for each of its metrics.

    Signals:
        metric_chosen: A metric is to be shown in detail, by its name.
    """

    metric_chosen = Signal(str)

    def __init__(self, theme: Theme, figures: FigureMenu) -> None:
        """Make an empty table; `figures` serves its rows."""
        super().__init__("Families")
        self._rows: dict[Hashable, Family | MetricFigures] = {}
        self._runs: dict[str, RunFamilies] = {}
        self._audit: Audit | None = None
        self.table = GridView(theme, _COLUMNS, "Families of metrics", most=20)
        self.table.row_opened.connect(self._open)
        self.body.addWidget(self.table)
        figures.serve_grid(self.table, self.figure)

    def show_families(self, found: FamilyTable, audit: Audit) -> None:
        """Show every family with its metrics; `audit` has the evaluations behind them.

        With several runs in scope each row has a line for each run beneath it.
        """
        self._audit = audit
        self._rows = {}
        self._runs = {one.run: one for one in found.runs}
        rows: list[tuple[Hashable, tuple[Cell, ...]]] = []
        for place, family in enumerate(found.families):
            apart = [(one.run, one.families[place]) for one in found.runs]
            rows += self._lines((family.name, ""), family, apart)
            for at, one in enumerate(family.metrics):
                of_runs = [(run, its.metrics[at]) for run, its in apart]
                rows += self._lines((family.name, one.name), one, of_runs)
        self.table.show_rows(rows)

    def _lines(
        self,
        names: tuple[str, str],
        whole: Family | MetricFigures,
        apart: Sequence[tuple[str, Family | MetricFigures]],
    ) -> Iterator[tuple[Hashable, tuple[Cell, ...]]]:
        """Give a row, and beneath it the same of each run."""
        indent = "        " if names[1] else "    "
        for run, one in (("", whole), *apart):
            key = (*names, run)
            self._rows[key] = one
            cells = _family_cells(one) if isinstance(one, Family) else _metric_cells(one)
            if run:
                cells = (Cell(f"{indent}{one_line(run, 60)}", "muted", tip=run), *cells[1:])
            yield key, cells

    def figure(self, key: Hashable, column: int = 0) -> Figure | None:
        """Give a row as somebody takes it away, or what people say of its metric."""
        one, audit = self._rows.get(key), self._audit
        if one is None or audit is None or not isinstance(key, tuple):
            return None
        found, apart = self._figure(one, audit, column), self._runs.get(key[2])
        if apart is None:
            return found
        keys = found.keys
        return replace(
            found,
            title=f"{found.title}, {apart.run}",
            sentence=f"{apart.run}: {found.sentence}",
            keys=None if keys is None else lambda: apart.own(keys()),
            heading=f"{found.heading}, {apart.run}",
        )

    def _figure(self, one: Family | MetricFigures, audit: Audit, column: int) -> Figure:
        if isinstance(one, Family):
            scaled = [x.name for x in one.metrics if audit.rubric.by_name[x.name].bounds]
            return Figure(
                title=f"Level of {one.name}",
                sentence=_family_sentence(one),
                steps=partial(_family_steps, one),
                keys=partial(families.judged, audit, scaled) if one.n else None,
                heading=f"judged, {one.name}",
            )
        if column == PEOPLE and one.human_mean is not None and one.gap_mean is not None:
            return _people_figure(audit, one, one.human_mean, one.gap_mean)
        return Figure(
            title=one.title,
            sentence=_metric_sentence(one),
            steps=partial(_metric_steps, one),
            keys=partial(families.judged, audit, [one.name]) if one.n else None,
            heading=f"judged, {one.title}",
        )

    def _open(self, key: object) -> None:
        if isinstance(key, tuple) and key[1]:
            self.metric_chosen.emit(key[1])


def _family_cells(family: Family) -> tuple[Cell, ...]:
    reason = family.reason or ""
    if family.level is None:
        level = Cell(DASH, "muted", tip=reason)
    else:
        between = ends(family.low, family.high)
        level = Cell(short(family.level), tip=f"95 % {between}" if between else "", strong=True)
    return (
        Cell(one_line(family.name, 60), strong=True),
        level,
        Cell(ends(family.low, family.high)),
        Cell(f"{family.n:,}" if family.n else ""),
        Cell(""),
    )


def _metric_cells(one: MetricFigures) -> tuple[Cell, ...]:
    if one.mean is None:
        shown = Cell(DASH, "muted", tip=one.reason or "")
    elif one.is_measure:
        shown = Cell(
            _measured(one.median, one.unit), "auto", tip=_metric_sentence(one), below="median"
        )
    else:
        shown = Cell(short(one.mean), "auto", tip=_metric_sentence(one))
    if one.gap_mean is None:
        people = Cell(DASH, "muted", tip="Nobody labels it here.")
    else:
        gap = f"{short(one.human_mean)} ({_signed(one.gap_mean)})"
        people = Cell(gap, "human", tip=f"n = {one.n_human:,}")
    return (
        Cell(f"    {one_line(one.title, 60)}", tip=one.title),
        shown,
        _spread(one),
        Cell(f"{one.n:,}"),
        people,
    )


def _spread(one: MetricFigures) -> Cell:
    if one.is_measure and one.high_end is not None:
        return Cell(f"p95 {fixed(one.high_end, 0)}", "muted", tip="The 95th percentile.")
    return Cell(ends(one.low, one.high))


def _signed(value: float) -> str:
    return f"+{short(value)}" if round(value, 2) > 0 else short(value)


def _measured(value: float | None, unit: str) -> str:
    if value is None:
        return DASH
    short = {"characters": "char.", "milliseconds": "ms"}.get(unit, unit)
    return f"{score_words(value, 1)} {short}".rstrip()


def _family_sentence(family: Family) -> str:
    if family.level is None:
        return f"{family.name}: no level ({family.reason})."
    between = ends(family.low, family.high)
    interval = f"; 95 % {between}" if between else ""
    return (
        f"{family.name}: level {short(family.level)} of 1, the mean of its metrics brought to "
        f"0 – 1 (n = {family.n:,}{interval})."
    )


def _family_steps(family: Family) -> tuple[Step, ...]:
    used = ", ".join(one.title for one in family.metrics if not one.is_measure) or "none"
    return (
        Step("Metrics with a scale", f"{used}."),
        Step(
            "Level",
            "For each evaluation the mean of those scores, (score − lowest) ÷ (highest − lowest), "
            f"turned where lower is better; then the mean over {family.n:,} evaluations"
            f" = {short(family.level)}.",
        ),
    )


def _metric_steps(one: MetricFigures) -> tuple[Step, ...]:
    if one.mean is None:
        return (Step(one.title, f"There is none: {one.reason}."),)
    total = f"{numeral(one.mean * one.n)} / {one.n:,} = {numeral(one.mean)}"
    made = [Step("Mean", "Sum of all auto scores in scope / their number.", total)]
    if one.is_measure:
        made.append(
            Step(
                "Median and 95th percentile",
                f"Of the {one.n:,} values in order the middle one, {numeral(one.median)}, and "
                f"that below which 95 in 100 lie, {numeral(one.high_end)}.",
            )
        )
    elif one.low is not None and one.high is not None:
        made.append(
            Step("Interval", f"From {numeral(one.low)} to {numeral(one.high)}, by Student's t.")
        )
    return tuple(made)


def _people_figure(audit: Audit, one: MetricFigures, mean: float, gap: float) -> Figure:
    n = one.n_human
    return Figure(
        title=f"{one.title}: people",
        sentence=f"People's mean {one.title} is {short(mean)}, {short(abs(gap))} "
        f"{'below' if gap < 0 else 'above'} the judge's there (n = {n:,}).",
        steps=lambda: (
            Step(
                "Human mean",
                "Sum of the human scores beside an auto score / their number.",
                f"{numeral(mean * n)} / {n:,} = {numeral(mean)}",
            ),
            Step(
                "Mean gap",
                "Sum of human − auto / number.",
                f"{numeral(gap * n)} / {n:,} = {numeral(gap)}",
            ),
        ),
        keys=partial(families.labelled, audit, one.name),
        heading=f"labelled, {one.title}",
    )


def _metric_sentence(one: MetricFigures) -> str:
    if one.mean is None:
        return f"{one.title}: no figures ({one.reason})."
    if one.is_measure:
        return (
            f"{one.title}: median {_measured(one.median, one.unit)}, 95th percentile "
            f"{_measured(one.high_end, one.unit)}, mean {_measured(one.mean, one.unit)} "
            f"(n = {one.n:,})."
        )
    between = ends(one.low, one.high)
    interval = f"; 95 % {between}" if between else ""
    people = ""
    if one.human_mean is not None:
        people = f" People: {short(one.human_mean)} on {one.n_human:,} of them."
    return f"{one.title}: auto mean {short(one.mean)} (n = {one.n:,}{interval}).{people}"


HELP = (
    "One line a family: how a word of the model's name begins, an equals sign, the family. The "
    "first line that fits counts; an empty table brings the usual one back."
)
WIDTH, HEIGHT = 420, 520


class FamiliesDialog(QDialog):
    """Shows and keeps the table of a project.

    Signals:
        kept: The table was kept.
    """

    kept = Signal()

    def __init__(self, theme: Theme, session: Session, parent: QWidget) -> None:
        """Make the dialog, to be shown by `show_table`."""
        super().__init__(parent)
        self._session = session
        self.setWindowTitle("Model families")
        fit(self, theme.px(WIDTH), theme.px(HEIGHT))
        self.field = pieces.named(QPlainTextEdit(), "Model families")
        self.problem = pieces.text("", "alert", wrap=True, hidden=True)
        self.keep = pieces.Button("Keep", self._keep, kind="primary")
        layouts.column(
            pieces.text(HELP, "small", wrap=True),
            (self.field, 1),
            self.problem,
            layouts.row(
                1,
                pieces.Button("Cancel", self.reject),
                (self.keep, 0, Qt.AlignmentFlag.AlignTrailing),
            ),
            on=self,
            margins=(theme.px(20), theme.px(16), theme.px(20), theme.px(16)),
        )

    def show_table(self) -> None:
        """Show the project's table."""
        self.problem.hide()
        self.field.setPlainText(families.read_families(self._session.project).text())
        self.open()

    def _keep(self) -> None:
        try:
            families.save_families(self._session.project, self.field.toPlainText())
        except ReviewerError as error:
            self.problem.setText(str(error))
            self.problem.show()
            return
        self.accept()
        self.kept.emit()
