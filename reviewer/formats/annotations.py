"""What people's tools have in common: named texts, answers to questions, and who gave them.

Such tools show texts under names of their users' choice and ask questions of their users' making;
what is a question to a bot and what its answer is told by the names that tables go by, too.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, Literal

from reviewer.domain.evaluation import Value, is_finite
from reviewer.formats import cells
from reviewer.formats.cells import CellError
from reviewer.formats.columns import NAMES, Column, words_of
from reviewer.formats.incoming import Fields
from reviewer.formats.paths import NUMBERS, as_text
from reviewer.formats.turns import to_turns

ROW_OF_ANNOTATION: Final = frozenset({"annotator", "annotation_id", "lead_time"})
"""What rows of Label Studio have beside data and answers, which may have any name."""
_PLACES: Final = (
    "messages", "input", "response", "expected", "context", "category", "complexity", "model",
)  # fmt: skip
_KNOWN: Final = {place: tuple(" ".join(NAMES[place]).split()) for place in _PLACES}
_SUBJECTS: Final = ("messages", "input", "response")
_LEAST_CONTEXT = 40
_LONGEST_ANSWER = 80
_NOT_APPLICABLE = re.compile(
    r"(?i)\s*(?:n/a|n\.a\.|not applicable|does not apply|unsure|not sure|(?:i )?don.?t know"
    r"|can(?:no|')t (?:say|tell|judge)|cannot be (?:judged|rated))\s*(?:[(\[:;,.–-].*)?"
)


def objects(value: object) -> list[dict[str, Any]]:
    """Give the objects of a list; whatever else came has none."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def filled(fields: Mapping[str, Any]) -> Fields:
    """Give the keys that hold something."""
    return {key: x for key, x in fields.items() if x or isinstance(x, NUMBERS)}


def placed(
    texts: Mapping[str, Any], otherwise: Literal["response", "context"] = "response"
) -> tuple[Fields, Fields]:
    """Tell which of a tool's named texts are question, answer, context and so on.

    Args:
        texts: The texts by name.
        otherwise: What the longest text is where no name tells what people looked at.

    Returns:
        The fields of a record, and what is none of them under its own name.
    """
    rest = filled(texts)
    fields: Fields = {}
    # a name's first bearer has it, as in the file
    names = {_spelled(name): name for name in reversed(rest)}
    for place in _PLACES:
        name = _named(place, rest, names)
        if name is not None:
            fields[place] = _made(place, rest.pop(name))
    if not fields.keys() & set(_SUBJECTS):
        name = max(rest, key=lambda x: len(as_text(rest[x])), default=None)
        if name is not None:
            fields[otherwise] = as_text(rest.pop(name))
    return fields, rest


# every record of a file has the same names
@lru_cache(maxsize=4096)
def _spelled(name: str) -> str:
    return "_".join(words_of(name))


def _named(place: str, texts: Fields, names: Mapping[str, str]) -> str | None:
    for known in _KNOWN[place]:
        name = names.get(known)
        if name in texts and _fits(place, texts[name]):
            return name
    return None


def _fits(place: str, value: object) -> bool:
    if place == "messages":
        return isinstance(to_turns(value), list)
    if place == "context":
        return not isinstance(value, str) or len(value) >= _LEAST_CONTEXT
    return isinstance(value, str) or (place == "expected" and isinstance(value, list))


def _made(place: str, value: object) -> object:
    if place == "messages":
        return to_turns(value)
    return value if place == "context" and isinstance(value, dict) else as_text(value)


def labeler_of(who: object, number: int, kind: str = "annotator") -> str:
    """Name a person: by e-mail or name, by the tool's number, else by position from 1."""
    if isinstance(who, dict):
        parts = (as_text(who.get(key)) for key in ("first_name", "last_name"))
        whole = " ".join(filter(None, parts))
        names = (who.get("email"), who.get("username"), who.get("name"), whole, who.get("id"))
        who = next((name for name in names if name not in (None, "")), None)
    text = as_text(who).strip()
    if not text:
        return f"{kind} {number}"
    return f"{kind} {text}" if text.isdigit() else text


def joined(names: Iterable[object]) -> str:
    """Give several choices of one answer as one text, in an order that is always the same."""
    return " + ".join(sorted({as_text(name).strip() for name in names}))


def answer(metric: str, labeler: str, value: Value, **given: object) -> Fields:
    """Make a label of an answer; one such as "N/A" or "Unsure" says that it does not apply.

    Args:
        metric: The question.
        labeler: Who answered.
        value: The answer.
        given: Other keys of the label; empty ones are left out.
    """
    entry: Fields = {"metric": metric, "labeler": labeler, "value": value, **filled(given)}
    if isinstance(value, str) and _NOT_APPLICABLE.fullmatch(value):
        said = [value.strip(), entry.get("comment", "")]
        entry |= {
            "value": None,
            "kind": "not_applicable",
            "comment": "\n\n".join(filter(None, said)),
        }
    return entry


def time_of(*values: object) -> str | None:
    """Give the first of several that is a time."""
    for value in values:
        if value is None or value == "":
            continue
        try:
            return cells.time_of(value)
        except CellError:
            continue
    return None


def number_of(value: object) -> int | float | None:
    """Give a number, also one written as text; None where it is none that can be kept."""
    if isinstance(value, str):
        value = cells.number_of(value)
    if isinstance(value, bool) or not isinstance(value, NUMBERS) or not is_finite(value):
        return None
    return value


def is_remark(text: str) -> bool:
    """Tell whether an answer is prose rather than a choice."""
    said = text.strip()
    is_sentence = " " in said and said.endswith((".", "!", "?"))
    return len(said) > _LONGEST_ANSWER or "\n" in said or is_sentence


def remarks_among(answers: Mapping[str, list[str]]) -> frozenset[str]:
    """Tell which questions are answered in words of one's own, by the first answers to each.

    Args:
        answers: The texts given to each question, as they came.
    """
    return frozenset(
        name
        for name, texts in answers.items()
        if any(map(is_remark, texts)) or not Column(name, values=list(texts)).has_few_values
    )
