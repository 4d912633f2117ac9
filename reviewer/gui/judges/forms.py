"""Fields of the forms: one look, names for screen readers, numbers that may be missing."""

from collections.abc import Iterable, Sequence

from PySide6.QtWidgets import (
    QFormLayout,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QWidget,
)

from reviewer.domain.errors import ReviewerError
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.number_field import WholeField
from reviewer.gui.kit.theme import Theme


def form(theme: Theme) -> QFormLayout:
    """Make a form whose fields take the width that there is."""
    made = QFormLayout(
        verticalSpacing=theme.px(8),
        horizontalSpacing=theme.px(12),
        fieldGrowthPolicy=QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow,
        rowWrapPolicy=QFormLayout.RowWrapPolicy.WrapLongRows,
    )
    made.setContentsMargins(0, 0, 0, 0)
    return made


def add_rows(layout: QFormLayout, theme: Theme, rows: Iterable[tuple[str, QWidget]]) -> None:
    """Add rows whose titles are equally wide in every form, so that fields stand in line."""
    for title, widget in rows:
        label = pieces.text(title)
        label.setMinimumWidth(theme.px(94))
        label.setBuddy(widget)
        layout.addRow(label, widget)


def lay_out(
    tab: QWidget, theme: Theme, beside: pieces.Card, shown: pieces.Card, foot: Sequence[QWidget]
) -> None:
    """Lay a list's card beside the card of what is chosen in it, with buttons at its foot.

    Args:
        tab: gets both cards.
        theme: of the window.
        beside: the list's.
        shown: the form's, its fields already in it.
        foot: the first button stands at the left, the others at the right.
    """
    first, *others = foot
    buttons = layouts.row(first, 1, *others)
    layouts.fill(shown.body, 1, buttons)
    beside.setMinimumWidth(theme.px(230))
    layouts.row((beside, 2), (shown, 3), on=tab, margins=(0, theme.px(8), 0, 0), gap=pieces.GAP)


def line(name: str, hint: str = "") -> QLineEdit:
    """Make a field for one line of text."""
    field = pieces.named(QLineEdit(), name)
    field.setPlaceholderText(hint)
    return field


def lines(theme: Theme, name: str, hint: str = "", *, most: int = 4) -> QPlainTextEdit:
    """Make a field for a few lines of text, which Tab leaves."""
    field = pieces.named(QPlainTextEdit(), name)
    field.setPlaceholderText(hint)
    field.setTabChangesFocus(True)
    field.setProperty("role", "mono")
    field.setFixedHeight(field.fontMetrics().lineSpacing() * most + theme.px(12))
    return field


def whole(name: str, lowest: int, highest: int, unit: str = "") -> QSpinBox:
    """Make a field for a whole number."""
    field = pieces.named(WholeField(), name)
    field.setRange(lowest, highest)
    field.setSuffix(unit)
    return field


def number_of(field: QLineEdit) -> float | None:
    """Read a number, None where the field is empty.

    Raises:
        ReviewerError: It is no number.
    """
    words = field.text().strip().replace(",", ".").lstrip("$")
    if not words:
        return None
    try:
        return float(words)
    except ValueError:
        raise ReviewerError(
            f"{field.accessibleName()} is {field.text()[:40]!r}; a number is expected."
        ) from None


def whole_of(field: QLineEdit) -> int | None:
    """Read a whole number, None where the field is empty.

    Raises:
        ReviewerError: It is no whole number.
    """
    found = number_of(field)
    if found is not None and not found.is_integer():
        raise ReviewerError(
            f"{field.accessibleName()} is {field.text()[:40]!r}; a whole number is expected."
        )
    return None if found is None else int(found)


def written(value: float | None) -> str:
    """Write a number as it would be typed; nothing for none."""
    return "" if value is None else f"{value:g}"
