"""A lead's corrections of claims: the score follows, undo takes back, and a file carries them."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.main import main
from reviewer.domain.errors import LabelError
from reviewer.domain.evaluation import Label
from reviewer.domain.judging import JobPlan
from reviewer.services.adjudicating import claims
from reviewer.services.labelling import entering, undo
from reviewer.services.project import reading, rubrics
from reviewer.services.project.session import Session
from reviewer.store import jobs, labels, new_scores, of_record
from reviewer.store.of_record import Record
from reviewer.store.project import Project
from tests.building import build_project

METRIC = "factual_accuracy"
RESPONSE = "The pool is heated. It opens at nine. Dogs are welcome."
CLAIMS = [
    {"text": "The pool is heated", "importance": "major", "verdict": "correct", "evidence": "p 1"},
    {"text": "It opens at nine", "importance": "major", "verdict": "wrong", "evidence": "At ten."},
    {"text": "Dogs are welcome", "importance": "minor", "verdict": "correct"},
]
"""Worth 2 + 0 + 1 of 5: 0.6."""


def record(**changed: Any) -> dict[str, Any]:
    score = {
        "metric": METRIC, "value": 0.6, "scorer": "careful", "reasoning": "So.",
        "meta": {"claims": {"claims": CLAIMS}, "ground_truth": "expected"},
    }  # fmt: skip
    fields = {"id": "c-1", "input": "Q?", "response": RESPONSE, "expected": "At ten.",
              "scores": [score]}  # fmt: skip
    return fields | changed


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    path = build_project(
        tmp_path / "p.review", evaluations=[record()], rubric=rubrics.shipped()["agent-rubric"]
    )
    with closing(Session.open(path, "lea")) as opened:
        yield opened


def shown(session: Session) -> claims.ClaimsFound:
    found = claims.found(session, reading.view(session, 1), METRIC)
    assert found is not None
    return found


def judge_again(path: Path, claims: list[dict[str, str]], value: float) -> None:
    """Let another version of the judge reply, as a job does, and count."""
    meta = {"claims": {"claims": claims}, "ground_truth": "expected"}
    score = {"metric": METRIC, "value": value, "scorer": "careful", "scorer_version": "3",
             "reasoning": "Anew.", "at": "2030-01-01T00:00:00Z", "meta": meta}  # fmt: skip
    with Project.open(path) as project:
        job = jobs.add(project, JobPlan(kind="judge", title="careful"), 1)
        with project.write() as conn:
            metric = labels.metric_key(conn, METRIC)
        book = new_scores.ScoreBook(project, job)
        key = book.open(metric, score, "1")
        with project.write() as conn:
            new_scores.add(conn, new_scores.row(1, metric, key, score), job)
            of_record.name(project, Record(run=1, metric=metric, score_set=key), labeler=None)
        book.close()


def correct(session: Session, place: int, verdict: Any) -> Label:
    return claims.correct(session, reading.view(session, 1), METRIC, place, verdict).after


def test_claims_are_not_told_before_the_reveal(session: Session) -> None:
    view = reading.view(session, 1)
    assert claims.found(session, view, METRIC) is None
    with pytest.raises(LabelError, match="no claims"):
        claims.correct(session, view, METRIC, 1, "correct")


def test_every_claim_has_its_place_and_the_score_its_ground(session: Session) -> None:
    entering.reveal(session, 1)
    found = shown(session)
    places = [row.place for row in found.rows]
    assert [RESPONSE[x[0] : x[1]] for x in places if x] == [x["text"] for x in CLAIMS]
    assert (found.judged, found.standing, found.nearest) == (0.6, 0.6, 0.6)
    assert found.ground == "Held against the expected answer."
    assert (found.turn, found.by, found.may_correct) == (None, None, True)
    assert claims.score_words(found) == "Score 0.60."


def test_a_correction_is_a_decision_and_the_score_follows(session: Session) -> None:
    entering.reveal(session, 1)
    after = correct(session, 1, "partly")
    assert (after.kind, after.value, after.labeler) == ("adjudication", 0.8, "lea")
    found = shown(session)
    assert found.standing == pytest.approx((2 + 1 + 1) / 5)
    assert [(x.judged, x.verdict) for x in found.rows][1] == ("wrong", "partly")
    assert (
        claims.score_words(found)
        == "Score 0.60 by the judge, 0.80 with the corrections of lea, decided as level 0.80."
    )
    assert correct(session, 1, "correct").value == 1
    assert reading.view(session, 1).auto[METRIC].value == 0.6


def test_a_score_between_two_levels_is_decided_as_the_lower(session: Session) -> None:
    entering.reveal(session, 1)
    correct(session, 1, "partly")
    assert correct(session, 2, "partly").value == 0.6
    assert shown(session).standing == pytest.approx(0.7)


def test_undo_and_redo_bring_the_claims_of_that_moment(session: Session) -> None:
    entering.reveal(session, 1)
    correct(session, 1, "correct")
    correct(session, 2, "wrong")
    assert shown(session).standing == pytest.approx(0.8)
    undo.undo(session)
    assert shown(session).standing == 1
    undo.undo(session)
    found = shown(session)
    assert (found.standing, found.by, found.is_corrected) == (0.6, None, False)
    undo.redo(session)
    assert shown(session).standing == 1


def test_a_file_carries_the_corrected_claims_and_brings_them_back(
    session: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entering.reveal(session, 1)
    correct(session, 1, "correct")
    file, copy = tmp_path / "out.jsonl", tmp_path / "copy.review"
    assert main(["export", str(session.project.path), str(file)]) == 0
    (label,) = json.loads(file.read_text())["labels"]
    assert [x["verdict"] for x in label["claims"]] == ["correct"] * 3
    assert main(["import", str(copy), str(file), "--rubric", "agent-rubric"]) == 0
    capsys.readouterr()
    with closing(Session.open(copy, "lea")) as again:
        entering.reveal(again, 1)
        assert (shown(again).standing, shown(again).by) == (1, "lea")


def test_only_a_lead_corrects_and_only_what_is_there(session: Session) -> None:
    entering.reveal(session, 1)
    with pytest.raises(LabelError, match="There are 3 claims"):
        correct(session, 3, "correct")
    with pytest.raises(LabelError, match="There are 3 claims"):
        correct(session, 0, "true")
    with session.project.write() as conn:
        conn.execute("INSERT INTO labelers(name, role) VALUES ('ann', 'lead')")
    with closing(Session.open(session.project.path, "bob")) as other:
        entering.reveal(other, 1)
        assert not shown(other).may_correct
        with pytest.raises(LabelError, match="Only a lead"):
            correct(other, 1, "correct")


@pytest.mark.parametrize("kept", [None, 3, [], {"claims": "x"}, {"claims": [{"text": 1}]}])
def test_claims_that_make_no_sense_are_no_claims(tmp_path: Path, kept: Any) -> None:
    score = {"metric": METRIC, "value": 0.6, "scorer": "careful", "meta": {"claims": kept}}
    path = build_project(
        tmp_path / "p.review",
        evaluations=[record(scores=[score])],
        rubric=rubrics.shipped()["agent-rubric"],
    )
    with closing(Session.open(path, "lea")) as session:
        entering.reveal(session, 1)
        assert claims.found(session, reading.view(session, 1), METRIC) is None


def test_of_a_conversation_the_last_answer_is_the_turn_of_the_claims(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "Q?"}, {"role": "assistant", "content": RESPONSE}]
    fields = record(messages=messages)
    del fields["response"], fields["input"]
    path = build_project(
        tmp_path / "p.review", evaluations=[fields], rubric=rubrics.shipped()["agent-rubric"]
    )
    with closing(Session.open(path, "lea")) as session:
        entering.reveal(session, 1)
        assert shown(session).turn == 1


NEW = {"text": "There is a bar", "importance": "minor", "verdict": "wrong"}


@pytest.mark.parametrize(
    "again",
    [[*CLAIMS, NEW], CLAIMS[:2], [CLAIMS[1], CLAIMS[0], CLAIMS[2]], [*CLAIMS[:2], NEW]],
    ids=["more", "fewer", "another order", "another claim"],
)
def test_a_correction_of_another_reply_is_set_aside_and_said(
    session: Session, again: list[dict[str, str]]
) -> None:
    entering.reveal(session, 1)
    correct(session, 1, "correct")
    judge_again(session.project.path, again, 0.5)
    session.poll()
    found = shown(session)
    assert [x.text for x in found.rows] == [x["text"] for x in again]
    assert [(x.judged, x.verdict) for x in found.rows] == [(x["verdict"],) * 2 for x in again]
    assert (found.by, found.set_aside, found.is_corrected) == (None, "lea", False)
    said = "What lea corrected belongs to another reply of the judge; the decision stands."
    assert claims.score_words(found).endswith(said)
    correct(session, len(again) - 1, "correct")
    found = shown(session)
    assert [x.text for x in found.rows] == [x["text"] for x in again]
    assert (found.by, found.set_aside) == ("lea", None)
    assert found.rows[-1].verdict == "correct"


def test_a_reply_with_the_same_claims_keeps_the_correction(session: Session) -> None:
    entering.reveal(session, 1)
    correct(session, 1, "partly")
    judge_again(session.project.path, CLAIMS, 0.6)
    session.poll()
    found = shown(session)
    assert (found.by, found.set_aside, found.rows[1].verdict) == ("lea", None, "partly")
