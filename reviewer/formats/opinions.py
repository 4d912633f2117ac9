"""Find the scores and labels among columns, and ask where nothing tells which they are."""

import re
from typing import Any

from reviewer.formats import columns, sides
from reviewer.formats.columns import Column, is_value_list
from reviewer.formats.drafts import Draft
from reviewer.formats.paths import steps_of
from reviewer.formats.questions import (
    BESIDE,
    JUDGE,
    MEAN,
    METRIC,
    PEOPLE,
    SIDES,
    Choice,
    Question,
    side_question,
    whose_question,
)

UNKNOWN_NUMBER = 1
"""Stands for the number of people whose mean a value is, where the file does not tell it."""
NO_NAME = "label"
"""The metric of values whose column names none."""
ONLY = "score"
"""What the only metric is called where nothing names it."""
_RATED = ("score", "rating", "value", "label", "answer")


def named(draft: Draft, metrics: tuple[str, ...]) -> None:
    """Take the columns that are called as metrics of the known rubric for its auto scores."""
    for column in draft.free() if draft.metric_column is None else ():
        name = next((x for x in (column.last, column.name) if x in metrics), None)
        name = name or next((x for x in metrics if column.name == f"{x}_score"), None)
        if name is None or not column.values or not column.is_scale:
            continue
        side = draft.answers.of(column.path, SIDES) or sides.told(column) or JUDGE
        if side == JUDGE:
            draft.scores.append(draft.block(column, column.path, name))
    reasons(draft)


def find(draft: Draft) -> None:
    """Take every column that holds opinions for scores or labels; ask of those that tell not."""
    doubtful = []
    draft.givers = _givers(draft)
    for column in draft.free():
        side = draft.answers.of(column.path, SIDES)
        is_opinion = column.path in draft.givers or _is_opinion(column, draft)
        if side is None and not is_opinion:
            continue
        side = side or _by_name(column, draft)
        if side is None:
            doubtful.append(column)
        else:
            take(draft, column, side)
    reasons(draft)
    _settle(draft, doubtful)
    reasons(draft)
    order = {column.path: place for place, column in enumerate(draft.columns)}
    draft.scores.sort(key=lambda block: order.get(_column_of(block), len(order)))
    _apart(draft)


_NAME_WORDS = 3
"""Words that the name of somebody has at the most."""


def _givers(draft: Draft) -> dict[str, tuple[str, str]]:
    """Find columns that are called after a metric and somebody, as `tone_anna` is.

    A column of the same metric, `tone_judge`, stands beside, with values of the same kind.
    """
    signed = {
        (sides.group_of(column), what): column
        for column in draft.free()
        if sides.told(column) is not None and (what := sides.who_and_what(column)[1])
    }
    found: dict[str, tuple[str, str]] = {}
    for column in draft.free() if signed else ():
        if sides.is_signed(column) or not _may_be_opinion(column):
            continue
        words, group = column.words, sides.group_of(column)
        for count in range(max(1, len(words) - _NAME_WORDS), len(words)):
            metric = "_".join(words[:count])
            other = signed.get((group, metric))
            if other is not None and _is_alike(column, other):
                pattern = r"[\W_]*".join(map(re.escape, words[:count]))
                found[column.path] = metric, re.sub(rf"(?i)^{pattern}[\W_]*", "", column.last)
    return found


def _is_alike(one: Column, other: Column) -> bool:
    """Tell whether the values of a column could be those of another."""
    if not one.is_scale or not other.is_scale:
        return False
    return (one.is_numeric and other.is_numeric) or bool(_values(one) & _values(other))


def _values(column: Column) -> set[str]:
    return {str(value) for value in column.values}


_FACT_VALUES = 2
"""Different values of what merely happened or not."""
_REMARK = "comment"
"""Beside a person's label this word is theirs; judges give reasons."""


def _column_of(block: dict[str, Any]) -> str:
    return str(block["value"]).removesuffix(".{metric}").removesuffix("[]")


def _is_opinion(column: Column, draft: Draft) -> bool:
    if not _may_be_opinion(column):
        return False
    if column.is_list:
        return sides.is_signed(column) and _inner(column) != []
    if _is_rated(column, draft):
        return column.is_scale
    if sides.is_signed(column):
        return column.is_scale and (column.is_numeric or sides.is_named(column))
    # what has no name that says so is asked for only where its values look like a scale
    scale = column.has_few_values and (column.is_numeric or column.has_remarks)
    return scale and column.distinct > 1 and not column.is_unique


def _may_be_opinion(column: Column) -> bool:
    said = set(column.words) & {*sides.REASONS, *sides.COMMENTS} and not column.is_numeric
    return bool(column.values) and not said and not sides.is_bookkeeping(column)


def _is_rated(column: Column, draft: Draft) -> bool:
    beside = draft.labeler_column or draft.scorer_column or draft.metric_column
    return bool(beside) and column.name in _RATED


def _by_name(column: Column, draft: Draft) -> str | None:
    """Give the side that names tell, None where they do not."""
    side = sides.told(column)
    if side is not None:
        may_be_fact = sides.is_loose(column) and column.distinct <= _FACT_VALUES
        if may_be_fact and not _has_pair(column, draft):
            return None
        return BESIDE if side == MEAN and _has_singles(column, draft) else side
    if _may_be_classes(column):
        return None
    if sides.is_plain(column) and (len(column.values) < column.rows or column.is_list):
        # people have not come to all of them yet, or several gave theirs
        return PEOPLE
    if draft.labeler_column is not None and _is_rated(column, draft):
        return PEOPLE
    is_judged = draft.scorer_column is not None and sides.is_signed(column)
    return JUDGE if is_judged else None


def _may_be_classes(column: Column) -> bool:
    """Tell whether lists may hold the classes of one answer rather than an answer of each person.

    Classes are of any number and no two of them the same, which people's answers often are.
    """
    if not column.is_list or not is_value_list(column.values):
        return False
    several = all(len(set(map(repr, value))) == len(value) for value in column.values)
    return several and len({len(value) for value in column.values}) > 1


def _has_pair(column: Column, draft: Draft) -> bool:
    """Tell whether another column holds values of the same metric."""
    metric = sides.who_and_what(column)[1]
    return any(
        other is not column and sides.who_and_what(other)[1] == metric for other in draft.columns
    )


def _has_singles(column: Column, draft: Draft) -> bool:
    """Tell whether the labels of which a value is the mean stand beside it."""
    group, metric = sides.group_of(column), sides.who_and_what(column)[1]
    return any(
        other is not column
        and sides.told(other) == PEOPLE
        and (sides.group_of(other), sides.who_and_what(other)[1]) == (group, metric)
        and (other.is_list or other.is_scale)
        for other in draft.columns
    )


def take(draft: Draft, column: Column, side: str) -> None:
    """Take a column's values for what a side gave."""
    if side == BESIDE:
        draft.used.add(column.path)
        return
    who, what = sides.who_and_what(column)
    if column.path in draft.givers:
        what, who = draft.givers[column.path]
    what = draft.answers.metric(column.path) or what
    if column.is_list and side != MEAN:
        _take_list(draft, column, side, who)
        return
    block = draft.block(column, column.path, what or NO_NAME)
    if side == JUDGE:
        _take_score(draft, column, block, who)
        return
    if side == MEAN:
        who = f"{who or 'people'} ({_how(column)})"
        block["aggregate"] = UNKNOWN_NUMBER
    if draft.labeler_column is not None:
        block["labeler_column"] = draft.labeler_column
        if draft.judges and side == PEOPLE:
            judged = {"scorer_column": draft.labeler_column, "when": draft.judges}
            draft.scores.append({k: v for k, v in block.items() if k != "labeler_column"} | judged)
            block["unless"] = draft.judges
    else:
        block["labeler"] = who or "human"
    draft.labels.append(block)


def _how(column: Column) -> str:
    words = column.all_words
    return "majority" if words & {"majority", "consensus"} else "mean"


def _take_score(draft: Draft, column: Column, block: dict[str, Any], who: str) -> None:
    base = columns.stem(column.last)
    if draft.metric_column is not None:
        who = base if sides.is_signed(column) else ""
    elif block["metric"] == NO_NAME:
        who = base or column.last if who else ""
        block["metric"] = NO_NAME if who else base or column.last
    elif not who:
        block["metric"] = draft.answers.metric(column.path) or base or column.last
    if draft.scorer_column is not None:
        block["scorer_column"] = draft.scorer_column
    elif who:
        block["scorer"] = who
    draft.scores.append(block)


def _inner(column: Column) -> list[str]:
    """Give the keys under which the objects of a list hold numbers; "" for plain values."""
    if is_value_list(column.values):
        return [""]
    first = next((value[0] for value in column.values if value), None)
    inner = first if isinstance(first, dict) else {}
    return [
        key
        for key, value in inner.items()
        if isinstance(value, int | float) and not sides.is_bookkeeping(Column(key, is_flat=True))
    ]


def _take_list(draft: Draft, column: Column, side: str, who: str) -> None:
    """Take one value an element: numbers, or objects with one number a metric."""
    inner = _inner(column)
    what = draft.answers.metric(column.path)
    if inner == [""]:
        named_so = [w for w in column.words if w not in sides.NO_METRIC | sides.PEOPLE_WORDS]
        plain = [step for step in steps_of(column.path) if isinstance(step, str)]
        own = plain[-1] if named_so or len(plain) == 1 else plain[-2]
        judged = sides.who_and_what(column)[1] or NO_NAME
        metric: Any = what or (own if side == PEOPLE else judged)
        block = draft.block(column, f"{column.path}[]", metric)
    else:
        block = draft.block(column, f"{column.path}[].{{metric}}", "")
        block.pop("metric_column", None)
        block["metric"] = inner
    if side == JUDGE:
        # each value is one more reply of the same judge
        block |= {"scorer": who or column.last, "scorer_version": "reply {n}"}
        draft.scores.append(block)
        return
    word = next((w for w in column.words if w in sides.PEOPLE_WORDS), "annotator")
    block["labeler"] = f"{word.removesuffix('s')} {{n}}"
    draft.labels.append(block)


def reasons(draft: Draft) -> None:
    """Find for each score the column that explains it, and what the only labeler remarked."""
    free = {column.name: column for column in draft.free() if column.values}
    remark = free.get(_REMARK)
    if remark is not None and len(draft.labels) == 1 and not remark.is_numeric:
        draft.labels[0]["comment"] = remark.path
        draft.used.add(remark.path)
        free.pop(remark.name)
    for block in draft.scores:
        own = next((c for c in draft.columns if c.path == block["value"]), None)
        if "reasoning" in block or own is None:
            continue
        found = _reason_of(own, free, alone=len(draft.scores) == 1)
        if found is not None:
            block["reasoning"] = found.path
            draft.used.add(found.path)
            free.pop(found.name)


def _reason_of(column: Column, free: dict[str, Column], *, alone: bool) -> Column | None:
    base = "_".join(w for w in column.words if w not in sides.SCORE_WORDS)
    bases = [column.name, base] if base else [column.name]
    names = [f"{b}_{r}" for b in bases for r in (*sides.REASONS, *sides.COMMENTS)]
    names += [*sides.REASONS, *sides.COMMENTS] if alone else []
    return next((free[n] for n in names if n in free and not free[n].is_numeric), None)


def _settle(draft: Draft, doubtful: list[Column]) -> None:
    """Take what other columns tell of; ask of the rest, of what one object holds together."""
    rest: list[Column] = []
    patterns: set[tuple[str, ...]] = set()
    free = {column.name: column for column in draft.free() if column.values}
    is_scored = _has_score(draft, doubtful)
    for column in [x for x in doubtful if sides.is_plain(x) and is_scored]:
        if _may_be_classes(column) or any(_says_the_same(column, x) for x in draft.columns):
            continue
        take(draft, column, PEOPLE)
        doubtful.remove(column)
    contrast = _metrics(draft.labels) - _metrics(draft.scores)
    for column in doubtful:
        metric = sides.who_and_what(column)[1] or NO_NAME
        judged = sides.is_signed(column) and _explained(column, free)
        if not sides.is_plain(column) and (judged or _contrasts(column, metric, contrast, draft)):
            take(draft, column, JUDGE)
            patterns.add(_pattern(column))
        else:
            rest.append(column)
    asked: dict[str, list[Column]] = {}
    for column in rest:
        if sides.is_signed(column) and _pattern(column) in patterns:
            take(draft, column, JUDGE)
        else:
            asked.setdefault(sides.group_of(column) or column.path, []).append(column)
    for place, members in asked.items():
        _ask(draft, place, members)


def _says_the_same(column: Column, score: Column) -> bool:
    """Tell whether texts are another spelling of a score: each of them goes with one number."""
    if not (set(score.words) & sides.SCORE_WORDS and column.is_text and score.is_numeric):
        return False
    if not column.rows == len(column.values) == len(score.values):
        return False
    pairs = set(zip(map(str, column.values), score.numbers, strict=False))
    return len(pairs) == column.distinct == score.distinct


def _pattern(column: Column) -> tuple[str, ...]:
    """Give what a name has beside its metric: columns named alike are of one side."""
    metric = sides.who_and_what(column)[1].split("_")
    return (sides.group_of(column), *(word for word in column.words if word not in metric))


def _contrasts(column: Column, metric: str, people: set[str], draft: Draft) -> bool:
    """Tell whether people's values of the same metric stand beside, so that these are others."""
    if metric in people and (column.all_words & sides.SCORE_WORDS or not column.is_list):
        return True
    unnamed = NO_NAME in people or draft.metric_column is not None
    return unnamed and bool(people) and bool(set(column.words) & sides.SCORE_WORDS)


def _has_score(draft: Draft, doubtful: list[Column]) -> bool:
    signed = [c for c in doubtful if set(c.words) & sides.SCORE_WORDS and not sides.is_plain(c)]
    return bool(draft.scores or signed)


def _explained(column: Column, free: dict[str, Column]) -> bool:
    """Tell whether a reason stands beside, as judges give one."""
    found = _reason_of(column, free, alone=False)
    return found is not None and not set(found.words) & set(sides.COMMENTS)


def _ask(draft: Draft, place: str, members: list[Column]) -> None:
    first = members[0]
    several = len(members) > 1
    given = first.path in draft.givers or draft.judges
    likely = PEOPLE if given else sides.likely(first)
    named = f"{place}.*" if several else first.path
    if draft.judges:
        question = whose_question(named, _examples(members), next(iter(draft.judges)))
    else:
        listed = any(map(_may_be_classes, members))
        question = side_question(named, _examples(members), likely, listed=listed)
    draft.questions.append(question)
    for column in members:
        take(draft, column, likely)


def _examples(members: list[Column]) -> str:
    if len(members) == 1:
        return members[0].examples
    shown = "; ".join(f"{x.last} {x.examples}" for x in members[:3])
    return shown + (f" and {len(members) - 3} more" if len(members) > 3 else "")


def _apart(draft: Draft) -> None:
    """Let no two columns of one metric be the values of one scorer."""
    seen: dict[tuple[str, str], dict[str, Any]] = {}
    for block in draft.scores:
        if not isinstance(block.get("metric"), str) or "scorer_column" in block:
            continue
        key = (block["metric"], block.get("scorer", ""))
        if key in seen:
            for one in (seen[key], block):
                one["scorer"] = re.sub(r"\.?\{metric\}", "", one["value"]).replace("[]", "")
        seen.setdefault(key, block)


def _metrics(blocks: list[dict[str, Any]]) -> set[str]:
    """Give the metrics that blocks name."""
    named_so = (block.get("metric") for block in blocks)
    return {x for one in named_so for x in ([one] if isinstance(one, str) else one or ())}


def join_labels(draft: Draft) -> None:
    """Give labels without a metric that of the only score; ask where there are several.

    Where scores have none either, the two are a pair.
    """
    nameless = [any(x.get("metric") == NO_NAME for x in y) for y in (draft.scores, draft.labels)]
    if all(nameless):
        for block in (*draft.scores, *draft.labels):
            if block.get("metric") == NO_NAME:
                block["metric"] = ONLY
        return
    known = _metrics(draft.scores) - {NO_NAME} or _metrics(draft.labels) - {NO_NAME}
    for block in (*draft.scores, *draft.labels):
        if block.get("metric") != NO_NAME:
            continue
        if len(known) == 1:
            block["metric"] = next(iter(known))
        elif known and block in draft.labels:
            place = block["value"].removesuffix("[]")
            draft.questions.append(
                Question(
                    f"Which metric does {place} belong to: {', '.join(sorted(known))}?",
                    tuple(Choice(place, f"{METRIC}{name}", name) for name in sorted(known)),
                )
            )
        elif not known and draft.scores:
            block["metric"] = ONLY
