"""Propose a mapping from the names of columns and their first values.

What cannot be told from names and values becomes a question; the mapping then holds the likelier
answer, and `unambiguous` is False. What was answered before is taken as it was said.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from reviewer.domain.errors import FormatError
from reviewer.domain.wording import listed
from reviewer.formats import columns, habits, opinions, sides
from reviewer.formats.columns import Column, columns_of
from reviewer.formats.drafts import Draft, gathered
from reviewer.formats.habits import Dates, Decimal
from reviewer.formats.mapping import Fields, Mapping
from reviewer.formats.paths import Row
from reviewer.formats.questions import (
    BESIDE,
    EACH,
    JUDGE,
    SIDES,
    Answers,
    Choice,
    Question,
    habit_question,
)
from reviewer.formats.turns import speakers_of, to_turns

_MOST_CHOICES = 20
_SENTENCE = 3
"""Words from which on a text says something rather than names it."""
_DATED = ("occurred_at", "evaluated_at")


@dataclass
class Proposal:
    """A mapping as far as names and values tell it.

    Attributes:
        mapping: The proposed mapping.
        questions: What a person should decide.
        rubric: The name of the shipped rubric that the columns are of; empty where none is.
    """

    mapping: Mapping
    questions: tuple[Question, ...] = ()
    rubric: str = ""

    @property
    def unambiguous(self) -> bool:
        """Tell whether it can be used without asking."""
        return not self.questions


def propose(
    rows: Sequence[Row],
    *,
    texts: bool,
    records: str = "",
    metrics: Sequence[str] = (),
    answers: Iterable[str] = (),
) -> Proposal:
    """Propose how the columns of a table become fields, scores and labels.

    Args:
        rows: Its first rows, as `tables.raw_rows` gives them; fifty are enough.
        texts: True for tables, whose cells are all texts.
        records: Where the rows stand in a JSON document, kept in the mapping.
        metrics: Of the rubric that is known; columns of their names are their auto scores.
        answers: What people said of columns, such as `x_pred=judge`.

    Raises:
        FormatError: There are no columns, or an answer names none of them or is none.
    """
    said = Answers(answers)
    raw = columns_of(rows, texts=False)
    if not raw:
        raise FormatError("Its records are empty: none of them holds anything under a name.")
    unknown = said.unknown([column.path for column in raw])
    if unknown:
        names = ", ".join(column.path for column in raw[:30])
        raise FormatError(f"There is no column {unknown[0]}; there are: {names}.")
    asked: list[Question] = []
    decimal = _decimal(raw, said, asked) if texts else None
    read = columns_of(rows, texts=texts, decimal=decimal)
    draft = Draft(read, len(rows), said, questions=asked)
    _answered(draft)
    _identity(draft)
    _comparison(draft)
    _dialog(draft)
    _texts(draft)
    opinions.named(draft, tuple(metrics))
    opinions.find(draft)
    _only_text(draft)
    dates = _dates(draft)
    return _finished(draft, records, decimal, dates)


def _decimal(raw: list[Column], said: Answers, asked: list[Question]) -> Decimal | None:
    """Tell how the table's numbers are written; where one column tells, it tells of all."""
    signs: dict[str, Decimal] = {"decimal-comma": ",", "decimal-point": "."}
    found: dict[str, str] = {}
    for column in raw:
        answer = said.of(column.path, signs)
        if answer is not None:
            return signs[answer]
        told = habits.decimal_of(str(value) for value in column.values)
        if told is not None:
            found.setdefault(told, column.path)
    if {",", "."} & found.keys():
        return "," if "," in found else "."
    if "?" in found:
        column = next(c for c in raw if c.path == found["?"])
        text = column.examples
        asked.append(habit_question(column.path, text, "decimal-point", "decimal-comma"))
        return "."
    return None


def _dates(draft: Draft) -> Dates | None:
    """Tell what comes first in the dates of the times; ask where none of them tells."""
    orders: dict[str, Dates] = {"day-first": "day-first", "month-first": "month-first"}
    for name in _DATED:
        column = next((c for c in draft.columns if c.path == draft.fields.get(name)), None)
        if column is None:
            continue
        answer = draft.answers.of(column.path, orders)
        told = orders[answer] if answer else habits.dates_of(map(str, column.values))
        if told == "?":
            question = habit_question(column.path, column.examples, "day-first", "month-first")
            draft.questions.append(question)
            return "day-first"
        if told is not None:
            return told
    return None


def _answered(draft: Draft) -> None:
    """Take the columns that people named a field for, or set aside."""
    for column in draft.free():
        name = draft.answers.of(column.path, (*Fields.model_fields, BESIDE))
        if name == BESIDE:
            draft.used.add(column.path)
        elif name is not None:
            draft.use(name, column)


def _identity(draft: Draft) -> None:
    metric = draft.named(columns.METRIC)
    if metric is not None and metric.is_text and metric.has_few_values:
        draft.metric_column = metric.path
        draft.used.add(metric.path)
    labeler = draft.named(columns.LABELER)
    if labeler is not None and labeler.has_few_values and not labeler.is_list:
        _who_gave(draft, labeler)
    scorer = draft.named(columns.SCORER)
    if draft.scorer_column is None and scorer is not None and _names_judges(scorer):
        draft.scorer_column = scorer.path
        draft.used.add(scorer.path)
    if "id" in draft.fields:
        return
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


def _names_judges(column: Column) -> bool:
    return column.is_text and not column.is_long and column.distinct <= max(2, column.rows // 2)


def _who_gave(draft: Draft, column: Column) -> None:
    """Take a column of labelers, unless what it names are models."""
    names = [Column(str(value)) for value in dict.fromkeys(map(str, column.values))]
    judges = [name for name in names if sides.told(name) == JUDGE]
    draft.used.add(column.path)
    if judges and len(judges) == len(names):
        draft.scorer_column = column.path
        return
    draft.labeler_column = column.path
    if judges and draft.answers.of(column.path, (EACH,)):
        draft.judges = {column.path: [name.path for name in judges]}
    elif judges:
        more = [f"{len(judges) - 3:,} more"] if len(judges) > 3 else []
        named = listed([x.path for x in judges[:3]] + more)
        names_of_both = f"{judges[0].path} beside {next(n.path for n in names if n not in judges)}"
        draft.questions.append(
            Question(
                f"{column.path} names people and judges ({names_of_both}). Whose values are they?",
                (
                    Choice(column.path, EACH, f"of judges: {named}; of people: all others"),
                    Choice(column.path, BESIDE, "leave the column out"),
                ),
            )
        )


def _companions(draft: Draft) -> list[Column]:
    return [c for n in columns.COMPANIONS for c in draft.free() if c.name == n and c.distinct > 1]


def _pair(draft: Draft, candidates: list[Column]) -> None:
    for one in candidates:
        for other in _companions(draft):
            if one is not other and draft.rows > 1 and _unique_together(one, other, draft.rows):
                draft.fields["id"] = f"{{{one.path}}}|{{{other.path}}}"
                return


def _unique_together(one: Column, other: Column, rows: int) -> bool:
    pairs = {(repr(a), repr(b)) for a, b in zip(one.values, other.values, strict=False)}
    return len(one.values) == len(other.values) == len(pairs) == rows


def _texts(draft: Draft) -> None:
    for role, tiers in columns.NAMES.items():
        for tier in tiers:
            names = {c.path: columns.role_name(c) for c in draft.free()}
            found = [c for c in draft.free() if names[c.path] in tier.split() and _suits(role, c)]
            found = [] if role in draft.fields else found
            found.sort(key=lambda c: (c.path.count("."), tier.split().index(names[c.path])))
            if found:
                _ask_between(draft, role, found)
                draft.use(role, found[0])
                break
    for column in draft.free():
        if column.words and column.words[-1] in ("s", "sec", "seconds") and column.is_numeric:
            _seconds(draft, column)


def _seconds(draft: Draft, column: Column) -> None:
    if "latency_ms" not in draft.fields and {"latency", "duration", "time"} & set(column.words):
        scale = {"from": [0, 1], "to": [0, 1000]}
        draft.fields["latency_ms"] = {"from": [column.path], "scale": scale}
        draft.used.add(column.path)


def _ask_between(draft: Draft, role: str, found: list[Column]) -> None:
    """Ask where two columns side by side could both be the question or the answer."""
    level = found[0].path.count(".")
    rivals = [column.path for column in found if column.path.count(".") == level]
    if role in _ASKED and len(rivals) > 1:
        draft.questions.append(
            Question(
                f"Which column holds {_ASKED[role]}: {' or '.join(rivals)}?",
                tuple(Choice(path, role, f"{path} holds {_ASKED[role]}") for path in rivals),
            )
        )


_ASKED = {"input": "the question", "response": "the answer"}
_NUMERIC = ("latency_ms", "cost_usd", "tokens_in", "tokens_out")
_TRUTHS = ("template_matched", "direct_substitution")
_LISTED = ("sources", "expected_sources", "feedback")


def _suits(role: str, column: Column) -> bool:
    for roles, suits in (
        (_NUMERIC, column.is_numeric),
        (_TRUTHS, column.is_boolean),
        (_LISTED, column.is_list),
        (("context",), column.is_long or column.is_list),
        (("complexity",), bool(column.values) and not column.is_numeric),
        (("expected",), bool(column.values) and (column.distinct > 1 or column.rows < 5)),
        (("input", "response"), bool(column.values) and not column.is_numeric),
    ):
        if role in roles:
            return suits
    if role == "messages":
        return bool(column.values) and isinstance(to_turns(column.values[0]), list)
    return bool(column.values) and not column.is_boolean


def _dialog(draft: Draft) -> None:
    """Find a whole conversation in one text, whose lines start with the speaker."""
    for column in draft.free():
        prefixes = speakers_of(column.values) if column.is_text and column.is_long else None
        if prefixes is not None:
            draft.split = {"text": column.path, **prefixes}
            draft.used.add(column.path)
            return


def _comparison(draft: Draft) -> None:
    """Find two answers side by side, such as `output_1` and `output_2`, and whose they are."""
    names = {column.name: column for column in draft.free()}
    answers = {name: x for name, x in names.items() if x.is_text or _holds_texts(x)}
    for name, one in answers.items():
        second = _SECOND.get(name[-1:])
        other = answers.get(name[:-1] + second) if second else None
        if other is None or name[:-1].rstrip("_") not in _COMPARED:
            continue
        for column in (one, other):
            mark = column.last[-1]
            models = (f"model_{mark}", f"{column.name}_model", f"generator_{mark}")
            model = next((names[x.lower()] for x in models if x.lower() in names), None)
            draft.candidates.append(
                {
                    "id": _named_by_choices(f"model_{mark}", mark, draft),
                    "response": column.path,
                    **({"model": model.path} if model is not None else {}),
                }
            )
            draft.used |= {column.path, *([model.path] if model is not None else [])}
        return


_SECOND = {"1": "2", "a": "b"}
_COMPARED = columns.ANSWERS | {"conversation", "messages", "generation"}


def _holds_texts(column: Column) -> bool:
    """Tell whether lists hold a conversation, or one text a turn."""
    inner = [one for value in column.values if column.is_list for one in value]
    is_said = all(isinstance(one, str | None) for one in inner)
    return bool(inner) and (is_said or isinstance(to_turns(column.values[0]), list))


def _named_by_choices(name: str, mark: str, draft: Draft) -> str:
    """Give the name by which choices call a candidate, such as `model_a`."""
    called = any(name in column.values for column in draft.free() if not column.is_long)
    return name if called else mark


def _only_text(draft: Draft) -> None:
    """Take the only long text as the answer where no name says which it is."""
    if {"input", "messages", "response"} & draft.fields.keys() or draft.candidates or draft.split:
        _ask_other(draft)
        return
    long = [column for column in draft.free() if column.is_text and column.is_long]
    if len(long) == 1:
        draft.use("response", long[0])
    elif long or not (draft.labels and "id" in draft.fields):
        _ask_texts(draft, long or _most_words_first(draft.free()) or draft.columns)


def _most_words_first(found: list[Column]) -> list[Column]:
    """Give the columns that somebody may have written, those with the most words first."""
    written = [c for c in found if c.is_text and habits.dates_of(map(str, c.values)) is None]
    return sorted(written, key=lambda c: -_words(c))


def _words(column: Column) -> int:
    return sum(len(str(value).split()) for value in column.values)


_ANSWERING = columns.ANSWERS | {"chosen", "rejected", "generation"}


def _ask_other(draft: Draft) -> None:
    """Ask for the question too where somebody had to say what the answer is, and conversely.

    And for the answer where nothing but the question is known, and something could be it.
    """
    lacking = [role for role in _ASKED if role not in draft.fields]
    if len(lacking) != 1 or "messages" in draft.fields or draft.candidates or draft.split:
        return
    [told] = _ASKED.keys() - lacking
    place = draft.fields[told]
    found = [
        column
        for column in _most_words_first(draft.free())
        if _words(column) >= _SENTENCE * len(column.values)
        and (column.is_unique or not column.has_few_values)
    ]
    if told == "input" and draft.answers.of(str(place), (told,)) is None:
        # a set of questions alone has no answers that could be meant
        found = [column for column in found if set(column.words) & _ANSWERING]
    elif not isinstance(place, str) or draft.answers.of(place, (told,)) is None:
        return
    if not found:
        return
    [role] = lacking
    names = ", ".join(column.path for column in found[:_MOST_CHOICES])
    choices = [
        Choice(column.path, role, f"{column.path} holds {_ASKED[role]}")
        for column in found[:_MOST_CHOICES]
    ]
    left = Choice(found[0].path, BESIDE, f"{found[0].path} holds something else")
    draft.questions.append(
        Question(f"Which column holds {_ASKED[role]}: {names}?", (*choices, left))
    )


def _ask_texts(draft: Draft, found: list[Column]) -> None:
    names = ", ".join(column.path for column in found[:_MOST_CHOICES])
    choices = [
        Choice(column.path, role, f"{column.path} holds {words}")
        for column in found[:_MOST_CHOICES]
        for role, words in reversed(_ASKED.items())
    ]
    draft.questions.append(
        Question(f"Which column holds the question, which the answer: {names}?", tuple(choices))
    )


def _finished(
    draft: Draft, records: str, decimal: Decimal | None, dates: Dates | None
) -> Proposal:
    opinions.join_labels(draft)
    repeated = [column.path for column in draft.columns if "#" in column.path]
    if [path for path in repeated if draft.answers.of(path, SIDES) is None]:
        draft.questions.append(
            Question(
                f"Column names repeat ({', '.join(repeated[:3])}): does a row hold several "
                "answers? Then import it once with a mapping for each.",
                (Choice("*#*", BESIDE, "only the first of them is read"),),
            )
        )
    for block in (*draft.scores, *draft.labels) if draft.candidates else ():
        block["as"] = "text"
    document: dict[str, Any] = {
        "fields": draft.fields,
        "scores": gathered(draft.scores, draft.columns),
        "labels": gathered(draft.labels, draft.columns),
        "candidates": draft.candidates,
        "layout": draft.layout,
        "records": records,
        "split": draft.split,
        "decimal": decimal,
        "dates": dates,
    }
    if not (draft.fields or draft.scores or draft.labels or draft.candidates):
        document["fields"] = {"input": draft.columns[0].path}
    return Proposal(Mapping.model_validate(document), tuple(draft.questions))
