"""The tables of the Plan section, and its figures as somebody takes them away."""

from collections.abc import Hashable

from reviewer.domain.wording import DASH, short
from reviewer.gui.audit import table_card
from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit.grid import Cell, Column
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.budget import Budget
from reviewer.services.audits.plan import (
    PlanFigures,
    Planned,
    needed_step,
    planned_metric,
    planned_verdicts,
)
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.findings.insights_values import LabelsNeeded

Row = tuple[Hashable, tuple[Cell, ...]]
PASSING = ""
"""The key of the pass rate's row, which is no metric."""
FEW = (
    "The order pays where people differ more at some scores than at others, or a score is rare. "
    "Below 20 labels the plan takes the judge to be of no help."
)

BUDGET = (
    Column("metric"),
    Column("labels", 50, number=True, tip="Labels that count towards the mean.", drop=4),
    Column("mean ±", 62, number=True, tip="Half of its interval now, and what is wanted."),
    Column(
        "at random",
        72,
        number=True,
        tip="Labels more, at random, that give the width for the traffic that these came from.",
    ),
    Column("in order", 70, number=True, tip="Labels more in the order below.", drop=1),
    Column(
        "kappa ±", 70, number=True, tip="Half of kappa's interval, and what is wanted.", drop=3
    ),
    Column("for kappa", 76, number=True, tip="Labels more that give kappa's width.", drop=2),
)
NEXT = (
    Column("judge gave"),
    Column("judged", 58, number=True, tip="Evaluations with such an auto score."),
    Column("drawn", 64, number=True, tip="Of those, with labels that were drawn.", drop=1),
    Column("next", 52, number=True, tip="How many to label next."),
    Column("spread", 62, number=True, tip="Standard deviation of human scores.", drop=2),
)


def budgets(found: PlanFigures) -> list[Row]:
    """Make a row a metric, and one for the pass rate where there is one."""
    rows: list[Row] = [(one.metric, budget_cells(one)) for one in found.budgets]
    if found.passing.reason is None:
        rows.append((PASSING, _passing(found.passing)))
    return rows


def budget_cells(one: Budget) -> tuple[Cell, ...]:
    """Make the row of a metric."""
    mean, kappa = one.mean, one.kappa
    return (
        Cell(one.title, strong=True, tip=one.sentence),
        *_mean(mean.needed),
        _more(mean.in_order, mean.needed.reason or _unreached(mean.needed)),
        _now(kappa.half_width, kappa.wanted, kappa.reason),
        _more(kappa.more, kappa.reason),
    )


def _passing(found: LabelsNeeded) -> tuple[Cell, ...]:
    none = table_card.missing("Planned for metrics.")
    return (Cell("Pass rate", strong=True, tip=found.sentence), *_mean(found), none, none, none)


def _mean(found: LabelsNeeded) -> tuple[Cell, Cell, Cell]:
    plan = found.plan
    wanted = None if plan is None else plan.half_width
    more = None if plan is None or plan.needed is None else max(plan.needed - found.n, 0)
    why = found.reason or _unreached(found)
    n = table_card.missing(found.reason) if plan is None else table_card.whole(found.n)
    if found.reason is not None:
        more = None
    now = _now(found.half_width, wanted, found.reason or "no interval yet")
    return n, now, _of_these(found) or _more(more, why)


def _of_these(found: LabelsNeeded) -> Cell | None:
    """Say how many labels do for these evaluations alone, where none do for all traffic."""
    plan, these = found.plan, found.only_these
    if found.reason is not None or plan is None or these is None:
        return None
    if plan.needed is not None or these.needed is None:
        return None
    return Cell(
        DASH, "muted", tip=plan.reason or "", below=f"{max(these.needed - found.n, 0):,} for these"
    )


def _unreached(found: LabelsNeeded) -> str | None:
    return None if found.plan is None else found.plan.reason


def _now(half: float | None, wanted: float | None, reason: str | None) -> Cell:
    below = "" if wanted is None else f"of {short(wanted)}"
    if half is None:
        return table_card.missing(reason)
    return Cell(short(half), below=below, tip=f"±{short(half)} now, ±{short(wanted)} wanted")


def _more(more: int | None, reason: str | None) -> Cell:
    if more == 0:
        return Cell("enough", "adjusted")
    return table_card.whole(more, reason)


def order(found: PlanFigures) -> list[Row]:
    """Make a row a level of the judge."""
    if found.order is None:
        return []
    return [
        (
            at,
            (
                Cell(one.level, "auto", strong=True),
                table_card.whole(one.judged),
                table_card.whole(one.labelled),
                Cell(f"{one.taken:,}", "" if one.taken else "muted", strong=bool(one.taken)),
                table_card.number(one.spread),
            ),
        )
        for at, one in enumerate(found.order.strata)
    ]


def budget_figure(found: PlanFigures, key: Hashable, audit: Audit) -> Figure | None:
    """Give the figure of a metric's budget, or of the pass rate's."""
    whole, level = audit.frame.table, audit.request.level
    if key == PASSING:
        return _passing_figure(found.passing, whole, level)
    one = next((x for x in found.budgets if x.metric == key), None)
    if one is None:
        return None
    table = whole.metrics[one.metric]
    return Figure(
        title=f"Labels for {one.title}",
        sentence=f"{one.title}: {one.sentence}",
        steps=lambda: budget_steps(one, planned_metric(whole, table), level),
        keys=(lambda: planned_metric(whole, table).keys) if one.mean.needed.n else None,
        heading=f"labels that the plan for {one.title} counts",
    )


def _passing_figure(found: LabelsNeeded, whole: FigureTable, level: float) -> Figure:
    def steps() -> tuple[Step, ...]:
        title = "Corrected pass rate, labels at random"
        made = needed_step(title, found, planned_verdicts(whole), level)
        return (made or Step("No plan", found.sentence),)

    return Figure(
        title="Labels for the pass rate",
        sentence=f"Pass rate: {found.sentence}",
        steps=steps,
        keys=(lambda: planned_verdicts(whole).keys) if found.n else None,
        heading="labels that the plan for the pass rate counts",
    )


def budget_steps(one: Budget, counted: Planned, level: float) -> tuple[Step, ...]:
    """Explain the labels that a metric still takes."""
    needed, kappa = one.mean.needed, one.kappa
    made = []
    plan = needed.plan
    first = needed_step("Corrected mean, labels at random", needed, counted, level)
    if first is not None:
        made.append(first)
        more = "no number" if one.mean.in_order is None else f"{one.mean.in_order:,} more"
        made.append(
            Step(
                "Corrected mean, in the order of what to label next",
                f"{more}: each label goes to the level of the judge where it takes most from the "
                "variance.",
                "Σ W² s² (1 / n − 1 / N), largest step W² s² / (n (n + 1)) first",
            )
        )
    these = needed.only_these
    if plan is not None and these is not None and needed.reason is None:
        alone = "out of reach" if plan.without_judge is None else f"{plan.without_judge:,} labels"
        exactly = "out of reach" if these.needed is None else f"{these.needed:,} labels"
        made.append(
            Step(
                "For exactly these evaluations, and without a judge",
                f"The width is for the traffic these came from. For exactly these: {exactly} in "
                f"all; for the traffic without any auto score: {alone}.",
            )
        )
    if kappa.half_width is not None and kappa.more is not None:
        made.append(
            Step(
                "Kappa",
                f"{kappa.n:,} × ({short(kappa.half_width)} / {short(kappa.wanted)})² "
                f"− {kappa.n:,} = {kappa.more:,}; an interval narrows with the root of labels.",
                "more = n (h now / h wanted)² − n",
            )
        )
    return tuple(made) or (Step("No plan", one.sentence),)


def order_figure(found: PlanFigures) -> Figure | None:
    """Give the figure of what to label next."""
    made = found.order
    if made is None:
        return None
    return Figure(
        title="What to label next",
        sentence=made.sentence,
        steps=lambda: (
            Step(
                "Levels without labels first, then where a label tells most",
                "; ".join(
                    f"judge {x.level}: {x.taken:,} of {x.judged:,}, spread {short(x.spread)}"
                    for x in made.strata
                )
                + ".",
                "largest W² s² / (n (n + 1)) first; probability = next / judged",
            ),
        ),
        keys=lambda: made.keys,
        heading="to label next",
    )
