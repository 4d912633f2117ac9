"""Undo and redo of whatever the journal holds, across evaluations and over restarts.

Histories only grow: undoing a label or decision appends what stood before it, or that nothing did.
What comes back stands where it stood: its entry names the one that it restores and takes its place
among everybody's, its value, comment, blindness and draw. Tags and exclusions of many evaluations
are taken back in steps, and a step that a crash left out is done at the next opening.

What has to stay, such as a reveal or what went with its import, is passed over, but not in
silence: the first press says what stays and why, and only the next one goes on with what lies
beneath. What comes back with its import can be taken back again.
"""

from typing import Literal, cast

from msgspec import Struct
from msgspec.structs import replace

from reviewer.domain.change import EvaluationsChanged, PeopleChanged
from reviewer.domain.errors import LabelError, ProjectError
from reviewer.domain.evaluation import Label
from reviewer.domain.wording import counted
from reviewer.services.project import writing
from reviewer.services.project.session import Session
from reviewer.services.transfer import undoing
from reviewer.store import bulk, journal, labels, marks, of_record, queue_acts, reading

IMPORT = "import"
"""The kind of journal entry that `importing` takes back."""
To = Literal["done", "undone"]


class Taken(Struct, frozen=True):
    """An action that was taken back or done again.

    Attributes:
        title: What it was, in words.
        evaluation: The one that it was about, None where it was about many or none.
        metric: The metric that it was about, "" where it was about the whole evaluation.
        among: All evaluations that it was about.
    """

    title: str
    evaluation: int | None = None
    metric: str = ""
    among: tuple[int, ...] = ()


def take(session: Session, what: str) -> Taken | None:
    """Do what is named: `undo` or `redo`.

    Raises:
        LabelError: As `undo` and `redo` do.
    """
    return undo(session) if what == "undo" else redo(session)


def is_large(session: Session, what: str) -> bool:
    """Tell whether an undo or redo is one of thousands of rows, for which no window may wait."""
    state: State = "done" if what == "undo" else "undone"
    action = _top(session, state)
    while action is not None and _obstacle(session, action, state) is not None:
        action = _top(session, state, action)
    return action is not None and (action.kind == IMPORT or bulk.size(action.body) > bulk.STEP)


def told(what: str, taken: Taken | None) -> str:
    """Say what was taken back or done again, or that there is nothing."""
    if taken is None:
        return f"There is nothing to {what}."
    return f"{'Undone' if what == 'undo' else 'Done again'}: {taken.title}"


def undo(session: Session) -> Taken | None:
    """Take the labeler's newest action back and say which it was, None where there is none.

    Raises:
        LabelError: The newest one has to stay; the sentence says why, and the next call goes on
            with the one before it.
    """
    with session.project.write():
        action = reached(session, "done")
        if action is None:
            return None
        writer = writing.begin(session)
        if action.kind != IMPORT:
            for before, after in reversed(action.body.labels):
                _take_back_label(writer, before, after)
            for before, after in reversed(action.body.marks):
                _restore_mark(writer, before, after)
            for begun in reversed(action.body.begun):
                queue_acts.take_round_back(session.project.conn, begun)
            _settle(session, action, "undone")
    if action.kind == IMPORT:
        return _undo_import(session, action)
    return _finished(session, writer, action, "undone")


def redo(session: Session) -> Taken | None:
    """Do again what was undone last and say which it was, None where there is none.

    Raises:
        LabelError: It cannot be done again; the sentence says why, and the next call goes on.
    """
    with session.project.write():
        action = reached(session, "undone")
        if action is None:
            return None
        writer = writing.begin(session)
        for _, after in action.body.labels:
            _do_again_label(writer, after)
        for _, after in action.body.marks:
            _restore_mark(writer, after, after)
        if action.body.begun or writer.begun:
            action = replace(action, body=replace(action.body, begun=tuple(writer.begun)))
            journal.rewrite(session.project.conn, action, action.body)
        _settle(session, action, "done")
    return _finished(session, writer, action, "done")


def _settle(session: Session, action: journal.Action, to: To) -> None:
    conn = session.project.conn
    if action.body.queue is not None:
        changed = queue_acts.apply(conn, action.body.queue, to)
        journal.rewrite(conn, action, replace(action.body, queue=changed))
    if action.body.named:
        mine = session.my_key()
        seq = session.project.next_seq()
        parts = [
            of_record.apply(session.project, x, to, labeler=mine, seq=seq)
            for x in action.body.named
        ]
        journal.rewrite(conn, action, replace(action.body, named=tuple(parts)))
    if not action.body.bulk:
        journal.settle(conn, action, to)
    elif bulk.size(action.body) <= bulk.STEP:
        bulk.apply(conn, action, to)
    else:
        bulk.begin(conn, action, to)


def _finished(session: Session, writer: writing.Action, action: journal.Action, to: To) -> Taken:
    """Finish what is taken back in steps, and publish what changed."""
    if bulk.size(action.body) > bulk.STEP:
        bulk.go_on(session.project.write, action, to)
    writing.finish(writer)
    if action.body.bulk or action.body.named or action.body.begun:
        session.publish(EvaluationsChanged(action.title))
    if action.body.queue is not None:
        session.publish(PeopleChanged(action.title))
    return _taken(session, action)


def _taken(session: Session, action: journal.Action) -> Taken:
    conn = session.project.conn
    entries = (labels.read(conn, after) for _, after in action.body.labels)
    about = {(x.label.evaluation, x.label.metric) for x in entries if x is not None}
    if not about:
        marked = (marks.read(conn, after) for _, after in action.body.marks)
        about = {(x.mark.evaluation, x.mark.metric or "") for x in marked if x is not None}
    for part in action.body.bulk:
        if not isinstance(part, journal.Discarding):
            about |= {(key, "") for key in part.keys}
    among = tuple(sorted({evaluation for evaluation, _ in about}))
    if len(among) != 1:
        return Taken(action.title, among=among)
    return Taken(action.title, *min(about), among)


def _take_back_label(writer: writing.Action, before: int | None, after: int) -> None:
    """Append what stood before an entry (None: nothing), with the comment that stood then."""
    conn = writer.session.project.conn
    taken = labels.read(conn, after)
    thing = _thing(writer, taken)
    if taken is None or thing is None:
        # it went with its import, and the rest of the action is taken back
        return
    said = labels.said_before(conn, taken)
    comment = said.label.comment if said else None
    stood = None if before is None else labels.read(conn, before)
    if taken.label.kind == "comment":
        writer.put_comment(thing, replace(taken.label, comment=comment))
    elif stood is None:
        writer.put_label(thing, _nothing(taken, comment))
    else:
        again = stood.label if stood.decides else replace(stood.label, comment=comment)
        origin = labels.origin(conn, stood)
        writer.put_label(thing, again, origin)
        if said and not stood.decides and origin.first <= thing.state.repeat_from < said.first:
            # the label is one of an earlier round, and the comment belongs to this one
            writer.put_comment(thing, _commenting(said.label))


def _do_again_label(writer: writing.Action, after: int) -> None:
    conn = writer.session.project.conn
    entry = labels.read(conn, after)
    thing = _thing(writer, entry)
    if entry is None or thing is None:
        return
    if entry.label.kind == "comment":
        writer.put_comment(thing, entry.label)
    else:
        writer.put_label(thing, entry.label, labels.origin(conn, entry))


def _thing(writer: writing.Action, entry: labels.Entry | None) -> writing.Thing | None:
    """Look up what an entry is about; None where that is gone."""
    if entry is None:
        return None
    label = entry.label
    place = reading.place(writer.session.project.conn, label.evaluation)
    if place is None:
        return None
    run, _, revision = place
    rubric = writer.session.rubric_of_run(run)
    return writer.thing(label.evaluation, label.metric, revision=revision, rubric=rubric)


def _nothing(taken: labels.Entry, comment: str | None) -> Label:
    """Say that nothing stands in the place of an entry, as blind as that was."""
    label = replace(taken.label, value=None, comment=None, seconds=None, claims=None)
    if taken.decides:
        return label
    return replace(label, kind="withdrawn", of="label", comment=comment)


def _commenting(said: Label) -> Label:
    return Label(
        evaluation=said.evaluation, metric=said.metric, labeler=said.labeler, value=None,
        kind="comment", comment=said.comment,
    )  # fmt: skip


def _restore_mark(writer: writing.Action, key: int | None, after: int) -> None:
    """Append the mark that is to stand (None: none) in the place of another one."""
    conn = writer.session.project.conn
    before = None if key is None else marks.read(conn, key)
    entry = before or marks.read(conn, after)
    if entry is None or reading.place(conn, entry.mark.evaluation) is None:
        return
    mark = entry.mark if before else replace(entry.mark, value=False)
    writer.put_mark(mark, before)


def _undo_import(session: Session, action: journal.Action) -> Taken:
    if action.body.number is None:
        raise ProjectError("This import cannot be taken back: its number is missing.")
    cost = undoing.cost(session.project, action.body.number)
    labelled, places = cost.labelled, cost.places
    # what people have labelled since is nobody's to take back by a key
    told = undoing.undo_import(session.project, action.body.number, keep="labelled")
    with session.project.write() as conn:
        # an import that was taken back is imported anew, not done again
        journal.settle(conn, action, "dropped")
    session.publish(EvaluationsChanged(told))
    stay = f". {undoing.stay_words(labelled)}" if labelled else ""
    lost = f". Lost with it: {places}; {undoing.NOT_BACK}" if places else ""
    return Taken(f"{action.title}{stay}{lost}")


REVEAL = "reveal"
"""The kind of journal entry that only says when somebody asked to see the auto scores."""
State = Literal["done", "undone"]
GONE = "its import was undone"
SEEN = "the auto scores were seen"
TOLD = "undo told"
"""Under this name a session keeps the actions of which it said that they are passed over."""


def reached(session: Session, state: State) -> journal.Action | None:
    """Give what undo ("done") or redo ("undone") would change, None where there is nothing.

    Raises:
        LabelError: Newer actions are passed over; the sentence says so, once.
    """
    told = cast("set[int]", session.kept.setdefault(TOLD, set()))
    untold: list[tuple[str, str]] = []
    action = _top(session, state)
    while action is not None:
        why = _obstacle(session, action, state)
        if why is None or (untold and why != untold[0][1]):
            break
        if action.key not in told:
            untold.append((action.title, why))
            told.add(action.key)
        action = _top(session, state, action)
    if untold:
        raise LabelError(_sentence(untold, state))
    return action


def _top(
    session: Session, state: State, beyond: journal.Action | None = None
) -> journal.Action | None:
    return journal.top(session.project.conn, session.labeler.key, state, beyond=beyond)


def _obstacle(session: Session, action: journal.Action, state: State) -> str | None:
    """Say why an action has to stay as it is, None where it can be taken back."""
    conn, act = session.project.conn, action.body.queue
    if action.kind == REVEAL:
        return SEEN
    for part in action.body.named:
        why = of_record.obstacle(conn, part)
        if why is not None:
            return why
    if act is not None:
        return queue_acts.obstacle(conn, act, "undone" if state == "done" else "done")
    return None if journal.is_there(conn, action.body) else GONE


def _sentence(untold: list[tuple[str, str]], state: State) -> str:
    (first, why), rest = untold[0], len(untold) - 1
    more = f" and {counted(rest, 'older action', 'older actions')}" if rest else ""
    what = "taken back" if state == "done" else "done again"
    if rest and why == GONE:
        why = "they are about responses whose import was undone"
    return f"{first}{more} cannot be {what}: {why}."
