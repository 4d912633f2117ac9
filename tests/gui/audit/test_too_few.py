"""A copied sentence states nothing that the cell refuses to show."""

from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.gui.audit import metric_figures
from reviewer.gui.audit.pass_section import PassSection
from reviewer.gui.window import MainWindow
from reviewer.services.audits.auditing import Audit
from tests.gui.audit.test_pass_section import Settle, brought_to
from tests.services.audits.audit_projects import audited
from tests.services.figure_projects import SIMPLE, case, label, score

KINDS = Rubric(
    name="kinds",
    metrics=(
        Metric(name="tone", scale="categorical", values=("x", "y", "z")),
        Metric(name="likeness", scale="range", min=0, max=1),
        Metric(name="a", levels=tuple(Level(value=x) for x in range(1, 6))),
    ),
)


def twice(number: int, many: int) -> dict[str, Any]:
    labels = [label("a", 1 + (number + 1) % 5), label("a", 1 + number % 5, "bo")]
    return case(number, [score("a", 1 + number % 5)], labels if number < many else [])


@pytest.mark.parametrize("name", [name for name, _ in metric_figures.CHOICES if name])
def test_three_pairs_are_too_few_for_any_sentence(tmp_path: Path, name: str) -> None:
    with audited(tmp_path, [twice(number, 3) for number in range(20)], SIMPLE) as (_, audit):
        block = audit.document.metrics["a"]
        cell = metric_figures.agreement_cell(block.judge_human, name)
        figure = metric_figures.agreement(audit, block, name)
        assert figure.steps is not None
        (step,) = figure.steps()
    n = block.judge_human.pairs(name)
    assert cell.words == "—"
    assert f"{n} of the 5 pairs" in step.text
    if block.judge_human[name] is not None:
        assert f"{n} of the 5 pairs" in figure.sentence
        assert f"(n = {n})" in figure.sentence


def test_three_shared_labels_are_too_few_for_two_people(tmp_path: Path) -> None:
    with audited(tmp_path, [twice(number, 3) for number in range(20)], SIMPLE) as (_, audit):
        (one,) = audit.document.labelers
        figure = metric_figures.pair_figure(audit, one)
        assert figure.steps is not None
        assert "3 of the 5 shared labels" in figure.steps()[0].text
    assert metric_figures.pair_cell(one, "kappa_quadratic").words == "—"
    assert figure.sentence == (
        "ann and bo on A: 3 of the 5 shared labels that an agreement needs (n = 3)."
    )


def test_a_category_says_how_few_it_has(window: MainWindow, demo: Path, settle: Settle) -> None:
    card = brought_to(window, demo, settle, PassSection).categories
    rows = card.table.rows
    dashes = 0
    for place in range(rows.rowCount()):
        for column in range(2, 7):
            cell, figure = rows.cell(place, column), card.figure(rows.keys[place], column)
            assert figure is not None
            assert figure.steps is not None
            if cell.words != "—":
                assert cell.words in figure.sentence
                continue
            dashes += 1
            assert "%" not in figure.sentence
            assert "%" not in str(figure.steps()[1:])
            assert "fewer than 10" in figure.sentence or "no corrected" in figure.sentence
    assert dashes > 8


def of_kinds(number: int) -> dict[str, Any]:
    labels = [
        label(metric, value, who)
        for who, step in (("ann", 1), ("bo", 2))
        for metric, value in (
            ("tone", "xyz"[number // step % 3]),
            ("likeness", number * step % 10 / 10),
            ("a", 1 + number // step % 5),
        )
    ]
    return case(number, [score("tone", "x"), score("likeness", 0.5), score("a", 3)], labels)


def shown(audit: Audit, metric: str) -> tuple[str, str, str]:
    """Give the cell of a pair, its sentence, and the titles of its formulas."""
    (one,) = [x for x in audit.document.labelers if x.metric == metric]
    block = audit.document.metrics[metric]
    figure = metric_figures.pair_figure(audit, one)
    assert figure.steps is not None
    steps = [step for step in figure.steps() if step.formula]
    assert all(step.formula is not None and " = " in step.formula for step in steps)
    name = metric_figures.usual(block)
    return (
        metric_figures.pair_cell(one, name).words,
        figure.sentence,
        " ".join(x.title for x in steps),
    )


def test_two_people_have_the_figure_that_suits_the_scale(tmp_path: Path) -> None:
    with audited(tmp_path, [of_kinds(number) for number in range(40)], KINDS) as (_, audit):
        tone, likeness, ordered = (shown(audit, x) for x in ("tone", "likeness", "a"))
    assert f"κ {tone[0]} (n = 40), the same in " in tone[1]
    assert "Cohen's kappa" in tone[2]
    assert f"mean distance {likeness[0]} (" in likeness[1]
    assert " on average." in likeness[1]
    assert "mean distance mean difference" in likeness[2]
    assert f"quadratic κ {ordered[0]} (n = 40)" in ordered[1]
    assert "—" not in (tone[0], likeness[0], ordered[0])
