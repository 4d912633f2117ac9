"""Orders of a queue that are worked out over all its evaluations at once."""

import hashlib
from array import array

import numpy as np
from numpy.typing import NDArray

from reviewer.services.figures import every_score
from reviewer.services.project.session import Session
from reviewer.services.project.sight import hidden_now
from reviewer.store.states import of_labeler


def in_order(session: Session, ids: "array[int]", order: str) -> "array[int]":
    """Put keys into the order `random`, `gap` (largest first) or `unlabelled first`."""
    keys = np.frombuffer(ids, dtype=np.int64)
    if order == "random":
        ranks = np.argsort(_shuffled(keys, session.labeler.name), kind="stable")
    elif order == "gap":
        gaps = every_score.gaps_beside(session, keys)
        # the place in the order would tell of what is hidden
        gaps[np.isin(keys, list(hidden_now(session).open_asks(session.project)))] = np.nan
        # numpy sorts what is missing to the end
        ranks = np.argsort(-np.abs(gaps), kind="stable")
    else:
        states = of_labeler(session.project.conn, session.labeler.key)
        settled = [key for key, state in states.items() if state.complete or state.skipped]
        ranks = np.argsort(np.isin(keys, settled), kind="stable")
    found = array("q")
    found.frombytes(keys[ranks].tobytes())
    return found


def _shuffled(keys: NDArray[np.int64], name: str) -> NDArray[np.uint64]:
    """Give each key a number that looks random and is always the same for one labeler.

    The mixing is that of SplitMix64 (Steele, Lea, Flood 2014); new evaluations fall between the
    others and leave their order as it was.
    """
    seed = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")
    mixed = keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))
