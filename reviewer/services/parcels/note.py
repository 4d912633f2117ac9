"""What a work package says of itself."""

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What a package says of itself; kept in its settings.

    Attributes:
        project: The number by which a project knows its own packages.
        repeats: Run and id of what is answered once more.
        id: The number of the package itself, under which the project keeps whose it is.
    """

    project: str
    queue: str
    labeler: str
    blind: bool
    made_at: str
    repeats: tuple[tuple[str, str], ...] = ()
    id: str = ""

    def to_json(self) -> str:
        """Give the note as the settings keep it."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Note":
        """Read what `to_json` wrote."""
        fields = json.loads(text)
        fields["repeats"] = tuple((run, name) for run, name in fields["repeats"])
        return cls(**fields)
