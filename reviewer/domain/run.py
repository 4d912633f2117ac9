"""Runs, judge versions and labelers as the window lists them, and the scope that names some."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from reviewer.domain.evaluation import as_written

NO_PARAMETERS = frozenset(
    {"seed", "random_seed", "request_id", "user", "timeout", "timeout_s", "timeout_ms",
     "retries", "max_retries", "concurrency", "max_concurrency", "per_minute", "rate_limit",
     "max_cost", "max_tokens", "max_completion_tokens", "max_output_tokens"}
)  # fmt: skip
"""What stands among a score's parameters and makes no version: seeds, requests' ids, limits."""
_BARE_NAME = re.compile(r"[^\s=\"\[{][^\s=\"]*")
_BARE_VALUE = re.compile(r"[^\s\"\[{][^\s\"]*")
Scored = Callable[[int], frozenset[int]]
"""Gives the metrics that a score set scored, by its number."""
_OWN_NAMES = ("scorer", "version", "model", "prompt")


class ScorerVersion(Struct, frozen=True, kw_only=True):
    """One score set: a scorer or judge in one version with one set of parameters.

    Attributes:
        apart: What tells it from others of the same scorer and version, such as
            `normalize_numbers=false`; empty where nothing needs to.
    """

    key: int
    scorer: str
    version: str | None = None
    model: str | None = None
    prompt_hash: str | None = None
    parameters: str | None = None
    apart: str = ""

    @property
    def plain(self) -> str:
        """Give NAME or NAME@VERSION."""
        return f"{self.scorer}@{self.version}" if self.version else self.scorer

    @property
    def name(self) -> str:
        """Give the full name, as filters, documents and exports spell it."""
        return " ".join(part for part in (self.plain, self.apart) if part)

    def is_called(self, name: str) -> bool:
        """Tell whether a name means this version, perhaps among others."""
        return name in (self.name, self.plain, self.scorer)


def telling(parameters: Any) -> Any:  # noqa: ANN401 - a JSON value is anything
    """Give the parameters that make a version, always spelt alike; None where there are none.

    What is spelt so already comes back as the same object.
    """
    if not isinstance(parameters, dict):
        return parameters
    if not NO_PARAMETERS.isdisjoint(parameters):
        parameters = {name: x for name, x in parameters.items() if name not in NO_PARAMETERS}
    return _alike(parameters) or None


def _alike(value: Any) -> Any:  # noqa: ANN401 - a JSON value is anything
    """Spell a value as any equal one: whole numbers without a point, keys in order."""
    if isinstance(value, float):
        return as_written(value)
    if isinstance(value, dict):
        made = {name: _alike(value[name]) for name in sorted(value)}
        is_alike = list(made) == list(value) and all(made[name] is value[name] for name in made)
        return value if is_alike else made
    if isinstance(value, list):
        listed = [_alike(x) for x in value]
        return value if all(x is y for x, y in zip(listed, value, strict=True)) else listed
    return value


def told_apart(versions: Sequence[ScorerVersion], scored: Scored) -> tuple[ScorerVersion, ...]:
    """Give versions names that tell: what differs between those of one scorer and version.

    No two that scored one metric have the same name.

    Args:
        versions: Every score set.
        scored: Asked where names are alike; sets of different metrics need no telling apart, as a
            judge has a prompt for each of them.
    """
    alike: dict[str, list[ScorerVersion]] = {}
    for version in versions:
        alike.setdefault(version.plain, []).append(version)
    found = {x.key: x for x in versions}
    for same in alike.values():
        for rivals in _rivals(same, scored):
            counts = Counter(one for x in rivals for one in aspects(x).items())
            differing = frozenset(name for (name, _), n in counts.items() if n < len(rivals))
            found |= {x.key: _telling(x, differing) for x in rivals}
    while clashing := [x for x in _clashing(found.values(), scored) if x != _telling(x)]:
        # a name that says what another one's differences say
        found |= {x.key: _telling(x) for x in clashing}
    return tuple(found[x.key] for x in versions)


def _rivals(same: Sequence[ScorerVersion], scored: Scored) -> list[list[ScorerVersion]]:
    """Divide versions into those that share a metric, if only by way of another one."""
    if len(same) < 2:
        return []
    groups: list[tuple[frozenset[int], list[ScorerVersion]]] = []
    for version in same:
        metrics, rivals = scored(version.key), [version]
        apart = []
        for others, group in groups:
            if others & metrics:
                metrics, rivals = metrics | others, group + rivals
            else:
                apart.append((others, group))
        groups = [*apart, (metrics, rivals)]
    return [rivals for _, rivals in groups if len(rivals) > 1]


def _clashing(versions: Iterable[ScorerVersion], scored: Scored) -> list[ScorerVersion]:
    by_name: dict[str, list[ScorerVersion]] = {}
    for version in versions:
        by_name.setdefault(version.name, []).append(version)
    return [x for same in by_name.values() for rivals in _rivals(same, scored) for x in rivals]


def _telling(version: ScorerVersion, names: frozenset[str] | None = None) -> ScorerVersion:
    """Let a name say some of what makes a version, or all; what it lacks is not told."""
    made = aspects(version)
    told = made if names is None else {x: value for x, value in made.items() if x in names}
    apart = " ".join(f"{name}={value}" for name, value in told.items())
    return replace(version, apart=apart) if apart != version.apart else version


def aspects(version: ScorerVersion) -> dict[str, str]:
    """Give everything that makes a version as its name spells it, by name."""
    try:
        parameters = json.loads(version.parameters) if version.parameters else None
    except ValueError:
        parameters = version.parameters
    return _aspects(
        (version.scorer, version.version, version.model, version.prompt_hash), parameters
    )


def aspects_of(score: Mapping[str, Any]) -> dict[str, str]:
    """Give everything that makes the version of a record's score, as `aspects` spells it."""
    own = tuple(score.get(x) for x in ("scorer", "scorer_version", "model", "prompt_hash"))
    return _aspects(own, score.get("parameters"))


def _aspects(own: Iterable[str | None], parameters: object) -> dict[str, str]:
    found = {name: _spelt(x) for name, x in zip(_OWN_NAMES, own, strict=True) if x}
    kept = telling(parameters)
    if not isinstance(kept, dict):
        kept = {} if kept is None else {"parameters": kept}
    return found | {_spelt_name(name): _spelt(x) for name, x in kept.items()}


def _spelt_name(name: str) -> str:
    is_bare = _BARE_NAME.fullmatch(name) and name not in _OWN_NAMES
    return name if is_bare else json.dumps(name, ensure_ascii=False)


def _spelt(value: Any) -> str:  # noqa: ANN401 - a JSON value is anything
    """Spell a value so that it ends where it ends, and a text is no number."""
    if isinstance(value, str) and _BARE_VALUE.fullmatch(value) and not _is_json(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def in_name(text: str) -> dict[str, str] | None:
    """Read what a name tells apart back, by name; None where a text is nothing of the kind."""
    found: dict[str, str] = {}
    rest = text
    while rest:
        name, rest = _taken(rest, _BARE_NAME)
        if not name or not rest.startswith("="):
            return None
        value, rest = _taken(rest[1:], _BARE_VALUE)
        if not value or name in found or (rest and not rest.startswith(" ")):
            return None
        found[name] = value
        if rest == " ":
            return None
        rest = rest[1:]
    return found or None


def _taken(text: str, bare: re.Pattern[str]) -> tuple[str, str]:
    """Take a bare word or a JSON value from the front; empty where neither stands there."""
    if text[:1] in ('"', "[", "{"):
        try:
            end = json.JSONDecoder().raw_decode(text)[1]
        except ValueError:
            return "", text
        return text[:end], text[end:]
    found = bare.match(text)
    return (found[0], text[found.end() :]) if found else ("", text)


class Run(Struct, frozen=True, kw_only=True):
    """One imported or launched evaluation run.

    Counts are of the evaluations that count; `excluded` says how many do not.
    """

    key: int
    name: str
    rubric: str
    evaluations: int
    labelled: int
    imported_at: str
    excluded: int = 0
    source: str | None = None


class Labeler(Struct, frozen=True, kw_only=True):
    """A person who labels or leads."""

    key: int
    name: str
    colour: str | None = None
    role: Literal["labeler", "lead"] = "labeler"


What = Literal["evaluations", "labels", "disagreements", "consensus"]
"""What the rows of an export are."""
DateBasis = Literal["evaluation", "chat"]


class Scope(Struct, frozen=True, kw_only=True):
    """The filters that `stats`, `export`, `report` and `check` share; empty means everything.

    Attributes:
        runs: The runs that figures cover; empty for the newest run, or for all with `every_run`.
        every_run: Whether figures pool the runs of the newest run's rubric.
        metrics: Which metrics are listed; satisfaction and pass always use the whole rubric.
        labelers: Only these people's labels, and then no adjudication.
        scorer: NAME, NAME@VERSION or the full name of the version whose scores count instead of
            that of record, for the metrics that it scored.
        only_scorer: Whether the other metrics then have no auto score.
        blind_only: Only entries that are known to be given without sight of the auto score.
        as_of: The last day of the window; None is today in the project's time zone.
        window_months: The months up to `as_of` that every figure is bounded by, None for no bound
            at all; unset, the look-back of the options bounds deviations and band alone.
        where: Field and value pairs that an evaluation must all match.
        filter: Words of the filter language that an evaluation must match.
        viewer: Whose states the filter is about.
        dates: By which date an evaluation is placed: when it was evaluated, or when the chat was.
        decisions: Whether a lead's decision stands above labels.
    """

    runs: tuple[str, ...] = ()
    every_run: bool = False
    metrics: tuple[str, ...] = ()
    labelers: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    scorer: str | None = None
    only_scorer: bool = False
    blind_only: bool = False
    as_of: date | None = None
    window_months: int | UnsetType | None = UNSET
    where: tuple[tuple[str, str], ...] = ()
    filter: str = ""
    viewer: str = ""
    dates: DateBasis = "evaluation"
    decisions: bool = True
