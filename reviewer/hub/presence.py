"""Who is here: a row a person that says so for a while, and nothing of what they do."""

from uuid import UUID

from reviewer.hub.connecting import Work

REFRESH_S = 30.0
"""How often one says that one is still here; after three times as long one is not."""


def attend(work: Work, *, stays: bool = True) -> list[UUID]:
    """Say that one is here, or goes, and give who is."""
    return [person for (person,) in work.rows("SELECT attend(%s)", stays)]
