"""Which evaluations tell of each other: those of one test case or one conversation."""

from collections.abc import Iterable, Mapping, Sequence

from reviewer.domain.job import Part
from reviewer.store.splits import Kin


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
