"""What every surface has to show, figure by figure, as the oracle works it out."""

from dataclasses import dataclass
from datetime import date, timedelta
from math import fsum
from statistics import multimode
from typing import Any

from tests.journeys.one_figure import bands, book
from tests.journeys.one_figure.bands import EQUAL, options_of
from tests.journeys.one_figure.book import Book, Evaluation
from tests.journeys.one_figure.oracle import Gaps, Oracle
from tests.journeys.one_figure.world import BLIND, NEWEST, OLDER, Files

CATEGORICAL = "topic"


@dataclass(frozen=True)
class Wanted:
    """A figure as documents give it, and what stands on a screen where that differs.

    Attributes:
        value: In full precision; None where it is undefined.
        screen: A number or the words of a screen; None where it is the same as `value`.
        capped: Whether a screen shows the end of the scale and says so.
        free: Whether the oracle does not know it.
    """

    value: Any
    screen: Any = None
    capped: bool = False
    free: bool = False


Figures = dict[str, Wanted]


@dataclass(frozen=True)
class Kept:
    """A preset and the options that a project keeps."""

    preset: str
    options: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name the set as a test is called."""
        return " ".join((self.preset, *self.options))

    @property
    def changes(self) -> dict[str, str]:
        """Give the options by name."""
        return dict(option.split("=", 1) for option in self.options)


class Answers:
    """The expected figures of one kept set of options; each family is worked out once."""

    def __init__(self, files: Files, kept: Kept, *, blind: bool = False) -> None:
        told = Book(files.imports.values())
        options = options_of(kept.preset, kept.changes)
        who = BLIND if blind else ""

        def of_run(run: str) -> Oracle:
            return Oracle(told, files.rubric, options, runs=(run,), as_of=files.today, blind=who)

        self.newest, self.older = of_run(NEWEST), of_run(OLDER)
        self.metrics = tuple(self.newest.metrics)
        self._agreeing = {name: self.newest.table(name) for name in self.metrics}

    def metric(self, name: str) -> Figures:
        """Give the figures of a metric of the newest run."""
        oracle = self.newest
        made: Figures = {}
        if name != CATEGORICAL:
            made |= {f"{name} {x}": y for x, y in _block(oracle.gaps(name), oracle).items()}
        table = self._agreeing[name]
        if table is not None and not _is_derived(oracle, name):
            how = "none" if name == CATEGORICAL else "quadratic"
            made |= {
                f"{name} same": Wanted(table.percent()),
                f"{name} kappa": Wanted(table.kappa(how)),
                f"{name} table n": Wanted(round(table.total, 9)),
                f"{name} no majority": Wanted(
                    table.n_no_majority, free=oracle.options.label_combine == "latest"
                ),
            }
        if not _is_derived(oracle, name):
            made[f"{name} pairs"] = Wanted(len(oracle.rows(name)))
            if name != CATEGORICAL:
                made[f"{name} bias"] = Wanted(oracle.bias(name))
        version = oracle.book.record.get((NEWEST, name))
        if version is not None:
            made[f"{name} scorer"] = Wanted("@".join(version))
            made[f"{name} coverage"] = Wanted(oracle.book.versions(NEWEST, name)[version])
        return made

    def of_metrics(self) -> Figures:
        """Give the figures of all metrics, and of the overall."""
        made: Figures = {}
        for name in self.metrics:
            made |= self.metric(name)
        blocks = _block(self.newest.satisfaction(), self.newest)
        return made | {f"overall {x}": y for x, y in blocks.items()}

    def passing(self) -> Figures:
        """Give the pass rates of both runs."""
        made: Figures = {}
        for prefix, oracle in (("", self.newest), (f"{OLDER} ", self.older)):
            for side, people in (("judge", False), ("people", True)):
                rate, n = oracle.pass_rate(people=people)
                made |= {
                    f"{prefix}pass {side}": Wanted(rate),
                    f"{prefix}pass {side} n": Wanted(n),
                }
        return made

    def runs(self) -> Figures:
        """Give what is told of each run: how many, how many labelled, means, pass rate."""
        made = self.passing()
        for oracle, run in ((self.newest, NEWEST), (self.older, OLDER)):
            made[f"{run} evaluations"] = Wanted(len(oracle.evaluations))
            labelled = [x for x in oracle.evaluations if self._is_labelled(oracle, x)]
            made[f"{run} labelled"] = Wanted(len(labelled))
            rate, n = oracle.pass_rate()
            made |= {f"{run} pass judge": Wanted(rate), f"{run} pass judge n": Wanted(n)}
            made[f"{run} overall auto"] = Wanted(oracle.satisfaction().auto_mean)
            for name in self.metrics:
                if name != CATEGORICAL:
                    made[f"{run} {name} auto"] = Wanted(oracle.gaps(name).auto_mean)
        return made

    def _is_labelled(self, oracle: Oracle, one: Evaluation) -> bool:
        return any(oracle.opinions(one, name) for name in self.metrics)

    def cases(self) -> Figures:
        """Give the scores of every evaluation of both runs, by its id."""
        made: Figures = {}
        for oracle, run in ((self.newest, NEWEST), (self.older, OLDER)):
            for one in oracle.evaluations:
                for name in self.metrics:
                    if name != CATEGORICAL:
                        made |= self._case(oracle, one, f"{run} {one.id}", name)
                made[f"{run} {one.id} overall gap"] = Wanted(oracle.overall_gap(one))
        return made

    def _case(self, oracle: Oracle, one: Evaluation, prefix: str, name: str) -> Figures:
        auto = oracle.auto(one, name)
        gaps = oracle.gaps(name)
        adjusted = None if auto is None else auto + gaps.band.band
        screen: Any = None
        capped = False
        if adjusted is not None:
            screen, capped = bands.on_screen(adjusted, gaps.bounds, oracle.options)
        if gaps.band.missing is not None:
            screen, capped = _told_missing(gaps), False
        return {
            f"{prefix} {name} auto": Wanted(auto),
            f"{prefix} {name} human": Wanted(oracle.human(one, name)),
            f"{prefix} {name} gap": Wanted(oracle.gap(one, name)),
            f"{prefix} {name} adjusted": Wanted(adjusted, screen, capped),
        }

    def disagreements(self) -> Figures:
        """Give what the list of disagreements has to hold: which rows, and their scores."""
        made, rows = self.cases(), []
        for oracle, run in ((self.newest, NEWEST), (self.older, OLDER)):
            for one in oracle.evaluations:
                rows += [
                    f"{run} {one.id} {name}"
                    for name in self.metrics
                    if name != CATEGORICAL and self._differs(oracle, one, name)
                ]
        return made | {"rows": Wanted(", ".join(sorted(rows)))}

    def agreed(self) -> Figures:
        """Give what people say together: what most of them gave, without levels their mean."""
        made: Figures = {}
        for oracle, run in ((self.newest, NEWEST), (self.older, OLDER)):
            for one in oracle.evaluations:
                for name in self.metrics:
                    values = [x.value for x in book.opinions(one, name)]
                    if values and name != CATEGORICAL:
                        said = _together(oracle.metrics[name], values)
                        made[f"{run} {one.id} {name} agreed"] = Wanted(said)
        return made

    def _differs(self, oracle: Oracle, one: Evaluation, name: str) -> bool:
        values = [x.value for x in book.opinions(one, name)]
        gap = oracle.gap(one, name)
        apart = max(values) - min(values) if values else 0
        return bool(apart > EQUAL or abs(gap or 0) > EQUAL)

    def found(self, metric: str, what: str, holds: Any) -> Wanted:
        """Give the ids of the newest run whose figure `what` of a metric holds."""
        cases = self.cases()
        ids = [
            one.id
            for one in self.newest.evaluations
            if (x := cases[f"{NEWEST} {one.id} {metric} {what}"].value) is not None and holds(x)
        ]
        return Wanted(", ".join(sorted(ids)))

    def compared(self) -> Figures:
        """Give both runs on the cases that they share: A is the older one."""
        before = {x.case: x for x in self.older.evaluations}
        after = {x.case: x for x in self.newest.evaluations}
        shared = [x for x in before if x in after]
        made: Figures = {"compared n": Wanted(len(shared))}
        for name in self.metrics:
            if name == CATEGORICAL:
                continue
            made |= self._pair(name, [(before[x], after[x]) for x in shared])
        both = [
            (a, b)
            for x in shared
            if (a := self.older.verdict(before[x])) is not None
            and (b := self.newest.verdict(after[x])) is not None
        ]
        made["compared pass n"] = Wanted(len(both))
        wholes = [
            (old, new)
            for x in shared
            if (old := self.older.overall(before[x])[0]) is not None
            and (new := self.newest.overall(after[x])[0]) is not None
        ]
        made["compared overall n"] = Wanted(len(wholes))
        for place, letter in enumerate("ab"):
            rate = sum(x[place] for x in both) / len(both) if both else None
            made[f"compared pass {letter}"] = Wanted(rate)
            made[f"compared overall {letter}"] = Wanted(
                fsum(x[place] for x in wholes) / len(wholes) if wholes else None
            )
        return made

    def _pair(self, name: str, shared: list[tuple[Evaluation, Evaluation]]) -> Figures:
        autos = [
            (x, y)
            for a, b in shared
            if (x := self.older.auto(a, name)) is not None
            and (y := self.newest.auto(b, name)) is not None
        ]
        gaps = [
            (abs(x), abs(y))
            for a, b in shared
            if (x := self.older.gap(a, name)) is not None
            and (y := self.newest.gap(b, name)) is not None
        ]
        made = {f"compared {name} n": Wanted(len(autos))}
        for what, pairs in (("", autos), (" off people", gaps)):
            for place, letter in enumerate("ab"):
                mean = fsum(x[place] for x in pairs) / len(pairs) if pairs else None
                made[f"compared {name}{what} {letter}"] = Wanted(mean)
        return made

    def slices(self) -> Figures:
        """Give the mean gap of each category and metric, whatever its date."""
        made: Figures = {}
        categories = sorted({x.record["category"] for x in self.newest.evaluations})
        for name in self.metrics:
            if name == CATEGORICAL or _is_derived(self.newest, name):
                continue
            for category in categories:
                gaps = [
                    gap
                    for x in self.newest.evaluations
                    if x.record["category"] == category
                    and self.newest.is_kept(x)
                    and (gap := self.newest.gap(x, name)) is not None
                ]
                mean = fsum(gaps) / len(gaps) if gaps else None
                made[f"{category} {name} gap"] = Wanted(mean)
                made[f"{category} {name} n"] = Wanted(len(gaps))
        return made

    def weeks(self, name: str) -> Figures:
        """Give the auto mean of each week by its Monday; nothing undated is in a trend."""
        weeks: dict[date, list[float]] = {}
        for one in self.newest.evaluations:
            auto, day = self.newest.auto(one, name), self.newest.book.day(one, name)
            if auto is not None and day is not None:
                weeks.setdefault(day - timedelta(days=day.weekday()), []).append(auto)
        made: Figures = {}
        for start, autos in weeks.items():
            made[f"{start} {name} auto"] = Wanted(fsum(autos) / len(autos))
            made[f"{start} {name} n"] = Wanted(len(autos))
        return made


def _together(metric: dict[str, Any], values: list[float]) -> float | None:
    if metric.get("scale") == "binary" or metric.get("levels"):
        most = multimode(values)
        return most[0] if len(most) == 1 else None
    return fsum(values) / len(values)


def _block(gaps: Gaps, oracle: Oracle) -> Figures:
    band = gaps.band
    made = {
        "n_auto": Wanted(gaps.n_auto),
        "auto": Wanted(gaps.auto_mean),
        "n_human": Wanted(gaps.n_human),
        "n": Wanted(band.n_labelled),
        "human": Wanted(gaps.human_mean),
        "gap": Wanted(gaps.gap_mean),
        "gap size": Wanted(None if gaps.gap_mean is None else abs(gaps.gap_mean)),
        "higher": Wanted(band.n_higher),
        "lower": Wanted(band.n_lower),
        "equal": Wanted(band.n_equal),
        "upper": Wanted(band.upper),
        "lower deviation": Wanted(band.lower),
    }
    screen: Any = None
    capped = False
    if gaps.shown_mean is not None:
        screen, capped = bands.on_screen(gaps.shown_mean, gaps.bounds, oracle.options)
    if band.missing is not None:
        missing = _told_missing(gaps)
        return made | {
            "band": Wanted(band.band, missing),
            "adjusted": Wanted(gaps.adjusted_mean, missing),
        }
    return made | {
        "band": Wanted(band.band),
        "adjusted": Wanted(gaps.adjusted_mean, screen, capped),
    }


def _told_missing(gaps: Gaps) -> str:
    """Say how many there are of how many; a metric without label has no band at all."""
    missing = gaps.band.missing
    if missing is None or not gaps.n_human:
        return "—"
    return f"— {missing[0]} of {missing[1]}"


def _is_derived(oracle: Oracle, name: str) -> bool:
    return "derived" in oracle.metrics[name]
