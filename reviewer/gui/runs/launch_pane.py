"""The pane "Re-evaluate": chosen, foretold, tried on five, started."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from reviewer.gui.background import beside, seeing
from reviewer.gui.jobs.job_lines import to_work
from reviewer.gui.jobs.jobs_at_work import JobAtWork
from reviewer.gui.judges import examples_picker, prompt_editor, prompt_trial
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.pieces import ScrolledColumn
from reviewer.gui.kit.tasks import soon
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import ProjectSurroundings
from reviewer.gui.runs import launch_judge
from reviewer.gui.runs.launch_form import LaunchForm
from reviewer.gui.runs.launch_judge import LaunchJudge, LaunchPrompt, TriesView
from reviewer.services.jobs import estimating, launching, trying
from reviewer.services.jobs.estimating import Forecast
from reviewer.services.jobs.launching import Choices, Wish
from reviewer.services.project.sight import hidden_now

READ, GUESS, TRY = "launch choices", "launch forecast", "try on five"
ENDS = (
    READ,
    GUESS,
    TRY,
    launch_judge.ASK,
    prompt_editor.KEYS,
    prompt_trial.PREVIEW,
    prompt_trial.ASK,
    examples_picker.READ,
)
"""The kinds of tasks that end with the pane."""
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

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the pane without a run."""
        super().__init__()
        self._surroundings = surroundings
        self._session = surroundings.session
        self._run = ""
        self.form = LaunchForm(surroundings.theme)
        self.judge = LaunchJudge(surroundings, self.form)
        self.prompt = LaunchPrompt(surroundings, self.form)
        self.about = pieces.named(
            pieces.ElidedText("", "muted", is_name=True), "The run that is evaluated again"
        )
        self.estimate = pieces.text("", "muted", wrap=True, name="What it would take")
        self.problem = pieces.text("", "alert", wrap=True, name="What is in the way")
        self.tries = TriesView(surroundings.theme)
        self.trying = pieces.named(QProgressBar(textVisible=False), "Progress of the try")
        self.try_five = pieces.Button("Try on 5", self.toggle_try)
        self.start = StartButton(surroundings, self.begin)
        self.settling = soon(self, self._guess, SETTLE_MS)
        self._lay_out()
        pieces.connect(
            (self.form.changed, self._wish_guess),
            (self.judge.failed, self.failed),
            (self.prompt.changed, self._wish_guess),
            (self.prompt.failed, self.failed),
            (self.start.failed, self._show_problem),
            (self.tries.evaluation_requested, self.evaluation_requested),
        )
        self._show_state(NO_RUN)

    def show_run(self, run: str) -> None:
        """Launch on another run."""
        if run != self._run:
            self._run = run
            self.about.setText(one_line(run, 80))
            self.tries.show_tries(())
        self.refresh()

    def refresh(self) -> None:
        """Read again what there is to choose from."""
        run = self._run
        if not run:
            self._show_state(NO_RUN)
            return
        if self._session.project.read_only:
            self._show_state(READ_ONLY)
            return
        self._surroundings.tasks.run(
            READ,
            beside(self._session, lambda own, _: launching.choices(own, run)),
            then=self._take_choices,
            failed=self._show_state,
        )

    def begin(self) -> None:
        """Start the job."""
        if self.start.is_busy or not self.prompt.keep():
            return
        wish = self._wished()
        if wish is not None:
            self.start.launch(wish)

    def toggle_try(self) -> None:
        """Try the wish on five evaluations, or stop the try that is under way."""
        tasks = self._surroundings.tasks
        if TRY in tasks.running():
            tasks.cancel(TRY)
            return
        wish, hidden = self._wished(), hidden_now(self._session)
        if wish is None:
            return
        task = tasks.run(
            TRY,
            seeing(
                self._session,
                lambda own, progress: trying.try_five(own, wish, progress, hidden=hidden),
            ),
            then=self._take_tries,
            failed=self._show_problem,
        )
        pieces.connect(
            (task.progressed, self._show_trying),
            (task.ended, self._end_try),
        )
        self.try_five.setText("Stop")
        self.trying.setRange(0, 0)
        self.trying.show()
        self.tries.show_tries(())

    def _lay_out(self) -> None:
        card = pieces.Card("Re-evaluate")
        card.head.insertWidget(1, self.about, 1)
        holder = QWidget()
        layouts.column(
            self.form,
            self.prompt,
            self.tries,
            1,
            on=holder,
            margins=(0, 0, self._surroundings.theme.px(6), 0),
        )
        self.area = ScrolledColumn(holder, "What is evaluated again")
        layouts.fill(
            card.body,
            (self.area, 1),
            pieces.line(),
            self.estimate,
            self.problem,
            self.trying,
            layouts.row(self.try_five, 1, self.start),
        )
        layouts.column(card, on=self, margins=0)
        self.trying.hide()

    def _take_choices(self, found: Choices) -> None:
        if found.run == self._run:
            self.form.setEnabled(True)
            self.form.show_choices(found)
            self.prompt.show_run(self._run)
            self._wish_guess()

    def _wish_guess(self) -> None:
        self.settling.start()

    def _guess(self) -> None:
        wish = self._wished()
        if wish is None:
            self._show_state(self.form.problem if self._run else NO_RUN, form=bool(self._run))
            return
        self._surroundings.tasks.run(
            GUESS,
            seeing(self._session, lambda own, _: estimating.forecast(own, wish)),
            then=self._take_forecast,
            failed=self._show_problem,
        )

    def _take_forecast(self, found: Forecast) -> None:
        self.form.show_count(None if found.problem else found.evaluations)
        beside = self.form.scorers.show_misfit(found.misfit)
        pieces.say(self.estimate, found.sentence)
        self._show_problem(
            beside or found.problem or self.judge.problem or found.warning,
            "alert" if found.problem else "human",
        )
        ready = not found.problem
        self.start.set_ready(ready=ready)
        self.try_five.setEnabled(ready)

    def _show_problem(self, sentence: str, role: str = "alert") -> None:
        pieces.say(self.problem, sentence, role)

    def _show_state(self, sentence: str, *, form: bool = False) -> None:
        self.form.setEnabled(form)
        pieces.say(self.estimate, "")
        self._show_problem(sentence, "muted" if sentence == NO_RUN or form else "alert")
        self.start.set_ready(ready=False)
        self.try_five.setEnabled(False)

    def _wished(self) -> Wish | None:
        wish = self.form.wish()
        return None if wish is None else self.prompt.added(wish)

    def _show_trying(self, done: int, total: int | None, _: str) -> None:
        self.trying.setRange(0, total or 0)
        self.trying.setValue(done)

    def _take_tries(self, found: Sequence[trying.Try]) -> None:
        self.tries.show_tries(found)
        # once the lines have their place
        QTimer.singleShot(0, self, lambda: self.area.ensureWidgetVisible(self.tries, 0, 0))

    def _end_try(self) -> None:
        self.trying.hide()
        self.try_five.setText("Try on 5")


KEEP = "keep a job"


class StartButton(pieces.Button):
    """Can be pressed once what is chosen can be launched, and not again before that is done.

    Signals:
        failed: Why there is no job, as a sentence.
    """

    failed = Signal(str)

    def __init__(self, surroundings: ProjectSurroundings, pressed: Callable[[], object]) -> None:
        """Make the button; who has the wish calls `launch`."""
        super().__init__("Start", pressed, kind="primary")
        self._surroundings = surroundings
        self._is_ready = False

    @property
    def is_busy(self) -> bool:
        """Tell whether a job is just being kept."""
        return KEEP in self._surroundings.tasks.running()

    def set_ready(self, *, ready: bool) -> None:
        """Say whether what is chosen can be launched."""
        self._is_ready = ready
        self.setEnabled(ready and not self.is_busy)

    def launch(self, wish: Wish) -> None:
        """Keep a job that does what is wished, and start it."""
        if not self.is_busy:
            session = self._surroundings.session
            self._surroundings.tasks.run(
                KEEP,
                seeing(session, lambda own, _: to_work(own, launching.launch(own, wish).key)),
                then=self._take,
                failed=self.failed,
            ).ended.connect(self._end)
            self.setEnabled(False)

    def _take(self, job: JobAtWork) -> None:
        self._surroundings.jobs.start(job)

    def _end(self) -> None:
        self.set_ready(ready=self._is_ready)
