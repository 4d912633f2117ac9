"""Tell what stands in the way of an act where somebody can read it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from reviewer.domain.errors import ReviewerError


@contextmanager
def telling(tell: Callable[[str], object]) -> Iterator[None]:
    """End an act that cannot be done, and tell its sentence."""
    try:
        yield
    except ReviewerError as error:
        tell(str(error))
