"""What the person at the keyboard may see: the one rule that every page, list and figure asks.

Auto scores, reasoning, other people's labels and what tells of them stay hidden on an evaluation
until its labeler has answered every metric or asked to see. Blind is what the queue says that is
worked on, else the project; what another open blind queue still asks of somebody is hidden
wherever they meet it. Nothing is hidden on what a rubric asks nobody about.
"""

from collections.abc import Iterable

from msgspec import Struct

from reviewer.domain.rubric import Rubric
from reviewer.services.project.session import Session
from reviewer.store import figures, labelers, states
from reviewer.store.project import Project
from reviewer.store.states import State


class Hidden(Struct, frozen=True):
    """What stays hidden from a labeler.

    Attributes:
        blind: Whether every evaluation does, until it is settled.
        asked: What open blind queues ask of them.
    """

    labeler: str
    blind: bool = False
    asked: frozenset[int] = frozenset()

    @property
    def nothing(self) -> bool:
        """Tell whether nothing is hidden."""
        return not (self.blind or self.asked)

    def same_as(self, other: "Hidden") -> bool:
        """Tell whether another hides the same; what queues ask may be a million keys."""
        who = (self.labeler, self.blind) == (other.labeler, other.blind)
        return who and (self.asked is other.asked or self.asked == other.asked)

    def hides(self, evaluation: int | None, rubric: Rubric, *, settled: bool) -> bool:
        """Tell whether an evaluation is hidden; `settled` is one answered whole, or revealed."""
        if settled or not rubric.labelled_metrics:
            return False
        return self.blind or evaluation in self.asked

    def open_asks(self, project: Project) -> frozenset[int]:
        """Give what open blind queues ask of them and they have not settled."""
        person = labelers.find(project.conn, self.labeler) if self.asked else None
        if person is None:
            return frozenset()
        mine = states.of_labeler(project.conn, person.key)
        settled = (key for key, state in mine.items() if state.complete or state.revealed)
        return self.asked.difference(settled)

    def begun(self, project: Project) -> list[int]:
        """Give what they have begun and not settled: their answers there count in no figure."""
        person = None if self.nothing else labelers.find(project.conn, self.labeler)
        if person is None:
            return []
        found = figures.hidden_from(project, person.key)
        return [key for key in found if self.blind or key in self.asked]


def hidden_now(session: Session) -> Hidden:
    """Give what stays hidden from the active labeler now."""
    return Hidden(session.labeler.name, session.blind, session.sealed)


def is_hidden(
    session: Session, state: State, rubric: Rubric, evaluation: int | None = None
) -> bool:
    """Tell whether an evaluation is hidden from the active labeler, whose state there is known."""
    settled = state.complete or state.revealed
    return hidden_now(session).hides(evaluation, rubric, settled=settled)


def hidden_among(
    session: Session, keys: Iterable[int], hidden: Hidden | None = None
) -> frozenset[int]:
    """Give the evaluations, all of one rubric, that are hidden from the active labeler.

    `hidden` says it for a session that works for them and sees all itself.
    """
    every, hidden = frozenset(keys), hidden or hidden_now(session)
    if not every or hidden.nothing:
        return frozenset()
    rubric = session.rubric_of(next(iter(every)))
    mine = states.of_labeler(session.project.conn, session.labeler.key)
    settled = {key for key, state in mine.items() if state.complete or state.revealed}
    return frozenset(x for x in every if hidden.hides(x, rubric, settled=x in settled))
