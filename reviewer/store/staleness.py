"""Counts of labels and scores that were given to another text, rubric or judge than now stands."""

from dataclasses import dataclass

from reviewer.store.project import Project
from reviewer.store.schema import WHOLE
from reviewer.store.scoping import Condition


@dataclass(frozen=True, slots=True)
class Lag:
    """How many current labels of one metric lag behind.

    Attributes:
        text_changed: Labels of evaluations whose text was replaced afterwards.
        rubric_version: Labels that say they followed another version of the rubric.
        judge_versions: Labels that say they were given beside another scorer version than that
            whose score they are compared with.
        rescored: Labels older than a repeated score by the same scorer version.
    """

    text_changed: int = 0
    rubric_version: int = 0
    judge_versions: int = 0
    rescored: int = 0


# the plus keeps the look-up to the key: an index by value would be walked once for each label
_LAG = f"""
    SELECT sum(l.revision <> e.revision),
        sum(l.rubric_version IS NOT NULL AND l.rubric_version <> ?),
        sum(l.judge_version IS NOT NULL AND ? IS NOT NULL AND l.judge_version NOT IN (?, ?)
            AND EXISTS (SELECT 1 FROM scores s WHERE s.evaluation = c.evaluation
                AND s.metric = c.metric AND s.score_set = ? AND s.turn = {WHOLE}
                AND s.latest = 1 AND +s.value IS NOT NULL)),
        sum(EXISTS (SELECT 1 FROM scores s WHERE s.evaluation = c.evaluation
            AND s.metric = c.metric AND s.score_set = ? AND s.turn = {WHOLE} AND s.latest = 1
            AND s.ordinal <> 0 AND julianday(s.at) > julianday(l.at)))
    FROM current_labels c JOIN labels l ON l.id = c.place
    JOIN visible_evaluations e ON e.id = c.evaluation
    WHERE c.metric = ? AND c.turn = {WHOLE} AND c.value IS NOT NULL AND {{within}}
"""


def lag(
    project: Project,
    within: Condition,
    *,
    metric: int,
    rubric_version: str,
    scorer: tuple[int, str] | None,
) -> Lag:
    """Count the lagging labels of a metric; `scorer` is the key and name of the score set."""
    key, name = scorer or (-1, None)
    # a label may name the judge whole, or its version alone
    version = name.rpartition("@")[2] if name else None
    row = project.conn.execute(
        _LAG.format(within=within.sql),
        (rubric_version, name, name, version, key, key, metric, *within.parameters),
    ).fetchone()
    return Lag(*(int(x or 0) for x in row))


@dataclass(frozen=True, slots=True)
class SeenForms:
    """How many labels were given beside scores of the same name that were made otherwise.

    A score set is more than its name: its model, prompt and parameters may differ from those of
    another set whose scorer and version are spelt alike.
    """

    model: int = 0
    prompt_hash: int = 0
    parameters: int = 0


_SIBLINGS = """
    SELECT count(*) FROM score_sets o JOIN score_sets b ON b.id = ?1
    WHERE o.id <> b.id AND o.scorer = b.scorer AND o.version IS b.version AND EXISTS (
        SELECT 1 FROM scores WHERE metric = ?2 AND score_set = o.id AND latest = 1 AND turn = -1)
"""
_SEEN = f"""
    SELECT sum(o.model IS NOT b.model), sum(o.prompt_hash IS NOT b.prompt_hash),
        sum(o.parameters IS NOT b.parameters)
    FROM current_labels c JOIN labels l ON l.id = c.place
    JOIN visible_evaluations e ON e.id = c.evaluation
    JOIN score_sets b ON b.id = ?
    JOIN score_sets o ON o.id = (
        SELECT s.score_set FROM scores s JOIN score_sets x ON x.id = s.score_set
        WHERE s.evaluation = c.evaluation AND s.metric = c.metric AND s.turn = {WHOLE}
            AND s.latest = 1 AND x.scorer = b.scorer AND x.version IS b.version
            AND julianday(s.at) <= julianday(l.at)
        ORDER BY julianday(s.at) DESC, s.score_set DESC LIMIT 1)
    WHERE o.id <> b.id AND c.metric = ? AND c.turn = {WHOLE} AND c.value IS NOT NULL AND {{within}}
"""


def seen_forms(project: Project, within: Condition, *, metric: int, score_set: int) -> SeenForms:
    """Count the labels of a metric by what is different about the scores they were given beside.

    Of several score sets of one name, a label was given beside the one that was the newest then.
    """
    conn = project.conn
    if not conn.execute(_SIBLINGS, (score_set, metric)).fetchone()[0]:
        return SeenForms()
    row = conn.execute(
        _SEEN.format(within=within.sql), (score_set, metric, *within.parameters)
    ).fetchone()
    return SeenForms(*(int(x or 0) for x in row))


@dataclass(frozen=True, slots=True)
class ScoreLag:
    """How many auto scores of one metric lag behind.

    Attributes:
        text_changed: Scores of evaluations whose text was replaced afterwards.
        rubric_version: Scores that a job made before the rubric's version that now stands.
        made_for: The version of the rubric that those were made for.
    """

    text_changed: int = 0
    rubric_version: int = 0
    made_for: str | None = None


_SCORED = f"""
    FROM scores s JOIN visible_evaluations e ON e.id = s.evaluation
    WHERE s.metric = ? AND s.score_set = ? AND s.turn = {WHOLE} AND s.latest = 1
        AND s.value IS NOT NULL AND {{within}}
"""
_OLDER_TEXT = f"""
    SELECT count(*) {_SCORED} AND e.id IN (SELECT evaluation FROM evaluation_versions)
        AND EXISTS (SELECT 1 FROM evaluation_versions v WHERE v.evaluation = e.id
            AND CASE WHEN s.import IS NULL OR v.import IS NULL
                THEN julianday(s.at) < julianday(v.replaced_at) ELSE s.import < v.import END)
"""
_OLDER_RUBRIC = f"SELECT count(*) {_SCORED} AND julianday(s.at) < julianday(?)"
_MADE_FOR = """
    SELECT b.rubric_version, v.created_at FROM score_sets b, rubrics r
    JOIN rubric_versions v ON v.rubric = r.id
    WHERE b.id = ? AND b.prompt_hash IS NOT NULL AND r.name = ? AND v.version = ?
        AND b.rubric_version IS NOT NULL AND b.rubric_version <> v.version
"""


def score_lag(
    project: Project, within: Condition, *, metric: int, score_set: int, rubric: tuple[str, str]
) -> ScoreLag:
    """Count the lagging scores of a metric; `rubric` is the name and version that now stand."""
    conn = project.conn
    about = (metric, score_set, *within.parameters)
    texts = (
        conn.execute("SELECT 1 FROM evaluation_versions LIMIT 1").fetchone()
        and (conn.execute(_OLDER_TEXT.format(within=within.sql), about).fetchone()[0])
    )
    older = conn.execute(_MADE_FOR, (score_set, *rubric)).fetchone()
    if older is None:
        return ScoreLag(text_changed=int(texts or 0))
    n = conn.execute(_OLDER_RUBRIC.format(within=within.sql), (*about, older[1])).fetchone()[0]
    return ScoreLag(int(texts or 0), int(n), older[0])


def made_for(
    project: Project, within: Condition, *, metric: int, score_set: int, rubric: tuple[str, str]
) -> str | None:
    """Give the rubric's version that any of a metric's scores were made for, None for `rubric`."""
    older = project.conn.execute(_MADE_FOR, (score_set, *rubric)).fetchone()
    if older is None:
        return None
    about = (metric, score_set, *within.parameters, older[1])
    n = project.conn.execute(_OLDER_RUBRIC.format(within=within.sql), about).fetchone()[0]
    return str(older[0]) if n else None
