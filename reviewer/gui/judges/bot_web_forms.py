"""The settings of bots behind an address: models, and services of any kind."""

import json
from pathlib import Path

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Bot
from reviewer.domain.values import JsonValue
from reviewer.gui.judges.bot_forms import TIMEOUT, FileRow, Settings
from reviewer.gui.judges.forms import add_rows, form, line, number_of, whole_of, written
from reviewer.gui.judges.key_row import KeyRow
from reviewer.gui.judges.template_field import InsertButton, TemplateField
from reviewer.gui.kit import pieces
from reviewer.gui.kit.number_field import choice
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import Surroundings
from reviewer.services.bots import bots
from reviewer.services.judging import judges
from reviewer.services.project.session import Session

METHODS = ("POST", "GET", "PUT")
BODY = '{\n  "question": "{{ question }}"\n}'
PLACES = (
    ("question", "what is asked"),
    ("history", "the turns before"),
    ("context", "what the case gives the agent"),
    ("id", "of the case"),
)
KNOWLEDGE = (("knowledge", "the whole document"), ("question", "what is asked"))


class ModelForm(QWidget):
    """A chat endpoint; with a document in its prompt it is a full-context bot."""

    def __init__(self, surroundings: Surroundings, session: Session, *, document: bool) -> None:
        """Make the form for a project's endpoints."""
        super().__init__()
        self._session, self._document = session, document
        self._knowledge = self._file = ""
        self.endpoint = choice("Endpoint")
        self.model = line("Model", "such as gpt-4o-mini or qwen3:14b")
        self.file = FileRow("Document", "Texts (*.md *.txt);;All files (*)")
        self.file.button.clicked.connect(lambda *_: self._ask())
        self.template = TemplateField(surroundings.theme, "Template")
        self.template.setMinimumHeight(surroundings.theme.px(110))
        self.insert = InsertButton(self.template, KNOWLEDGE)
        self.most = line("Longest document, tokens", "what the model takes, to refuse more")
        self.system = line("System prompt", "none")
        self.temperature = line("Temperature", "0")
        self.longest = line("Longest reply, tokens", "the model's own limit")
        self.problem = pieces.text("", "alert", wrap=True)
        rows = form(surroundings.theme)
        whole = (("Document", self.file), ("Template", self.template), ("", self.insert),
                 ("At most", self.most))  # fmt: skip
        add_rows(rows, surroundings.theme, (
            ("Endpoint", self.endpoint), ("Model", self.model), *(whole if document else ()),
            ("System prompt", self.system), ("Temperature", self.temperature),
            ("Longest reply", self.longest), ("", self.problem),))  # fmt: skip
        self.setLayout(rows)
        self.problem.hide()

    def take(self, file: Path) -> None:
        """Take a document."""
        try:
            self._knowledge, self._file = bots.document(file), file.name
        except ReviewerError as error:
            self._say(str(error))
            return
        self._say("")
        self._tell()

    def show_settings(self, settings: Settings) -> None:
        """Show what a bot has."""
        self.endpoint.clear()
        self.endpoint.addItems([x.name for x in judges.endpoints(self._session)])
        self.endpoint.setCurrentText(str(settings.get("endpoint", "")))
        self.model.setText(str(settings.get("model", "")))
        self.system.setText(str(settings.get("system", "")))
        for field, name in (
            (self.temperature, "temperature"), (self.longest, "max_tokens"),
            (self.most, "context_tokens"),
        ):  # fmt: skip
            value = settings.get(name)
            field.setText(written(float(value)) if isinstance(value, int | float) else "")
        self._knowledge = str(settings.get("knowledge", ""))
        self._file = str(settings.get("file", "a document"))
        self.template.setPlainText(str(settings.get("template", bots.SHIPPED_TEMPLATE)))
        self._say("")
        self._tell()

    def settings(self) -> Settings:
        """Give what stands in the form.

        Raises:
            ReviewerError: A number cannot be read.
        """
        made: Settings = {
            "endpoint": self.endpoint.currentText(),
            "model": self.model.text().strip(),
            "system": self.system.text(),
            "temperature": number_of(self.temperature) or 0.0,
            "max_tokens": whole_of(self.longest),
        }
        if self._document:
            made |= {
                "knowledge": self._knowledge,
                "file": self._file,
                "template": self.template.toPlainText(),
                "context_tokens": whole_of(self.most),
            }
        return {key: value for key, value in made.items() if value is not None}

    def _ask(self) -> None:
        file = self.file.ask()
        if file is not None:
            self.take(file)

    def _tell(self) -> None:
        size = len(self._knowledge)
        tokens = f"about {size // bots.CHARACTERS_A_TOKEN:,} tokens"
        said = f"{one_line(self._file, 50)} · {size:,} characters, {tokens}"
        self.file.about.setText(said if size else "none chosen")

    def _say(self, sentence: str) -> None:
        pieces.say(self.problem, sentence)


class HttpForm(QWidget):
    """Any service that takes JSON and gives JSON; its key lies in the keyring."""

    def __init__(self, surroundings: Surroundings) -> None:
        """Make the form empty."""
        super().__init__()
        theme = surroundings.theme
        self.url = line("Address", "http://127.0.0.1:8000/chat")
        self.method = choice("Method")
        self.method.addItems(METHODS)
        self.headers = pieces.named(QPlainTextEdit(), "Headers")
        self.headers.setPlaceholderText("Authorization: Bearer {{ key }}")
        self.body = TemplateField(theme, "Body")
        self.insert = InsertButton(self.body, PLACES)
        self.path = line("Path to the answer", "answer.text or choices.0.message.content")
        self.timeout = line("Time limit in seconds", "60")
        self.variable = line("Environment variable", "may hold the key, such as BOT_KEY")
        self.key = KeyRow(surroundings)
        for field, height in ((self.headers, 52), (self.body, 86)):
            field.setTabChangesFocus(True)
            field.setProperty("role", "mono")
            field.setFixedHeight(theme.px(height))
        rows = form(theme)
        add_rows(rows, theme, (
            ("Address", self.url), ("Method", self.method), ("Headers", self.headers),
            ("Key", self.key), ("Variable", self.variable), ("Body, JSON", self.body),
            ("", self.insert), ("Answer at", self.path), ("Seconds", self.timeout),))  # fmt: skip
        self.setLayout(rows)

    def show_settings(self, settings: Settings) -> None:
        """Show what a bot has."""
        headers, seconds = settings.get("headers"), settings.get("timeout_s", TIMEOUT)
        lines = headers.items() if isinstance(headers, dict) else ()
        body = settings.get("body")
        self.url.setText(str(settings.get("url", "")))
        self.method.setCurrentText(str(settings.get("method", METHODS[0])))
        self.headers.setPlainText("\n".join(f"{name}: {value}" for name, value in lines))
        shown = BODY if body is None else json.dumps(body, indent=2, ensure_ascii=False)
        self.body.setPlainText(shown)
        self.path.setText(str(settings.get("path", "")))
        self.variable.setText(str(settings.get("variable", "")))
        self.timeout.setText(written(float(seconds)) if isinstance(seconds, int | float) else "")

    def show_key(self, bot: Bot | None) -> None:
        """Show where the key of a kept bot is; without one nothing can be stored yet."""
        self.key.show_endpoint(bots.key_place(bot) if bot is not None else None)

    def settings(self) -> Settings:
        """Give what stands in the form.

        Raises:
            ReviewerError: The body is no JSON, a header has no colon, or a number cannot be read.
        """
        try:
            body: JsonValue = json.loads(self.body.toPlainText())
        except ValueError as error:
            where = getattr(error, "lineno", 1)
            raise ReviewerError(
                f"The body is no JSON (line {where}); places stand in quotation marks, such as "
                '"{{ question }}".'
            ) from None
        return {
            "url": self.url.text().strip(),
            "method": self.method.currentText(),
            "headers": _headers(self.headers.toPlainText()),
            "body": body,
            "path": self.path.text().strip(),
            "variable": self.variable.text().strip(),
            "timeout_s": number_of(self.timeout) or TIMEOUT,
        }


def _headers(text: str) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for number, words in enumerate(text.splitlines(), start=1):
        name, colon, value = words.partition(":")
        if words.strip() and not colon:
            raise ReviewerError(
                f"Line {number} of the headers has no colon; `Name: value` is expected."
            )
        if words.strip():
            found[name.strip()] = value.strip()
    return found
