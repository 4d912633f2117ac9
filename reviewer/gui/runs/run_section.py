"""The section on run A: facts, whose scores count, categories, rubric, imports, backups."""

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from reviewer.domain.errors import Progress, ReviewerError
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.wording import counted, in_percent, percent_span
from reviewer.gui.background import beside
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line, stamp
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectSurroundings, Surroundings
from reviewer.gui.rubric.editor import RubricEditor
from reviewer.gui.runs.bots_card import BotsCard
from reviewer.gui.runs.grades_card import GradesCard
from reviewer.gui.runs.keeping_cards import BackupsCard, CarryCard, ImportsCard
from reviewer.gui.runs.records_card import RecordsCard
from reviewer.gui.runs.section import RunsSection
from reviewer.gui.runs.words import facts, made_with, many, pass_sentence, percent, scored
from reviewer.gui.sections import Reading
from reviewer.services.figures import run_records
from reviewer.services.figures.run_records import RunRecords, Wish
from reviewer.services.figures.statistics_blocks import PassBlock
from reviewer.services.monitoring import bots
from reviewer.services.monitoring.bots import Bots
from reviewer.services.project.session import Session
from reviewer.services.reporting import grades, run_rates
from reviewer.services.reporting.grades import Grades
from reviewer.services.transfer import carrying, run_details, undoing
from reviewer.services.transfer.run_details import CategoryCount, RunDetails, ScoreSet
from reviewer.services.transfer.undoing import Keep
from reviewer.services.upkeep import projects
from reviewer.services.upkeep.projects import RunSummary

UNDO, CARRY, NAME = "undo import", "carry labels", "name record"
TABLES = "tables of a framework"


class Found(NamedTuple):
    """What is read of a run."""

    details: RunDetails
    records: RunRecords
    passing: PassBlock


class Tables(NamedTuple):
    """What a run has of its framework's own, each where it is that one's; it takes longer."""

    grades: Grades | None
    bots: Bots | None


class RunSection(RunsSection[Found]):
    """Everything the project holds of one run, and what keeps it safe.

    Signals:
        saved: Something was stored just now.
    """

    title = "Run"
    saved = Signal()

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the section empty."""
        super().__init__(surroundings)
        self._editor: RubricEditor | None = None
        self._summary: projects.RunSummary | None = None
        self.details = DetailsView(surroundings)
        self.records = RecordsCard(surroundings)
        self.rubric = RubricCard(self.theme)
        self.imports = ImportsCard(surroundings)
        self.carry = CarryCard(self.theme)
        self.backups = BackupsCard(surroundings)
        self.grades = GradesCard(self.theme, self.figures)
        self.bots = BotsCard(self.theme, self.figures)
        for card in (self.records, self.bots, self.grades):
            self.details.put_below_head(card)
        layouts.fill(self.body, self.details, self.carry, self.rubric, self.imports, self.backups)
        pieces.connect(
            (self.records.wished, self.name_version),
            (self.rubric.edit_requested, self.edit_rubric),
            (self.imports.undo_requested, self.undo_import),
            (self.carry.carry_requested, self.carry_labels),
            (self.backups.failed, self.failed),
            (self.backups.noted, self.noted),
            (self.grades.open_requested, self._open),
            (self.bots.open_requested, self._open),
        )

    @override
    @classmethod
    def fits(cls, session: Session, run: str) -> bool:
        """Say something about every project: it has backups."""
        return session is not None and run is not None

    def show_summary(self, summary: projects.RunSummary | None) -> None:
        """Show at once what the list knows of run A; the rest follows."""
        if summary is None or self._summary is None or summary.name != self._summary.name:
            # another run's, until they are read
            self.grades.show_grades(None)
            self.bots.show_bots(None)
        self._summary = summary
        pieces.show(self.details, self.imports, shown=summary is not None)
        self.rubric.show_rubric(self._rubric())
        if summary is not None:
            self.details.show_run(summary)

    @override
    def show_runs(self, run: str, other: str = "") -> None:
        """Take run A."""
        super().show_runs(run, other)
        self.backups.refresh()

    @override
    def reading(self, run: str) -> Reading[Found] | None:
        """Read the details of a run, and whose scores count in it."""
        if not run:
            return None
        return lambda own, _: Found(
            run_details.of_run(own.project, run),
            run_records.of_run(own, run),
            run_rates.passing_of(own, run),
        )

    @override
    def show_found(self, found: Found) -> None:
        """Show the details."""
        details, records, passing = found
        self.details.show_details(details, self._rubric())
        self.details.show_passing(passing)
        self.records.show_records(records)
        writable = not self.session.project.read_only
        self.imports.show_imports(
            details.imports,
            writable=writable,
            cost=partial(undoing.cost, self.session.project),
        )
        self.carry.show_offers(details.offers, writable=writable)

        self._go_on()

    def _go_on(self) -> None:
        """Read what takes longer, once the rest is in view."""
        run = self.run
        self.surroundings.tasks.run(
            TABLES,
            beside(
                self.session, lambda own, _: Tables(grades.of_run(own, run), bots.beside(own, run))
            ),
            then=lambda found: self._take_tables(run, found),
            failed=self.failed,
        )

    def _take_tables(self, run: str, found: Tables) -> None:
        if run == self.run:
            self.grades.show_grades(found.grades)
            self.bots.show_bots(found.bots)

    def panes(self) -> list[QWidget]:
        """Give the parts that F6 goes through."""
        return [
            self.grades,
            self.bots,
            self.records,
            self.details.categories,
            self.rubric,
            self.imports,
            self.backups,
        ]

    def edit_rubric(self) -> RubricEditor | None:
        """Open the editor on the run's rubric; an open one comes to the front."""
        rubric = self._rubric()
        if rubric is None:
            return None
        if self._editor is not None:
            self._editor.raise_()
            self._editor.activateWindow()
            return self._editor
        self._editor = RubricEditor(self.surroundings, self.session, rubric, self)
        pieces.connect(
            (self._editor.kept, self._note_kept),
            (self._editor.destroyed, self._drop_editor),
        )
        self._editor.show()
        return self._editor

    def undo_import(self, number: int, keep: Keep) -> None:
        """Take an import back in the background, with or without what people labelled since."""
        self.surroundings.tasks.run(
            UNDO,
            beside(
                self.session,
                lambda own, _: undoing.undo_import(own.project, number, keep=keep),
            ),
            then=self._take_undone,
            failed=self.failed,
            loss="the undoing of an import",
        )

    def name_version(self, wish: Wish) -> None:
        """Let a version count, beside the window; undo brings back what counted before."""
        self.records.wait()
        self.surroundings.tasks.run(
            NAME,
            beside(self.session, lambda own, _: run_records.name(own, wish)),
            then=self._take_undone,
            failed=self._take_refused,
        ).finished.connect(self.saved)

    def _take_refused(self, sentence: str) -> None:
        """Say why nothing was named, and show what stands."""
        self.failed.emit(sentence)
        self.recompute()

    def carry_labels(self, source: str) -> None:
        """Copy a run's labels to identical texts of this one, in the background."""
        run, labeler = self.run, self.session.labeler.name

        def work(own: Session, progress: Progress) -> str:
            report = carrying.carry(
                own.project, run=run, source=source, labeler=labeler, progress=progress
            )
            return f"{many(report.labels, 'label')} carried over from {source}."

        self.surroundings.tasks.run(
            CARRY,
            beside(self.session, work),
            then=self._take_undone,
            failed=self.failed,
            loss=f"the carrying over from {source}",
        )

    def _open(self, keys: tuple[int, ...], heading: str) -> None:
        """Open responses as far as they may be seen."""
        seen = grades.seen(self.session, keys)
        if seen:
            self.responses_requested.emit(seen, f"{heading} in {self.run}")
        else:
            self.noted.emit("None of them may be seen before you have answered it.")

    def _rubric(self) -> Rubric | None:
        try:
            # before the list has come, the newest run counts as chosen
            return (
                self.session.rubric(self._summary.rubric)
                if self._summary
                else self.session.current_rubric()
            )
        except ReviewerError as error:
            if self._summary is not None:
                self.failed.emit(str(error))
            return None

    def _take_undone(self, sentence: object) -> None:
        self.noted.emit(str(sentence))
        self.session.poll()
        self.runs_changed.emit()

    def _note_kept(self, rubric: Rubric) -> None:
        self.saved.emit()
        self.noted.emit(f"Kept version {rubric.version} of {rubric.name}.")

    def _drop_editor(self) -> None:
        self._editor = None


_COLUMNS = (
    Column("metric"),
    Column("scale", 60, drop=2),
    Column("weight", 46, number=True, drop=1, tip="How much the metric counts in the overall."),
    Column("pass", 40, number=True, tip="The least score that passes."),
)
MOST = 10


class RubricCard(pieces.Card):
    """Name, version, pass rule and metrics, with the way into the editor.

    Signals:
        edit_requested: The rubric is to be edited.
    """

    edit_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make the card without a rubric."""
        super().__init__("Rubric")
        self.edit = pieces.Button("Edit rubric…", self.edit_requested.emit, dense=True)
        self.head.addWidget(self.edit)
        self.name = pieces.text("", "strong")
        self.rule = pieces.text("", "small", wrap=True)
        self.metrics = GridView(theme, _COLUMNS, "Metrics of the rubric", most=MOST)
        self.metrics.row_opened.connect(lambda _: self.edit_requested.emit())
        layouts.fill(self.body, self.name, self.rule, self.metrics)

    def show_rubric(self, rubric: Rubric | None) -> None:
        """Show a rubric; without one nothing can be edited."""
        self.setVisible(rubric is not None)
        if rubric is not None:
            self.name.setText(f"{rubric.name} · version {rubric.version}")
            pieces.write(self.rule, pass_sentence(rubric), tip=rubric.description)
            self.metrics.show_rows([(metric.name, _cells(metric)) for metric in rubric.metrics])


def _cells(metric: Metric) -> tuple[Cell, ...]:
    bounds = metric.bounds
    scale = metric.scale if bounds is None else f"{bounds[0]:g} – {bounds[1]:g}"
    mark = "—" if metric.pass_at is None else f"{metric.pass_at:g}"
    return (
        Cell(metric.heading, tip=metric.description),
        Cell(scale, "muted", tip=metric.describe_scale()),
        Cell(f"{metric.weight:g}"),
        Cell(mark, tip="" if metric.pass_at is not None else "This metric has no pass mark."),
    )


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
        theme = surroundings.theme
        self.title = pieces.ElidedText("", "title", is_name=True)
        self.facts = pieces.text("", "muted", wrap=True)
        self.rate = pieces.text("", "title", wrap=True, name="Pass rate")
        self.rates = pieces.text("", "muted", wrap=True, name="Pass rate by whom")
        self.judge = pieces.text("", "muted", wrap=True, name="Whose scores these are")
        self.sets = GridView(theme, _SETS, "Scorers and judges", most=MOST_SETS)
        self.categories = GridView(theme, _CATEGORIES, "Categories", most=MOST_CATEGORIES)
        head = pieces.Card()
        layouts.fill(head.body, self.title, self.facts, self.rate, self.rates, self.judge)
        scorers = pieces.Card("Scorers and judges")
        scorers.body.addWidget(self.sets)
        categories = pieces.Card("Categories")
        categories.body.addWidget(self.categories)
        self._column = layouts.column(
            head, scorers, categories, 1, on=self, margins=0, gap=pieces.GAP
        )

    def put_below_head(self, card: QWidget) -> None:
        """Let a card stand right below what the run is."""
        self._column.insertWidget(1, card)

    def show_run(self, run: RunSummary) -> None:
        """Show what the list knows of a run; `show_details` follows."""
        self.title.setText(one_line(run.name))
        self.facts.setText(facts(run))
        self.rate.setText(judged(run))
        pieces.say(self.rates, "")
        pieces.say(self.judge, f"Scores of {run.judged_by}." if run.judged_by else "")

    def show_passing(self, found: PassBlock) -> None:
        """Show what passes: corrected where labels correct it, else by the judge."""
        first, others = passing_words(found)
        if first:
            self.rate.setText(first)
        pieces.say(self.rates, others)

    def show_details(self, details: RunDetails, rubric: Rubric | None) -> None:
        """Show scorers and categories."""
        style = self._surroundings.settings.time_format
        self.sets.show_rows(
            [(x.version.key, _set_cells(x, rubric, style)) for x in details.score_sets]
        )
        self.categories.show_rows([(x.name, _category_cells(x)) for x in details.categories])


def judged(run: RunSummary) -> str:
    """Say what passes by the judge, until more is known."""
    if run.pass_rate is None:
        return "There is no pass rate."
    return f"{percent(run.pass_rate)} pass by the judge's scores."


def passing_words(found: PassBlock) -> tuple[str, str]:
    """Say what passes, and what judge and people say; nothing first where only the judge does."""
    corrected, ends = found.corrected, found.intervals.get("human_rate")
    judge = "" if found.auto_rate is None else f"judge {percent(found.auto_rate)} of "
    said = [f"{judge}{found.n_auto:,}"] if judge else []
    if found.human_rate is not None:
        around = "" if ends is None else f" ({percent_span(ends.low, ends.high)})"
        said.append(f"people {percent(found.human_rate)} of {found.n_human:,}{around}")
    if corrected.mean is None or corrected.low is None or corrected.high is None:
        why = corrected.reason or ""
        if found.auto_rate is None:
            return "", found.undefined.get("auto_rate", "")
        return "", " · ".join([*said[1:], f"not corrected: {why}"] if why else said[1:])
    around = percent_span(corrected.low, corrected.high)
    by = counted(corrected.n, "label")
    return f"{percent(corrected.mean)} pass, corrected by {by} ({around}).", " · ".join(said)


def _set_cells(found: ScoreSet, rubric: Rubric | None, style: str) -> tuple[Cell, ...]:
    below = made_with(found.version) or "no model, prompt or parameters recorded"
    words = scored(found, rubric)
    return (
        Cell(
            one_line(found.version.name, 80),
            tip=f"{found.version.name}\n{below}",
            # of one name there is one for each metric where each has a prompt of its own
            below=" · ".join(x for x in (words, below) if x),
        ),
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
        Cell("—" if share is None else in_percent(share, 0), "muted"),
    )
