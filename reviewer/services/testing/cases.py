"""Questions about a list of cases: what fits a filter, which tags, how they are spread."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reviewer.domain.case_set import Fields
from reviewer.formats.paths import find

USUAL_COMPLEXITY = "medium"
NO_CATEGORY = "none"


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
    options = found if isinstance(found, list) else [found]
    return found == wanted or any(_text(one) == _text(wanted) for one in options)


def _text(value: object) -> str | None:
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def tag_index(cases: Iterable[Fields]) -> dict[str, tuple[str, ...]]:
    """Give the ids of the cases of each tag, tags in alphabetical order."""
    found: dict[str, list[str]] = {}
    for case in cases:
        for tag in case.get("tags") or ():
            found.setdefault(tag, []).append(str(case["id"]))
    return {tag: tuple(found[tag]) for tag in sorted(found, key=str.lower)}


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


def plain_fields(case: Mapping[str, object]) -> list[str]:
    """Give the names of a case's fields that a filter can ask for, its own extras included."""
    return [name for name, value in case.items() if not isinstance(value, dict)]
