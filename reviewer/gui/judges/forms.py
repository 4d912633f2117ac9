"""A list beside the form of what is chosen in it."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.form import Form
from reviewer.gui.kit.grid import GridView


def lay_out(
    tab: QWidget, chosen: tuple[GridView, QWidget], form: Form, foot: Sequence[QWidget]
) -> pieces.Card:
    """Lay a list's card beside the card of what is chosen in it, with buttons at its foot.

    Args:
        tab: gets both cards.
        chosen: the list, and the button that adds to it.
        form: what is chosen.
        foot: the first button stands at the left, the others at the right.

    Returns:
        The form's card.
    """
    kept, add = chosen
    beside, shown = pieces.Card(kept.accessibleName()), pieces.Card()
    layouts.fill(beside.head, add)
    layouts.fill(beside.body, (kept, 1))
    layouts.fill(shown.body, form, 1, layouts.row(foot[0], 1, *foot[1:]))
    px = form.theme.px
    beside.setMinimumWidth(px(230))
    layouts.row((beside, 2), (shown, 3), on=tab, margins=(0, px(8), 0, 0), gap=pieces.GAP)
    return shown
