"""The two halves of what people labelled: one to make prompts with, one to hold judges to.

An evaluation gets its part when it is first needed after a label, and keeps it for ever. What
shares a test case or a conversation lies in the same part. Within each stratum (how people scored
it, and its category) the parts grow alike; the seed decides who goes where.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import as_number
from reviewer.domain.judging import Part
from reviewer.domain.rubric import Metric
from reviewer.services.project.session import Session
from reviewer.store import figures, splits, watching
from reviewer.store.splits import Kin, LabelledRow

SEED = "split seed"
FORESEEN = "foreseen halves"
"""The name under which a session keeps what it foresaw last."""
LEVELS = 5
"""Bands of the human score that a stratum knows."""
PARTS: tuple[Part, Part] = ("dev", "held_out")
Stratum = tuple[int, str]


@dataclass(frozen=True, slots=True)
class _Foreseen:
    """The parts of what had none, as of one state of the file."""

    state: Hashable
    parts: dict[int, Part]


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """How the labelled evaluations of a project are divided.

    Attributes:
        dev, held_out: How many are labelled in each part.
        added: How many got their part just now.
    """

    seed: int
    dev: int
    held_out: int
    added: int = 0

    @property
    def sentence(self) -> str:
        """Tell it in words."""
        if not self.dev + self.held_out:
            return "Nothing is labelled yet, so there is nothing to divide."
        return (
            f"{self.dev:,} labelled responses for making prompts, {self.held_out:,} held out "
            f"(seed {self.seed})."
        )


def ensure(session: Session, seed: int | None = None) -> Split:
    """Give every labelled evaluation its part, and say how many each part has.

    A project that only can be read keeps the parts it has.

    Raises:
        ReviewerError: The project was divided by another seed already.
    """
    project = session.project
    kept = project.setting(SEED)
    if kept and seed is not None and seed != int(kept):
        raise ReviewerError(
            f"The labels were divided with the seed {kept} and stay so: what was held out once "
            "must stay held out."
        )
    chosen = int(kept) if kept else seed or 0
    added = 0
    if not project.read_only and splits.has_open(project.conn):
        if splits.is_apart(project.conn):
            added = _foresee(session, chosen)
        else:
            if not kept:
                project.set_setting(SEED, str(chosen))
            added = _divide(session, chosen)
    sizes = splits.labelled_counts(project.conn)
    return Split(
        seed=chosen, dev=sizes.get("dev", 0), held_out=sizes.get("held_out", 0), added=added
    )


@contextmanager
def foreseen(session: Session) -> Iterator[None]:
    """Let `ensure` divide for the block alone: the file keeps the parts that it has.

    What is asked inside is answered as if the newer labels were divided, by the same rule as they
    will be. Nothing is written for it, so nobody is held up.
    """
    kept = session.kept
    with splits.apart(session.project):
        try:
            yield
        finally:
            session.kept = kept


def not_held_out(session: Session, keys: Sequence[int]) -> list[int]:
    """Give those of some evaluations that may be looked at while a prompt is made."""
    ensure(session)
    parts = splits.parts_of(session.project.conn, keys)
    return [key for key in keys if parts.get(key) != "held_out"]


def held_out_among(session: Session, keys: Sequence[int]) -> int:
    """Count those of some evaluations that are held out by now; nothing is divided for it."""
    return sum(part == "held_out" for part in splits.parts_of(session.project.conn, keys).values())


def _divide(session: Session, seed: int) -> int:
    """Divide what has no part yet, again where another process did so meanwhile."""
    project = session.project
    while True:
        known = splits.parts(project.conn)
        found = _assigned(session, seed, known)
        if splits.add(project, found.items(), beside=len(known)):
            return len(found)


def _foresee(session: Session, seed: int) -> int:
    """Divide for this connection alone; while nobody writes, that takes time only once."""
    project = session.project
    with figures.snapshot(project):
        sight = watching.look(project)
        state = (sight.content, sight.seq, seed)
        found = session.kept.get(FORESEEN)
        if not isinstance(found, _Foreseen) or found.state != state:
            found = _Foreseen(state, _assigned(session, seed, splits.parts(project.conn)))
            session.kept[FORESEEN] = found
        splits.add_apart(project.conn, found.parts.items())
    # columns that are read by these parts are true for nobody else
    session.kept = {}
    return len(found.parts)


def _assigned(session: Session, seed: int, known: dict[int, Part]) -> dict[int, Part]:
    conn = session.project.conn
    strata = _strata(session, splits.labelled(conn))
    kinship = Kinship(splits.kin(conn))
    balance = _Balance(seed)
    for evaluation in known.keys() & strata.keys():
        balance.count(strata[evaluation], known[evaluation], 1)
    units: dict[str, list[int]] = defaultdict(list)
    found: dict[int, Part] = {}
    open_ones = [key for key in sorted(strata) if key not in known]
    inherited = kinship.inherited(open_ones, known)
    for evaluation in open_ones:
        if evaluation in inherited:
            found[evaluation] = inherited[evaluation]
            balance.count(strata[evaluation], found[evaluation], 1)
        else:
            units[kinship.unit(evaluation)].append(evaluation)
    for members, part in balance.divide(units, strata):
        found.update(dict.fromkeys(members, part))
    return found


class _Balance:
    """How many evaluations each part has, by stratum, by level and in all."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._ahead: Counter[tuple[object, ...]] = Counter()

    def count(self, stratum: Stratum, part: Part, size: int) -> None:
        """Note that a part has so many more; above 0 the part `dev` is ahead."""
        step = size if part == "dev" else -size
        for place in _places(stratum):
            self._ahead[place] += step

    def divide(
        self, units: Mapping[str, list[int]], strata: Mapping[int, Stratum]
    ) -> Iterable[tuple[list[int], Part]]:
        """Give each unit a part, stratum by stratum and the largest units first."""
        ranks = {name: hashlib.sha256(f"{self._seed}:{name}".encode()).digest() for name in units}
        first = {name: strata[members[0]] for name, members in units.items()}
        for name in sorted(units, key=lambda name: (first[name], -len(units[name]), ranks[name])):
            part = self._part(first[name], ranks[name][-1])
            for member in units[name]:
                self.count(strata[member], part, 1)
            yield units[name], part

    def _part(self, stratum: Stratum, chance: int) -> Part:
        for place in _places(stratum):
            if self._ahead[place]:
                return "held_out" if self._ahead[place] > 0 else "dev"
        return PARTS[chance % 2]


def _places(stratum: Stratum) -> tuple[tuple[object, ...], ...]:
    return (stratum, (stratum[0],), ())


def _strata(session: Session, rows: Iterable[LabelledRow]) -> dict[int, Stratum]:
    """Give, for each labelled evaluation, the band of its human scores and its category."""
    values: dict[int, dict[str, list[LabelledRow]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        values[row.evaluation][row.metric].append(row)
    made: dict[int, Stratum] = {}
    for evaluation, by_metric in values.items():
        one = next(iter(by_metric.values()))[0]
        known = session.rubric_of_run(one.run).by_name
        shares = [
            share
            for name, found in by_metric.items()
            if name in known and (share := _share(known[name], found)) is not None
        ]
        mean = sum(shares) / len(shares) if shares else 0.0
        made[evaluation] = (round(mean * (LEVELS - 1)), one.category)
    return made


def _share(metric: Metric, rows: list[LabelledRow]) -> float | None:
    """Give where people put it on the scale, 0 for its lower and 1 for its upper end."""
    counted = [row for row in rows if row.decided] or rows
    if not metric.is_numeric:
        at = [metric.values.index(row.value) for row in counted if row.value in metric.values]
        return sum(at) / len(at) / max(len(metric.values) - 1, 1) if at else None
    numbers = [number for row in counted if (number := as_number(row.value)) is not None]
    low, high = metric.bounds or (0.0, 1.0)
    if not numbers or high <= low:
        return None
    share = (sum(numbers) / len(numbers) - low) / (high - low)
    return min(max(share, 0.0), 1.0)


class Kinship:
    """Units of evaluations that share a test case or a conversation, over any number of steps."""

    def __init__(self, everyone: Iterable[Kin]) -> None:
        """Join what shares something."""
        self._own: dict[int, tuple[str, ...]] = {}
        self._above: dict[str, str] = {}
        for evaluation, case, cluster in everyone:
            names = (f"case {case}",) if cluster is None else (f"case {case}", f"chat {cluster}")
            self._own[evaluation] = names
            for name in names[1:]:
                self._join(names[0], name)

    def unit(self, evaluation: int) -> str:
        """Give the name of an evaluation's unit; it does not depend on the order of imports."""
        return self._top(self._own[evaluation][0])

    def inherited(self, wanted: Sequence[int], known: Mapping[int, Part]) -> dict[int, Part]:
        """Give the parts that kin have already: of the same case, the same chat, else the unit.

        Evaluations that came later may join two units; then the nearest kin says where they go.
        """
        by_name: dict[str, Part] = {}
        by_unit: dict[str, Part] = {}
        for evaluation in sorted(known):
            for name in self._own.get(evaluation, ()):
                by_name.setdefault(name, known[evaluation])
                by_unit.setdefault(self._top(name), known[evaluation])
        found: dict[int, Part] = {}
        for evaluation in wanted:
            near = [by_name[x] for x in self._own[evaluation] if x in by_name]
            part = near[0] if near else by_unit.get(self.unit(evaluation))
            if part is not None:
                found[evaluation] = part
        return found

    def _top(self, name: str) -> str:
        while (above := self._above.get(name, name)) != name:
            self._above[name] = self._above.get(above, above)
            name = above
        return name

    def _join(self, one: str, other: str) -> None:
        first, second = sorted((self._top(one), self._top(other)))
        self._above[second] = first
