"""The Plan section: widths to set, what to label next, and a queue of it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.domain.run import Scope
from reviewer.gui.audit import plan_rows
from reviewer.gui.audit.page import AuditPage
from reviewer.gui.audit.plan_section import PlanSection, filter_of
from reviewer.gui.window import MainWindow
from reviewer.services.queues import working
from reviewer.services.queues.plans import Sampling
from tests.building import build_project
from tests.gui.audit.test_pass_section import brought_to
from tests.gui.audit.test_people_section import plain, words
from tests.services.audits.comparing import label, one
from tests.services.audits.test_budget import cases

Settle = Callable[[], None]


@pytest.fixture
def page(window: MainWindow, tmp_path: Path, settle: Settle) -> AuditPage:
    path = build_project(tmp_path / "plan.review", evaluations=cases(300, 60))
    return opened(window, path, settle)


def opened(window: MainWindow, path: Path, settle: Settle) -> AuditPage:
    assert window.open_project(path)
    window.show_page("audit")
    settle()
    page = window.page
    assert isinstance(page, AuditPage)
    page.scope.choose_metric("accuracy")
    page.sections.bring(PlanSection)
    settle()
    return page


@pytest.fixture
def section(page: AuditPage) -> PlanSection:
    return page.sections.of_kind(PlanSection)


def test_what_does_for_these_alone_stands_where_nothing_does_for_all(
    window: MainWindow, tmp_path: Path, settle: Settle
) -> None:
    path = build_project(tmp_path / "few.review", evaluations=cases(105, 60))
    section = opened(window, path, settle).sections.of_kind(PlanSection)
    rows = section.budget.table.rows
    at = next(x for x in range(rows.rowCount()) if rows.cell(x, 0).words == "Accuracy")
    cell, sentence = rows.cell(at, 3), plain(section.budget.sentence.text())
    found = re.search(r"for exactly these about (\d+) more", sentence)
    assert found is not None
    assert (cell.words, cell.below) == ("—", f"{found[1]} for these")


def test_a_width_changes_the_budget(section: PlanSection, settle: Settle) -> None:
    rows = words(section.budget.table)
    accuracy = next(row for row in rows if row[0] == "Accuracy")
    assert accuracy[1] == "60"
    assert "random label" in plain(section.budget.sentence.text())
    section.mean_width.setValue(0.9)
    section.kappa_width.setValue(0.9)
    settle()
    accuracy = next(row for row in words(section.budget.table) if row[0] == "Accuracy")
    assert accuracy[3:5] == ["enough", "enough"]
    assert accuracy[6] == "enough"
    assert section.budget.table.chosen() == "accuracy"


def test_other_metrics_say_why_they_have_no_plan(section: PlanSection) -> None:
    relevance = next(row for row in words(section.budget.table) if row[0] == "Relevance")
    assert relevance[1:] == ["—"] * 6
    place = section.budget.table.rows.place_of("relevance")
    assert place is not None
    assert section.budget.table.rows.cell(place, 2).tip == "no auto score in scope"


def test_what_to_label_next_makes_a_queue(section: PlanSection, settle: Settle) -> None:
    section.count.setValue(12)
    settle()
    rows = words(section.next.table)
    assert [row[0] for row in rows] == ["1", "3", "4", "5"]
    assert sum(int(row[3]) for row in rows) == 12
    figure = section._order_figure(0, 0)
    assert figure is not None
    assert figure.keys is not None
    shown = set(map(int, figure.keys()))
    section.make.click()
    builder = section._builder
    assert builder is not None
    plan = builder.plan()
    assert (plan.sampling, plan.n, plan.metric) == (Sampling.ACTIVE, 12, "accuracy")
    settle()
    told: list[str] = []
    section.noted.connect(told.append)
    builder.make.click()
    settle()
    assert told == ["The queue “Most informative, Accuracy” is made; it waits on Review."]
    session = section.session
    assert session is not None
    made = working.find(session, "Most informative, Accuracy")
    assert made.reason == "stratum"
    drawn = {
        item.evaluation
        for person in working.people(session, made)
        for item in working.items_of(session, made, person)
    }
    assert drawn == shown


def test_figures_explain_themselves(section: PlanSection) -> None:
    figure = section._budget_figure("accuracy", 2)
    assert figure is not None
    assert figure.steps is not None
    assert [x.title for x in figure.steps()] == [
        "Corrected mean, labels at random",
        "Corrected mean, in the order of what to label next",
        "For exactly these evaluations, and without a judge",
        "Kappa",
    ]


def test_every_budget_has_its_formula_and_opens_the_labels_it_counts(
    window: MainWindow, demo: Path, settle: Settle
) -> None:
    section = brought_to(window, demo, settle, PlanSection)
    rows = section.budget.table.rows
    assert plan_rows.PASSING in rows.keys
    for place, key in enumerate(rows.keys):
        figure = section._budget_figure(key, 0)
        assert figure is not None
        assert figure.steps is not None
        formula = figure.steps()[0].formula
        assert re.match(r"\(1 − [\d.]+²\) × [\d.]+² / \(", formula), formula
        assert figure.keys is not None
        assert f"{len(figure.keys()):,}" == rows.cell(place, 1).words


def test_nothing_left_to_label_is_said(window: MainWindow, tmp_path: Path, settle: Settle) -> None:
    records = [one(n, 4, [label(3 + n % 2)]) for n in range(1, 13)]
    path = build_project(tmp_path / "all.review", evaluations=records)
    section = opened(window, path, settle).sections.of_kind(PlanSection)
    assert section.next.sentence.text().startswith("Accuracy: every evaluation with an auto score")
    assert not section.make.isEnabled()


def test_a_scope_becomes_a_filter() -> None:
    scope = Scope(runs=("a b", 'q"'), categories=("x",))
    assert filter_of(scope) == '(run:"a b" OR run:"q\\"") (category:"x")'
    assert filter_of(Scope()) == ""
