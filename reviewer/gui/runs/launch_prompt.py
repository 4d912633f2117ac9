"""The prompt in the launch pane: what is in view is what is foretold, tried and started."""

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from reviewer.domain.judging import Prompt
from reviewer.gui.judges.examples_picker import ExamplesPicker
from reviewer.gui.judges.opening import open_prompts
from reviewer.gui.judges.prompt_dialog import PromptDialog
from reviewer.gui.judges.prompt_editor import PromptEditor
from reviewer.gui.page import Surroundings
from reviewer.gui.runs.launch_form import LaunchForm
from reviewer.services.evaluating.launching import Wish
from reviewer.services.project.session import Session


class LaunchPrompt(QWidget):
    """Editor and examples of the one metric that a judge is asked about; else out of view.

    Signals:
        changed: Another text, or other examples, would be asked with.
        failed: An expected error, as a sentence.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, surroundings: Surroundings, form: LaunchForm) -> None:
        """Serve a form."""
        super().__init__()
        self._surroundings = surroundings
        self._form = form
        self._session: Session | None = None
        self._run = ""
        self._drafts: dict[str, str] = {}
        self.editor = PromptEditor(surroundings)
        self.examples = ExamplesPicker(surroundings)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.editor)
        column.addWidget(self.examples)
        form.judge_changed.connect(self._show)
        form.metrics.changed.connect(self._show)
        form.what.currentIndexChanged.connect(lambda _: self._show())
        self.editor.changed.connect(self.changed)
        self.editor.kept.connect(lambda _: self.changed.emit())
        self.editor.large_requested.connect(self.open_large)
        self.examples.changed.connect(self.changed)
        self.examples.failed.connect(self.failed)
        self.hide()

    def open(self, session: Session | None) -> None:
        """Serve a project, or none."""
        self._session, self._run = session, ""
        self._drafts.clear()
        self.editor.forget()
        self.examples.forget()
        self.hide()

    def show_run(self, run: str) -> None:
        """Show the prompt of what is chosen for a run."""
        self._run = run
        self._show()

    def keep(self) -> bool:
        """Keep a text that no version has; tells whether the job can be started."""
        return self.isHidden() or self.editor.keep() is not None

    def added(self, wish: Wish) -> Wish:
        """Give a wish with the text and the examples that are in view."""
        if self.isHidden():
            return wish
        examples = self.examples
        shown = {examples.about: examples.chosen} if examples.chosen else {}
        texts = {self.editor.metric_name: self.editor.text}
        return replace(wish, prompts=texts, examples=shown)

    def open_large(self) -> PromptDialog | None:
        """Show the large editor; what is kept there is asked with from then on."""
        session, metric, judge = self._session, self._form.single_metric, self._form.judge_choice
        if session is None or judge is None:
            return None
        dialog = open_prompts(
            self, session, self._surroundings, rubric=session.rubric(self._form.rubric),
            metric=metric, judge=judge.judge.name,
        )  # fmt: skip
        dialog.kept.connect(self._take)
        return dialog

    def _show(self) -> None:
        session, metric, judge = self._session, self._form.single_metric, self._form.judge_choice
        rubric = self._form.rubric
        if session is None or judge is None or not metric or not rubric:
            self.hide()
            return
        editor, name = self.editor, judge.judge.name
        if editor.is_changed and editor.metric_name != metric:
            self._drafts[editor.metric_name] = editor.text
        editor.show_prompt(session, session.rubric(rubric), metric, judge=name)
        if metric in self._drafts:
            editor.set_text(self._drafts.pop(metric))
        self.examples.show_metric(session, metric, run=self._run)
        self.show()

    def _take(self, kept: object) -> None:
        self._show()
        if isinstance(kept, Prompt) and kept.metric == self.editor.metric_name:
            self.editor.set_text(kept.text)
