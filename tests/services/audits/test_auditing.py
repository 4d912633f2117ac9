"""The evaluations behind a figure are those that the figure counts."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from reviewer.domain.errors import CancelledError, Silent
from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.services.adjudicating import cases
from reviewer.services.audits import auditing
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.project.sight import hidden_among
from reviewer.services.queues import making
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.upkeep import projects
from tests.building import build_project, record

METRICS = ("relevance", "accuracy", "safety")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return projects.make_demo(tmp_path_factory.mktemp("audit") / "demo.review", None, Silent())


@pytest.fixture
def session(demo: Path) -> Iterator[Session]:
    with closing(Session.open(demo, "labeler 1")) as opened:
        yield opened


def given(value: int, *, labeler: str = "bo", blind: bool = True) -> list[dict[str, object]]:
    return [
        {"metric": name, "labeler": labeler, "value": value, "blind": blind, "kind": "label"}
        for name in METRICS
    ]


@pytest.mark.parametrize("blind_only", [False, True])
def test_every_cell_holds_what_has_a_part_in_it(session: Session, blind_only: bool) -> None:
    audit = auditing.compute(session, StatsRequest(scope=Scope(blind_only=blind_only)))
    assert set(audit.pairs) == set(audit.document.metrics) == set(METRICS)
    for name, block in audit.document.metrics.items():
        pairs = audit.pairs[name]
        given_ = np.bincount(pairs.label_pairs, minlength=pairs.keys.size)
        for row in range(5):
            for column in range(5):
                there = pairs.in_cell(row, column)
                mine = (pairs.label_rows == row) & there[pairs.label_pairs]
                parts = (1 / given_[pairs.label_pairs[mine]]).sum()
                assert block.confusion.table[row][column] == pytest.approx(parts)
                assert bool(there.any()) == (block.confusion.table[row][column] > 0)
        columns = np.logical_or.reduce([pairs.in_cell(None, x) for x in range(5)])
        assert columns.tolist() == pairs.counted.tolist()
        same = pairs.same()[pairs.in_table()]
        assert block.judge_human["percent"] == pytest.approx(same.mean())


def test_the_table_of_majorities_opens_those_with_one(session: Session) -> None:
    request = StatsRequest(options=(("label_table", "majority"),))
    audit = auditing.compute(session, request)
    for name, block in audit.document.metrics.items():
        pairs = audit.pairs[name]
        found = [
            [float(pairs.in_cell(row, column).sum()) for column in range(5)] for row in range(5)
        ]
        assert found == [list(row) for row in block.confusion.table]
        left = int((pairs.counted & ~pairs.in_table()).sum())
        assert left == block.judge_human.n_no_majority == block.judge_human.n - int(np.sum(found))


def test_what_somebody_chose_is_in_no_cell_gap_or_figure(tmp_path: Path) -> None:
    ways = ("random", "browse", "disputed", "imported")
    records = [
        record(
            n,
            scores=[{"metric": "accuracy", "value": 4, "scorer": "judge"}],
            labels=[one | {"selection_reason": ways[n % 4]} for one in given(n % 5 + 1)],
        )
        for n in range(1, 41)
    ]
    path = build_project(tmp_path / "p.review", evaluations=records)
    with closing(Session.open(path, "ann")) as own:
        own.blind = False
        for preset in ("published", "recommended"):
            audit = auditing.compute(own, StatsRequest(preset=preset))
            table = audit.frame.table.metrics["accuracy"]
            inside = audit.frame.inside(table) & table.both
            kept = int((inside & audit.frame.counted).sum())
            pairs, block = audit.pairs["accuracy"], audit.document.metrics["accuracy"]
            assert (block.judge_human.n, block.judge_human.n_chosen) == (20, 20)
            assert int(pairs.counted.sum()) == int(pairs.in_table().sum()) == 20
            assert sum(int(pairs.in_cell(row, 3).sum()) for row in range(5)) == 20
            # the band of the published preset leaves nothing out
            made = int(inside.sum()) if preset == "published" else kept
            assert sum(n for _, n in pairs.histogram()) == made
            assert block.gaps.deviations.n_labelled == made
            assert block.gaps.n_chosen == int(inside.sum()) - made
            # what differs is still there to be listed
            assert int((pairs.gaps != 0).sum()) == 32


def test_the_histogram_holds_the_gaps_of_the_window(session: Session) -> None:
    audit = auditing.compute(session, StatsRequest(scope=Scope(window_months=1)))
    for name, block in audit.document.metrics.items():
        gaps = audit.pairs[name].histogram()
        assert sum(n for _, n in gaps) == block.gaps.deviations.n_labelled
        mean = block.gaps.deviations.gap_mean
        assert mean is not None
        assert sum(gap * n for gap, n in gaps) == pytest.approx(
            mean * block.gaps.deviations.n_labelled, abs=1e-6
        )


def test_the_largest_gaps_come_first(session: Session) -> None:
    pairs = auditing.compute(session, StatsRequest()).pairs["accuracy"]
    assert not pairs.seen.all()
    found = pairs.by_gap(pairs.seen)
    sizes = np.abs(pairs.gaps[found])
    assert (np.diff(sizes) <= 1e-9).all()
    session.blind = False
    everything = auditing.compute(session, StatsRequest()).pairs["accuracy"]
    assert everything.seen.all()
    assert everything.by_gap(everything.seen).size > found.size


def test_own_answers_on_hidden_evaluations_count_later(tmp_path: Path) -> None:
    records = [record(n, labels=given(3)) for n in range(1, 6)]
    path = build_project(tmp_path / "blind.review", evaluations=records)
    with closing(Session.open(path, "ann")) as session:
        before = auditing.compute(session, StatsRequest())
        entering.commit(session, 1, "accuracy", 1)
        middle = auditing.compute(session, StatsRequest())
        assert middle.pairs["accuracy"].human.tolist() == before.pairs["accuracy"].human.tolist()
        for name in ("relevance", "safety"):
            entering.commit(session, 1, name, 1)
        after = auditing.compute(session, StatsRequest())
    assert after.pairs["accuracy"].human[0] == 2.0
    assert (before.unseen, after.unseen) == (5, 4)


def test_what_an_open_blind_queue_asks_is_hidden_until_it_is_answered(tmp_path: Path) -> None:
    path = build_project(tmp_path / "queue.review", evaluations=20)
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        assert hidden_among(session, range(1, 21)) == frozenset()
        making.create(session, QueuePlan(name="Q", sampling=Sampling.RANDOM, n=5))
        asked = session.sealed
        assert len(asked) == 5
        assert hidden_among(session, range(1, 21)) == asked
        one = min(asked)
        for metric in session.rubric_of(one).labelled_metrics:
            entering.commit(session, one, metric.name, 3)
        assert hidden_among(session, range(1, 21)) == asked - {one}
        assert hidden_among(session, ()) == frozenset()


def test_opinions_hold_back_what_is_hidden(tmp_path: Path) -> None:
    path = build_project(tmp_path / "o.review", evaluations=[record(1, labels=given(3))])
    with closing(Session.open(path, "ann")) as session:
        hidden = cases.case(session, 1, "accuracy", "judge")
        assert hidden.score is None
        assert hidden.people == ()
        session.blind = False
        shown = cases.case(session, 1, "accuracy", "judge")
    assert shown.score is not None
    assert (shown.score.value, shown.score.reasoning) == (3, "so")
    assert [(x.labeler, x.value) for x in shown.people] == [("bo", 3)]


def test_categories_have_cells_and_no_gaps(tmp_path: Path) -> None:
    rubric = Rubric(
        name="sides",
        metrics=(Metric(name="better", scale="categorical", values=("a", "b", "tie")),),
    )
    records = [
        {
            "id": f"x-{n}",
            "input": "which?",
            "scores": [{"metric": "better", "value": auto, "scorer": "judge"}],
            "labels": [{"metric": "better", "labeler": "bo", "value": human, "kind": "label"}],
        }
        for n, (auto, human) in enumerate([("a", "a"), ("a", "b"), ("tie", "b")])
    ]
    path = build_project(tmp_path / "c.review", evaluations=records, rubric=rubric)
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        audit = auditing.compute(session, StatsRequest())
        pairs = audit.pairs["better"]
        assert pairs.histogram() == ()
        assert pairs.by_gap(pairs.seen).size == 3
    assert int(pairs.in_cell(1, 2).sum()) == 1


def test_a_scale_without_levels_has_no_cells(tmp_path: Path) -> None:
    rubric = Rubric(name="open", metrics=(Metric(name="share", scale="range", min=0, max=1),))
    made = {
        "id": "x",
        "input": "?",
        "scores": [{"metric": "share", "value": 0.5, "scorer": "judge"}],
        "labels": [{"metric": "share", "labeler": "bo", "value": 0.25, "kind": "label"}],
    }
    path = build_project(tmp_path / "r.review", evaluations=[made], rubric=rubric)
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        audit = auditing.compute(session, StatsRequest())
    assert audit.document.metrics["share"].confusion.table == ()
    assert audit.pairs["share"].histogram() == ((-0.25, 1),)


def test_an_unnamed_level_is_listed_by_its_value(tmp_path: Path) -> None:
    levels = tuple(Level(value=value) for value in (0, 0.5, 1))
    rubric = Rubric(name="halves", metrics=(Metric(name="grade", levels=levels),))
    made = {
        "id": "x",
        "input": "?",
        "scores": [{"metric": "grade", "value": 0, "scorer": "judge"}],
        "labels": [{"metric": "grade", "labeler": "bo", "value": 0.5, "kind": "label"}],
    }
    path = build_project(tmp_path / "h.review", evaluations=[made], rubric=rubric)
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        audit = auditing.compute(session, StatsRequest())
        pairs = audit.pairs["grade"]
    assert (pairs.auto[0], pairs.human[0], pairs.gaps[0]) == (0, 0.5, 0.5)


def test_choices_name_everything_of_the_project(session: Session) -> None:
    found = auditing.scope_choices(session)
    assert found.runs[-1] == "2026-11-18 agent v7"
    assert "labeler 2" in found.labelers
    assert "policies" in found.categories
    assert found.scorers == ("deepseek-chat@v3", "deepseek-chat@v4")


def test_what_nobody_waits_for_stops_at_the_next_metric(session: Session) -> None:
    class Impatient(Silent):
        cancelled = True

    with pytest.raises(CancelledError):
        auditing.compute(session, StatsRequest(), Impatient())


def test_few_responses_that_are_still_hidden_enter_no_figure(tmp_path: Path) -> None:
    records = [
        record(n, category="rare" if n < 4 else "usual", labels=given(2)) for n in range(1, 13)
    ]
    with closing(Session.open(build_project(tmp_path / "few.review", evaluations=records))) as own:
        own.blind = True

        def audit(*categories: str) -> auditing.Audit:
            scope = Scope(viewer=own.labeler.name, categories=categories)
            return auditing.compute(own, StatsRequest(scope=scope))

        rare = audit("rare")
        assert (rare.evaluations, rare.withheld, rare.unseen) == (0, 3, 3)
        gaps = rare.document.metrics["accuracy"].gaps
        assert (gaps.auto_mean, gaps.human_mean) == (None, None)
        assert (audit().evaluations, audit().withheld) == (12, 0)
        for metric in METRICS:
            entering.commit(own, 1, metric, 3)
        assert (audit("rare").evaluations, audit("rare").withheld) == (1, 2)
        own.blind = False
        assert (audit("rare").evaluations, audit("rare").withheld) == (3, 0)
