"""A card with a sentence and the table behind it, and cells of figures with their interval."""

from collections.abc import Hashable, Sequence

from reviewer.domain.wording import DASH, in_percent, short
from reviewer.gui.audit.insights_cells import missing
from reviewer.gui.audit.words import ends
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme

LONGEST = 900


class TableCard(pieces.Card):
    """Shows one topic; without rows the sentence stands alone."""

    def __init__(
        self, theme: Theme, title: str, columns: Sequence[Column], *, most: int = 12
    ) -> None:
        """Make a card without figures."""
        super().__init__(title)
        self.hint = pieces.ElidedText("", "small")
        self.head.addWidget(self.hint, 1)
        self.sentence = pieces.text("", wrap=True, name=f"{title}, in a sentence")
        self.table = GridView(theme, columns, title, most=most)
        self.note = pieces.text("", "small", wrap=True)
        layouts.fill(self.body, self.sentence, self.table, self.note)

    def show_topic(
        self,
        sentence: str,
        rows: Sequence[tuple[Hashable, Sequence[Cell]]],
        *,
        note: str = "",
        muted: bool = False,
    ) -> None:
        """Show what there is; `muted` says that the sentence is a reason."""
        pieces.say(
            self.sentence, held_together(one_line(sentence, LONGEST)), "muted" if muted else ""
        )
        self.table.show_rows(rows)
        self.table.setVisible(bool(rows))
        pieces.say(self.note, held_together(one_line(note, LONGEST)))


def held_together(words: str) -> str:
    """Keep figures and their signs on one line."""
    return (
        words.replace(" = ", "\u00a0=\u00a0")
        .replace(" ± ", "\u00a0±\u00a0")
        .replace(" %", "\u00a0%")
        .replace("95\u00a0% ", "95\u00a0%\u00a0")
    )


def percents(value: float | None) -> str:
    """Write a share in whole percents, also one that is negative or above 1."""
    return DASH if value is None else in_percent(value, 0)


def share_between(
    value: float | None,
    span: tuple[float, float] | None,
    reason: str | None = None,
    role: str = "",
) -> Cell:
    """Make the cell of a share with its interval below."""
    if value is None:
        return missing(reason)
    if span is None:
        return Cell(percents(value), role, tip=reason or "")
    below = f"{percents(span[0])[:-2]} – {percents(span[1])}"
    return Cell(percents(value), role, tip=f"95 % {below}", below=below)


def between(
    value: float | None,
    span: tuple[float, float] | None,
    reason: str | None = None,
    role: str = "",
) -> Cell:
    """Make the cell of a figure with its interval below."""
    if value is None:
        return missing(reason)
    if span is None:
        return Cell(short(value), role, tip=reason or "")
    below = ends(*span)
    return Cell(short(value), role, tip=f"95 % {below}", below=below)
