"""Whose scores count in a run, told with coverage; naming another version, and taking it back."""

from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.errors import LabelError, ReviewerError
from reviewer.services.figures import run_records
from reviewer.services.figures.run_records import MetricRecord, RunRecords, Wish
from reviewer.services.labelling import undo
from reviewer.services.project.session import Session
from reviewer.services.queues import bulk_acts, profiles
from tests.building import build_project, undone
from tests.two_versions import OLDER, RUN, evaluation, repeated_project, score, versions_project


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return versions_project(tmp_path / "two.review")


def read(path: Path, run: str = RUN, labeler: str = "ann") -> RunRecords:
    with closing(Session.open(path, labeler)) as session:
        return run_records.of_run(session, run)


def of(found: RunRecords, metric: str) -> MetricRecord:
    return next(x for x in found.metrics if x.metric.name == metric)


def name(path: Path, wish: Wish, labeler: str = "ann") -> str:
    with closing(Session.open(path, labeler)) as session:
        return run_records.name(session, wish)


def make_lead(path: Path, *names: str) -> None:
    with closing(Session.open(path, "ann")) as session:
        for one in names:
            profiles.add(session, one, role="lead")


def wish(found: RunRecords, version: str, *metrics: str, with_repeats: bool = False) -> Wish:
    entries = {x: of(found, x).entry for x in metrics}
    return Wish(run=found.run, version=version, metrics=entries, with_repeats=with_repeats)


def test_every_metric_has_its_version_with_coverage_and_what_does_not_count(path: Path) -> None:
    found = read(path)
    assert [x.metric.name for x in found.metrics] == ["relevance", "accuracy", "safety"]
    accuracy = of(found, "accuracy")
    assert run_records.coverage(accuracy.found) == "judge@1 on 12 of 12"
    assert run_records.not_counted(accuracy.found) == "judge@2 on 6"
    assert [(x.name, n) for x, n in accuracy.versions] == [("judge@1", 12), ("judge@2", 6)]
    assert (accuracy.kind, accuracy.found.by) == ("fixed", None)
    assert found.may_lead


def test_a_named_version_counts_in_its_run_alone_and_undo_brings_the_first_back(
    path: Path,
) -> None:
    said = name(path, wish(read(path), "judge@2", "accuracy"))
    assert said == (
        "What counts now in agent v7 is judge@2 on 6 of 12 for Accuracy. "
        "Undo brings back what counted before."
    )
    now = of(read(path), "accuracy")
    assert (now.counting, now.kind, now.found.by, now.found.n) == ("judge@2", "named", "ann", 6)
    assert of(read(path, OLDER), "accuracy").counting == "judge@1"
    assert of(read(path), "safety").counting == "judge@1"
    with closing(Session.open(path, "ann")) as session:
        assert undone(session) == "judge@2 counts for accuracy of agent v7"
    back = of(read(path), "accuracy")
    assert (back.counting, back.kind, back.found.by) == ("judge@1", "undone", "ann")
    assert [x.kind for x in read(path).history if x.metric == "accuracy"] == [
        "fixed", "named", "undone",
    ]  # fmt: skip
    assert {x.run for x in read(path).history} == {RUN}


def test_a_version_for_every_metric_it_scored_is_one_act(path: Path) -> None:
    found = read(path)
    assert {x: len(y) for x, y in found.spread().items()} == {"judge@2": 3}
    said = name(path, wish(found, "judge@2", "relevance", "accuracy", "safety"))
    assert said.startswith("What counts now in agent v7 is judge@2 on 6 of 12. ")
    assert set(read(path).spread()) == {"judge@1"}
    with closing(Session.open(path, "ann")) as session:
        undo.undo(session)
    assert {x.counting for x in read(path).metrics} == {"judge@1"}


def test_whoever_saw_something_else_is_told_who_changed_it(path: Path) -> None:
    make_lead(path, "ben")
    seen = read(path)
    name(path, wish(seen, "judge@2", "accuracy"), "ann")
    with pytest.raises(ReviewerError, match="ann named another version meanwhile"):
        name(path, wish(seen, "judge@1", "accuracy"), "ben")
    # nothing is named for the others either: it is one act
    with pytest.raises(ReviewerError, match="meanwhile"):
        name(path, wish(seen, "judge@2", "relevance", "accuracy"), "ben")
    assert of(read(path), "relevance").counting == "judge@1"
    name(path, wish(read(path), "judge@1", "accuracy"), "ben")
    assert of(read(path), "accuracy").found.by == "ben"


def test_who_named_where_nothing_stood_is_told_too(tmp_path: Path) -> None:
    path = build_project(tmp_path / "none.review", evaluations=3)
    with closing(Session.open(path, "ann")) as session, session.project.write() as conn:
        conn.execute("DELETE FROM records")
    make_lead(path, "ben")
    seen = read(path, "agent v7")
    assert of(seen, "accuracy").entry == run_records.NOTHING
    assert of(seen, "accuracy").found.reason == "no whole set of scores yet"
    assert run_records.not_counted(of(seen, "accuracy").found) == "judge on 3"
    name(path, wish(seen, "judge", "accuracy"), "ann")
    with pytest.raises(ReviewerError, match="ann named another version meanwhile"):
        name(path, wish(seen, "judge", "accuracy"), "ben")


def test_repeats_are_offered_where_there_are_some_and_counted_by_the_rubric(
    tmp_path: Path,
) -> None:
    path = repeated_project(tmp_path / "again.review")
    found = read(path)
    assert of(found, "accuracy").repeated == {"judge@1"}
    assert of(found, "safety").repeated == frozenset()
    said = name(path, wish(found, "judge@1", "accuracy", with_repeats=True))
    assert "judge@1 with its repeats on 12 of 12 for Accuracy" in said
    assert of(read(path), "accuracy").found.with_repeats


def test_only_a_lead_names_a_version(path: Path) -> None:
    with closing(Session.open(path, "lena")) as session:
        profiles.add(session, "lena", role="lead")
    found = read(path, labeler="ann")
    assert not found.may_lead
    with pytest.raises(LabelError, match="Only a lead can name the version"):
        name(path, wish(found, "judge@2", "accuracy"), "ann")
    assert read(path, labeler="lena").may_lead


@pytest.mark.parametrize("version", ["a & b", "<b>1</b>", "v 1 strict=no", "\u202e1", "1@2@3"])
def test_a_version_may_be_called_anything(tmp_path: Path, version: str) -> None:
    rows = [
        evaluation(n, scores=[score("accuracy", 5), score("accuracy", 2, version)])
        for n in range(1, 4)
    ]
    path = build_project(tmp_path / "odd.review", evaluations=rows, runs=(RUN,))
    called = next(x.name for x, _ in of(read(path), "accuracy").versions if x.version == version)
    name(path, wish(read(path), called, "accuracy"))
    assert of(read(path), "accuracy").counting == called


def test_a_run_that_is_gone_is_told(path: Path) -> None:
    with pytest.raises(ReviewerError, match="no run 'nowhere'"):
        read(path, "nowhere")


def test_an_excluded_response_counts_in_no_coverage(tmp_path: Path) -> None:
    path = build_project(tmp_path / "out.review", evaluations=4)
    with closing(Session.open(path, "ann")) as session:
        bulk_acts.exclude(session, [1], "a test")
    assert run_records.coverage(of(read(path, "agent v7"), "accuracy").found) == (
        "judge on 3 of 3"
    )
