"""What stands behind a report's figures, on the demo and on small projects."""

import json
import shlex
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.main import main
from reviewer.domain.errors import Silent
from reviewer.domain.run import Scope
from reviewer.reports.evidence import Evidence, Piece
from reviewer.reports.report import Report, Wanted
from reviewer.services.adjudicating import decisions
from reviewer.services.project import rubrics
from reviewer.services.project.session import Session
from reviewer.services.reporting import making
from reviewer.services.reporting.told_cases import pieces_of
from reviewer.services.upkeep import projects
from tests.building import build_project, record


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return projects.make_demo(tmp_path_factory.mktemp("e") / "d.review", None, Silent())


@contextmanager
def opened(path: Path) -> Iterator[Session]:
    session = Session.open(path, "lead")
    session.sees_all = True
    try:
        yield session
    finally:
        session.close()


def built(path: Path, **scope: Any) -> tuple[Report, Evidence]:
    with opened(path) as session:
        made = making.build(session.project, Wanted(scope=Scope(**scope)))
    assert made.evidence is not None
    return made, made.evidence


def test_it_says_who_labelled_how_chosen_and_how_blind(demo: Path) -> None:
    _, found = built(demo)
    one = found.measured
    assert (one.responses, one.labelled, one.labelers) == (73, 52, 3)
    assert one.drawn + one.chosen + one.unknown == one.labelled
    assert (one.drawn, one.chosen, one.blind) == (48, 4, 48)
    assert (str(one.first), str(one.last)) == ("2026-11-05", "2026-11-18")
    judge, *others = one.judges
    assert (judge.name, judge.is_judge, others) == ("deepseek-chat@v3", True, [])
    assert len(judge.prompts) == 3


def test_the_largest_differences_of_the_worst_metrics_come_first(demo: Path) -> None:
    made, found = built(demo, every_run=True)
    assert made.people is not None
    worst = [row.title for row in made.people.trust if row.state == "do_not_rely"]
    gaps = []
    for case in found.differing:
        (said,) = case.opinions
        assert said.title in worst
        assert isinstance(said.human, int | float)
        assert isinstance(said.judge, int | float)
        gaps.append(abs(said.human - said.judge))
        assert said.reasoning
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] == 4
    assert len({case.key for case in found.differing}) == len(gaps) == 5
    marked = [piece.text for case in found.differing for piece in case.response if piece.marked]
    assert "connecting the red cable to the blue one" in marked


def test_what_people_failed_is_never_best_and_nobody_is_both(demo: Path) -> None:
    for scope in ({}, {"every_run": True}):
        _, found = built(demo, **scope)
        assert all(case.passed is not False for case in found.best)
        assert not {x.key for x in found.best} & {x.key for x in found.worst}
        overalls = [case.people for case in found.best]
        assert None not in overalls
        assert overalls == sorted(overalls, key=lambda x: -(x or 0))
    assert found.worst[0].id == "c-0022"
    assert (found.worst[0].judged, found.worst[0].passed) == (True, False)


def test_the_best_are_told_with_what_was_computed_for_them(tmp_path: Path) -> None:
    values = {"exact_match": 0, "answer_length": 12, "relevance": 5}
    scores = [{"metric": name, "value": x, "scorer": "code"} for name, x in values.items()]
    path = build_project(
        tmp_path / "f.review",
        evaluations=[record(1, scores=scores)],
        rubric=rubrics.shipped()["faq-bot"],
    )
    (case,) = built(path)[1].best
    told = {one.metric: one.judge for one in case.opinions}
    assert {name: told[name] for name in values} == values
    # what people are asked for stands even where nobody gave it; what is only computed does not
    assert next(iter(told)) == "relevance"
    assert (told["faithfulness"], "politeness" in told) == (None, False)


def test_few_cases_are_best_or_worst_not_both(tmp_path: Path) -> None:
    records = [
        record(number, scores=[
            {"metric": name, "value": number + 2, "scorer": "judge"}
            for name in ("relevance", "accuracy", "safety")
        ])
        for number in range(3)
    ]  # fmt: skip
    _, found = built(build_project(tmp_path / "p.review", evaluations=records))
    assert [case.judge for case in found.best] == [4, 3]
    assert [case.judge for case in found.worst] == [2]
    assert {case.people for case in (*found.best, *found.worst)} == {None}


def test_causes_are_counted_with_their_share(tmp_path: Path) -> None:
    path = projects.make_demo(tmp_path / "d.review", None, Silent())
    before = built(path)[1].causes
    with opened(path) as session:
        keys = [case.key for case in built(path)[1].differing]
        for key in keys[:3]:
            decisions.record_cause(session, key, "accuracy", "judge_wrong")
        decisions.record_cause(session, keys[3], "accuracy", "rubric_unclear")
    found = built(path)[1].causes
    n = sum(one.n for one in found)
    assert n == sum(one.n for one in before) + 4
    first = found[0]
    assert (first.title, first.share.n) == ("judge wrong", n)
    assert first.share.value == pytest.approx(first.n / n)
    assert [one.n for one in found] == sorted((one.n for one in found), reverse=True)


def test_weeks_stand_with_what_changed(demo: Path) -> None:
    _, found = built(demo, every_run=True)
    accuracy = next(one for one in found.over_time if one.metric == "accuracy")
    assert len(accuracy.periods) == 9
    people = [one.people for one in accuracy.periods if one.people.value is not None]
    assert len(people) > 5
    assert all(x.low is not None and x.low <= (x.value or 0) <= (x.high or 0) for x in people)
    assert [one.words for one in accuracy.changes] == ["2026-11-18 agent v7"]
    assert built(demo)[1].over_time[0].changes == ()


def test_what_follows_from_labels_stands_over_time_with_them(tmp_path: Path) -> None:
    chats = projects.make_demo(tmp_path / "chats.review", "virtual-agent", Silent())
    over_time = {one.metric: one for one in built(chats)[1].over_time}
    satisfaction = over_time["user_satisfaction"].periods
    assert len(over_time) == 9
    assert sum(one.people.n for one in satisfaction) > 50


def test_the_commands_of_a_report_prove_its_figures(
    demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(demo.parent)
    _, found = built(demo, runs=("2026-11-04 agent v6",), blind_only=True)
    program, *words = shlex.split(found.origin.packet)
    assert program == "reviewer"
    words[2] = str(tmp_path / "a.zip")
    assert main(words) == 0
    with zipfile.ZipFile(tmp_path / "a.zip") as packet:
        manifest = json.loads(packet.read("manifest.json"))
    digests = {one["name"]: one["sha256"] for one in manifest["files"]}
    assert digests["figures.json"] == found.origin.sha256
    program, *words = shlex.split(found.origin.report)
    words[2] = str(tmp_path / "again.json")
    assert main(words) == 0
    again = json.loads((tmp_path / "again.json").read_text("utf-8"))
    assert again["made"]["sha256"] == found.origin.sha256


@pytest.mark.parametrize(
    ("spans", "wanted"),
    [
        ([], [Piece("one two three")]),
        ([(4, 7)], [Piece("one "), Piece("two", marked=True), Piece(" three")]),
        ([(0, 3), (2, 7)], [Piece("one", marked=True), Piece(" two", marked=True),
                            Piece(" three")]),
        ([(4, 99)], [Piece("one "), Piece("two three", marked=True)]),
    ],
)  # fmt: skip
def test_highlights_are_pieces(spans: list[tuple[int, int]], wanted: list[Piece]) -> None:
    assert list(pieces_of("one two three", spans)) == wanted


def test_of_a_long_text_what_was_highlighted_is_left() -> None:
    text = "a" * 2000 + "HERE" + "b" * 2000
    found = pieces_of(text, [(2000, 2004)])
    assert [piece.text for piece in found if piece.marked] == ["HERE"]
    assert (found[0].text, found[-1].text) == ("… ", " …")
    assert sum(len(piece.text) for piece in found) < 700


def test_categories_without_labels_and_what_does_not_count_are_missing(demo: Path) -> None:
    made, found = built(demo)
    assert found.measured.responses - found.measured.labelled == 21
    assert [one.words for one in found.not_counted] == [
        "deepseek-chat@v4 on 36 in 2026-11-18 agent v7"
    ]
    assert all(one.labelled <= 2 <= one.n for one in found.bare)
    assert made.figures is not None
