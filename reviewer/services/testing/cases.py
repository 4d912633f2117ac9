"""Questions about a list of cases: what fits a filter, which tags, how they are spread."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reviewer.domain.case_set import Fields, question_of
from reviewer.formats.paths import find

USUAL_COMPLEXITY = "medium"
NO_CATEGORY = "none"
_PARTS = re.compile(r'(?:[^\s"]|"[^"]*"?)+')


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How many cases there are of each complexity, category and tag.

    Attributes:
        complexity: By name; a case that has none is medium.
        category: By name; `none` counts those without.
        tags: By name; a case may have several.
    """

    cases: int
    complexity: dict[str, int]
    category: dict[str, int]
    tags: dict[str, int]


def complexity_of(case: Fields) -> str:
    """Give a case's complexity, medium where it says none."""
    return str(case.get("complexity") or USUAL_COMPLEXITY)


def matching(
    cases: Iterable[Fields],
    *,
    tags: Sequence[str] = (),
    where: Iterable[tuple[str, object]] = (),
) -> list[Fields]:
    """Give the cases that have every tag and in which every field is as wanted.

    Args:
        cases: All cases.
        tags: Each must be there.
        where: Fields, dotted paths into objects allowed, with the wanted value; in a list one
            element must be so. A missing complexity is medium.
    """
    wanted = tuple(where)
    return [
        case
        for case in cases
        if set(tags) <= set(case.get("tags") or ())
        and all(_is(case, field, value) for field, value in wanted)
    ]


def _is(case: Fields, field: str, wanted: object) -> bool:
    found = complexity_of(case) if field == "complexity" else find(case, field)
    options = found if isinstance(found, list | tuple) else [found]
    return found == wanted or any(_text(one) == _text(wanted) for one in options)


def _text(value: object) -> str | None:
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def tag_index(cases: Iterable[Fields]) -> dict[str, tuple[str, ...]]:
    """Give the ids of the cases of each tag, tags in alphabetical order."""
    there = tuple(cases)
    return {
        tag: tuple(str(there[place]["id"]) for place in places)
        for tag, places in tag_places(there).items()
    }


def tag_places(cases: Iterable[Fields]) -> dict[str, list[int]]:
    """Give where the cases of each tag stand, from 0, tags in alphabetical order."""
    found: dict[str, list[int]] = {}
    for place, case in enumerate(cases):
        for tag in case.get("tags") or ():
            found.setdefault(str(tag), []).append(place)
    return {tag: found[tag] for tag in sorted(found, key=str.lower)}


def spread(cases: Sequence[Fields]) -> Spread:
    """Count cases by complexity, category and tag, the most frequent first."""
    return Spread(
        cases=len(cases),
        complexity=_counted(map(complexity_of, cases)),
        category=_counted(str(case.get("category") or NO_CATEGORY) for case in cases),
        tags=_counted(tag for case in cases for tag in case.get("tags") or ()),
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())


def filtered(cases: Sequence[Fields], text: str) -> list[Fields]:
    """Give the cases that fit what somebody typed.

    `field=value` asks for a field, `tag:name` for a tag; every other word must stand in the id,
    the question, the expected answer, the category or a tag. Quotation marks hold words together.
    """
    tags, where, words = [], [], []
    for part in _PARTS.findall(text):
        bare = part.replace('"', "")
        name, sign, value = bare.partition("=")
        if bare.lower().startswith("tag:"):
            tags.append(bare[4:])
        elif sign and name:
            where.append((name, value))
        elif bare:
            words.append(bare.lower())
    found = matching(cases, tags=tags, where=where)
    return [case for case in found if all(word in _readable(case) for word in words)]


def _readable(case: Fields) -> str:
    parts = (
        case["id"], question_of(case), case.get("expected"), case.get("category"),
        complexity_of(case), *(case.get("tags") or ()), *(case.get("expected_keywords") or ()),
    )  # fmt: skip
    return "\n".join(str(part) for part in parts if part).lower()
