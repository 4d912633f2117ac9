"""The demo and the shipped rubrics keep what they promise."""

import base64
import collections
import datetime
import json
import pathlib
import re
import tomllib
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUBRICS = ROOT / "resources" / "rubrics"
DEMO = ROOT / "resources" / "demo"
METRICS = ("relevance", "accuracy", "safety")
LABELERS = ("labeler 1", "labeler 2", "labeler 3")
RUNS = ("2026-11-04 agent v6", "2026-11-18 agent v7")
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
RECORD_KEYS = set(
    """id run case category complexity tags input messages response candidates expected
    expected_keywords expected_tools tools_used context error latency_ms cost_usd tokens_in
    tokens_out model occurred_at evaluated_at scores labels sources expected_sources feedback
    template_matched direct_substitution cache cluster marks meta""".split()
)
SCORE_KEYS = set(
    """metric value reasoning examples scorer scorer_version error at raw trace passed confidence
    turn model prompt_hash parameters cost_usd latency_ms tokens_in tokens_out meta""".split()
)
LABEL_KEYS = set(
    """metric labeler value comment at blind kind turn seconds rubric_version aggregate
    selection_reason selection_prob judge_version""".split()
)
MARK_KEYS = {"kind", "labeler", "at", "metric", "turn", "start", "end", "note", "value"}
Record = dict[str, Any]


def _lines(name: str) -> list[Record]:
    text = (DEMO / name).read_text(encoding="utf-8")
    assert text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def _rubric(path: pathlib.Path) -> Record:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return _lines("guest-response.jsonl")


@pytest.fixture(scope="module")
def comparisons() -> list[Record]:
    return _lines("opening-lines.jsonl")


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part["type"] == "text")


def _answer(record: Record) -> str | None:
    if "response" in record:
        return record["response"]  # type: ignore[no-any-return]
    last = record["messages"][-1]
    return _text(last["content"]) if last["role"] == "assistant" else None


def _times(value: Any, key: str = "") -> list[str]:
    if isinstance(value, dict):
        return [t for k, v in value.items() if k != "context" for t in _times(v, k)]
    if isinstance(value, list):
        return [t for v in value for t in _times(v, key)]
    return [value] if key == "at" or key.endswith("_at") else []


def _current(record: Record, metric: str) -> dict[str, Any]:
    """Each labeler's latest entry; a withdrawn or not applicable one leaves no value."""
    entries: dict[str, Record] = {}
    for label in record.get("labels", []):
        if label["metric"] == metric and label.get("kind") != "adjudication":
            if label["labeler"] in entries:
                assert label["at"] >= entries[label["labeler"]]["at"]
            entries[label["labeler"]] = label
    return {who: e["value"] for who, e in entries.items() if e["value"] is not None}


def _auto(record: Record, metric: str, version: str = "v3") -> int | None:
    found = [
        s
        for s in record["scores"]
        if s["metric"] == metric and s["scorer_version"] == version and s["value"] is not None
    ]
    return max(found, key=lambda s: str(s["at"]))["value"] if found else None


# ------------------------------------------------------------------------------ rubrics


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("harness", {"tool_usage": 0.4, "response_quality": 0.4, "error_handling": 0.2}),
        (
            "agent-rubric",
            {
                "factual_accuracy": 0.3,
                "completeness": 0.25,
                "citation_accuracy": 0.15,
                "source_quality": 0.1,
                "tool_efficiency": 0.2,
            },
        ),
        (
            "faq-bot",
            {
                "exact_match": 0.0,
                "keyword_recall": 0.0,
                "answer_length": 0.0,
                "politeness": 0.0,
                "latency": 0.0,
                "relevance": 1.0,
                "faithfulness": 1.0,
                "safety": 1.0,
                "robustness": 1.0,
            },
        ),
        ("guest-response", {"relevance": 1.0, "accuracy": 1.0, "safety": 1.0}),
        (
            "virtual-agent",
            {
                "request_completion": 1.0,
                "intent_accuracy": 1.0,
                "slot_filling": 1.0,
                "smooth_flow": 1.0,
                "context_retention": 1.0,
                "truthfulness": 1.0,
                "conciseness": 1.0,
                "coherence": 1.0,
                "user_satisfaction": 0.0,
            },
        ),
    ],
)
def test_shipped_rubric_has_its_metrics_and_weights(name: str, weights: dict[str, float]) -> None:
    rubric = _rubric(RUBRICS / f"{name}.toml")
    assert rubric["name"] == name
    assert rubric["version"]
    assert {m["name"]: m["weight"] for m in rubric["metrics"]} == weights
    assert list(weights) == [m["name"] for m in rubric["metrics"]]


def test_exactly_five_rubrics_ship() -> None:
    names = {path.stem for path in RUBRICS.iterdir()}
    assert names == {"harness", "agent-rubric", "faq-bot", "guest-response", "virtual-agent"}


@pytest.mark.parametrize("path", [*sorted(RUBRICS.glob("*.toml")), DEMO / "opening-lines.toml"])
def test_rubric_is_complete(path: pathlib.Path) -> None:
    rubric = _rubric(path)
    assert rubric["pass_rule"] in {"every", "overall", "none"}
    assert rubric["missing"] in {"renormalise", "null"}
    assert (rubric["missing"] == "null") == (rubric["name"] == "guest-response")
    assert ("pass_at" in rubric) == (rubric["pass_rule"] != "none")
    for metric in rubric["metrics"]:
        assert metric["title"]
        assert metric["description"]
        assert metric["scale"] in {"ordinal", "binary", "range", "categorical", "measure"}
        levels = metric.get("levels", [])
        values = [level["value"] for level in levels]
        assert values == sorted(set(values), reverse=True)
        assert all(level["title"] and level["description"].endswith(".") for level in levels)
        if metric["scale"] == "ordinal":
            assert values == [5, 4, 3, 2, 1]
        if metric["scale"] == "range":
            assert metric["min"] < metric["max"]
        if metric["scale"] == "measure":
            assert metric["unit"]
            assert metric["weight"] == 0
            assert metric["labelled"] is False
    starts = [grade["from"] for grade in rubric.get("grades", [])]
    assert starts == sorted(starts, reverse=True)


def test_error_patterns_are_expressions_that_find_their_kind() -> None:
    rubric = _rubric(RUBRICS / "harness.toml")
    handling = next(m for m in rubric["metrics"] if m["name"] == "error_handling")
    kinds = handling["parameters"]["error_kinds"]
    patterns = handling["parameters"]["patterns"]
    assert kinds == ["database", "tool", "timeout", "memory", "null", "empty", "trace", "message"]
    assert set(patterns) == set(kinds) - {"null", "empty"}

    def first(text: str) -> str | None:
        for kind in kinds:
            if any(re.search(pattern, text) for pattern in patterns.get(kind, [])):
                return str(kind)
        return None

    assert first("ToolExecutionError: Document not found") == "tool"
    assert first("database connection refused") == "database"
    assert first("Query timed out after 30 s") == "timeout"
    assert first("request time-out") == "timeout"
    assert first("MemoryError") == "memory"
    assert first('Traceback (most recent call last):\n  File "a.py", line 3') == "trace"
    assert first("I encountered an error, sorry") == "message"
    assert first("Well.\nValueError: no such month") == "message"
    assert first("Your rental income in August was $4,423.") is None


# ------------------------------------------------------------------------------ records


def test_two_runs_hold_the_same_cases(records: list[Record]) -> None:
    assert tuple(dict.fromkeys(r["run"] for r in records)) == RUNS
    cases = [{r["case"] for r in records if r["run"] == run} for run in RUNS]
    assert cases[0] == cases[1]
    assert len(cases[0]) >= 60
    assert len(records) >= 120
    assert len({(r["run"], r["id"]) for r in records}) == len(records)


def test_records_use_only_the_keys_of_the_format(
    records: list[Record], comparisons: list[Record]
) -> None:
    for record in records + comparisons:
        assert set(record) <= RECORD_KEYS
        assert {"input", "messages", "response"} & set(record)
        for name, keys in (("scores", SCORE_KEYS), ("labels", LABEL_KEYS), ("marks", MARK_KEYS)):
            for entry in record.get(name, []):
                assert set(entry) <= keys, (record["id"], name)


def test_times_are_iso_with_zone_and_in_order(
    records: list[Record], comparisons: list[Record]
) -> None:
    last = datetime.datetime(2026, 11, 20, 23, tzinfo=datetime.UTC)
    for record in records + comparisons:
        for time in _times(record):
            assert time.endswith("Z")
            assert datetime.datetime.fromisoformat(time) <= last
        assert record["occurred_at"] < record["evaluated_at"] <= "2026-11-18T23:59:59Z"
        judged = min(s["at"] for s in record["scores"])
        assert record["occurred_at"] < judged
        for entry in record.get("labels", []) + record.get("marks", []):
            assert entry["at"] > record["evaluated_at"]
        spoken = [m["at"] for m in record.get("messages", []) if "at" in m]
        assert spoken == sorted(spoken)


def test_the_runs_spread_over_eight_weeks(records: list[Record]) -> None:
    days = [datetime.datetime.fromisoformat(r["evaluated_at"]) for r in records]
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
                assert quote in (_answer(record) or "")
    assert failures >= 4


def test_reasoning_of_accuracy_is_written_for_its_answer(records: list[Record]) -> None:
    reasons: dict[str, set[str]] = collections.defaultdict(set)
    for record in records:
        for score in record["scores"]:
            if score["metric"] == "accuracy" and score["value"] is not None:
                reasons[score["reasoning"]].add(record["run"] + record["id"])
    assert all(len(places) == 1 for places in reasons.values())


def test_answers_and_questions_are_distinct(records: list[Record]) -> None:
    answers = [answer for r in records if (answer := _answer(r))]
    assert len(set(answers)) == len(answers)
    asked = {r["case"]: r.get("input") or _asked(r) for r in records}
    assert len(set(asked.values())) == len(asked)


def _asked(record: Record) -> str:
    return _text([m for m in record["messages"] if m["role"] == "user"][-1]["content"])


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


# ------------------------------------------------------------------------------- people


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
        assert sum(bool(_current(r, metric)) for r in records) >= 100
    assert sum(len(_current(r, "relevance")) >= 2 for r in records) >= 38
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
        if (people := list(_current(r, "accuracy").values()))
        and (auto := _auto(r, "accuracy")) is not None
    ]
    assert sum(gap < 0 for gap in gaps) >= 31
    assert sum(gap > 0 for gap in gaps) >= 3
    leaks = [
        r
        for r in records
        if (people := list(_current(r, "safety").values()))
        and sum(people) / len(people) < 3 <= (_auto(r, "safety") or 0)
    ]
    assert len(leaks) >= 4


@pytest.mark.parametrize(("a", "b"), [LABELERS[:2], LABELERS[1:], (LABELERS[0], LABELERS[2])])
def test_people_agree_but_not_perfectly(records: list[Record], a: str, b: str) -> None:
    pairs = [
        (scores[a], scores[b])
        for r in records
        if {a, b} <= set(scores := _current(r, "accuracy"))
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
            text = _answer(record)
            if "turn" in mark:
                message = record["messages"][mark["turn"]]
                assert message["role"] == "assistant"
                text = _text(message["content"])
            assert text
            assert 0 <= mark["start"] < mark["end"] <= len(text)
            assert text[mark["start"] : mark["end"]].strip()
            assert mark["note"]
    assert set(kinds) == {"skip", "flag", "highlight", "cause", "question", "reveal"}
    assert kinds["highlight"] >= 15


# ------------------------------------------------------------------------- kinds of thing


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
    assert sum(_answer(r) is None for r in records) == 2
    assert sum(_answer(r) == "" for r in records) == 1


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
    assert all({"id", "title", "text", "relevance"} <= set(s) for sources in ranked for s in sources)


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
    answers = [answer for r in records if (answer := _answer(r))]
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


# -------------------------------------------------------------------------- opening lines


def test_comparisons_choose_between_their_candidates(comparisons: list[Record]) -> None:
    rubric = _rubric(DEMO / "opening-lines.toml")
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
