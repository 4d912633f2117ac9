"""What needs a look in a shared project: answers given twice, and looks before the answer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.services.project.session import Session
from reviewer.services.sharing import states, team
from reviewer.services.sharing.team import AnsweredTwice, LookedBefore

NOTHING = (
    "Nobody answered the same on two computers in two ways, and nobody asked to see auto scores "
    "before answering."
)
_COLUMNS = (
    Column("response", 150),
    Column("person", 110),
    Column("what"),
    Column("counts", 90, tip="The answer that counts: the latest that they gave."),
)


@dataclass(frozen=True)
class Looks:
    """What was found."""

    twice: Sequence[AnsweredTwice] = ()
    before: Sequence[LookedBefore] = ()


def find(session: Session) -> Looks:
    """Look for what needs a look; call it beside the window."""
    return Looks(team.answered_twice(session), team.looked_before(session))


class LookCard(pieces.Card):
    """One line each; a line opens its response.

    Signals:
        evaluation_requested: A response is to be shown on Review, by its key.
    """

    evaluation_requested = Signal(int)

    def __init__(self, theme: Theme) -> None:
        """Make the card empty."""
        super().__init__("To look at")
        self.head.addWidget(pieces.text("Return opens the response", "small"))
        self.nothing = pieces.text(NOTHING, "muted", wrap=True)
        self.table = GridView(theme, _COLUMNS, "What needs a look", most=8)
        self.table.row_opened.connect(self._open)
        layouts.fill(self.body, self.nothing, self.table)
        self.show_found(Looks())

    def show_found(self, found: Looks) -> None:
        """Show what was found."""
        rows = list(_rows(found))
        self.table.show_rows([((place, key), cells) for place, (key, cells) in enumerate(rows)])
        self.table.setVisible(bool(rows))
        self.nothing.setVisible(not rows)

    def _open(self, key: object) -> None:
        if isinstance(key, tuple):
            self.evaluation_requested.emit(int(key[1]))


def _rows(found: Looks) -> Iterator[tuple[int, tuple[Cell, ...]]]:
    for one in found.twice:
        first, second = one.answers
        since = "; answered again since" if one.since else ""
        words = f"{one.metric}: {first} and {second} on two computers{since}"
        yield one.key, (*_whose(one), Cell(words, tip=words), Cell(one.counts, "human"))
    for look in found.before:
        at = f", {states.moment(look.at)}" if look.at else ""
        words = f"asked to see auto scores before answering{at}"
        yield look.key, (*_whose(look), Cell(words, tip=words), Cell(""))


def _whose(one: AnsweredTwice | LookedBefore) -> tuple[Cell, Cell]:
    place = f"{one.run}/{one.id}"
    return (
        Cell(one_line(one.id, 60), strong=True, tip=place),
        Cell(one_line(one.labeler, 40), tip=one.labeler),
    )
