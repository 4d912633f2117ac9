"""The levels of a scale as buttons, and expected keywords to tick."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QRadioButton, QSizePolicy, QWidget
from typing_extensions import override

from reviewer.domain.evaluation import Value, as_number
from reviewer.domain.rubric import Level, Metric
from reviewer.domain.wording import score_words
from reviewer.gui.kit import layouts
from reviewer.gui.kit.layouts import FlowLayout
from reviewer.gui.kit.pieces import Button, discard, text
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import TextStyle, Theme

AUTO = "auto"
PALE = 0.45
MOST_SAID, MOST_HIGH = 2000, 10_000
"""Letters that a level is shown with, pixels that they may take."""
WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
END = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop


class LevelButton(QRadioButton):
    """A level; filled when it is the label, underlined and named when it is the auto score.

    With words of its own it is a line: the value in a box, and what the level says beside it,
    in as many lines as that takes, or `folded` into one.

    Signals:
        reached: The keyboard focus came here.
    """

    reached = Signal()

    def __init__(
        self, theme: Theme, words: str, *, key: str, title: str, about: str = "", says: str = ""
    ) -> None:
        """Make a level that nobody gave.

        Args:
            theme: What it is painted in.
            words: The value.
            key: The key that sets it.
            title: The level's name.
            about: The metric's name, for those who hear it.
            says: What the level says beside its box; empty for the box alone.
        """
        super().__init__()
        self.setProperty("told", "level")
        self._theme = theme
        self._words = words
        self._title = title
        self._about = about
        self._says = one_line(says, MOST_SAID)
        self._auto = False
        self._folded = False
        self._heights: dict[tuple[int, float], int] = {}
        # the scale unchecks the others; Qt would not let go of the last one
        self.setAutoExclusive(False)
        self.setText(words)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        tall = QSizePolicy.Policy.Preferred if says else QSizePolicy.Policy.Fixed
        shape = QSizePolicy(QSizePolicy.Policy.Expanding, tall)
        shape.setHeightForWidth(bool(says))
        self.setSizePolicy(shape)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._tip = f"{words} {title}".strip() + (f"   [{key}]" if key else "")
        self.setToolTip(self._tip)
        self._describe()

    def set_state(self, *, given: bool, auto: bool) -> None:
        """Show whether this is the label and whether it is the auto score."""
        if (given, auto) != (self.isChecked(), self._auto):
            self.setChecked(given)
            self._auto = auto
            self._describe()
            self.update()

    def set_folded(self, *, folded: bool) -> None:
        """Show one line of what the level says, or all."""
        if folded != self._folded:
            self._folded = folded
            self.setToolTip(f"{self._tip}\n{self._says}" if folded and self._says else self._tip)
            self.updateGeometry()
            self.update()

    @override
    def nextCheckState(self) -> None:
        """Stay as it is: a click is a wish, and what is saved is shown."""

    @override
    def hitButton(self, pos: QPoint) -> bool:
        """Take a click anywhere on the line."""
        return self.rect().contains(pos)

    @override
    def sizeHint(self) -> QSize:
        """Ask for a comfortable target."""
        width = self.fontMetrics().horizontalAdvance(self._words) + self._theme.px(16)
        return QSize(max(width, self._theme.px(36)), self._theme.px(30))

    @override
    def minimumSizeHint(self) -> QSize:
        """Never cut the words; large text leaves less room around them."""
        hint = self.sizeHint()
        hint.setWidth(self.fontMetrics().horizontalAdvance(self._words) + self._theme.px(8))
        return hint

    @override
    def heightForWidth(self, width: int) -> int:
        """Take the lines that the words need at a width, measured once at each size of text."""
        if self._folded or not self._says:
            return self._theme.px(30)
        size = (width, self._theme.factor)
        if size not in self._heights:
            self._heights[size] = self._measure(width)
        return self._heights[size]

    def _measure(self, width: int) -> int:
        room = QRect(0, 0, max(width - self._indent() - self._room_of_auto(), 1), MOST_HIGH)
        lines = self._theme.metrics(TextStyle.SMALL).boundingRect(room, WRAPPED, self._says)
        return max(self._theme.px(30), lines.height() + self._theme.px(12))

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Say that the focus came here."""
        super().focusInEvent(event)
        self.reached.emit()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the level; what looked the same before is not drawn a second time."""
        state = (self.isChecked(), self._auto, self.underMouse(), self.hasFocus(), self._folded)
        look = ("level", self._words, self._says, *state)
        pictures, ratio = self._theme.pictures, self.devicePixelRatioF()
        painter = QPainter(self)
        if not self.isEnabled():
            painter.setOpacity(PALE)
        painter.drawPixmap(0, 0, pictures.get(look, self.size(), ratio, self._draw))
        painter.end()

    def _draw(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour, px = self._theme.colour, self._theme.px
        given = self.isChecked()
        # a line of one pixel in the middle of pixels, else it is two faint ones
        box = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        if self._says:
            box = QRectF(1.5, 2.5, self._box(), px(26))
        ground = "human_fill" if given else "hover" if self.underMouse() else "card"
        edge = "focus" if self.hasFocus() else "human_fill" if given else "control"
        painter.setPen(QPen(colour(edge), 2 if self.hasFocus() else 1))
        painter.setBrush(colour(ground))
        painter.drawRoundedRect(box, px(5), px(5))
        painter.setPen(colour("on_human" if given else "text"))
        painter.setFont(self._theme.font(TextStyle.STRONG))
        under = self._auto and not self._says
        room = box.adjusted(0, 0, 0, -px(8)) if under else box
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, self._words)
        if self._auto:
            bar = QRectF(box.left() + px(2), box.bottom() - px(3), box.width() - px(4), px(3))
            painter.fillRect(bar, colour("auto_fill"))
        if under:
            self._paint_auto(painter, box)
        if self._says:
            self._paint_line(painter)

    def _paint_auto(self, painter: QPainter, box: QRectF) -> None:
        colour, px = self._theme.colour, self._theme.px
        painter.setPen(colour("on_human" if self.isChecked() else "auto"))
        font = self._theme.font(TextStyle.TINY)
        font.setPixelSize(max(8, round(font.pixelSize() * 0.85)))
        painter.setFont(font)
        lower = QRectF(box.left(), box.bottom() - px(15), box.width(), px(12))
        painter.drawText(lower, Qt.AlignmentFlag.AlignCenter, "auto")

    def _paint_line(self, painter: QPainter) -> None:
        """Paint what the level says, and at the end whether the judge said so."""
        colour, px = self._theme.colour, self._theme.px
        left, top = self._indent(), px(6)
        room = QRect(left, top, self.width() - left - self._room_of_auto(), self.height() - top)
        painter.setPen(colour("text"))
        painter.setFont(self._theme.font(TextStyle.SMALL))
        if self._folded:
            metrics = self._theme.metrics(TextStyle.SMALL)
            cut = metrics.elidedText(self._says, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft, cut)
        else:
            painter.drawText(room, WRAPPED, self._says)
        if self._auto:
            painter.setPen(colour("auto"))
            painter.drawText(self.rect().adjusted(0, top, 0, 0), END, AUTO)

    def _box(self) -> int:
        wide = self._theme.metrics(TextStyle.STRONG).horizontalAdvance(self._words)
        return int(max(wide + self._theme.px(14), self._theme.px(30)))

    def _indent(self) -> int:
        return self._box() + self._theme.px(13)

    def _room_of_auto(self) -> int:
        # kept where no auto score is, so that a reveal moves no line
        return self._theme.metrics(TextStyle.SMALL).horizontalAdvance(AUTO) + self._theme.px(8)

    def _describe(self) -> None:
        words = [self._about, self._words, self._title]
        if self.isChecked():
            words.append("your label")
        if self._auto:
            words.append("auto score")
        self.setAccessibleName(", ".join(word for word in words if word))


KEYS, NARROW = 10, 6
"""Levels that have a key, and that stand in one row."""


class Levels(QWidget):
    """The levels of a metric: in lines with what each says, the best on top, or in a row.

    Signals:
        chosen: A level was clicked: its value.
        reached: The keyboard focus came to one of them.

    Attributes:
        titles: What each value is called in the rubric.
    """

    chosen = Signal(object)
    reached = Signal()

    def __init__(self, theme: Theme, metric: Metric) -> None:
        """Make them unfolded, none chosen."""
        super().__init__()
        self.titles = {level.value: level.title for level in metric.levels}
        texts = {x.value: _level_words(x) for x in metric.levels}
        told = any(texts.values())
        self._buttons: list[tuple[Value, LevelButton]] = []
        for place, value in enumerate(metric.key_values):
            words = _value_words(metric, value)
            button = LevelButton(
                theme,
                words,
                key=str((place + 1) % KEYS),
                title=self.titles.get(value, ""),
                about=metric.heading,
                says=(texts.get(value) or words) if told else "",
            )
            button.clicked.connect(lambda _=False, x=value: self.chosen.emit(x))
            button.reached.connect(self.reached)
            self._buttons.append((value, button))
        shown = [button for _, button in self._buttons]
        if told:
            best_first = reversed(shown) if metric.kind.by_levels else shown
            layouts.column(*best_first, on=self, margins=0, gap=3)
        elif metric.is_numeric and len(shown) <= NARROW:
            layouts.row(*shown, on=self, margins=0, gap=theme.px(6))
        else:
            layouts.fill(FlowLayout(self, spacing=theme.px(6)), *shown)

    @property
    def first(self) -> LevelButton | None:
        """Give what the focus goes to first; a scale without levels has none."""
        return self._buttons[0][1] if self._buttons else None

    @property
    def is_answered(self) -> bool:
        """Tell whether one of them is the label."""
        return any(button.isChecked() for _, button in self._buttons)

    def show_values(self, given: Value | None, auto: Value | None) -> None:
        """Show the label, and the auto score at the level nearest to it."""
        nearest = _nearest([value for value, _ in self._buttons], auto)
        for value, button in self._buttons:
            button.set_state(
                given=_same(value, given), auto=nearest is not None and value == nearest
            )

    def set_folded(self, *, folded: bool) -> None:
        """Show the chosen level alone, in one line, or all."""
        for _, button in self._buttons:
            button.set_folded(folded=folded)
            button.setVisible(button.isChecked() or not folded)


def _value_words(metric: Metric, value: Value) -> str:
    if metric.kind.is_binary and not isinstance(value, str):
        return {0: "No", 1: "Yes"}.get(int(value), "")
    return score_words(value)


def _level_words(level: Level) -> str:
    return " — ".join(x for x in (level.title, level.description) if x)


def _same(value: Value, given: Value | None) -> bool:
    if given is None or isinstance(value, str) or isinstance(given, str):
        return value == given
    return abs(float(value) - float(given)) < 1e-9


def _nearest(values: Sequence[Value], auto: Value | None) -> Value | None:
    if auto is None or isinstance(auto, str):
        return auto
    wanted = as_number(auto) or 0.0
    numbers = [x for x in values if not isinstance(x, str)]
    return min(numbers, key=lambda x: (round(abs(float(x) - wanted), 9), float(x)), default=None)


TICKED_SCORER = "response_quality"
"""The scorer whose metric people label by ticking keywords."""


def is_ticked(metric: Metric) -> bool:
    """Tell whether people label a metric by ticking expected keywords."""
    return metric.scorer == TICKED_SCORER and metric.kind.is_open


class TickRow(QWidget):
    """A button a keyword, with the number of the key that ticks it.

    Signals:
        share_chosen: The share of ticked keywords, 0 to 1, after each tick.
    """

    share_chosen = Signal(float)

    def __init__(self, theme: Theme) -> None:
        """Make a row without keywords."""
        super().__init__()
        self._keywords: tuple[str, ...] = ()
        self._ticked: set[str] = set()
        self._buttons: list[Button] = []
        self._hint = text("", "small", wrap=True)
        self._holder = QWidget()
        self._flow = FlowLayout(self._holder, spacing=theme.px(5))
        layouts.column(self._hint, self._holder, on=self, margins=0, gap=theme.px(4))

    @property
    def keywords(self) -> tuple[str, ...]:
        """Give the keywords in their order."""
        return self._keywords

    @property
    def ticked(self) -> frozenset[str]:
        """Give what is ticked."""
        return frozenset(self._ticked)

    @property
    def buttons(self) -> tuple[Button, ...]:
        """Give the keywords' buttons in the same order."""
        return tuple(self._buttons)

    def show_keywords(self, keywords: Sequence[str]) -> None:
        """Show the keywords of an evaluation, none of them ticked."""
        self.show_ticked(())
        wanted = tuple(dict.fromkeys(keywords))
        if wanted == self._keywords:
            return
        self._keywords = wanted
        for button in self._buttons:
            discard(button)
        self._buttons = [self._button(place, word) for place, word in enumerate(self._keywords)]
        layouts.fill(self._flow, *self._buttons)
        self._show()

    def show_ticked(self, words: Iterable[str]) -> None:
        """Show what is ticked."""
        wanted = set(words) & set(self._keywords)
        if wanted != self._ticked:
            self._ticked = wanted
            self._show()

    def toggle(self, place: int) -> None:
        """Tick the keyword at a place, or take the tick away."""
        if place < len(self._keywords):
            self._ticked ^= {self._keywords[place]}
            self._changed()

    def set_all(self, *, ticked: bool) -> None:
        """Tick every keyword, or none."""
        self._ticked = set(self._keywords) if ticked else set()
        self._changed()

    def _button(self, place: int, word: str) -> Button:
        key = str((place + 1) % KEYS) if place < KEYS else ""
        button = Button(
            one_line(word, 40),
            lambda: self.toggle(place),
            key=key,
            dense=True,
            name=f"keyword {word}",
        )
        button.setCheckable(True)
        return button

    def _changed(self) -> None:
        self._show()
        self.share_chosen.emit(len(self._ticked) / len(self._keywords))

    def _show(self) -> None:
        for word, button in zip(self._keywords, self._buttons, strict=True):
            button.setChecked(word in self._ticked)
        self._hint.setText(
            "Tick what the answer really conveys; the share is your label. Y all · N none"
        )
