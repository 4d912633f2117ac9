"""The section Pass/fail: verdicts of judge and people, by category, and what if."""

from collections.abc import Hashable

from PySide6.QtCore import Signal
from typing_extensions import override

from reviewer.domain.wording import (
    counted,
    gap_words,
    numeral,
    percent,
    percent_span,
    short,
    upper_first,
)
from reviewer.gui.audit.sections import AuditSection
from reviewer.gui.audit.verdicts_cards import CategoriesCard, VerdictsCard
from reviewer.gui.audit.what_if_form import WhatIfForm
from reviewer.gui.background import beside
from reviewer.gui.figures.figure_menu import Figure, FigureMenu
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.tasks import soon, telling
from reviewer.gui.page import ProjectSurroundings
from reviewer.gui.sections import Reading
from reviewer.services.audits import passing, what_if
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.passing import WHOLE, PassAudit
from reviewer.services.audits.what_if import Base, Beside, Change, Flip, Outcome, Shown
from reviewer.services.explaining.explanations_words import Step


class PassSection(AuditSection[PassAudit]):
    """Shows the whole rubric's verdicts first, or a metric's where the rubric has no rule."""

    title = "Pass/fail"

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make every card empty."""
        super().__init__(surroundings)
        self.verdicts = VerdictsCard(self.theme, self.figures)
        self.categories = CategoriesCard(self.theme, self.figures)
        self.what_if = WhatIfCard(surroundings, self.figures)
        self.choices = (self.what_if.everything,)
        self._wanted: str | None = None
        for card in (self.verdicts, self.categories, self.what_if):
            card.hide()
            self.body.addWidget(card)
            card.responses_requested.connect(self.responses_requested)
        self.verdicts.subject_chosen.connect(self._choose)

    @override
    def reading(self, audit: Audit, metric: str) -> Reading[PassAudit] | None:
        """Compute the verdicts of the chosen subject."""
        subject = self._subject(audit)
        rubric = audit.rubric
        titles = [(x, passing.subject_title(rubric, x)) for x in passing.subjects(rubric)]
        self.verdicts.offer(tuple(titles), subject)
        return lambda own, progress: passing.read(own, audit, subject, progress)

    @override
    def show_found(self, found: PassAudit) -> None:
        """Show the verdicts and try what is being tried on them."""
        audit = self.audit
        if audit is None:
            return
        level = audit.request.level
        self.verdicts.show()
        self.verdicts.show_verdicts(found, level)
        self.categories.show_verdicts(found, level)
        self.what_if.show()
        self.what_if.show_audit(audit, subject=found.subject, metric=self.chosen_metric)

    def _subject(self, audit: Audit) -> str:
        """Give the chosen subject, else the whole rubric, else a metric with a mark."""
        there = passing.subjects(audit.rubric)
        if self._wanted in there:
            return str(self._wanted)
        if passing.why_no_sides(audit.frame.table, WHOLE) is None or len(there) == 1:
            return WHOLE
        return there[1]

    def _choose(self) -> None:
        self._wanted = str(self.verdicts.subject.currentData())
        self.recompute()


TASK = "what if"
SETTLE_MS = 30
INVITATION = "Move a mark, a weight or an option: nothing is saved."
UNMOVED = "No verdict flips and no figure moves."
_COLUMNS = (
    Column("figure"),
    Column("now", 76, number=True, tip="By the rules of the rubric."),
    Column("then", 76, number=True, tip="By the rules that are tried here."),
    Column("change", 60, number=True, tip="Then minus now."),
)


class WhatIfCard(pieces.Card):
    """Tries a change beside the window whenever a field moves.

    Signals:
        responses_requested: Responses whose verdict flips, by keys and heading.
    """

    responses_requested = Signal(object, str)

    def __init__(self, surroundings: ProjectSurroundings, figures: FigureMenu) -> None:
        """Make the card with nothing to try yet; `figures` serves what would change."""
        super().__init__("What if")
        self._session, self._tasks = surroundings.session, surroundings.tasks
        self._base: Base | None = None
        self._subject, self._metric = "", ""
        self.outcome: Outcome | None = None
        self._wait = soon(self, self.compute, SETTLE_MS)
        self.form = WhatIfForm(surroundings.theme)
        self.back = pieces.Button("Back to what holds", self.form.reset, kind="link")
        self.head.addWidget(self.back)
        self.form.changed.connect(self._wait.start)
        self.sentence = pieces.text(INVITATION, "muted", wrap=True, name="What would change")
        self.flips = layouts.FlowLayout(spacing=8)
        self.table = GridView(surroundings.theme, _COLUMNS, "Figures now and then", most=26)
        figures.serve_grid(self.table, self.figure)
        self.everything = pieces.Button(
            "also what stays", self._show, kind="pillbutton", dense=True
        )
        self.everything.setCheckable(True)
        layouts.fill(
            self.body,
            self.form,
            pieces.line(),
            self.sentence,
            self.flips,
            self.table,
            self.everything,
        )

    def figure(self, key: Hashable, _: int = 0) -> Figure | None:
        """Give a figure now and then as somebody takes it away; it opens what flips."""
        outcome = self.outcome
        if outcome is None:
            return None
        one = next((x for x in outcome.figures if (x.group, x.title) == key), None)
        if one is None:
            return None
        flipped = outcome.flipped()
        now, then = _said(one, one.before), _said(one, one.after)
        return Figure(
            title=f"{one.title}, {one.group}: what if",
            sentence=f"What if, {one.group}: {one.title[:1].lower()}{one.title[1:]} is {now} now "
            f"and would be {then}; nothing is saved.",
            steps=lambda: _steps(one),
            keys=(lambda: flipped) if flipped.size else None,
            heading="flipped",
        )

    def show_audit(self, audit: Audit, *, subject: str, metric: str) -> None:
        """Take the page's figures; what is being tried is tried on them again."""
        if self._base is None or self._base.audit is not audit:
            self._base = Base(audit)
        self._subject, self._metric = subject, metric
        self.form.show_rubric(audit.rubric, audit.frame.choices.preset)
        self.compute()

    def compute(self) -> None:
        """Try what stands in the form."""
        base = self._base
        if base is None:
            return
        self.form.show_problem("")
        with telling(self.form.show_problem):
            change = self.form.change()
            subject, metric = self._subject, self._metric
            if base.has(change):
                task = self._tasks.run(
                    TASK, lambda _: what_if.compute(base, subject, metric, change)
                )
            else:
                task = self._tasks.run(
                    TASK,
                    beside(
                        self._session,
                        lambda own, _: what_if.compute(base, subject, metric, change, own),
                    ),
                )
            pieces.connect(
                (task.finished, self._take),
                (task.failed, self.form.show_problem),
            )

    def _take(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self._show()

    def _show(self) -> None:
        outcome = self.outcome
        if outcome is None:
            return
        tried = outcome.change != Change()
        moved = [one for one in outcome.figures if one.moved]
        pieces.show(self.back, self.everything, shown=tried)
        self.sentence.setText(_sentence(outcome, len(moved)) if tried else INVITATION)
        pieces.clear(self.flips)
        for flip in outcome.flips:
            words = f"{flip.who.capitalize()}: {flip.keys.size:,} {flip.before} → {flip.after}"
            self.flips.addWidget(self._opener(words, flip))
        if len(outcome.flips) > 1:
            many = outcome.flipped().size
            self.flips.addWidget(self._opener(f"Open all {many:,} flipped", None))
        shown = outcome.figures if self.everything.isChecked() else moved
        self.table.show_rows(_rows(shown))
        self.table.setVisible(tried and bool(shown))

    def _opener(self, words: str, flip: Flip | None) -> pieces.Button:
        def open_them() -> None:
            outcome = self.outcome
            if outcome is not None:
                keys = outcome.flipped() if flip is None else flip.keys
                self.responses_requested.emit(keys, f"flipped · {words}" if flip else "flipped")

        return pieces.Button(words, open_them, dense=True)


def _sentence(outcome: Outcome, moved: int) -> str:
    judge, people = (int(outcome.flipped(who).size) for who in ("judge", "people"))
    if not judge and not people:
        if not moved:
            return UNMOVED
        figures = counted(moved, "figure moves", "figures move")
        return f"No verdict flips; {figures}. Nothing is saved."
    return (
        f"The judge's verdict flips on {judge:,}, people's on {people:,} of the responses. "
        "Nothing is saved."
    )


def _rows(figures: tuple[Beside, ...] | list[Beside]) -> list[tuple[object, tuple[Cell, ...]]]:
    rows: list[tuple[object, tuple[Cell, ...]]] = []
    group = None
    for one in figures:
        if one.group != group:
            group = one.group
            rows.append(((group, ""), (Cell(group, strong=True), Cell(""), Cell(""), Cell(""))))
        rows.append(
            (
                (one.group, one.title),
                (
                    Cell(one.title, tip=f"{one.title}, {one.group}"),
                    _cell(one, one.before),
                    _cell(one, one.after),
                    _difference(one),
                ),
            )
        )
    return rows


def _cell(one: Beside, shown: Shown) -> Cell:
    if shown.value is None:
        return Cell(shown.instead, "muted", tip=shown.reason or "It is not defined here.")
    counted = f"n = {shown.n:,}"
    words = percent(shown.value) if one.style == "share" else short(shown.value)
    if shown.mark:
        return Cell(f"{words} ⚠", tip=f"{counted}; {shown.mark}", below=counted)
    if shown.low is None or shown.high is None:
        return Cell(words, tip=counted, below=counted)
    between = percent_span(shown.low, shown.high)
    return Cell(words, tip=f"{counted}; interval {between}", below=between)


def _said(one: Beside, shown: Shown) -> str:
    if shown.value is None:
        return f"not defined ({shown.reason})" if shown.reason else "not defined"
    cell = _cell(one, shown)
    between = "" if shown.low is None else f", 95 % {cell.below.replace(' – ', ' to ')}"
    return f"{cell.words} (n = {shown.n:,}{between})"


def _steps(one: Beside) -> tuple[Step, ...]:
    before, after = one.before.value, one.after.value
    made = [
        Step("Now", f"{upper_first(_said(one, one.before))}"),
        Step("Then", f"{upper_first(_said(one, one.after))}"),
    ]
    if before is not None and after is not None:
        formula = f"{numeral(after)} − {numeral(before)} = {numeral(after - before)}"
        made.append(Step("Change", "Then − now.", formula))
    return tuple(made)


def _difference(one: Beside) -> Cell:
    before, after = one.before.value, one.after.value
    if before is None or after is None or not one.moved:
        return Cell("")
    if one.style == "share":
        points = 100 * (after - before)
        digits = 0 if abs(points) >= 1 else 1
        return Cell(f"{gap_words(points, digits)} pt", "human", tip="Percentage points.")
    return Cell(gap_words(after - before), "human")
