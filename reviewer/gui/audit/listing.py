"""What the right side of the Audit page lists, kept while newer figures come in."""

from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, QTimer

from reviewer.gui.audit.cases_side import CasesSide
from reviewer.gui.audit.confusion_view import ConfusionView, Place
from reviewer.services.audits.auditing import Audit
from reviewer.services.figures.statistics_blocks import MetricBlock
from reviewer.services.project.session import Session

Given = tuple[Session, Audit, MetricBlock]


class Listing(QObject):
    """Lists disagreements, one cell of the table, or the responses behind any figure."""

    def __init__(self, side: CasesSide, table: ConfusionView) -> None:
        """Watch over the right side and the table of human against auto."""
        super().__init__(side)
        self._side, self._table = side, table
        self._given: Given | None = None
        self._metric = ""
        self._again: Callable[[], None] = self._show_all
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._list_again)
        table.cell_chosen.connect(lambda row, column: self._show_cell((row, column)))
        table.cleared.connect(self._show_all)
        side.all_requested.connect(table.clear_choice)

    def give(self, session: Session, audit: Audit, block: MetricBlock) -> None:
        """Take newer figures; what is listed of the same metric is listed again, a little later.

        The figures are painted before the list is read.
        """
        self._given = (session, audit, block)
        self._soon.start()

    def change_metric(self, session: Session, audit: Audit, block: MetricBlock) -> None:
        """List the disagreements of another metric at once."""
        self._given = (session, audit, block)
        self._show_all()

    def clear(self) -> None:
        """List nothing."""
        self._soon.stop()
        self._given, self._metric = None, ""
        self._side.clear()

    def show_responses(self, keys: object, what: str) -> None:
        """List responses by their keys, a sequence or an array of numbers, under a heading."""
        if self._given is None:
            return
        self._remember(partial(self.show_responses, keys, what))
        wanted = np.asarray(keys, dtype=np.int64).tolist()
        self._side.show_responses(*self._given, wanted, what)

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
            self._metric, self._again = self._given[2].name, again

    def _list_again(self) -> None:
        if self._given is not None and self._given[2].name == self._metric:
            self._again()
        else:
            self._show_all()
