"""Undo and redo of whatever the journal holds, across evaluations and over restarts.

Histories only grow: undoing a label appends what stood before it, or a withdrawal; the appended
entry carries over whether its value was given blind. Reveals stay.
"""

from dataclasses import replace

from reviewer.domain.change import EvaluationsChanged
from reviewer.domain.errors import ProjectError
from reviewer.domain.label import Label
from reviewer.services import importing, writing
from reviewer.services.session import Session
from reviewer.store import journal, labels, marks

IMPORT = "import"
"""The kind of journal entry that `importing` takes back."""


def undo(session: Session) -> str | None:
    """Take the labeler's newest action back and give its title, None where there is none."""
    with session.project.write() as conn:
        action = journal.top(conn, session.labeler.key, "done")
        if action is None:
            return None
        writer = writing.begin(session)
        if action.kind != IMPORT:
            for before, after in reversed(action.body.labels):
                _restore_label(session, writer, before, after)
            for before, after in reversed(action.body.marks):
                _restore_mark(writer, before, after)
            journal.settle(conn, action, "undone")
    if action.kind == IMPORT:
        return _undo_import(session, action)
    writing.finish(writer)
    return action.title


def redo(session: Session) -> str | None:
    """Do again what was undone last and give its title, None where there is none."""
    with session.project.write() as conn:
        action = journal.top(conn, session.labeler.key, "undone")
        if action is None:
            return None
        writer = writing.begin(session)
        for _, after in action.body.labels:
            _restore_label(session, writer, after, after)
        for _, after in action.body.marks:
            _restore_mark(writer, after, after)
        journal.settle(conn, action, "done")
    writing.finish(writer)
    return action.title


def next_undo(session: Session) -> str | None:
    """Give the title of what `undo` would take back."""
    action = journal.top(session.project.conn, session.labeler.key, "done")
    return action.title if action else None


def next_redo(session: Session) -> str | None:
    """Give the title of what `redo` would do again."""
    action = journal.top(session.project.conn, session.labeler.key, "undone")
    return action.title if action else None


def _restore_label(session: Session, writer: writing.Action, key: int | None, after: int) -> None:
    conn = session.project.conn
    entry = labels.read(conn, after if key is None else key)
    label = entry.label if key is not None else _nothing(entry.label)
    run, _, revision = session.place(label.evaluation)
    writer.put_label(label, revision=revision, rubric=session.rubric_of_run(run))


def _nothing(label: Label) -> Label:
    return replace(label, kind="withdrawn", value=None, comment=None, seconds=None)


def _restore_mark(writer: writing.Action, key: int | None, after: int) -> None:
    entry = marks.read(writer.session.project.conn, after if key is None else key)
    value = entry.mark.value if key is not None else False
    writer.put_mark(replace(entry.mark, value=value))


def _undo_import(session: Session, action: journal.Action) -> str:
    if action.body.number is None:
        raise ProjectError("This import cannot be taken back: its number is missing.")
    told = importing.undo_import(session.project, action.body.number)
    with session.project.write() as conn:
        # an import that was taken back is imported anew, not done again
        journal.settle(conn, action, "dropped")
    session.publish(EvaluationsChanged(told))
    return action.title
