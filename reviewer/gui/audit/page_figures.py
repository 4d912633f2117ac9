"""The figures of the page's left column, as somebody takes them away."""

from collections.abc import Callable, Hashable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from reviewer.gui.audit import metric_figures, pair_figures, words
from reviewer.gui.audit.figures_cards import LabelersCard
from reviewer.gui.audit.verdict_card import VerdictCard
from reviewer.gui.figures.figure_menu import Figure, FigureMenu
from reviewer.services.audits.auditing import Audit
from reviewer.services.figures.statistics_blocks import MetricBlock


class PageFigures(QObject):
    """Serves verdict and labelers with the figures in view."""

    def __init__(self, parent: QWidget, verdict: VerdictCard, labelers: LabelersCard) -> None:
        """Serve both cards."""
        super().__init__(parent)
        self._given: tuple[Audit, MetricBlock] | None = None
        self._labelers = labelers
        self.menu = FigureMenu(verdict.theme, parent)
        self.menu.serve(verdict.figure, lambda: self._made(_coefficient))
        self.menu.serve(verdict.sentence, lambda: self._made(metric_figures.verdict))
        self.menu.serve(verdict.corrected, lambda: self._made(metric_figures.corrected))
        self.menu.serve_grid(labelers.table, self._pair)

    def give(self, audit: Audit, block: MetricBlock) -> None:
        """Take the figures in view."""
        self._given = (audit, block)

    def _made(self, make: Callable[[Audit, MetricBlock], Figure]) -> Figure | None:
        return None if self._given is None else make(*self._given)

    def _pair(self, key: Hashable, _: int) -> Figure | None:
        one = self._labelers.pairs.get(key)  # type: ignore[call-overload]
        if one is None or self._given is None:
            return None
        return pair_figures.figure(self._given[0], one)


def _coefficient(audit: Audit, block: MetricBlock) -> Figure:
    return metric_figures.agreement(audit, block, words.coefficient(block)[0])
