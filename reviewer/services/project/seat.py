"""Who works on an open project, on which queue, and what that hides from them."""

from msgspec.structs import replace

from reviewer.domain.label import SelectionReason
from reviewer.domain.run import Labeler
from reviewer.services.project import naming
from reviewer.store import labelers, queues
from reviewer.store.project import Project
from reviewer.store.queues import QueueRow


class Seat:
    """The labeler's place at a project.

    Attributes:
        project: The file; its connection belongs to the thread that opened the session.
        selection_reason: How the present list chose its evaluations, recorded with labels.
        queue: The queue that the labeler works on, None while they follow a filter.
    """

    def __init__(self, project: Project, labeler: Labeler) -> None:
        """Seat a labeler at a project."""
        self.project = project
        self._labeler = labeler
        self._blind = True
        self.selection_reason: SelectionReason = "browse"
        self.queue: QueueRow | None = None
        self._sealed: frozenset[int] | None = None

    @property
    def blind(self) -> bool:
        """Tell whether auto scores stay hidden until every metric is answered.

        A queue decides for everybody who works on it; else the labeler's own choice holds.
        """
        return self._blind if self.queue is None else self.queue.blind

    @blind.setter
    def blind(self, blind: bool) -> None:
        self._blind = blind

    @property
    def labeler(self) -> Labeler:
        """Give who labels; the key is 0 until their first write, in this window or another."""
        if self._labeler.key == 0:
            found = labelers.find(self.project.conn, self._labeler.name) or self._labeler
            if found.role == "labeler" and not labelers.is_led(self.project.conn):
                # whoever works first leads
                found = replace(found, role="lead")
            if self.project.conn.in_transaction:
                # a row that is just being made may yet be rolled back
                return found
            self._labeler = found
        return self._labeler

    def my_key(self) -> int:
        """Give the labeler's key, their row made where absent; call inside `Project.write`.

        Whoever was renamed in another window a moment ago is still the same person.
        """
        conn, me = self.project.conn, self._labeler
        if me.key and labelers.find(conn, me.name) is None:
            self.look_again()
        return labelers.ensure(conn, self._labeler.name)

    @property
    def sealed(self) -> frozenset[int]:
        """Give what open blind queues ask of the labeler: hidden until it is answered."""
        if self._sealed is None:
            self._sealed = queues.sealed_for(self.project.conn, self.labeler.key)
        return self._sealed

    def set_labeler(self, name: str) -> None:
        """Let another person label; their row is made at their first write.

        Raises:
            LabelError: Nobody has the name, and nobody could have it.
        """
        found = labelers.find(self.project.conn, name)
        if found is None:
            name = naming.taken(name, (x.name for x in self.labelers()))
        self._labeler = Labeler(key=0, name=name)
        self.queue = self._sealed = None
        # known by their key from now on, whatever they are called elsewhere
        self._labeler = self.labeler

    def labelers(self) -> tuple[Labeler, ...]:
        """Give everybody who has labelled in this project, by name."""
        return labelers.every(self.project.conn)

    def draw_of(self, evaluation: int) -> tuple[SelectionReason, float | None]:
        """Give how an evaluation came to be labelled now, and with which chance it was drawn."""
        if self.queue is None:
            found = None
            if evaluation in self.sealed:
                # met on another way before its turn in a queue that drew it
                found = queues.drawn(self.project.conn, self.labeler.key, evaluation)
            return found or (self.selection_reason, None)
        return queues.draw(self.project.conn, self.queue, self.labeler.key, evaluation)

    def look_again(self) -> None:
        """Follow the labeler and the queue to what they are called now."""
        known = {person.key: person for person in self.labelers()}
        me = known.get(self._labeler.key, self._labeler)
        self._labeler = Labeler(key=0, name=me.name)
        self.unseal()
        if self.queue is not None:
            self.queue = queues.read(self.project.conn, self.queue.key)

    def unseal(self) -> None:
        """Ask anew what open blind queues hide, as others may have made or closed some."""
        self._sealed = None
