"""Sentences and formulas of pass and fail carry the numbers that they are about."""

from pathlib import Path

import pytest

from reviewer.services.audits import passing
from reviewer.services.audits.passing import WHOLE, PassAudit
from reviewer.stats.rates import RATES, SHOWN, RateName
from tests.services.audits.audit_projects import audited
from tests.services.figure_projects import SIMPLE, case, label, score


def example(folder: Path, *, reason: str = "random", labelled: bool = True) -> PassAudit:
    """100 labels in the cells 9, 3, 6 and 82, of 200 judged evaluations."""
    cells = [(1, 1)] * 9 + [(1, 5)] * 6 + [(5, 1)] * 3 + [(5, 5)] * 82 + [(None, 5)] * 100
    records = [
        case(
            number,
            [score("a", auto)],
            [label("a", human, selection_reason=reason)] if human and labelled else [],
        )
        for number, (human, auto) in enumerate(cells)
    ]
    with audited(folder, records, SIMPLE) as (session, audit):
        return passing.read(session, audit, WHOLE)


def said(found: PassAudit, name: RateName) -> str:
    rate = passing.rate(found.block, found.cells, name)
    return passing.sentence(found, rate, 0.95)


def explained(found: PassAudit, name: RateName) -> list[str]:
    rate = passing.rate(found.block, found.cells, name)
    return [step.text for step in passing.steps(rate, found.block, found.cells)]


def test_every_rate_is_a_sentence_with_its_counts(tmp_path: Path) -> None:
    found = example(tmp_path)
    assert said(found, "catch_rate") == (
        "Whole rubric: of what people fail, the judge fails 60 % (9 of 15; 95 % interval 36 % to "
        "80 %)."
    )
    assert "of what people pass, the judge passes 96 % (82 of 85;" in said(found, "specificity")
    assert "of what the judge fails, people fail 75 % (9 of 12;" in said(found, "precision")
    assert "the judge passes 94 % (188 of 200;" in said(found, "auto_rate")
    assert "people pass 85 % (85 of 100;" in said(found, "human_rate")
    assert "people would pass" in said(found, "corrected_rate")
    assert "(n = 100; 95 % interval" in said(found, "corrected_rate")


def test_formulas_have_the_numbers_filled_in(tmp_path: Path) -> None:
    found = example(tmp_path)
    assert "both fail ÷ people fail = 9 ÷ 15 = 0.6000" in explained(found, "catch_rate")
    assert "both pass ÷ people pass = 82 ÷ 85 = 0.9647" in explained(found, "specificity")
    assert "judge passes ÷ all judged = 188 ÷ 200 = 0.9400" in explained(found, "auto_rate")
    (formula,) = [text for text in explained(found, "corrected_rate") if "×" in text]
    assert formula.endswith("0.9400 × 82/88 + 0.0600 × 3/12 = 0.8909")
    assert all(RATES[name].meaning in explained(found, name) for name in SHOWN)


def test_weighted_rates_do_not_pretend_to_be_plain_shares(tmp_path: Path) -> None:
    found = example(tmp_path, reason="stratum")
    assert found.block.note is not None
    assert "of 15" not in said(found, "catch_rate")
    assert any(found.block.note in text for text in explained(found, "catch_rate"))


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_not_defined_says_why(tmp_path: Path, name: RateName) -> None:
    found = example(tmp_path, labelled=False)
    if name == "auto_rate":
        assert "the judge passes 94 %" in said(found, name)
        return
    assert said(found, name).startswith(f"Whole rubric: no {RATES[name].title.lower()} (")
    (text,) = explained(found, name)
    assert text.endswith(".")
