"""Agreement of judge and people, of people among themselves, and of every pair of them."""

import math
from dataclasses import dataclass, replace

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.request import Choices
from reviewer.services.figures.statistics_blocks import Confusion, LabelerPair, WithoutDecisions
from reviewer.services.figures.statistics_words import (
    WORDLESS,
    chosen_notes,
    counted_rows,
    joined,
    skew_note,
    weights_at,
)
from reviewer.services.project.figure_rules import scale_of, scale_values
from reviewer.stats.agreement import Agreement, agreement
from reviewer.stats.catalogue import FIGURES, GAP_NAMES, PAIR_NAMES, TABLE_NAMES
from reviewer.stats.draws import mean_gaps, resampled
from reviewer.stats.intervals import (
    INTERVALS_FROM,
    Interval,
    IntervalPolicy,
    containing,
    t_interval,
)
from reviewer.stats.label_counts import Judged, label_evidence
from reviewer.stats.pairs import Evidence, Labels, array_evidence, in_conversations, places
from reviewer.stats.panel import (
    FROM_TABLE,
    PairFigures,
    Panel,
    pair_figures,
    panel_agreement,
    panel_of,
    panel_of_counts,
)
from reviewer.stats.reasons import NO_LEVELS, NO_OVERLAP
from reviewer.stats.values import Counting, HumanRule, Scale

EQUAL = 1e-9
ONE_LABELER = "fewer than two labelers"
PAIRS_WITH_INTERVALS = 300
"""Pairs of people a metric whose intervals are resampled while somebody waits: a second."""
_FEW_LEVELS = 64
TOO_MANY_PAIRS = (
    "many pairs of labelers: those with the most in common have intervals; choose fewer people "
    "with --labeler, or --pair-intervals all"
)


def evidence_of(
    whole: FigureTable,
    table: MetricTable,
    rule: Counting,
    *,
    undone: Flags | None = None,
    among: Flags | None = None,
) -> Evidence:
    """Collect what judge and people say of every evaluation that counts, whatever its date.

    It is the only place that does so: whatever shows or checks agreement reads it from here.

    Args:
        whole: The scope's columns.
        table: The metric's, which may hold the auto scores of another judge.
        rule: Which labels count, and how.
        undone: Evaluations whose decisions are taken as not made.
        among: Evaluations that count alone; None for all.
    """
    rows = counted_rows(whole, table, rule.selection)
    rows = rows if among is None else rows[among[rows]]
    weights = weights_at(whole, table, rows, rule.selection)
    judged = judged_rows(whole, table, rows, rule.label_combine, undone=undone)
    judged = replace(judged, weights=weights)
    return label_evidence(judged, scale_of(table.metric), label_table=rule.label_table)


def judged_rows(
    whole: FigureTable,
    table: MetricTable,
    rows: Ints,
    how: HumanRule,
    *,
    undone: Flags | None = None,
) -> Judged:
    """Give auto scores, human scores and labels of some evaluations, all of them counting 1."""
    auto, people = table.auto[rows], table.human
    human = people.score[rows]
    if undone is not None:
        human = np.where(undone[rows], people.undecided[rows], human)
    # categories without a majority have no score: they only differ from the judge's
    human = np.where(np.isnan(human), auto + 1, human)
    counted = people.given.labels(table.auto.size, how, undone)
    positions, values = people.given.positions[counted], people.given.values[counted]
    at = np.minimum(np.searchsorted(rows, positions), max(rows.size - 1, 0))
    inside = rows[at] == positions if rows.size else np.zeros(positions.size, dtype=np.bool_)
    clusters = None if whole.clusters is None else whole.clusters[rows]
    return Judged(auto, human, Labels(at[inside], values[inside]), clusters=clusters)


def judge_human(
    whole: FigureTable, table: MetricTable, evidence: Evidence, made_by: Choices
) -> Agreement:
    """Work out the agreement of the judge with the people whose labels count."""
    selection = made_by.options.selection
    rows = counted_rows(whole, table, selection)
    chosen, n_left = whole.selection.at(rows), int(np.count_nonzero(table.both)) - rows.size
    plain = agreement(evidence, made_by.policy)
    found = replace(
        plain,
        n_chosen=n_left,
        n_unknown=chosen.n_unknown,
        wordless=WORDLESS if chosen.is_mixed(selection) else None,
        note=joined(
            skew_note(plain, evidence, scale_values(table.metric)),
            *chosen_notes(whole, table, selection),
        ),
    )
    if table.metric.kind.is_answered:
        return found
    why = "a measure is not labelled"
    return replace(found, undefined=dict.fromkeys(found.undefined, why))


def without_decisions(
    whole: FigureTable, table: MetricTable, made_by: Choices
) -> WithoutDecisions | None:
    """Work out the agreement as it was before decisions made where judge and people differ.

    Only such cases are looked at again, mostly in sight of the judge, so that decisions bring
    both sides nearer than they are. None where there is no such decision.
    """
    rule, size = made_by.options.counting, table.auto.size
    rows = counted_rows(whole, table, rule.selection)
    undone = np.zeros(size, dtype=np.bool_)
    given = table.human.given
    undone[given.positions[given.decided]] = True
    counted = ~given.decided & undone[given.positions]
    auto = _at_levels(table.metric, table.auto)
    differs = np.zeros(size, dtype=np.bool_)
    there = given.positions[counted]
    differs[there[np.abs(given.values[counted] - auto[there]) > EQUAL]] = True
    undone &= differs
    n = int(undone[rows].sum())
    if not n:
        return None
    return WithoutDecisions(
        n, agreement(evidence_of(whole, table, rule, undone=undone), made_by.policy)
    )


def _at_levels(metric: Metric, auto: Floats) -> Floats:
    """Bring auto scores to their nearest level, where the scale has levels."""
    scale = scale_of(metric)
    if scale is None:
        return auto
    known = np.isfinite(auto)
    found = auto.copy()
    found[known] = np.array(scale.values)[places(auto[known], scale)[0]]
    return found


def confusion(metric: Metric, evidence: Evidence) -> Confusion:
    """Give the table of human against auto values on the declared scale.

    An evaluation counts once (or what it weighs), shared by its labels.
    """
    rows = evidence.table.tolist()
    return Confusion(scale_values(metric), tuple(tuple(row) for row in rows))


@dataclass(frozen=True, slots=True)
class _Person:
    """One person's labels of a metric, places ascending."""

    name: str
    places: Ints
    values: Floats


def _persons(table: MetricTable, names: dict[int, str]) -> list[_Person]:
    people = table.people
    kept = ~people.averaged
    found = []
    for key in np.unique(people.labelers[kept]).tolist():
        rows = np.flatnonzero(kept & (people.labelers == key))
        rows = rows[np.argsort(people.positions[rows], kind="stable")]
        found.append(_Person(names[key], people.positions[rows], people.values[rows]))
    return sorted(found, key=lambda person: person.name)


def human_human(
    table: MetricTable,
    names: dict[int, str],
    policy: IntervalPolicy,
    clusters: Ints | None = None,
    most_intervals: int | None = PAIRS_WITH_INTERVALS,
) -> tuple[Agreement, tuple[LabelerPair, ...]]:
    """Work out the agreement of people among themselves, and of every pair with an overlap.

    `most_intervals` pairs get intervals, those with the most in common; None for all of them.
    """
    persons = _persons(table, names)
    pairs = _pairs(table.metric, persons, policy, clusters, most_intervals)
    if len(persons) < 2:
        why = dict.fromkeys((*TABLE_NAMES, "kappa_se", *PAIR_NAMES, *GAP_NAMES), ONE_LABELER)
        return Agreement(n=0, n_table=0, labelers=len(persons), undefined=why), pairs
    if len(persons) == 2:
        evidence = _overlap(table.metric, persons[0], persons[1], clusters)
        found = agreement(evidence, policy)
        # in `_overlap` the second person's labels make the rows
        note = skew_note(
            found, evidence, scale_values(table.metric), (persons[1].name, persons[0].name)
        )
        tied = 0 if evidence.scale is None else _differing(evidence)
        return replace(found, labelers=2, n_no_majority=tied, note=note), pairs
    return _panel(table, persons, policy, clusters), pairs


def _differing(evidence: Evidence) -> int:
    """Count what two people gave different values, so that neither is the majority's."""
    pairs = evidence.exact()
    return round(float(pairs.counts[pairs.auto != pairs.human].sum()))


def _overlap(metric: Metric, a: _Person, b: _Person, clusters: Ints | None) -> Evidence:
    both, left, right = np.intersect1d(a.places, b.places, assume_unique=True, return_indices=True)
    first, second = a.values[left], b.values[right]
    found = array_evidence(first, second, scale_of(metric))
    if clusters is None:
        return found
    return in_conversations(found, first, second, clusters[both])


def _pairs(
    metric: Metric,
    persons: list[_Person],
    policy: IntervalPolicy,
    clusters: Ints | None,
    most: int | None,
) -> tuple[LabelerPair, ...]:
    """Compare every two people who labelled something in common, in the order of their names."""
    sizes = [person.places.size for person in persons]
    if len(persons) < 2:
        return ()
    found = list(
        pair_figures(
            np.repeat(np.arange(len(persons)), sizes),
            np.concatenate([person.places for person in persons]),
            np.concatenate([person.values for person in persons]),
            scale_of(metric),
        )
    )
    ranked = sorted(range(len(found)), key=lambda place: -found[place].n)
    chosen = set(ranked if most is None else ranked[:most])
    made = []
    for place, one in enumerate(found):
        a, b = persons[one.first], persons[one.second]
        made_of, enough = None, one.n >= INTERVALS_FROM and policy.resamples > 0
        if enough and place in chosen:
            made_of = _overlap(metric, a, b, clusters)
        left = enough and made_of is None
        made.append(
            LabelerPair(
                a=a.name,
                b=b.name,
                metric=metric.name,
                n=one.n,
                figures=one.figures,
                intervals={} if made_of is None else _pair_intervals(one, made_of, policy),
                undefined=one.undefined | ({"intervals": TOO_MANY_PAIRS} if left else {}),
            )
        )
    return tuple(made)


def _pair_intervals(
    found: PairFigures, evidence: Evidence, policy: IntervalPolicy
) -> dict[str, Interval]:
    """Make the intervals that a list of pairs shows, and no others: there may be many pairs."""
    made = {
        name: containing(one, found.figures[name] or 0.0)
        for name, one in resampled(
            evidence, tuple([name for name in FROM_TABLE if name not in found.undefined]), policy
        ).items()
    }
    bias, mae = found.figures["bias"], found.figures["mae"]
    if bias is None or mae is None:
        return made
    if evidence.conversations is not None:
        gaps_made = mean_gaps(evidence, policy)
        return made | {x: containing(gaps_made[x], found.figures[x] or 0.0) for x in gaps_made}
    pairs = evidence.exact()
    gaps = pairs.human - pairs.auto
    for name, values, mean in (("mae", np.abs(gaps), mae), ("bias", gaps, bias)):
        squares = float(pairs.counts @ (values - mean) ** 2)
        interval = t_interval(mean, math.sqrt(squares / (found.n - 1)), found.n, policy.level)
        if interval is not None:
            made[name] = interval
    return made


def _panel(
    table: MetricTable, persons: list[_Person], policy: IntervalPolicy, clusters: Ints | None
) -> Agreement:
    spots = np.concatenate([person.places for person in persons])
    values = np.concatenate([person.values for person in persons])
    declared = scale_of(table.metric)
    scale = declared or Scale(tuple(np.unique(values).tolist()))
    panel = _few_levels(spots, values, scale, len(persons))
    if panel is None or clusters is not None:
        order = np.argsort(spots, kind="stable")
        there, starts = np.unique(spots[order], return_index=True)
        units = [part.tolist() for part in np.split(values[order], starts[1:])]
        panel = panel or panel_of(units, scale, len(persons))
        found = panel_agreement(
            panel, policy, None if clusters is None else (units, clusters[there])
        )
    else:
        found = panel_agreement(panel, policy)
    return found if declared is not None else _without_levels(found)


def _few_levels(positions: Ints, values: Floats, scale: Scale, labelers: int) -> Panel | None:
    """Count a panel's patterns without a step a unit; None where levels are many or labels off."""
    k = len(scale.values)
    if k > _FEW_LEVELS:
        return None
    at, off = places(values, scale)
    if off.any():
        return None
    there = np.zeros(int(positions.max(initial=-1)) + 1, dtype=np.bool_)
    there[positions] = True
    units = np.cumsum(there) - 1
    size = int(units[-1]) + 1 if units.size else 0
    patterns, counts = same_rows(
        np.bincount(units[positions] * k + at, minlength=size * k).reshape(-1, k)
    )
    found = {tuple(one): n for one, n in zip(patterns.tolist(), counts.tolist(), strict=True)}
    return panel_of_counts(found, scale, labelers)


def same_rows(counted: Ints) -> tuple[Ints, Ints]:
    """Give the different rows of small counts in their order, and how often each occurs."""
    base = int(counted.max(initial=0)) + 1
    if base ** counted.shape[1] > np.iinfo(np.int64).max:
        patterns, counts = np.unique(counted, axis=0, return_counts=True)
        return patterns, counts
    # each row as the digits of one number: numbers are sorted much faster than rows
    digits = base ** np.arange(counted.shape[1] - 1, -1, -1, dtype=np.int64)
    _, first, counts = np.unique(counted @ digits, return_index=True, return_counts=True)
    return counted[first], counts


def _without_levels(found: Agreement) -> Agreement:
    """Keep of a panel on an open range what needs no levels: interval alpha."""
    why = NO_LEVELS if found.n else NO_OVERLAP
    exact = {name for name, entry in FIGURES.items() if entry.moments is not None}
    return Agreement(
        n=found.n,
        n_table=0,
        labelers=found.labelers,
        values={x: y for x, y in found.values.items() if x in exact},
        intervals={x: y for x, y in found.intervals.items() if x in exact},
        undefined=dict(found.undefined) | dict.fromkeys((*TABLE_NAMES, "kappa_se"), why),
    )
