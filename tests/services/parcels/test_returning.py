"""What happened here while a package was out, and what it does to the answers that come back."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import Silent
from reviewer.services.adjudicating import decisions
from reviewer.services.figures.listed_scores import humans_of
from reviewer.services.labelling import entering, undo
from reviewer.services.parcels import merging, packing
from reviewer.services.project import rubrics
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles, working
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import labels, reading
from reviewer.store.project import Project
from tests.services.parcels.sending import METRICS, current, label, merged, pack, records


def draws(lead: Path) -> list[tuple[str, str, float | None]]:
    """Who labelled, and how their evaluations were drawn."""
    session = Session.open(lead, "Lead")
    rows = session.project.conn.execute(
        "SELECT DISTINCT p.name, l.selection_reason, l.selection_prob FROM labels l "
        "JOIN labelers p ON p.id = l.labeler WHERE p.name LIKE 'Ann%'"
    ).fetchall()
    session.close()
    return rows


def blinds(lead: Path) -> dict[tuple[str, Any], int | None]:
    """Whether Ann's labels were given unseen, by id and value."""
    session = Session.open(lead, "Lead")
    rows = session.project.conn.execute(
        "SELECT e.ext_id, l.value, l.blind FROM labels l "
        "JOIN evaluations e ON e.id = l.evaluation JOIN labelers p ON p.id = l.labeler "
        "WHERE p.name = 'Ann'"
    ).fetchall()
    session.close()
    return {(name, value): blind for name, value, blind in rows}


def drawn_package(lead: Path, to: Path, **more: Any) -> Path:
    session = Session.open(lead, "Lead")
    plan = QueuePlan(name="Drawn", sampling=Sampling.RANDOM, n=3, labelers=("Ann",), seed=2)
    making.create(session, plan)
    packing.make(session, to, queue="Drawn", labeler="Ann", blind=True, **more)
    session.close()
    return to


def answer_all(package: Path, value: int) -> None:
    session = Session.open(package)
    for (key,) in session.project.conn.execute("SELECT id FROM evaluations").fetchall():
        for metric in METRICS:
            entering.commit(session, key, metric, value)
    session.close()


@pytest.mark.parametrize("change", ["rename", "delete", "replace"])
def test_a_queue_may_change_while_its_package_is_out(
    lead: Path, tmp_path: Path, change: str
) -> None:
    package = drawn_package(lead, tmp_path / "drawn.review")
    answer_all(package, 4)
    session = Session.open(lead, "Lead")
    queue = working.find(session, "Drawn")
    if change == "rename":
        working.rename(session, queue, "Week 47")
    else:
        working.delete(session, queue)
    if change == "replace":
        making.create(
            session, QueuePlan(name="Drawn", sampling=Sampling.RANDOM, n=2, labelers=("Ann",))
        )
    session.close()
    assert merged(lead, package).labels == 9
    assert draws(lead) == [("Ann", "random", 0.5)]


def test_only_the_lead_knows_how_evaluations_were_drawn(lead: Path, tmp_path: Path) -> None:
    package = pack(lead, tmp_path / "ann.review").file
    label(package, 4, "c-0")
    with Project.open(package) as inside, inside.write() as conn:
        conn.execute("UPDATE labels SET selection_reason = 'random', selection_prob = 0.001")
    before = draws(lead)
    merged(lead, package)
    assert before == []
    assert [chance for _, _, chance in draws(lead)] == [None]


def test_a_labeler_may_be_renamed_while_their_package_is_out(lead: Path, tmp_path: Path) -> None:
    package = drawn_package(lead, tmp_path / "drawn.review")
    answer_all(package, 4)
    early = tmp_path / "early.review"
    shutil.copy(package, early)
    assert merged(lead, early).labels == 9
    session = Session.open(lead, "Lead")
    profiles.change(session, "Ann", new_name="Anna")
    session.close()
    answer_all(package, 2)
    found = merged(lead, package)
    assert found.labeler == "Anna"
    assert (found.labels, found.known) == (9, 9)
    assert set(current(lead, "Anna").values()) == {2}
    assert {name for name, *_ in draws(lead)} == {"Anna"}


def test_an_answer_taken_back_in_a_package_takes_no_decision_back(
    lead: Path, tmp_path: Path
) -> None:
    session = Session.open(lead, "Lead")
    key = reading.find(session.project.conn, "c-0") or 0
    plan = QueuePlan(name="Mine", sampling=Sampling.CHOSEN, keys=(key,), labelers=("Lead",))
    making.create(session, plan)
    entering.reveal(session, key)
    decisions.decide(session, key, "safety", 5)
    package = tmp_path / "mine.review"
    packing.make(session, package, queue="Mine", labeler="Lead", blind=True)
    session.close()
    inside = Session.open(package)
    place = reading.find(inside.project.conn, "c-0") or 0
    entering.commit(inside, place, "safety", 2)
    entering.withdraw(inside, place, "safety")
    inside.close()
    assert merged(lead, package).labels == 2
    assert current(lead, "Lead")["c-0"] in (5, None)
    session = Session.open(lead, "Lead")
    decided = session.project.conn.execute(
        "SELECT value FROM current_labels WHERE decided = 1 AND kind = 'adjudication' "
        "AND evaluation = ?",
        (key,),
    ).fetchall()
    assert decided == [(5,)]
    assert not merging.merge(session, package).is_new
    session.close()


def test_a_package_of_an_older_program_takes_no_decision_back(lead: Path, tmp_path: Path) -> None:
    session = Session.open(lead, "Lead")
    key = reading.find(session.project.conn, "c-0") or 0
    plan = QueuePlan(name="Mine", sampling=Sampling.CHOSEN, keys=(key,), labelers=("Lead",))
    making.create(session, plan)
    entering.reveal(session, key)
    decisions.decide(session, key, "safety", 5)
    package = tmp_path / "mine.review"
    packing.make(session, package, queue="Mine", labeler="Lead", blind=True)
    inside = Session.open(package)
    place = reading.find(inside.project.conn, "c-0") or 0
    entering.commit(inside, place, "safety", 2)
    entering.withdraw(inside, place, "safety")
    with inside.project.write() as conn:
        # it does not say what it ends
        conn.execute("UPDATE labels SET of = NULL")
    inside.close()
    assert merging.merge(session, package).labels == 2
    assert human(session, key) == 5
    assert merging.merge(session, package).labels == 0
    assert human(session, key) == 5
    undo.undo(session)
    assert human(session, key) == 5
    session.close()


def human(session: Session, key: int) -> float:
    run, _, _ = session.place(key)
    (value,) = humans_of(session, {key: run})[key].values()
    return float(value)


def test_entries_keep_their_numbers_and_what_was_undone_stays_undone(
    lead: Path, tmp_path: Path
) -> None:
    package = pack(lead, tmp_path / "ann.review").file
    inside = Session.open(package)
    place = reading.find(inside.project.conn, "c-0") or 0
    entering.commit(inside, place, "safety", 4)
    entering.commit(inside, place, "safety", 2)
    undo.undo(inside)
    entering.comment(inside, place, "accuracy", "which one?")
    numbers = "SELECT uid, kind, restores FROM labels WHERE import IS {} NULL ORDER BY id"
    given = inside.project.conn.execute(numbers.format("")).fetchall()
    inside.close()
    early = Path(shutil.copy(package, tmp_path / "early.review"))
    session = Session.open(lead, "Lead")
    before = len(
        labels.history(session.project.conn, reading.find(session.project.conn, "c-0") or 0)
    )
    assert merging.merge(session, package).labels == 4
    assert merging.merge(session, early).labels == 0
    key = reading.find(session.project.conn, "c-0") or 0
    history = labels.history(session.project.conn, key)[before:]
    assert [(x.uid, x.label.kind, x.label.restores) for x in history] == given
    assert given[2][2] == given[0][0]
    assert [x.label.blind for x in history] == [True, True, True, None]
    (mine,) = [
        x for x in labels.current(session.project.conn, key)
        if x.label.labeler == "Ann" and x.label.metric == "safety"
    ]  # fmt: skip
    assert (mine.label.value, mine.first) == (4, history[0].label.seq)
    session.close()


def test_what_was_unseen_here_is_so_after_an_undo_in_a_package(lead: Path, tmp_path: Path) -> None:
    session = Session.open(lead, "Ann")
    key = reading.find(session.project.conn, "c-0") or 0
    entering.commit(session, key, "safety", 4)
    entering.reveal(session, key)
    session.close()
    package = pack(lead, tmp_path / "ann.review").file
    inside = Session.open(package)
    place = reading.find(inside.project.conn, "c-0") or 0
    entering.commit(inside, place, "safety", 2)
    undo.undo(inside)
    inside.close()
    merged(lead, package)
    assert blinds(lead) == {("c-0", 4): 1, ("c-0", 2): 0}


def test_a_merge_that_is_undone_lets_its_repeats_wait_again(lead: Path, tmp_path: Path) -> None:
    session = Session.open(lead, "Lead")
    keys = tuple(k for (k,) in session.project.conn.execute("SELECT id FROM evaluations"))
    plan = QueuePlan(
        name="Twice", sampling=Sampling.CHOSEN, keys=keys, labelers=("Ann",), repeats=0.5
    )
    making.create(session, plan)
    rounds = (
        "SELECT position, since > 0 FROM queue_items",
        "SELECT labeler, evaluation, answered, complete, repeat_from FROM states ORDER BY 1, 2",
    )
    for number in range(2):
        before = [session.project.conn.execute(query).fetchall() for query in rounds]
        package = tmp_path / f"{number}.review"
        packing.make(session, package, queue="Twice", labeler="Ann", blind=True)
        answer_all(package, 4 - number)
        merging.merge(session, package)
    begun = session.project.conn.execute("SELECT count(*) FROM queue_items WHERE since > 0")
    assert begun.fetchone() == (3,)
    undo.undo(session)
    assert [session.project.conn.execute(query).fetchall() for query in rounds] == before
    session.close()


def test_a_blind_package_has_nothing_to_reveal(lead: Path, tmp_path: Path) -> None:
    package = pack(lead, tmp_path / "ann.review").file
    session = Session.open(package)
    key = reading.find(session.project.conn, "c-1") or 0
    entering.reveal(session, key)
    session.close()
    label(package, 3, "c-1")
    answer_all(package, 4)
    label(package, 2, "c-0")
    found = merged(lead, package)
    assert found.marks == 0
    assert set(blinds(lead).values()) == {1}


def test_who_saw_the_scores_before_did_not_answer_blind(lead: Path, tmp_path: Path) -> None:
    session = Session.open(lead, "Ann")
    entering.reveal(session, reading.find(session.project.conn, "c-0") or 0)
    session.close()
    package = pack(lead, tmp_path / "ann.review").file
    label(package, 3, "c-0", "c-1")
    merged(lead, package)
    assert blinds(lead) == {("c-0", 3): 0, ("c-1", 3): 1}


def test_what_a_tool_put_inside_of_texts_stays_out_of_blind_packages(
    lead: Path, tmp_path: Path
) -> None:
    told = records()[:1]
    told[0]["id"] = "c-9"
    told[0]["messages"] = [
        {"role": "user", "content": [{"type": "text", "text": "Hi", "verdict": "LEAK-1"}]},
        {
            "role": "assistant",
            "content": "Hello",
            "judge_note": "LEAK-2",
            "tool_calls": [{"id": "t", "name": "look", "arguments": {"q": 1}, "score": "LEAK-3"}],
        },
    ]
    told[0]["sources"] = [{"id": "s", "title": "Pool", "grade": "LEAK-4"}]
    file = tmp_path / "more.jsonl"
    file.write_text(json.dumps(told[0]))
    importing.run(lead, ImportRequest(files=(file,)), Silent())
    session = Session.open(lead, "Lead")
    key = reading.find(session.project.conn, "c-9") or 0
    making.create(
        session, QueuePlan(name="More", sampling=Sampling.CHOSEN, keys=(key,), labelers=("Ann",))
    )
    package = tmp_path / "more.review"
    packing.make(session, package, queue="More", labeler="Ann", blind=True)
    session.close()
    content = package.read_bytes()
    assert b"LEAK" not in content
    assert b"Hello" in content
    assert b"Pool" in content
    label(package, 3, "c-9")
    # what was left out is no change of the text
    assert merged(lead, package).changed == ()


def test_repeats_travel_with_the_next_package(lead: Path, tmp_path: Path) -> None:
    session = Session.open(lead, "Lead")
    keys = tuple(k for (k,) in session.project.conn.execute("SELECT id FROM evaluations"))
    making.create(
        session,
        QueuePlan(
            name="Twice", sampling=Sampling.CHOSEN, keys=keys, labelers=("Ann",), repeats=0.5
        ),
    )
    session.close()
    for number, (value, repeats) in enumerate([(4, 0), (3, 3)]):
        package = tmp_path / f"{number}.review"
        session = Session.open(lead, "Lead")
        seen = packing.foretell(session, queue="Twice", labeler="Ann", blind=True)
        assert seen.repeats == repeats
        packing.make(session, package, queue="Twice", labeler="Ann", blind=True)
        session.close()
        answer_all(package, value)
        assert merged(lead, package).conflicts == ()
    session = Session.open(lead, "Lead")
    (ann,) = working.progress(session, working.find(session, "Twice"))
    assert (ann.done, ann.total) == (9, 9)
    session.close()


def test_an_older_copy_is_no_conflict(lead: Path, tmp_path: Path) -> None:
    package = pack(lead, tmp_path / "ann.review").file
    label(package, 2, "c-0")
    early = tmp_path / "early.review"
    shutil.copy(package, early)
    label(package, 4, "c-0")
    merged(lead, package)
    assert merged(lead, early).conflicts == ()


def test_not_applicable_against_a_value_is_a_conflict(lead: Path, tmp_path: Path) -> None:
    package = pack(lead, tmp_path / "ann.review").file
    inside = Session.open(package)
    entering.not_applicable(inside, reading.find(inside.project.conn, "c-0") or 0, "safety")
    inside.close()
    here = Session.open(lead, "Ann")
    key = reading.find(here.project.conn, "c-0") or 0
    entering.commit(here, key, "safety", 3)
    entering.withdraw(here, key, "safety")
    here.close()
    (found,) = merged(lead, package, dry_run=True).conflicts
    assert found.words == ("taken back", "not applicable")


def test_what_is_refused_leaves_no_trace(lead: Path, tmp_path: Path) -> None:
    package = pack(lead, tmp_path / "ann.review").file
    label(package, 2, "c-0", metric="accuracy")
    session = Session.open(lead, "Lead")
    rubric = session.rubric("guest-response")
    kept = tuple(m for m in rubric.metrics if m.name != "accuracy")
    rubrics.save_version(session.project, replace(rubric, metrics=kept))
    count = "SELECT count(*) FROM imports"
    before = session.project.conn.execute(count).fetchone()
    found = merging.merge(session, package)
    assert [one.place for one in found.refused] == [("one", "c-0")]
    assert session.project.conn.execute(count).fetchone() == before
    session.close()


def test_an_open_package_is_whole_in_its_one_file(lead: Path, tmp_path: Path) -> None:
    package = pack(lead, tmp_path / "ann.review").file
    session = Session.open(package)
    entering.commit(session, reading.find(session.project.conn, "c-0") or 0, "safety", 5)
    sent = tmp_path / "sent.review"
    shutil.copy(package, sent)
    assert merged(lead, sent, dry_run=True).labels == 0
    session.project.gather()
    shutil.copy(package, sent)
    session.close()
    assert merged(lead, sent).labels == 1


def test_answers_to_what_is_not_here_any_more_are_left_out_and_named(
    lead: Path, tmp_path: Path
) -> None:
    package = pack(lead, tmp_path / "ann.review").file
    label(package, 4, "c-0", "c-1", "c-2")
    session = Session.open(lead, "Lead")
    with session.project.write() as conn:
        conn.execute("UPDATE evaluations SET ext_id = 'other' WHERE ext_id = 'c-1'")
    session.close()
    found = merged(lead, package)
    assert found.missing == (("one", "c-1"),)
    assert found.labels == 2
    assert current(lead) == {"c-0": 4, "c-2": 4}
