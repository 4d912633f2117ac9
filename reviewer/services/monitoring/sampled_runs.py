"""Which runs a monitor samples: production, apart from the runs that answer test cases."""

from dataclasses import dataclass

from reviewer.domain.monitoring import EVERY_RUN, Monitor
from reviewer.domain.wording import counted, listed
from reviewer.services.project.session import Session
from reviewer.store import case_sets

NAMED = 3
"""Runs that a sentence names; of more it says how many there are."""


@dataclass(frozen=True, slots=True)
class SampledRuns:
    """The runs of a monitor's rubric, in the order of their import.

    Attributes:
        asked: As the settings name them.
        runs: Those that are sampled.
        left_out: Those that are not, though nobody named others, as they answer test cases.
        tests: Those of `runs` that answer test cases.
    """

    asked: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Say what is sampled; nothing where the project has production alone."""
        if self.asked and self.asked != EVERY_RUN:
            said = f"the {'run' if len(self.asked) == 1 else 'runs'} {_named(self.asked)} alone"
            return f"{said}, of test cases" if self.tests else said
        if self.tests:
            return f"every run, also of test cases: {_named(self.tests)}"
        if self.left_out:
            return f"production alone, without the test cases of {_named(self.left_out)}"
        return ""

    @property
    def signature(self) -> str:
        """Tell samples drawn from other runs apart; nothing where every run is sampled."""
        chosen = self.asked if self.asked != EVERY_RUN else ()
        return "\x1f".join(chosen or tuple(f"-{name}" for name in self.left_out))


def of_monitor(session: Session, monitor: Monitor) -> SampledRuns:
    """Find the runs that a monitor samples."""
    pairs = zip(session.run_names(), session.run_keys(), strict=True)
    mine = [name for name, key in pairs if session.rubric_of_run(key).name == monitor.rubric]
    tests = case_sets.runs_of_tests(session.project.conn)
    if monitor.runs and monitor.runs != EVERY_RUN:
        mine = [name for name in mine if name in monitor.runs]
    if monitor.runs:
        of_tests = tuple(name for name in mine if name in tests)
        return SampledRuns(monitor.runs, tuple(mine), (), of_tests)
    return SampledRuns(
        (),
        tuple(name for name in mine if name not in tests),
        tuple(name for name in mine if name in tests),
    )


def _named(runs: tuple[str, ...]) -> str:
    return listed(runs) if len(runs) <= NAMED else counted(len(runs), "run")
