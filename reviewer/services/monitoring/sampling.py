"""A monitor's samples: which records are drawn, when they count, and the windows that hold them.

Seed and identity alone decide what is drawn, the same every time.
"""

import hashlib
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

from reviewer.domain.monitoring import Monitor, Window
from reviewer.domain.values import EPOCH, parse_time
from reviewer.services.monitoring.status import Tally, tally_of
from reviewer.store.monitors import Sample

MOST: Final = 30
"""Past windows that the strip shows."""
_STEPS: Final = (1, 7, 28, 91, 364)
"""Days of a past window where the status is about all samples: the first with which they fit."""


@dataclass(frozen=True, slots=True)
class Spell:
    """One past window.

    Attributes:
        name: When it was, such as `2026-11-20` or `samples 201 to 400`.
        keys: The sampled evaluations in it, oldest first.
    """

    name: str
    tally: Tally
    keys: tuple[int, ...]


def moment_of(sample: Sample, now: datetime) -> datetime:
    """Give when a sample counts: its evaluation's date, else when it was taken.

    What lies after the present counts as now: a clock that is set back takes no sample away.
    What lies before 1970 counts as then.
    """
    found = now
    if sample.dated is not None:
        try:
            found = EPOCH + timedelta(microseconds=sample.dated)
        except OverflowError:
            found = now
    else:
        found = parse_time(sample.at)
    return max(EPOCH, min(found, now))


def ordered(samples: Sequence[Sample], now: datetime) -> list[tuple[datetime, Sample]]:
    """Give samples with their moments, oldest first, of one moment in the order of arrival."""
    timed = [(moment_of(sample, now), sample) for sample in samples]
    return sorted(timed, key=lambda found: (found[0], found[1].evaluation))


def inside(
    timed: Sequence[tuple[datetime, Sample]], window: Window, now: datetime
) -> list[tuple[datetime, Sample]]:
    """Give the samples that a window holds, oldest first."""
    if window.size is None:
        return list(timed)
    if window.kind == "samples":
        return list(timed[-window.size :])
    start = now - timedelta(days=window.size)
    return [found for found in timed if found[0] > start]


def tally(samples: Sequence[Sample], monitor: Monitor) -> Tally:
    """Count samples that have a verdict."""
    scored = [(x.score, x.passed) for x in samples if x.passed is not None]
    return tally_of(scored, warning=monitor.warning, critical=monitor.critical)


def strip(
    timed: Sequence[tuple[datetime, Sample]], monitor: Monitor, window: Window, zone: tzinfo
) -> tuple[Spell, ...]:
    """Give the past windows, oldest first; those without a sample are left out.

    A window of samples or days is followed by the ones before it. Where the status is about all
    samples, the strip goes by days, weeks or longer, as many as fit.
    """
    if not timed:
        return ()
    if window.kind == "samples" and window.size is not None:
        return _by_count(timed, monitor, window.size)
    days = window.size
    if days is None:
        first, last = (timed[place][0].astimezone(zone).date() for place in (0, -1))
        span = (last - first).days + 1
        days = next((x for x in _STEPS if span <= x * MOST), _STEPS[-1])
    return _by_days(timed, monitor, days, zone)


def _by_count(
    timed: Sequence[tuple[datetime, Sample]], monitor: Monitor, size: int
) -> tuple[Spell, ...]:
    found: list[Spell] = []
    for end in range(len(timed), 0, -size):
        start = max(0, end - size)
        name = f"samples {start + 1:,} to {end:,}" if end - start > 1 else f"sample {end:,}"
        found.append(_spell(name, timed[start:end], monitor))
        if len(found) == MOST:
            break
    return tuple(reversed(found))


def _by_days(
    timed: Sequence[tuple[datetime, Sample]], monitor: Monitor, days: int, zone: tzinfo
) -> tuple[Spell, ...]:
    last = timed[-1][0].astimezone(zone).date()
    groups: dict[int, list[tuple[datetime, Sample]]] = {}
    for found in timed:
        back = (last - found[0].astimezone(zone).date()).days // days
        if back < MOST:
            groups.setdefault(back, []).append(found)
    return tuple(
        _spell(_days_name(last - timedelta(days=back * days), days), groups[back], monitor)
        for back in sorted(groups, reverse=True)
    )


def _days_name(last: date, days: int) -> str:
    if days == 1:
        return last.isoformat()
    first = last - timedelta(days=min(days, last.toordinal()) - 1)
    return f"{first} to {last}"


def _spell(name: str, timed: Sequence[tuple[datetime, Sample]], monitor: Monitor) -> Spell:
    samples = [sample for _, sample in timed]
    return Spell(name, tally(samples, monitor), tuple(x.evaluation for x in samples))


def present() -> datetime:
    """Give the present."""
    return datetime.now(UTC)


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
