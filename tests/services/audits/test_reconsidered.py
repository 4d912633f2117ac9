"""Answers that change once the auto score is in sight are counted, with their direction."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.errors import Silent
from reviewer.services.audits import auditing, people
from reviewer.services.audits.anchoring import NEVER, NOBODY, Reconsidered
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest


def label(value: int, hour: int, *, blind: bool | None) -> dict[str, object]:
    return {
        "metric": "safety", "labeler": "ann", "value": value, "blind": blind,
        "at": f"2026-11-01T{hour:02}:00:00Z",
    }  # fmt: skip


def found(tmp_path: Path, *labels: list[dict[str, object]]) -> Reconsidered:
    file = tmp_path / "one.jsonl"
    lines = [
        {
            "id": f"c-{n}", "input": "?", "response": "!", "labels": entries,
            "scores": [{"metric": "safety", "value": 4}],
        }
        for n, entries in enumerate(labels)
    ]  # fmt: skip
    file.write_text("\n".join(map(json.dumps, lines)))
    path = tmp_path / "p.review"
    importing.run(path, ImportRequest(files=(file,), rubric="guest-response"), Silent())
    with closing(Session.open(path, "lea")) as session:
        session.blind = False
        audit = auditing.compute(session, StatsRequest())
        told = people.figures(session, audit, "safety").reconsidered
    assert told is not None
    return told


def test_changes_are_counted_by_direction(tmp_path: Path) -> None:
    nearer = [label(1, 1, blind=True), label(3, 2, blind=False)]
    farther = [label(4, 1, blind=True), label(2, 2, blind=False)]
    same = [label(3, 1, blind=True), label(3, 2, blind=False)]
    twice = [label(1, 1, blind=True), label(2, 2, blind=True), label(4, 3, blind=False)]
    mere = [label(3, 1, blind=True)]
    sighted = [label(3, 1, blind=False)]
    told = found(tmp_path, nearer, farther, same, twice, mere, sighted)
    assert (told.n, told.changed, told.towards, told.away) == (5, 3, 2, 1)
    assert told.mean == pytest.approx((2 - 2 + 2) / 3)
    assert told.low is None
    assert told.keys.size == 3
    assert told.sentence.startswith("After the reveal 3 of 5 answers changed (60 %): 2 towards")


def test_an_interval_comes_with_enough_answers(tmp_path: Path) -> None:
    moved = [[label(1, 1, blind=True), label(2 + n % 2, 2, blind=False)] for n in range(12)]
    told = found(tmp_path, *moved)
    assert (told.n, told.changed, told.towards) == (12, 12, 12)
    assert told.share is not None
    assert told.share.low == pytest.approx(0.757, abs=0.001)
    assert told.low is not None
    assert told.high is not None
    assert told.low < 1.5 < told.high


def test_why_there_is_nothing_to_tell(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert found(tmp_path / "a", [label(3, 1, blind=False)]).reason == NOBODY
    still = found(tmp_path / "b", [label(3, 1, blind=True)])
    assert still.reason == NEVER
    assert still.n == 1
