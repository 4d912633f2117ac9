"""What stands beside the conversation: context and sources, expected answer, history."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QScrollArea, QVBoxLayout, QWidget

from reviewer.domain.evaluation import Evaluation, Label, Source
from reviewer.domain.rubric import Rubric, Tool
from reviewer.domain.wording import score_words
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.layouts import FlowLayout
from reviewer.gui.kit.pieces import Card, line, pill, text
from reviewer.gui.kit.text import one_line, visible
from reviewer.gui.kit.theme import Theme
from reviewer.gui.review.turn_text import TurnText
from reviewer.gui.review.turns import pretty
from reviewer.services.project import reading


class DetailView(QScrollArea):
    """A scrolled column of cards."""

    def __init__(self, theme: Theme, name: str) -> None:
        """Make an empty column."""
        super().__init__()
        self.theme = theme
        self.setWidgetResizable(True)
        self.setAccessibleName(name)
        self._column = QVBoxLayout()
        self._told: object = None
        self.clear()

    def begin(self, told: object) -> bool:
        """Start again for what is to be told; the same as before stays, and gives False."""
        if told == self._told:
            return False
        self.clear()
        self._told = told
        return True

    def clear(self) -> None:
        """Start again from nothing."""
        self._told = None
        content = pieces.dressed(QWidget(), kind="scrolled")
        margin = self.theme.px(20)
        self._column = layouts.column(
            1,
            on=content,
            margins=(margin, self.theme.px(8), margin, margin),
            gap=self.theme.px(12),
        )
        self.setWidget(content)

    def add(self, widget: QWidget) -> None:
        """Put a widget at the end of the column."""
        self._column.insertWidget(self._column.count() - 1, widget)

    def add_text(self, title: str, words: str, *, markdown: bool) -> None:
        """Put a titled text at the end."""
        card = Card(title)
        body = pieces.named(TurnText(self.theme, lambda _: None, markdown=markdown), title)
        body.set_text(words)
        card.body.addWidget(body)
        self.add(card)

    def add_empty(self, words: str) -> None:
        """Say that there is nothing, in words."""
        self.add(text(words, "muted", wrap=True))


FURTHER = "Whatever else came with this response shows once it is answered."


class ContextView(DetailView):
    """What the answer may rely on: context, retrieved sources, further fields."""

    def show_evaluation(self, evaluation: Evaluation, *, hidden: bool) -> None:
        """Show an evaluation's context; while it is hidden, further fields could tell of it."""
        if not self.begin((evaluation.context, evaluation.sources, evaluation.rest, hidden)):
            return
        if evaluation.context is not None:
            plain = isinstance(evaluation.context, str)
            self.add_text("Context", pretty(evaluation.context), markdown=plain)
        for rank, source in enumerate(evaluation.sources, 1):
            self._add_source(rank, source)
        if evaluation.rest:
            self.add_text("Further fields", pretty(evaluation.rest), markdown=False)
        if evaluation.context is None and not evaluation.sources and not evaluation.rest:
            self.add_empty("This evaluation came without context and without sources.")
        if hidden:
            self.add_empty(FURTHER)

    def _add_source(self, rank: int, source: Source) -> None:
        relevance = (
            "" if source.relevance is None else f" · relevance {score_words(source.relevance)}"
        )
        title = f"Source {rank} · {one_line(source.title or source.id, 80)}{relevance}"
        self.add_text(title, source.text or "(no text)", markdown=True)


LATER = "whether it is there shows once this response is answered"


class ExpectedView(DetailView):
    """The expected answer beside the given one, expected keywords and tools."""

    def show_evaluation(self, evaluation: Evaluation, rubric: Rubric, *, hidden: bool) -> None:
        """Show what was expected; what was found of it is an auto score, and waits like one.

        What the rubric knows of the agent's tools stands beneath those expected and used.
        """
        response, called, known = evaluation.answer, evaluation.called, rubric.tools
        keywords, tools = evaluation.expected_keywords, evaluation.expected_tools
        shown = (evaluation.expected, keywords, tools, called, response, rubric, hidden)
        if not self.begin(shown):
            return
        if evaluation.expected:
            self.add_text("Expected answer", evaluation.expected, markdown=True)
            self._add_diff(evaluation.expected, response)
        if keywords:
            met = keywords if hidden else reading.keywords_met(evaluation, rubric)
            meaning = (LATER,) * 2 if hidden else ("found literally", "not found literally")
            self._add_words("Expected keywords", [(x, x in met) for x in keywords], meaning)
        if tools or called:
            meaning = (LATER,) * 2 if hidden else ("used", "not used")
            self._add_words("Expected tools", [(tool, tool in called) for tool in tools], meaning)
            extra = [(x, True) for x in called if x not in tools]
            if extra:
                self._add_words("Further tools used", extra, meaning)
            if known:
                self._add_tools(known, {*tools, *called})
        if not (evaluation.expected or keywords or tools):
            self.add_empty("This evaluation came without an expected answer.")

    def _add_tools(self, known: Sequence[Tool], about: set[str]) -> None:
        """Say what the agent's tools are for: those expected or used first, the others after."""
        card = Card("What the tools are for")
        for place, tool in enumerate(sorted(known, key=lambda one: one.name not in about)):
            if place:
                card.body.addWidget(line())
            role = "strong" if tool.name in about else "muted"
            card.body.addWidget(text(one_line(tool.name, 60), role, wrap=True))
            for name, words in (
                ("for", tool.purpose), ("when", tool.when), ("example", tool.example),
            ):  # fmt: skip
                if words:
                    shown = layouts.row((text(name, "muted"), 1), (text(words, wrap=True), 6))
                    card.body.addLayout(shown)
        self.add(card)

    def _add_diff(self, expected: str, response: str) -> None:
        from reviewer.gui.kit import word_diff

        if not word_diff.are_alike(expected, response):
            return
        card = Card("Word by word, expected → response")

        shown: str | None = word_diff.compared(
            visible(expected).text, visible(response).text, self.theme.colours
        )
        if shown is None:
            card.body.addWidget(text("Too long to compare word by word.", "muted"))
            self.add(card)
            return
        label = pieces.named(
            QLabel(
                shown,
                textFormat=Qt.TextFormat.RichText,
                wordWrap=True,
                textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
            ),
            "Differences between expected answer and response",
        )
        card.body.addWidget(label)
        self.add(card)

    def _add_words(
        self, title: str, words: Sequence[tuple[str, bool]], meaning: tuple[str, str]
    ) -> None:
        card = Card(title)
        holder = QWidget()
        row = FlowLayout(holder, spacing=self.theme.px(6))
        for word, found in words:
            tip = meaning[0] if found else meaning[1]
            sign = "" if tip == LATER else "✓ " if found else "✗ "
            chip = pill(f"{sign}{one_line(word, 60)}", "alert" if sign == "✗ " else "")
            chip.setToolTip(tip)
            row.addWidget(chip)
        if not words:
            row.addWidget(text("none", "muted"))
        card.body.addWidget(holder)
        self.add(card)


class HistoryView(DetailView):
    """Every entry of an evaluation that the labeler may see, newest first."""

    def show_history(self, history: Sequence[Label], rubric: Rubric, *, hidden: bool) -> None:
        """Show label entries."""
        if not self.begin((tuple(history), rubric, hidden)):
            return
        if hidden:
            self.add_empty("Other people's entries show after the reveal.")
        if not history:
            who = "You have not" if hidden else "Nobody has"
            self.add_empty(f"{who} labelled this evaluation yet.")
            return
        card = Card("Entries, newest first")
        for place, entry in enumerate(reversed(history)):
            if place:
                card.body.addWidget(line())
            card.body.addWidget(text(self._sentence(entry, rubric), wrap=True))
            if entry.comment:
                words = visible(entry.comment).text
                card.body.addWidget(text(f"“{words}”", "muted", wrap=True))
        self.add(card)

    @staticmethod
    def _sentence(entry: Label, rubric: Rubric) -> str:
        metric = rubric.by_name.get(entry.metric)
        taken_back = entry.kind == "adjudication" and entry.value is None
        what = {
            "label": score_words(entry.value),
            "adjudication": f"decided {score_words(entry.value)}",
            "not_applicable": "not applicable",
            "withdrawn": "withdrawn",
            "comment": "comment" if entry.comment else "comment removed",
        }[entry.kind]
        seen = {True: "blind", False: "auto score visible", None: "not known whether blind"}
        sight = "" if entry.kind == "comment" else f" · {seen[entry.blind]}"
        title = metric.heading if metric else entry.metric
        when = (entry.at or "no time").replace("T", " ")[:19]
        said = "decision withdrawn" if taken_back else what
        again = " (again)" if entry.restores is not None else ""
        return f"{when} · {entry.labeler} · {title}: {said}{again}{sight}"
