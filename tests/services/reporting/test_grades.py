"""The harness's grades by category: those of the report, and the questions behind them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.domain.errors import Silent
from reviewer.domain.run import Scope
from reviewer.reports.report import Wanted
from reviewer.services.project.session import Session
from reviewer.services.reporting import cases, grades, making
from reviewer.services.upkeep import projects
from reviewer.store import reading

RUN = "assistant 1.3"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    opened = Session.open(projects.make_demo(tmp_path / "h.review", "harness", Silent()), "lead")
    opened.blind = False
    yield opened
    opened.close()


def test_grades_are_those_of_the_report(session: Session) -> None:
    found = grades.of_run(session, RUN)
    assert found is not None
    assert [x.letter for x in found.bands] == ["A", "B", "C", "D", "F"]
    assert found.bands[0].words == "A, from 0.90: excellent response"
    document = making.build(session.project, Wanted(scope=Scope(runs=(RUN,)), people=False))
    summary = document.own.document["summary"]
    every, *categories = found.rows
    assert every.category == grades.ALL
    assert (every.score, every.grade) == (f"{summary['overall_score']:.2f}", summary["grade"])
    assert {x.category: (x.score, x.grade, x.n) for x in categories} == {
        name: (f"{x['score']:.2f}", x["grade"], x["n"])
        for name, x in summary["categories"].items()
    }


def test_every_question_has_one_grade(session: Session) -> None:
    found = grades.of_run(session, RUN)
    assert found is not None
    every, *categories = found.rows
    assert every.n == sum(x.n for x in categories) == len(every.keys) == 25
    for place, keys in enumerate(every.graded):
        assert sorted(keys) == sorted(key for row in categories for key in row.graded[place])
    letters = {key: found.bands[at].letter for at, keys in enumerate(every.graded) for key in keys}
    read = cases.read(session.project, Wanted(scope=Scope(runs=(RUN,)), people=False))
    for key, (overall, _) in zip(read.keys, read.judged, strict=True):
        assert overall is not None
        expected = next(x for x, y in zip("ABCDF", (0.9, 0.8, 0.7, 0.6, 0), strict=True)
                        if round(overall, 9) >= y)  # fmt: skip
        assert letters[key] == expected
    of = {x.category: x.keys for x in categories}
    for evaluation in reading.evaluations(session.project.conn, every.keys):
        assert evaluation.key in of[evaluation.category or ""]


def test_a_row_says_itself_with_n(session: Session) -> None:
    found = grades.of_run(session, RUN)
    assert found is not None
    assert found.rows[0].sentence == (
        "All questions: 0.73 (73 %) C over 25 questions: 13 A, 2 B, 2 D, 8 F."
    )


def test_what_has_to_be_answered_first_is_not_opened(session: Session) -> None:
    found = grades.of_run(session, RUN)
    assert found is not None
    keys = found.rows[0].keys
    assert grades.seen(session, keys) == list(keys)
    blind = Session.open(session.project.path, "a new labeler")
    assert grades.seen(blind, keys) == []
    blind.close()


def test_another_rubric_has_no_grades(tmp_path: Path) -> None:
    path = projects.make_demo(tmp_path / "g.review", "guest-response", Silent())
    other = Session.open(path, "lead")
    assert grades.of_run(other, other.run_names()[0]) is None
    assert grades.of_run(other, "nowhere") is None
    other.close()
