"""The project's own numbers of metrics, labelers and score sets, made where absent."""

import sqlite3
from typing import Any

from reviewer.domain.run import telling
from reviewer.store import labelers
from reviewer.store.packing import dump
from reviewer.store.project import Project

SetKey = tuple[str, str | None, str | None, str | None, str | None]
_FIND_SET = (
    "SELECT id FROM score_sets WHERE scorer = ? AND ifnull(version, '') = ifnull(?, '') "
    "AND ifnull(model, '') = ifnull(?, '') AND ifnull(prompt_hash, '') = ifnull(?, '') "
    "AND ifnull(parameters, '') = ifnull(?, '')"
)


class Names:
    """Numbers of names, looked up once; a new name is stored in a transaction of its own.

    Attributes:
        metrics: The numbers of the metrics met so far.
        plain_sets: The numbers of score sets met so far that are a scorer and version alone.
        made: Tables and numbers of what was made here, so that a cancelled import can drop it.
        spells: Whether the `uid` of an entry counts as a part of the file, to be written again.
    """

    def __init__(self, project: Project) -> None:
        """Start without knowing any name."""
        self._project = project
        self.metrics: dict[str, int] = {}
        self._labelers: dict[str, int] = {}
        self.plain_sets: dict[tuple[str | None, str | None], int] = {}
        self._sets: dict[SetKey, int] = {}
        self._runs: dict[int, str] = {}
        self.made: list[tuple[str, int]] = []
        self.spells = True

    def metric(self, name: str) -> int:
        """Give the number of a metric."""
        key = self.metrics.get(name)
        if key is None:
            key = self.metrics[name] = self._named("metrics", name)
        return key

    def labeler(self, name: str) -> int:
        """Give the number of a labeler."""
        key = self._labelers.get(name)
        if key is None:
            key = self._labelers[name] = self._named("labelers", name)
        return key

    def run(self, key: int) -> str:
        """Give the name of a run."""
        name = self._runs.get(key)
        if name is None:
            row = self._project.conn.execute(
                "SELECT name FROM runs WHERE id = ?", (key,)
            ).fetchone()
            name = self._runs[key] = str(row[0]) if row else ""
        return name

    def score_set(self, score: dict[str, Any]) -> int:
        """Give the number of a score's set: scorer, version, model, prompt and parameters."""
        scorer, version = score.get("scorer"), score.get("scorer_version")
        if "model" not in score and "prompt_hash" not in score and "parameters" not in score:
            key = self.plain_sets.get((scorer, version))
            if key is None:
                key = self._set((scorer or "", version or None, None, None, None))
                self.plain_sets[scorer, version] = key
            return key
        parameters = telling(score.get("parameters"))
        return self._set(
            (
                scorer or "",
                version or None,
                score.get("model") or None,
                score.get("prompt_hash") or None,
                None if parameters is None else dump(parameters),
            )
        )

    def _set(self, identity: SetKey) -> int:
        key = self._sets.get(identity)
        if key is not None:
            return key
        with self._project.write() as conn:
            row = conn.execute(_FIND_SET, identity).fetchone()
            if row is None:
                row = conn.execute(
                    "INSERT INTO score_sets(scorer, version, model, prompt_hash, parameters) "
                    "VALUES (?, ?, ?, ?, ?) RETURNING id",
                    identity,
                ).fetchall()[0]
                self.made.append(("score_sets", int(row[0])))
        self._sets[identity] = int(row[0])
        return int(row[0])

    def _named(self, table: str, name: str) -> int:
        with self._project.write() as conn:
            row = conn.execute(f"SELECT id FROM {table} WHERE name = ?", (name,)).fetchone()
            if row is None:
                self.made.append((table, made := _ADD[table](conn, name)))
                return made
        return int(row[0])


def _add_metric(conn: sqlite3.Connection, name: str) -> int:
    row = conn.execute("INSERT INTO metrics(name) VALUES (?) RETURNING id", (name,)).fetchall()[0]
    return int(row[0])


_ADD = {"metrics": _add_metric, "labelers": labelers.add}
