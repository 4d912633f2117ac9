"""The list of responses behind the figures, and the chosen one beneath it."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.gui import pieces
from reviewer.gui.audit.cases_card import CaseCard, CasesCard
from reviewer.gui.audit.confusion_view import Place, describe
from reviewer.gui.scrolling import ScrolledColumn
from reviewer.gui.theme import Theme
from reviewer.services import auditing
from reviewer.services.auditing import Audit
from reviewer.services.session import Session
from reviewer.services.statistics_blocks import MetricBlock

LISTED = 200
BLIND = "Opening responses from here reveals nothing: they stay blind on Review."


class CasesSide(QWidget):
    """Disagreements of a metric, or the responses of one cell of its table.

    Signals:
        open_requested: An evaluation is to be shown on Review, by its key.
        all_requested: The whole list is wanted again, not one cell of it.
    """

    open_requested = Signal(int)
    all_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make both cards empty."""
        super().__init__()
        self._session: Session | None = None
        self._block: MetricBlock | None = None
        self.cases = CasesCard(theme)
        self.case = CaseCard(theme)
        holder = QWidget()
        inner = QVBoxLayout(holder)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.case)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(pieces.GAP)
        column.addWidget(self.cases, 1)
        column.addWidget(ScrolledColumn(holder, "Judge and people side by side"), 1)
        self.cases.all_requested.connect(self.all_requested)
        self.cases.case_chosen.connect(self._show_case)
        self.cases.open_requested.connect(self.open_requested)
        self.case.open_requested.connect(self._open_case)

    def clear(self) -> None:
        """Show nothing."""
        self._session = self._block = None
        self.cases.show_cases((), "", "", narrowed=False)
        self.case.clear()

    def show_list(
        self, session: Session, audit: Audit, block: MetricBlock, cell: Place | None
    ) -> None:
        """List what differs on a metric, or the responses of a cell or column of its table."""
        self._session, self._block = session, block
        pairs = audit.pairs[block.name]
        wanted = pairs.differing() if cell is None else pairs.in_cell(*cell)
        found = pairs.largest_first(wanted)
        listed = auditing.cases(session, audit, block.name, found[:LISTED].tolist())
        there = int(wanted.sum())
        what = "" if cell is None else f"{describe(block.confusion, cell)} — "
        what += f"{len(listed):,} of {there:,}" if len(listed) < there else f"{there:,}"
        notice = _left_out(there - len(found)) if audit.unseen else ""
        self.cases.show_cases(listed, what, notice, narrowed=cell is not None)
        if not listed:
            self.case.clear(_nothing_listed(there, pairs.keys.size))

    def show_responses(
        self, session: Session, audit: Audit, block: MetricBlock, keys: Sequence[int], what: str
    ) -> None:
        """List responses by their keys under a heading in words, in the order given."""
        self._session, self._block = session, block
        listed = auditing.cases_of(session, audit, block.name, keys[:LISTED])
        first = min(len(keys), LISTED)
        count = f"{first:,} of {len(keys):,}" if first < len(keys) else f"{len(keys):,}"
        notice = _left_out(first - len(listed)) if audit.unseen else ""
        self.cases.show_cases(listed, f"{what} — {count}", notice, narrowed=True)
        if not listed:
            self.case.clear(_nothing_listed(len(keys), len(keys)))

    def _show_case(self, key: int) -> None:
        block, session = self._block, self._session
        if block is None or session is None:
            return
        try:
            found = auditing.opinions(session, key, block.name, block.scorer)
        except ReviewerError as error:
            self.case.clear(str(error))
            return
        self.case.show_opinions(found, block.title)

    def _open_case(self) -> None:
        key = self.cases.table.chosen()
        if isinstance(key, int):
            self.open_requested.emit(key)


def _left_out(hidden: int) -> str:
    if not hidden:
        return BLIND
    many = "1 response is" if hidden == 1 else f"{hidden:,} responses are"
    return f"{many} left out until you have scored them yourself. {BLIND}"


def _nothing_listed(there: int, pairs: int) -> str:
    if there:
        return "Score some of these responses on Review; they are listed here afterwards."
    if pairs:
        return "People and judge say the same everywhere in this scope."
    return "Nothing in this scope has both an auto score and a label yet."
