"""One evaluation as its labeler may see it."""

from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.errors import LabelError
from reviewer.services.labelling import entering
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from tests.building import build_project, record

CONVERSATION = record(
    1,
    tags=["vip"],
    input=None,
    response=None,
    messages=[
        {"role": "user",
         "content": [{"type": "text", "text": "Hi"}, {"type": "image", "path": "a"}]},
        {"role": "assistant", "content": None,
         "tool_calls": [{"id": "t1", "name": "look", "arguments": {"room": 1}}]},
        {"role": "tool", "content": "yes", "tool_call_id": "t1", "tool_calls": None},
        {"role": "assistant", "content": "It is.", "at": "2026-11-20T10:00:00Z"},
    ],
    context={"pool": True},
    sources=[{"id": "d1", "title": "Pool", "relevance": 2}],
    expected_tools=["look"],
    own_key=[1, {"a": None}],
    scores=[
        {"metric": "accuracy", "value": 5, "scorer": "judge", "scorer_version": "2",
         "at": "2026-11-03T00:00:00Z", "examples": ["x"], "confidence": 0.5, "trace": "hm"},
        {"metric": "accuracy", "value": 3, "scorer": "judge", "scorer_version": "1",
         "at": "2026-11-04T00:00:00Z", "reasoning": "newer"},
        {"metric": "accuracy", "value": None, "scorer": "judge", "scorer_version": "2",
         "error": "time-out", "at": "2026-11-04T00:00:00Z"},
        {"metric": "safety", "value": 1, "scorer": "judge", "scorer_version": "1", "turn": 3},
    ],
    labels=[
        {"metric": "accuracy", "labeler": "bo", "value": 2, "at": "2026-11-01T00:00:00Z"},
        {"metric": "accuracy", "labeler": "bo", "value": 3, "at": "2026-11-02T00:00:00Z"},
        {"metric": "safety", "labeler": "bo", "value": None, "kind": "withdrawn"},
        {"metric": "accuracy", "labeler": "lea", "value": 4, "kind": "adjudication"},
    ],
    marks=[
        {"kind": "question", "labeler": "bo", "at": "2026-11-01T00:00:00Z", "note": "why?"},
        {"kind": "flag", "labeler": "ann", "at": "2026-11-01T00:00:00Z"},
    ],
)  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return build_project(tmp_path / "one.review", evaluations=[CONVERSATION])


def test_everything_of_an_evaluation_comes_back(path: Path) -> None:
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        view = reading.view(session, 1)
    found = view.evaluation
    assert (found.id, found.run, found.tags, found.title) == ("c-0001", "agent v7", ("vip",), "Hi")
    assert [turn.text for turn in found.messages] == ["Hi", "", "yes", "It is."]
    assert found.messages[1].tool_calls[0].name == "look"
    assert (found.context, found.expected_tools) == ({"pool": True}, ("look",))
    assert [(source.id, source.relevance) for source in found.sources] == [("d1", 2)]
    assert found.rest == {"own_key": [1, {"a": None}]}
    assert len(found.scores) == 4


def test_the_auto_score_is_the_first_value_of_the_version_of_record(path: Path) -> None:
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        view = reading.view(session, 1)
    assert set(view.auto) == {"accuracy"}
    accuracy = view.auto["accuracy"]
    assert (accuracy.value, accuracy.scorer, accuracy.scorer_version) == (5, "judge", "2")
    assert (accuracy.examples, accuracy.confidence, accuracy.trace) == (("x",), 0.5, "hm")
    errors = [score.error for score in view.all_scores if score.value is None]
    assert errors == ["time-out"]


def test_others_are_seen_only_after_the_reveal(path: Path) -> None:
    with closing(Session.open(path, "ann")) as session:
        entering.commit(session, 1, "accuracy", 1)
        hidden = reading.view(session, 1)
        entering.reveal(session, 1)
        shown = reading.view(session, 1)
    assert (hidden.hidden, hidden.auto, hidden.all_scores, hidden.others) == (True, {}, (), ())
    assert hidden.evaluation.scores == ()
    assert [mark.kind for mark in hidden.marks] == ["flag"]
    assert [label.labeler for label in hidden.history] == ["ann"]
    assert not shown.hidden
    assert {(label.labeler, label.value, label.kind) for label in shown.others} == {
        ("bo", 3, "label"), ("lea", 4, "adjudication"),
    }  # fmt: skip
    assert {mark.kind for mark in shown.marks} == {"question", "flag", "reveal"}
    # without a time is the earliest, a clock's time the latest
    assert [label.labeler for label in shown.history] == ["bo", "lea", "bo", "bo", "ann"]
    assert shown.own["accuracy"].value == 1


def test_evaluations_are_found_by_id_and_run(tmp_path: Path) -> None:
    some = [
        record(1, id="x", run="a"), record(2, id="x", run="b"), record(3, id="y/z", run="a/b"),
    ]  # fmt: skip
    path = build_project(tmp_path / "a.review", evaluations=some, runs=("a", "b", "a/b"))
    with closing(Session.open(path, "ann")) as session:
        texts = ("x", "a/x", "b/x", "y/z", "a/b/y/z", "c/x", "none", "")
        found = [reading.key_of(session, text) for text in texts]
    assert found == [2, 1, 2, 3, 3, None, None, None]


def test_files_of_an_evaluation_come_from_the_project(path: Path) -> None:
    with closing(Session.open(path, "ann")) as session:
        with session.project.write() as conn:
            conn.execute("INSERT INTO attachments VALUES (1, 'abc', 'a.png', X'8950')")
            conn.execute("INSERT INTO attachment_uses VALUES (1, 'a', 1)")
        assert reading.attachment(session, 1, "a") == b"\x89P"
        assert reading.attachment(session, 1, "b") is None
        assert reading.attachment(session, 2, "a") is None


def test_an_evaluation_that_is_gone_is_a_sentence(path: Path) -> None:
    with closing(Session.open(path, "ann")) as session, pytest.raises(LabelError, match="undone"):
        reading.view(session, 2)
