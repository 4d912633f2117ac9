"""What sharing a project would send, in numbers."""

from dataclasses import dataclass

from reviewer.domain.wording import counted, listed
from reviewer.services.project.session import Session
from reviewer.store import queues, reading, shares


@dataclass(frozen=True)
class Foretold:
    """What would be sent.

    Attributes:
        entries: Labels, decisions, comments and marks.
    """

    runs: int
    evaluations: int
    scores: int
    entries: int
    queues: int
    people: int
    files: int

    @property
    def sentence(self) -> str:
        """Tell it in words."""
        parts = [
            counted(self.runs, "run"), counted(self.evaluations, "evaluation"),
            counted(self.scores, "score"),
            counted(self.entries, "answer or mark", "answers and marks"),
            counted(self.queues, "queue"),
        ]  # fmt: skip
        if self.files:
            parts.append(counted(self.files, "attached file"))
        whom = counted(self.people, "person", "people")
        return f"{listed(parts)} go there, with the names of {whom}."


def foretell(session: Session) -> Foretold:
    """Count what sharing would send."""
    conn = session.project.conn
    counts = shares.scores_since(conn).values()
    entries = shares.waiting(conn, [(0, shares.LAST)]).entries
    return Foretold(
        len(session.run_keys()), sum(x for x, _ in counts), sum(x for _, x in counts),
        entries, len(queues.every(conn)), len(session.labelers()),
        reading.count_attachments(conn),
    )  # fmt: skip
