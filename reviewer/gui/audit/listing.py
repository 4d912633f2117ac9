"""What the Audit page lists, and what its cards on the left offer."""

from collections.abc import Callable, Hashable
from functools import partial

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from reviewer.gui.audit import metric_figures
from reviewer.gui.audit.cases_side import CasesSide
from reviewer.gui.audit.confusion_view import ConfusionView, Place
from reviewer.gui.audit.figures_cards import LabelersCard
from reviewer.gui.audit.verdict_card import VerdictCard
from reviewer.gui.figures.figure_menu import Figure, FigureMenu
from reviewer.gui.kit import pieces
from reviewer.gui.kit.tasks import soon
from reviewer.services.audits.auditing import Audit
from reviewer.services.figures.statistics_blocks import MetricBlock

Given = tuple[Audit, MetricBlock]


class Listing(QObject):
    """Lists disagreements, one cell of the table, or the responses behind any figure."""

    def __init__(self, side: CasesSide, table: ConfusionView) -> None:
        """Watch over the right side and the table of human against auto."""
        super().__init__(side)
        self._side, self._table = side, table
        self._given: Given | None = None
        self._metric = ""
        self._again: Callable[[], None] = self._show_all
        self._soon = soon(self, self._list_again)
        pieces.connect(
            (table.cell_chosen, lambda row, column: self._show_cell((row, column))),
            (table.cleared, self._show_all),
            (side.all_requested, table.clear_choice),
        )

    def give(self, audit: Audit, block: MetricBlock) -> None:
        """Take newer figures; what is listed of the same metric is listed again, a little later.

        The figures are painted before the list is read.
        """
        self._given = (audit, block)
        self._soon.start()

    def change_metric(self, audit: Audit, block: MetricBlock) -> None:
        """List the disagreements of another metric at once."""
        self._given = (audit, block)
        self._show_all()

    def clear(self) -> None:
        """List nothing."""
        self._soon.stop()
        self._given, self._metric = None, ""
        self._side.clear()

    def show_responses(self, keys: object, what: str) -> None:
        """List responses by their keys, a sequence or an array of numbers, under a heading."""
        if self._given is not None:
            self._remember(partial(self.show_responses, keys, what))
            self._side.show_responses(
                *self._given, np.asarray(keys, dtype=np.int64).tolist(), what
            )

    def _show_cell(self, cell: Place) -> None:
        if self._given is not None:
            self._remember(partial(self._show_cell, cell))
            self._side.show_list(*self._given, cell)

    def _show_all(self) -> None:
        if self._given is not None:
            self._remember(self._show_all)
            self._side.show_list(*self._given, None)

    def _remember(self, again: Callable[[], None]) -> None:
        self._soon.stop()
        if self._given is not None:
            self._metric, self._again = self._given[1].name, again

    def _list_again(self) -> None:
        if self._given is not None and self._given[1].name == self._metric:
            self._again()
        else:
            self._show_all()


class PageFigures(QObject):
    """Serves verdict and labelers with the figures in view."""

    def __init__(self, parent: QWidget, verdict: VerdictCard, labelers: LabelersCard) -> None:
        """Serve both cards."""
        super().__init__(parent)
        self._given: Given | None = None
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
        return metric_figures.pair_figure(self._given[0], one)


def _coefficient(audit: Audit, block: MetricBlock) -> Figure:
    return metric_figures.agreement(audit, block, block.coefficient)
