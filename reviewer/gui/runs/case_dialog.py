"""One case of a test set, to be written or changed."""

import json

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QLineEdit, QPlainTextEdit, QWidget

from reviewer.domain.case_set import Fields, question_of, said
from reviewer.domain.errors import ReviewerError
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.pieces import ScrolledColumn
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.launch_form import FieldRows
from reviewer.services.project.session import Session
from reviewer.services.testing import checking, sets

WIDTH, HEIGHT = 560, 700
LINES = (("Id", "id"), ("Category", "category"), ("Complexity", "complexity"), ("Tags", "tags"))
LISTS = ("tags", "expected_keywords", "expected_tools")
OFFERED, TURNS, LONGEST = 8, 4, 160
_OWN = ("id", "category", "complexity", "input", "messages", "expected", "context", *LISTS)


class CaseDialog(QDialog):
    """A form of a case's fields; keeping it makes a new version of the set.

    Signals:
        kept: The case was kept; the set's version.
    """

    kept = Signal(int)

    def __init__(self, theme: Theme, session: Session, parent: QWidget) -> None:
        """Make the dialog without a case."""
        super().__init__(parent)
        self._session = session
        self._set = ""
        self._case: Fields = {}
        self._theme = theme
        self.lines = {key: _line(title) for title, key in LINES}
        self.lines["complexity"].setPlaceholderText("medium")
        self.lines["tags"].setPlaceholderText("separated by semicolons")
        self.lines["id"].setPlaceholderText("made of the question where it is empty")
        self.question = _text("Question", theme.px(62))
        self.expected = _text("Expected answer", theme.px(62))
        self.words = _line("Keywords")
        self.words.setPlaceholderText("separated by semicolons")
        self.tools = _line("Tools")
        self.tools.setPlaceholderText("separated by semicolons")
        self.context = _text("Context", theme.px(104))
        self.turns = pieces.text("", "small", wrap=True)
        self.offered = QWidget()
        self._flow = layouts.FlowLayout(self.offered, spacing=6)
        self.problem = pieces.text("", "alert", wrap=True)
        self._lay_out(theme)
        pieces.connect(
            (self.expected.textChanged, self._offer),
            (self.question.textChanged, self._offer),
        )

    def show_case(self, tests: str, case: Fields | None = None) -> None:
        """Show a case of a set, or a new one."""
        self._set, self._case = tests, case or {}
        self.setWindowTitle(f"Case {self._case['id']}" if case else f"New case of {tests}")
        for key, line in self.lines.items():
            line.setText(_shown(self._case.get(key), key))
        self.question.setPlainText(question_of(self._case))
        self.expected.setPlainText(str(self._case.get("expected") or ""))
        self.words.setText(_shown(self._case.get("expected_keywords"), "expected_keywords"))
        self.tools.setText(_shown(self._case.get("expected_tools"), "expected_tools"))
        self.context.setPlainText(_written(self._case.get("context")))
        turns = (self._case.get("messages") or ())[:-1]
        lines = [f"{turn.get('role')}: {one_line(said(turn), LONGEST)}" for turn in turns]
        left = len(lines) - TURNS
        shown = [f"… {left:,} turns before"] if left > 0 else []
        self.turns.setText("\n".join((*shown, *lines[-TURNS:])))
        self.rows.show_row("Turns", shown=bool(turns))
        self.problem.hide()
        self._offer()
        fit(self, self._theme.px(WIDTH), self._theme.px(HEIGHT))
        self.open()

    def case(self) -> Fields:
        """Give the case as it stands in the form; what has no field stays as it was."""
        made: Fields = {key: x for key, x in self._case.items() if key not in _OWN}
        for key, line in self.lines.items():
            made[key] = _listed(line.text()) if key in LISTS else line.text().strip()
        asked = self.question.toPlainText().strip()
        if self._case.get("messages"):
            made["messages"] = _reworded(self._case["messages"], asked)
        if self._case.get("input") or not self._case.get("messages"):
            made["input"] = asked
        made["expected"] = self.expected.toPlainText().strip()
        made["expected_keywords"] = _listed(self.words.text())
        made["expected_tools"] = _listed(self.tools.text())
        made["context"] = _context(self.context.toPlainText())
        return {key: x for key, x in made.items() if x not in ("", [], None)}

    def keep(self) -> None:
        """Keep the case."""
        known = self._case.get("id")
        try:
            version = sets.put_case(self._session, self._set, self.case(), instead_of=known)
        except ReviewerError as error:
            self.problem.setText(str(error))
            self.problem.show()
            return
        self.accept()
        self.kept.emit(version)

    def _lay_out(self, theme: Theme) -> None:
        column = layouts.column(
            on=self, margins=(theme.px(20), theme.px(16), theme.px(20), theme.px(16))
        )
        self.rows = rows = FieldRows(theme)
        for title, key in LINES:
            rows.add(title, self.lines[key])
        rows.add("Turns", self.turns, tall=True)
        rows.add("Question", self.question, tall=True)
        rows.add("Expected", self.expected, tall=True)
        rows.add("Keywords", self.words)
        rows.add_wide("Offered", self.offered)
        rows.add("Tools", self.tools)
        rows.add("Context", self.context, tall=True)
        holder = QWidget()
        layouts.column(rows, 1, on=holder, margins=(0, 0, theme.px(6), 0))
        self.keep_button = pieces.Button("Keep", self.keep, kind="primary")
        layouts.fill(
            column,
            (ScrolledColumn(holder, "Fields of the case"), 1),
            self.problem,
            layouts.row(
                1,
                pieces.Button("Cancel", self.reject),
                (self.keep_button, 0, Qt.AlignmentFlag.AlignTrailing),
            ),
        )

    def _offer(self) -> None:
        found = checking.suggest(self.expected.toPlainText(), self.question.toPlainText())
        there = {x.lower() for x in _listed(self.words.text())}
        pieces.clear(self._flow)
        offered = [x for x in found.all if x.lower() not in there][:OFFERED]
        for word in offered:
            button = pieces.Button(f"+ {word}", dense=True, name=f"Add the keyword {word}")
            button.clicked.connect(lambda _=False, word=word: self._add(word))
            self._flow.addWidget(button)
        self.rows.show_row("Offered", shown=bool(offered))

    def _add(self, word: str) -> None:
        self.words.setText("; ".join((*_listed(self.words.text()), word)))
        self._offer()


def _reworded(messages: list[Fields], asked: str) -> list[Fields]:
    """Let the last turn of the user say something else, where it was changed."""
    places = [place for place, turn in enumerate(messages) if turn.get("role") == "user"]
    if not places or said(messages[places[-1]]).strip() == asked:
        return messages
    made = list(messages)
    made[places[-1]] = {**made[places[-1]], "content": asked}
    return made


def _line(name: str) -> QLineEdit:
    return pieces.named(QLineEdit(), name)


def _text(name: str, height: int) -> QPlainTextEdit:
    field = pieces.named(QPlainTextEdit(tabChangesFocus=True), name)
    field.setFixedHeight(height)
    return field


def _shown(value: object, key: str) -> str:
    if key in LISTS and isinstance(value, list):
        return "; ".join(str(x) for x in value)
    return str(value) if value is not None else ""


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(";") if part.strip()]


def _written(context: object) -> str:
    if context is None or isinstance(context, str):
        return context or ""
    return json.dumps(context, ensure_ascii=False, indent=1)


def _context(text: str) -> object:
    """Read a context: an object where it is written as one, else a text."""
    bare = text.strip()
    if not bare.startswith(("{", "[")):
        return bare
    try:
        return json.loads(bare)
    except ValueError:
        return bare
