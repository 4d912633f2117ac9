"""Put the judge versions of a run in order, beside what people reach among themselves."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from reviewer.domain.errors import Progress, ReviewerError, heed
from reviewer.domain.judging import Judge
from reviewer.domain.rubric import Metric
from reviewer.domain.run import Scope, ScorerVersion
from reviewer.scoring.registry import SCORERS
from reviewer.services.aligning import leaderboard, splitting
from reviewer.services.aligning.leaderboard import JudgeRow, Kind, Leaderboard
from reviewer.services.aligning.standing import (
    STATISTICS,
    Standing,
    only,
    rated_twice,
    standing,
    suited,
    usage,
)
from reviewer.services.audits.people import ONE_LABELER
from reviewer.services.figures.column_memory import Columns, held_now, memory_of
from reviewer.services.figures.figure_table import FigureTable, Loader, MetricTable
from reviewer.services.figures.human_columns import Flags, Floats
from reviewer.services.figures.request import Choices, Covered, choices, covered
from reviewer.services.figures.statistics_agreement import human_human
from reviewer.services.figures.statistics_trust import shared
from reviewer.services.findings import insights_source
from reviewer.services.findings.insights_source import Source
from reviewer.services.project.figure_rules import scale_of
from reviewer.services.project.session import Session
from reviewer.stats.ceiling import Name, Reach, reach, units_of
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.paired import PairedAgreement, paired_agreement
from reviewer.stats.segments import simultaneous_level
from reviewer.store import figures, judging, splits
from reviewer.store.splits import Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to compare judges by.

    Attributes:
        run: None for the newest.
        metrics: None for every metric that people label and something scored.
        statistic: A name in `Agreement`; None for the κ that suits the scale.
        look: Whether held-out figures that nobody looked at yet are shown, and recorded as looked
            at; others stay as they are.
    """

    run: str | None = None
    metrics: Sequence[str] | None = None
    statistic: str | None = None
    level: float = 0.95
    seed: int = 0
    look: bool = False


def compare_judges(
    session: Session, wanted: Wanted, progress: Progress | None = None
) -> dict[str, Leaderboard]:
    """Compare the judge versions of a run, by metric; call it beside the window.

    Raises:
        ReviewerError: The run, a metric or the statistic is not there.
        CancelledError: Nobody waits for it any more.
    """
    if wanted.statistic is not None and wanted.statistic not in STATISTICS:
        raise ReviewerError(
            f"Judges cannot be put in order by {wanted.statistic!r}; there are: "
            f"{', '.join(STATISTICS)}."
        )
    splitting.ensure(session)
    ground = _Ground.read(session, wanted)
    made = {}
    for metric in ground.metrics():
        heed(progress)
        made[metric.name] = _Board(ground, metric).leaderboard()
    return made


@dataclass(frozen=True, slots=True)
class OneMetric:
    """Judges on one metric, with the names and titles of those that there are besides."""

    choices: tuple[tuple[str, str], ...]
    board: Leaderboard | None


def on_one_metric(
    session: Session, wanted: Wanted, metric: str | None, progress: Progress | None = None
) -> OneMetric:
    """Compare judges on a metric; without one that is there, on that with the most labels.

    Raises:
        ReviewerError: The run is not there.
        CancelledError: Nobody waits for it any more.
    """
    splitting.ensure(session)
    ground = _Ground.read(session, replace(wanted, metrics=None))
    there = ground.metrics()
    heed(progress)
    if not there:
        return OneMetric((), None)
    usual = max(there, key=lambda x: int(ground.table.metrics[x.name].has_human.sum()))
    chosen = next((x for x in there if x.name == metric), usual)
    return OneMetric(
        tuple((x.name, x.heading) for x in there), _Board(ground, chosen).leaderboard()
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Ground:
    """What all metrics share: the run's columns, its halves, and who looks."""

    session: Session
    wanted: Wanted
    run: str
    covers: Covered
    choices: Choices
    table: FigureTable
    source: Source
    columns: Columns
    held_out: Flags
    dev: Flags

    @classmethod
    def read(cls, session: Session, wanted: Wanted) -> "_Ground":
        project = session.project
        names = session.run_names()
        run = wanted.run or (names[-1] if names else "")
        scope = Scope(
            runs=(run,) if run else (), window_months=None, metrics=tuple(wanted.metrics or ())
        )
        covers = covered(project, scope)
        held = held_now(session)
        policy = IntervalPolicy(level=wanted.level, seed=wanted.seed)
        made_by = choices(project, scope, covers.rubric, policy=policy)
        options = made_by.options
        memory = memory_of(session)
        with figures.snapshot(project):
            table = Loader(project, memory).load(
                scope, rubric=covers.rubric, within=covers.within, options=options, held=held
            )
            source = insights_source.people_of(
                project, scope, table, held=held, level=wanted.level
            )
            columns = memory.look(project)
            halves = [
                np.isin(table.keys, np.frombuffer(splits.of_part(project.conn, part), np.int64))
                for part in splitting.PARTS
            ]
        held_out, dev = halves[1], halves[0]
        return cls(session, wanted, run, covers, made_by, table, source, columns, held_out, dev)

    def metrics(self) -> list[Metric]:
        """Give the metrics that are asked for, else those that something scored."""
        asked = self.wanted.metrics
        labelled = self.table.rubric.labelled_metrics
        if asked is not None:
            for name in asked:
                if name not in {x.name for x in labelled}:
                    there = ", ".join(x.name for x in labelled)
                    raise ReviewerError(f"People do not label {name}; they label: {there}.")
            return [x for x in labelled if x.name in asked]
        return [x for x in labelled if self.table.metrics[x.name].score_set is not None]


class _Board:
    """One metric's judge versions."""

    def __init__(self, ground: _Ground, metric: Metric) -> None:
        self._ground = ground
        self._metric = metric
        self._table: MetricTable = ground.table.metrics[metric.name]
        self._policy = ground.choices.policy
        self._name = ground.wanted.statistic or suited(metric)
        self._people = People(ground.source, self._table, self._policy)
        project = ground.session.project
        self._conn = project.conn
        self._number = figures.metric_keys(project).get(metric.name, -1)
        self._run_key = next(
            key for key, name, _ in figures.run_places(project) if name == ground.covers.runs[-1]
        )
        self._autos: dict[int, Floats] = {}

    def leaderboard(self) -> Leaderboard:
        """Compare the versions, and record what is looked at for the first time."""
        ground = self._ground
        columns = ground.columns
        for key in columns.sets(self._number):
            found = columns.scores(self._metric, self._number, key).at(ground.table.keys)
            if np.isfinite(found).any():
                self._autos[key] = found
        sets = list(self._autos)[::-1]
        recorded = self._look(sets) if ground.wanted.look else 0
        seen = splits.looked(self._conn, self._number, self._run_key)
        rows = leaderboard.ordered([self._row(key, seen) for key in sets])
        labelled = self._table.has_human
        return Leaderboard(
            run=ground.covers.runs[-1],
            metric=self._metric.name,
            title=self._metric.heading,
            statistic=self._name,
            level=ground.wanted.level,
            seed=ground.wanted.seed,
            labelled=int(labelled.sum()),
            held_out_labelled=int((labelled & ground.held_out).sum()),
            history=splits.looks(self._conn, self._number),
            people=self._people.among(self._name),
            rows=leaderboard.marked(rows, self._against_top(rows)),
            recorded=recorded,
        )

    def _look(self, sets: Sequence[int]) -> int:
        """Record the versions whose present scores nobody looked at yet."""
        project = self._ground.session.project
        if project.read_only:
            return 0
        before = len(splits.looks(self._conn, self._number))
        shown = [
            Shown(key, self._number, self._run_key, self._stamp(key))
            for key in sets
            if key not in self._ground.columns.running and self._held_out_n(key)
        ]
        if shown:
            splits.add_looks(project, shown, self._ground.session.labeler.name)
        return len(splits.looks(self._conn, self._number)) - before

    def _held_out_n(self, key: int) -> int:
        there = np.isfinite(self._autos[key]) & self._ground.held_out & self._table.has_human
        return int(there.sum())

    def _stamp(self, key: int) -> str:
        """Name the state of a version's scores on the run; new labels do not change it."""
        auto = self._autos[key]
        there = np.isfinite(auto)
        said = self._ground.table.keys[there].tobytes() + auto[there].tobytes()
        return hashlib.sha256(said).hexdigest()[:16]

    def _row(self, key: int, seen: dict[int, str]) -> JudgeRow:
        ground, auto = self._ground, self._autos[key]
        versions = {x.key: x for x in figures.scorer_versions(ground.session.project)}
        version, running = versions[key], key in ground.columns.running
        found: Standing | None = None
        fresh = seen.get(key) == self._stamp(key)
        if fresh and not running:
            found = self._standing(auto, ground.held_out)
        scored = ground.table.keys[np.isfinite(auto)].tolist()
        return JudgeRow(
            key=key,
            name=version.name,
            scorer=version.scorer,
            version=version.version,
            model=version.model,
            kind=self._kind(version),
            prompt=self._prompt(version),
            running=running,
            usage=usage(
                ground.session.project,
                self._metric,
                number=self._number,
                score_set=key,
                keys=scored,
            ),
            dev=self._standing(auto, ground.dev),
            held_out=found,
            held_out_n=self._held_out_n(key),
            changed=key in seen and not fresh,
        )

    def _standing(self, auto: Floats, kept: Flags) -> Standing:
        found = standing(
            self._ground.table, only(self._table, auto, kept), self._name, self._ground.choices
        )
        return replace(found, reach=self._people.beside(auto, kept, self._name))

    def _kind(self, version: ScorerVersion) -> Kind:
        if version.scorer in SCORERS:
            return "scorer"
        known = {x.name for x in judging.every(self._conn, Judge)}
        return "judge" if version.scorer in known and version.prompt_hash else "imported"

    def _prompt(self, version: ScorerVersion) -> int | None:
        texts = judging.prompts(self._conn, self._ground.table.rubric.name, self._metric.name)
        return next((x.version for x in texts if x.hash == version.prompt_hash), None)

    def _against_top(self, rows: Sequence[JudgeRow]) -> dict[int, PairedAgreement]:
        shown = [row for row in rows if row.held_out and row.held_out.value is not None]
        if len(shown) < 2:
            return {}
        ground, top = self._ground, self._autos[shown[0].key]
        # the one at the top is held against all others at once
        level = simultaneous_level(self._policy.level, len(shown) - 1)
        return {
            row.key: paired_agreement(
                rated_twice(
                    ground.table,
                    self._table,
                    (top, self._autos[row.key]),
                    ground.held_out,
                    ground.choices.options.counting,
                ),
                self._name,
                replace(self._policy, level=level),
            )
            for row in shown[1:]
        }


SAME_FORMULA: Final[dict[str, Name]] = {
    "percent": "percent",
    "kappa": "kappa",
    "kappa_quadratic": "kappa_quadratic",
    # on exact values quadratic kappa is the concordance that ICC(A,1) estimates
    "icc": "kappa_quadratic",
}
NO_FORMULA = "judge and people are compared by percent, κ, quadratic κ and ICC only"


class People:
    """Labels of several people on the same responses, which no judge is needed for."""

    def __init__(self, source: Source, table: MetricTable, policy: IntervalPolicy) -> None:
        """Gather the responses that two people or more labelled."""
        self._whole: FigureTable = source.table
        self._table = table
        self._policy = policy
        rows = source.labels[table.metric.name]
        self._alone = np.unique(rows.labelers).size < 2
        self._shared = shared(rows.places, rows.values)

    def among(self, name: str) -> Reach:
        """Give a statistic of people among themselves, with its interval."""
        formula = SAME_FORMULA.get(name)
        if self._alone:
            return Reach(_FIRST, 0, 0, None, None, None, {}, {"people": ONE_LABELER})
        if formula is not None:
            return self._reach(np.ones(self._whole.keys.size, dtype=np.bool_), None, formula)
        found, _ = human_human(
            self._table, self._whole.labelers, self._policy, self._whole.clusters, 0
        )
        interval = found.intervals.get(name)
        value = found[name]
        return Reach(
            _FIRST,
            found.n,
            0,
            value,
            None,
            None,
            {} if interval is None else {"people": interval},
            {} if value is not None else {"people": found.undefined.get(name, NO_FORMULA)},
        )

    def beside(self, auto: Floats, kept: Flags, name: str) -> Reach | None:
        """Compare a judge with one more person on the responses kept; None without a formula."""
        formula = SAME_FORMULA.get(name)
        if formula is None or self._alone:
            return None
        found = self._reach(kept & np.isfinite(auto), auto, formula)
        return found if found.n else None

    def _reach(self, kept: Flags, auto: Floats | None, name: Name) -> Reach:
        there = kept[self._shared.places]
        places = self._shared.places[there]
        groups = [
            group for group, one in zip(self._shared.groups, there.tolist(), strict=True) if one
        ]
        judge = None if auto is None else auto[places]
        clusters = self._whole.clusters
        return reach(
            units_of(groups, judge, scale_of(self._table.metric)),
            name,
            self._policy,
            None if clusters is None else clusters[places],
        )


_FIRST: Final[Name] = "percent"
