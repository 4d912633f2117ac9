"""The pane "Re-evaluate": chosen, foretold, tried on five, started."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.gui import pieces
from reviewer.gui.judges.examples_picker import ExamplesPicker
from reviewer.gui.judges.opening import open_prompts
from reviewer.gui.judges.prompt_editor import PromptEditor
from reviewer.gui.own_session import beside
from reviewer.gui.page import Surroundings
from reviewer.gui.runs.job_lines import to_work
from reviewer.gui.runs.launch_form import LaunchForm
from reviewer.gui.runs.launch_judge import LaunchJudge
from reviewer.gui.runs.tries_view import TriesView
from reviewer.gui.scrolling import ScrolledColumn
from reviewer.services.evaluating import five, launching
from reviewer.services.evaluating.launching import Choices, Forecast, Wish
from reviewer.services.session import Session

READ, GUESS, TRY = "launch choices", "launch forecast", "try on five"
SETTLE_MS = 350
NO_RUN = "Import results first; there is nothing to evaluate again yet."
READ_ONLY = "The project cannot be written, so nothing can be evaluated here."


class LaunchPane(QWidget):
    """Everything to launch a job on run A.

    Signals:
        failed: An expected error, as a sentence.
        noted: A passing line.
        evaluation_requested: An evaluation is to be opened on Review, by its key.
    """

    failed = Signal(str)
    noted = Signal(str)
    evaluation_requested = Signal(int)

    def __init__(self, surroundings: Surroundings) -> None:
        """Make the pane without a project."""
        super().__init__()
        self._surroundings = surroundings
        self._session: Session | None = None
        self._run = ""
        self._forecast: Forecast | None = None
        self.form = LaunchForm(surroundings.theme)
        self.judge = LaunchJudge(surroundings, self.form)
        self.prompt = PromptEditor(surroundings)
        self.examples = ExamplesPicker(surroundings)
        self.estimate = pieces.text("", "muted", wrap=True, name="What it would take")
        self.problem = pieces.text("", "alert", wrap=True, name="What is in the way")
        self.tries = TriesView(surroundings.theme)
        self.trying = QProgressBar()
        self.trying.setTextVisible(False)
        self.trying.setAccessibleName("Progress of the try")
        self.try_five = pieces.Button("Try on 5", self.toggle_try)
        self.start = pieces.Button("Start", self.begin, kind="primary")
        self._soon = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._soon.timeout.connect(self._guess)
        self._lay_out()
        self._connect()
        self._show_state(NO_RUN)

    @property
    def is_guessing(self) -> bool:
        """Tell whether what is chosen is still being looked at."""
        return self._soon.isActive() or GUESS in self._surroundings.tasks.running()

    def open(self, session: Session | None) -> None:
        """Launch on a project, or on none."""
        self._session = session
        self._run = ""
        self._soon.stop()
        for kind in (READ, GUESS, TRY):
            self._surroundings.tasks.cancel(kind)
        self.form.forget()
        self.judge.open(session)
        self.prompt.forget()
        self.prompt.hide()
        self.examples.forget()
        self.examples.hide()
        self.tries.show_tries(())
        self._show_state(NO_RUN)

    def show_run(self, run: str) -> None:
        """Launch on another run."""
        if run != self._run:
            self._run = run
            self.tries.show_tries(())
        self.refresh()

    def refresh(self) -> None:
        """Read again what there is to choose from."""
        session, run = self._session, self._run
        if session is None or not run:
            self._show_state(NO_RUN)
            return
        if session.project.read_only:
            self._show_state(READ_ONLY)
            return
        work = beside(session, lambda own, _: launching.choices(own, run))
        task = self._surroundings.tasks.run(READ, work)
        task.finished.connect(self._take_choices)
        task.failed.connect(self._show_state)

    def begin(self) -> None:
        """Start the job."""
        session = self._session
        if session is None or not _kept(self.prompt):
            return
        wish = _wished(self.form, self.examples)
        if wish is None:
            return
        blind, session.blind = session.blind, False
        try:
            job = launching.launch(session, wish)
            self._surroundings.jobs.start(to_work(session, job.key))
        except ReviewerError as error:
            self._show_state(str(error))
        finally:
            session.blind = blind

    def toggle_try(self) -> None:
        """Try the wish on five evaluations, or stop the try that is under way."""
        tasks = self._surroundings.tasks
        if TRY in tasks.running():
            tasks.cancel(TRY)
            return
        session, wish = self._session, _wished(self.form, self.examples)
        if session is None or wish is None:
            return
        texts = {self.prompt.metric_name: self.prompt.text} if self.prompt.isVisible() else {}
        work = _seeing(session, lambda own, progress: five.try_five(
            own, wish, progress, prompts=texts))  # fmt: skip
        task = tasks.run(TRY, work)
        task.progressed.connect(self._show_trying)
        task.finished.connect(self._take_tries)
        task.failed.connect(self._show_problem)
        task.ended.connect(self._end_try)
        self.try_five.setText("Stop")
        self.trying.setRange(0, 0)
        self.trying.show()
        self.tries.show_tries(())

    def _lay_out(self) -> None:
        card = pieces.Card("Re-evaluate")
        holder = QWidget()
        inside = QVBoxLayout(holder)
        inside.setContentsMargins(0, 0, self._surroundings.theme.px(6), 0)
        for widget in (self.form, self.prompt, self.examples, self.tries):
            inside.addWidget(widget)
        inside.addStretch(1)
        self.area = ScrolledColumn(holder, "What is evaluated again")
        foot = QHBoxLayout()
        foot.addWidget(self.try_five)
        foot.addStretch(1)
        foot.addWidget(self.start)
        card.body.addWidget(self.area, 1)
        for below in (pieces.line(), self.estimate, self.problem, self.trying):
            card.body.addWidget(below)
        card.body.addLayout(foot)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(card)
        self.trying.hide()
        self.prompt.hide()
        self.examples.hide()

    def _connect(self) -> None:
        self.form.changed.connect(self._wish_guess)
        self.form.judge_changed.connect(self._show_prompt)
        self.form.metrics.changed.connect(self._show_prompt)
        self.form.what.currentIndexChanged.connect(lambda _: self._show_prompt())
        self.judge.changed.connect(self.refresh)
        self.judge.failed.connect(self.failed)
        self.prompt.kept.connect(lambda _: self._wish_guess())
        self.prompt.large_requested.connect(self._open_prompts)
        self.examples.changed.connect(self._wish_guess)
        self.examples.failed.connect(self.failed)
        self.tries.evaluation_requested.connect(self.evaluation_requested)

    def _take_choices(self, found: object) -> None:
        if self._session is None or not isinstance(found, Choices) or found.run != self._run:
            return
        self.form.setEnabled(True)
        self.form.show_choices(found)
        self._show_prompt()
        self._wish_guess()

    def _wish_guess(self) -> None:
        self._forecast = None
        self._soon.start()

    def _guess(self) -> None:
        session, wish = self._session, _wished(self.form, self.examples)
        if session is None or wish is None:
            self._show_state(self.form.problem if self._run else NO_RUN, form=bool(self._run))
            return
        work = _seeing(session, lambda own, _: launching.forecast(own, wish))
        task = self._surroundings.tasks.run(GUESS, work)
        task.finished.connect(self._take_forecast)
        task.failed.connect(self._show_problem)

    def _take_forecast(self, found: object) -> None:
        if self._session is None or not isinstance(found, Forecast):
            return
        self._forecast = found
        self.form.show_count(None if found.problem else found.evaluations)
        _say(self.estimate, found.sentence)
        self._show_problem(
            found.problem or self.judge.problem or found.warning,
            "alert" if found.problem else "human",
        )
        ready = not found.problem
        self.start.setEnabled(ready)
        self.try_five.setEnabled(ready)

    def _show_problem(self, sentence: str, role: str = "alert") -> None:
        pieces.set_property(self.problem, "role", role)
        self.problem.setText(sentence)
        self.problem.setVisible(bool(sentence))

    def _show_state(self, sentence: str, *, form: bool = False) -> None:
        self.form.setEnabled(form)
        _say(self.estimate, "")
        self._show_problem(sentence, "muted" if sentence == NO_RUN or form else "alert")
        self.start.setEnabled(False)
        self.try_five.setEnabled(False)

    def _show_prompt(self) -> None:
        session, metric, judge = self._session, self.form.single_metric, self.form.judge_choice
        rubric = self.form.rubric
        shown = session is not None and bool(metric) and judge is not None and bool(rubric)
        if session is not None and shown and judge is not None:
            self.prompt.show_prompt(
                session, session.rubric(rubric), metric, judge=judge.judge.name
            )
            self.examples.show_metric(session, metric, run=self._run)
        self.prompt.setVisible(shown)
        self.examples.setVisible(shown)

    def _open_prompts(self) -> None:
        session, metric, judge = self._session, self.form.single_metric, self.form.judge_choice
        if session is None or judge is None:
            return
        rubric, name = session.rubric(self.form.rubric), judge.judge.name
        dialog = open_prompts(
            self, session, self._surroundings, rubric=rubric, metric=metric, judge=name
        )
        dialog.kept.connect(lambda _: self._show_prompt())

    def _show_trying(self, done: int, total: int | None, _: str) -> None:
        self.trying.setRange(0, total or 0)
        self.trying.setValue(done)

    def _take_tries(self, found: object) -> None:
        if isinstance(found, tuple) and self._session is not None:
            self.tries.show_tries(found)
            # once the lines have their place
            QTimer.singleShot(0, self, lambda: self.area.ensureWidgetVisible(self.tries, 0, 0))

    def _end_try(self) -> None:
        self.trying.hide()
        self.try_five.setText("Try on 5")


def _say(label: QLabel, sentence: str) -> None:
    label.setText(sentence)
    label.setVisible(bool(sentence))


def _kept(prompt: PromptEditor) -> bool:
    """Keep a prompt that was changed; tells whether the job can be started."""
    return prompt.isHidden() or not prompt.is_changed or prompt.keep() is not None


def _wished(form: LaunchForm, examples: ExamplesPicker) -> Wish | None:
    """Give what is wished, with the examples that are checked."""
    wish = form.wish()
    if wish is None or examples.isHidden() or not examples.chosen:
        return wish
    return replace(wish, examples={examples.about: examples.chosen})


def _seeing(session: Session, work: Callable[..., object]) -> Callable[..., object]:
    """Read with a session that sees auto scores: what is selected may depend on them."""

    def seeing(own: Session, progress: object) -> object:
        own.blind = False
        return work(own, progress)

    return beside(session, seeing)
