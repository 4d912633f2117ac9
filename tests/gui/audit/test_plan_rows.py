"""The tables of the Plan section: labels still wanted, what is drawn next, what scores mean."""

from dataclasses import replace
from typing import Any

import numpy as np

from reviewer.domain.wording import DASH
from reviewer.gui.audit import plan_rows
from reviewer.services.audits.budget import NextOrder, StratumPlan
from reviewer.services.audits.plan import PlanFigures, Wishes
from reviewer.services.findings.insights_values import LabelsNeeded
from reviewer.stats.planning import LabelPlan

NOTHING = np.zeros(0, dtype=np.int64)
NEEDED = LabelsNeeded(
    sentence="So.", plan=LabelPlan(1400, 15, 2000, 0.1, 0.8), n=200, half_width=0.25
)


def found(**parts: Any) -> PlanFigures:
    fields: dict[str, Any] = {
        "metric": "accuracy",
        "wishes": Wishes(),
        "budgets": (),
        "passing": NEEDED,
        "order": None,
        "reason": "so",
        "table": None,
    }
    return PlanFigures(**(fields | parts))


def passing(needed: LabelsNeeded) -> list[list[str]]:
    rows = plan_rows.budgets(found(passing=needed))
    return [[cell.words for cell in cells] for _, cells in rows]


def test_what_the_pass_rate_still_takes_is_what_it_has_less() -> None:
    assert passing(NEEDED) == [["Pass rate", "200", "0.25", "1,200", DASH, DASH, DASH]]
    ((_, cells),) = plan_rows.budgets(found(passing=NEEDED))
    assert (cells[2].below, cells[2].tip) == ("of 0.10", "±0.25 now, ±0.10 wanted")
    assert passing(replace(NEEDED, n=1400))[0][3] == "enough"
    assert passing(replace(NEEDED, n=1500))[0][3] == "enough"
    assert passing(replace(NEEDED, reason="nobody")) == []


def test_what_to_label_next_is_told_by_what_the_judge_gave() -> None:
    strata = (StratumPlan("1", 1200, 30, 25, 0.5), StratumPlan("5", 400, 7, 0, 1.25))
    order = NextOrder(
        keys=np.arange(25), probabilities=np.ones(25), reason="active", metric="accuracy",
        strata=strata, sentence="So.",
    )  # fmt: skip
    rows = [cells for _, cells in plan_rows.order(found(order=order))]
    assert [[cell.words for cell in cells] for cells in rows] == [
        ["1", "1,200", "30", "25", "0.50"],
        ["5", "400", "7", "0", "1.25"],
    ]
    assert [(cells[3].strong, cells[3].role) for cells in rows] == [(True, ""), (False, "muted")]
    figure = plan_rows.order_figure(found(order=order))
    assert figure is not None
    assert figure.steps is not None
    assert figure.steps()[0].text == (
        "judge 1: 25 of 1,200, spread 0.50; judge 5: 0 of 400, spread 1.25."
    )
    assert plan_rows.order(found()) == []
