"""What a monitor shows: status with interval, the strip of past windows, and the samples."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from reviewer.domain.monitoring import Monitor, window_of
from reviewer.scoring.case import case_of
from reviewer.services.monitoring import sampling, status
from reviewer.services.monitoring.sampling import Spell
from reviewer.services.monitoring.status import MonitorSample, Tally
from reviewer.services.project import project_days
from reviewer.services.project.insights_words import counted
from reviewer.services.project.session import Session
from reviewer.store import monitors, reading
from reviewer.store.monitors import Kept, Sample

SHOWN: Final = 200
"""Newest samples whose texts are read, where nobody asks for all."""
_BLOCK: Final = 250


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
    now = now or sampling.present()
    settings = kept.settings
    window = window_of(settings.window)
    drawn = in_rate(settings, monitors.samples(session.project, kept.key))
    timed = sampling.ordered(drawn, now)
    held = [sample for _, sample in sampling.inside(timed, window, now)]
    newest = list(reversed(held))
    zone = project_days.zone_of(project_days.zone_name(session.project))
    tally = sampling.tally(held, settings)
    return View(
        monitor=settings,
        tally=tally,
        before=kept.status,
        sampled=len(drawn),
        waiting=sum(sample.passed is None for sample in drawn),
        spent_usd=kept.spent_usd,
        strip=sampling.strip(timed, settings, window, zone),
        samples=_shown(session, newest if every else newest[:SHOWN], now),
        keys=tuple(sample.evaluation for sample in newest),
        stale=_stale(held),
        reason=_reason(tally, drawn),
    )


def in_rate(monitor: Monitor, samples: Sequence[Sample]) -> list[Sample]:
    """Give the samples that belong to the present rate and seed; others are kept aside."""
    if monitor.rate >= 1:
        return list(samples)
    return [
        sample
        for sample in samples
        if sampling.is_sampled(
            sampling.identity_of(*sample.identity), rate=monitor.rate, seed=monitor.seed
        )
    ]


def _shown(session: Session, samples: Sequence[Sample], now: datetime) -> tuple[Shown, ...]:
    found = []
    for start in range(0, len(samples), _BLOCK):
        block = samples[start : start + _BLOCK]
        read = reading.evaluations(session.project.conn, [x.evaluation for x in block])
        cases = {evaluation.key: case_of(evaluation) for evaluation in read}
        for sample in block:
            case = cases.get(sample.evaluation)
            made = status.sample(
                case.question if case else None,
                case.response if case else None,
                score=sample.score,
                passed=bool(sample.passed),
                timestamp=_written(sampling.moment_of(sample, now)),
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


def _reason(tally: Tally, drawn: Sequence[Sample]) -> str:
    if tally.total:
        return ""
    if not drawn:
        return "no record is sampled yet"
    notes = Counter(x.note for x in drawn if x.passed is None and x.note)
    why = notes.most_common(1)[0][0] if notes else None
    if any(x.passed is not None for x in drawn):
        return "no sample lies in the window"
    return f"{counted(len(drawn), 'sample')}, none with a verdict" + (f": {why}" if why else "")
