"""What a monitor shows: status with interval, the strip of past windows, and the samples.

The status of a pass rate is `healthy`, `warning`, `critical` or `insufficient_data`; it is
uncertain where the 95 % interval (Wilson) reaches into another status. Seed and identity alone
decide which records are samples, the same every time.
"""

import contextlib
import hashlib
import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any, Final, Literal

from reviewer.domain.evaluation import EPOCH, parse_time
from reviewer.domain.monitoring import CRITICAL, WARNING, Monitor, Window, window_of
from reviewer.domain.wording import counted, fixed, in_percent
from reviewer.reports.cases import mean, share
from reviewer.scoring.scorer import case_of
from reviewer.services.monitoring import sampled_runs
from reviewer.services.monitoring.sampled_runs import SampledRuns
from reviewer.services.project import project_days
from reviewer.services.project.session import Session
from reviewer.stats.intervals import Interval, wilson
from reviewer.store import monitors, reading
from reviewer.store.monitors import Kept, Sample

Status = Literal["healthy", "warning", "critical", "insufficient_data"]
PREVIEW: Final = 200
"""Characters of question and output that a sample keeps."""
_SEVERITY: Final = {"healthy": 0, "warning": 1, "critical": 2}


@dataclass(frozen=True, slots=True)
class MonitorStatus:
    """Hold the colour of a pass rate, and whether chance alone could have given another.

    Attributes:
        uncertain: the 95 % Wilson interval of the pass rate leaves the colour's range.
        interval: None without samples.
    """

    status: Status
    uncertain: bool
    interval: Interval | None = None


def status_at(rate: float, *, warning: float = WARNING, critical: float = CRITICAL) -> Status:
    """Give the status of a pass rate: below a mark is as bad as it says, on 9 decimals."""
    exact = round(rate, 9)
    if exact < round(critical, 9):
        return "critical"
    return "warning" if exact < round(warning, 9) else "healthy"


def status_of(
    passed: int, total: int, *, warning: float = WARNING, critical: float = CRITICAL
) -> MonitorStatus:
    """Colour so many passes among so many samples: .70 is a warning, .85 healthy, on 9 decimals.

    17 of 20 are healthy but uncertain; 980 of 1,000 are healthy beyond doubt.
    """
    interval = wilson(passed, total)
    if interval is None:
        return MonitorStatus("insufficient_data", uncertain=True)
    rates = (passed / total, interval.low, interval.high)
    found, *ends = (status_at(rate, warning=warning, critical=critical) for rate in rates)
    certain = ends == [found, found]
    return MonitorStatus(found, uncertain=not certain, interval=interval)


def reaches(status: str, alarm: str) -> bool:
    """Tell whether a status is as bad as an alarm (`warning` or `critical`), or worse."""
    return _SEVERITY.get(status, -1) >= _SEVERITY[alarm]


@dataclass(frozen=True, slots=True)
class MonitorSample:
    """Hold one sampled answer, in the monitor's field names."""

    query: str | None
    output_preview: str
    score: float | None
    passed: bool | None
    timestamp: str

    def to_json(self) -> dict[str, Any]:
        """Give the sample."""
        return asdict(self)


def sample_of(
    query: str | None,
    output: str | None,
    *,
    score: float | None,
    passed: bool | None,
    timestamp: str,
) -> MonitorSample:
    """Make a sample; of question and output the first 200 characters are kept."""
    asked = None if query is None else query[:PREVIEW]
    return MonitorSample(asked, (output or "")[:PREVIEW], score, passed, timestamp)


@dataclass(frozen=True, slots=True)
class Tally:
    """Some samples as one figure, such as those of a past day.

    Attributes:
        passed, total: Scored samples that pass, and all that are scored.
        average: Their mean score.
    """

    passed: int
    total: int
    average: float | None
    status: MonitorStatus

    @property
    def rate(self) -> float | None:
        """Give the pass rate."""
        return share(self.passed, self.total)

    @property
    def words(self) -> str:
        """Say the status, and whether it is uncertain."""
        word = self.status.status.replace("_", " ")
        return f"{word}, uncertain" if self.total and self.status.uncertain else word

    @property
    def sentence(self) -> str:
        """Say the pass rate with its interval and the number of samples."""
        interval = self.status.interval
        if not self.total or interval is None:
            return "no sample is scored yet"
        low, high = fixed(100 * interval.low, 1), fixed(100 * interval.high, 1)
        rate = in_percent(self.passed / self.total)
        return f"pass rate {rate} (95 % {low} to {high}, n {self.total:,})"

    def to_json(self) -> dict[str, Any]:
        """Give the figures in the monitor's field names; the status alone without samples."""
        if not self.total:
            return {"status": self.status.status}
        return {
            "sample_count": self.total,
            "pass_rate": self.rate,
            "average_score": self.average,
            "status": self.status.status,
        }


def tally_of(
    scored: Iterable[tuple[float | None, bool]],
    *,
    warning: float = WARNING,
    critical: float = CRITICAL,
) -> Tally:
    """Count samples by score and verdict; the average is over all that have a score."""
    found = list(scored)
    passed = sum(passes for _, passes in found)
    status = status_of(passed, len(found), warning=warning, critical=critical)
    return Tally(passed, len(found), mean(score for score, _ in found), status)


SHOWN: Final = 200
"""Newest samples whose texts are read, where nobody asks for all."""
_BLOCK: Final = 250
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


@dataclass(frozen=True, slots=True)
class Shown:
    """A sample with its evaluation and where it is.

    Attributes:
        note: Why it has no verdict, empty where it has one.
    """

    evaluation: int
    run: str
    name: str
    sample: MonitorSample
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Everything about a monitor at one moment.

    Attributes:
        tally: The samples of the window.
        before: What the status was when it was told last; None where it never was.
        sampled: Samples under the present rate and seed; `seen` are the records looked at.
        waiting: Those without a verdict.
        strip: Past windows, oldest first.
        samples: Of the window, newest first.
        keys: All evaluations of the window's samples, newest first.
        stale: Why the figures mix what should not be mixed, a sentence each.
        runs: What is sampled at all.
    """

    monitor: Monitor
    tally: Tally
    before: str | None
    sampled: int
    waiting: int
    spent_usd: float
    strip: tuple[Spell, ...]
    samples: tuple[Shown, ...]
    keys: tuple[int, ...]
    stale: tuple[str, ...] = ()
    reason: str = ""
    runs: SampledRuns = field(default_factory=SampledRuns)

    @property
    def status(self) -> str:
        """Give the status by its name."""
        return self.tally.status.status

    def to_json(self) -> dict[str, Any]:
        """Give the document of `reviewer monitor`: the published metrics, and what is behind."""
        settings, interval = self.monitor, self.tally.status.interval
        if len(self.samples) != len(self.keys):
            raise ValueError("The document needs every sample of the window.")
        return {
            **self.tally.to_json(),
            "uncertain": self.tally.status.uncertain,
            "interval": [interval.low, interval.high] if interval else None,
            "rubric": settings.rubric,
            "sample_rate": settings.rate,
            "seed": settings.seed,
            "window": settings.window,
            "runs": list(self.runs.runs),
            "left_out": list(self.runs.left_out),
            "thresholds": {"warning": settings.warning, "critical": settings.critical},
            "judge": settings.judge,
            "spent_usd": self.spent_usd,
            "sampled": self.sampled,
            "waiting": self.waiting,
            "reason": self.reason or None,
            "stale": list(self.stale),
            "strip": [
                {"when": x.name, "sample_count": x.tally.total, "pass_rate": x.tally.rate,
                 "status": x.tally.status.status, "uncertain": x.tally.status.uncertain}
                for x in self.strip
            ],
            "samples": [{**x.sample.to_json(), "run": x.run, "id": x.name} for x in self.samples],
        }  # fmt: skip


def of(session: Session, kept: Kept, *, now: datetime | None = None, every: bool = False) -> View:
    """Read a monitor as it stands; nothing is sampled or scored.

    Args:
        session: the project.
        kept: the monitor.
        now: the present, for tests.
        every: whether the texts of all samples are read, and not only of the newest.
    """
    now = now or present()
    settings = kept.settings
    window = window_of(settings.window)
    found, runs = drawn(session, kept)
    timed = ordered(found, now)
    held = [sample for _, sample in inside(timed, window, now)]
    newest = list(reversed(held))
    zone = project_days.zone_of(project_days.zone_name(session.project))
    standing = tally(held, settings)
    return View(
        monitor=settings,
        tally=standing,
        before=kept.status,
        sampled=len(found),
        waiting=sum(sample.passed is None for sample in found),
        spent_usd=kept.spent_usd,
        strip=strip(timed, settings, window, zone),
        samples=_shown(session, newest if every else newest[:SHOWN], now),
        keys=tuple(sample.evaluation for sample in newest),
        stale=_stale(held),
        reason=_reason(standing, found, runs),
        runs=runs,
    )


def drawn(session: Session, kept: Kept) -> tuple[list[Sample], SampledRuns]:
    """Give the samples of the present rate, seed and runs, and these; others are kept aside."""
    monitor = kept.settings
    runs = sampled_runs.of_monitor(session, monitor)
    there = frozenset(runs.runs)
    samples = [x for x in monitors.samples(session.project, kept.key) if x.identity[0] in there]
    if monitor.rate >= 1:
        return samples, runs
    return [
        sample
        for sample in samples
        if is_sampled(identity_of(*sample.identity), rate=monitor.rate, seed=monitor.seed)
    ], runs


def _shown(session: Session, samples: Sequence[Sample], now: datetime) -> tuple[Shown, ...]:
    found = []
    for start in range(0, len(samples), _BLOCK):
        block = samples[start : start + _BLOCK]
        read = reading.evaluations(session.project.conn, [x.evaluation for x in block])
        cases = {evaluation.key: case_of(evaluation) for evaluation in read}
        for sample in block:
            case = cases.get(sample.evaluation)
            made = sample_of(
                case.question if case else None,
                case.response if case else None,
                score=sample.score,
                passed=bool(sample.passed),
                timestamp=_written(moment_of(sample, now)),
            )
            note = "" if sample.passed is not None else (sample.note or "waits for its score")
            found.append(Shown(sample.evaluation, *sample.identity, made, note))
    return tuple(found)


def _written(moment: datetime) -> str:
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z").replace(".000Z", "Z")


def _stale(samples: Sequence[Sample]) -> tuple[str, ...]:
    said = []
    scorers = Counter(x.scorer for x in samples if x.passed is not None and x.scorer)
    if len(scorers) > 1:
        parts = ", ".join(f"{name} {n:,}" for name, n in scorers.most_common())
        said.append(f"The samples were scored by {len(scorers)} scorer versions: {parts}.")
    versions = Counter(x.rubric_version for x in samples if x.passed is not None)
    if len(versions) > 1:
        parts = ", ".join(f"version {name} {n:,}" for name, n in versions.most_common())
        said.append(f"The samples were scored under {len(versions)} rubric versions: {parts}.")
    return tuple(said)


def _reason(tally: Tally, drawn: Sequence[Sample], runs: SampledRuns) -> str:
    if tally.total:
        return ""
    if not drawn:
        return (
            f"no record is sampled yet: {runs.words}" if runs.words else "no record is sampled yet"
        )
    notes = Counter(x.note for x in drawn if x.passed is None and x.note)
    why = notes.most_common(1)[0][0] if notes else None
    if any(x.passed is not None for x in drawn):
        return "no sample lies in the window"
    return f"{counted(len(drawn), 'sample')}, none with a verdict" + (f": {why}" if why else "")


def moment_of(sample: Sample, now: datetime) -> datetime:
    """Give when a sample counts: its evaluation's date, else when it was taken.

    What lies after the present counts as now: a clock that is set back takes no sample away.
    What lies before 1970 counts as then.
    """
    found = now
    if sample.dated is not None:
        with contextlib.suppress(OverflowError):
            found = EPOCH + timedelta(microseconds=sample.dated)
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
        found: list[Spell] = []
        for end in range(len(timed), 0, -window.size):
            start = max(0, end - window.size)
            name = f"samples {start + 1:,} to {end:,}" if end - start > 1 else f"sample {end:,}"
            found.append(_spell(name, timed[start:end], monitor))
            if len(found) == MOST:
                break
        return tuple(reversed(found))
    days = window.size
    if days is None:
        first, last = (timed[place][0].astimezone(zone).date() for place in (0, -1))
        span = (last - first).days + 1
        days = next((x for x in _STEPS if span <= x * MOST), _STEPS[-1])
    return _by_days(timed, monitor, days, zone)


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
