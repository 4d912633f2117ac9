"""Published sets in which people and judges scored the same: each read by a mapping made for it.

SummEval's annotations (with the judges' replies where their folder lies beside), G-Eval's items
and results, FED's dialogs and its automatic scores, TriviaQA answers with many judges' verdicts,
AgentRewardBench's annotations. Read from real files of all but the last, whose columns are those
that its scripts and users read; the figures that follow are held against published ones in tests.
In 20 of SummEval's 14,400 replies the published rules take another number than the score that the
judge names, such as the 5 of "3 out of 5"; here the judge's counts.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from reviewer.domain.rubric import Level, Metric
from reviewer.formats import tables
from reviewer.formats.annotations import number_of
from reviewer.formats.format import ITEMS, Format, Look, Shape, Sniffed
from reviewer.formats.incoming import Fields, Incoming, RawRow, Record, Source
from reviewer.formats.mapping import Mapping, mapping_from
from reviewer.formats.paths import Row, quoted

_FIRST_ROWS = 50
_TABLE: frozenset[Shape] = frozenset({"table"})
Document = dict[str, Any]
Make = Callable[[Sequence[Row], Source], Document]
"""Make a mapping, by the first rows and what lies beside the file."""

_SUMMEVAL = ("coherence", "consistency", "fluency", "relevance")
_REPLIES = "../eval_model_generations"
_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_LETTERS = {"A": 1, "B": 2, "C": 3, "D": 4, "E": 5}
_KINDS: dict[str, Sequence[str]] = {
    "rts": (
        r"(?i)final score(?: is|:)?\s*([1-5](?:\.\d+)?)",
        r"(?i)score(?: of|:| is|s)?\s*(?:a\s+)?([1-5](?:\.\d+)?)",
        r"([1-5](?:\.\d+)?)\s*(?:/|out of)\s*5",
        r"(?i)\bscor(?:e|es|ing)\b(?: is)?(?: of)?(?: an?)? (one|two|three|four|five)\b",
        r"(?i)\b(one|two|three|four|five) out of five",
        r"\b([1-5](?:\.\d+)?)\D*$",
    ),
    "mcq": (r"^\W*([A-E])\b", r"(?i)\b(?:answer|choice|option)\b\W*(?:is\W*)?([A-E])\b"),
}
"""How a score stands in a reply: reasoned in prose, or one of the choices A to E."""


def _summeval(rows: Sequence[Row], source: Source) -> Document:
    del rows
    document: Document = {
        "fields": {
            "id": "{id}|{model_id}", "case": "id", "input": "text", "response": "decoded",
            "expected": "references[0]", "model": "model_id",
        },
        "labels": [
            {"metric": _SUMMEVAL, "value": f"{who}_annotations[].{{metric}}",
             "labeler": f"{who} {{n}}"}
            for who in ("expert", "turker")
        ],
        "join": [],
        "scores": [],
    }  # fmt: skip
    for judge, kind in _replies_beside(source.path.parent / _REPLIES):
        for metric in _SUMMEVAL:
            name = f"{judge} {kind} {metric}"
            document["join"].append(
                {"name": name, "file": f"{_REPLIES}/{judge}/eval_{{model_id}}_generations/"
                 f"{metric}_{kind}.txt"}
            )  # fmt: skip
            reply = f"{quoted(name)}.resp"
            document["scores"].append(
                {"metric": metric, "value": reply, "scorer": judge, "scorer_version": kind,
                 "extract": _KINDS[kind], "as": "text",
                 **({"reasoning": reply} if kind == "rts" else {"raw": reply})}
            )  # fmt: skip
    return document


def _replies_beside(folder: Path) -> list[tuple[str, str]]:
    """Give the judges whose replies lie beside the annotations, and how they were asked."""
    judges = sorted(x for x in folder.iterdir() if x.is_dir()) if folder.is_dir() else []
    return [
        (judge.name, kind)
        for judge in judges
        for kind in _KINDS
        if any(judge.glob(f"eval_*_generations/*_{kind}.txt*"))
    ]


def _numbers(fields: Fields) -> None:
    """Make numbers of the scores that were found in replies."""
    for score in fields.get("scores", ()):
        said = score["value"]
        if isinstance(said, str):
            word = _WORDS.get(said.lower()) or _LETTERS.get(said.upper())
            score["value"] = word or number_of(said)


def _one_to_five(metrics: Sequence[str]) -> tuple[Metric, ...]:
    levels = tuple(Level(value=value) for value in range(1, 6))
    return tuple(Metric(name=name, levels=levels) for name in metrics)


def _g_eval(rows: Sequence[Row], source: Source) -> Document:
    """Take people's means, and the mean of a judge's replies; the prompt names the metric."""
    del source
    held = [row["scores"] for row in rows if isinstance(row["scores"], dict)]
    metrics = list(dict.fromkeys(name for one in held for name in one))
    document: Document = {
        "fields": {
            "id": "{doc_id}|{system_id}", "case": "doc_id", "input": "source",
            "response": "system_output", "expected": "reference", "model": "system_id",
        },
        # the set has means of three annotators and no single answers
        "labels": [{"metric": metrics, "value": "scores.{metric}", "labeler": "mean of people",
                    "aggregate": 3}] if metrics else [],
    }  # fmt: skip
    prompt = str(rows[0].get("prompt") or "").lower() if rows else ""
    asked = max(metrics, key=prompt.count, default="")
    if asked in prompt and any(isinstance(row.get("all_responses"), list) for row in rows):
        document["scores"] = [
            {"metric": asked, "value": "all_responses[]", "combine": "mean", "scorer": "G-Eval",
             "extract": [r"^\s*([1-5](?:\.\d+)?)"]}
        ]  # fmt: skip
    return document


def _fed(rows: Sequence[Row], source: Source) -> Document:
    del rows, source
    return {
        "fields": {
            "id": "{index}",
            "response": {"from": ["response"], "extract": "(?s)^(?:System: )?(.*)"},
            "model": "system",
        },
        "split": {"text": "context", "user": "User: ", "assistant": "System: "},
        "labels": [
            {"metrics_in": "annotations", "value": "annotations.{metric}[]",
             "labeler": "annotator {n}", "as": "number", "not_applicable": ["N/A*", "n/a*"]}
        ],
    }  # fmt: skip


def _fed_scores(rows: Sequence[Row], source: Source) -> Document:
    del rows, source
    return {
        # the file of dialogs numbers all of them alike
        "fields": {"id": "{level}-{index}", "category": "level", "input": "input"},
        "scores": [{"metrics_in": "score", "value": "score.{metric}", "scorer": "FED"}],
    }


_TRIVIA = ("model", "response", "question", "references")
_TRIVIA_PEOPLE = ("HumanJudgement", "HumanJudgment", "Human-Eval")


def _trivia(rows: Sequence[Row], source: Source) -> Document:
    """Take every column of yes and no as a judge, but for people's."""
    del source
    names = list(dict.fromkeys(name for row in rows for name in row))
    people = [name for name in names if name in _TRIVIA_PEOPLE]
    verdicts = {"true", "false", ""}
    judges = [
        name
        for name in names
        if name not in (*_TRIVIA, *people)
        and {str(row.get(name) or "").strip().lower() for row in rows} <= verdicts
    ]
    return {
        "fields": {
            "id": "{number}", "case": "question", "input": "question", "response": "response",
            "expected": "references", "model": "model",
        },
        "scores": [
            {"metric": "correct", "scorer": judge, "value": quoted(judge), "as": "boolean"}
            for judge in judges
        ],
        "labels": [
            {"metric": "correct", "value": quoted(name), "as": "boolean",
             "labeler": "human" if name == people[0] else name}
            for name in people
        ],
    }  # fmt: skip


_AGENT_METRICS = ("success", "side_effect", "optimality", "looping")
_AGENT_WORDS = {"Successful": True, "Unsuccessful": False, "Yes": True, "No": False}


def _agent_reward(rows: Sequence[Row], source: Source) -> Document:
    del source
    labels = [
        {
            "metric": metric, "value": f"trajectory_{metric}", "labeler_column": "annotator_name",
            "not_applicable": ["Unsure*", "N/A*"],
            **({"extract": [r"^(\d)\.", "^(.*)$"]} if metric == "optimality"
               else {"map": _AGENT_WORDS}),
        }
        for metric in _AGENT_METRICS
        if any(f"trajectory_{metric}" in row for row in rows)
    ]  # fmt: skip
    return {
        "layout": "long",
        "fields": {
            "id": "{benchmark}|{task_id}|{model_name}", "case": "{benchmark}|{task_id}",
            # the table has no trajectories; a person must see of what the answers are
            "input": "Task {task_id} of {benchmark} by {model_name}",
            "category": "benchmark", "model": "model_name",
        },
        "keep": [name for name in ("exp_name",) if any(name in row for row in rows)] or "none",
        "labels": labels,
    }  # fmt: skip


class _Set(NamedTuple):
    """A published set.

    Attributes:
        keys: Its rows have all of these.
        any_of: And one of these, where there are any.
        inner: Of these there are objects.
        make: Makes its mapping.
        after: Finishes a record.
        metrics: The scales that it is known to have.
    """

    name: str
    title: str
    keys: Sequence[str]
    make: Make
    shapes: frozenset[Shape] = ITEMS
    any_of: Sequence[str] = ()
    inner: Sequence[str] = ()
    after: Callable[[Fields], None] | None = None
    metrics: Sequence[Metric] = ()

    def fits(self, names: Iterable[str]) -> bool:
        """Tell whether a row of these names is of the set."""
        there = set(names)
        return there.issuperset(self.keys) and (
            not self.any_of or not there.isdisjoint(self.any_of)
        )


def _format(one: _Set) -> Format:
    named = ", ".join(one.keys)

    def recognise(look: Look) -> str | None:
        rows = [look.header] if look.shape == "table" else look.rows
        fits = bool(rows) and all(
            isinstance(row, dict | tuple)
            and one.fits(row)
            and all(isinstance(row, dict) and isinstance(row[x], dict) for x in one.inner)
            for row in rows
        )
        return f"{look.words} with {named}" if fits else None

    def declared(_source: Source, _sniffed: Sniffed) -> Sequence[Metric]:
        return one.metrics

    is_table = one.shapes == _TABLE
    return Format(
        name=one.name,
        title=one.title,
        suffixes=(".csv",) if is_table else (".json", ".jsonl"),
        recognised_by=f"{'columns' if is_table else 'JSON objects with'} {named}",
        shapes=one.shapes,
        recognise=recognise,
        read=partial(_read, one),
        declared=declared if one.metrics else None,
    )


def _read(
    one: _Set, source: Source, sniffed: Sniffed, _mapping: Mapping | None
) -> Iterator[Incoming]:
    with source.again() as again:
        first = list(islice(tables.raw_rows(again, sniffed), _FIRST_ROWS))
    rows = [x.values for x in first if isinstance(x, RawRow) and one.fits(x.values)]
    mapping = mapping_from(one.make(rows, source), source.path.name)
    for item in tables.read_table(source, sniffed, mapping):
        if one.after is not None and isinstance(item, Record):
            one.after(item.fields)
        yield item


_SETS = (
    _Set(
        "summeval", "SummEval annotations",
        ("id", "decoded", "expert_annotations", "turker_annotations"), _summeval,
        after=_numbers, metrics=_one_to_five(_SUMMEVAL),
    ),
    _Set(
        "g-eval", "G-Eval items and results",
        ("doc_id", "system_id", "system_output", "scores"), _g_eval, inner=("scores",),
        metrics=_one_to_five((*_SUMMEVAL, "overall")),
    ),
    _Set("fed", "FED dialogs", ("context", "system", "annotations"), _fed,
         inner=("annotations",)),
    _Set("fed-scores", "FED automatic scores", ("idx", "level", "input", "score"), _fed_scores,
         inner=("score",)),
    _Set(
        "trivia-judges", "TriviaQA answers with judges", _TRIVIA, _trivia, shapes=_TABLE,
        any_of=_TRIVIA_PEOPLE,
    ),
    _Set(
        "agent-reward-bench", "AgentRewardBench annotations",
        ("benchmark", "task_id", "model_name", "annotator_name", "trajectory_success"),
        _agent_reward, shapes=_TABLE,
    ),
)  # fmt: skip
FORMATS = tuple(map(_format, _SETS))
