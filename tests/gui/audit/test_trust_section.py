"""The Audit page opens on the answer: rely or not, why, and what to do next."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from reviewer.domain.run import Scope
from reviewer.gui.audit.agreement_section import AgreementSection
from reviewer.gui.audit.limits_dialog import LimitsDialog
from reviewer.gui.audit.next_card import NOTHING
from reviewer.gui.audit.page import AuditPage
from reviewer.gui.audit.trust_section import TrustSection
from reviewer.gui.queues.builder import QueueBuilder
from reviewer.gui.window import MainWindow
from reviewer.services.adjudicating import decisions, next_steps
from reviewer.services.adjudicating.next_steps import NextStep
from reviewer.services.audits.auditing import Audit
from reviewer.services.figures import trust_words
from reviewer.services.figures.statistics import StatsRequest, compute
from reviewer.services.figures.statistics_blocks import MetricBlock
from reviewer.services.project.session import for_leads
from reviewer.stats.trust import SIGNS
from reviewer.store.project import Project
from tests.building import build_project


@pytest.fixture(autouse=True)
def first_section() -> None:
    """Open the page as everybody does."""


def trust(page: AuditPage) -> TrustSection:
    found = page.sections.current
    assert isinstance(found, TrustSection)
    return found


def settled(page: AuditPage, qtbot: QtBot, settle: Callable[[], None]) -> TrustSection:
    """Wait until the intervals are there, and what follows from them."""
    audit = page.audit
    assert audit is not None
    qtbot.waitUntil(lambda: bool(page.audit and page.audit.frame.choices.policy.resamples))
    qtbot.waitUntil(lambda: not page.right.steps.state.text().startswith("Looking"))
    settle()
    return trust(page)


def test_the_first_sentence_is_that_of_the_figures(
    page: AuditPage, demo: Path, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    section = settled(page, qtbot, settle)
    project = Project.open(demo)
    found = compute(project, StatsRequest(scope=Scope(every_run=True)))
    project.close()
    blocks = [x for x in found.metrics.values() if x.is_labelled]
    assert section.card.sentence.text() == trust_words.headline(blocks)
    assert list(section.card.rows) == ["accuracy", "safety", "relevance"]
    for block in blocks:
        row = section.card.rows[block.name]
        assert row.words.text() == trust_words.told(block).text
        assert row.sign.accessibleName() == trust_words.told(block).words
        assert row.sign.text() == SIGNS[block.trust.trust.state]
    assert section.chart is not None
    copied = section.chart.copies.data_text().splitlines()
    assert copied[0] == "metric,judge,low,high,people,low,high"
    assert [line.split(",")[0] for line in copied[1:]] == ["Accuracy", "Safety", "Relevance"]
    assert section.runs.isVisible()
    assert not page.verdict.isVisible()
    assert page.passing.isVisible()


def test_cases_are_a_click_away_and_so_is_the_way_back(
    page: AuditPage, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    section = settled(page, qtbot, settle)
    assert page.right.steps.isVisible()
    assert not page.side.isVisible()
    row = section.card.rows["accuracy"]
    row.cases.click()
    settle()
    assert page.side.isVisible()
    assert page.scope.chosen_metric == "accuracy"
    assert page.side.cases.table.model().rowCount() == int(row.cases.text().split()[0])
    page.right.back.click()
    assert page.right.steps.isVisible()
    assert not page.side.isVisible()
    section.card.rows["accuracy"].cases.click()
    assert page.side.isVisible()
    page.sections.row.buttons[0].click()
    assert page.right.steps.isVisible()
    page.sections.bring(AgreementSection)
    settle()
    assert page.side.isVisible()
    assert not page.right.back.isVisible()
    assert page.verdict.isVisible()
    page.sections.bring(TrustSection)
    settle()
    assert page.right.steps.isVisible()
    assert not page.side.isVisible()


def test_a_step_is_taken(page: AuditPage, qtbot: QtBot, settle: Callable[[], None]) -> None:
    settled(page, qtbot, settle)
    steps = page.right.steps
    wished: list[str] = []
    page.command_requested.connect(wished.append)
    page.page_requested.connect(wished.append)
    named = {button.accessibleName(): button for button in steps.buttons}
    first = next(iter(named))
    assert first.startswith("Decide: Decide ")
    named[first].click()
    settle()
    assert page.side.isVisible()
    assert page.side.cases.table.model().rowCount() == int(first.split()[2])
    named["Open: Mend the prompt for Accuracy"].click()
    named["Queue: Let two people label the last 97 for Relevance"].click()
    builder = page.findChild(QueueBuilder)
    assert builder is not None
    assert (builder.plan().n, builder.plan().overlap) == (97, 2)
    builder.close()
    named["Runs: Scores that do not count"].click()
    assert wished == ["window.prompts", "runs"]


def test_what_was_said_stays_until_newer_intervals_are_there(
    page: AuditPage, qtbot: QtBot, settle: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    section = settled(page, qtbot, settle)
    told: list[str] = []
    show = section.card.show_audit

    def spy(audit: Audit, blocks: Sequence[MetricBlock], *, waits: bool) -> None:
        show(audit, blocks, waits=waits)
        told.append(section.card.sentence.text())

    monkeypatch.setattr(section.card, "show_audit", spy)
    first = section.card.sentence.text()
    assert page.audit is not None
    (key, *_) = next_steps.apart(page.audit, page.audit.document.metrics["accuracy"])[0].tolist()
    decisions.decide(page.session, key, "accuracy", 3)
    qtbot.waitUntil(lambda: len(told) >= 2)
    settled(page, qtbot, settle)
    assert set(told) == {first}


def test_limits_hold_at_once_for_all_and_for_one(
    page: AuditPage, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    section = settled(page, qtbot, settle)
    section.card.change.click()
    dialog = page.findChild(LimitsDialog)
    assert isinstance(dialog, LimitsDialog)
    assert dialog.fields["accuracy", "caught"].value() == 80
    for name in ("caught", "reach"):
        dialog.fields[None, name].setValue(0)
    dialog.fields[None, "gap"].setValue(3)
    assert dialog.fields["accuracy", "gap"].value() == 3
    dialog.fields["safety", "caught"].setValue(99)
    qtbot.waitUntil(
        lambda: (
            trust(page).card.sentence.text().startswith("Do not rely on this judge for Safety.")
        )
    )
    assert "Safety by limits of their own" in trust(page).card.limits.text()
    dialog.resets["safety"].click()
    qtbot.waitUntil(lambda: "their own" not in trust(page).card.limits.text())
    dialog.close()


def test_only_a_lead_sets_limits(
    page: AuditPage, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    settled(page, qtbot, settle)
    session = page.session
    with session.project.write() as conn:
        conn.execute("UPDATE labelers SET role = 'lead' WHERE name = 'labeler 1'")
        conn.execute("UPDATE labelers SET role = 'labeler' WHERE name = 'lead'")
    trust(page).card.change.click()
    dialog = page.findChild(LimitsDialog)
    assert isinstance(dialog, LimitsDialog)
    told: list[str] = []
    dialog.failed.connect(told.append)
    dialog.fields[None, "caught"].setValue(10)
    assert told
    assert "Only a lead can set the limits of trust" in told[0]
    assert dialog.fields[None, "caught"].value() == 80
    dialog.close()


def test_nothing_labelled_says_so(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    window.surroundings.settings.set("labeler", "lead")
    records = [
        {
            "id": f"r{n}",
            "response": "x",
            "scores": [{"metric": "accuracy", "value": 4, "scorer": "j"}],
        }
        for n in range(12)
    ]
    assert window.open_project(build_project(tmp_path / "new.review", evaluations=records))
    window.show_page("audit")
    settle()
    page = window.page
    assert isinstance(page, AuditPage)
    section = settled(page, qtbot, settle)
    assert section.card.sentence.text() == trust_words.NOTHING
    assert section.chart is None
    assert page.right.steps.state.text() in ("", NOTHING)


def test_causes_are_a_click_away(
    page: AuditPage, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    section = settled(page, qtbot, settle)
    assert not section.causes.isVisible()
    audit = page.audit
    assert audit is not None
    keys = audit.pairs["accuracy"].keys[np.abs(audit.pairs["accuracy"].gaps) > 0][:3]
    for key in keys.tolist():
        decisions.record_cause(for_leads(page.session), key, "accuracy", "judge_wrong")
    page.compute()
    settled(page, qtbot, settle)
    qtbot.waitUntil(section.causes.isVisible)
    assert section.causes.chart is not None
    (spot,) = section.causes.chart.spots
    assert spot.words == "Accuracy: judge wrong 3 of 3 causes named (100 %)"
    assert "Accuracy 3 of " in section.causes.told.text()
    section.causes.chart.spot_chosen.emit(spot.key)
    settle()
    assert page.scope.chosen_metric == "accuracy"
    assert page.side.cases.table.model().rowCount() == 3


def test_a_step_makes_the_queue_that_it_names(
    page: AuditPage, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    settled(page, qtbot, settle)
    step = NextStep("queue", "Let two people label the same for Safety", "", "Queue…", "safety",
                    wanted=7, people=2)  # fmt: skip
    page.right.steps.chosen.emit(step)
    settle()
    builder = page.findChild(QueueBuilder)
    assert builder is not None
    plan = builder.plan()
    assert (plan.n, plan.overlap, plan.name) == (7, 2, step.title)
    assert page.audit is not None
    assert all(f'run:"{run}"' in plan.filter_text for run in page.audit.document.runs)
    builder.close()


def test_a_filter_that_matches_nothing_leaves_no_step(
    page: AuditPage, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    settled(page, qtbot, settle)
    assert page.right.steps.buttons
    page.scope.narrow("category:nope")
    qtbot.waitUntil(lambda: page.right.steps.buttons == [])
