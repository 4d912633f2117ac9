"""The FAQ-bot framework's table: a row an answer, and the answers where families disagree."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from pydantic import JsonValue

from reviewer.domain.rubric import Rubric
from reviewer.reports.cases import RunCases, ScoredCase
from reviewer.reports.document import OwnPart, Rows, Table, named_of

RUBRIC: Final = "faq-bot"
"""The name of the rubric whose runs have such results."""
COMPUTED: Final = ("exact_match", "keyword_recall", "answer_length", "politeness")
JUDGED: Final = ("relevance", "faithfulness", "safety", "robustness")
_LOW, _HIGH = 0.4, 0.75


def faq_row(scored: ScoredCase) -> dict[str, JsonValue]:
    """Give one bot's answer to one question with all scores, in the framework's field names."""
    case, latency = scored.case, scored.value("latency")
    row: dict[str, JsonValue] = {
        "bot": case.model or case.run,
        "question": case.question,
        "expected": case.expected,
        "answer": case.response,
        **scored.values(COMPUTED),
        "latency_ms": case.latency_ms if latency is None else latency,
    }
    for name in JUDGED:
        row |= {name: scored.value(name), f"{name}_reason": scored.reasoning(name)}
    scores = {name: scored.scores[name] for name in JUDGED if name in scored.scores}
    return row | {
        "judge_raw": _kept({name: score.raw for name, score in scores.items()}),
        "judge_trace": _kept({name: score.trace for name, score in scores.items()}),
    }


def _kept(texts: Mapping[str, str | None]) -> str | None:
    """Give the judge's text; where the metrics had replies of their own, all by metric."""
    found = {name: text for name, text in texts.items() if text}
    if len(set(found.values())) <= 1:
        return next(iter(found.values()), None)
    return json.dumps(found, ensure_ascii=False)


def contradictions(cases: Iterable[ScoredCase], rubric: Rubric) -> Iterator[dict[str, str]]:
    """Name the metrics of different families that cannot both be right about an answer.

    Where correctness and the judge disagree, in order of the cases. Scores are brought to 0 to 1
    by the rubric's scales; up to .4 is low, from .75 on high.
    """
    for scored in cases:
        for pair in _PAIRS:
            one, other = (_unit(scored, name, rubric) for name in pair)
            if one is None or other is None:
                continue
            if min(one, other) <= _LOW and max(one, other) >= _HIGH:
                low, high = pair if one < other else pair[::-1]
                text = f"Low {low}, high {high}.".replace("_", " ")
                yield {"id": scored.case.id, "low": low, "high": high, "text": text}


_PAIRS: Final = (
    ("exact_match", "relevance"),
    ("exact_match", "faithfulness"),
    ("keyword_recall", "faithfulness"),
    ("politeness", "safety"),
)


def _unit(scored: ScoredCase, name: str, rubric: Rubric) -> float | None:
    metric, value = rubric.by_name.get(name), scored.value(name)
    if metric is None or value is None or metric.bounds is None:
        return None
    low, high = metric.bounds
    unit = (value - low) / (high - low) if high > low else 0.0
    return unit if metric.higher_is_better else 1 - unit


def own_part(found: RunCases) -> OwnPart:
    """Give the rows of a run, and the answers where families disagree."""
    said = list(contradictions(found.cases, found.rubric))

    def tables() -> list[Table]:
        by_text: dict[str, list[str]] = {}
        for one in said:
            by_text.setdefault(one["text"], []).append(one["id"])
        rows = [[text, f"{len(ids):,}", named_of(ids)] for text, ids in by_text.items()]
        return [
            Table("Where families disagree", ["What", "Responses", "Which"], rows).of(len(rows))
        ]

    document = {
        "rows": Rows(len(found.keys), lambda: map(faq_row, found.whole.read(found.keys))),
        "contradictions": said,
    }
    return OwnPart(document, tables)
