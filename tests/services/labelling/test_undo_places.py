"""What an undo brings back stands where it stood: among people, rounds, texts and imports."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import Silent
from reviewer.services.adjudicating import decisions
from reviewer.services.adjudicating.decisions import decide, withdraw_decision
from reviewer.services.figures import statistics
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.labelling import entering, undo
from reviewer.services.listing import listing
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.queues import bulk_acts, making, profiles, working
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.transfer import importing, undoing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import deciding, exclusions, labels, marks, repeats, states, tags
from tests.building import RUBRIC, build_project, record

METRICS = [metric.name for metric in RUBRIC.metrics]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A project that Lea and Max lead, who see everything, and where Ann labels."""
    made = build_project(tmp_path / "small.review", evaluations=6)
    with closing(Session.open(made, "lea")) as lea:
        entering.toggle_flag(lea, 6)
        profiles.add(lea, "max", role="lead")
        profiles.add(lea, "ann")
    return made


@contextmanager
def at_work(path: Path, name: str, *, blind: bool = False) -> Iterator[Session]:
    with closing(Session.open(path, name)) as session:
        session.blind = blind
        yield session


def human(path: Path, **options: str) -> float | None:
    """The human score of the first response's accuracy, as `stats` has it."""
    with at_work(path, "lea") as session:
        document = statistics.compute(
            session.project, StatsRequest(options=tuple(options.items()))
        )
    return document.metrics["accuracy"].gaps.human_mean


def test_another_leads_later_decision_stays_the_latest(path: Path) -> None:
    with at_work(path, "lea") as lea, at_work(path, "max") as other:
        decide(lea, 1, "accuracy", 2)
        decide(other, 1, "accuracy", 5)
        decide(lea, 1, "accuracy", 3)
        assert human(path) == 3
        undo.undo(lea)
        assert human(path) == 5
        withdraw_decision(lea, 1, "accuracy")
        undo.undo(lea)
        assert human(path) == 5
        withdraw_decision(other, 1, "accuracy")
        assert human(path) == 2
        undo.undo(other)
        undo.redo(lea)
        # what is done again is the latest as it was when it was done first
        assert human(path) == 5
    with at_work(path, "lea") as later:
        undo.undo(later)
        undo.redo(later)
        undo.redo(later)
    assert human(path) == 5


def test_the_latest_label_stays_the_latest(path: Path) -> None:
    latest = {"label_combine": "latest"}
    with at_work(path, "lea") as lea, at_work(path, "ann") as ann:
        entering.commit(lea, 1, "accuracy", 2)
        entering.commit(ann, 1, "accuracy", 5)
        entering.comment(lea, 1, "accuracy", "on second thoughts")
        assert human(path, **latest) == 5
        entering.commit(lea, 1, "accuracy", 3)
        assert human(path, **latest) == 3
        undo.undo(lea)
        assert human(path, **latest) == 5
        entering.withdraw(lea, 1, "accuracy")
        undo.undo(lea)
        assert human(path, **latest) == 5
        assert reading.view(lea, 1).own["accuracy"].comment == "on second thoughts"


def test_a_decision_brought_back_is_no_newer_than_the_labels(path: Path) -> None:
    with at_work(path, "lea") as lea, at_work(path, "ann") as ann:
        decide(lea, 1, "accuracy", 2)
        entering.commit(ann, 1, "accuracy", 5)
        decide(lea, 1, "accuracy", 3)
        conn = lea.project.conn
        metric = labels.metric_key(conn, "accuracy")
        assert deciding.decisions(conn, metric) == {1: (3, False)}
        undo.undo(lea)
        assert deciding.decisions(conn, metric) == {1: (2, True)}


def test_another_leads_later_cause_stays_the_one_that_stands(path: Path) -> None:
    with at_work(path, "lea") as lea, at_work(path, "max") as other:
        decisions.record_cause(lea, 1, "accuracy", "human_slip")
        decisions.record_cause(other, 1, "accuracy", "judge_wrong")
        decisions.record_cause(lea, 1, "accuracy", "rubric_unclear")
        undo.undo(lea)
        (found,) = deciding.causes(lea.project.conn)
        assert (found.mark.value, found.mark.labeler) == ("judge_wrong", "max")
        undo.redo(lea)
        (found,) = deciding.causes(lea.project.conn)
        assert (found.mark.value, found.mark.labeler) == ("rubric_unclear", "lea")


def test_a_question_that_was_answered_comes_back_answered(path: Path) -> None:
    with at_work(path, "lea") as lea, at_work(path, "ann") as ann:
        decisions.ask(lea, 1, "accuracy", "ann", "why?")
        entering.comment(ann, 1, "accuracy", "because")
        assert [x.answered for x in decisions.of_evaluation(lea, 1)] == [True]
        decisions.withdraw_question(lea, 1, "accuracy")
        undo.undo(lea)
        assert [x.answered for x in decisions.of_evaluation(lea, 1)] == [True]
        undo.undo(ann)
        assert [x.answered for x in decisions.of_evaluation(lea, 1)] == [False]
        entering.commit(ann, 1, "accuracy", 3)
        undo.undo(ann)
        assert [x.answered for x in decisions.of_evaluation(lea, 1)] == [False]


def test_a_press_on_a_clock_that_went_back_is_undone_like_any(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter(f"2026-11-20T{hour:02}:00:00.000Z" for hour in (15, 14, 13, 12, 11, 10))
    monkeypatch.setattr(labels, "now_text", lambda: next(times))
    with at_work(path, "lea") as lea, at_work(path, "max") as other:
        decide(lea, 1, "accuracy", 2)
        decide(other, 1, "accuracy", 5)
        assert human(path) == 2
        decide(lea, 1, "accuracy", 3)
        undo.undo(lea)
        assert human(path) == 2
        withdraw_decision(lea, 1, "accuracy")
        assert human(path) == 5
        undo.undo(lea)
        assert human(path) == 2


@pytest.fixture
def repeated(path: Path) -> Path:
    """Ann gets the first two responses, and the first of them once more at the end."""
    with at_work(path, "lea") as lea:
        making.create(
            lea,
            QueuePlan(
                name="Twice", sampling=Sampling.CHOSEN, keys=(1, 2), labelers=("ann",), repeats=0.5
            ),
        )
    return path


def enter(session: Session) -> None:
    listing.enter(session, listing.build(session, queue="Twice"))


def answer(session: Session, key: int, value: int) -> None:
    for metric in METRICS:
        entering.commit(session, key, metric, value)


def begun(session: Session) -> list[int]:
    rows = session.project.conn.execute("SELECT evaluation FROM queue_items WHERE since > 0")
    return [key for (key,) in rows]


def state(session: Session, key: int) -> states.State:
    return states.read(session.project.conn, session.labeler.key, key)


def test_the_first_answer_stands_again_where_the_one_of_a_repeat_is_undone(
    repeated: Path,
) -> None:
    with at_work(repeated, "ann", blind=True) as ann:
        enter(ann)
        answer(ann, 1, 4)
        answer(ann, 2, 3)
        enter(ann)
        (again,) = begun(ann)
        first = human_of(repeated, again)
        entering.commit(ann, again, "accuracy", 1)
        assert (human_of(repeated, again), state(ann, again).answered) == (1, 1)
        undo.undo(ann)
        # figures have the first answer, and Ann is to give another one without seeing it
        assert (human_of(repeated, again), state(ann, again).answered) == (first, 0)
        view = reading.view(ann, again)
        assert (view.own, view.history[-1].kind, view.hidden) == ({}, "label", True)
        assert {x.value for x in view.history} == {1}
        with ann.project.write() as conn:
            before = state(ann, again)
            states.refresh(conn, [again])
        assert state(ann, again) == before
        undo.redo(ann)
        assert (human_of(repeated, again), state(ann, again).answered) == (1, 1)


def human_of(path: Path, key: int) -> float | None:
    with at_work(path, "lea") as lea:
        bulk_acts.exclude(lea, [x for x in range(1, 7) if x != key], "others")
        found = statistics.compute(lea.project, StatsRequest()).metrics["accuracy"].gaps.human_mean
        bulk_acts.include(lea, range(1, 7))
    return found


def test_a_repeat_waits_again_where_the_answer_before_it_is_undone(repeated: Path) -> None:
    with at_work(repeated, "ann", blind=True) as ann:
        enter(ann)
        answer(ann, 1, 4)
        for metric in METRICS[:2]:
            entering.commit(ann, 2, metric, 3)
        before = [state(ann, key)._replace(revealed=False) for key in (1, 2)]
        assert begun(ann) == []
        entering.commit(ann, 2, "safety", 5)
        # Ann looked at 2 when its last answer came, so that 1 is asked once more
        assert begun(ann) == [1]
        assert not state(ann, 1).complete
        undo.undo(ann)
        assert begun(ann) == []
        assert [state(ann, key)._replace(revealed=False) for key in (1, 2)] == before
        undo.redo(ann)
        assert begun(ann) == [1]
        entering.commit(ann, 1, "safety", 2)
        undo.undo(ann)
        undo.undo(ann)
        assert begun(ann) == []


def test_a_skip_of_an_earlier_round_is_none_of_this_one(repeated: Path) -> None:
    with at_work(repeated, "ann", blind=True) as ann:
        enter(ann)
        entering.toggle_skip(ann, 1)
        answer(ann, 1, 4)
        answer(ann, 2, 3)
        enter(ann)
        (again,) = begun(ann)
        assert again == 1
        entering.toggle_skip(ann, again)
        assert state(ann, again).skipped
        undo.undo(ann)
        assert not state(ann, again).skipped
        with ann.project.write() as conn:
            states.refresh(conn, [again])
        assert not state(ann, again).skipped


def test_an_undone_answer_is_no_second_one_and_was_never_given_unseen(path: Path) -> None:
    with at_work(path, "ann", blind=True) as ann:
        entering.commit(ann, 1, "accuracy", 4)
        entering.commit(ann, 1, "accuracy", 2)
        undo.undo(ann)
        entering.commit(ann, 2, "accuracy", 3)
        undo.undo(ann)
        found = repeats.read_relabels(ann.project)
        assert (list(found.evaluations), found.values) == ([1], [4])
        for act in (undo.redo, undo.undo, undo.undo, undo.redo, undo.redo):
            act(ann)
        assert repeats.read_relabels(ann.project).values == [4, 3]
        undo.undo(ann)
        unseen = labels.unseen(ann.project.conn, "accuracy", [1, 2])
        assert unseen == {(1, ann.labeler.key): 4, (2, ann.labeler.key): None}


def test_a_flag_taken_off_comes_back_on_the_metrics_that_had_it(
    path: Path, tmp_path: Path
) -> None:
    flags = [
        {"kind": "flag", "labeler": "ann", "metric": metric, "at": "2026-11-01"}
        for metric in METRICS[:2]
    ]
    with at_work(path, "ann") as ann:
        imported(ann, tmp_path, record(1, run="agent v7", marks=flags))
        before = [x.mark.metric for x in marks.current(ann.project.conn, 1)]
        assert (state(ann, 1).flagged, before) == (True, METRICS[:2])
        entering.toggle_flag(ann, 1)
        assert (state(ann, 1).flagged, marks.current(ann.project.conn, 1)) == (False, [])
        undo.undo(ann)
        after = [x.mark.metric for x in marks.current(ann.project.conn, 1)]
        assert (state(ann, 1).flagged, after) == (True, before)
        with ann.project.write() as conn:
            states.refresh(conn, [1])
        assert state(ann, 1).flagged


def test_a_lead_takes_their_own_cause_back_beneath_another_ones(path: Path) -> None:
    with at_work(path, "lea") as lea, at_work(path, "max") as other:
        decisions.record_cause(lea, 1, "accuracy", "human_slip")
        decisions.record_cause(other, 1, "accuracy", "judge_wrong")
        decisions.withdraw_cause(lea, 1, "accuracy")
        (found,) = deciding.causes(lea.project.conn)
        assert found.mark.value == "judge_wrong"
        decisions.withdraw_cause(other, 1, "accuracy")
        assert deciding.causes(lea.project.conn) == []
        undo.undo(lea)
        (found,) = deciding.causes(lea.project.conn)
        assert found.mark.value == "human_slip"


def imported(session: Session, tmp_path: Path, *records: dict[str, Any], **more: Any) -> int:
    file = tmp_path / "more.jsonl"
    file.write_text("".join(json.dumps(x) + "\n" for x in records), encoding="utf-8")
    request = ImportRequest((file,), **more)
    report = importing.run(session.project, request, Silent())
    return report.imports[0]


def test_a_label_brought_back_was_given_to_the_text_of_then(path: Path, tmp_path: Path) -> None:
    with at_work(path, "ann") as ann:
        entering.commit(ann, 1, "accuracy", 4)
        changed = record(1, run="agent v7", response="Another answer.")
        imported(ann, tmp_path, changed, on_conflict="version")
        entering.commit(ann, 1, "accuracy", 2)
        undo.undo(ann)
        query = "SELECT l.revision FROM current_labels c JOIN labels l ON l.id = c.label"
        assert ann.project.conn.execute(query).fetchall() == [(1,)]


def test_a_tag_that_was_undone_leaves_a_later_record_alone(path: Path, tmp_path: Path) -> None:
    with at_work(path, "lea") as lea:
        bulk_acts.tag(lea, [1], "pool")
        undo.undo(lea)
        changed = record(1, run="agent v7", tags=["pool"])
        imported(lea, tmp_path, changed, on_conflict="replace")
        assert tags.of(lea.project.conn, [1]) == {"pool"}
        bulk_acts.untag(lea, [1], "pool")
        undo.undo(lea)
        undo.redo(lea)
        imported(lea, tmp_path, changed | {"response": "x"}, on_conflict="replace")
        assert tags.of(lea.project.conn, [1]) == set()


def test_an_exclusion_brought_back_goes_with_the_import_that_brought_it(
    path: Path, tmp_path: Path
) -> None:
    with at_work(path, "lea") as lea:
        fields = record(1, run="agent v7", excluded={"reason": "spam"})
        number = imported(lea, tmp_path, fields)
        bulk_acts.include(lea, [1])
        undo.undo(lea)
        assert exclusions.of(lea.project.conn, [1])[1].reason == "spam"
        undoing.undo_import(lea.project, number)
        assert exclusions.of(lea.project.conn, [1]) == {}


def test_a_deleted_queue_comes_back_as_it_was(repeated: Path) -> None:
    with at_work(repeated, "lea") as lea:
        before = lea.project.conn.execute("SELECT * FROM queue_items").fetchall()
        working.delete(lea, working.find(lea, "Twice"))
        undo.undo(lea)
        assert lea.project.conn.execute("SELECT * FROM queue_items").fetchall() == before
