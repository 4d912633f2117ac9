"""The section that watches production: status, past windows, samples, and what is sampled."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from typing_extensions import override

from reviewer.domain.errors import ReviewerError
from reviewer.domain.monitoring import EVERY_RUN, Monitor
from reviewer.domain.wording import fixed
from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.tasks import telling
from reviewer.gui.kit.text import one_line, stamp
from reviewer.gui.page import ProjectSurroundings
from reviewer.gui.plots.strip import SIGNS
from reviewer.gui.runs.monitor_cards import ROLES, MonitorCard, MonitorForm
from reviewer.gui.runs.section import RunsSection
from reviewer.gui.runs.words import hidden
from reviewer.gui.sections import Reading
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.jobs import launching
from reviewer.services.monitoring import looking, sampled_runs, watching
from reviewer.services.monitoring.looking import Looked
from reviewer.services.monitoring.view import SHOWN, Shown, Spell, View
from reviewer.services.monitoring.watching import Watched
from reviewer.services.project.session import Session
from reviewer.services.project.sight import hidden_among

ROWS = 8
ELSEWHERE = {
    "elsewhere": ", in another window or program",
    "lead": "; it goes on when a lead opens the project",
    "unconfirmed": " on another computer; Watch goes on with it here",
}
"""Who looks, where it is not this window."""
_COLUMNS = (
    Column("query, answer"),
    Column("score", 50, number=True, tip="The overall score of the sample."),
    Column("verdict", 74),
    Column("when", 124, drop=1),
)


@dataclass(frozen=True, slots=True)
class Found:
    """What the section shows of one rubric.

    Attributes:
        view: None where nobody has looked yet.
        runs: Runs of the rubric with their titles.
        watched: None where it does not look by itself.
        hidden: Evaluations of the window whose scores the labeler may not see yet.
    """

    monitor: Monitor
    view: View | None
    judges: tuple[tuple[str, str], ...]
    runs: tuple[tuple[str, str], ...]
    watched: Watched | None
    hidden: frozenset[int]


class MonitorSection(RunsSection[Found]):
    """The monitor of run A's rubric; what is watched goes on whichever page is in view."""

    title = "Monitor"

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the section empty."""
        super().__init__(surroundings)
        self._monitor: Monitor | None = None
        self._view: View | None = None
        self._watched: Watched | None = None
        self._wish: Callable[[], None] | None = None
        self.monitors = surroundings.monitors
        self.card = MonitorCard(self.theme)
        self.look = pieces.Button("Look now", self.look_now, dense=True)
        self.start = pieces.Button("Watch", self.toggle_watching, dense=True)
        layouts.fill(self.card.head, self.look, self.start)
        self.doing = pieces.text("", "muted", wrap=True, name="What the monitor does", hidden=True)
        self.card.body.insertWidget(1, self.doing)
        self.settings = pieces.Card("What is sampled, and by whom it is scored")
        self.form = MonitorForm(self.theme)
        self.settings.body.addWidget(self.form)
        self.samples = pieces.Card("Samples")
        self.samples_note = pieces.text("", "muted", wrap=True)
        self.table = GridView(self.theme, _COLUMNS, "Samples, newest first", most=ROWS)
        layouts.fill(self.samples.body, self.samples_note, self.table)
        layouts.fill(self.body, self.card, self.samples, self.settings)
        pieces.connect(
            (self.form.changed, self._change),
            (self.monitors.changed, self._show_doing),
            (self.monitors.looked, self._take_look),
            (self.monitors.failed, self._show_doing),
            (self.table.row_opened, self._open),
            (self.card.spell_chosen, self._open_spell),
            (self.card.noted, self.noted),
        )
        self.figures.serve(self.card.rate, self._figure)

    @override
    @classmethod
    def fits(cls, session: Session, run: str) -> bool:
        """Be there for every project: records may be still to come."""
        return session is not None and run is not None

    @override
    def reading(self, run: str) -> Reading[Found] | None:
        """Read the monitor of a run's rubric, of a project's without a run that by default."""
        if not run and self.session.run_names():
            # the page is about to say which one
            return None
        return lambda own, _: _found(own, _rubric_of(own, run))

    @override
    def show_runs(self, run: str, other: str = "") -> None:
        """Take run A; nothing is done with a monitor before it is known which one that is."""
        other_run = run != self.run
        if other_run and self.run:
            self._wish = None
        if other_run or not self.isVisible():
            self._monitor = self._view = self._watched = None
            self.form.setEnabled(False)
            self._show_doing()
        super().show_runs(run, other)

    @override
    def show_found(self, found: Found) -> None:
        """Show the monitor."""
        self._monitor, self._view, self._watched = found.monitor, found.view, found.watched
        self.form.setEnabled(self._is_writable)
        self.form.show_monitor(found.monitor, found.judges, found.runs)
        if found.view is None:
            self.card.show_none(found.monitor.rubric)
        else:
            self.card.show_view(found.view)
        view = found.view
        samples = () if view is None else view.samples
        more = 0 if view is None else len(view.keys) - len(samples)
        self.samples.setVisible(bool(samples))
        note = f"The newest {SHOWN:,} of {SHOWN + more:,}. " if more else ""
        if found.hidden:
            note += f"{hidden(len(found.hidden))}. "
        self.samples_note.setText(f"{note}Return or a double click opens the evaluation.")
        self.expose(x.evaluation for x in samples if x.evaluation not in found.hidden)
        style = self.surroundings.settings.time_format
        self.table.show_rows(
            [
                (x.evaluation, _cells(x, style, masked=x.evaluation in found.hidden))
                for x in samples
            ]
        )
        self._show_doing()
        wish, self._wish = self._wish, None
        if wish is not None:
            wish()

    def look_now(self) -> None:
        """Look once; as soon as it is known with what."""
        if self._monitor is None:
            self._wish = self.look_now
        elif self._is_told():
            self.monitors.look_now(self._monitor.rubric)

    def toggle_watching(self) -> None:
        """Watch the folder, or what is imported, until told otherwise and over restarts."""
        if self._monitor is None:
            self._wish = self.toggle_watching
            return
        rubric = self._monitor.rubric
        with telling(self.failed.emit):
            if self._watches:
                self.monitors.end(rubric)
            elif self._is_told():
                self.monitors.watch(rubric)
        self.recompute()

    @property
    def _is_writable(self) -> bool:
        return not self.session.project.read_only

    @property
    def _watches(self) -> bool:
        """Tell whether somebody looks by themselves, so that it could be ended."""
        return self._watched is not None and self._watched.where != "unconfirmed"

    def _change(self, wanted: Monitor) -> None:
        if self._kept(wanted):
            self.recompute()

    def _is_told(self) -> bool:
        """Keep what was typed a moment ago; what nobody touched may be another window's by now."""
        wanted = self.form.pending()
        return wanted is None or self._kept(wanted)

    def _kept(self, wanted: Monitor) -> bool:
        """Keep settings; False with the reason in the notice bar where they make no sense."""
        try:
            kept = looking.keep(self.session, wanted)
        except ReviewerError as error:
            self.failed.emit(str(error))
            return False
        self.form.accept(kept)
        if self._monitor is not None and self._monitor.rubric == kept.rubric:
            self._monitor = kept
        return True

    def _take_look(self, found: Looked) -> None:
        if found.fed.records:
            self.runs_changed.emit()
        if self._view is None or _differs(found.view, self._view):
            self.renew()

    def _show_doing(self) -> None:
        writable = self._monitor is not None and self._is_writable
        self.start.setText("Stop watching" if self._watches else "Watch")
        self.start.setEnabled(writable)
        self.look.setEnabled(writable and not self.monitors.looks)
        parts = []
        if self._watched is not None and self._monitor is not None:
            style = self.surroundings.settings.time_format
            since = f"since {stamp(self._watched.since, style)}"
            where = self._monitor.folder or "what is imported"
            parts.append(f"Watching {where} {since}{ELSEWHERE.get(self._watched.where, '')}.")
        problems = self.monitors.problems
        rubric = "" if self._monitor is None else self._monitor.rubric
        parts += [problems[x] for x in dict.fromkeys((rubric, "")) if x in problems]
        pieces.say(self.doing, " ".join(parts))

    def _open(self, key: object) -> None:
        if isinstance(key, int):
            self.responses_requested.emit([key], "sample of the monitor")

    def _open_spell(self, spell: Spell) -> None:
        self.responses_requested.emit(list(spell.keys), f"samples of the monitor, {spell.name}")

    def _figure(self) -> Figure | None:
        view = self._view
        if view is None or view.tally.rate is None:
            return None
        tally = view.tally
        sentence = (
            f"The monitor of {view.monitor.rubric} says {tally.words}: {tally.sentence}, with a "
            f"warning below {100 * view.monitor.warning:g} % and critical below "
            f"{100 * view.monitor.critical:g} %."
        )
        step = f"passed / samples = {tally.passed:,} / {tally.total:,} = {fixed(tally.rate, 4)}"
        return Figure(
            title=f"Pass rate of the monitor of {view.monitor.rubric}",
            sentence=sentence,
            steps=lambda: (
                Step("Pass rate", step),
                Step("Interval", "Wilson's, at 95 %. The status is that of the pass rate; it is "
                     "uncertain where an end of the interval has another."),
            ),
            keys=lambda: view.keys,
            heading="samples of the monitor",
        )  # fmt: skip


def _differs(found: View, shown: View) -> bool:
    """Tell whether a monitor came to something else than is shown of it."""
    return found.monitor.rubric == shown.monitor.rubric and (
        (found.tally, found.keys) != (shown.tally, shown.keys)
    )


def _rubric_of(own: Session, run: str) -> str:
    keys = dict(zip(own.run_names(), own.run_keys(), strict=True))
    return own.rubric_of_run(keys[run]).name if run in keys else looking.default_rubric(own)


def _found(own: Session, rubric: str) -> Found:
    view, monitor = looking.shown(own, rubric), looking.settings_of(own, rubric)
    every = sampled_runs.of_monitor(own, replace(monitor, runs=EVERY_RUN))
    return Found(
        monitor=monitor,
        view=view,
        judges=tuple((x.judge.name, x.title) for x in launching.judges(own)),
        runs=tuple(
            (x, f"{x} (test cases)" if x in every.tests else x) for x in reversed(every.runs)
        ),
        watched=watching.standing(own, rubric),
        hidden=frozenset() if view is None else hidden_among(own, view.keys),
    )


def _cells(shown: Shown, style: str, *, masked: bool) -> tuple[Cell, ...]:
    sample = shown.sample
    query = one_line(sample.query or "", 200) or "(no question)"
    answer = one_line(sample.output_preview, 200)
    text = Cell(query, tip=f"{query}\n\n{answer}", below=answer)
    when = Cell(stamp(sample.timestamp, style), "muted", tip=f"{shown.run} · {shown.name}")
    if masked:
        tip = "Hidden from you until you have answered it."
        return text, Cell("—", "muted", tip=tip), Cell("hidden", "muted", tip=tip), when
    if shown.note:
        return (
            text,
            Cell(_two(sample.score), "muted", tip=shown.note),
            Cell("none yet", "muted", tip=f"{shown.note[:1].upper()}{shown.note[1:]}."),
            when,
        )
    status = "healthy" if sample.passed else "critical"
    verdict = "pass" if sample.passed else "fail"
    return (
        text,
        Cell(_two(sample.score), "auto"),
        Cell(f"{SIGNS[status]} {verdict}", ROLES[status]),
        when,
    )


def _two(score: float | None) -> str:
    return "—" if score is None else fixed(score)
