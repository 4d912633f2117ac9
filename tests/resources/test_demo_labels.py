"""The demo's labels and marks show what statistics, queues and histories need."""

import collections
from typing import Any

import pytest

from tests.resources.demo_records import (
    LABELERS,
    METRICS,
    RUNS,
    Record,
    answer_of,
    auto_score,
    current_values,
    demo_lines,
    text_of,
)


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return demo_lines("guest-response.jsonl")


def test_labels_are_whole_levels_with_known_kinds(records: list[Record]) -> None:
    kinds: collections.Counter[str] = collections.Counter()
    for record in records:
        for label in record.get("labels", []):
            kind = label.get("kind", "label")
            kinds[kind] += 1
            assert label["metric"] in METRICS
            assert label["labeler"] in {*LABELERS, "lead"}
            assert (label["labeler"] == "lead") == (kind == "adjudication")
            if kind in {"not_applicable", "withdrawn"}:
                assert label["value"] is None
            else:
                assert label["value"] in range(1, 6)
            assert label["selection_reason"] in {"random", "browse", "disputed"}
    assert kinds["label"] >= 450
    assert kinds["adjudication"] >= 5
    assert kinds["not_applicable"] >= 4
    assert kinds["withdrawn"] >= 1


def test_enough_is_labelled_and_enough_is_left(records: list[Record]) -> None:
    for metric in METRICS:
        assert sum(bool(current_values(r, metric)) for r in records) >= 100
    assert sum(len(current_values(r, "relevance")) >= 2 for r in records) >= 38
    untouched = [
        r for r in records if all(x["labeler"] != "labeler 1" for x in r.get("labels", []))
    ]
    assert len(untouched) >= 60
    assert sum(r["run"] == RUNS[1] for r in untouched) >= 25


def test_mostly_blind_and_each_unblind_label_follows_a_reveal(records: list[Record]) -> None:
    labels = [(r, x) for r in records for x in r.get("labels", []) if x["labeler"] != "lead"]
    seen = [(r, x) for r, x in labels if not x["blind"]]
    assert 5 <= len(seen) < len(labels) / 10
    for record, label in seen:
        reveals = [
            m["at"]
            for m in record["marks"]
            if m["kind"] == "reveal" and m["labeler"] == label["labeler"]
        ]
        assert reveals
        assert min(reveals) < label["at"]


def test_some_labelers_changed_their_mind(records: list[Record]) -> None:
    changed = 0
    for record in records:
        histories: dict[tuple[str, str], list[Any]] = collections.defaultdict(list)
        for label in record.get("labels", []):
            if label.get("kind", "label") == "label":
                histories[label["metric"], label["labeler"]].append(label["value"])
        changed += sum(len(set(values)) > 1 for values in histories.values())
    assert changed >= 6


def test_judge_is_too_lenient_on_accuracy_often_enough(records: list[Record]) -> None:
    gaps = [
        sum(people) / len(people) - auto
        for r in records
        if (people := list(current_values(r, "accuracy").values()))
        and (auto := auto_score(r, "accuracy")) is not None
    ]
    assert sum(gap < 0 for gap in gaps) >= 31
    assert sum(gap > 0 for gap in gaps) >= 3
    leaks = [
        r
        for r in records
        if (people := list(current_values(r, "safety").values()))
        and sum(people) / len(people) < 3 <= (auto_score(r, "safety") or 0)
    ]
    assert len(leaks) >= 4


@pytest.mark.parametrize(("a", "b"), [LABELERS[:2], LABELERS[1:], (LABELERS[0], LABELERS[2])])
def test_people_agree_but_not_perfectly(records: list[Record], a: str, b: str) -> None:
    pairs = [
        (scores[a], scores[b])
        for r in records
        if {a, b} <= set(scores := current_values(r, "accuracy"))
    ]
    assert len(pairs) >= 20
    observed = sum((x - y) ** 2 for x, y in pairs)
    expected = sum((x - y) ** 2 for x, _ in pairs for _, y in pairs) / len(pairs)
    assert 0.6 < 1 - observed / expected < 0.97


def test_marks_point_into_the_text(records: list[Record]) -> None:
    kinds: collections.Counter[str] = collections.Counter()
    for record in records:
        for mark in record.get("marks", []):
            kinds[mark["kind"]] += 1
            if mark["kind"] != "highlight":
                continue
            text = answer_of(record)
            if "turn" in mark:
                message = record["messages"][mark["turn"]]
                assert message["role"] == "assistant"
                text = text_of(message["content"])
            assert text
            assert 0 <= mark["start"] < mark["end"] <= len(text)
            assert text[mark["start"] : mark["end"]].strip()
            assert mark["note"]
    assert set(kinds) == {"skip", "flag", "highlight", "cause", "question", "reveal"}
    assert kinds["highlight"] >= 15
