"""The scores of the chosen job: whether they count, make them the record, take them back."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar

from reviewer.gui.kit import pieces
from reviewer.gui.kit.text import visible
from reviewer.gui.runs.words import many
from reviewer.services.evaluating.job_scores import JobScores

QUESTION = (
    "Take the scores that this job gave to {many} away from every figure? They stay in the file, "
    "and Ctrl+Z brings them back."
)


class JobScoresCard(pieces.Card):
    """What became of a job's scores; discarding asks once, as it is much at a time.

    Signals:
        record_requested: They are to be made the record, by the job's number.
        discard_requested: They are to be taken back, by the job's number.
    """

    record_requested = Signal(int)
    discard_requested = Signal(int)

    def __init__(self) -> None:
        """Make the card without a job."""
        super().__init__("Scores")
        self._found: JobScores | None = None
        self.told = pieces.text("", wrap=True, name="Whether these scores count")
        self.problem = pieces.text("", "small", wrap=True)
        self.make = pieces.Button("Make it the record", self._make, dense=True)
        self.make.setToolTip("Let these scores count where another version's do now.")
        self.discard = pieces.Button("Discard its scores…", self.ask, dense=True)
        self.question = pieces.text("", "human", wrap=True)
        self.really = pieces.Button("Discard them", self._discard, dense=True)
        self.keep = pieces.Button("Keep them", self._keep, dense=True)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Progress of discarding")
        for button in (self.make, self.discard):
            self.head.addWidget(button)
        foot = QHBoxLayout()
        foot.addWidget(self.really)
        foot.addWidget(self.keep)
        foot.addStretch(1)
        for widget in (self.told, self.problem, self.question, self.bar):
            self.body.addWidget(widget)
        self.body.addLayout(foot)
        self._show_question(shown=False)
        self.bar.hide()
        self.hide()

    def show_scores(self, found: JobScores | None) -> None:
        """Show what became of a job's scores; None where it gives none."""
        if self._found is None or found is None or self._found.job != found.job:
            self._show_question(shown=False)
        self._found = found
        self.setVisible(found is not None)
        self.bar.hide()
        if found is None:
            return
        self.title.setText(f"Scores of job {found.job}")
        said = visible(found.sentence).text
        self.told.setText(said)
        self.told.setVisible(bool(said))
        self.problem.setText("" if found.discarded else visible(found.problem).text)
        self.problem.setVisible(bool(self.problem.text()))
        self.make.setVisible(found.may_record)
        self.discard.setVisible(found.may_discard)
        if not found.may_discard:
            self._show_question(shown=False)
        self.let_act(possible=True)

    def ask(self) -> None:
        """Say what would go, and wait for a second press."""
        if self._found is None:
            return
        self.question.setText(QUESTION.format(many=many(self._found.evaluations, "evaluation")))
        self._show_question(shown=True)
        self.keep.setFocus()

    def let_act(self, *, possible: bool) -> None:
        """Let the buttons be pressed, or wait until what was asked for is done."""
        for button in (self.make, self.discard):
            button.setEnabled(possible)

    def show_progress(self, done: int, total: int | None) -> None:
        """Show how far discarding is."""
        self.bar.setRange(0, total or 0)
        self.bar.setValue(done)
        self.bar.show()

    def _make(self) -> None:
        if self._found is not None:
            self.record_requested.emit(self._found.job)

    def _discard(self) -> None:
        if self._found is not None:
            self._show_question(shown=False)
            self.discard_requested.emit(self._found.job)

    def _keep(self) -> None:
        self._show_question(shown=False)
        self.discard.setFocus()

    def _show_question(self, *, shown: bool) -> None:
        for widget in (self.question, self.really, self.keep):
            widget.setVisible(shown)
        self.discard.setEnabled(not shown)
