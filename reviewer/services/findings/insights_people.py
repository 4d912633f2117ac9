"""What people agree on together, and who of them moves away from the others."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reviewer.domain.wording import counted, listed, percent, two, upper_first
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.human_columns import Flags, Ints
from reviewer.services.findings.insights_source import LabelRows, Source
from reviewer.services.findings.insights_values import (
    Consented,
    Drifted,
    LabelerDrift,
    WithConsensus,
)
from reviewer.services.project.figure_rules import scale_of
from reviewer.stats.consensus import (
    Votes,
    agreement_with,
    dawid_skene,
    majority_consensus,
    why_not_weighed,
)
from reviewer.stats.drift import Alarm, cusum, residuals
from reviewer.stats.pairs import places
from reviewer.stats.reasons import NO_LEVELS, UNORDERED

ONE_LABELER = "no two people labelled the same evaluation"
ALIKE = "labels on the same evaluations do not differ enough to tell"
ONE_DRIFT = 14
"""Labels between an alarm and the next rise within which it is the same drift: as many as the
sums take to find a shift of one standard deviation."""
NAMED = 3
"""People that a sentence names."""

Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class _People:
    """People numbered from 0, in the order of their names."""

    names: list[str]
    codes: Places


def _people(source: Source, rows: LabelRows) -> _People:
    named = sorted((source.table.labelers[key], key) for key in np.unique(rows.labelers).tolist())
    place = {key: at for at, (_, key) in enumerate(named)}
    codes = np.array([place[key] for key in rows.labelers.tolist()], dtype=np.intp)
    return _People([name for name, _ in named], codes)


def _numbered(column: Ints) -> tuple[Places, int]:
    there, codes = np.unique(column, return_inverse=True)
    return np.asarray(codes, dtype=np.intp), int(there.size)


def consensus(source: Source, table: MetricTable) -> Consented:
    """Work out how often each labeler's labels are what the others settle on too."""
    rows = source.labels[table.metric.name]
    scale = scale_of(table.metric)
    if scale is None:
        return Consented(sentence=upper_first(NO_LEVELS), reason=NO_LEVELS)
    values, off = places(rows.values, scale)
    kept = ~off
    rows = rows.at(kept)
    people = _people(source, rows)
    items, n_items = _numbered(rows.places)
    votes = Votes(
        items,
        people.codes,
        np.asarray(values[kept], dtype=np.intp),
        n_items,
        len(people.names),
        len(scale.values),
    )
    shared = votes.shared()
    if not shared.any():
        return Consented(sentence=upper_first(ONE_LABELER), reason=ONE_LABELER)
    found = _consented(votes, people.names, shared)
    there = np.unique(rows.places)
    decided = np.isin(there, source.decisions[table.metric.name].places)
    found = _with_keys(found, votes, people.names, (source.table.keys[there], decided))
    return replace(found, sentence=_consensus_sentence(found.people, found.shared, found.n_tied))


def _with_keys(
    found: Consented, votes: Votes, names: list[str], evaluations: tuple[Ints, Flags]
) -> Consented:
    """Add the evaluations that wait for a decision, and those where each labeler differs."""
    keys, decided = evaluations
    values = majority_consensus(votes).values
    settled = np.array([-1 if value is None else value for value in values], dtype=np.intp)
    held = (settled[votes.items] >= 0) & votes.shared()[votes.items]
    apart = held & (settled[votes.items] != votes.values)
    tied = (settled < 0) & votes.shared() & ~decided
    people = []
    for one in found.people:
        mine = votes.labelers == names.index(one.labeler)
        differing, alike = (keys[votes.items[mine & x]].tolist() for x in (apart, held & ~apart))
        people.append(replace(one, keys=tuple(differing), compared=(*differing, *alike)))
    without = tuple(keys[tied].tolist())
    return replace(found, people=tuple(people), tied=without, n_tied=len(without))


def _consented(votes: Votes, names: list[str], shared: NDArray[np.bool_]) -> Consented:
    majority = majority_consensus(votes)
    shares = agreement_with(votes, majority)
    why = why_not_weighed(votes)
    weighed: list[float | None] = [None] * len(names)
    accuracies, changed = weighed, None
    if why is None:
        model = dawid_skene(votes)
        weighed = [share for share, _ in agreement_with(votes, model.consensus)]
        accuracies = list(model.accuracies)
        pairs = zip(majority.values, model.consensus.values, shared.tolist(), strict=True)
        changed = sum(1 for a, b, both in pairs if both and a != b)
    return Consented(
        sentence="",
        people=tuple(
            WithConsensus(name, n, share, other, accuracy)
            for name, (share, n), other, accuracy in zip(
                names, shares, weighed, accuracies, strict=True
            )
            if n
        ),
        shared=int(shared.sum()),
        n_changed=changed,
        not_weighed=why,
    )


def _consensus_sentence(people: tuple[WithConsensus, ...], shared: int, tied: int) -> str:
    known = sorted(
        ((one.majority, one.labeler) for one in people if one.majority is not None),
        key=lambda one: (-one[0], one[1]),
    )
    ties = f"; {tied:,} without a majority wait for a decision" if tied else ""
    if not known:
        return f"No majority on {counted(shared, 'shared evaluation')}{ties}."
    shown = known if len(known) <= NAMED else [known[0], known[-1]]
    parts = [f"{name} {percent(share)}" for share, name in shown]
    said = listed(parts) if len(known) <= NAMED else f"from {parts[0]} to {parts[1]}"
    on = counted(shared, "shared evaluation")
    return f"Labels that equal the consensus on {on}: {said}{ties}."


def labeler_drift(source: Source, table: MetricTable) -> LabelerDrift:
    """Find who moves away from the others, and since when."""
    if not table.metric.is_numeric:
        return LabelerDrift(sentence=upper_first(UNORDERED), reason=UNORDERED)
    rows = source.labels[table.metric.name]
    people = _people(source, rows)
    items, _ = _numbered(rows.places)
    found = residuals(items, people.codes, rows.values)
    if not found.rows.size or not found.sd:
        reason = ALIKE if found.rows.size else ONE_LABELER
        return LabelerDrift(sentence=upper_first(reason), reason=reason)
    who, times, z = people.codes[found.rows], rows.times[found.rows], found.standardised()
    made = []
    for code, name in enumerate(people.names):
        mine = np.flatnonzero(who == code)
        if not mine.size:
            continue
        gaps = found.gaps[mine]
        keys = source.table.keys[rows.places[found.rows[mine]]].tolist()
        one = Drifted(name, int(mine.size), float(gaps.mean()), keys=tuple(keys))
        alarms = cusum(z[mine].tolist())
        if alarms:
            last, since = alarms[-1], _begun(alarms)
            one = Drifted(
                name,
                one.n,
                one.gap,
                direction=last.direction,
                since=source.day(int(times[mine[since]])),
                since_label=since + 1,
                shift=float(gaps[since:].mean()),
                alarms=len(alarms),
                keys=tuple(keys[since:]),
            )
        made.append(one)
    made.sort(key=lambda one: (one.direction is None, -abs(one.gap), one.labeler))
    return LabelerDrift(sentence=_drift_sentence(made), people=tuple(made))


def _begun(alarms: Sequence[Alarm]) -> int:
    """Give where the newest drift begins: alarms of one direction close together are one drift."""
    at = len(alarms) - 1
    while at and alarms[at - 1].direction == alarms[at].direction:
        if alarms[at].since - alarms[at - 1].at > ONE_DRIFT:
            break
        at -= 1
    return alarms[at].since


def _drift_sentence(people: list[Drifted]) -> str:
    moved = [one for one in people if one.direction is not None and one.shift is not None]
    if not moved:
        together = sum(one.n for one in people)
        return (
            f"Nobody drifts: {counted(len(people), 'labeler')}, "
            f"{counted(together, 'label')} beside somebody else's."
        )
    one = moved[0]
    shift = one.shift or 0.0
    when = f"since {one.since:%Y-%m-%d}" if one.since else f"since label {one.since_label}"
    if one.since_label == 1:
        when = "from the first label on"
    side = "lower" if shift < 0 else "higher"
    more = f"; {len(moved) - 1} more moved" if len(moved) > 1 else ""
    return f"{one.labeler} has scored {two(abs(shift))} {side} than the others {when}{more}."
