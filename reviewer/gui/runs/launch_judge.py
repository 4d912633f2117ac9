"""Judge and prompt in the launch pane: reachable, with a key, in which version, tried on five."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from reviewer.domain.judging import Prompt
from reviewer.gui.background import beside
from reviewer.gui.jobs import job_words
from reviewer.gui.judges.bots_dialog import BotsDialog
from reviewer.gui.judges.dialog import JudgesDialog
from reviewer.gui.judges.examples_picker import ExamplesPicker
from reviewer.gui.judges.opening import open_bots, open_judges, open_prompts
from reviewer.gui.judges.prompt_editor import PromptDialog, PromptEditor
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectSurroundings
from reviewer.gui.runs.launch_form import LaunchForm
from reviewer.services.jobs import trying
from reviewer.services.jobs.launching import Wish
from reviewer.services.jobs.trying import Try

ASK = "ask the judge for a word"
ASKING = "asking…"
NOT_ASKED = "○ not tested"


class LaunchJudge(QObject):
    """Fills and answers the judge's rows of the form.

    Signals:
        failed: An expected error, as a sentence.
    """

    failed = Signal(str)

    def __init__(self, surroundings: ProjectSurroundings, form: LaunchForm) -> None:
        """Serve a form."""
        super().__init__(form)
        self._surroundings = surroundings
        self._form = form
        self._session = surroundings.session
        self._asking = ""
        self._asked: dict[str, tuple[str, str, str]] = {}
        pieces.connect(
            (form.judge_changed, self._show),
            (form.test.clicked, lambda *_: self.ask()),
            (form.edit_judge.clicked, lambda *_: self.open_judges()),
            (form.set_key.clicked, lambda *_: self.open_judges()),
            (form.edit_bot.clicked, lambda *_: self.open_bots()),
        )
        self._show()

    @property
    def problem(self) -> str:
        """Say what is in the judge's way, nothing where nothing is known to be."""
        chosen = self._form.judge_choice
        if self._form.kind != "judge" or chosen is None:
            return ""
        if chosen.endpoint is None:
            return f"The endpoint {chosen.judge.endpoint} of {chosen.judge.name} is not there."
        if chosen.key is not None and not chosen.key.is_there:
            return f"The key of {chosen.endpoint.name} is {chosen.key.words}; calls will fail."
        return ""

    def open_judges(self) -> JudgesDialog:
        """Show judges, endpoints, keys and prices, with the chosen judge."""
        chosen = self._form.judge_choice
        name = chosen.judge.name if chosen is not None else ""
        return open_judges(self._form, self._surroundings, name)

    def open_bots(self) -> BotsDialog:
        """Show the bots."""
        return open_bots(self._form, self._surroundings)

    def ask(self) -> None:
        """Ask the chosen judge for a word, beside the window."""
        chosen = self._form.judge_choice
        if chosen is None:
            return
        if ASK in self._surroundings.tasks.running():
            # nobody waits for the reply of the judge before any more
            self._asked.pop(self._asking, None)
        self._asking = name = chosen.judge.name
        self._note(ASKING, "muted")
        self._surroundings.tasks.run(
            ASK,
            beside(self._session, lambda own, _: trying.endpoint(own, name)),
            then=self._take_reply,
            failed=self._take_failure,
        )

    def _take_reply(self, said: object) -> None:
        self._note("● reachable", "adjusted", str(said))

    def _take_failure(self, said: str) -> None:
        self._note("● not reachable", "alert", said)

    def _note(self, words: str, role: str, said: str = "") -> None:
        self._asked[self._asking] = (words, role, said)
        self._show()

    def _show(self) -> None:
        form, chosen = self._form, self._form.judge_choice
        words, role, said = self._asked.get(
            chosen.judge.name if chosen is not None else "", (NOT_ASKED, "muted", "")
        )
        pieces.write(form.dot, words, tip=said)
        pieces.set_property(form.dot, "role", role)
        form.test.setEnabled(chosen is not None and words != ASKING)
        key = chosen.key if chosen is not None else None
        form.key.setText("" if key is None else key.words)
        pieces.set_property(form.key, "role", "" if key is None or key.is_there else "alert")
        form.set_key.setVisible(key is not None and key.place != "not needed")


class LaunchPrompt(QWidget):
    """Editor and examples of the one metric that a judge is asked about; else out of view.

    Signals:
        changed: Another text, or other examples, would be asked with.
        failed: An expected error, as a sentence.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, surroundings: ProjectSurroundings, form: LaunchForm) -> None:
        """Serve a form."""
        super().__init__()
        self._surroundings = surroundings
        self._form = form
        self._session = surroundings.session
        self._run = ""
        self._drafts: dict[str, str] = {}
        self.editor = PromptEditor(surroundings)
        self.examples = ExamplesPicker(surroundings)
        layouts.column(self.editor, self.examples, on=self, margins=0)
        pieces.connect(
            (form.judge_changed, self._show),
            (form.metrics.changed, self._show),
            (form.what.currentIndexChanged, lambda _: self._show()),
            (self.editor.changed, self.changed),
            (self.editor.kept, lambda _: self.changed.emit()),
            (self.editor.large_requested, self.open_large),
            (self.examples.changed, self.changed),
            (self.examples.failed, self.failed),
        )
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
        return replace(wish, prompts={self.editor.metric_name: self.editor.text}, examples=shown)

    def open_large(self) -> PromptDialog | None:
        """Show the large editor; what is kept there is asked with from then on."""
        metric, judge = self._form.single_metric, self._form.judge_choice
        if judge is None:
            return None
        dialog = open_prompts(
            self, self._surroundings, rubric=self._session.rubric(self._form.rubric),
            metric=metric, judge=judge.judge.name,
        )  # fmt: skip
        dialog.kept.connect(self._take)
        return dialog

    def _show(self) -> None:
        metric, judge = self._form.single_metric, self._form.judge_choice
        rubric = self._form.rubric
        if judge is None or not metric or not rubric:
            self.hide()
            return
        editor, name = self.editor, judge.judge.name
        if editor.is_changed and editor.metric_name != metric:
            self._drafts[editor.metric_name] = editor.text
        editor.show_prompt(self._session.rubric(rubric), metric, judge=name)
        if metric in self._drafts:
            editor.set_text(self._drafts.pop(metric))
        self.examples.show_metric(metric, run=self._run)
        self.show()

    def _take(self, kept: object) -> None:
        self._show()
        if isinstance(kept, Prompt) and kept.metric == self.editor.metric_name:
            self.editor.set_text(kept.text)


LONGEST = 160


class TriesView(QWidget):
    """A line an evaluation: value, reasoning, what people gave; its id opens it.

    Signals:
        evaluation_requested: An evaluation is to be opened on Review, by its key.
    """

    evaluation_requested = Signal(int)

    def __init__(self, theme: Theme) -> None:
        """Make it empty."""
        super().__init__(accessibleName="What came of the try")
        self._column = layouts.column(on=self, margins=0, gap=theme.px(6))
        self.hide()

    def show_tries(self, tries: Sequence[Try]) -> None:
        """Show what came of a try; nothing hides the view."""
        pieces.clear(self._column)
        for each in tries:
            self._column.addWidget(self._line(each))
        if tries:
            self._column.addWidget(pieces.text(_sum(tries), "small", wrap=True))
        self.setVisible(bool(tries))

    def _line(self, each: Try) -> QWidget:
        line = QWidget()
        flow = layouts.FlowLayout(line, spacing=6)
        name = one_line(each.id, 30)
        wish = pieces.named(
            pieces.Button(name, lambda: self.evaluation_requested.emit(each.key), kind="link"),
            f"Open {name} on Review",
        )
        flow.addWidget(wish)
        if each.value is not None:
            value = pieces.text(_value(each.value), "auto")
            value.setProperty("weight", "strong")
            flow.addWidget(value)
        if each.people:
            given = ", ".join(_value(x) for x in each.people)
            flow.addWidget(pieces.text(f"people: {given}", "human"))
        words = one_line(each.said, LONGEST) or "no reasoning"
        said = pieces.text(words, "muted" if each.worked else "alert", wrap=True)
        said.setToolTip(each.said[:2_000])
        column = QWidget()
        rows = layouts.column(on=column, margins=0, gap=1)
        if each.metric:
            flow.addWidget(pieces.text(each.metric, "small"))
        layouts.fill(rows, line, said)
        return column


def _value(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else one_line(str(value), 40)


def _sum(tries: Sequence[Try]) -> str:
    worked = sum(1 for x in tries if x.worked)
    words = f"{worked} of {len(tries)} worked; nothing of it is stored"
    known = [x.cost_usd for x in tries if x.cost_usd is not None]
    return f"{words} · {job_words.money(sum(known))}." if known else f"{words}."
