"""Audit says which version's scores its figures are made of, and on how many."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.gui.audit.page import AuditPage
from reviewer.gui.window import MainWindow
from reviewer.services.figures import run_records
from reviewer.services.figures.run_records import Wish
from reviewer.services.project.session import Session
from tests.building import build_project
from tests.two_versions import OLDER, RUN, evaluation, score, versions_project

Open = Callable[[Path], AuditPage]


@pytest.fixture
def bring(window: MainWindow, settle: Callable[[], None]) -> Open:
    window.surroundings.settings.set("labeler", "ann")

    def go(path: Path) -> AuditPage:
        assert window.open_project(path)
        window.show_page("audit")
        settle()
        page = window.page
        assert isinstance(page, AuditPage)
        page.scope.choose_metric("accuracy")
        settle()
        return page

    return go


def titles(page: AuditPage) -> list[str]:
    page.scope.judge.menu_of_choices.aboutToShow.emit()
    return [x.text() for x in page.scope.judge.menu_of_choices.actions()]


def mean(page: AuditPage) -> float | None:
    assert page.audit is not None
    return page.audit.document.metrics["accuracy"].gaps.auto_mean


def test_the_judge_is_that_of_record_until_another_is_chosen(
    tmp_path: Path, bring: Open, settle: Callable[[], None]
) -> None:
    page = bring(versions_project(tmp_path / "two.review"))
    page.scope.run.pick(RUN)
    settle()
    assert titles(page) == ["of record", "judge@1", "judge@2"]
    assert page.scope.judge.text() == "of record ▾"
    assert "version of record" in page.scope.judge.toolTip()
    assert page.verdict.judge.text() == "Judge: judge@1 on 12 of 12; not counted: judge@2 on 6"
    assert mean(page) == 5.0
    page.scope.judge.pick("judge@2")
    settle()
    assert page.verdict.judge.text() == (
        "Judge: judge@2 on 6 of 12; chosen here, not of record; not counted: judge@1 on 12"
    )
    assert mean(page) == 2.0
    page.scope.judge.pick()
    settle()
    assert mean(page) == 5.0


def test_runs_of_one_version_are_told_together_and_others_apart(
    tmp_path: Path, bring: Open, window: MainWindow, settle: Callable[[], None]
) -> None:
    path = versions_project(tmp_path / "two.review")
    page = bring(path)
    page.scope.run.pick(OLDER, RUN)
    settle()
    assert page.verdict.judge.text() == (
        "Judge: judge@1 on 24 of 24 in 2 runs; not counted: judge@2 on 12"
    )
    with closing(Session.open(path, "ann")) as session:
        entry = next(
            x.entry
            for x in run_records.of_run(session, RUN).metrics
            if x.metric.name == "accuracy"
        )
        run_records.name(session, Wish(run=RUN, version="judge@2", metrics={"accuracy": entry}))
    assert window.session is not None
    window.session.poll()
    page.compute()
    settle()
    assert page.verdict.judge.text() == (
        "Judge: judge@1 on 12 of 12 in agent v6, judge@2 on 6 of 12 in agent v7; not counted: "
        "judge@2 on 6 in agent v6, judge@1 on 12 in agent v7"
    )
    assert "mixes the scores of several versions" in page.verdict.notes.text()


def test_versions_that_differ_in_a_parameter_have_names_that_tell(
    tmp_path: Path, bring: Open
) -> None:
    strict = score("accuracy", 2, parameters={"strict": True})
    loose = score("accuracy", 5, parameters={"strict": False})
    rows = [evaluation(n, scores=[loose, *([strict] if n < 5 else [])]) for n in range(1, 13)]
    page = bring(build_project(tmp_path / "p.review", evaluations=rows, runs=(RUN,)))
    assert page.verdict.judge.text() == (
        "Judge: judge@1 strict=false on 12 of 12; not counted: judge@1 strict=true on 4"
    )
    assert page.verdict.made.text() == "strict False"
    assert [x.partition(" · ")[0] for x in titles(page)] == [
        "of record", "judge@1 strict=false", "judge@1 strict=true",
    ]  # fmt: skip


def test_without_a_whole_set_the_reason_stands(tmp_path: Path, bring: Open) -> None:
    path = versions_project(tmp_path / "none.review", runs=(RUN,))
    with closing(Session.open(path, "ann")) as session, session.project.write() as conn:
        conn.execute("DELETE FROM records")
    page = bring(path)
    assert page.verdict.judge.text() == (
        "Judge: Nothing counts: no whole set of scores yet; not counted: judge@1 on 12, "
        "judge@2 on 6"
    )
