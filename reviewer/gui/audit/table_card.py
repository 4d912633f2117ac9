"""A card with a sentence and the table behind it; cells of figures and of what numbers say."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from reviewer.domain.wording import DASH, in_percent, p_words, short
from reviewer.gui.audit.words import ends
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.services.findings.insights_values import Keys

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
    below = f"{percents(span[0])[:-2]} – {percents(span[1])}" if span else ""
    return _with_below(percents(value), below, reason, role)


def between(
    value: float | None,
    span: tuple[float, float] | None,
    reason: str | None = None,
    role: str = "",
) -> Cell:
    """Make the cell of a figure with its interval below."""
    return _with_below(short(value), ends(*span) if span else "", reason, role)


def _with_below(words: str, below: str, reason: str | None, role: str) -> Cell:
    if words == DASH:
        return missing(reason)
    return Cell(words, role, tip=f"95 % {below}" if below else reason or "", below=below)


NAME_LENGTH = 40
TIED = ("tied",)
"""The row of evaluations without a majority, which no labeler can be called."""
Row = tuple[Hashable, tuple[Cell, ...]]


@dataclass(frozen=True, slots=True)
class Detail:
    """The table behind a line; without rows there is nothing to unfold.

    Attributes:
        figures: The few figures that stand beside the title.
        note: What the table cannot say, below it.
        opens: Whether a row leads to its responses.
        responses: The evaluations behind rows by the row's key, and a heading for their list.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...] = ()
    figures: str = ""
    note: str = ""
    opens: bool = False
    responses: Mapping[Hashable, tuple[Keys, str]] = field(default_factory=dict)


def signed(value: float) -> str:
    """Write a difference with its sign."""
    return f"+{short(value)}" if round(value, 2) > 0 else short(value)


def missing(reason: str | None = None) -> Cell:
    """Make the cell of a figure that is not there, with its reason."""
    return Cell(DASH, "muted", tip=reason or "")


def number(value: float | None, reason: str | None = None, role: str = "") -> Cell:
    """Make the cell of a figure."""
    return missing(reason) if value is None else Cell(short(value), role)


def whole(value: int | None, reason: str | None = None) -> Cell:
    """Make the cell of a count."""
    return missing(reason) if value is None else Cell(f"{value:,}")


def share(value: float | None, reason: str | None = None, role: str = "") -> Cell:
    """Make the cell of a share."""
    return missing(reason) if value is None else Cell(in_percent(value, 0), role)


def difference(value: float | None, low: float | None, high: float | None) -> Cell:
    """Make the cell of a difference with its interval below."""
    if value is None:
        return missing()
    spoken = ends(low, high)
    return Cell(signed(value), tip=f"95 % {spoken}" if spoken else "", below=spoken)


def person(name: str) -> Cell:
    """Make the cell of somebody's name."""
    return Cell(one_line(name, NAME_LENGTH), strong=True, tip=name)


def p_value(value: float | None) -> Cell:
    """Make the cell of a p value."""
    if value is None:
        return missing()
    return Cell(p_words(value))


def spoken(words: str) -> str:
    """Make a sentence of words."""
    return f"{words[:1].upper()}{words[1:]}." if words else ""
