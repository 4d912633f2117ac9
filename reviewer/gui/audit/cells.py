"""Cells of figures that stand with their interval, and shares that may leave 0 to 1."""

from reviewer.gui.audit.insights_cells import missing
from reviewer.gui.audit.words import DASH, ends, two
from reviewer.gui.kit.grid import Cell


def percents(value: float | None) -> str:
    """Write a share in whole percents, also one that is negative or above 1."""
    return DASH if value is None else f"{100 * value:.0f} %".replace("-", "−")


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
        return Cell(two(value), role, tip=reason or "")
    below = ends(*span)
    return Cell(two(value), role, tip=f"95 % {below}", below=below)


def points(value: float) -> str:
    """Write a difference of shares in whole points."""
    rounded = round(100 * value) + 0
    return (f"+{rounded}" if rounded > 0 else f"{rounded}").replace("-", "−")
