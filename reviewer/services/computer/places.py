"""Where labelers were in their projects, so that they find themselves there again."""

from pathlib import Path

from msgspec import Struct, ValidationError, convert
from msgspec.structs import asdict

KEPT = 48
"""How many are remembered, of the labelers and projects that were open last."""


class Place(Struct, frozen=True):
    """Where a labeler was in a project.

    Attributes:
        page: The page that was in view, by its id.
        evaluation: RUN/ID of the evaluation in view, empty where there was none.
        read: How far the conversation was scrolled.
        listed: How far the list was scrolled.
    """

    page: str = ""
    evaluation: str = ""
    read: int = 0
    listed: int = 0


class Places:
    """The places of labelers in projects, the latest first."""

    def __init__(self, content: object = None) -> None:
        """Take what was kept in a file; what is damaged is forgotten."""
        self._places: dict[tuple[str, str], Place] = {}
        for entry in content if isinstance(content, list) else []:
            try:
                one = (str(entry["project"]), str(entry["labeler"]))
                self._places[one] = convert(entry, Place)
            except (ValidationError, TypeError, KeyError):
                continue

    def of(self, project: Path, labeler: str) -> Place:
        """Give where a labeler was in a project."""
        return self._places.get((str(project.absolute()), labeler), Place())

    def keep(self, project: Path, labeler: str, place: Place) -> None:
        """Keep where a labeler is."""
        one = (str(project.absolute()), labeler)
        others = [(x, there) for x, there in self._places.items() if x != one]
        self._places = dict([(one, place), *others][:KEPT])

    def to_json(self) -> list[dict[str, object]]:
        """Give what is kept in a file."""
        return [
            {"project": project, "labeler": labeler, **asdict(place)}
            for (project, labeler), place in self._places.items()
        ]
