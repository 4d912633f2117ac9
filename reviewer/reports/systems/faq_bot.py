"""The FAQ-bot framework's table: a row an answer, and the answers where families disagree."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from pydantic import JsonValue

from reviewer.reports.cases import RunCases, ScoredCase
from reviewer.reports.document import OwnPart, Rows, Table, named_of

RUBRIC: Final = "faq-bot"
"""The name of the rubric whose runs have such results."""
COMPUTED: Final = ("exact_match", "keyword_recall", "answer_length", "politeness")
JUDGED: Final = ("relevance", "faithfulness", "safety", "robustness")


def faq_row(scored: ScoredCase) -> dict[str, JsonValue]:
    """Give one bot's answer to one question with all scores, in the framework's field names."""
    case, latency = scored.case, scored.value("latency")
    row: dict[str, JsonValue] = {
        "bot": case.bot or case.model or case.run,
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


def contradictions(found: RunCases) -> Iterator[dict[str, JsonValue]]:
    """Name the answers on which families disagree, rule by rule, in the order of the cases."""
    for one in found.contradictions:
        for scored in found.cases:
            if scored.case.key in one.keys:
                yield {
                    "id": scored.case.id,
                    "run": scored.case.run,
                    "low": one.low,
                    "high": one.high,
                    "text": f"{one.title}: {one.meaning}",
                }


def own_part(found: RunCases) -> OwnPart:
    """Give the rows of a run, and the answers where families disagree."""
    said = list(contradictions(found))

    def tables() -> list[Table]:
        by_text: dict[str, list[str]] = {}
        for one in said:
            where = f" ({one['run']})" if len(found.runs) > 1 else ""
            by_text.setdefault(str(one["text"]), []).append(f"{one['id']}{where}")
        rows = [[text, f"{len(ids):,}", named_of(ids)] for text, ids in by_text.items()]
        return [
            Table("Where families disagree", ["What", "Responses", "Which"], rows).of(len(rows))
        ]

    document = {
        "rows": Rows(len(found.keys), lambda: map(faq_row, found.whole.read(found.keys))),
        "contradictions": list[JsonValue](said),
    }
    return OwnPart(document, tables)
