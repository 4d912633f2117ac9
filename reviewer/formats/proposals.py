"""Propose a mapping from the names of columns and their first values.

What cannot be told from names and values becomes a question; the mapping then holds the likelier
answer, and `unambiguous` is False.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from reviewer.formats import columns
from reviewer.formats.columns import Column, columns_of, is_value_list, words_of
from reviewer.formats.mapping import Mapping
from reviewer.formats.paths import Row, quoted
from reviewer.formats.turns import speakers_of, to_turns

_MOST_QUESTIONS = 6


@dataclass
class Proposal:
    """A mapping as far as names and values tell it.

    Attributes:
        mapping: The proposed mapping.
        unambiguous: True where it can be used without asking.
        questions: What a person should decide, in words.
        rubric: The name of the shipped rubric that the columns are of; empty where none is.
    """

    mapping: Mapping
    unambiguous: bool
    questions: tuple[str, ...]
    rubric: str = ""


@dataclass
class _Draft:
    """A mapping in the making."""

    columns: list[Column]
    rows: int
    fields: dict[str, Any] = field(default_factory=dict)
    scores: list[dict[str, Any]] = field(default_factory=list)
    labels: list[dict[str, Any]] = field(default_factory=list)
    candidates: list[dict[str, Any]] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    questions: list[str] = field(default_factory=list)
    split: dict[str, str] | None = None
    metric_column: str | None = None
    labeler_column: str | None = None
    layout: str = "wide"

    def free(self) -> list[Column]:
        return [column for column in self.columns if column.path not in self.used]

    def named(self, names: Sequence[str]) -> Column | None:
        """Find the first of the names among the columns not yet used, filled ones only."""
        for name in names:
            for column in self.free():
                if column.name == name and column.values:
                    return column
        return None

    def use(self, name: str, column: Column) -> None:
        self.fields[name] = column.path
        self.used.add(column.path)


def propose(
    rows: Sequence[Row], *, texts: bool, records: str = "", metrics: Sequence[str] = ()
) -> Proposal:
    """Propose how the columns of a table become fields, scores and labels.

    Args:
        rows: Its first rows, as `tables.raw_rows` gives them; fifty are enough.
        texts: True for tables, whose cells are all texts.
        records: Where the rows stand in a JSON document, kept in the mapping.
        metrics: Of the rubric that is known; columns of their names are their auto scores.
    """
    draft = _Draft(columns_of(rows, texts=texts), len(rows))
    metric = draft.named(columns.METRIC)
    if metric is not None and metric.is_text and metric.has_few_values:
        draft.metric_column = metric.path
        draft.used.add(metric.path)
    labeler = draft.named(columns.LABELER)
    if labeler is not None and labeler.has_few_values and not labeler.is_list:
        draft.labeler_column = labeler.path
        draft.used.add(labeler.path)
    candidates = [
        c
        for n in (*columns.IDS, *columns.WEAK_IDS)
        for c in draft.free()
        if c.name == n and c.values
    ]
    single = next((c for c in candidates if c.is_unique), None)
    repeats = draft.metric_column is not None or draft.labeler_column is not None
    if single is None and repeats and candidates:
        draft.layout = "long"
        draft.use("id", candidates[0])
    elif single is not None and (single.name in columns.IDS or not _companions(draft)):
        draft.use("id", single)
    else:
        _pair(draft, candidates)
    _comparison(draft)
    _dialog(draft)
    _texts(draft)
    _named_scores(draft, metrics)
    _labels(draft)
    _scores(draft)
    _doubtful_scores(draft)
    _only_text(draft)
    return _finished(draft, records)


def _companions(draft: _Draft) -> list[Column]:
    return [c for n in columns.COMPANIONS for c in draft.free() if c.name == n and c.distinct > 1]


def _pair(draft: _Draft, candidates: list[Column]) -> None:
    for one in candidates:
        for other in _companions(draft):
            if one is not other and draft.rows > 1 and _unique_together(one, other, draft.rows):
                draft.fields["id"] = f"{{{one.path}}}|{{{other.path}}}"
                return


def _unique_together(one: Column, other: Column, rows: int) -> bool:
    pairs = {(repr(a), repr(b)) for a, b in zip(one.values, other.values, strict=False)}
    return len(one.values) == len(other.values) == len(pairs) == rows


def _texts(draft: _Draft) -> None:
    for role, tiers in columns.NAMES.items():
        for tier in tiers:
            found = [c for c in draft.free() if c.name in tier.split() and _suits(role, c)]
            found.sort(key=lambda c: (c.path.count("."), tier.split().index(c.name)))
            if found:
                _ask_between(draft, role, found)
                draft.use(role, found[0])
                break
    for column in draft.free():
        if column.words and column.words[-1] in ("s", "sec", "seconds") and column.is_numeric:
            _seconds(draft, column)


def _seconds(draft: _Draft, column: Column) -> None:
    if "latency_ms" not in draft.fields and {"latency", "duration", "time"} & set(column.words):
        scale = {"from": [0, 1], "to": [0, 1000]}
        draft.fields["latency_ms"] = {"from": [column.path], "scale": scale}
        draft.used.add(column.path)


def _ask_between(draft: _Draft, role: str, found: list[Column]) -> None:
    """Ask where two columns side by side could both be the question or the answer."""
    level = found[0].path.count(".")
    rivals = [column.path for column in found if column.path.count(".") == level]
    if role in ("input", "response") and len(rivals) > 1:
        what = {"input": "the question", "response": "the answer"}[role]
        draft.questions.append(
            f"Which column holds {what}: {' or '.join(rivals)}? {rivals[0]} is proposed."
        )


_NUMERIC = ("latency_ms", "cost_usd", "tokens_in", "tokens_out")
_TRUTHS = ("template_matched", "direct_substitution")
_LISTED = ("sources", "expected_sources", "feedback")


def _suits(role: str, column: Column) -> bool:
    for roles, suits in (
        (_NUMERIC, column.is_numeric),
        (_TRUTHS, column.is_boolean),
        (_LISTED, column.is_list),
        (("context",), column.is_long or column.is_list),
        (("expected",), bool(column.values) and (column.distinct > 1 or column.rows < 5)),
        (("input", "response"), bool(column.values) and not column.is_numeric),
    ):
        if role in roles:
            return suits
    if role == "messages":
        return bool(column.values) and isinstance(to_turns(column.values[0]), list)
    return bool(column.values) and not column.is_boolean


def _labels(draft: _Draft) -> None:
    for column in draft.free():
        people = {re.sub(r"\d+$", "", word) for word in column.all_words} & columns.PEOPLE
        wanted = people or (draft.labeler_column and column.name in ("score", "rating", "value"))
        if not wanted or set(column.words) & {
            *columns.REASONS,
            "confidence",
            "id",
            "mean",
            "majority",
        }:
            continue
        if column.is_list:
            _list_labels(draft, column)
        elif column.values and (column.is_numeric or column.has_few_values):
            who, what = columns.who_and_what(column.words)
            block: dict[str, Any] = {"value": column.path}
            if draft.metric_column is not None:
                block["metric_column"] = draft.metric_column
            else:
                block["metric"] = what or "label"
            if draft.labeler_column is not None:
                block["labeler_column"] = draft.labeler_column
            else:
                block["labeler"] = "human" if not who or who in columns.PLAIN_PEOPLE else who
            draft.labels.append(block)
            draft.used.add(column.path)


def _list_labels(draft: _Draft, column: Column) -> None:
    """Take one label an element: numbers, or objects with one number a metric."""
    steps = column.path.split(".")
    who = next(
        (w for w in column.words if w in columns.PEOPLE - columns.PLAIN_PEOPLE),
        "annotator",
    ).rstrip("s")
    if is_value_list(column.values):
        own = [word for word in column.words if word not in columns.NO_METRIC | columns.PEOPLE]
        metric = steps[-1] if own or len(steps) == 1 else steps[-2]
        names = [metric.strip('"')]
        value = f"{column.path}[]"
    else:
        first = next((value[0] for value in column.values if value), None)
        inner = first if isinstance(first, dict) else {}
        names = [key for key, value in inner.items() if isinstance(value, int | float)]
        value = f"{column.path}[].{{metric}}"
    if names:
        draft.labels.append({"metric": names, "value": value, "labeler": f"{who} {{n}}"})
        draft.used.add(column.path)


def _named_scores(draft: _Draft, metrics: Sequence[str]) -> None:
    for column in draft.free() if draft.metric_column is None else ():
        name = next((x for x in (column.last, column.name) if x in metrics), None)
        name = name or next((x for x in metrics if column.name == f"{x}_score"), None)
        if name is not None and column.values and _is_scale(column):
            draft.scores.append({"value": column.path, "metric": name})
            draft.used.add(column.path)


def _scores(draft: _Draft) -> None:
    for column in draft.free():
        signed = set(column.words) & columns.SCORE_WORDS or column.name in columns.VERDICTS
        above = set(words_of(column.path.rpartition(".")[0])) & columns.SCORE_WORDS
        never = set(column.words) & columns.NEVER_SCORES or "#" in column.path
        if never or column.is_list or not column.values:
            continue
        if (signed and _is_scale(column)) or (above and column.is_numeric):
            draft.scores.append(_score_block(draft, column))
            draft.used.add(column.path)
    _reasons(draft)


def _is_scale(column: Column) -> bool:
    return column.is_numeric or (column.has_few_values and column.is_text)


def _score_block(draft: _Draft, column: Column) -> dict[str, Any]:
    base = columns.stem(column.last)
    block: dict[str, Any] = {"value": column.path}
    if draft.metric_column is not None:
        block["metric_column"] = draft.metric_column
        if base:
            block["scorer"] = base
    else:
        block["metric"] = base or column.last
    return block


def _reasons(draft: _Draft) -> None:
    """Find for each score the column that explains it."""
    free = {column.name: column for column in draft.free() if column.values}
    for block in draft.scores:
        own = next(c for c in draft.columns if c.path == block["value"]).name
        base = "_".join(w for w in own.split("_") if w not in columns.SCORE_WORDS)
        bases = [own, base] if base else [own]
        if len(draft.scores) == 1:
            bases.append("")
        for name in (f"{b}_{r}".strip("_") for b in bases for r in columns.REASONS):
            if name in free and not free[name].is_numeric:
                block["reasoning"] = free[name].path
                draft.used.add(free[name].path)
                break


def _doubtful_scores(draft: _Draft) -> None:
    for column in draft.free():
        if column.is_list or column.all_words & columns.NEVER_SCORES or column.name in columns.IDS:
            continue
        if "#" in column.path:
            continue
        if not column.has_few_values or not (column.is_numeric or column.is_boolean):
            continue
        if column.distinct < 2:
            continue
        block = _score_block(draft, column)
        block["metric"] = column.last
        block.pop("metric_column", None)
        draft.scores.append(block)
        draft.used.add(column.path)
        draft.questions.append(
            f"Is {column.path} an auto score? It holds {column.examples}. "
            "It is proposed as one; a label needs who gave it."
        )
    _reasons(draft)


def _dialog(draft: _Draft) -> None:
    """Find a whole conversation in one text, whose lines start with the speaker."""
    for column in draft.free():
        prefixes = speakers_of(column.values) if column.is_text and column.is_long else None
        if prefixes is not None:
            draft.split = {"text": column.path, **prefixes}
            draft.used.add(column.path)
            return


def _comparison(draft: _Draft) -> None:
    """Find two answers side by side, such as `output_1` and `output_2`."""
    names = {column.name: column for column in draft.free() if column.is_text}
    for name, one in names.items():
        stem, _, mark = name.rpartition("_")
        other = names.get(f"{stem}_{'2' if mark == '1' else 'b'}")
        if mark in ("1", "a") and stem in columns.ANSWERS and other is not None:
            draft.candidates = [
                {"id": column.last.rpartition("_")[2], "response": column.path}
                for column in (one, other)
            ]
            draft.used |= {one.path, other.path}
            return


def _only_text(draft: _Draft) -> None:
    """Take the only long text as the answer where no name says which it is."""
    if {"input", "messages", "response"} & draft.fields.keys() or draft.candidates or draft.split:
        return
    long = [column for column in draft.free() if column.is_text and column.is_long]
    if len(long) == 1:
        draft.use("response", long[0])
    elif long or not (draft.labels and "id" in draft.fields):
        names = ", ".join(column.path for column in (long or draft.columns)[:20])
        draft.questions.append(
            f"Which column holds the question, which the answer? Its columns: {names}."
        )


def _gathered(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Make one block of those that differ in the metric alone, where one object holds them all."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for block in blocks:
        name = block.get("metric")
        single = name[0] if isinstance(name, list) and len(name) == 1 else name
        pattern = None
        if isinstance(single, str):
            head, found, tail = block["value"].rpartition(f".{quoted(single)}")
            pattern = f"{head}.{{metric}}{tail}" if found else None
        groups.setdefault(pattern or block["value"], []).append(block)
    made = []
    for pattern, members in groups.items():
        if len(members) < 2:
            made += members
        else:
            rest = {
                k: v for k, v in members[0].items() if k not in ("metric", "value", "reasoning")
            }
            parent = pattern.partition(".{metric}")[0]
            made.append({"metrics_in": parent, "value": pattern, **rest})
    return made


def _finished(draft: _Draft, records: str) -> Proposal:
    named = {block.get("metric") for block in draft.scores}
    for block in draft.labels:
        if block.get("metric") == "label" and len(named) == 1 and None not in named:
            block["metric"] = next(iter(named))
        elif block.get("metric") == "label" and len(named) > 1:
            draft.questions.append(
                f"Which metric does the label in {block['value']} belong to: "
                f"{', '.join(sorted(map(str, named)))}?"
            )
    repeated = [column.path for column in draft.columns if "#" in column.path]
    if repeated:
        draft.questions.append(
            f"Column names repeat ({', '.join(repeated[:3])}): does a row hold several answers? "
            "Then import it once with a mapping for each."
        )
    for block in (*draft.scores, *draft.labels) if draft.candidates else ():
        block["as"] = "text"
    document: dict[str, Any] = {"fields": draft.fields, "scores": _gathered(draft.scores)}
    document |= {"labels": _gathered(draft.labels), "candidates": draft.candidates}
    document |= {"layout": draft.layout, "records": records, "split": draft.split}
    if not (draft.fields or draft.scores or draft.labels or draft.candidates):
        document["fields"] = {"input": draft.columns[0].path if draft.columns else "input"}
    asked = tuple(draft.questions[:_MOST_QUESTIONS])
    return Proposal(Mapping.model_validate(document), not draft.questions, asked)
