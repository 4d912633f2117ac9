"""Length and language of every response of a scope, worked out once and kept."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reviewer.scoring.language import LOOKED_AT, UNKNOWN, language_of
from reviewer.services.figures.human_columns import Ints
from reviewer.store import evaluation_columns
from reviewer.store.project import Project

NO_TEXT = evaluation_columns.NO_RESPONSE
"""The length of a response that is not there."""


@dataclass(frozen=True, slots=True, eq=False)
class TextColumns:
    """What is known of the responses of n evaluations, in the order they were asked for.

    Attributes:
        lengths: Characters, `NO_TEXT` where there is no response.
        languages: Codes of ISO 639-1, `unknown` where the text gives none away.
    """

    lengths: Ints
    languages: tuple[str, ...]


def _nothing() -> None:
    """Go on."""


class TextFacts:
    """Remembers languages by evaluation and revision, so that each text is looked at once.

    One for an open project; it holds no connection and may be handed to work beside the window.
    """

    def __init__(self) -> None:
        """Know nothing yet."""
        self._known: dict[int, tuple[int, str]] = {}

    def read(
        self, project: Project, keys: Ints, go_on: Callable[[], None] = _nothing
    ) -> TextColumns:
        """Give lengths and languages of evaluations, by ascending keys.

        `go_on` is called now and then; it may raise to stop.
        """
        if not keys.size:
            return TextColumns(np.zeros(0, dtype=np.int64), ())
        lengths, revisions = _sizes(project, keys, go_on)
        known = dict(self._known)
        wanted = [
            key
            for key, revision, length in zip(
                keys.tolist(), revisions.tolist(), lengths.tolist(), strict=True
            )
            if length > 0 and known.get(key, _NOBODY)[0] != revision
        ]
        told = dict(zip(keys.tolist(), revisions.tolist(), strict=True))
        for block in evaluation_columns.read_beginnings(project, wanted, LOOKED_AT):
            go_on()
            for key, text in block:
                known[key] = (told[key], language_of(text))
        self._known = known
        languages = tuple(known.get(key, _NOBODY)[1] for key in keys.tolist())
        return TextColumns(lengths, languages)


_NOBODY = (0, UNKNOWN)


def _sizes(project: Project, keys: Ints, go_on: Callable[[], None]) -> tuple[Ints, Ints]:
    span = (int(keys[0]), int(keys[-1]))
    found = evaluation_columns.read_sizes(project, span, go_on)
    there = np.frombuffer(found.keys, dtype=np.int64)
    lengths = np.full(keys.size, NO_TEXT, dtype=np.int64)
    revisions = np.zeros(keys.size, dtype=np.int64)
    if there.size:
        places = np.minimum(np.searchsorted(there, keys), there.size - 1)
        same = there[places] == keys
        lengths[same] = np.frombuffer(found.lengths, dtype=np.int64)[places[same]]
        revisions[same] = np.frombuffer(found.revisions, dtype=np.int64)[places[same]]
    return lengths, revisions
