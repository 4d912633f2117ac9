"""An open project with the active labeler, and the one place where changes are published."""

from collections.abc import Callable
from pathlib import Path

from reviewer.domain.change import Change
from reviewer.domain.label import SelectionReason
from reviewer.domain.rubric import Rubric
from reviewer.domain.run import Labeler, Run
from reviewer.store.project import Project

Listener = Callable[[Change], None]


class Session:
    """An open project file and who works on it.

    Attributes:
        project: The file; its connection belongs to the thread that opened the session.
        labeler: Who labels; key 0 until their first write.
        blind: Whether auto scores stay hidden until every metric is answered.
        selection_reason: How the present queue chose its evaluations, recorded with labels.
    """

    def __init__(self, project: Project, labeler: Labeler) -> None:
        """Wrap an open project; `open` is the usual way."""
        self.project = project
        self.labeler = labeler
        self.blind = True
        self.selection_reason: SelectionReason = "browse"
        self._listeners: list[Listener] = []

    @classmethod
    def open(cls, path: Path, labeler: str | None = None) -> "Session":
        """Open a project file as a labeler (None: the settings' name, else "labeler 1").

        Raises:
            ProjectError: The file cannot be opened; the sentence says why.
        """
        return cls(Project.open(path), Labeler(key=0, name=labeler or "labeler 1"))

    def close(self) -> None:
        """Close the file."""
        self.project.close()

    def set_labeler(self, name: str) -> None:
        """Let another person label; their row is made at their first write."""
        raise NotImplementedError

    def labelers(self) -> tuple[Labeler, ...]:
        """Give everybody who has labelled in this project, by name."""
        raise NotImplementedError

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call the listener with every change, in the order of subscribing; gives the way out."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def publish(self, change: Change) -> None:
        """Tell every listener what changed."""
        for listener in tuple(self._listeners):
            listener(change)

    def poll(self) -> int:
        """Publish what other windows and processes wrote since, and give the number of changes."""
        raise NotImplementedError

    def rubric_of(self, evaluation: int) -> Rubric:
        """Give the rubric of an evaluation's run, in its newest version."""
        raise NotImplementedError

    def rubric(self, name: str) -> Rubric:
        """Give a rubric by name in its newest version."""
        raise NotImplementedError

    def current_rubric(self) -> Rubric:
        """Give the rubric of the newest run."""
        raise NotImplementedError

    def runs(self) -> tuple[Run, ...]:
        """Give the runs in the order of their import."""
        raise NotImplementedError
