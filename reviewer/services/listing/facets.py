"""What a filter can ask for here: the fields, and their values with how many each finds."""

from datetime import datetime
from zoneinfo import ZoneInfo

from msgspec import Struct

from reviewer.domain.filters import (
    BY_NAME,
    FIELDS,
    All,
    Either,
    Filter,
    Not,
    Term,
    Words,
    among,
    named,
)
from reviewer.domain.wording import brief
from reviewer.services.figures import filtered
from reviewer.services.project.session import Session
from reviewer.store import faceting
from reviewer.store.scoping import Condition

MOST = 200
"""Values of a field that are offered, the most frequent ones."""
MONTHS = 24
_TYPED = ("id", "case", "text", "error")
"""Fields of which nearly every evaluation has a value of its own: they are typed."""
_READ_WHOLE = ("tools", "image")
"""Parts that are found by reading every text, so that nobody waits for their number."""
_TITLES = {"has": "Holds", "part": "Half", "asked": "Asked of", "labeler": "Labelled by"}
_SIGNS = {"<": "<", "<=": "≤", ">": ">", ">=": "≥"}
_UNITS = {"latency": " ms", "cost": " $"}


class Facet(Struct, frozen=True):
    """A field that a filter can ask for; of scores and gaps, that of one metric."""

    field: str
    title: str
    help: str
    metric: str | None = None


class Choice(Struct, frozen=True):
    """One thing to ask of a facet; `count` is None where counting it would take long."""

    term: Term
    title: str
    count: int | None


def facets(session: Session) -> list[Facet]:
    """Give what the labeler may filter by; nothing about scores while they label blind."""
    found = []
    for field in FIELDS:
        if field.name in _TYPED or field.name == "|gap|" or (field.sighted and session.blind):
            continue
        title = _TITLES.get(field.name, field.name.capitalize().replace("_", " "))
        if not field.kind.endswith("metric"):
            found.append(Facet(field.name, title, field.help))
            continue
        found.extend(
            Facet(field.name, f"{x.heading}, {field.name}", f"{field.help}: {x.heading}", x.name)
            for x in session.current_rubric().metrics
            if x.key_values and (x.is_numeric or field.name != "gap")
        )
    return found


def choices(session: Session, rest: Filter, facet: Facet) -> list[Choice]:
    """Give what can be asked of a facet, and how many each finds within the rest of a filter.

    Raises:
        FilterError: The rest reads what the labeler may not see.
    """
    filtered.check_sight(session, rest)
    within = filtered.condition(session, rest)
    kind = BY_NAME[facet.field].kind
    if kind in ("text", "people") and facet.field != "asked":
        return _by_name(session, within, facet)
    return [
        Choice(term, title, _count(session, rest, term))
        for term, title in _asked(session, within, facet)
    ]


def found_without(session: Session, parts: tuple[Filter, ...]) -> list[int]:
    """Count, for each part of a filter, what the others would find without it."""
    return [
        faceting.count(
            session.project, filtered.condition(session, All((*parts[:at], *parts[at + 1 :])))
        )
        for at in range(len(parts))
    ]


def in_words(part: Filter) -> str:
    """Say what a part of a filter asks for."""
    match part:
        case Words():
            words = f"“{part.text}”"
        case Term():
            of = f" {part.metric}" if part.metric else ""
            sign = ":" if part.op == ":" else f" {_SIGNS.get(part.op, part.op)}"
            words = f"{part.field}{of}{sign} {part.value}"
        case Not():
            words = f"not {in_words(part.part)}"
        case Either(parts=(Term() as first, *_)) if same := among(part, first):
            words = " or ".join([in_words(first), *(x.value for x in same[1:])])
        case Either():
            words = " or ".join(map(in_words, part.parts))
        case All():
            words = " and ".join(map(in_words, part.parts))
    return words


def _by_name(session: Session, within: Condition, facet: Facet) -> list[Choice]:
    found = [
        Choice(named(facet.field, value), value, count)
        for value, count in faceting.values(session.project, within, facet.field, MOST)
    ]
    return [x for x in found if filtered.may_ask(session, x.term)]


def _count(session: Session, rest: Filter, term: Term) -> int | None:
    if term.field == "has" and term.value in _READ_WHOLE:
        return None
    return faceting.count(session.project, filtered.condition(session, All((rest, term))))


def _asked(session: Session, within: Condition, facet: Facet) -> list[tuple[Term, str]]:
    """Give the terms of a facet, each with what it says in words."""
    field = BY_NAME[facet.field]
    match field.kind:
        case "number":
            return _numbers(session, within, field.name)
        case "date":
            return _months(session, within)
        case "metric":
            return _levels(session, facet)
        case "optional metric":
            return _gaps(facet)
    values = field.choices or (filtered.ME,)
    return [
        (named(field.name, x), "You" if x == filtered.ME else x.capitalize().replace("_", " "))
        for x in values
    ]


def _numbers(session: Session, within: Condition, name: str) -> list[tuple[Term, str]]:
    found = faceting.numbers(session.project, within, name, (0.1, 0.5, 0.9))
    if not found:
        return []
    signs = zip(
        ("<=", ">", ">="), found, ("lowest tenth", "upper half", "highest tenth"), strict=True
    )
    return [
        (
            Term(name, sign, _plain(value)),
            f"{_SIGNS[sign]} {brief(value, 4)}{_UNITS.get(name, '')}, {part}",
        )
        for sign, value, part in signs
    ]


def _plain(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


def _months(session: Session, within: Condition) -> list[tuple[Term, str]]:
    """Give the months in which something was evaluated, the newest first; years where many."""
    ends = faceting.numbers(session.project, within, "date", (0.0, 1.0))
    if not ends:
        return []
    zone = ZoneInfo(session.project.setting("time_zone", "UTC"))
    first, last = (datetime.fromtimestamp(x / 1e6, zone) for x in ends)
    span = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    if len(span) > MONTHS:
        names = [str(year) for year in range(last.year, first.year - 1, -1)]
    else:
        names = [f"{month // 12}-{month % 12 + 1:02d}" for month in reversed(span)]
    return [(Term("date", "=", name), name) for name in names]


def _levels(session: Session, facet: Facet) -> list[tuple[Term, str]]:
    metric = next(x for x in session.current_rubric().metrics if x.name == facet.metric)
    values = metric.key_values
    if metric.kind.is_open and not metric.kind.levels:
        ends = [("<", values[1]), *((">=", x) for x in values[1:-1])]
        return [
            (Term(facet.field, sign, f"{x:g}", metric.name), f"{_SIGNS[sign]} {x:g}")
            for sign, x in ends
        ]
    return [
        (
            named(facet.field, x if isinstance(x, str) else f"{x:g}", metric.name),
            metric.kind.word(x) or f"{x:g}",
        )
        for x in values
    ]


def _gaps(facet: Facet) -> list[tuple[Term, str]]:
    return [
        (Term(facet.field, sign, value, facet.metric), words)
        for sign, value, words in (
            ("<", "0", "people below the judge"),
            ("=", "0", "people and judge agree"),
            (">", "0", "people above the judge"),
        )
    ]
