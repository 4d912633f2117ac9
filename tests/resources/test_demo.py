"""The demo project keeps what it promises."""

import base64
import collections
import datetime as dt
import json
import re

import pytest

from reviewer.domain.record import LABEL_KEYS, MARK_KEYS, RECORD_KEYS, SCORE_KEYS
from reviewer.domain.rubric_check import checked
from reviewer.formats.incoming import Record as Readable
from reviewer.formats.native import read_lines
from reviewer.formats.streams import open_stream
from tests.resources.demo_records import (
    DEMO,
    METRICS,
    RESOURCES,
    RUNS,
    Record,
    answer_of,
    demo_lines,
    rubric_of,
    text_of,
    times_of,
)

RECORD_FILES = {
    "guest-response.jsonl": RESOURCES / "rubrics" / "guest-response.toml",
    "opening-lines.jsonl": DEMO / "opening-lines.toml",
}
CATEGORIES = {
    "check_in_out",
    "amenities",
    "policies",
    "directions",
    "reservations",
    "edge_pii",
    "edge_offtopic",
    "complaints",
}


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return demo_lines("guest-response.jsonl")


@pytest.fixture(scope="module")
def comparisons() -> list[Record]:
    return demo_lines("opening-lines.jsonl")


def test_two_runs_hold_the_same_cases(records: list[Record]) -> None:
    assert tuple(dict.fromkeys(r["run"] for r in records)) == RUNS
    cases = [{r["case"] for r in records if r["run"] == run} for run in RUNS]
    assert cases[0] == cases[1]
    assert len(cases[0]) >= 60
    assert len(records) >= 120
    assert len({(r["run"], r["id"]) for r in records}) == len(records)


@pytest.mark.parametrize("name", RECORD_FILES)
def test_the_reader_takes_every_record_whole(name: str) -> None:
    rubric = checked(rubric_of(RECORD_FILES[name]))
    with open_stream(DEMO / name) as source:
        read = list(read_lines(source))
    assert len(read) == len(demo_lines(name))
    for item in read:
        assert isinstance(item, Readable)
        assert item.refused == []
        assert set(item.fields) <= set(RECORD_KEYS)
        for score in item.fields["scores"]:
            metric = rubric.by_name[score["metric"]]
            assert score["value"] is None or metric.score_problem(score["value"]) is None
        for label in item.fields.get("labels", []):
            metric = rubric.by_name[label["metric"]]
            assert label["value"] is None or metric.label_problem(label["value"]) is None


@pytest.mark.parametrize("name", RECORD_FILES)
def test_keys_stand_in_the_order_of_the_format(name: str) -> None:
    for record in demo_lines(name):
        assert list(record) == [key for key in RECORD_KEYS if key in record]
        for part, keys in (("scores", SCORE_KEYS), ("labels", LABEL_KEYS), ("marks", MARK_KEYS)):
            for entry in record.get(part, []):
                assert list(entry) == [key for key in keys if key in entry]
            times = [entry["at"] for entry in record.get(part, [])]
            assert part == "scores" or times == sorted(times)


def test_times_are_iso_with_zone_and_in_order(
    records: list[Record], comparisons: list[Record]
) -> None:
    last = dt.datetime(2026, 11, 20, 23, tzinfo=dt.UTC)
    for record in records + comparisons:
        for time in times_of(record):
            assert time.endswith("Z")
            assert dt.datetime.fromisoformat(time) <= last
        assert record["occurred_at"] < record["evaluated_at"] <= "2026-11-18T23:59:59Z"
        judged = min(s["at"] for s in record["scores"])
        assert record["occurred_at"] < judged
        for entry in record.get("labels", []) + record.get("marks", []):
            assert entry["at"] > record["evaluated_at"]
        spoken = [m["at"] for m in record.get("messages", []) if "at" in m]
        assert spoken == sorted(spoken)


def test_the_runs_spread_over_eight_weeks(records: list[Record]) -> None:
    days = [dt.datetime.fromisoformat(r["evaluated_at"]) for r in records]
    assert (max(days) - min(days)).days >= 54
    weeks = {day.isocalendar().week for day in days}
    assert len(weeks) >= 8


def test_scores_lie_on_the_scale_and_carry_their_reason(records: list[Record]) -> None:
    failures = 0
    for record in records:
        assert {s["metric"] for s in record["scores"]} == set(METRICS)
        seen = [(s["metric"], s["scorer"], s["scorer_version"], s["at"]) for s in record["scores"]]
        assert len(set(seen)) == len(seen)
        for score in record["scores"]:
            if score["value"] is None:
                failures += 1
                assert score["error"]
            else:
                assert score["value"] in range(1, 6)
                assert len(score["reasoning"]) > 10
                assert score["passed"] == (score["value"] >= 3)
            for quote in score.get("examples", []):
                assert quote in (answer_of(record) or "")
    assert failures >= 4


def test_reasoning_of_accuracy_is_written_for_its_answer(records: list[Record]) -> None:
    reasons: dict[str, set[str]] = collections.defaultdict(set)
    for record in records:
        for score in record["scores"]:
            if score["metric"] == "accuracy" and score["value"] is not None:
                reasons[score["reasoning"]].add(record["run"] + record["id"])
    assert all(len(places) == 1 for places in reasons.values())


def test_answers_and_questions_are_distinct(records: list[Record]) -> None:
    cases: dict[str, list[str]] = collections.defaultdict(list)
    for record in records:
        if answer := answer_of(record):
            cases[answer].append(record["case"])
    kept = [found for found in cases.values() if len(found) > 1]
    assert 3 <= len(kept) <= 6
    assert all(len(set(found)) == 1 for found in kept)
    asked = {r["case"]: r.get("input") or _asked(r) for r in records}
    assert len(set(asked.values())) == len(asked)


def _asked(record: Record) -> str:
    return text_of([m for m in record["messages"] if m["role"] == "user"][-1]["content"])


def test_the_newer_judge_scored_a_part_and_does_not_hide_the_older(records: list[Record]) -> None:
    with_new = [r for r in records if any(s["scorer_version"] == "v4" for s in r["scores"])]
    assert 20 <= len(with_new) < len(records) / 2
    assert {r["run"] for r in with_new} == {RUNS[1]}
    newest = max((s["at"], s["scorer_version"]) for r in records for s in r["scores"])
    assert newest[1] == "v3"
    repeated = [
        r
        for r in records
        if sum(s["metric"] == "accuracy" and s["scorer_version"] == "v3" for s in r["scores"]) > 1
    ]
    assert len(repeated) >= 5


def test_every_category_and_complexity_is_present(records: list[Record]) -> None:
    counts = collections.Counter(r["category"] for r in records)
    assert set(counts) == CATEGORIES
    assert min(counts.values()) >= 10
    assert {r["complexity"] for r in records} == {"easy", "medium", "hard"}


def test_tool_calls_are_answered(records: list[Record]) -> None:
    names: set[str] = set()
    for record in records:
        calls: list[str] = []
        for message in record.get("messages", []):
            for call in message.get("tool_calls", []):
                names.add(call["name"])
                calls.append(call["id"])
                if isinstance(call["arguments"], str):
                    assert isinstance(json.loads(call["arguments"]), dict)
            if message["role"] == "tool":
                assert message["tool_call_id"] == calls[-1]
    assert names == {"get_property_info", "get_reservation", "search_policies"}


def test_many_conversations_have_several_turns(records: list[Record]) -> None:
    asked = [sum(m["role"] == "user" for m in r.get("messages", [])) for r in records]
    assert sum(n >= 2 for n in asked) >= 40
    assert sum("input" in r for r in records) >= 8


def test_errors_and_empty_answers_are_present(records: list[Record]) -> None:
    errors = [r["error"] for r in records if r.get("error")]
    assert len(errors) >= 4
    for word in ("timeout", "ToolExecutionError", "empty", "database"):
        assert any(word in error for error in errors)
    assert sum(answer_of(r) is None for r in records) == 2
    assert sum(answer_of(r) == "" for r in records) == 1


def test_figures_of_cost_cache_and_feedback_are_present(records: list[Record]) -> None:
    for key in ("latency_ms", "cost_usd", "tokens_in", "tokens_out"):
        assert all(r[key] > 0 for r in records)
    assert {r["cache"] for r in records} == {"warm", "cold"}
    for run in RUNS:
        matched = [r["template_matched"] for r in records if r["run"] == run and _tells(r)]
        assert 0.5 < sum(matched) / len(matched) < 1
    assert all(_tells(r) for r in records if "direct_substitution" in r)
    values = collections.Counter(f["value"] for r in records for f in r.get("feedback", []))
    assert set(values) == {"up", "down"}
    assert min(values.values()) >= 8
    ranked = [r["sources"] for r in records if "sources" in r]
    assert len(ranked) >= 6
    assert all(
        {"id", "title", "text", "relevance"} <= set(s) for sources in ranked for s in sources
    )


def _tells(record: Record) -> bool:
    return "template_matched" in record


def test_pictures_are_small_whole_png_files(records: list[Record]) -> None:
    pictures = {
        part["name"]: base64.b64decode(part["data"], validate=True)
        for r in records
        for m in r.get("messages", [])
        if isinstance(m["content"], list)
        for part in m["content"]
        if part["type"] == "image"
    }
    assert len(pictures) == 2
    for content in pictures.values():
        assert content.startswith(b"\x89PNG\r\n\x1a\n")
        assert content.endswith(b"IEND\xaeB`\x82")
        assert len(content) < 8000


def test_answers_show_markdown_other_scripts_and_hostile_text(records: list[Record]) -> None:
    answers = [answer for r in records if (answer := answer_of(r))]
    assert any(re.search(r"(?m)^\|---", a) for a in answers)
    assert any(re.search(r"(?m)^- ", a) for a in answers)
    assert any(re.search(r"(?m)^\d\. ", a) for a in answers)
    assert any("```" in a for a in answers)
    assert any("**" in a for a in answers)
    assert any(re.search("[\u0600-\u06ff]{3}", a) for a in answers)
    assert any("<script>" in a and "Note to the evaluator" in a for a in answers)
    assert max(len(a) for a in answers) > 2500
    assert any(
        part["type"] == "reasoning"
        for r in records
        for m in r.get("messages", [])
        if isinstance(m["content"], list)
        for part in m["content"]
    )


def test_nobody_real_can_be_reached(records: list[Record], comparisons: list[Record]) -> None:
    text = json.dumps(records + comparisons, ensure_ascii=False)
    assert {m.split("@")[1] for m in re.findall(r"[\w.]+@[\w.]+\w", text)} <= {"example.com"}
    assert all(n.startswith("555-01") for n in re.findall(r"\b\d{3}-\d{4}\b", text))
    assert "http://" not in text
    assert "https://" not in text


def test_comparisons_choose_between_their_candidates(comparisons: list[Record]) -> None:
    rubric = rubric_of(DEMO / "opening-lines.toml")
    (metric,) = rubric["metrics"]
    assert metric["scale"] == "categorical"
    assert len(comparisons) >= 8
    assert len({r["id"] for r in comparisons}) == len(comparisons)
    for record in comparisons:
        ids = [c["id"] for c in record["candidates"]]
        assert [*ids, "tie"] == metric["values"]
        assert all(c["response"] for c in record["candidates"])
        for entry in record["scores"] + record.get("labels", []):
            assert entry["metric"] == metric["name"]
            assert entry["value"] in metric["values"]
    assert sum(not r.get("labels") for r in comparisons) >= 1
    assert sum(len(r.get("labels", [])) == 3 for r in comparisons) >= 6
