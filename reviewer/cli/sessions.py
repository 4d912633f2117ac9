"""Open a project for a command."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from reviewer.cli.console import say
from reviewer.services.project import conversion
from reviewer.services.project.session import Session


@contextmanager
def opened(path: Path) -> Iterator[Session]:
    """Open a project, say what is unsafe about where it lies, and close it afterwards.

    Raises:
        ProjectError: No such file, no project, made by a newer version, or damaged.
    """
    with closing(Session.open(path)) as session:
        if session.project.older_copy is not None:
            _tell_conversion(session)
        if session.project.warning and not session.project.read_only:
            say(session.project.warning)
        yield session


def be_known(session: Session) -> None:
    """Act as the project's lead where the settings name nobody of this project."""
    people = session.labelers()
    leads = [person.name for person in people if person.role == "lead"]
    if session.labeler.name not in {x.name for x in people} and len(leads) == 1:
        session.set_labeler(leads[0])


def _tell_conversion(session: Session) -> None:
    """Say that the project was just brought up to date, and where the rest is told."""
    told = conversion.told(session)
    for sentence in told[:1]:
        say(sentence)
    if len(told) > 1:
        say("`reviewer judges PROJECT record` lists which scores count otherwise than before.")
