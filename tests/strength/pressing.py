"""Somebody who answers without end, and says before each act what it is and after it what stands.

`? [evaluation, metric, value]` or `? null` comes before an act; `! {"evaluation": what stands}`
when it was answered, as the program itself reads it from the file.
"""

import json
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

from reviewer.domain.change import Change, LabelChanged, MarkChanged
from reviewer.domain.errors import LabelError
from reviewer.services.labelling import entering, undo
from reviewer.services.project import reading
from reviewer.services.project.session import Session

METRICS = ("relevance", "accuracy", "safety")
EVALUATIONS = 120
LABELER = "ann"
Tell = Callable[[str], object]
Presser = Callable[[Path, Random, Tell], None]


def standing(session: Session, key: int) -> dict[str, Any]:
    """Give what the labeler's own entries on an evaluation are, as JSON would."""
    view = reading.view(session, key)
    own = {name: [x.kind, x.value, x.comment] for name, x in view.own.items()}
    return own | {"skip": view.skipped, "flag": view.flagged}


class Teller:
    """Says what is about to be done and what then stands."""

    def __init__(self, session: Session, tell: Tell) -> None:
        """Hear of what changes."""
        self._session, self._tell = session, tell
        self._touched: set[int] = set()
        session.subscribe(self._hear)

    def _hear(self, change: Change) -> None:
        if isinstance(change, LabelChanged):
            self._touched.add(change.after.evaluation)
        elif isinstance(change, MarkChanged):
            self._touched.add(change.mark.evaluation)

    def before(self, act: tuple[int, str, int] | None) -> None:
        """Say what is about to be done; only of a label it is known what will stand."""
        self._touched.clear()
        self._tell(f"? {json.dumps(act)}")

    def after(self, act: tuple[int, str, int] | None) -> None:
        """Say what stands on everything that was touched.

        Raises:
            ValueError: A label was answered and does not stand.
        """
        found = {key: standing(self._session, key) for key in self._touched}
        if act is not None:
            key, metric, value = act
            there = found.get(key) or standing(self._session, key)
            if there.get(metric, [None, None])[1] != value:
                raise ValueError(f"{value} was answered for {metric} of {key}, and it has {there}")
        self._tell(f"! {json.dumps(found)}")


class Labeler:
    """Labels, comments, flags and undoes by the services that window and command line call."""

    def __init__(self, session: Session, dice: Random, tell: Tell) -> None:
        """Begin in a project."""
        self._session, self._dice = session, dice
        self._teller = Teller(session, tell)

    def act(self) -> None:
        """Do one thing."""
        dice, session = self._dice, self._session
        key, metric = dice.randint(1, EVALUATIONS), dice.choice(METRICS)
        value, kind = dice.randint(1, 5), dice.random()
        act = (key, metric, value) if kind < 0.75 else None
        self._teller.before(act)
        # what has to stay, such as a reveal, is said at the first press of undo
        with suppress(LabelError):
            if act is not None:
                words = "Because." if kind < 0.1 else None
                entering.commit(session, key, metric, value, comment=words)
            elif kind < 0.85:
                entering.comment(session, key, metric, f"Number {value}.")
            elif kind < 0.9:
                entering.toggle_flag(session, key)
            else:
                (undo.undo if kind < 0.97 else undo.redo)(session)
        self._teller.after(act)


def at_services(path: Path, dice: Random, tell: Tell) -> None:
    """Answer without end."""
    with closing(Session.open(path, LABELER)) as session:
        labeler = Labeler(session, dice, tell)
        while True:
            labeler.act()
