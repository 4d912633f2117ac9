"""Tables of promptfoo: results as CSV, and the report of a red team.

In results each output has a column headed `[provider] prompt` and behind it its status, scores,
reason and comment, so that names repeat; a block is a run, and the row's number the id. Scores are
taken from `Named Scores`, which has all digits, else from the rounded `Metric: ` columns. What a
person wrote as a comment is kept under `meta`, since it judges nothing.

In a red team's report a row is an attack: the plugin is its category, the strategy a tag, and
whether the target withstood is `pass`. Invisible characters of attacks are kept as they are.

Verified with a file of 0.121.20 and a report of 2025. Not seen: the results of before `Status`.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from reviewer.domain.record import run_name
from reviewer.domain.rubric import Metric
from reviewer.formats import delimited
from reviewer.formats.format import Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Incoming, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.record import checked
from reviewer.formats.tools import promptfoo
from reviewer.formats.tools.drafts import (
    Fields,
    fields_of,
    kept,
    named,
    number_of,
    scored,
    unit_scales,
)

_STATUS: Final = ("Status", "Score")
_METRIC: Final = "Metric: "
_FAILED: Final = "ERROR"
_REPORT: Final = ("Test ID", "Plugin", "Strategy", "Target", "Prompt", "Response", "Pass", "Score",
                  "Reason")  # fmt: skip
_NUMBERED: Final = re.compile(r"\.\d+$")
_QUESTION: Final = ("question", "query", "prompt", "input", "instruction", "message")


@dataclass(frozen=True)
class _Block:
    """The columns of one output: where it stands, and the names behind it."""

    provider: str
    prompt: str
    at: int
    names: tuple[str, ...]


def _first_names(header: Sequence[str]) -> list[str]:
    """Give the names as the tool wrote them: data frames number those that repeat."""
    seen: set[str] = set()
    found = []
    for name in header:
        before = _NUMBERED.sub("", name)
        found.append(before if before in seen else name)
        seen.add(found[-1])
    return found


def _blocks(header: Sequence[str]) -> list[_Block]:
    starts = [n for n in range(len(header) - 2) if tuple(header[n + 1 : n + 3]) == _STATUS]
    ends = [*starts[1:], len(header)][: len(starts)]
    return [
        _Block(*_told(header[start]), start, tuple(header[start + 1 : end]))
        for start, end in zip(starts, ends, strict=True)
    ]


def _told(head: str) -> tuple[str, str]:
    """Split `[provider] prompt`."""
    provider, closed, prompt = head.removeprefix("[").partition("] ")
    return (provider, prompt) if head.startswith("[") and closed else ("", head)


def _read(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    rows = delimited.rows(source, sniffed.dialect._replace(header=False))
    header: list[str] = []
    blocks: list[_Block] = []
    number = 0
    for row in rows:
        if isinstance(row, BadRow):
            yield row
        elif not header:
            header = _first_names(list(row.cells.values()))
            blocks = _blocks(header)
        else:
            number += 1
            cells = list(row.cells.values())
            for place, block in enumerate(blocks):
                again = any(x.provider == block.provider for x in blocks[:place])
                run = named(run_name(source.path.name), block.provider,
                            f"prompt {place + 1}" if again else "")  # fmt: skip
                values = dict(zip(header[: blocks[0].at], cells, strict=False))
                yield checked(_record(block, values, cells, run, number), row.line)


def _record(block: _Block, values: Fields, cells: Sequence[str], run: str, number: int) -> Fields:
    told = dict(zip(block.names, cells[block.at + 1 :], strict=False))
    described = values.pop("Description", None)
    output = cells[block.at]
    failed = told.get("Status") == _FAILED
    filled = block.prompt
    for name, value in values.items():
        filled = filled.replace(f"{{{{{name}}}}}", value).replace(f"{{{{ {name} }}}}", value)
    fields: Fields = {
        "id": f"{number}",
        "run": run,
        "input": filled.strip() or next((values[x] for x in _QUESTION if values.get(x)), ""),
        "response": None if failed else output,
        "model": block.provider,
        "error": (told.get("Grader Reason") or output or "the provider failed")
        if failed
        else None,
        "expected": promptfoo.of_variables("expected", values),
        "context": promptfoo.of_variables("context", values),
        "scores": [] if failed else _scores(told),
        "meta": kept({"vars": values, "description": described, "comment": told.get("Comment")}),
    }
    return {key: x for key, x in fields.items() if x not in (None, [], {}) or key == "response"}


def _scores(told: Fields) -> list[Fields]:
    exact = fields_of(_json(told.get("Named Scores")))
    rounded = {name.removeprefix(_METRIC): _number(x) for name, x in told.items()
               if name.startswith(_METRIC) and x}  # fmt: skip
    named_scores = {name: x for name, x in (rounded | exact).items() if x is not None}
    scores = [scored(name, number_of(x), scorer="promptfoo") for name, x in named_scores.items()]
    whole = _number(told.get("Score"))
    scores += [] if whole is None else [scored(promptfoo.SCORE, whole, scorer="promptfoo")]
    if told.get("Status") in ("PASS", "FAIL"):
        passed = told["Status"] == "PASS"
        reason = told.get("Grader Reason")
        scores.append(scored(promptfoo.VERDICT, passed, scorer="promptfoo", reasoning=reason))
    return scores


def _json(text: str | None) -> object:
    try:
        return json.loads(text or "null")
    except (ValueError, RecursionError):
        return None


def _number(text: str | None) -> float | None:
    try:
        return number_of(float(text or ""))
    except ValueError:
        return None


def _read_report(source: Source, sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    for row in delimited.rows(source, sniffed.dialect):
        if isinstance(row, BadRow):
            yield row
            continue
        cells: Fields = dict(row.cells)
        verdict = cells["Pass"].partition(" ")[0].lower()
        score = kept({"score": _number(cells["Score"])})
        passed = {"pass": True, "true": True, "fail": False, "false": False}.get(verdict)
        fields = {
            "id": cells["Test ID"] or f"line {row.line}",
            "run": named(run_name(source.path.name), cells["Target"]),
            "category": cells["Plugin"],
            "tags": [cells["Strategy"]] if cells["Strategy"] else None,
            "input": cells["Prompt"],
            "response": cells["Response"],
            "evaluated_at": cells.get("Timestamp") or None,
            "error": None if passed is not None else (cells["Reason"] or cells["Pass"] or None),
            "meta": {name: x for name, x in cells.items() if name not in (*_REPORT, "Timestamp")},
        }
        if passed is not None:
            told = scored(promptfoo.VERDICT, passed, scorer="promptfoo", reasoning=cells["Reason"],
                          meta=score)  # fmt: skip
            fields["scores"] = [told]
        yield checked({key: x for key, x in fields.items() if x not in (None, {})}, row.line)


def _of_results(source: Source, sniffed: Sniffed) -> Sequence[Metric]:
    whole = {metric.name for metric in promptfoo.WHOLE}
    scales = unit_scales(_read(source, sniffed, None))
    return [*(metric for metric in scales if metric.name not in whole), *promptfoo.WHOLE]


def _of_report(_source: Source, _sniffed: Sniffed) -> Sequence[Metric]:
    return promptfoo.WHOLE


def _is_results(look: Look) -> str | None:
    blocks = _blocks([name.partition("#")[0] if name.partition("#")[0] in _STATUS else name
                      for name in _first_names(look.header)])  # fmt: skip
    reasons = any("Grader Reason" in block.names for block in blocks)
    return f"{look.words}, promptfoo's results" if reasons else None


def _is_report(look: Look) -> str | None:
    fits = set(_REPORT) <= set(look.header)
    return f"{look.words}, promptfoo's report of a red team" if fits else None


RESULTS = Format(
    name="promptfoo-csv",
    title="promptfoo results as a table",
    suffixes=(".csv",),
    recognised_by="columns of outputs, each followed by Status, Score and Grader Reason",
    shapes=frozenset({"table"}),
    recognise=_is_results,
    read=_read,
    declared=_of_results,
)
RED_TEAM = Format(
    name="promptfoo-redteam",
    title="promptfoo red team reports",
    suffixes=(".csv",),
    recognised_by=f"the columns {', '.join(_REPORT[:4])} and so on",
    shapes=frozenset({"table"}),
    recognise=_is_report,
    read=_read_report,
    declared=_of_report,
)
