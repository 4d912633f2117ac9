"""Who of several people answers which evaluation: balanced, and the same for the same seed."""

import hashlib
from collections.abc import Sequence

import numpy as np

from reviewer.services.queues.plans import QueuePlan


def chance_of(seed: int, *purpose: str) -> np.random.Generator:
    """Give a source of chance for one purpose, so that no draw moves another."""
    text = "\0".join((str(seed), *purpose)).encode()
    return np.random.default_rng(int.from_bytes(hashlib.blake2b(text, digest_size=16).digest()))


def shared_out(plan: QueuePlan, count: int, people: int) -> list[list[int]]:
    """Give each of so many people the places, of `count` evaluations, that they answer.

    As many evaluations as the overlap's share go to `overlap` people, the rest to one. In turns,
    nobody gets more than one evaluation more than anybody else; by person, everybody gets their
    share of all answers, rounded, as far as nobody answers an evaluation twice.
    """
    overlap = min(plan.overlap, people)
    shared = round(plan.overlap_share * count) if overlap > 1 else 0
    chance = chance_of(plan.seed, "sharing")
    places = chance.permutation(count).tolist()
    needs = [overlap] * shared + [1] * (count - shared)
    targets = _targets(plan, sum(needs), count, people)
    parts: list[list[int]] = [[] for _ in range(people)]
    met = np.zeros((people, people), dtype=np.int64)
    ties = chance.random((count, people)).tolist()
    for place, need, tie in zip(places, needs, ties, strict=True):
        found = _neediest(parts, targets, met, need, tie)
        for one in found:
            parts[one].append(place)
        if need > 1:
            met[np.ix_(found, found)] += 1
    return [sorted(part) for part in parts]


def _targets(plan: QueuePlan, total: int, count: int, people: int) -> list[int] | None:
    """Give how many evaluations each person gets by their share; None for turns."""
    if plan.assignment != "by_person":
        return None
    weights = np.array(plan.shares, dtype=np.float64)
    return allocated(weights / weights.sum() * total, total, [count] * people)


def _neediest(
    parts: Sequence[Sequence[int]],
    targets: list[int] | None,
    met: "np.ndarray[tuple[int, int], np.dtype[np.int64]]",
    need: int,
    tie: Sequence[float],
) -> list[int]:
    """Give the people who lack most, and of equals those who have met each other least."""
    lacks = [(targets[one] if targets else 0) - len(part) for one, part in enumerate(parts)]
    if need == 1:
        return [max(range(len(parts)), key=lambda one: (lacks[one], tie[one]))]
    found: list[int] = []
    left = set(range(len(parts)))
    while len(found) < need:
        best = max(left, key=lambda one: (lacks[one], -int(met[one, found].sum()), tie[one]))
        found.append(best)
        left.remove(best)
    return found


def allocated(
    wanted: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    total: int,
    most: Sequence[int],
    *,
    least: int = 0,
) -> list[int]:
    """Round wanted numbers so that they make the total, none above its most (largest remainder).

    What one cannot take goes to the others in proportion; `least` is added to each in the end.
    """
    limits = np.array(most, dtype=np.float64)
    total = min(total, int(limits.sum()))
    if wanted.sum() > total:
        wanted = wanted * (total / wanted.sum())
    shares = np.minimum(wanted, limits)
    while total - shares.sum() > 1e-9:
        open_ones = shares < limits - 1e-9
        weights = np.where(open_ones, np.maximum(wanted, 0), 0.0)
        if weights.sum() <= 0:
            weights = open_ones.astype(np.float64)
        more = shares + (total - shares.sum()) * weights / weights.sum()
        shares = np.minimum(more, limits)
    whole = np.floor(shares + 1e-9)
    rest = shares - whole
    order = np.lexsort((np.arange(len(rest)), -np.round(rest, 9)))
    missing = total - int(whole.sum())
    for one in order[: max(missing, 0)]:
        whole[one] += 1
    return [int(x) + least for x in whole]
