"""A process that hands a project on: settings, work packages, diagnosis; argument: project."""

import sys
from contextlib import closing
from pathlib import Path

from reviewer import paths
from reviewer.services.computer import logs
from reviewer.services.computer.settings import Settings
from reviewer.services.parcels import packing
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles
from reviewer.services.queues.plans import QueuePlan


def main(path: Path) -> None:
    """Write everything that a person may send to somebody."""
    settings = Settings()
    settings.set("labeler", "ann")
    settings.remember(path)
    with closing(Session.open(path, "ann")) as session:
        profiles.add(session, "bo")
        making.create(session, QueuePlan(name="q", labelers=("bo",)))
        packing.make(session, Path("work.review"), queue="q", labeler="bo", blind=False)
        packing.make(session, Path("blind.review"), queue="q", labeler="bo", blind=True)
    Path("diagnosis.txt").write_text(logs.diagnosis("the window"), encoding="utf-8")
    assert paths.log_folder().is_dir()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
