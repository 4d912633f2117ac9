"""The agreement of two people in a cell and in a sentence."""

from pathlib import Path

import pytest

from reviewer.gui.audit import metric_figures
from tests.services.audits.audit_projects import audited
from tests.services.figure_projects import SIMPLE, case, label, score


@pytest.mark.parametrize(
    ("step", "same", "said"),
    [
        (1, "0.0 %", "the second 1.00 higher on average"),
        (-1, "0.0 %", "the second 1.00 lower on average"),
        (0, "100.0 %", "the second as high on average"),
    ],
)
def test_who_of_two_people_gives_more(tmp_path: Path, step: int, same: str, said: str) -> None:
    first = [2 + number % 3 for number in range(30)]
    cases = [
        case(n, [score("a", 3)], [label("a", value), label("a", value + step, "bo")])
        for n, value in enumerate(first)
    ]
    with audited(tmp_path, cases, SIMPLE) as (_, audit):
        (one,) = (x for x in audit.document.labelers if x.metric == "a")
        sentence = metric_figures.pair_figure(audit, one).sentence.replace("\u00a0", " ")
    assert sentence.startswith("ann and bo on ")
    assert sentence.endswith(f", the same in {same}, {said}.")
