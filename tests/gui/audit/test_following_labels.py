"""What the Audit page shows while labels come in, and when it changes in odd orders."""

import logging
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import pytest
from msgspec import structs
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from reviewer.domain.change import MarkChanged
from reviewer.domain.evaluation import Mark
from reviewer.gui.audit.insights_card import InsightsReader
from reviewer.gui.audit.page import AuditPage
from reviewer.gui.audit.pass_section import PassSection
from reviewer.gui.audit.people_section import PeopleSection
from reviewer.gui.audit.reader import AuditReader
from reviewer.gui.window import MainWindow
from reviewer.services.audits.auditing import Audit
from reviewer.services.findings import insights
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session

Settle = Callable[[], None]
WAIT = 20_000


def intervals(audit: Audit | None) -> set[str]:
    assert audit is not None
    return set(audit.document.metrics["relevance"].judge_human.intervals)


def test_a_metric_that_was_chosen_stays(page: AuditPage, settle: Settle) -> None:
    page.agreement.table.choose("relevance")
    page.sections.bring(PassSection)
    settle()
    page.scope.choose_metric("accuracy")
    settle()
    page.compute()
    settle()
    assert page.scope.chosen_metric == "accuracy"
    assert page.sections.current.chosen_metric == "accuracy"
    page.scope.category.pick(page.scope.category.values[0])
    settle()
    assert page.scope.chosen_metric == "accuracy"
    page.sections.row.choose(0)
    settle()
    assert page.scope.chosen_metric == "accuracy"
    assert page.agreement.table.chosen() == "accuracy"


def test_people_out_of_view_take_no_figures_of_another_rubric(
    page: AuditPage, settle: Settle, caplog: pytest.LogCaptureFixture
) -> None:
    people = page.sections.bring(PeopleSection)
    settle()
    page.sections.bring(PassSection)
    settle()
    run = next(name for name in page.scope.run.values if "opening" in str(name))
    page.scope.run.pick(run)
    settle()
    page.scope.run.pick()
    settle()
    assert not [one for one in caplog.records if one.levelno >= logging.ERROR]
    page.sections.bring(PeopleSection)
    settle()
    assert people.reached.isVisible()


def test_figures_of_the_same_scope_are_not_dropped_for_newer_ones(
    page: AuditPage, qtbot: QtBot, settle: Settle
) -> None:
    reader = AuditReader(page.surroundings, page)
    found: list[object] = []
    refined: list[object] = []
    reader.found.connect(found.append)
    reader.refined.connect(refined.append)
    request = page.scope.request(page.session.labeler.name)
    for _ in range(4):
        reader.read(request)
    qtbot.waitUntil(lambda: len(refined) == 2, timeout=20_000)
    settle()
    # the first, and one more for all that came meanwhile
    assert (len(found), len(refined)) == (2, 2)


def test_another_scope_wins_over_one_that_is_to_be_read_again(
    page: AuditPage, qtbot: QtBot, settle: Settle
) -> None:
    reader = AuditReader(page.surroundings, page)
    found: list[Audit] = []
    reader.found.connect(found.append)
    first = page.scope.request(page.session.labeler.name)
    other = replace(first, scope=structs.replace(first.scope, categories=("policies",)))
    wishes = [other]

    def choose() -> None:
        if wishes:
            reader.read(wishes.pop())

    reader.refined.connect(lambda _: QTimer.singleShot(0, choose))
    reader.read(first)
    # something changed meanwhile
    reader.read(first)
    qtbot.waitUntil(lambda: len(found) > 1, timeout=20_000)
    settle()
    assert found[-1].request == other


def test_another_scope_does_not_wait(page: AuditPage, settle: Settle) -> None:
    page.compute()
    page.scope.category.pick(page.scope.category.values[0])
    settle()
    assert page.audit is not None
    assert page.audit.request.scope.filter == page.scope.request("").scope.filter


def test_an_interval_stays_until_the_next_one_is_there(
    page: AuditPage, window: MainWindow, qtbot: QtBot, settle: Settle
) -> None:
    before = intervals(page.audit)
    assert before
    seen: list[set[str]] = []
    page.status_changed.connect(lambda _: seen.append(intervals(page.audit)))
    session = window.session
    assert session is not None
    with closing(Session.open(session.project.path, "zoe")) as other:
        (key,) = other.project.conn.execute(
            "SELECT min(e.id) FROM evaluations e JOIN runs r ON r.id = e.run "
            "WHERE r.name LIKE '%v7'"
        ).fetchone()
        entering.commit(other, key, "relevance", 1)
    session.poll()
    qtbot.waitUntil(lambda: bool(seen), timeout=WAIT)
    settle()
    assert all(one >= before for one in seen)
    # another scope has no interval of this one
    seen.clear()
    page.scope.category.pick(page.scope.category.values[0])
    qtbot.waitUntil(lambda: bool(seen), timeout=WAIT)
    assert seen[0] != before
    settle()


def test_what_changed_while_the_numbers_were_read_is_read_again(
    page: AuditPage, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = InsightsReader(page.surroundings, page.insights)
    assert page.audit is not None
    read: list[int] = []
    real = insights.read

    def counting(*args: object, **more: object) -> object:
        read.append(1)
        return real(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(insights, "read", counting)
    audit = page.audit
    shown.renew(audit)
    shown.show_metric("relevance")
    shown.renew(audit)
    settle()
    shown.show_metric("relevance")
    settle()
    assert len(read) == 2
    shown.show_metric("accuracy")
    settle()
    assert len(read) == 2


def test_what_a_lead_merely_saw_computes_nothing_anew(page: AuditPage, settle: Settle) -> None:
    settle()
    seen = Mark(evaluation=1, kind="reveal", labeler="lead", value="led")
    page.follow(MarkChanged(seen))
    assert not page._refresher._timer.isActive()
    for other in (structs.replace(seen, value="asked"), structs.replace(seen, kind="cause")):
        page.follow(MarkChanged(other))
        assert page._refresher._timer.isActive()
        page._refresher._timer.stop()
