"""The fields of "what if": what nobody touched is no change."""

import pytest
from pytestqt.qtbot import QtBot

from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.gui.audit.what_if_form import WhatIfForm
from reviewer.gui.kit.theme import Theme

LEVELS = tuple(Level(value=value, title=str(value)) for value in (0.0, 1 / 3, 2 / 3, 1.0))


@pytest.fixture
def form(qtbot: QtBot) -> WhatIfForm:
    made = WhatIfForm(Theme("light"))
    qtbot.addWidget(made)
    metrics = (
        Metric(name="tone", weight=1 / 3, pass_at=2 / 3, levels=LEVELS),
        Metric(name="facts", weight=0.0625, levels=LEVELS),
    )
    rubric = Rubric(name="thirds", pass_rule="overall", pass_at=0.66667, metrics=metrics)
    made.show_rubric(rubric, "published")
    return made


def test_what_a_field_rounds_is_no_change(form: WhatIfForm) -> None:
    found = form.change()
    assert (found.marks, found.weights, found.pass_at) == ((), (), None)


def test_what_is_typed_is_one(form: WhatIfForm) -> None:
    form.field("tone").setValue(0.5)
    form.overall.setValue(0.125)
    found = form.change()
    assert (found.marks, found.weights, found.pass_at) == ((("tone", 0.5),), (), 0.125)


@pytest.mark.parametrize(
    ("weight", "ends"),
    [(1.0, (0.0, 1.0)), (0.0, (1.0, 5.0))],
)
def test_a_mark_of_the_overall_lies_on_the_scale_that_its_metrics_share(
    form: WhatIfForm, weight: float, ends: tuple[float, float]
) -> None:
    five = tuple(Level(value=value, title=str(value)) for value in range(1, 6))
    metrics = (
        Metric(name="tone", levels=five),
        Metric(name="facts", weight=weight, levels=LEVELS),
    )
    form.show_rubric(Rubric(name="mixed", metrics=metrics), "published")
    form.overall.setValue(-1)
    low = form.overall.value()
    form.overall.setValue(9)
    assert (low, form.overall.value()) == ends
