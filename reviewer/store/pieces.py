"""Unite the pieces of the text index a little at a time, where there are many of them."""

from reviewer.store.project import Project

MOST_PIECES = 250
MERGED_PAGES = 150
INDEX_SHARE = 0.6
"""Bytes of the text index for a byte of text, about."""
PAGE = 4_050


class Pieces:
    """The pieces that somebody adds to the text index, one a transaction.

    A search looks into each. Left to itself the index unites a few pieces at once, and so writes
    everything again and again; or, from a thousand on, all at once while everybody waits.
    """

    def __init__(self, project: Project) -> None:
        """Begin with none."""
        self._project = project
        self._count = 0
        self._unmerged = 0
        self._to_merge = 0

    def add(self, weight: int) -> None:
        """Count a piece with the bytes of its texts, and unite some where there are many."""
        self._count += 1
        self._unmerged += weight
        if self._count >= MOST_PIECES:
            self._count = 0
            self._to_merge += int(self._unmerged * INDEX_SHARE) // PAGE
            self._unmerged = 0
        if self._to_merge > 0:
            self._to_merge -= MERGED_PAGES
            self._project.write_giving_way(
                lambda conn: conn.execute(
                    "INSERT INTO search(search, rank) VALUES ('merge', ?)", (MERGED_PAGES,)
                )
            )
