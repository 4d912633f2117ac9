"""A figure: a value with everything about it."""

from dataclasses import dataclass

from reviewer.stats.intervals import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Hold a figure as screens, documents and sentences tell it.

    Attributes:
        name: what documents and commands call it.
        title: how a sentence calls it.
        sign: how a cell or a list calls it.
        is_share: whether it is written in percent.
        value: None if it is undefined.
        n: how many evaluations or pairs are behind it.
        interval: where it has one.
        word: what it means in words; nothing where that cannot be said.
        reason: why it is undefined.
        no_interval: why a value that is there has no interval, however much is behind it.
    """

    name: str
    title: str
    sign: str
    is_share: bool
    value: float | None
    n: int
    interval: Interval | None = None
    word: str = ""
    reason: str | None = None
    no_interval: str | None = None
