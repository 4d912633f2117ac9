"""What the queue is filtered by: a field to type in, what holds already as chips, values to pick.

What is typed finds at once; Return makes chips of it. A click on a chip brings its text back to be
changed, its cross takes it out.
"""

import re
from collections.abc import Callable, Sequence

from PySide6.QtCore import QCoreApplication, QModelIndex, QObject, QRect, Qt, Signal
from PySide6.QtGui import (
    QInputMethodEvent,
    QKeyEvent,
    QStandardItem,
    QStandardItemModel,
    QTextCharFormat,
)
from PySide6.QtWidgets import QCompleter, QFrame, QLineEdit, QListView, QSizePolicy, QWidget
from typing_extensions import override

from reviewer.domain.errors import FilterError, ReviewerError
from reviewer.domain.filters import (
    All,
    Filter,
    Term,
    beside,
    joined,
    parse,
    parts,
    to_text,
    turned,
)
from reviewer.gui.background import beside as read_beside
from reviewer.gui.kit import layouts
from reviewer.gui.kit.layouts import FlowLayout
from reviewer.gui.kit.pieces import Button, clear, connect, dressed, named, say, set_property, text
from reviewer.gui.kit.tasks import Tasks, soon
from reviewer.gui.kit.text import literal
from reviewer.gui.kit.theme import Theme
from reviewer.services.listing import facets
from reviewer.services.listing.facets import Choice, Facet
from reviewer.services.project.session import Session

FILTER_HELP = (
    "Words search question and answer. Also: category:policies · state:open · labeler:2 · tag:x · "
    'run:"agent v7" · text:"pool bar" · gap>1 (after the reveal) · -flag'
)
REST_MS = 180
SUGGESTED = 12
WIDTH = 330
"""Pixels at 100 % of what is suggested."""


class FacetReader(QObject):
    """Reads beside the window what a filter can ask for.

    Signals:
        failed: A sentence why nothing could be read.
    """

    failed = Signal(str)

    def __init__(self, tasks: Tasks) -> None:
        """Make a reader without a project."""
        super().__init__()
        self._tasks = tasks
        self.session: Session | None = None

    def facets(self) -> list[Facet]:
        """Give what the labeler may filter by."""
        return [] if self.session is None else facets.facets(self.session)

    def read(
        self, kind: str, facet: Facet, rest: Filter, then: Callable[[list[Choice]], object]
    ) -> None:
        """Read what can be asked of a facet within the rest of a filter."""
        if self.session is not None:
            self._tasks.run(
                f"values to {kind}",
                read_beside(self.session, lambda own, _: facets.choices(own, rest, facet)),
                then=then,
                failed=self.failed,
            )

    def count_without(
        self, found: tuple[Filter, ...], then: Callable[[list[int]], object]
    ) -> None:
        """Count what a filter would find without each of its parts."""
        if self.session is not None:
            self._tasks.run(
                "counts without",
                read_beside(self.session, lambda own, _: facets.found_without(own, found)),
                then=then,
            )


class FilterBar(QWidget):
    """The filter in force, to be typed, picked and taken back.

    Signals:
        changed: Another filter is wished for, as text.
        confirmed: Return was pressed on a filter that can be read.
    """

    changed = Signal(str)
    confirmed = Signal()

    def __init__(self, theme: Theme, reader: FacetReader) -> None:
        """Make an empty filter."""
        super().__init__()
        self._reader = reader
        self._chips: tuple[Filter, ...] = ()
        self._delay = soon(self, self.ask, REST_MS)
        self.edit = _FilterEdit(theme)
        self.problem = text("", "alert", wrap=True, hidden=True)
        self._suggestions = _Suggestions(theme, self.edit, reader)
        self._row = QWidget()
        self._flow = FlowLayout(self._row, spacing=theme.px(4))
        layouts.column(self.edit, self.problem, self._row, on=self, margins=0, gap=theme.px(6))
        self._show_chips()
        connect(
            (self.edit.textEdited, self._type),
            (self.edit.returnPressed, self._confirm),
            (self.edit.last_wanted, self._take_last),
        )

    @property
    def chips(self) -> tuple[Filter, ...]:
        """Give what holds and is not being typed."""
        return self._chips

    def text(self) -> str:
        """Give the whole filter as text: the chips and what is typed."""
        typed = self.edit.text().strip()
        if not self._chips:
            return typed
        try:
            return to_text(joined((*self._chips, *parts(parse(typed)))))
        except FilterError:
            return f"{to_text(All(self._chips))} {typed}"

    def show_filter(self, words: str) -> None:
        """Show a filter as chips, or as text where it cannot be read."""
        if words == self.text():
            return
        try:
            self._chips, typed = parts(parse(words)), ""
        except FilterError:
            self._chips, typed = (), words
        self.edit.setText(typed)
        self._show_chips()

    def set_filter(self, words: str) -> None:
        """Put a filter in force."""
        self.show_filter(words)
        self.ask()

    def turn(self, term: Term) -> None:
        """Ask for a value, or no more."""
        self._put(turned(self._chips, term))

    def drop(self, at: int) -> None:
        """Take a chip out."""
        self._put((*self._chips[:at], *self._chips[at + 1 :]))

    def drop_unreadable(self) -> None:
        """Take back what is typed where it cannot be read."""
        try:
            parse(self.edit.text())
        except FilterError:
            self.edit.clear()
            self.ask()

    def ask(self) -> None:
        """Ask for what stands here now."""
        self._delay.stop()
        self.changed.emit(self.text())

    def show_problem(self, error: ReviewerError | None) -> None:
        """Show why the filter cannot be understood and where, or nothing."""
        if isinstance(error, FilterError):
            try:
                parse(self.edit.text())
            except FilterError as typed:
                # places are counted in what one sees
                error = typed
        say(self.problem, "" if error is None else str(error))
        set_property(self.edit, "wrong", "false" if error is None else "true")
        self.edit.mark(error.at if isinstance(error, FilterError) else None)

    def show_chips(self, *, shown: bool) -> None:
        """Show the chips, or leave them out where the whole filter is named elsewhere."""
        self._row.setVisible(shown and bool(self._chips))

    def _put(self, chips: tuple[Filter, ...]) -> None:
        self._chips = chips
        self._show_chips()
        self.ask()

    def _type(self) -> None:
        self._delay.start()
        self._suggestions.offer(self._chips)

    def _confirm(self) -> None:
        """Make chips of what is typed, unless Return chose a suggestion."""
        if self._suggestions.is_choosing:
            return
        self.ask()
        if not self.problem.text():
            self.commit()
            self.confirmed.emit()

    def commit(self) -> None:
        """Make chips of what is typed, where it can be read."""
        try:
            typed = parts(parse(self.edit.text()))
        except FilterError:
            return
        if typed:
            self._chips = (*self._chips, *typed)
            self.edit.clear()
            self._show_chips()

    def _take_last(self) -> None:
        if self._chips:
            self._edit_chip(len(self._chips) - 1)

    def _edit_chip(self, at: int) -> None:
        """Bring a chip's text back to the field, at whose end one goes on."""
        self.commit()
        words = to_text(self._chips[at])
        self._chips = (*self._chips[:at], *self._chips[at + 1 :])
        self.edit.setText(words)
        self.edit.setFocus()
        self._show_chips()
        self.ask()

    def _show_chips(self) -> None:
        clear(self._flow)
        for at, part in enumerate(self._chips):
            chip = _Chip(part)
            connect(
                (chip.words.clicked, lambda _=False, x=at: self._edit_chip(x)),
                (chip.cross.clicked, lambda _=False, x=at: self.drop(x)),
            )
            self._flow.addWidget(chip)
        self._row.setVisible(bool(self._chips))


class _FilterEdit(QLineEdit):
    """The field; Backspace in it while empty brings the last chip back.

    Signals:
        last_wanted: The last chip is to be changed.
    """

    last_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(placeholderText="Filter: category, score, text…", clearButtonEnabled=True)
        self._theme = theme
        named(self, "Filter the queue", tip=FILTER_HELP)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the last chip back by Backspace."""
        if event.key() == Qt.Key.Key_Backspace and not self.text():
            self.last_wanted.emit()
        else:
            super().keyPressEvent(event)

    def mark(self, at: int | None) -> None:
        """Underline what cannot be understood, from a place on."""
        marks = []
        if at is not None:
            wavy = QTextCharFormat()
            wavy.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            wavy.setUnderlineColor(self._theme.colour("alert"))
            first = min(at, max(0, len(self.text()) - 1))
            marks = [
                QInputMethodEvent.Attribute(
                    QInputMethodEvent.AttributeType.TextFormat,
                    first - self.cursorPosition(),
                    len(self.text()) - first,
                    wavy,
                )
            ]
        # the only way to dress a part of a line edit's text
        QCoreApplication.sendEvent(self, QInputMethodEvent("", marks))


class _Chip(QFrame):
    """One part of a filter: its words, and a cross that takes it out."""

    def __init__(self, part: Filter) -> None:
        super().__init__()
        dressed(self, kind="chip")
        words = facets.in_words(part)
        self.words = Button(words, kind="flat", name=f"Change the filter {words}")
        self.words.let_shrink()
        self.cross = Button("✕", kind="flat", name=f"Take out the filter {words}")
        for button in (self.words, self.cross):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        layouts.row(self.words, self.cross, on=self, margins=0, gap=0)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)


_FIELD = re.compile(r"(?:^|[\s(])-?(\|?\w+)$")
_METRIC = re.compile(r"(?:^|[\s(])-?((gap|\|gap\||auto|human):(\w*))$")
_VALUE = re.compile(r'(?:^|[\s(])-?((\w+):(?:"([^"]*)|([^\s()"]*)))$')


class _Suggestions(QObject):
    """Offers fields, metrics and values below the field while somebody types."""

    def __init__(self, theme: Theme, edit: QLineEdit, reader: FacetReader) -> None:
        super().__init__(edit)
        self._width = theme.px(WIDTH)
        self._edit = edit
        self._reader = reader
        self._facet: Facet | None = None
        self._found: list[Choice] = []
        self._rest: tuple[Filter, ...] = ()
        self._model = QStandardItemModel(self)
        self._completer = QCompleter(self._model, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setMaxVisibleItems(SUGGESTED)
        self._completer.setWidget(edit)
        self._popup = QListView()
        self._popup.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._completer.setPopup(self._popup)
        dressed(self._popup, kind="suggestions")
        self._completer.activated[QModelIndex].connect(self._take)  # type: ignore[index]

    @property
    def is_choosing(self) -> bool:
        """Tell whether a suggestion is about to be taken."""
        return self._popup.isVisible() and self._popup.currentIndex().isValid()

    def offer(self, chips: tuple[Filter, ...]) -> None:
        """Offer what can follow at the cursor."""
        typed = self._typed()
        value = _VALUE.search(typed)
        if value is None:
            # what is there may be another the next time
            self._facet = None
            field = _FIELD.search(typed)
            self._show(self._fields(field.group(1).lower()) if field else [], "")
            return
        facet = next(
            (x for x in self._reader.facets() if x.field == value.group(2) and not x.metric), None
        )
        if facet is None:
            self._show(self._metrics(typed), "")
            return
        rest = beside(chips, facet.field, None)
        if (facet, rest) == (self._facet, self._rest):
            self._offer_values()
            return
        self._facet, self._rest, self._found = facet, rest, []
        self._reader.read("complete", facet, joined(rest), self._keep)

    def _keep(self, found: list[Choice]) -> None:
        self._found = found
        self._offer_values()

    def _typed(self) -> str:
        return self._edit.text()[: self._edit.cursorPosition()]

    def _fields(self, begun: str) -> list[tuple[str, str]]:
        found = {x.field: x for x in self._reader.facets()}
        return [
            (f"{name}:", f"{name}:   {facet.help.split(':')[0].split(';')[0]}")
            for name, facet in found.items()
            if name.startswith(begun)
        ]

    def _metrics(self, typed: str) -> list[tuple[str, str]]:
        asked = _METRIC.search(typed)
        if asked is None:
            return []
        begun = [
            to_text(Term(x.field, "", "", x.metric))
            for x in self._reader.facets()
            if x.field == asked.group(2) and x.metric and x.metric.startswith(asked.group(3))
        ]
        return [(words, f"{words}   then < = or >") for words in begun]

    def _offer_values(self) -> None:
        value = _VALUE.search(self._typed())
        if value is None or self._facet is None or value.group(2) != self._facet.field:
            return
        begun = (value.group(3) or value.group(4) or "").lower()
        shown = [x for x in self._found if begun in x.term.value.lower()][:SUGGESTED]
        self._show([(to_text(x.term), f"{x.title}{_counted(x.count)}") for x in shown], " ")

    def _show(self, offered: Sequence[tuple[str, str]], after: str) -> None:
        self._model.clear()
        for words, title in offered:
            item = QStandardItem(literal(title))
            item.setData(words + after, Qt.ItemDataRole.UserRole)
            self._model.appendRow(item)
        if offered and self._edit.hasFocus():
            self._completer.complete(QRect(0, 0, self._width, self._edit.height()))
        else:
            self._popup.hide()

    def _take(self, index: QModelIndex) -> None:
        """Put a suggestion in the place of what it completes."""
        typed = self._typed()
        begun = _VALUE.search(typed) or _FIELD.search(typed)
        start = begun.start(1) if begun else len(typed)
        words = str(index.data(Qt.ItemDataRole.UserRole))
        after = self._edit.text()[len(typed) :]
        self._edit.setText(typed[:start] + words + after.lstrip())
        self._edit.setCursorPosition(start + len(words))
        self._edit.textEdited.emit(self._edit.text())


def _counted(count: int | None) -> str:
    return "" if count is None else f"   {count:,}"
