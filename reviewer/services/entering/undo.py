"""Undo and redo of whatever the journal holds, across evaluations and over restarts.

Histories only grow: undoing a label appends what stood before it, or a withdrawal; the appended
entry carries over whether its value was given blind. Reveals stay. Tags and exclusions of many
evaluations are taken back in steps, and a step that a crash left out is done at the next opening.
"""

from typing import Literal

from msgspec.structs import replace

from reviewer.domain.change import EvaluationsChanged, PeopleChanged
from reviewer.domain.errors import ProjectError
from reviewer.domain.label import Label
from reviewer.services.entering import reach
from reviewer.services.project import writing
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.store import bulk, journal, labels, marks, of_record, queue_acts, reading

IMPORT = "import"
"""The kind of journal entry that `importing` takes back."""
To = Literal["done", "undone"]


def undo(session: Session) -> str | None:
    """Take the labeler's newest action back and give its title, None where there is none.

    Raises:
        LabelError: The newest one has to stay; the sentence says why, and the next call goes on
            with the one before it.
    """
    with session.project.write():
        action = reach.reached(session, "done")
        if action is None:
            return None
        writer = writing.begin(session)
        if action.kind != IMPORT:
            for before, after in reversed(action.body.labels):
                _restore_label(session, writer, wanted=before, other=after)
            for before, after in reversed(action.body.marks):
                _restore_mark(writer, before, after)
            _settle(session, action, "undone")
    if action.kind == IMPORT:
        return _undo_import(session, action)
    return _told(session, writer, action, "undone")


def redo(session: Session) -> str | None:
    """Do again what was undone last and give its title, None where there is none.

    Raises:
        LabelError: It cannot be done again; the sentence says why, and the next call goes on.
    """
    with session.project.write():
        action = reach.reached(session, "undone")
        if action is None:
            return None
        writer = writing.begin(session)
        for before, after in action.body.labels:
            _restore_label(session, writer, wanted=after, other=before)
        for _, after in action.body.marks:
            _restore_mark(writer, after, after)
        _settle(session, action, "done")
    return _told(session, writer, action, "done")


def next_undo(session: Session) -> str | None:
    """Give the title of what `undo` would take back."""
    return reach.title(session, "done")


def next_redo(session: Session) -> str | None:
    """Give the title of what `redo` would do again."""
    return reach.title(session, "undone")


def _settle(session: Session, action: journal.Action, to: To) -> None:
    conn = session.project.conn
    if action.body.queue is not None:
        changed = queue_acts.apply(conn, action.body.queue, to)
        journal.rewrite(conn, action, replace(action.body, queue=changed))
    if action.body.named:
        mine = session.my_key()
        parts = [of_record.apply(session.project, x, to, labeler=mine) for x in action.body.named]
        journal.rewrite(conn, action, replace(action.body, named=tuple(parts)))
    if not action.body.bulk:
        journal.settle(conn, action, to)
    elif bulk.size(action.body) <= bulk.STEP:
        bulk.apply(conn, action, to)
    else:
        bulk.begin(conn, action, to)


def _told(session: Session, writer: writing.Action, action: journal.Action, to: To) -> str:
    """Finish what is taken back in steps, and publish what changed."""
    if bulk.size(action.body) > bulk.STEP:
        bulk.go_on(session.project.write, action, to)
    writing.finish(writer)
    if action.body.bulk or action.body.named:
        session.publish(EvaluationsChanged(action.title))
    if action.body.queue is not None:
        session.publish(PeopleChanged(action.title))
    return action.title


def _restore_label(
    session: Session, writer: writing.Action, *, wanted: int | None, other: int | None
) -> None:
    """Append what is to stand (None: nothing) in the place of the other entry."""
    conn = session.project.conn
    entry = None if wanted is None else labels.read(conn, wanted)
    against = None if other is None else labels.read(conn, other)
    label = entry.label if entry else _nothing(against)
    place = reading.place(conn, label.evaluation) if label else None
    if label is None or place is None:
        # it went with its import, and the rest of the action is taken back
        return
    run, _, revision = place
    rubric = session.rubric_of_run(run)
    if label.kind == "withdrawn":
        decided = against is not None and against.label.kind == "adjudication"
        writer.take_back(label, decided=decided, revision=revision, rubric=rubric)
    else:
        writer.put_label(label, revision=revision, rubric=rubric)


def _nothing(entry: labels.Entry | None) -> Label | None:
    if entry is None:
        return None
    return replace(
        entry.label, kind="withdrawn", value=None, comment=None, seconds=None, claims=None
    )


def _restore_mark(writer: writing.Action, key: int | None, after: int) -> None:
    conn = writer.session.project.conn
    before = None if key is None else marks.read(conn, key)
    entry = before or marks.read(conn, after)
    if entry is None or reading.place(conn, entry.mark.evaluation) is None:
        return
    value = before.mark.value if before else False
    writer.put_mark(replace(entry.mark, value=value))


def _undo_import(session: Session, action: journal.Action) -> str:
    if action.body.number is None:
        raise ProjectError("This import cannot be taken back: its number is missing.")
    places = importing.places_to_lose(session.project, action.body.number)
    told = importing.undo_import(session.project, action.body.number)
    with session.project.write() as conn:
        # an import that was taken back is imported anew, not done again
        journal.settle(conn, action, "dropped")
    session.publish(EvaluationsChanged(told))
    lost = f". Lost with it: {places}; {importing.NOT_BACK}" if places else ""
    return f"{action.title}{lost}"
