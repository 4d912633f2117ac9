"""The field that takes any value of a scale, where keys and buttons reach only some of them."""

from PySide6.QtWidgets import QInputDialog, QWidget

from reviewer.domain.evaluation import Value
from reviewer.domain.rubric import Metric

TITLE = "Enter a value"
MANY = 12
"""From so many levels on the field names the lowest and the highest alone."""


def ask_value(metric: Metric, owner: QWidget) -> Value | None:
    """Ask for a value; it may not be on the scale. None where nothing is wanted."""
    title = f"{metric.heading}: {_scale(metric)}"
    if not metric.is_numeric:
        words, agreed = QInputDialog.getItem(
            owner, TITLE, title, list(metric.values), editable=False
        )
        return words if agreed else None
    words, agreed = QInputDialog.getText(owner, TITLE, title)
    return _typed(words.strip()) if agreed else None


def has_more(metric: Metric) -> bool:
    """Tell whether a scale has values that no key sets."""
    every = metric.kind.values
    return not metric.kind.is_binary and (not every or not set(every) <= set(metric.key_values))


def _scale(metric: Metric) -> str:
    many = len(metric.kind.values)
    if many <= MANY:
        return metric.describe_scale()
    if not metric.is_numeric:
        return f"one of {many:,} categories"
    return f"one of {many:,} levels from {metric.grid[0]:g} to {metric.grid[-1]:g}"


def _typed(words: str) -> Value:
    try:
        return int(words)
    except ValueError:
        pass
    try:
        return float(words.replace(",", "."))
    except ValueError:
        return words
