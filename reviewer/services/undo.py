"""Undo and redo of whatever the journal holds, across evaluations and over restarts."""

from reviewer.services.session import Session


def undo(session: Session) -> str | None:
    """Take the labeler's newest action back and give its title, None where there is none."""
    raise NotImplementedError


def redo(session: Session) -> str | None:
    """Do again what was undone last and give its title, None where there is none."""
    raise NotImplementedError


def next_undo(session: Session) -> str | None:
    """Give the title of what `undo` would take back."""
    raise NotImplementedError


def next_redo(session: Session) -> str | None:
    """Give the title of what `redo` would do again."""
    raise NotImplementedError
