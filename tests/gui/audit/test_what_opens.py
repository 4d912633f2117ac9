"""What a figure opens is exactly what it counts."""

import re
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reviewer.gui.audit import metric_figures
from reviewer.gui.audit.agreement_section import AgreementSection
from reviewer.gui.audit.page import AuditPage
from reviewer.gui.audit.pass_section import PassSection
from reviewer.gui.audit.people_section import PeopleSection
from reviewer.gui.audit.plan_section import PlanSection
from reviewer.gui.audit.sections import AuditSection
from reviewer.gui.audit.segments_section import SegmentsSection
from reviewer.gui.audit.trend_section import TrendSection
from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit.grid import GridView
from reviewer.gui.window import MainWindow
from reviewer.services.audits.auditing import Audit
from reviewer.services.figures.statistics import StatsRequest
from tests.gui.audit.test_pass_section import Settle, brought_to
from tests.services.audits.audit_projects import audited
from tests.services.figure_projects import SCOPE, SIMPLE, case, label, score

COUNTS = (
    r"n = ([\d,]+)",
    r"\d of ([\d,]+) (?:label|failure|shared)",
    r"(?:\(|from )\d[\d,]* of ([\d,]+)",
    r"([\d,]+) of [\d,]+ evaluations",
    r"(?:of|:|on|On|labelled|\() ?([\d,]+) (?:shared |gold )?(?:eval|resp|label|failure)",
    r"^([\d,]+) (?:of|resp|eval)",
)
"""How sentences say how many evaluations they count."""
Find = Callable[[Hashable, int], Figure | None]
Served = list[tuple[GridView, Find]]


def of_agreement(section: AgreementSection) -> Served:
    return [(section.agreement.table, section._figure_of)]


def of_verdicts(section: PassSection) -> Served:
    return [
        (section.verdicts.rates, section.verdicts.figure),
        (section.categories.table, section.categories.figure),
    ]


def of_segments(section: SegmentsSection) -> Served:
    return [(section.table, section.figure)]


def of_people(section: PeopleSection) -> Served:
    return [
        (section.reached.table, section._reached_figure),
        (section.labelers.table, section._labeler_figure),
        (section.pairs.table, section._pair_figure),
    ]


def of_plan(section: PlanSection) -> Served:
    return [(section.next.table, section._order_figure)]


def of_weeks(section: TrendSection) -> Served:
    return [(section.table, section._figure_of)]


def figures(served: Served) -> Iterator[Figure]:
    """Give the figure of every cell of some tables."""
    for grid, find in served:
        rows = grid.rows
        for place in range(rows.rowCount()):
            for column in range(rows.columnCount()):
                found = find(rows.keys[place], column)
                if found is not None:
                    yield found


def counted(sentence: str) -> int:
    """Read how many evaluations a sentence says it counts."""
    for words in COUNTS:
        if found := re.search(words, sentence):
            return int(found.group(1).replace(",", ""))
    raise AssertionError(sentence)


@pytest.mark.parametrize(
    ("kind", "tables"),
    [
        (AgreementSection, of_agreement),
        (PassSection, of_verdicts),
        (SegmentsSection, of_segments),
        (PeopleSection, of_people),
        (PlanSection, of_plan),
        (TrendSection, of_weeks),
    ],
)
def test_every_figure_of_the_demo_opens_what_it_counts(
    window: MainWindow,
    demo: Path,
    settle: Settle,
    kind: type[AuditSection[Any]],
    tables: Callable[[AuditSection[Any]], Served],
) -> None:
    section = brought_to(window, demo, settle, kind)
    wrong = []
    for metric in ("relevance", "accuracy", "safety"):
        section.metric_requested.emit(metric)
        settle()
        assert section.chosen_metric == metric
        wrong += [
            (figure.sentence, len(figure.keys()))
            for figure in figures(tables(section))
            if figure.keys is not None and len(figure.keys()) != counted(figure.sentence)
        ]
    assert "\n".join(f"{opened}: {said}" for said, opened in dict.fromkeys(wrong)) == ""


def test_verdict_and_corrected_mean_open_what_they_count(
    window: MainWindow, demo: Path, settle: Settle
) -> None:
    brought_to(window, demo, settle, AgreementSection)
    page = window.page
    assert isinstance(page, AuditPage)
    assert page.audit is not None
    for block in page.audit.document.metrics.values():
        for make in (metric_figures.verdict, metric_figures.corrected):
            figure = make(page.audit, block)
            assert figure.keys is not None
            assert len(figure.keys()) == counted(figure.sentence)


def labelled(number: int, **more: Any) -> list[dict[str, Any]]:
    return [label("a", 1 + (number + number % 2) % 5, **more)] if number < 40 else []


def some_at_random(number: int) -> dict[str, Any]:
    reason = "random" if number < 15 else "browse"
    found = labelled(number, selection_reason=reason)
    return case(number, [score("a", 1 + number % 5)], found)


def never_judged(number: int) -> dict[str, Any]:
    return case(number, [], labelled(number, selection_reason="random"))


def at_odds(number: int) -> dict[str, Any]:
    """Two people, who agree on every fourth only."""
    found = [
        label("a", 1 + (number * step) % 5, who, selection_reason="random")
        for who, step in (("ann", 1), ("bo", 1 + number % 4))
    ]
    return case(number, [score("a", 1 + number % 5)], found)


def opens(found: Figure) -> int:
    return 0 if found.keys is None else len(found.keys())


@pytest.mark.parametrize(("make", "n"), [(some_at_random, 15), (never_judged, 40), (at_odds, 60)])
def test_the_corrected_mean_opens_the_labels_it_uses(
    tmp_path: Path, make: Callable[[int], dict[str, Any]], n: int
) -> None:
    with audited(tmp_path, [make(number) for number in range(60)], SIMPLE) as (_, audit):
        block = audit.document.metrics["a"]
        figure = metric_figures.corrected(audit, block)
    assert block.corrected.n == opens(figure) == n


def test_a_coefficient_opens_no_response_without_a_majority(tmp_path: Path) -> None:
    every = [at_odds(number) for number in range(60)]
    with audited(tmp_path, every, SIMPLE) as (_, audit):
        assert audit.document.metrics["a"].judge_human.n_table == 60
        assert_opens_its_pairs(audit)
    (tmp_path / "majority").mkdir()
    request = StatsRequest(scope=SCOPE, options=(("label_table", "majority"),))
    with audited(tmp_path / "majority", every, SIMPLE, request=request) as (_, audit):
        assert 0 < audit.document.metrics["a"].judge_human.n_table < 60
        assert_opens_its_pairs(audit)


def assert_opens_its_pairs(audit: Audit) -> None:
    block = audit.document.metrics["a"]
    for name, n in (
        ("kappa_quadratic", block.judge_human.n_table),
        ("bias", block.judge_human.n),
    ):
        assert opens(metric_figures.agreement(audit, block, name)) == n
