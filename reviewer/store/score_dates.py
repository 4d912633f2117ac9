"""When the scores that count were given."""

from array import array

from reviewer.store.figures import whole_numbers
from reviewer.store.project import Project


def read_score_dates(
    project: Project, metric: int, score_set: int
) -> tuple["array[int]", "array[int]"]:
    """Read which evaluations' scores of a version bear a time, ascending, and these times."""
    keys, times = project.conn.execute(
        "SELECT group_concat(evaluation), group_concat(at_us) FROM ("
        "SELECT evaluation, at_us FROM scores INDEXED BY scores_dated WHERE metric = ? "
        "AND score_set = ? AND latest = 1 AND turn = -1 AND at_us IS NOT NULL "
        "ORDER BY evaluation)",
        (metric, score_set),
    ).fetchone()
    return array("q", whole_numbers(keys)), array("q", whole_numbers(times))


def scored_times(project: Project) -> list[tuple[int, int]]:
    """Give every evaluation that a score with a time counts on, with these times."""
    return project.conn.execute(
        "SELECT evaluation, at_us FROM scores INDEXED BY scores_dated "
        "WHERE latest = 1 AND turn = -1 AND at_us IS NOT NULL"
    ).fetchall()
