"""The list of cases behind the figures, and the chosen one beneath it, where leads decide."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from reviewer.domain.change import Change, LabelChanged, MarkChanged
from reviewer.domain.wording import counted
from reviewer.gui.audit.case_acts import CaseActs, bind_case_keys
from reviewer.gui.audit.case_card import CaseCard
from reviewer.gui.audit.cases_card import CasesCard
from reviewer.gui.audit.confusion_view import Place, describe
from reviewer.gui.bulk_acts import TITLES, BulkActs
from reviewer.gui.exposing import Exposing
from reviewer.gui.kit import layouts
from reviewer.gui.kit.arranging import CardsSplit
from reviewer.gui.kit.pieces import connect
from reviewer.gui.kit.tasks import telling
from reviewer.gui.page import Page, ProjectSurroundings
from reviewer.gui.places import keep_sharing
from reviewer.gui.todo_dialog import TodoDialog
from reviewer.services.adjudicating import cases, disputes
from reviewer.services.adjudicating.decisions import CAUSES
from reviewer.services.adjudicating.disputes import STANDINGS, Disputes, Order, Standing
from reviewer.services.aligning import splitting
from reviewer.services.audits.auditing import Audit
from reviewer.services.figures.human_columns import Ints
from reviewer.services.figures.statistics_blocks import MetricBlock
from reviewer.services.labelling.undo import Taken
from reviewer.services.project.session import is_blind

BLIND = "Opening responses from here reveals nothing: they stay blind on Review."
SEEN = "What is listed here counts as seen by you: your later labels on it are not blind."
LIST_SHARE = 42
"""Of the height, in percent, until somebody moves the line."""
MOST_TRIED = 100
"""Responses of one action that are looked for in the list."""
DECIDED = STANDINGS.index(Standing.DECIDED)
NO_KEYS = np.zeros(0, dtype=np.int64)
NOT_SAID = "The judge does not say how sure it is of this metric."


class CasesSide(QWidget):
    """Disagreements of a metric, or the responses of one cell of its table.

    Attributes:
        audit: The figures whose responses are listed; they follow those in view.

    Signals:
        open_requested: An evaluation is to be shown on Review, by its key.
        all_requested: The whole list is wanted again, not one cell of it.
        filter_requested: The scope is to be narrowed by words of the filter language.
        metric_requested: Another metric is to be shown, by its id.
        responses_requested: Responses are to be listed: their keys and a heading.
        failed: An expected error, as a sentence.
        noted: A passing line.
        saved: Something is on disk now.
    """

    open_requested = Signal(int)
    all_requested = Signal()
    filter_requested = Signal(str)
    metric_requested = Signal(str)
    responses_requested = Signal(object, str)
    failed = Signal(str)
    noted = Signal(str)
    saved = Signal()

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make both cards empty."""
        super().__init__()
        self._session = surroundings.session
        self.audit: Audit | None = None
        self._block: MetricBlock | None = None
        self._disputes: Disputes | None = None
        self._what = ""
        self._narrowed = False
        self._left_out = 0
        self._kept_for: object = None
        self._touched: int | None = None
        self._wanted: int | None = None
        self.cases = CasesCard(surroundings.theme)
        self.case = CaseCard(surroundings.theme)
        self.acts = CaseActs(self._session, surroundings.tasks, self.case, self)
        self._exposing = Exposing(self._session, self)
        self.bulk = BulkActs(self, surroundings.tasks, self.cases.selected)
        self.bulk.open(self._session)
        self.cases.bulk_menu = lambda: self.bulk.menu(self.cases)
        split = CardsSplit(surroundings.theme)
        split.add(self.cases, LIST_SHARE)
        split.add(self.case, 100 - LIST_SHARE)
        keep_sharing(split, surroundings.settings, "audit")
        layouts.column(split, on=self, margins=0)
        connect(
            (self.cases.all_requested, self.all_requested),
            (self.cases.filter_requested, self.filter_requested),
            (self.cases.case_chosen, self._show_case),
            (self.cases.open_requested, self.open_requested),
            (self.cases.narrowed, self._arrange),
            (self.cases.causes.todo_requested, self.show_todo),
            (self.case.open_requested, self.open_case),
        )
        self._exposing.failed.connect(self.failed)
        for acts in (self.acts, self.bulk):
            connect(
                (acts.failed, self.failed),
                (acts.noted, self.noted),
                (acts.saved, self.saved),
            )
        connect(
            (self.acts.decided, self._go_on),
            (self.acts.left, self.focus_list),
            (self.acts.taken_back, self._go_to),
        )

    def bind_to(self, page: Page) -> None:
        """Bind keys and commands, which the page shows in palette and sheet."""
        acts, cases = self.acts, self.cases
        handlers: dict[str, Callable[[], object]] = {
            "next": lambda: cases.step(1),
            "previous": lambda: cases.step(-1),
            "scroll_down": lambda: self.case.scrolled.scroll_by_page(1),
            "scroll_up": lambda: self.case.scrolled.scroll_by_page(-1),
            "note": lambda: acts.act("edit_note"),
            "open_case": self.open_case,
            "todo": self.show_todo,
        }
        handlers |= {f"level_{n}": partial(acts.decide, n - 1) for n in range(1, 11)}
        plain = ("value", "withdraw", "ask", "withdraw_question", "names", "undo", "redo", *CAUSES)
        handlers |= {name: partial(acts.act, name) for name in plain}
        handlers |= {name: partial(self.bulk.act, name) for name in TITLES}
        bind_case_keys(page, self, self.cases.table, handlers)
        connect(
            (self.failed, page.failed),
            (self.noted, page.noted),
            (self.saved, page.saved),
        )

    def clear(self) -> None:
        """Show nothing."""
        self.audit = self._block = self._disputes = None
        self.cases.reset()
        self.cases.show_cases((), lambda _: [], "", "", narrowed=False)
        self.cases.show_held_out(0)
        self.cases.causes.show_counts({})
        self.case.clear()

    def show_list(self, audit: Audit, block: MetricBlock, cell: Place | None) -> None:
        """List what differs on a metric, or the responses of a cell or column of its table."""
        if self.cases.order is Order.GIVEN:
            self.cases.order, self.cases.descending = Order.GAP, True
        if cell is None:
            self._show(audit, block, disputes.of_metric(self._session, audit, block.name))
            return
        pairs = audit.pairs[block.name]
        keys = pairs.keys[pairs.in_cell(*cell)].tolist()
        self._show_some(audit, block, keys, describe(block.confusion, cell))

    def show_responses(
        self, audit: Audit, block: MetricBlock, keys: Sequence[int], what: str
    ) -> None:
        """List responses by their keys under a heading in words, in the order given."""
        self.cases.order, self.cases.descending = Order.GIVEN, False
        self._show_some(audit, block, keys, what)

    def _show_some(self, audit: Audit, block: MetricBlock, keys: Sequence[int], what: str) -> None:
        found = disputes.of_responses(self._session, audit, block.name, keys)
        self._show(audit, block, found, what=what, of=len(keys))

    def show_todo(self) -> None:
        """Show what the rubric leaves unclear."""
        dialog = TodoDialog(self._session, self)
        connect(
            (dialog.open_requested, self.open_requested),
            (dialog.failed, self.failed),
            (dialog.noted, self.noted),
        )
        dialog.show()

    def focus_list(self) -> None:
        """Give the keyboard to the list."""
        self.cases.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def open_case(self) -> None:
        """Show the case in view on Review."""
        key = self.cases.table.chosen()
        if isinstance(key, int):
            self.open_requested.emit(key)

    def _show(
        self,
        audit: Audit,
        block: MetricBlock,
        found: Disputes,
        *,
        what: str = "",
        of: int | None = None,
    ) -> None:
        if self._block is not None and self._block.name != block.name:
            self.cases.reset()
        self.audit, self._block, self._disputes = audit, block, found
        self._what, self._narrowed = what, of is not None
        self._left_out = found.left_out if of is None else of - found.keys.size
        self._arrange()

    def _arrange(self) -> None:
        """Sort and narrow what is listed."""
        found, audit, session = self._disputes, self.audit, self._session
        if found is None or audit is None:
            return
        if self.cases.order is Order.CONFIDENCE and not disputes.load_confidence(session, found):
            self.noted.emit(NOT_SAID)
            self.cases.order, self.cases.descending = Order.GAP, True
        asked_for, self._wanted = self._wanted, None
        places = self._places(found, audit)
        there, listed = found.keys.size + self._left_out, int(places.size)
        count = f"{listed:,}" if listed == there else f"{listed:,} of {there:,}"
        decided = int((found.standings[places] == DECIDED).sum())
        if decided:
            count += f" · {decided:,} decided"
        what = f"{self._what} — {count}" if self._what else count
        notice = _left_out_words(self._left_out) if audit.unseen else ""
        if session.sees_all and is_blind(session.project):
            notice = SEEN
        self.cases.show_counts(found)
        keys = found.keys[places].tolist()
        self.cases.show_cases(keys, self._read, what, notice, narrowed=self._narrowed)
        self.cases.show_held_out(splitting.held_out_among(session, keys))
        if not keys:
            self.case.clear(self._nothing_listed(there))
        if asked_for is not None and not self._bring(asked_for):
            only = disputes.of_responses(session, audit, found.metric.name, [asked_for])
            if only.keys.size:
                self.responses_requested.emit([asked_for], "taken back or done again")

    def _places(self, found: Disputes, audit: Audit) -> Ints:
        """Give what is listed in its order, which stays while one works.

        Newer figures of the same list change the gaps that it is sorted by; a case that moved
        would be met, and decided, twice.
        """
        cases = self.cases
        wanted = found.wanted(cases.standing, cases.cause)
        sorted_by = (cases.order, cases.descending, cases.standing, cases.cause)
        same = (audit.request, found.metric.name, self._what, self._narrowed, sorted_by)
        kept = np.asarray(cases.rows.keys, dtype=np.int64) if same == self._kept_for else NO_KEYS
        self._kept_for = same
        there = kept[np.isin(kept, found.keys[wanted])]
        known = np.searchsorted(found.keys, there)
        wanted[known] = False
        others = found.in_order(wanted, cases.order, descending=cases.descending)
        return np.concatenate([known, others])

    def _read(self, keys: Sequence[int]) -> list[disputes.DisputeRow]:
        if self._disputes is None:
            return []
        self._exposing.note(keys)
        return disputes.rows(self._session, self._disputes, keys)

    def _show_case(self, key: int) -> None:
        # whoever goes somewhere else is not brought back
        self._wanted = None
        block = self._block
        if block is None:
            return
        with telling(self.case.clear):
            self._exposing.note([key])
            self.case.show_case(cases.case(self._session, key, block.name, block.scorer))

    def _go_on(self) -> None:
        """Go to the next case that is not decided; the last one stays."""
        found = self._disputes
        here = self.cases.table.currentIndex().row()
        for by, key in enumerate(self.cases.rows.keys[here + 1 :], start=1):
            place = None if found is None else found.place_of(key)
            if found is None or place is None or found.standings[place] != DECIDED:
                self.cases.step(by)
                return
        self.noted.emit("That was the last one of the list.")

    def _go_to(self, taken: Taken | None) -> None:
        """Show what was taken back or done again, at once or where the figures follow it."""
        if taken is None or not taken.among:
            return
        if taken.metric and self._block is not None and taken.metric != self._block.name:
            self.metric_requested.emit(taken.metric)
        if not any(map(self._bring, taken.among[:MOST_TRIED])):
            self._wanted = taken.among[0]

    def _bring(self, key: int) -> bool:
        """Choose the row of a response, for which a narrower list gives way; tells whether."""
        if self.cases.table.choose(key):
            return True
        found = self._disputes
        if found is None or key not in found.keys:
            return False
        self.cases.standing = None
        self.cases.causes.reset()
        self._arrange()
        return self.cases.table.choose(key)

    def follow(self, change: Change) -> None:
        """Follow decisions, causes and questions, made here or elsewhere."""
        match change:
            case LabelChanged(before=before, after=after):
                if "adjudication" not in {after.kind, before.kind if before else ""}:
                    return
                touched = after.evaluation
            case MarkChanged(mark=mark) if mark.kind in ("cause", "question"):
                touched = mark.evaluation
            case _:
                return
        self._touched = touched
        self._restate()

    def _restate(self) -> None:
        """Read again how the listed cases stand; their order stays until figures are computed."""
        audit, found = self.audit, self._disputes
        if audit is None or found is None:
            return
        self._disputes = disputes.restated(self._session, audit, found)
        self.cases.show_counts(self._disputes)
        self.cases.rows.read_again(self._read)
        key = self.cases.table.chosen()
        if isinstance(key, int) and key == self._touched:
            self._show_case(key)

    def _nothing_listed(self, there: int) -> str:
        if self.cases.standing is not None or self.cases.cause is not None:
            return "No disagreement stands like that; choose another state or cause above."
        if there:
            return "Score some of these responses on Review; they are listed here afterwards."
        if self._narrowed:
            return "No response is in this list; “Show all” brings the whole list back."
        audit, block = self.audit, self._block
        if audit is not None and block is not None and audit.pairs[block.name].keys.size:
            return "People and judge say the same everywhere in this scope."
        return "Nothing in this scope has both an auto score and a label yet."


def _left_out_words(hidden: int) -> str:
    if hidden <= 0:
        return BLIND
    many = counted(hidden, "response is", "responses are")
    return f"{many} left out until you have scored them yourself. {BLIND}"
