"""The settings of bots that need no network: question lists and local commands."""

import shlex
from pathlib import Path
from typing import Protocol

from PySide6.QtWidgets import QFileDialog, QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.domain.values import JsonValue
from reviewer.gui.judges.forms import add_rows, form, line, number_of, written
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.number_field import choice
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.services.bots import bots

Settings = dict[str, JsonValue]
TIMEOUT = 60.0


class BotForm(Protocol):
    """What every form of a bot's settings does."""

    def show_settings(self, settings: Settings) -> None:
        """Show what a bot has."""
        ...

    def settings(self) -> Settings:
        """Give what stands in the form; may raise `ReviewerError`."""
        ...


class FileRow(QWidget):
    """A file to choose, with what is known of it beside the button."""

    def __init__(self, name: str, pattern: str) -> None:
        """Make the row; `pattern` is what the system's dialog offers."""
        super().__init__()
        self.about = pieces.named(pieces.ElidedText("none chosen", "muted"), name)
        self.button = pieces.Button("Choose…", dense=True, name=f"Choose {name.lower()}")
        self._name, self._pattern = name, pattern
        layouts.row((self.about, 1), self.button, on=self, margins=0)

    def ask(self) -> Path | None:
        """Let the person choose a file, None where they did not."""
        found, _ = QFileDialog.getOpenFileName(self, self._name, "", self._pattern)
        return Path(found) if found else None


class StrictForm(QWidget):
    """A table of questions and answers, its columns, and how alike is alike enough."""

    def __init__(self, theme: Theme) -> None:
        """Make the form without a table."""
        super().__init__()
        self._rows: JsonValue = []
        self._file: Path | None = None
        self._name = ""
        self.table = FileRow("FAQ table", "Tables (*.csv);;All files (*)")
        self.table.button.clicked.connect(lambda *_: self._ask())
        self.question, self.answer = choice("Column of questions"), choice("Column of answers")
        self.least = line("Least similarity", "0: the first row where nothing matches")
        self.problem = pieces.text("", "alert", wrap=True)
        rows = form(theme)
        add_rows(rows, theme, (
            ("FAQ table", self.table), ("Questions", self.question), ("Answers", self.answer),
            ("At least", self.least), ("", self.problem),))  # fmt: skip
        self.setLayout(rows)
        for combo in (self.question, self.answer):
            combo.activated.connect(lambda _: self._read())
        self.problem.hide()

    def take(self, file: Path) -> None:
        """Take a table; its columns are offered, and read where their names are the usual ones."""
        try:
            headings = bots.faq_headings(file)
        except ReviewerError as error:
            self._say(str(error))
            return
        self._file, self._name = file, file.name
        for combo, usual in ((self.question, "question"), (self.answer, "answer")):
            combo.clear()
            combo.addItems([one_line(x, 80) for x in headings])
            place = next((n for n, x in enumerate(headings) if usual in x.lower()), 0)
            combo.setCurrentIndex(place)
        self._headings = headings
        self._read()

    def show_settings(self, settings: Settings) -> None:
        """Show what a bot has."""
        self._rows, self._file = settings.get("rows", []), None
        self._name = str(settings.get("file", "a table"))
        least = settings.get("min_similarity", 0.0)
        self.least.setText(written(float(least)) if isinstance(least, int | float) else "")
        for combo, name in ((self.question, "question_column"), (self.answer, "answer_column")):
            combo.clear()
            combo.addItem(str(settings.get(name, "as chosen before")))
        self._say("")
        self._tell()

    def settings(self) -> Settings:
        """Give what stands in the form."""
        return {
            "rows": self._rows,
            "min_similarity": number_of(self.least) or 0.0,
            "file": self._name,
            "question_column": self.question.currentText(),
            "answer_column": self.answer.currentText(),
        }

    def _ask(self) -> None:
        file = self.table.ask()
        if file is not None:
            self.take(file)

    def _read(self) -> None:
        if self._file is None:
            return
        places = self.question.currentIndex(), self.answer.currentIndex()
        if min(places) < 0:
            self._say(f"{self._name} has no line of headings.")
            return
        question, answer = (self._headings[x] for x in places)
        try:
            self._rows = bots.faq_rows(self._file, question, answer)
        except ReviewerError as error:
            self._say(str(error))
            return
        self._say("")
        self._tell()

    def _tell(self) -> None:
        count = len(self._rows) if isinstance(self._rows, list) else 0
        self.table.about.setText(
            f"{one_line(self._name, 60)} · {count:,} rows" if count else "none chosen"
        )

    def _say(self, sentence: str) -> None:
        pieces.say(self.problem, sentence)


class CommandForm(QWidget):
    """A local command with its arguments and its time limit."""

    def __init__(self, theme: Theme) -> None:
        """Make the form empty."""
        super().__init__()
        self.words = line("Command", "python3 bot.py --fast")
        self.timeout = line("Time limit in seconds", "60")
        about = pieces.text(
            'It gets {"id", "question", "messages", "context"} as JSON on standard input for each '
            'case and prints {"response": "…"}. No shell is involved.',
            "muted",
            wrap=True,
        )
        rows = form(theme)
        add_rows(rows, theme, (("Command", self.words), ("Seconds", self.timeout), ("", about)))
        self.setLayout(rows)

    def show_settings(self, settings: Settings) -> None:
        """Show what a bot has."""
        words = settings.get("words", [])
        self.words.setText(shlex.join(map(str, words)) if isinstance(words, list) else "")
        seconds = settings.get("timeout_s", TIMEOUT)
        self.timeout.setText(written(float(seconds)) if isinstance(seconds, int | float) else "")

    def settings(self) -> Settings:
        """Give what stands in the form.

        Raises:
            ReviewerError: A quotation mark is not closed, or the limit is no number.
        """
        try:
            words = shlex.split(self.words.text())
        except ValueError:
            raise ReviewerError("The command has a quotation mark that is not closed.") from None
        return {"words": list(words), "timeout_s": number_of(self.timeout) or TIMEOUT}
