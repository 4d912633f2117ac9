"""A prompt tried on a real evaluation: what it asks, and what the judge replies to it."""

from collections.abc import Sequence

from PySide6.QtWidgets import QPlainTextEdit, QTabWidget, QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.domain.wording import fixed, score_words
from reviewer.gui.background import beside
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.text import one_line, visible
from reviewer.gui.page import ProjectSurroundings
from reviewer.services.jobs import trying
from reviewer.services.jobs.trying import Tried
from reviewer.services.judging import prompts
from reviewer.services.judging.prompts import Preview
from reviewer.services.labelling import entering

PREVIEW, ASK = "prompt-preview", "prompt-ask"
NOTHING = "No evaluation to try the prompt on."
ASKING = "Asking…"
HIDDEN = (
    "You have not answered this one: the reply tells what a judge thinks of it. Ask once more to "
    "see it; that is recorded with your later labels."
)
LONGEST = 200_000
UNUSABLE = "The prompt cannot be used as it stands."


class PromptTrial(QWidget):
    """One evaluation at a time, the filled-in prompt, and the reply beside people's labels."""

    def __init__(self, surroundings: ProjectSurroundings, *, compact: bool) -> None:
        """Make it empty; a compact one leaves the long texts out."""
        super().__init__()
        self._surroundings, theme = surroundings, surroundings.theme
        self._session = surroundings.session
        self._metric = self._text = self._judge = ""
        self._keys: tuple[int, ...] = ()
        self._place = 0
        self._warned: int | None = None
        self._preview: Preview | None = None
        self.which = pieces.ElidedText("", "strong")
        self.before = pieces.Button(
            "◂", lambda: self.go(-1), name="Previous evaluation", dense=True
        )
        self.after = pieces.Button("▸", lambda: self.go(1), name="Next evaluation", dense=True)
        self.ask_button = pieces.Button("Ask", self.ask, name="Ask the judge once", dense=True)
        self.score = pieces.text("", "auto", name="Score of the judge")
        self.people = pieces.text("", wrap=True, name="What people gave")
        self.reasoning = pieces.text("", wrap=True, name="Reasoning of the judge")
        self.facts = pieces.text("", "small", wrap=True)
        self.flags = pieces.text("", "notice", wrap=True, name="Signs of instructions")
        self.problem = pieces.text("", "alert", wrap=True, name="Why there is no score")
        self.asked, self.raw, self.trace = (
            _long_text(x) for x in ("Prompt", "Raw reply", "Trace")
        )
        self.tabs = pieces.named(QTabWidget(documentMode=True), "Prompt and reply")
        self.tabs.tabBar().setDrawBase(False)
        titles = ("What is asked", "Raw reply", "Reasoning trace")
        for widget, title in zip((self.asked, self.raw, self.trace), titles, strict=True):
            self.tabs.addTab(widget, title)
        if compact:
            self.tabs.hide()
        self._arrange(theme.px(6))
        self._clear_reply()

    def show_prompt(self, metric: str, *, judge: str) -> None:
        """Try prompts of a metric with a judge, by name; without one nothing can be asked."""
        self._metric, self._judge = metric, judge
        self.ask_button.setEnabled(bool(judge))
        self.ask_button.setToolTip("" if judge else "Choose a judge first.")

    def show_keys(self, keys: Sequence[int]) -> None:
        """Go through these evaluations."""
        kept = self._keys[self._place] if self._keys else None
        self._keys = tuple(keys)
        self._place = self._keys.index(kept) if kept in self._keys else 0
        self.go(0)

    def show_text(self, text: str) -> None:
        """Fill in this text from now on; an empty one is nothing to ask with."""
        self._text = text
        self._fill()

    def go(self, step: int) -> None:
        """Move to another evaluation."""
        if self._keys:
            self._place = min(max(self._place + step, 0), len(self._keys) - 1)
        self.before.setEnabled(self._place > 0)
        self.after.setEnabled(self._place < len(self._keys) - 1)
        self.which.setText("" if self._keys else NOTHING)
        self._clear_reply()
        self._fill()

    def ask(self) -> None:
        """Let the judge score the evaluation once; nothing is stored but that it was seen."""
        seen = self._preview
        if seen is None or not self._judge or self.problem.text() == ASKING:
            return
        if not self._text:
            self._say(UNUSABLE)
            return
        if seen.hidden and self._warned != seen.key:
            self._warned = seen.key
            self._say(HIDDEN, "notice")
            return
        try:
            if seen.hidden:
                entering.reveal(self._session, seen.key)
        except ReviewerError as error:
            self._say(str(error), "alert")
            return
        judge, metric, text = self._judge, self._metric, self._text
        self._clear_reply()
        self._say(ASKING, "muted")
        self._surroundings.tasks.run(
            ASK,
            beside(
                self._session, lambda own, _: trying.prompt(own, judge, seen.key, metric, text)
            ),
            then=self._show_reply,
            failed=self._say,
        )

    def _fill(self) -> None:
        if self._keys and self._text:
            key, metric, text = self._keys[self._place], self._metric, self._text
            self._surroundings.tasks.run(
                PREVIEW,
                beside(self._session, lambda own, _: prompts.preview(own, key, metric, text)),
                then=self._show_preview,
                failed=self._say,
            )

    def _show_preview(self, found: Preview) -> None:
        self._preview = found
        if self.problem.property("role") == "alert":
            self._say("")
        place = f"{self._place + 1:,} of {len(self._keys):,}"
        self.which.setText(f"{one_line(found.id, 60)} · {place}")
        whole = f"[system]\n{found.system}\n\n[user]\n{found.user}"
        self.asked.setPlainText(visible(whole[:LONGEST]).text)
        pieces.say(self.people, _people(found), "human" if found.people else "muted")
        flags = " · ".join(f"“{one_line(x, 60)}”" for x in found.flagged)
        pieces.say(self.flags, f"Looks like instructions to the judge: {flags}" if flags else "")

    def _show_reply(self, found: Tried) -> None:
        asked = found.asked
        self._say(asked.problem or "", "alert")
        self.score.setText(score_words(found.value) if found.value is not None else "no score")
        self.score.show()
        pieces.say(self.reasoning, one_line(found.reasoning, 600))
        self.facts.setText(_facts(found))
        self.facts.show()
        self.raw.setPlainText(visible(asked.raw[:LONGEST]).text)
        self.trace.setPlainText(visible((asked.trace or "The model gives none.")[:LONGEST]).text)
        # people's labels are there now if asking revealed them
        self._fill()

    def _clear_reply(self) -> None:
        for label in (self.score, self.reasoning, self.facts, self.people, self.flags):
            label.setText("")
            label.hide()
        for field in (self.raw, self.trace):
            field.setPlainText("")
        self._say("")

    def _say(self, sentence: str, role: str = "alert") -> None:
        pieces.say(self.problem, sentence, role)

    def _arrange(self, gap: int) -> None:
        layouts.column(
            layouts.row(
                pieces.text("On", "muted"),
                (self.which, 1),
                self.before,
                self.after,
                self.ask_button,
            ),
            layouts.row(self.score, (self.people, 1)),
            self.reasoning,
            self.facts,
            self.flags,
            self.problem,
            (self.tabs, 1),
            on=self,
            margins=0,
            gap=gap,
        )


def _long_text(name: str) -> QPlainTextEdit:
    return pieces.dressed(
        pieces.named(QPlainTextEdit(readOnly=True, tabChangesFocus=True), name), role="mono"
    )


def _people(found: Preview) -> str:
    if found.hidden:
        return "people: hidden until you have answered"
    if not found.people:
        return "people: not labelled yet"
    return "people: " + ", ".join(score_words(x.value) for x in found.people)


def _facts(found: Tried) -> str:
    asked = found.asked
    parts = [f"{fixed(asked.latency_ms, 0)} ms"]
    if asked.tokens_in is not None:
        parts.append(f"{asked.tokens_in:,} tokens in, {asked.tokens_out or 0:,} out")
    parts.append("price not known" if found.cost_usd is None else f"${fixed(found.cost_usd, 4)}")
    return " · ".join(parts)
