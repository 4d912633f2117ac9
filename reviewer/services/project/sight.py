"""What the person at the keyboard may see: the one rule that every page, list and figure asks.

Auto scores, reasoning, other people's labels and what tells of them stay hidden on an evaluation
until its labeler has answered every metric or asked to see. Blind is what the queue says that is
worked on, else the project; what another open blind queue still asks of somebody is hidden
wherever they meet it. Nothing is hidden on what a rubric asks nobody about.

Of a hidden evaluation only what is known to be the conversation is seen: whatever else a record
holds, at any depth, may be a verdict of the tool that it came from.
"""

import json
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from reviewer.domain.errors import FilterError
from reviewer.domain.evaluation import Candidate, Evaluation, Part, Source, ToolCall, Turn
from reviewer.domain.filters import Filter, needs_sight, parse, terms
from reviewer.domain.record import RECORD, Shape
from reviewer.domain.rubric import Rubric
from reviewer.services.project.session import Session, is_blind
from reviewer.store import figures, labelers, queues, states
from reviewer.store.project import Project
from reviewer.store.states import State


class Hidden(Struct, frozen=True):
    """What stays hidden from a labeler.

    Attributes:
        blind: Whether every evaluation does, until it is settled.
        asked: What open blind queues ask of them.
    """

    labeler: str
    blind: bool = False
    asked: frozenset[int] = frozenset()

    @property
    def nothing(self) -> bool:
        """Tell whether nothing is hidden."""
        return not (self.blind or self.asked)

    def same_as(self, other: "Hidden") -> bool:
        """Tell whether another hides the same; what queues ask may be a million keys."""
        who = (self.labeler, self.blind) == (other.labeler, other.blind)
        return who and (self.asked is other.asked or self.asked == other.asked)

    def hides(self, evaluation: int | None, rubric: Rubric, *, settled: bool) -> bool:
        """Tell whether an evaluation is hidden; `settled` is one answered whole, or revealed."""
        if settled or not rubric.labelled_metrics:
            return False
        return self.blind or evaluation in self.asked

    def open_asks(self, project: Project) -> frozenset[int]:
        """Give what open blind queues ask of them and they have not settled."""
        person = labelers.find(project.conn, self.labeler) if self.asked else None
        if person is None:
            return frozenset()
        mine = states.of_labeler(project.conn, person.key)
        settled = (key for key, state in mine.items() if state.complete or state.revealed)
        return self.asked.difference(settled)

    def begun(self, project: Project) -> list[int]:
        """Give what they have begun and not settled: their answers there count in no figure."""
        person = None if self.nothing else labelers.find(project.conn, self.labeler)
        if person is None:
            return []
        found = figures.hidden_from(project, person.key)
        return [key for key in found if self.blind or key in self.asked]


def hidden_now(session: Session) -> Hidden:
    """Give what stays hidden from the active labeler now."""
    return Hidden(session.labeler.name, session.blind, session.sealed)


def figures_closed(session: Session) -> bool:
    """Tell whether figures of judge and people are closed to whoever sits here.

    Leads see them; whoever labels blind meets them evaluation by evaluation.
    """
    leads = session.is_named and session.labeler.role == "lead"
    return is_blind(session.project) and not leads


def is_hidden(
    session: Session, state: State, rubric: Rubric, evaluation: int | None = None
) -> bool:
    """Tell whether an evaluation is hidden from the active labeler, whose state there is known."""
    settled = state.complete or state.revealed
    return hidden_now(session).hides(evaluation, rubric, settled=settled)


def hidden_among(
    session: Session, keys: Iterable[int], hidden: Hidden | None = None
) -> frozenset[int]:
    """Give the evaluations, all of one rubric, that are hidden from the active labeler.

    `hidden` says it for a session that works for them and sees all itself.
    """
    every, hidden = frozenset(keys), hidden or hidden_now(session)
    if not every or hidden.nothing:
        return frozenset()
    rubric = session.rubric_of(next(iter(every)))
    mine = states.of_labeler(session.project.conn, session.labeler.key)
    settled = {key for key, state in mine.items() if state.complete or state.revealed}
    return frozenset(x for x in every if hidden.hides(x, rubric, settled=x in settled))


GOLD: Final = "gold"
"""The tag of evaluations whose known answers are the decisions on them."""
PLAIN_DRAWS: Final = frozenset({"all", "random", "stratified", "newest", "recent"})
"""Ways to draw a queue that ask no score; those chosen by hand may come from any list."""
_OF_PEOPLE: Final = frozenset({"queue", "labeler", "has", "part", "question", "asked", "state"})


def telling_queue(session: Session, tree: Filter) -> str | None:
    """Name a queue that a filter asks for and that tells of scores by what is in it.

    Such is one whose plan asks for scores, people or known answers, unless the labeler made it.
    """
    asked = [term for term in terms(tree) if term.field == "queue"]
    if not asked:
        return None
    me = session.labeler.name
    for row in queues.every(session.project.conn):
        named = any(
            row.name == term.value if term.quoted else _matches(row.name, term.value)
            for term in asked
        )
        if named and row.labeler != me and not _is_plain(row.plan):
            return row.name
    return None


def finds_gold(tree: Filter) -> bool:
    """Tell whether a filter asks which evaluations have known answers."""
    return any(term.field == "tag" and _matches(GOLD, term.value) for term in terms(tree))


def _matches(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern.replace("[", "[[]").replace("?", "[?]"))


def _is_plain(plan: str) -> bool:
    kept = json.loads(plan)
    try:
        tree = parse(str(kept.get("filter_text") or ""))
    except FilterError:
        return False
    return (
        kept.get("sampling", "all") in PLAIN_DRAWS
        and not str(kept.get("stratify") or "").startswith("auto:")
        and not needs_sight(tree)
        and not finds_gold(tree)
        and _OF_PEOPLE.isdisjoint(term.field for term in terms(tree))
    )


TEXTS: Final = ("input", "messages", "response", "candidates", "context", "expected")
"""What a labeler reads to judge it."""
SEEN: Final = frozenset({
    "id", "run", "case", "category", "complexity", "tags", *TEXTS, "expected_keywords",
    "expected_tools", "tools_used", "error", "latency_ms", "cost_usd", "tokens_in", "tokens_out",
    "model", "occurred_at", "evaluated_at", "sources", "expected_sources", "template_matched",
    "direct_substitution", "cache", "cluster",
})  # fmt: skip
"""The keys of a record that are seen while it is hidden."""
_SHAPES: Final = {x.name: x.of for x in RECORD.fields if x.of is not None and x.name in SEEN}
_META: Final = "meta"
_MATCHED: Final = "matched"
"""Under `meta`: which row of its question list a bot answered from."""
_MATCH: Final = ("row", "similarity", "question", "shared")
_Told = Evaluation | Turn | Part | ToolCall | Candidate | Source
T = TypeVar("T", bound=_Told)


def seen_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Give what is seen of a record while it is hidden; nothing else of it leaves the project."""
    found = {
        key: bare(key, value)
        for key, value in fields.items()
        if key in SEEN or (key == _META and _matched(value))
    }
    return found | {_META: _matched(found[_META])} if _META in found else found


def bare(key: str, value: Any) -> Any:  # noqa: ANN401 - a JSON value is anything
    """Give the value of a record's key without what the format does not know inside of it."""
    shape = _SHAPES.get(key)
    return value if shape is None else _known(shape, value)


def _known(shape: Shape, value: Any) -> Any:  # noqa: ANN401 - a JSON value is anything
    if not isinstance(value, list):
        return value
    within = {x.name: x.of for x in shape.fields}
    return [
        {
            key: x if (of := within[key]) is None else _known(of, x)
            for key, x in one.items()
            if key in within
        }
        if isinstance(one, dict)
        else one
        for one in value
    ]


def _matched(meta: object) -> dict[str, Any]:
    found = meta.get(_MATCHED) if isinstance(meta, dict) else None
    told = {x: found[x] for x in _MATCH if x in found} if isinstance(found, dict) else {}
    return {_MATCHED: told} if told else {}


def seen(evaluation: Evaluation) -> Evaluation:
    """Give what is seen of an evaluation while it is hidden: `seen_fields` of what was read."""
    meta = _matched(evaluation.rest.get(_META))
    return replace(
        _bare(evaluation),
        rest={_META: meta} if meta else {},
        feedback=None,
        scores=(),
        messages=_turns(evaluation.messages),
        candidates=tuple(
            replace(_bare(x), messages=_turns(x.messages)) for x in evaluation.candidates
        ),
        sources=tuple(map(_bare, evaluation.sources)),
    )


def _turns(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    return tuple(
        replace(
            _bare(turn),
            content=tuple(map(_bare, turn.content))
            if isinstance(turn.content, tuple)
            else turn.content,
            tool_calls=tuple(map(_bare, turn.tool_calls)),
        )
        for turn in turns
    )


def _bare(told: T) -> T:
    return replace(told, rest={}) if told.rest else told
