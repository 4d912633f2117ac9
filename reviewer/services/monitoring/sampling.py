"""Which records a monitor samples: decided by seed and identity alone, the same every time."""

import hashlib
import math
import random
from typing import Final

_SPAN: Final = 2**64
_SEPARATOR: Final = "\x1f"


def draw(identity: str, seed: int = 0) -> float:
    """Give a record's place from 0 up to 1, the same for the same seed and identity.

    The places of many records are spread evenly (BLAKE2b), so that those below a rate are a
    sample of that rate, and a higher rate keeps every record of a lower one.
    """
    digest = hashlib.blake2b(
        f"{seed}{_SEPARATOR}{identity}".encode("utf-8", "surrogatepass"), digest_size=8
    ).digest()
    # the quotient of a number just below the span would round up to 1
    return min(int.from_bytes(digest) / _SPAN, math.nextafter(1.0, 0.0))


def is_sampled(identity: str, *, rate: float, seed: int = 0) -> bool:
    """Tell whether a record belongs to the sample of a rate."""
    return draw(identity, seed) < rate


def any_seed() -> int:
    """Give a seed that nobody can foretell, where none is wanted in particular."""
    return random.SystemRandom().randrange(2**31)


def identity_of(run: str, name: str) -> str:
    """Give what a record of a project is known by: its run and its id."""
    return f"{run}{_SEPARATOR}{name}"
