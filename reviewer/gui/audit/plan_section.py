"""The section on the plan: how many labels are worth asking for, and the queue of the next."""

from collections.abc import Hashable
from dataclasses import replace

from msgspec import structs
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from reviewer.domain.run import Scope
from reviewer.gui.audit import plan_rows
from reviewer.gui.audit.sections import AuditSection
from reviewer.gui.audit.table_card import TableCard
from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.number_field import CountField, NumberField
from reviewer.gui.page import ProjectPage, ProjectSurroundings
from reviewer.gui.queues.builder import QueueBuilder
from reviewer.gui.sections import Reading
from reviewer.services.adjudicating.next_steps import NextStep
from reviewer.services.audits import plan
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.budget import HALF_WIDTH
from reviewer.services.audits.plan import PlanFigures, Wishes
from reviewer.services.project.session import Session
from reviewer.services.queues import recipes
from reviewer.services.queues.plans import QueuePlan, Sampling

FOUND_BEST = "Rare scores come first; a queue shuffles them for every labeler."


class PlanSection(AuditSection[PlanFigures]):
    """Shows the label budget with a width to set, and what to label next."""

    title = "Plan"

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make every card empty."""
        super().__init__(surroundings)
        self._found: PlanFigures | None = None
        self._builder: QueueBuilder | None = None
        self.budget = TableCard(self.theme, "Labels still worth asking for", plan_rows.BUDGET)
        self.next = TableCard(self.theme, "What to label next", plan_rows.NEXT)
        self.mean_width = _width("Half-width wanted of corrected means", HALF_WIDTH)
        self.mean_width.setRange(0.0, 1000.0)
        self.mean_width.setSpecialValueText("usual")
        self.mean_width.setValue(0.0)
        self.kappa_width = _width("Half-width wanted of kappa", HALF_WIDTH)
        self.count = CountField("How many to label next", 1, 5000)
        self.count.setValue(Wishes().n)
        self.choices = (self.mean_width, self.kappa_width, self.count)
        self.make = pieces.Button("Make a queue of these", self._ask, kind="primary")
        self.budget.body.insertWidget(
            1, _flow(_named("mean ±", self.mean_width), _named("kappa ±", self.kappa_width))
        )
        self.next.body.addWidget(_flow(_named("evaluations", self.count), self.make))
        for card in (self.budget, self.next):
            self.body.addWidget(card)
            card.hide()
        for box in (self.mean_width, self.kappa_width):
            box.valueChanged.connect(lambda _: self.recompute())
        self.count.valueChanged.connect(lambda _: self.recompute())
        self.figures.serve_grid(self.budget.table, self._budget_figure)
        self.figures.serve_grid(self.next.table, self._order_figure)
        self.budget.table.row_opened.connect(self._open_metric)

    @override
    def reading(self, audit: Audit, metric: str) -> Reading[PlanFigures] | None:
        """Work the plan out beside the window."""
        wishes = Wishes(
            mean=self.mean_width.value() or None,
            kappa=self.kappa_width.value(),
            n=self.count.value(),
        )
        return lambda own, progress: plan.figures(own, audit, metric, wishes, progress)

    @override
    def show_found(self, found: PlanFigures) -> None:
        """Show a plan."""
        self._found = found
        mine = next((x for x in found.budgets if x.metric == found.metric), None)
        self.budget.show_topic(
            "This metric is not labelled." if mine is None else mine.sentence,
            plan_rows.budgets(found),
            note=plan_rows.FEW,
            muted=mine is None,
        )
        self.budget.table.choose(found.metric)
        made = found.order
        self.next.show_topic(
            made.sentence if made else found.reason or "",
            plan_rows.order(found),
            note=FOUND_BEST if made else "",
            muted=made is None,
        )
        self.make.setEnabled(made is not None)
        pieces.show(self.budget, self.next, shown=True)

    def _ask(self) -> None:
        found, audit, session = self._found, self.audit, self.session
        if found is None or found.order is None or audit is None:
            return
        self._builder = QueueBuilder(
            self.surroundings, session, self, plan_of(session, found, audit)
        )
        self._builder.made.connect(lambda name: self.noted.emit(MADE.format(name)))
        self._builder.open()

    def _open_metric(self, key: object) -> None:
        if key != plan_rows.PASSING:
            self.metric_requested.emit(str(key))

    def _budget_figure(self, key: Hashable, _: int) -> Figure | None:
        if self._found is None or self.audit is None:
            return None
        return plan_rows.budget_figure(self._found, key, self.audit)

    def _order_figure(self, _key: Hashable, _: int) -> Figure | None:
        return None if self._found is None else plan_rows.order_figure(self._found)


def _width(name: str, value: float) -> NumberField:
    box = NumberField(name)
    box.setSingleStep(0.05)
    box.setRange(0.01, 1.0)
    box.setValue(value)
    box.setToolTip(name)
    return box


def _named(words: str, box: QWidget) -> QWidget:
    holder = QWidget()
    layouts.row(
        (pieces.text(words, "muted"), 0, Qt.AlignmentFlag.AlignVCenter), box, on=holder, margins=0
    )
    return holder


def _flow(*widgets: QWidget) -> QWidget:
    holder = QWidget()
    layouts.fill(layouts.FlowLayout(holder), *widgets)
    return holder


TITLE = "Most informative"
MADE = "The queue “{}” is made; it waits on Review."


def plan_of(session: Session, found: PlanFigures, audit: Audit) -> QueuePlan:
    """Give the plan of a queue that draws as the section shows it."""
    heading = found.table.metric.heading
    return replace(
        recipes.first_plan(session),
        name=recipes.free_name(session, f"{TITLE}, {heading}"),
        filter_text=filter_of(scope_of(audit)),
        sampling=Sampling.ACTIVE,
        n=found.wishes.n,
        seed=found.wishes.seed,
        metric=found.metric,
    )


def open_queue(page: ProjectPage, audit: Audit | None, step: NextStep) -> None:
    """Open the form of the queue that What next asks for."""
    if audit is not None:
        plan = next_queue(page.session, audit, step)
        builder = QueueBuilder(page.surroundings, page.session, page, plan)
        builder.made.connect(lambda name: page.noted.emit(MADE.format(name)))
        builder.open()


def next_queue(session: Session, audit: Audit, step: NextStep) -> QueuePlan:
    """Give the plan of a queue as What next asks for it, in the scope in view."""
    first = recipes.first_plan(session)
    return replace(
        first,
        name=recipes.free_name(session, step.title),
        filter_text=filter_of(scope_of(audit)),
        n=step.wanted or first.n,
        overlap=step.people,
    )


def scope_of(audit: Audit) -> Scope:
    """Give the scope with the runs in view by name, where the project has others."""
    found = audit.document
    return structs.replace(audit.request.scope, runs=found.runs if found.left_out else ())


def filter_of(scope: Scope) -> str:
    """Write runs and categories of a scope in the filter language."""
    parts = [
        f"({' OR '.join(f'{field}:{_quoted(name)}' for name in names)})"
        for field, names in (("run", scope.runs), ("category", scope.categories))
        if names
    ]
    return " ".join(parts)


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
