"""The `?` sheet: the rubric with its level texts beside every key."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from reviewer.domain.rubric import Metric, Rubric
from reviewer.gui.actions import DECISIONS, LEVELS, Command, Scope
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectDialog

_LEVEL_LINE = Command("review.levels", "Set that level on the metric in focus", scope=Scope.REVIEW)
_DECIDE_LINE = "Decide that level, and go to the next response"
_NUMBERS = frozenset(command.id for command in (*LEVELS, *DECISIONS))


class KeysSheet(ProjectDialog):
    """Rubric on the left, keys on the right; Escape or ? closes it."""

    def __init__(
        self,
        theme: Theme,
        rubric: Rubric | None,
        commands: Sequence[Command],
        parent: QWidget | None = None,
    ) -> None:
        """Make the sheet; without a rubric it shows the keys alone."""
        super().__init__(parent, "Rubric and keys")
        self._theme = theme
        row = layouts.row(on=self, margins=14, gap=14)
        if rubric is not None:
            row.addWidget(_scrolled(self._rubric_card(rubric), "Rubric"), 3)
        row.addWidget(_scrolled(self._keys_card(commands), "Keys"), 2)
        fit(self, theme.px(980 if rubric else 460), theme.px(640))

    def _rubric_card(self, rubric: Rubric) -> QWidget:
        card = pieces.Card(f"Rubric {rubric.name}")
        if rubric.description:
            card.body.addWidget(pieces.text(rubric.description, "small", wrap=True))
        for metric in rubric.metrics:
            card.body.addWidget(pieces.line())
            self._add_metric(card.body, metric)
        card.body.addStretch(1)
        return card

    def _add_metric(self, body: QVBoxLayout, metric: Metric) -> None:
        body.addLayout(
            layouts.row(
                pieces.text(metric.heading, "heading"), 1, pieces.text(_facts(metric), "small")
            )
        )
        if metric.description:
            body.addWidget(pieces.text(metric.description, "muted", wrap=True))
        grid = layouts.grid(across=10, down=4, stretch={2: 1})
        # people read scales from the best level down; the keys count from the lowest up
        for row, (n, level) in enumerate(reversed(list(enumerate(metric.sorted_levels)))):
            spoken = f"{level.title}: {level.description}".strip(": ")
            if n < 10 and metric.is_labelled:
                grid.addWidget(pieces.keycap(str((n + 1) % 10)), row, 0, _TOP)
            grid.addWidget(pieces.text(f"{level.value}", "strong"), row, 1, _TOP)
            grid.addWidget(pieces.text(spoken, "small", wrap=True), row, 2)
        body.addLayout(grid)

    def _keys_card(self, commands: Sequence[Command]) -> QWidget:
        card = pieces.Card("Keys")
        grid = layouts.grid(across=12, down=5, stretch={1: 1})
        row = 0
        for scope in dict.fromkeys(c.scope for c in commands):
            grid.addWidget(pieces.text(str(scope), "strong"), row, 0, 1, 2)
            row += 1
            for keys, title in _lines([c for c in commands if c.scope == scope]):
                grid.addLayout(_caps(keys), row, 0)
                grid.addWidget(pieces.text(title, "small", wrap=True), row, 1)
                row += 1
        layouts.fill(card.body, grid, 1)
        return card


_TOP = Qt.AlignmentFlag.AlignTop


def _facts(metric: Metric) -> str:
    parts = [metric.describe_scale() if not metric.levels else "", f"weight {metric.weight:g}"]
    if metric.pass_at is not None:
        parts.append(f"pass {'≥' if metric.higher_is_better else '≤'} {metric.pass_at:g}")
    if not metric.is_labelled:
        parts.append("not labelled")
    return " · ".join(part for part in parts if part)


def _lines(commands: Sequence[Command]) -> list[tuple[tuple[str, ...], str]]:
    numbers = any(c.id in _NUMBERS for c in commands)
    lines: list[tuple[tuple[str, ...], str]] = []
    if numbers:
        decides = any(c.scope is Scope.AUDIT for c in commands)
        lines.append((("1", "…", "9", "0"), _DECIDE_LINE if decides else _LEVEL_LINE.title))
    lines += [(c.keys, c.title) for c in commands if c.keys and c.id not in _NUMBERS]
    return lines


def _caps(keys: Sequence[str]) -> QHBoxLayout:
    row = layouts.row(gap=3)
    for key in keys:
        row.addWidget(pieces.text(key, "small") if key == "…" else pieces.keycap(key))
    row.addStretch(1)
    return row


def _scrolled(card: QWidget, name: str) -> QScrollArea:
    area = pieces.named(QScrollArea(widgetResizable=True), name)
    area.setWidget(card)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area
