"""Verdicts of judge and people: every count has its responses, every gap in the data a reason."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, precision_score, recall_score

from reviewer.domain.errors import CancelledError, ReviewerError
from reviewer.services.audits import passing
from reviewer.services.audits.passing import WHOLE, Sides
from reviewer.stats.deviations import PUBLISHED
from reviewer.stats.rates import RATES
from tests.services.audits.audit_projects import audited, random_records
from tests.services.figure_projects import LEVELS, MIXED, SIMPLE, case, label, score

OPEN_MARKS = replace(
    MIXED,
    name="open",
    metrics=tuple(replace(metric, pass_at=None) for metric in MIXED.metrics),
)


class Stopped:
    """Somebody who does not wait any more."""

    cancelled = True

    def advance(self, done: int, total: int | None, note: str = "") -> None:
        """Nobody looks."""


def verdicts(sides: Sides) -> tuple[list[bool], list[bool]]:
    """People's and the judge's fails where both have a verdict."""
    judge, people = RATES["auto_rate"], RATES["human_rate"]
    both = np.intersect1d(sides.of(judge, (None, None)), sides.of(people, (None, None)))
    return (
        np.isin(both, sides.of(people, ("fail", None))).tolist(),
        np.isin(both, sides.of(judge, (None, "fail"))).tolist(),
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("subject", [WHOLE, "a", "b"])
def test_rates_are_those_of_scikit_learn_with_fail_as_the_positive_class(
    tmp_path: Path, seed: int, subject: str
) -> None:
    with audited(tmp_path, random_records(seed)) as (session, audit):
        found = passing.read(session, audit, subject)
    assert found.sides is not None
    people, judge = verdicts(found.sides)
    cells = found.cells
    (passed, alarmed), (missed, caught) = confusion_matrix(people, judge)
    assert (cells.both_fail, cells.missed, cells.alarmed, cells.both_pass) == (
        caught, missed, alarmed, passed,
    )  # fmt: skip
    figures = found.block.figures
    assert figures["catch_rate"] == pytest.approx(recall_score(people, judge))
    assert figures["specificity"] == pytest.approx(recall_score(people, judge, pos_label=False))
    assert figures["precision"] == pytest.approx(precision_score(people, judge))


def test_the_whole_verdict_is_that_of_the_document(tmp_path: Path) -> None:
    with audited(tmp_path, random_records(5)) as (session, audit):
        found = passing.read(session, audit, WHOLE)
        assert found.block == audit.document.passing


def test_every_cell_opens_as_many_responses_as_it_counts(tmp_path: Path) -> None:
    with audited(tmp_path, random_records(6)) as (session, audit):
        found = passing.read(session, audit, WHOLE)
    assert found.sides is not None
    for people, judge, count in (
        ("fail", "fail", found.cells.both_fail),
        ("fail", "pass", found.cells.missed),
        ("pass", "fail", found.cells.alarmed),
        ("pass", "pass", found.cells.both_pass),
        ("fail", None, found.cells.human_fails),
    ):
        keys = found.sides.cell(people, judge)  # type: ignore[arg-type]
        if judge is not None:
            assert keys.size == count
        assert set(keys.tolist()) <= set(audit.frame.table.keys.tolist())
    assert found.sides.cell(None, None).size == found.cells.n


def test_categories_add_up_to_the_whole(tmp_path: Path) -> None:
    with audited(tmp_path, random_records(7)) as (session, audit):
        found = passing.read(session, audit, WHOLE)
    assert {one.category for one in found.categories} == {"alpha", "beta", None}
    assert sum(one.cells.n for one in found.categories) == found.cells.n
    assert sum(one.block.n_auto for one in found.categories) == found.block.n_auto
    for one in found.categories:
        mine = found.of_category(one.category)
        assert mine is not None
        assert mine.counts() == one.cells
    sizes = [one.cells.n for one in found.categories]
    assert sizes == sorted(sizes, reverse=True)


def test_one_category_alone_is_no_comparison(tmp_path: Path) -> None:
    with audited(tmp_path, random_records(8, category="only")) as (session, audit):
        assert passing.read(session, audit, WHOLE).categories == ()


def test_without_a_pass_rule_the_reason_is_said(tmp_path: Path) -> None:
    rubric = replace(MIXED, name="ruleless", pass_rule="none")
    with audited(tmp_path, random_records(1), rubric) as (session, audit):
        found = passing.read(session, audit, WHOLE)
        own = passing.read(session, audit, "a")
    assert found.reason == 'the rubric has pass_rule = "none"'
    assert found.block.auto_rate is None
    assert found.rule == "The rubric has no pass rule."
    assert own.reason is None
    assert own.cells.n


def test_without_marks_the_reason_is_said(tmp_path: Path) -> None:
    with audited(tmp_path, random_records(1), OPEN_MARKS) as (session, audit):
        found = passing.read(session, audit, WHOLE)
        of_metric = passing.read(session, audit, "a")
        gone = passing.read(session, audit, "deleted")
        assert passing.subjects(audit.rubric) == (WHOLE,)
        with pytest.raises(ReviewerError, match="no pass mark"):
            passing.sides_of(audit.frame.table, "a", "drawn")
    assert found.reason == "no metric of the rubric has a pass mark"
    assert of_metric.reason == "A: the metric has no pass mark"
    assert gone.reason == "the rubric has no metric 'deleted'"


def test_nothing_labelled_leaves_the_judges_rate_and_reasons(tmp_path: Path) -> None:
    records = [case(n, [score("a", 1 + n % 5)]) for n in range(20)]
    with audited(tmp_path, records, SIMPLE) as (session, audit):
        found = passing.read(session, audit, WHOLE)
    assert found.block.auto_rate == pytest.approx(0.6)
    assert found.block.human_rate is None
    assert found.block.undefined["catch_rate"] == "no evaluation has both verdicts"
    assert found.cells.n == 0
    assert found.block.corrected.mean is None


@pytest.mark.parametrize(("value", "missing"), [(5, "catch_rate"), (1, "specificity")])
def test_one_class_alone_leaves_the_other_rate_undefined(
    tmp_path: Path, value: int, missing: str
) -> None:
    records = [
        case(n, [score("a", 1 + n % 5)], [label("a", value, selection_reason="random")])
        for n in range(20)
    ]
    with audited(tmp_path, records, SIMPLE) as (session, audit):
        found = passing.read(session, audit, WHOLE)
    assert found.block.figures[missing] is None
    assert "item labelled yet" in found.block.undefined[missing]


def test_the_rule_is_told_in_words() -> None:
    many = replace(
        SIMPLE,
        name="many",
        metrics=tuple(replace(SIMPLE.metrics[0], name=f"m{n}", levels=LEVELS) for n in range(40)),
    )
    overall = replace(SIMPLE, name="whole", pass_rule="overall", pass_at=3.5)
    turned = replace(
        SIMPLE,
        metrics=(replace(SIMPLE.metrics[0], higher_is_better=False, pass_at=2),),
    )
    assert passing.rule_words(SIMPLE, WHOLE, PUBLISHED).endswith(
        "every marked metric does: A from 3."
    )
    assert passing.rule_words(many, WHOLE, PUBLISHED).endswith("M5 from 3 and 34 more.")
    assert passing.rule_words(overall, WHOLE, PUBLISHED) == (
        "A response passes where its overall, 1 to 5, reaches 3.5."
    )
    assert passing.rule_words(turned, "a", PUBLISHED) == "A passes up to 2."
    assert len(passing.subjects(many)) == 41


def test_an_empty_scope_and_nobody_waiting(tmp_path: Path) -> None:
    with audited(tmp_path, random_records(2)) as (session, audit):
        table = audit.frame.table
        empty = passing.sides_of(table, WHOLE, "drawn").where(
            np.zeros(table.keys.size, dtype=np.bool_)
        )
        assert empty.counts().n == 0
        with pytest.raises(CancelledError):
            passing.read(session, audit, WHOLE, Stopped())
