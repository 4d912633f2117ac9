"""The figures of each example set follow from its records and show what the system computes."""

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Callable
from datetime import date, datetime
from statistics import mean
from typing import Any

import pytest

from tests.resources.example_sets import (
    EXAMPLES,
    Record,
    answer,
    metrics,
    reasons,
    records,
    scores,
    tokens,
    used_tools,
)

# the harness


def test_harness_scores_follow_from_the_records() -> None:
    for record in records("harness"):
        text = (answer(record) or "").lower()
        bare = re.sub("(?<=\\d)[,'\u2019\u2009\u202f\u00a0](?=\\d{3}(?!\\d))", "", text)
        words = record["expected_keywords"]
        missing = [word for word in words if word.lower() not in text and word.lower() not in bare]
        score = scores(record)

        used = set(used_tools(record))
        assert score["tool_usage"] == float(set(record["expected_tools"]) <= used)
        share = (len(words) - len(missing)) / len(words) if words else 1.0
        assert score["response_quality"] == pytest.approx(share, abs=1e-12)
        assert score["error_handling"] == float(_error_kind(record) is None)


def _error_kind(record: Record) -> str | None:
    patterns = metrics("harness")["error_handling"]["parameters"]["patterns"]
    if record.get("error"):
        system_kinds = ("database", "tool", "timeout", "memory")
        found = (
            k for k in system_kinds if any(re.search(p, record["error"]) for p in patterns[k])
        )
        return next(found, "other")
    text = answer(record)
    if text is None:
        return "null"
    if not text.strip():
        return "empty"
    return _first_kind(patterns, ("trace", "message"), text)


def _first_kind(patterns: Record, kinds: tuple[str, ...], text: str) -> str | None:
    found = (kind for kind in kinds if any(re.search(p, text) for p in patterns[kind]))
    return next(found, None)


def test_harness_reasoning_names_what_is_missing() -> None:
    for record in records("harness"):
        score, reason = scores(record), reasons(record)
        found = re.match(r"(\d+) of (\d+) found(, missing: )?", reason["response_quality"])
        if record["expected_keywords"]:
            assert found is not None
            assert int(found[1]) / int(found[2]) == score["response_quality"]
            assert bool(found[3]) == (score["response_quality"] < 1)
        assert (reason["error_handling"] == "No error.") == (score["error_handling"] == 1)


def test_harness_shows_every_kind_of_error_once_or_more() -> None:
    kinds = metrics("harness")["error_handling"]["parameters"]["error_kinds"]

    assert {_error_kind(record) for record in records("harness")} - {None} == set(kinds)


def test_harness_fixes_and_breaks_cases() -> None:
    verdicts = _verdicts("harness", lambda found: _weighted("harness", found) >= 0.7)

    assert (False, True) in verdicts
    assert (True, False) in verdicts
    assert (False, False) in verdicts


def test_harness_finds_the_number_with_a_separator() -> None:
    record = next(record for record in records("harness") if record["case"] == "basis-foundry")

    assert "442300" in record["expected_keywords"]
    assert "442,300" in str(answer(record))
    assert scores(record)["response_quality"] == 0.8


def _weighted(system: str, found: dict[str, Any]) -> float:
    parts = [
        (metric["weight"], found[name])
        for name, metric in metrics(system).items()
        if found.get(name) is not None
    ]
    return round(float(sum(w * x for w, x in parts) / sum(w for w, _ in parts)), 9)


def _verdicts(
    system: str, passes: Callable[[dict[str, Any]], bool], version: str | None = None
) -> list[tuple[bool, bool]]:
    verdicts: dict[str, list[bool]] = {}
    for record in records(system):
        verdicts.setdefault(record["case"], []).append(passes(scores(record, version)))
    return [(first, second) for first, second in verdicts.values()]


# the agent rubric


def test_factual_accuracy_is_the_weighted_share_of_right_claims() -> None:
    worth = {"correct": 1.0, "partly": 0.5, "wrong": 0.0, "unverifiable": 0.0}
    for record in records("agent-rubric"):
        score = next(s for s in record["scores"] if s["metric"] == "factual_accuracy")
        claims = json.loads(score["raw"])["claims"]
        weights = [2 if claim["importance"] == "major" else 1 for claim in claims]
        right = [w * worth[c["verdict"]] for w, c in zip(weights, claims, strict=True)]
        assert score["value"] == pytest.approx(sum(right) / sum(weights), abs=1e-12)


def test_agent_rubric_has_scores_between_levels_and_failing_answers() -> None:
    found = [scores(record) for record in records("agent-rubric")]
    values = {value for score in found for value in score.values() if value is not None}
    overall = [_weighted("agent-rubric", score) for score in found]

    assert values - {0, 0.3, 0.6, 0.8, 1}
    assert any(value < 0.7 for value in overall)
    assert any("complexity" not in record for record in records("agent-rubric"))
    assert any(record.get("sources") for record in records("agent-rubric"))


def test_agent_rubric_fixes_and_breaks_cases() -> None:
    verdicts = _verdicts("agent-rubric", lambda found: _weighted("agent-rubric", found) >= 0.7)

    assert {(False, True), (True, False)} <= set(verdicts)


# the FAQ bots


def test_faq_scores_follow_from_the_answers() -> None:
    markers = metrics("faq-bot")["politeness"]["parameters"]["markers"]
    for record in records("faq-bot"):
        text, wanted = record["response"], record["expected"]
        score = scores(record)
        same = " ".join(text.lower().split()) == " ".join(wanted.lower().split())
        recall = len(tokens(text) & tokens(wanted)) / len(tokens(wanted))

        assert score["exact_match"] == float(same)
        assert score["keyword_recall"] == pytest.approx(recall, abs=1e-12)
        assert score["answer_length"] == len(text)
        assert score["politeness"] == min(0.5 * sum(m in text.lower() for m in markers), 1)
        assert score["latency"] == record["latency_ms"]


def test_the_strict_bot_gives_the_row_most_similar() -> None:
    with (EXAMPLES / "faq.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert set(rows[0]) == {"question", "answer"}
    for record in records("faq-bot"):
        if record["run"] == "strict match":
            likeness = [_cosine(record["input"], row["question"]) for row in rows]
            row = rows[likeness.index(max(likeness))]
            assert record["response"] == row["answer"]
            assert record["meta"]["matched_question"] == row["question"]
            assert record["meta"]["similarity"] == pytest.approx(max(likeness), abs=1e-12)


def _cosine(one: str, other: str) -> float:
    left, right = tokens(one), tokens(other)
    return len(left & right) / math.sqrt(len(left) * len(right))


def test_faq_judge_replies_and_traces_are_kept_on_some() -> None:
    judged = [s for r in records("faq-bot") for s in r["scores"] if s["scorer"] == "faq-judge"]
    replies = [s for s in judged if "raw" in s and s["value"] is not None]

    assert len(replies) < len(judged)
    assert any("trace" in score for score in judged)
    for score in replies:
        assert json.loads(score["raw"]) == {"score": score["value"], "reason": score["reasoning"]}


def test_faq_families_disagree_somewhere_and_questions_vary() -> None:
    found = [scores(record) for record in records("faq-bot")]

    assert any(score["exact_match"] == 0 and score["relevance"] == 5 for score in found)
    assert any(score["keyword_recall"] < 0.4 and score["faithfulness"] >= 4 for score in found)
    kinds = {tag for record in records("faq-bot") for tag in record["tags"]}
    assert kinds == {"plain", "misspelt", "vague", "rephrased", "misleading"}


def test_the_document_holds_the_figures_of_the_faq() -> None:
    document = (EXAMPLES / "faq-document.md").read_text(encoding="utf-8")
    with (EXAMPLES / "faq.csv").open(encoding="utf-8", newline="") as file:
        figures = set(
            re.findall(r"\b\d+\b", " ".join(row["answer"] for row in csv.DictReader(file)))
        )

    assert figures <= set(re.findall(r"\b\d+\b", document))


# the guest responses


def test_guest_judge_passes_from_three() -> None:
    for record in records("guest-response"):
        for score in record["scores"]:
            assert score["value"] is None or score["passed"] == (score["value"] >= 3)


def test_guest_runs_lie_on_both_sides_of_the_targets() -> None:
    figures = []
    for run in dict.fromkeys(record["run"] for record in records("guest-response")):
        found = [record for record in records("guest-response") if record["run"] == run]
        matched = [record for record in found if record["template_matched"]]
        passed = [record for record in found if _guest_passes(scores(record, "2"))]
        figures.append(
            (
                len(passed) / len(found),
                len(matched) / len(found),
                mean(record["direct_substitution"] for record in matched),
                mean(record["cost_usd"] for record in found),
            )
        )
        assert {record["cache"] for record in found} == {"warm", "cold"}
    (pass_a, match_a, direct_a, cost_a), (pass_b, match_b, direct_b, cost_b) = figures

    assert pass_a < 0.7
    assert pass_b >= 0.8
    assert match_a < 0.9 <= match_b
    assert direct_a > 0.8 >= direct_b >= 0.6
    assert cost_a > 0.005 > cost_b


def _guest_passes(found: dict[str, Any]) -> bool:
    return all(value is not None and value >= 3 for value in found.values())


def test_guest_substitution_is_said_of_matches_only() -> None:
    for record in records("guest-response"):
        assert ("direct_substitution" in record) == record["template_matched"]


def test_guest_cases_are_fixed_and_broken() -> None:
    assert {(False, True), (True, False)} <= set(_verdicts("guest-response", _guest_passes, "2"))


# the virtual agent


def test_chats_have_turns_with_times_and_enough_words() -> None:
    for record in records("virtual-agent"):
        turns = record["messages"]
        assert all("at" in turn for turn in turns)
        words = sum(len(t["content"].split()) for t in turns if t.get("name") != "human agent")
        assert (words < 180) == ("pre-check" in record["tags"])
        assert ("pre-check" in record["tags"]) != ("scores" in record)


def test_examples_of_the_judge_are_quotations() -> None:
    for record in records("virtual-agent"):
        whole = "\n".join(turn["content"] for turn in record["messages"])
        for score in record.get("scores", []):
            assert all(example in whole for example in score.get("examples", []))


def test_chats_spread_over_both_sides_of_the_window() -> None:
    days = [datetime.fromisoformat(r["evaluated_at"]).date() for r in records("virtual-agent")]

    assert sum(day < date(2026, 5, 20) for day in days) >= 10
    assert sum(date(2026, 5, 20) <= day <= date(2026, 11, 20) for day in days) >= 20
    assert len({(day.year, day.month) for day in days}) >= 8


def test_some_chats_lack_a_score_of_their_own_for_completion() -> None:
    judged = [scores(record) for record in records("virtual-agent") if "scores" in record]
    derived = [score for score in judged if "request_completion" not in score]

    assert 3 <= len(derived) < len(judged) / 2
    assert all({"slot_filling", "intent_accuracy"} <= set(score) for score in derived)
    assert any(score.get("conciseness", 0) is None for score in judged)


def test_eight_metrics_by_two_people_on_some_chats_and_fewer_on_others() -> None:
    counts: Counter[tuple[int, int]] = Counter()
    for record in records("virtual-agent"):
        found = [label for label in record.get("labels", []) if label["kind"] == "label"]
        people = len({label["labeler"] for label in found})
        counts[people, len({label["metric"] for label in found})] += 1

    assert counts[2, 8] >= 10
    assert sum(n for (people, kinds), n in counts.items() if people and kinds < 8) >= 5


def test_the_judge_of_truthfulness_is_clearly_too_lenient() -> None:
    gaps = []
    for record in records("virtual-agent"):
        given = [
            label["value"]
            for label in record.get("labels", [])
            if (label["metric"], label["kind"]) == ("truthfulness", "label")
        ]
        if given:
            gaps.append(mean(given) - scores(record)["truthfulness"])

    assert len(gaps) >= 20
    assert mean(gaps) < -0.7
