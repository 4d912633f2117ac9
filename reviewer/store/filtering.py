"""Filters as SQL: conditions on the evaluation `v`, with every value as a parameter."""

import json
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

from reviewer.domain.errors import FilterError
from reviewer.domain.filters import All, Either, Filter, Not, Term, Words
from reviewer.store.scoping import Condition, SqlValue

Keys = Sequence[int]


class Situation(Struct, frozen=True):
    """What a filter depends on beside its text.

    Attributes:
        labeler: Whose states count; 0 for somebody without any.
        own_only: Look only at the labeler's own comments and highlights.
        zone: The project's time zone, in which days begin.
        metrics: The keys of the metrics by name.
        chosen: Gives, for a metric, the score sets that count with the runs they count in.
        fulfilling: Gives the evaluations whose human score or gap fulfils a term.
        worked_out: Tells whether a metric's auto score may follow from others; then `fulfilling`
            compares it.
        questions: Gives the evaluations with a question that fulfils a term.
    """

    labeler: int
    own_only: bool
    zone: ZoneInfo
    metrics: dict[str, int]
    chosen: Callable[[str], Sequence[tuple[int, Keys]]]
    fulfilling: Callable[[Term], Keys]
    worked_out: Callable[[str], bool] = lambda _: False
    questions: Callable[[Term], Keys] = lambda _: ()


def condition(tree: Filter, situation: Situation) -> Condition:
    """Turn a filter into a condition on `visible_evaluations v`.

    Raises:
        FilterError: It names a metric that the project does not have.
    """
    match tree:
        case Words():
            return _text(tree)
        case Term():
            return _TERMS[tree.field](tree, situation)
        case Not(part=part):
            found = condition(part, situation)
            return Condition(f"NOT ({found.sql})", found.parameters)
        case All(parts=parts):
            return _combined(parts, situation, "AND", "1")
        case Either(parts=parts):
            return _combined(parts, situation, "OR", "0")


def apart_from(found: Condition, keys: Iterable[int]) -> Condition:
    """Narrow a condition by leaving out some evaluations."""
    apart = _among(list(keys))
    return Condition(
        f"({found.sql}) AND NOT ({apart.sql})", (*found.parameters, *apart.parameters)
    )


def _combined(parts: Sequence[Filter], situation: Situation, word: str, neutral: str) -> Condition:
    found = [condition(part, situation) for part in parts]
    sql = f" {word} ".join(f"({part.sql})" for part in found) or neutral
    return Condition(sql, tuple(value for part in found for value in part.parameters))


def _text(words: Words) -> Condition:
    """Find by full text, or by the exact id; quoted, no word is an operator of the index."""
    quoted = '"' + words.text.replace('"', '""') + '"'
    found = "v.id IN (SELECT rowid FROM search WHERE search MATCH ?)"
    if words.phrase:
        return Condition(found, (quoted,))
    # beginnings of one or two letters find next to everything
    begins = not (words.text.isascii() and len(words.text) < 3)
    return Condition(f"{found} OR {_BY_ID}", (f"{quoted} *" if begins else quoted, words.text))


_BY_ID = "v.id IN (SELECT id FROM evaluations WHERE run IN (SELECT id FROM runs) AND ext_id = ?)"


def _literal(term: Term) -> bool:
    return term.quoted or "*" not in term.value


def _pattern(term: Term) -> str:
    """Give a GLOB pattern in which only * is special."""
    return term.value.replace("[", "[[]").replace("?", "[?]")


def _column(expression: str) -> Callable[[Term, Situation], Condition]:
    def compared(term: Term, _: Situation) -> Condition:
        if _literal(term):
            return Condition(f"{expression} IS ?", (term.value,))
        return Condition(f"ifnull({expression} GLOB ?, 0)", (_pattern(term),))

    return compared


def _inside(query: str) -> Callable[[Term, Situation], Condition]:
    """Look for a name in a query that ends where the comparison with the name belongs."""

    def compared(term: Term, _: Situation) -> Condition:
        if _literal(term):
            return Condition(f"{query} = ?)", (term.value,))
        return Condition(f"{query} GLOB ?)", (_pattern(term),))

    return compared


def _error(term: Term, _: Situation) -> Condition:
    return Condition(
        "ifnull(instr(lower(v.error), lower(?)) > 0, 0)",
        (term.value,),
    )


def _number(expression: str) -> Callable[[Term, Situation], Condition]:

    return lambda term, _: Condition(
        f"ifnull({expression} {_SQL[term.op]} ?, 0)", (float(term.value),)
    )


_SQL = {":": "=", "=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
HOLDS: dict[str, Callable[[float, float], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge,
}  # fmt: skip


def _date(term: Term, situation: Situation) -> Condition:
    first, after = _days(term.value)
    start, end = _micros(first, situation.zone), _micros(after, situation.zone)
    match term.op:
        case "<":
            sql, values = "v.dated < ?", (start,)
        case "<=":
            sql, values = "v.dated < ?", (end,)
        case ">":
            sql, values = "v.dated >= ?", (end,)
        case ">=":
            sql, values = "v.dated >= ?", (start,)
        case "!=":
            return Condition("ifnull(v.dated NOT BETWEEN ? AND ?, 0)", (start, end - 1))
        case _:
            return Condition("ifnull(v.dated BETWEEN ? AND ?, 0)", (start, end - 1))
    return Condition(f"ifnull({sql}, 0)", values)


def _days(text: str) -> tuple[date, date]:
    """Give the first day of a year, month or day, and the day after it."""
    parts = [int(part) for part in text.split("-")]
    try:
        first = date(*[*parts, 1, 1][:3])
        if len(parts) == 3:
            return first, first + timedelta(days=1)
        if len(parts) == 1:
            return first, date(first.year + 1, 1, 1)
        return first, (first + timedelta(days=31)).replace(day=1)
    except (ValueError, OverflowError) as error:
        raise FilterError(f"{text} in the filter is no day of the calendar.") from error


def _micros(day: date, zone: ZoneInfo) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=zone).timestamp()) * 1_000_000


_STATE = "v.id {not_}IN (SELECT evaluation FROM states WHERE labeler = ? AND {rule})"
_STATES = {
    "done": ("", "complete = 1"),
    "open": ("NOT ", "(complete = 1 OR skipped = 1)"),
    "new": ("NOT ", "(complete = 1 OR skipped = 1 OR answered > 0)"),
    "partial": ("", "complete = 0 AND skipped = 0 AND answered > 0"),
    "skipped": ("", "complete = 0 AND skipped = 1"),
    "flagged": ("", "flagged = 1"),
}
_EXCLUDED = "v.id IN (SELECT evaluation FROM exclusions)"


def _state(term: Term, situation: Situation) -> Condition:
    if term.value == "excluded":
        return Condition(_EXCLUDED)
    negated, rule = _STATES[term.value]
    return Condition(_STATE.format(not_=negated, rule=rule), (situation.labeler,))


_CURRENT = "SELECT evaluation FROM current_labels WHERE kind = 'label' AND turn = -1"


def _people(term: Term, _: Situation) -> Condition:
    if term.op == ":" and (term.quoted or not term.value.isdecimal()):
        return Condition(
            f"v.id IN ({_CURRENT} AND labeler = (SELECT id FROM labelers WHERE name = ?))",
            (term.value,),
        )
    op = ">=" if term.op == ":" else term.op
    number = min(int(term.value), 2**31)
    found = f"v.id IN ({_CURRENT} GROUP BY evaluation HAVING count(DISTINCT labeler) {_SQL[op]} ?)"
    if HOLDS[op](0, number):
        found = f"{found} OR v.id NOT IN ({_CURRENT})"
    return Condition(found, (number,))


def _has(term: Term, situation: Situation) -> Condition:
    if term.value == "error":
        return Condition("ifnull(v.error <> '', 0)")
    query, personal = _PARTS[term.value]
    if personal and situation.own_only:
        return Condition(f"v.id IN ({query} AND labeler = ?)", (situation.labeler,))
    return Condition(f"v.id IN ({query})")


_PARTS = {
    "comment": (
        "SELECT evaluation FROM labels WHERE ifnull(comment, '') <> '' "
        "AND id IN (SELECT comment FROM current_labels)",
        True,
    ),
    "highlight": (
        "SELECT evaluation FROM marks k WHERE kind = 'highlight' AND ifnull(value, 1) <> 0 "
        "AND NOT EXISTS (SELECT 1 FROM marks n WHERE n.evaluation = k.evaluation "
        "AND n.kind = k.kind AND n.id > k.id AND n.labeler = k.labeler AND n.turn IS k.turn "
        "AND n.metric IS k.metric AND n.span_start IS k.span_start AND n.span_end IS k.span_end)",
        True,
    ),
    "unsure": (
        "SELECT evaluation FROM marks k WHERE kind = 'unsure' AND ifnull(value, 1) <> 0 "
        "AND NOT EXISTS (SELECT 1 FROM marks n WHERE n.evaluation = k.evaluation "
        "AND n.kind = k.kind AND n.id > k.id AND n.labeler = k.labeler AND n.metric IS k.metric)",
        True,
    ),
    "tools": (
        "SELECT evaluation FROM turns WHERE role = 'tool' OR instr(body, '\"tool_calls\":[{') > 0",
        False,
    ),
    "image": (
        'SELECT evaluation FROM turns WHERE instr(body, \'"type":"image"\') > 0',
        False,
    ),
}


def _metric(term: Term, situation: Situation) -> int:
    name = term.metric or ""
    if name not in situation.metrics:
        there = ", ".join(sorted(situation.metrics)) or "none"
        raise FilterError(f"The filter names the metric {name!r}; the project has: {there}.")
    return situation.metrics[name]


# the ends on both sides keep texts out, which SQLite sorts above every number
_RANGES = {
    "=": "{0} >= :low AND {0} <= :high",
    "<": "{0} >= -1e300 AND {0} < :low",
    "<=": "{0} >= -1e300 AND {0} <= :high",
    ">": "{0} > :high AND {0} <= 1e300",
    ">=": "{0} >= :low AND {0} <= 1e300",
    "!=": "{0} BETWEEN -1e300 AND 1e300 AND NOT ({0} BETWEEN :low AND :high)",
}
_HALF_STEP = 5e-10


def _compared(term: Term, expression: str) -> tuple[str, tuple[SqlValue, ...]]:
    """Compare numbers on 9 decimals, as figures do, and categories by name."""
    try:
        number = float(term.value)
    except ValueError:
        return f"{expression} {_SQL[term.op]} ?", (term.value,)
    ends = {":low": number - _HALF_STEP, ":high": number + _HALF_STEP}
    sql = _RANGES[term.op].format(expression)
    values = tuple(ends[name] for name in re.findall(":low|:high", sql))
    return re.sub(":low|:high", "?", sql), values


def _figure(term: Term, situation: Situation) -> Condition:
    """Ask the figures: there is one human score, and one gap."""
    if term.metric is not None:
        _metric(term, situation)
    return _among(situation.fulfilling(term))


def _among(keys: Keys) -> Condition:
    return Condition(
        "v.id IN (SELECT value FROM json_each(?))", (f"[{','.join(map(str, keys))}]",)
    )


def _auto(term: Term, situation: Situation) -> Condition:
    metric = _metric(term, situation)
    if situation.worked_out(term.metric or ""):
        return _among(situation.fulfilling(term))
    sql, values = _compared(term, "value")
    return _by_set(
        situation.chosen(term.metric or ""),
        "v.id IN (SELECT evaluation FROM scores WHERE metric = ? AND score_set = ? "
        f"AND latest = 1 AND turn = -1 AND {sql})",
        lambda key: (metric, key, *values),
    )


def _question(term: Term, situation: Situation) -> Condition:
    return _among(situation.questions(term))


def _part(term: Term, _: Situation) -> Condition:
    return Condition("v.id IN (SELECT evaluation FROM splits WHERE part = ?)", (term.value,))


def _by_set(
    sets: Sequence[tuple[int, Keys]],
    sql: str,
    values: Callable[[int], tuple[SqlValue, ...]],
) -> Condition:
    """Ask each score set within the runs where it counts."""
    if len(sets) == 1:
        return Condition(sql, values(sets[0][0]))
    parts: list[str] = []
    parameters: list[SqlValue] = []
    for key, runs in sets:
        parts.append(f"(v.run IN (SELECT value FROM json_each(?)) AND {sql})")
        parameters.extend((json.dumps(list(runs)), *values(key)))
    return Condition(" OR ".join(parts) or "0", tuple(parameters))


_TERMS: dict[str, Callable[[Term, Situation], Condition]] = {
    "category": _column("v.category"),
    "run": _inside("v.run IN (SELECT id FROM runs WHERE name"),
    "queue": _inside(
        "v.id IN (SELECT i.evaluation FROM queue_items i JOIN queues q ON q.id = i.queue "
        "WHERE q.name"
    ),
    "tag": _inside("v.id IN (SELECT evaluation FROM tags WHERE tag"),
    "id": _inside(
        "v.id IN (SELECT id FROM evaluations WHERE run IN (SELECT id FROM runs) AND ext_id"
    ),
    "case": _column("coalesce(v.case_id, v.ext_id)"),
    "model": _column("v.model"),
    "complexity": _column("v.complexity"),
    "error": _error,
    "state": _state,
    "has": _has,
    "part": _part,
    "labeler": _people,
    "gap": _figure,
    "|gap|": _figure,
    "question": _question,
    "asked": _question,
    "auto": _auto,
    "human": _figure,
    "latency": _number("v.latency_ms"),
    "cost": _number("v.cost_usd"),
    "tokens_in": _number("v.tokens_in"),
    "tokens_out": _number("v.tokens_out"),
    "turns": _number("v.turns"),
    "date": _date,
}
