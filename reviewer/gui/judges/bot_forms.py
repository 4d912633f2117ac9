"""The settings of bots: question lists, local commands, models, and services of any kind."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget
from typing_extensions import override

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import JsonValue
from reviewer.domain.judging import Bot
from reviewer.gui.judges.judges_tab import KeyRow
from reviewer.gui.judges.template_field import InsertButton, TemplateField
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.form import Choice, Form, Lines, Note, Number, Own, Text, Whole
from reviewer.gui.kit.number_field import offer_names
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import Surroundings
from reviewer.services.bots import bots
from reviewer.services.judging import judges
from reviewer.services.project.session import Session

Settings = dict[str, JsonValue]
TIMEOUT = 60.0
METHODS = ("POST", "GET", "PUT")
BODY = '{\n  "question": "{{ question }}"\n}'
PLACES = (
    ("question", "what is asked"),
    ("history", "the turns before"),
    ("context", "what the case gives the agent"),
    ("category", "of the case"),
    ("id", "of the case"),
)
KNOWLEDGE = (("knowledge", "the whole document"), ("question", "what is asked"))


class FileRow(QWidget):
    """A file to choose, with what is known of it beside the button."""

    def __init__(self, name: str, pattern: str, take: Callable[[Path], object]) -> None:
        """Make the row; `pattern` is what the system's dialog offers, `take` gets the file."""
        super().__init__()
        self.about = pieces.named(pieces.ElidedText("none chosen", "muted"), name)
        self.button = pieces.Button(
            "Choose…", self._ask, dense=True, name=f"Choose {name.lower()}"
        )
        self._name, self._pattern, self._take = name, pattern, take
        layouts.row((self.about, 1), self.button, on=self, margins=0)

    def _ask(self) -> None:
        found, _ = QFileDialog.getOpenFileName(self, self._name, "", self._pattern)
        if found:
            self._take(Path(found))


class BotForm(Form):
    """What every form of a bot's settings does."""

    def show_settings(self, settings: Settings) -> None:
        """Show what a bot has."""
        self.fill(dict.fromkeys(self.fields()) | settings)

    def settings(self) -> Settings:
        """Give what stands in the form.

        Raises:
            ReviewerError: Something in it cannot be read.
        """
        return dict(self.values())


class StrictForm(BotForm):
    """A table of questions and answers, its columns, and how alike is alike enough."""

    table = Own[FileRow]("FAQ table")
    question_column = Choice("Questions", name="Column of questions")
    answer_column = Choice("Answers", name="Column of answers")
    min_similarity = Number("At least", "0: the first row where nothing matches",
                            name="Least similarity", usual=0.0)  # fmt: skip
    problem = Note("", role="alert")

    def __init__(self, theme: Theme) -> None:
        """Make the form without a table."""
        self._rows: JsonValue = []
        self._file: Path | None = None
        self._name = ""
        pattern = "Tables (*.csv);;All files (*)"
        super().__init__(theme, table=FileRow("FAQ table", pattern, self.take))
        for combo in (self.question_column, self.answer_column):
            combo.activated.connect(lambda _: self._read())

    def take(self, file: Path) -> None:
        """Take a table; its columns are offered, and read where their names are the usual ones."""
        try:
            headings = bots.faq_headings(file)
        except ReviewerError as error:
            pieces.say(self.problem, str(error))
            return
        self._file, self._name = file, file.name
        for combo, usual in (
            (self.question_column, "question"),
            (self.answer_column, "answer"),
        ):
            combo.clear()
            combo.addItems([one_line(x, 80) for x in headings])
            combo.setCurrentIndex(
                next((n for n, x in enumerate(headings) if usual in x.lower()), 0)
            )
        self._headings = headings
        self._read()

    @override
    def show_settings(self, settings: Settings) -> None:
        """Show what a bot has."""
        self._rows, self._file = settings.get("rows", []), None
        self._name = str(settings.get("file", "a table"))
        for combo, key in (
            (self.question_column, "question_column"),
            (self.answer_column, "answer_column"),
        ):
            combo.clear()
            combo.addItem(str(settings.get(key, "as chosen before")))
        super().show_settings({"min_similarity": 0.0, **settings})
        self._tell_rows()

    @override
    def settings(self) -> Settings:
        """Give what stands in the form."""
        return super().settings() | {
            "rows": self._rows,
            "file": self._name,
            "question_column": self.question_column.currentText(),
            "answer_column": self.answer_column.currentText(),
        }

    def _read(self) -> None:
        if self._file is None:
            return
        places = self.question_column.currentIndex(), self.answer_column.currentIndex()
        if min(places) < 0:
            pieces.say(self.problem, f"{self._name} has no line of headings.")
            return
        question, answer = (self._headings[x] for x in places)
        try:
            self._rows = bots.faq_rows(self._file, question, answer)
        except ReviewerError as error:
            pieces.say(self.problem, str(error))
            return
        self._tell_rows()

    def _tell_rows(self) -> None:
        pieces.say(self.problem, "")
        count = len(self._rows) if isinstance(self._rows, list) else 0
        self.table.about.setText(
            f"{one_line(self._name, 60)} · {count:,} rows" if count else "none chosen"
        )


class CommandForm(BotForm):
    """A local command with its arguments and its time limit."""

    words = Text("Command", "python3 bot.py --fast")
    timeout_s = Number("Seconds", "60", name="Time limit in seconds")
    variables = Text("Keys in", "OPENAI_API_KEY", name="Variables with the keys that it needs")
    about = Note(
        "",
        'It gets {"id", "question", "messages", "context"} as JSON on standard input for each '
        'case and prints {"response": "…"}. No shell is involved, and no keys but those named are '
        "handed to it.",
    )

    @override
    def show_settings(self, settings: Settings) -> None:
        """Show what a bot has."""
        words = settings.get("words", [])
        joined = shlex.join(map(str, words)) if isinstance(words, list) else ""
        super().show_settings({"timeout_s": TIMEOUT, **settings, "words": joined})

    @override
    def settings(self) -> Settings:
        """Give what stands in the form.

        Raises:
            ReviewerError: A quotation mark is not closed, or the limit is no number.
        """
        try:
            words = shlex.split(self.words.text())
        except ValueError:
            raise ReviewerError("The command has a quotation mark that is not closed.") from None
        said = super().settings()
        found: Settings = {"words": list(words), "timeout_s": said["timeout_s"] or TIMEOUT}
        return found | ({"variables": said["variables"]} if said["variables"] else {})


class ModelForm(BotForm):
    """A chat endpoint; with a document in its prompt it is a full-context bot."""

    endpoint = Choice("Endpoint")
    model = Text("Model", "such as gpt-4o-mini or qwen3:14b")
    file = Own[FileRow]("Document", when=lambda form: form.document)
    template = Own[TemplateField]("Template", when=lambda form: form.document)
    insert = Own[InsertButton]("", when=lambda form: form.document)
    context_tokens = Whole("At most", "what the model takes, to refuse more",
                           name="Longest document, tokens",
                           when=lambda form: form.document)  # fmt: skip
    system = Text("System prompt", "none")
    temperature = Number("Temperature", "0", usual=0.0)
    max_tokens = Whole("Longest reply", "the model's own limit", name="Longest reply, tokens")
    problem = Note("", role="alert")

    def __init__(self, surroundings: Surroundings, session: Session, *, document: bool) -> None:
        """Make the form for a project's endpoints."""
        self.document = document
        self._session = session
        self._knowledge = self._name = ""
        template = TemplateField(surroundings.theme, "Template")
        template.setMinimumHeight(surroundings.theme.px(110))
        super().__init__(
            surroundings.theme,
            file=FileRow("Document", "Texts (*.md *.txt);;All files (*)", self.take),
            template=template,
            insert=InsertButton(template, KNOWLEDGE),
        )

    def take(self, file: Path) -> None:
        """Take a document."""
        try:
            self._knowledge, self._name = bots.document(file), file.name
        except ReviewerError as error:
            pieces.say(self.problem, str(error))
            return
        self._tell_size()

    @override
    def show_settings(self, settings: Settings) -> None:
        """Show what a bot has."""
        offer_names(self.endpoint, "", [x.name for x in judges.endpoints(self._session)])
        super().show_settings(settings)
        self._knowledge = str(settings.get("knowledge", ""))
        self._name = str(settings.get("file", "a document"))
        self.template.setPlainText(str(settings.get("template", bots.SHIPPED_TEMPLATE)))
        self._tell_size()

    @override
    def settings(self) -> Settings:
        """Give what stands in the form.

        Raises:
            ReviewerError: A number cannot be read.
        """
        made: Settings = super().settings() | {
            "endpoint": str(self.endpoint.currentData() or ""),
            "system": self.system.text(),
        }
        if self.document:
            made |= {
                "knowledge": self._knowledge,
                "file": self._name,
                "template": self.template.toPlainText(),
            }
        return {k: each for k, each in made.items() if each is not None}

    def _tell_size(self) -> None:
        pieces.say(self.problem, "")
        size = len(self._knowledge)
        tokens = f"about {size // bots.CHARACTERS_A_TOKEN:,} tokens"
        said = f"{one_line(self._name, 50)} · {size:,} characters, {tokens}"
        self.file.about.setText(said if size else "none chosen")


def _lines(values: JsonValue) -> str:
    """Write names and values as lines."""
    pairs = values.items() if isinstance(values, dict) else ()
    return "\n".join(f"{name}: {value}" for name, value in pairs)


def _named(text: str, what: str) -> dict[str, JsonValue]:
    """Read names and values from lines.

    Raises:
        ReviewerError: A line has no colon.
    """
    found: dict[str, JsonValue] = {}
    for number, words in enumerate(text.splitlines(), start=1):
        name, colon, value = words.partition(":")
        if words.strip() and not colon:
            raise ReviewerError(
                f"Line {number} of the {what} has no colon; `Name: value` is expected."
            )
        if words.strip():
            found[name.strip()] = value.strip()
    return found


class HttpForm(BotForm):
    """Any service that takes JSON and gives JSON; its key lies in the keyring."""

    url = Text("Address", "http://127.0.0.1:8000/chat")
    method = Choice("Method", entries=[(x, x) for x in METHODS])
    headers = Lines("Headers", "Authorization: Bearer {{ key }}", height=52)
    secret = Own[KeyRow]("Key")
    variable = Text("Variable", "may hold the key, such as BOT_KEY", name="Environment variable")
    body = Own[TemplateField]("Body, JSON")
    insert = Own[InsertButton]("")
    path = Text("Answer at", "answer.text or choices.0.message.content",
                name="Path to the answer")  # fmt: skip
    paths = Lines("Also at", "tools_used: trace.tools", height=52)
    timeout_s = Number("Seconds", "60", name="Time limit in seconds")

    def __init__(self, surroundings: Surroundings) -> None:
        """Make the form empty."""
        theme = surroundings.theme
        body = TemplateField(theme, "Body")
        body.setFixedHeight(theme.px(86))
        super().__init__(
            theme, secret=KeyRow(surroundings), body=body, insert=InsertButton(body, PLACES)
        )

    @override
    def show_settings(self, settings: Settings) -> None:
        """Show what a bot has."""
        body = settings.get("body")
        written = {name: _lines(settings.get(name)) for name in ("headers", "paths")}
        super().show_settings({"timeout_s": TIMEOUT, **settings, **written})
        self.body.setPlainText(
            BODY if body is None else json.dumps(body, indent=2, ensure_ascii=False)
        )

    def show_key(self, bot: Bot | None) -> None:
        """Show where the key of a kept bot is; without one nothing can be stored yet."""
        self.secret.show_endpoint(bots.key_place(bot) if bot is not None else None)

    @override
    def settings(self) -> Settings:
        """Give what stands in the form.

        Raises:
            ReviewerError: The body is no JSON, a line has no colon, or a number cannot be read.
        """
        try:
            body: JsonValue = json.loads(self.body.toPlainText())
        except ValueError as error:
            where = getattr(error, "lineno", 1)
            raise ReviewerError(
                f"The body is no JSON (line {where}); places stand in quotation marks, such as "
                '"{{ question }}".'
            ) from None
        said = super().settings()
        return said | {
            "headers": _named(self.headers.toPlainText(), "headers"),
            "paths": _named(self.paths.toPlainText(), "paths"),
            "body": body,
            "timeout_s": said["timeout_s"] or TIMEOUT,
        }
