"""The dialog of bots: what answers the cases of a run or test set again, and a trial of it."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QWidget,
)

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Bot, BotKind
from reviewer.domain.wording import fixed, score_words
from reviewer.gui.background import beside
from reviewer.gui.judges.bot_forms import BotForm, CommandForm, HttpForm, ModelForm, StrictForm
from reviewer.gui.judges.follower import Follower
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.form import Form, Note, Text
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line, visible
from reviewer.gui.page import ProjectDialog, Surroundings
from reviewer.services.bots import bots
from reviewer.services.jobs import trying
from reviewer.services.jobs.trying import Answered
from reviewer.services.judging import judges
from reviewer.services.project.session import Session

_COLUMNS = (Column("bot"),)


class BotHead(Form):
    """What all bots have."""

    kind = Note("Kind")
    name = Text("Name", "such as FAQ match")
    note = Text("Note")


class BotsDialog(ProjectDialog):
    """The list, the form of the chosen bot, and a question to try it on."""

    def __init__(self, surroundings: Surroundings, session: Session, parent: QWidget) -> None:
        """Show a project's bots."""
        super().__init__(parent, "Bots")
        self._session = session
        self._kind: BotKind = "strict_match"
        theme = surroundings.theme
        fit(self, theme.px(960), theme.px(720))
        self.list = GridView(theme, _COLUMNS, "Bots")
        self.list.row_chosen.connect(lambda key: self._show(str(key)))
        self.add_button = pieces.Button("Add ▾", self._offer, dense=True, name="Add a bot")
        self.head = BotHead(theme)
        self.strict = StrictForm(theme)
        self.whole = ModelForm(surroundings, session, document=True)
        self.chat = ModelForm(surroundings, session, document=False)
        self.http, self.command = HttpForm(surroundings), CommandForm(theme)
        self._forms: dict[BotKind, BotForm] = {
            "strict_match": self.strict, "full_context": self.whole, "chat": self.chat,
            "http": self.http, "command": self.command,
        }  # fmt: skip
        self.trial = BotTrial(surroundings, session)
        self.trial.asked.connect(self.ask)
        self.said = pieces.text("", "muted", wrap=True, name="What happened")
        self.keep_button = pieces.Button("Keep", self.keep, kind="primary")
        self.remove_button = pieces.Button("Remove", self.remove)
        self._kept: Bot | None = None
        self._shown: Bot | None = None
        self._arrange(surroundings)
        self.refresh()
        Follower(self, session, lambda: self)

    def refresh(self) -> None:
        """Show the bots as they are now."""
        found = judges.bots(self._session)
        self.list.show_rows([(x.name, _cells(x)) for x in found])
        names = [x.name for x in found]
        if names and self.list.chosen() not in names:
            self.list.choose(names[0])
        self.right.setEnabled(bool(names) or bool(self.head.name.text()))
        self.remove_button.setEnabled(bool(names))
        if not names and not self.head.name.text():
            self._say("Add a bot to answer the cases of a run or test set again.", "muted")

    def begin(self, kind: BotKind) -> None:
        """Begin a bot of a kind; nothing is kept yet."""
        self.list.clearSelection()
        self._fill(
            Bot(name=_free(bots.KINDS[kind].title, self._session), kind=kind), is_kept=False
        )
        self.right.setEnabled(True)
        self._say("", "muted")
        self.head.name.setFocus()

    def bot(self) -> Bot:
        """Give the bot as it stands in the form.

        Raises:
            ReviewerError: Something in it cannot be read.
        """
        return Bot(
            name=self.head.name.text().strip(),
            kind=self._kind,
            settings=self._forms[self._kind].settings(),
            note=self.head.note.text().strip(),
        )

    @property
    def is_typed(self) -> bool:
        """Tell whether something stands in the form that is not kept."""
        try:
            return bool(self.head.name.text()) and self.bot() != self._shown
        except ReviewerError:
            return True

    def keep(self) -> None:
        """Keep what stands in the form."""
        try:
            made = self.bot()
            bots.keep(self._session, made)
        except ReviewerError as error:
            self._say(str(error), "alert")
            return
        self.refresh()
        self.list.choose(made.name)
        self._fill(made, is_kept=True)
        self._say(f"The bot {made.name} is kept.", "muted")

    def remove(self) -> None:
        """Take the chosen bot away."""
        try:
            said = judges.remove_bot(self._session, str(self.list.chosen() or ""))
        except ReviewerError as error:
            self._say(str(error), "alert")
            return
        self.head.name.setText("")
        self.refresh()
        self._say(said, "muted")

    def ask(self) -> None:
        """Try the bot as it stands in the form."""
        try:
            made = self.bot()
            bots.check(made)
        except ReviewerError as error:
            self.trial.clear()
            self.trial.say(str(error), "alert")
            return
        self.trial.ask(made)

    def _show(self, name: str) -> None:
        found = next((x for x in judges.bots(self._session) if x.name == name), None)
        if found is not None and (found != self._kept or self.is_typed):
            self._fill(found, is_kept=True)
            self._say("", "muted")

    def _fill(self, made: Bot, *, is_kept: bool) -> None:
        self._kind = made.kind
        declared = bots.kind_of(made)
        self.head.kind.setText(f"{declared.title}: {declared.help}")
        self.head.fill({"name": made.name, "note": made.note})
        self._forms[made.kind].show_settings(dict(made.settings))
        self.http.show_key(made if is_kept and made.kind == "http" else None)
        for kind, form in self._forms.items():
            form.setVisible(kind == made.kind)
        self.trial.clear()
        self._kept = made if is_kept else None
        self._shown = self.bot() if is_kept else None

    def _offer(self) -> None:
        kinds = ((x, f"{bots.KINDS[x].title}: {bots.KINDS[x].help}") for x in self._forms)
        pieces.offer_acts(self.add_button, [(x, partial(self.begin, kind)) for kind, x in kinds])

    def _say(self, words: str, role: str) -> None:
        self.said.setText(words)
        pieces.set_property(self.said, "role", role)

    def _arrange(self, surroundings: Surroundings) -> None:
        px = surroundings.theme.px
        card = pieces.Card()
        layouts.fill(
            card.body,
            self.head,
            *self._forms.values(),
            layouts.row(self.remove_button, 1, self.keep_button),
        )
        pieces.show(*self._forms.values(), shown=False)
        self.right = pieces.dressed(QWidget(), kind="scrolled")
        layouts.column(card, self.trial, 1, on=self.right, margins=0, gap=pieces.GAP)
        area = QScrollArea(widgetResizable=True)
        area.setWidget(self.right)
        left = pieces.Card("Bots")
        left.head.addWidget(self.add_button)
        left.body.addWidget(self.list, 1)
        left.setMinimumWidth(px(220))
        layouts.column(
            (layouts.row((left, 2), (area, 4), gap=pieces.GAP), 1),
            layouts.row((self.said, 1), pieces.Button("Close", self.close)),
            on=self,
            margins=px(14),
            gap=px(10),
        )


def _cells(one: Bot) -> tuple[Cell, ...]:
    return (
        Cell(one_line(one.name, 60), strong=True, below=bots.kind_of(one).title, tip=one.note),
    )


def _free(name: str, session: Session) -> str:
    known = {x.name for x in judges.bots(session)}
    numbered = (f"{name} {n}" for n in range(2, len(known) + 3))
    return name if name not in known else next(x for x in numbered if x not in known)


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
        self.question = pieces.named(QLineEdit(placeholderText="When can I check in?"), "Question")
        self.question.returnPressed.connect(self.asked)
        self.ask_button = pieces.Button("Ask", self.asked.emit, dense=True, name="Ask the bot")
        self.answer = pieces.named(QPlainTextEdit(readOnly=True, tabChangesFocus=True), "Answer")
        self.answer.setMaximumHeight(surroundings.theme.px(96))
        self.facts = pieces.text("", "small", wrap=True, name="Latency and tokens")
        self.match = pieces.text("", wrap=True, name="Matched row")
        self.problem = pieces.text("", "alert", wrap=True, name="Why there is no answer")
        layouts.fill(
            self.body,
            layouts.row((self.question, 1), self.ask_button),
            self.problem,
            self.answer,
            self.match,
            self.facts,
        )
        self.clear()

    def ask(self, bot: Bot) -> None:
        """Ask a bot the question in the field."""
        question = self.question.text().strip() or self.question.placeholderText()
        self.clear()
        self.say(ASKING, "muted")
        self._tasks.run(
            KIND,
            beside(self._session, lambda own, _: trying.bot(own, bot, question, in_view=True)),
            then=self._show_answer,
            failed=self.say,
        )

    def clear(self) -> None:
        """Show no answer."""
        self.say("", "muted")
        pieces.show(self.answer, self.match, self.facts, shown=False)

    def say(self, sentence: str, role: str = "alert") -> None:
        """Say what is the matter."""
        pieces.say(self.problem, sentence, role)

    def _show_answer(self, found: Answered) -> None:
        self.say(found.error or "", "alert")
        self.answer.setPlainText(visible((found.response or "")[:LONGEST]).text)
        self.answer.setVisible(found.response is not None)
        pieces.say(self.match, match_words(found))
        pieces.say(self.facts, _facts(found))


def match_words(found: Answered) -> str:
    """Say which row of the table was taken and why, nothing for other bots."""
    matched = found.beside.get("matched")
    if not isinstance(matched, dict):
        return ""
    likeness, shared = matched.get("similarity"), matched.get("shared")
    alike = score_words(likeness, 3) if isinstance(likeness, int | float) else "—"
    row = matched.get("row")
    if row is None:
        return f"No row is like enough; the best has a similarity of {alike}."
    words = ", ".join(map(str, shared)) if isinstance(shared, list) and shared else "none"
    asked = one_line(str(matched.get("question", "")), 120)
    return f"Row {row}, “{asked}” · similarity {alike} · shared words: {words}"


def _facts(found: Answered) -> str:
    parts = [] if found.latency_ms is None else [f"{fixed(found.latency_ms, 1)} ms"]
    if found.tokens_in is not None:
        parts.append(f"{found.tokens_in:,} tokens in, {found.tokens_out or 0:,} out")
    if found.cost_usd is not None:
        parts.append(f"${fixed(found.cost_usd, 4)}")
    return " · ".join(parts)
