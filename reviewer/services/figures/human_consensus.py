"""Human scores as the consensus that weighs people by how they confuse the values."""

from dataclasses import replace

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.services.figures.human_columns import HumanColumns, Ints, People
from reviewer.services.project.figure_rules import scale_of
from reviewer.stats.consensus import Votes, dawid_skene, why_not_weighed
from reviewer.stats.pairs import places
from reviewer.stats.reasons import NO_LEVELS
from reviewer.stats.values import Scale


def by_consensus(
    human: HumanColumns, people: People, metric: Metric, decided: Ints
) -> tuple[HumanColumns, str | None]:
    """Put the consensus after Dawid and Skene in place of the mean; decisions stay.

    Where several values are equally probable the mean stays as well.

    Returns:
        The columns, and why they are unchanged, None where they are not.
    """
    scale = scale_of(metric)
    if scale is None:
        return human, NO_LEVELS
    votes, items = votes_of(people, scale)
    why = why_not_weighed(votes)
    if why is not None:
        return human, why
    found = dawid_skene(votes).consensus.values
    settled = np.array([value is not None for value in found], dtype=np.bool_)
    settled &= ~np.isin(items, decided)
    values = np.array([scale.values[value or 0] for value in found], dtype=np.float64)
    score = human.score.copy()
    score[items[settled]] = values[settled]
    return replace(human, score=score), None


def votes_of(people: People, scale: Scale) -> tuple[Votes, Ints]:
    """Give single labels on the scale as votes, and the position of each item voted on."""
    at, off = places(people.values, scale)
    kept = ~(off | people.averaged)
    items, item = np.unique(people.positions[kept], return_inverse=True)
    labelers, labeler = np.unique(people.labelers[kept], return_inverse=True)
    votes = Votes(
        np.asarray(item, dtype=np.intp),
        np.asarray(labeler, dtype=np.intp),
        np.asarray(at[kept], dtype=np.intp),
        int(items.size),
        int(labelers.size),
        len(scale.values),
    )
    return votes, items
