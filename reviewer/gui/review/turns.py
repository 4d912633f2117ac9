"""One turn of a conversation as widgets: caption, bubble, folded tool calls, images and files."""

import json
from collections.abc import Callable, Sequence

from PySide6.QtCore import QByteArray, QMargins, Qt, Signal
from PySide6.QtGui import QPixmap, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QToolButton, QWidget
from typing_extensions import override

from reviewer.domain.evaluation import JsonValue, Part, ToolCall, Turn
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.pieces import Button, text
from reviewer.gui.kit.text import one_line, visible
from reviewer.gui.kit.theme import Theme
from reviewer.gui.review.elided import ElidedLabel
from reviewer.gui.review.turn_text import Attachment, Span, TurnText

INDENT, NARROW = 64, 9
IMAGE_SIDE = 420
ROLES = {"user": "User", "assistant": "Agent", "system": "System", "tool": "Tool"}


def pretty(value: JsonValue) -> str:
    """Write a JSON value for reading; a text that is JSON itself is unfolded."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return str(value)
        if not isinstance(value, dict | list):
            return str(value)
    return json.dumps(value, ensure_ascii=False, indent=2)


def call_line(call: ToolCall) -> str:
    """Write a tool call in one line, as one would in code."""
    arguments = call.arguments
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return f"{call.name}({arguments})"
    if isinstance(arguments, dict):
        inner = ", ".join(f"{k}={json.dumps(v, ensure_ascii=False)}" for k, v in arguments.items())
        return f"{call.name}({inner})"
    return f"{call.name}({'' if arguments is None else json.dumps(arguments, ensure_ascii=False)})"


class Fold(QFrame):
    """A folded detail: one line, unfolded by a click or by Return and Space on the arrow.

    Signals:
        toggled: It was unfolded or folded.
    """

    toggled = Signal()

    def __init__(self, theme: Theme, line: str, body: str, *, name: str) -> None:
        """Make a folded detail; `body` is rendered only when it is opened."""
        super().__init__()
        self.setProperty("kind", "fold")
        self._theme = theme
        self._body = body
        self._text: TurnText | None = None
        margin = theme.px(6)
        self._arrow = pieces.dressed(pieces.named(QToolButton(), f"Show {name}"), kind="flat")
        self._arrow.setText("▸")
        self._arrow.clicked.connect(self.toggle)
        self._words = one_line(line, 300)
        self._line = ElidedLabel(self._words, "mono")
        self._line.setToolTip(f"Click to unfold {name}")
        self._layout = layouts.column(
            layouts.row(self._arrow, (self._line, 1)),
            on=self,
            margins=(margin, margin, margin * 2, margin),
        )

    @property
    def is_open(self) -> bool:
        """Tell whether the detail is unfolded."""
        return self._text is not None and self._text.isVisibleTo(self)

    def toggle(self) -> None:
        """Unfold or fold."""
        if self._text is None:
            self._text = TurnText(self._theme, lambda _: None, markdown=False)
            self._text.set_text(self._body)
            self._layout.addWidget(self._text)
            self._text.hide()
        opened = not self._text.isVisibleTo(self)
        self._text.setVisible(opened)
        self._arrow.setText("▾" if opened else "▸")
        self.toggled.emit()

    def find_all(self, words: str) -> int:
        """Mark the line where it holds the words, or every place in what is unfolded.

        Gives their number; empty words clear the marks.
        """
        inside = 0
        if self._text is not None:
            inside = self._text.find_all(words if self.is_open else "")
        in_line = bool(words) and not self.is_open
        count = self._words.casefold().count(words.casefold()) if in_line else 0
        pieces.set_property(self._line, "found", "true" if count else "false")
        return inside or count

    def found_top(self, index: int) -> int:
        """Give the vertical place of a found stretch, in this widget's pixels."""
        if self._text is None or not self.is_open:
            return 0
        return self._text.y() + self._text.found_top(index)

    def stress(self, index: int) -> None:
        """Mark one of the found places more than the others, or none (-1)."""
        if self._text is not None and self.is_open:
            self._text.stress(index)
        elif self._line.property("found") in ("true", "stressed"):
            pieces.set_property(self._line, "found", "true" if index < 0 else "stressed")

    @override
    def mouseReleaseEvent(self, event: object) -> None:
        """Unfold by a click anywhere on the line."""
        self.toggle()


class TurnView(QWidget):
    """One turn with everything that belongs to it.

    Signals:
        marked: A stretch of this turn's text was chosen: turn number, start, end.
        unmarked: A highlight of it is to be taken back, by its mark.
        unfolded: A very long text is shown to its end now, or a detail was unfolded or folded.
    """

    marked = Signal(int, int, int)
    unmarked = Signal(object)
    unfolded = Signal()

    def __init__(self, theme: Theme, turn: Turn, number: int, attachment: Attachment) -> None:
        """Show a turn; `number` is its place in the conversation, negative for a bare text."""
        super().__init__()
        self.number = number
        self.texts: list[TurnText] = []
        self.searched: list[TurnText | Fold] = []
        self._theme = theme
        self._attachment = attachment
        self._column = layouts.column(on=self, margins=0, gap=theme.px(5))
        self._side = "user" if turn.role == "user" else "agent"
        if turn.text or not turn.tool_calls:
            who = turn.name or ROLES.get(turn.role, turn.role)
            clock = turn.at[11:19] if turn.at and len(turn.at) >= 19 else turn.at or ""
            caption = text(f"{who} · {clock}" if clock else who, "tiny", tip=turn.at or "")
            side = (
                Qt.AlignmentFlag.AlignTrailing if self.is_user else Qt.AlignmentFlag.AlignLeading
            )
            caption.setAlignment(side)
            self._column.addWidget(caption)
        self._add_content(turn)

    @property
    def is_user(self) -> bool:
        """Tell whether the user speaks."""
        return self._side == "user"

    def add_calls(self, calls: Sequence[ToolCall], results: dict[str, Turn]) -> None:
        """Show tool calls folded, each with its result."""
        for call in calls:
            result = results.get(call.id or "")
            answer = f" → {one_line(result.text)}" if result is not None else ""
            body = f"arguments\n{pretty(call.arguments)}"
            if result is not None:
                body += f"\n\nresult\n{pretty(result.text)}"
            self._add_fold(call_line(call) + answer, body, f"tool call {call.name}")

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave a side free that shows who speaks, less of it in a narrow pane."""
        super().resizeEvent(event)
        indent = min(self._theme.px(INDENT), self.width() // NARROW)
        wanted = QMargins(indent, 0, 0, 0) if self.is_user else QMargins(0, 0, indent, 0)
        if self._column.contentsMargins() != wanted:
            self._column.setContentsMargins(wanted)

    def set_spans(self, spans: Sequence[Span]) -> None:
        """Highlight stretches of the turn's text."""
        for part in self.texts[:1]:
            part.set_spans(spans)

    def _add_content(self, turn: Turn) -> None:
        if turn.role == "system":
            self._add_fold(
                f"System prompt: {one_line(turn.text, 200)}", turn.text, "system prompt"
            )
            return
        if turn.role == "tool":
            body = pretty(turn.text)
            self._add_fold(f"{turn.name or 'tool'} → {one_line(body, 200)}", body, "tool result")
            return
        if turn.text:
            self._add_bubble(turn.text)
        for part in turn.content if isinstance(turn.content, tuple) else ():
            if part.type == "reasoning":
                body = part.text or ""
                self._add_fold(f"Reasoning: {one_line(body, 200)}", body, "reasoning")
            elif part.type == "image":
                self._column.addWidget(self._image(part))
            elif part.type == "file":
                name, body = part.name or part.path or "file", part.text or ""
                self._add_fold(f"File {name}: {one_line(body, 200)}", body, f"file {name}")

    def _add_fold(self, line: str, body: str, name: str) -> None:
        fold = Fold(self._theme, line, body, name=name)
        fold.toggled.connect(self.unfolded)
        self.searched.append(fold)
        self._column.addWidget(fold)

    def _add_bubble(self, words: str) -> None:
        bubble = pieces.dressed(QFrame(), kind="bubble")
        bubble.setProperty("side", self._side)
        margin = self._theme.px(14)
        body = pieces.named(
            TurnText(self._theme, self._attachment), f"{ROLES.get(self._side, 'Agent')} says"
        )
        body.set_text(words)
        pieces.connect(
            (body.marked, lambda first, last: self.marked.emit(self.number, first, last)),
            (body.unmarked, self.unmarked),
            (body.unfolded, self.unfolded),
        )
        self.texts.append(body)
        self.searched.append(body)
        inner = layouts.column(body, on=bubble, margins=(margin, margin - 3, margin, margin - 3))
        if body.is_shortened:
            size = f"{len(words):,}"
            inner.addWidget(_show_all(f"Show all {size} characters", body.show_all))
        self._column.addWidget(bubble)

    def _image(self, part: Part) -> QLabel:
        label = QLabel()
        content = _content(part, self._attachment)
        picture = QPixmap()
        name = visible(part.name or part.path or "image").text
        if content and picture.loadFromData(content):
            side = self._theme.px(IMAGE_SIDE)
            if max(picture.width(), picture.height()) > side:
                keep = Qt.AspectRatioMode.KeepAspectRatio
                smooth = Qt.TransformationMode.SmoothTransformation
                picture = picture.scaled(side, side, keep, smooth)
            label.setPixmap(picture)
            label.setToolTip(name)
        else:
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setText(f"[image not in the project: {name}]")
            label.setProperty("role", "muted")
        label.setAccessibleName(f"Image {name}")
        return label


def _content(part: Part, attachment: Attachment) -> bytes | None:
    if part.data:
        start = part.data.find(",") + 1 if part.data.startswith("data:") else 0
        return bytes(QByteArray.fromBase64(part.data[start:].encode()).data())
    return attachment(part.path) if part.path and ":" not in part.path else None


def _show_all(words: str, show: Callable[[], None]) -> Button:
    def press() -> None:
        show()
        button.hide()

    button = Button(words, press, kind="link")
    return button
