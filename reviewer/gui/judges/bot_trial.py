"""A bot tried on one question: its answer, how long it took, and why it chose it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit

from reviewer.domain.judging import Bot
from reviewer.gui.kit import pieces
from reviewer.gui.kit.text import number, one_line, visible
from reviewer.gui.own_session import beside
from reviewer.gui.page import Surroundings
from reviewer.services.evaluating import trying
from reviewer.services.evaluating.trying import Answered
from reviewer.services.project.session import Session

KIND = "bot-trial"
ASKING = "Asking…"
LONGEST = 100_000


class BotTrial(pieces.Card):
    """A question, and what came of it; nothing is stored.

    Signals:
        asked: The question is to be asked; whoever has the bot calls `ask`.
    """

    asked = Signal()

    def __init__(self, surroundings: Surroundings, session: Session) -> None:
        """Make the card without an answer."""
        super().__init__("Try on a question")
        self._tasks, self._session = surroundings.tasks, session
        self.question = QLineEdit()
        self.question.setAccessibleName("Question")
        self.question.setPlaceholderText("When can I check in?")
        self.question.returnPressed.connect(self.asked)
        self.ask_button = pieces.Button("Ask", self.asked.emit, dense=True, name="Ask the bot")
        self.answer = QPlainTextEdit()
        self.answer.setReadOnly(True)
        self.answer.setTabChangesFocus(True)
        self.answer.setAccessibleName("Answer")
        self.answer.setMaximumHeight(surroundings.theme.px(96))
        self.facts = pieces.text("", "small", wrap=True, name="Latency and tokens")
        self.match = pieces.text("", wrap=True, name="Matched row")
        self.problem = pieces.text("", "alert", wrap=True, name="Why there is no answer")
        row = QHBoxLayout()
        row.addWidget(self.question, 1)
        row.addWidget(self.ask_button)
        self.body.addLayout(row)
        for widget in (self.problem, self.answer, self.match, self.facts):
            self.body.addWidget(widget)
        self.clear()

    def ask(self, bot: Bot) -> None:
        """Ask a bot the question in the field."""
        question = self.question.text().strip() or self.question.placeholderText()
        self.clear()
        self.say(ASKING, "muted")
        task = self._tasks.run(
            KIND,
            beside(self._session, lambda own, _: trying.bot(own, bot, question, in_view=True)),
        )
        task.finished.connect(self._show_answer)
        task.failed.connect(self.say)

    def clear(self) -> None:
        """Show no answer."""
        self.say("", "muted")
        for widget in (self.answer, self.match, self.facts):
            widget.hide()

    def say(self, sentence: str, role: str = "alert") -> None:
        """Say what is the matter."""
        self.problem.setText(sentence)
        pieces.set_property(self.problem, "role", role)
        self.problem.setVisible(bool(sentence))

    def _show_answer(self, found: object) -> None:
        if not isinstance(found, Answered):
            return
        self.say(found.error or "", "alert")
        self.answer.setPlainText(visible((found.response or "")[:LONGEST]).text)
        self.answer.setVisible(found.response is not None)
        said = match_words(found)
        self.match.setText(said)
        self.match.setVisible(bool(said))
        self.facts.setText(_facts(found))
        self.facts.setVisible(bool(self.facts.text()))


def match_words(found: Answered) -> str:
    """Say which row of the table was taken and why, nothing for other bots."""
    matched = found.beside.get("matched")
    if not isinstance(matched, dict):
        return ""
    likeness, shared = matched.get("similarity"), matched.get("shared")
    alike = number(likeness, 3) if isinstance(likeness, int | float) else "—"
    row = matched.get("row")
    if row is None:
        return f"No row is like enough; the best has a similarity of {alike}."
    words = ", ".join(map(str, shared)) if isinstance(shared, list) and shared else "none"
    asked = one_line(str(matched.get("question", "")), 120)
    return f"Row {row}, “{asked}” · similarity {alike} · shared words: {words}"


def _facts(found: Answered) -> str:
    parts = [] if found.latency_ms is None else [f"{found.latency_ms:,.1f} ms"]
    if found.tokens_in is not None:
        parts.append(f"{found.tokens_in:,} tokens in, {found.tokens_out or 0:,} out")
    if found.cost_usd is not None:
        parts.append(f"${found.cost_usd:.4f}")
    return " · ".join(parts)
