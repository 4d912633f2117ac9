"""Which answers a comparison set side by side, in which order, without their texts."""

from collections.abc import Iterator, Sequence

from reviewer.store.project import Project

_AT_ONCE = 500
_CANDIDATES = """
    SELECT e.id, json_extract(c.value, '$.id'), json_extract(c.value, '$.model')
    FROM evaluations e, json_each(iif(json_valid(e.extra), e.extra, '{{}}'), '$.candidates') c
    WHERE e.id IN ({marks}) AND instr(e.extra, '"candidates"') > 0
    ORDER BY e.id, c.key
"""


def read_candidates(
    project: Project, keys: Sequence[int]
) -> Iterator[tuple[int, str, str | None]]:
    """Read the candidates of evaluations, in the order they were shown in.

    Yields:
        The evaluation, the candidate's id, and the model it came from, where known.
    """
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        sql = _CANDIDATES.format(marks=", ".join("?" * len(some)))
        yield from project.conn.execute(sql, some)
