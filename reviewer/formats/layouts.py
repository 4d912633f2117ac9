"""The five systems' own results: recognised by their columns, read by a mapping made for them.

The names are those that the systems' reports write, so that what was written opens again.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from reviewer.domain.record import RECORD, SYNONYMS, Kind
from reviewer.formats.format import Look
from reviewer.formats.mapping import Fields, Mapping
from reviewer.formats.paths import Row, parsed, quoted

_IDS: Final = ("id", "test_case_id", "case_id", "test_id")
_CASES: Final[tuple[str, ...]] = ("case", "case_id")
_TAKEN: Final = ("id", "run", "case", "meta", "tokens_in", "tokens_out")
_HARNESS: Final = {
    "tool_score": "tool_usage",
    "quality_score": "response_quality",
    "error_score": "error_handling",
}
_FAQ: Final = (
    "exact_match", "keyword_recall", "answer_length", "politeness", "relevance", "faithfulness",
    "safety", "robustness",
)  # fmt: skip
_JUDGED: Final = _FAQ[4:]
_EXPORT: Final = (
    "evaluation", "chat", "chat_date", "evaluation_date", "metric", "weight", "auto_score",
    "reason", "examples", "human_score", "labeler", "labelled_at", "run",
)  # fmt: skip
_SCORED: Final = "_score"
_HISTORY: Final = {"timestamp", "pass_rate", "avg_scores"}
_SUMMARY: Final = {"overall_score", "grade", "categories"}
_TESTED: Final = {"total_tests", "passed", "failed", "pass_rate"}
_APART: Final = (
    ({"annotatorkind", "spanid"}, "annotations of spans and no spans; import the file of the "
     "spans, beside which it is read where its name has annotations in it"),
    ({"annotatorkind", "annotationname"}, "annotations of spans and no spans; import the file of "
     "the spans, beside which it is read where its name has annotations in it"),
    ({"annotatorkind", "traceid"}, "annotations of traces and no spans; import the file of the "
     "spans, beside which it is read where its name has annotations in it"),
    ({"traceid", "datatype", "source", "value"}, "scores of traces and no traces; export the "
     "traces with their scores and import these"),
    ({"messageid", "sampleid", "evalid"}, "messages, one a row, with what judges were asked and "
     "said among them; import the logs, or a table of samples with their messages"),
    ({"evalid", "taskname", "scoreheadlinevalue"}, "the figures of evaluations, one a row, and no "
     "samples; import the logs, or a table of samples"),
)  # fmt: skip
"""What tools write apart from what it is of, by names in small letters."""
Document = dict[str, Any]


class Layout(NamedTuple):
    """How a system's results are read.

    Attributes:
        rubric: The name of the system's rubric; empty where the metrics tell it.
    """

    rubric: str
    mapping: Mapping


def of_rows(rows: Sequence[Row]) -> Layout | None:
    """Tell by its first rows whether a file holds a system's results, and how they are read."""
    names = {name for row in rows for name in row}
    for make in (_harness, _faq, _agent_rubric, _virtual_agent, _report, _phoenix):
        found = make(names, rows)
        if found is not None:
            rubric, document = found
            return Layout(rubric, Mapping.model_validate(document))
    return None


def without_responses(rows: Sequence[Row]) -> str | None:
    """Say what a file of figures holds that has no responses, None where it is none."""
    names = {name for row in rows for name in row}
    if names >= _HISTORY and not names & {"results", "response", *SYNONYMS["response"]}:
        return (
            "holds the figures of runs, one a line, and no responses; import the "
            "evaluation_report_*.json of each run, from which the same figures are drawn"
        )
    if names >= _SUMMARY and "results" not in names:
        return "holds a summary by category and no responses; import the file with the rows"
    if names >= _TESTED and len(rows) == 1 and not rows[0].get("results"):
        return (
            "holds the summary of a test run, with at most its failures, and not all responses; "
            "import the list of results that the summary was made of"
        )
    spelled = {name.lower().replace("_", "") for name in names}
    apart = next((words for held, words in _APART if held <= spelled), None)
    if apart is not None and not spelled & {"input", "output", "response"}:
        return f"holds {apart}"
    written = _by_columns(rows[0]) if len(rows) == 1 else ""
    if written:
        return (
            f"holds a table as pandas' to_json writes it with orient='{written}', where no row "
            "stands by itself; save it with orient='records'"
        )
    return None


def _by_columns(row: Row) -> str:
    """Name the orient in which pandas wrote a table as one object, empty where it did not.

    Its rows go by numbers from 0; objects under other names may be anything.
    """
    # tools that save tables so leave the numbers of the rows out
    if row.keys() in ({"columns", "index", "data"}, {"columns", "data"}):
        columns, cells = row["columns"], row["data"]
        is_table = isinstance(columns, list) and isinstance(cells, list) and bool(cells)
        fits = is_table and all(isinstance(x, list) and len(x) == len(columns) for x in cells)
        return "split" if fits else ""
    held = [x for x in row.values() if isinstance(x, dict) and x]
    if len(held) < max(len(row), 2) or any(x.keys() != held[0].keys() for x in held):
        return ""
    if list(held[0]) == [str(n) for n in range(len(held[0]))]:
        return "columns"
    return "index" if list(row) == [str(n) for n in range(len(row))] else ""


def remarks(look: Look) -> tuple[str, ...]:
    """Say that a test run's summary holds its failures alone."""
    if look.records != "failures" or not look.top.keys() >= _TESTED:
        return ()
    failed, total = look.top["failed"], look.top["total_tests"]
    return (
        f"These are the failures of a test run alone, {failed} of {total} tests: what passed is "
        "not in the file, so that no pass rate can be read off them; the list of results that "
        "the summary was made of has all.",
    )


def _fields(names: Iterable[str], under: str = "") -> Document:
    """Give where the fields stand: by their own names, else by their synonyms."""
    there = set(names)
    found: Document = {}
    for field in RECORD.fields:
        if field.name not in Fields.model_fields or field.name in _TAKEN:
            continue
        said = [x for x in (field.name, *SYNONYMS.get(field.name, ())) if x in there]
        if said and field.kind is not Kind.ENTRIES:
            found[field.name] = {"from": [f"{under}{quoted(x)}" if under else x for x in said]}
    return found


def _identified(names: set[str], document: Document, *, case: str = "") -> Document:
    """Add the id, else the number of the row, and what runs have in common of a case."""
    ids = [x for x in _IDS if x in names]
    fields = document["fields"]
    fields["id"] = {"from": [*ids, "{number}"]}
    shared = [x for x in _CASES if x in names] or ([] if ids else [case])
    if shared and shared[0]:
        fields["case"] = {"from": shared}
    if "run" in names:
        document["run"] = "{run}"
    return document


def _score(column: str, metric: str, names: set[str]) -> Document:
    block: Document = {"metric": metric, "value": column}
    stem = column.removesuffix("_score")
    for reason in (f"{stem}_reason", f"{stem}_reasoning", f"{metric}_reasoning"):
        if reason in names:
            block["reasoning"] = reason
            break
    return block


Found = tuple[str, Document] | None


def _harness(names: set[str], rows: Sequence[Row]) -> Found:
    del rows
    if not names >= _HARNESS.keys():
        return None
    scores = [_score(column, metric, names) for column, metric in _HARNESS.items()]
    case = next((x for x in ("input", *SYNONYMS["input"]) if x in names), "")
    document = {"fields": _fields(names), "scores": scores}
    return "harness", _identified(names, document, case=case)


def _faq(names: set[str], rows: Sequence[Row]) -> Found:
    del rows
    if not names >= {"bot", "question", "answer"} or not names & {"expected", *_FAQ}:
        return None
    scores = [_score(name, name, names) for name in _FAQ if name in names]
    for block in scores:
        if block["metric"] in _JUDGED and "judge_raw" in names:
            block["raw"] = "judge_raw"
        if block["metric"] in _JUDGED and "judge_trace" in names:
            block["trace"] = "judge_trace"
    if "latency_ms" in names:
        scores.append({"metric": "latency", "value": "latency_ms"})
    fields = _fields(names) | {"model": "bot"}
    document: Document = {"fields": fields, "scores": scores, "run": "{bot}"}
    return "faq-bot", _identified(names, document, case="question")


def _agent_rubric(names: set[str], rows: Sequence[Row]) -> Found:
    if not names >= {"test", "output", "evaluation"}:
        return None
    tests, told = _objects(rows, "test"), _objects(rows, "evaluation")
    if not tests or not any(isinstance(x.get("dimension_scores"), dict) for x in told):
        return None
    inner = {name for test in tests for name in test}
    fields = _fields(names - {"test", "evaluation"}) | _fields(inner, under="test.")
    fields["response"] = "output"
    fields["id"] = {"from": [*(f"test.{x}" for x in _IDS if x in inner), "{number}"]}
    place = "evaluation.dimension_scores"
    scores = [{"metrics_in": place, "value": f"{place}.{{metric}}"}]
    document: Document = {"fields": fields, "scores": scores}
    if any(isinstance(x.get("reasons"), dict) for x in told):
        scores[0]["reasoning"] = "evaluation.reasons.{metric}"
    if "run" in names:
        document["run"] = "{run}"
    return "agent-rubric", document


def _objects(rows: Sequence[Row], name: str) -> list[Row]:
    """Give the objects of a column; in a table they stand as JSON."""
    held = (parsed(x[name]) if isinstance(x.get(name), str) else x.get(name) for x in rows)
    return [x for x in held if isinstance(x, dict)]


def _virtual_agent(names: set[str], rows: Sequence[Row]) -> Found:
    del rows
    if not names >= {"evaluation", "metric", "auto_score"}:
        return None
    fields = _fields(names - set(_EXPORT))
    fields["id"] = "evaluation"
    if not fields.keys() & {"input", "messages", "response"}:
        # the export has no transcript; a person must see of what the scores are
        fields["input"] = {"from": ["Chat {chat}", "{evaluation}"]}
    for name, column in (
        ("cluster", "chat"), ("occurred_at", "chat_date"), ("evaluated_at", "evaluation_date"),
    ):  # fmt: skip
        if column in names:
            fields[name] = column
    score = {"metric_column": "metric", "value": "auto_score"}
    score |= {
        key: column
        for key, column in (("reasoning", "reason"), ("examples", "examples"))
        if column in names
    }
    document: Document = {"layout": "long", "fields": fields, "scores": [score]}
    if names >= {"human_score", "labeler"}:
        label = {"metric_column": "metric", "value": "human_score", "labeler_column": "labeler"}
        label["several"] = ", "
        document["labels"] = [label | ({"at": "labelled_at"} if "labelled_at" in names else {})]
    named = {x for rule in fields.values() for x in _sources(rule)}
    document["keep"] = sorted(names - set(_EXPORT) - named) or "none"
    if "run" in names:
        document["run"] = "{run}"
    return "virtual-agent", document


def _sources(rule: str | Document) -> Sequence[str]:
    return [rule] if isinstance(rule, str) else rule["from"]


def _report(names: set[str], rows: Sequence[Row]) -> Found:
    """Find an object of `{metric: {score, reasoning, passed}}`, whatever it is called."""
    for name in sorted(names, key=lambda x: (x != "scores", x)):
        held = [x for x in _objects(rows, name) if x]
        inner = [part for one in held for part in one.values()]
        if held and all(isinstance(x, dict) and "score" in x for x in inner):
            place = quoted(name)
            block = {"metrics_in": place, "value": f"{place}.{{metric}}.score"}
            reason = next((x for x in ("reasoning", "reason") if any(x in y for y in inner)), "")
            if reason:
                block["reasoning"] = f"{place}.{{metric}}.{reason}"
            fields = _fields(names - {name})
            document: Document = {"fields": fields, "scores": [block]}
            if not fields.keys() & {"input", "messages", "response"}:
                return None
            return "", _identified(names, document)
    return None


def _phoenix(names: set[str], rows: Sequence[Row]) -> Found:
    """Find the columns that Phoenix's evaluators add to a table: a score that says its kind."""
    blocks: dict[str, list[Document]] = {"scores": [], "labels": []}
    told: set[str] = set()
    for name in sorted(x for x in names if x.endswith(_SCORED)):
        held = _objects(rows, name)
        if not held or not all(x.keys() >= {"name", "kind"} for x in held):
            continue
        place = quoted(name)
        is_scored = any(x.get("score") is not None for x in held)
        value = f"{place}.score" if is_scored else f"{place}.label"
        block: Document = {"metric": str(held[0]["name"]), "value": value}
        score = block | {
            "reasoning": f"{place}.explanation",
            "model": f"{place}.metadata.model",
            "scorer_column": f"{place}.kind",
            "unless": {f"{place}.kind": "human"},
        }
        label = block | {
            "labeler": "annotator",
            "comment": f"{place}.explanation",
            "when": {f"{place}.kind": "human"},
        }
        blocks["scores"].append(score)
        blocks["labels"] += [label] if any(x["kind"] == "human" for x in held) else []
        told.add(name)
    fields = _fields(names - told)
    if not told or not fields.keys() & {"input", "messages", "response"}:
        return None
    return "", _identified(names, {"fields": fields, **blocks})
