"""Which labels of other runs fit texts of a run, byte for byte."""

from dataclasses import dataclass

from reviewer.domain.errors import ProjectError
from reviewer.store import carrying as stored
from reviewer.store.project import Project
from reviewer.store.run_details import run_key


@dataclass(frozen=True, slots=True)
class Offer:
    """So many labels of a run fit identical texts of the run in view."""

    run: str
    labels: int


def offers(project: Project, run: str) -> tuple[Offer, ...]:
    """Give the runs whose labels fit identical texts of a run, the newest first.

    Raises:
        ProjectError: There is no such run.
    """
    key = key_of_run(project, run)
    found = (
        Offer(name, stored.count(project, key, other))
        for other, name in stored.other_runs(project, key)
    )
    return tuple(offer for offer in found if offer.labels)


def key_of_run(project: Project, run: str) -> int:
    """Give a run's number.

    Raises:
        ProjectError: There is no such run.
    """
    key = run_key(project, run)
    if key is None:
        raise ProjectError(f"The project has no run {run!r}.")
    return key


def sentence(offer: Offer, run: str) -> str:
    """Say what could be carried over to a run."""
    labels = "label fits" if offer.labels == 1 else "labels fit"
    return (
        f"{offer.labels:,} {labels} from {offer.run}: the texts are the same byte for byte in "
        f"{run}. Nothing was carried over; the Runs page does it on request."
    )
