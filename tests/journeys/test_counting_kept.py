"""What counts in a project counts in a project made of its export, whatever was said again.

Scores come with seeds, repeats, errors and turns, in files one after the other, also under texts
that a later file replaced; what counts of each version is compared, and the bytes.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from reviewer.domain.errors import Silent
from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.services.transfer import exporting, importing
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.importing import ImportReport, ImportRequest
from reviewer.store.project import Project

RUBRIC = Rubric(
    name="grades",
    metrics=tuple(
        Metric(name=name, levels=tuple(Level(value=value) for value in range(1, 6)))
        for name in ("tone", "accuracy")
    ),
)
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
TIMES = st.sampled_from(["2026-11-01", "2026-11-02T10:00:00Z", "2026-11-02T10:00:00.5+02:00"])
PARAMETERS = st.dictionaries(
    st.sampled_from(["seed", "request_id", "temperature", "top_p"]),
    st.sampled_from([0, 0.0, 1, "x", [1, 2.0], {"b": 1, "a": 2}]),
    max_size=3,
)
SCORES = st.fixed_dictionaries(
    {"metric": st.sampled_from(["tone", "accuracy"]), "value": st.integers(1, 5)},
    optional={
        "scorer": st.sampled_from(["judge", "judge@1", ""]),
        "scorer_version": st.sampled_from(["1", "2 a=b"]),
        "parameters": PARAMETERS, "model": st.sampled_from(["small", "big"]),
        "at": TIMES, "turn": st.integers(0, 1), "error": st.sampled_from(["timeout", ""]),
        "reasoning": st.sampled_from(["why", ""]),
    },
)  # fmt: skip
RECORDS = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["a", "b"]),
        "response": st.sampled_from(["first", "second"]),
        "scores": st.lists(SCORES, max_size=5),
    }
)
FILES = st.lists(
    st.tuples(
        st.sampled_from(["skip", "replace", "version"]), st.lists(RECORDS, min_size=1, max_size=2)
    ),
    min_size=1,
    max_size=3,
)


def load(project: Path, file: Path, policy: str = "skip") -> ImportReport:
    request = ImportRequest((file,), rubric=RUBRIC, on_conflict=policy, run="r")  # type: ignore[arg-type]
    return importing.run(project, request, Silent())


def export(project: Path, to: Path) -> bytes:
    with Project.open(project) as opened:
        exporting.export(opened, to, ExportRequest(), Silent())
    return to.read_bytes()


def counting(project: Path) -> dict[tuple[Any, ...], Any]:
    """The value that counts of every evaluation, metric, version and turn."""
    with closing(sqlite3.connect(project)) as conn:
        rows = conn.execute(
            "SELECT e.ext_id, m.name, b.scorer, b.version, b.model, b.parameters, s.turn, s.value "
            "FROM scores s JOIN visible_evaluations e ON e.id = s.evaluation "
            "JOIN metrics m ON m.id = s.metric JOIN score_sets b ON b.id = s.score_set "
            "WHERE s.latest = 1"
        ).fetchall()
    found = {row[:-1]: row[-1] for row in rows}
    assert len(found) == len(rows)
    return found


def said(value: int, at: str | None = None, **more: Any) -> dict[str, Any]:
    fields = {"metric": "tone", "value": value, "scorer": "judge", **more}
    return fields if at is None else {**fields, "at": at}


def one(response: str, *scores: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"id": "a", "response": response, "scores": list(scores)}]


@given(FILES)
@example([("skip", one("x", said(3, "2026-11-02"))), ("skip", one("x", said(5, "2026-11-01")))])
@example([("skip", one("x", said(3, "2026-11-02"))), ("version", one("y", said(5, "2026-11-02")))])
@example([("skip", one("x", said(3))), ("replace", one("x", said(5)))])
@example([("skip", one("x", said(3), said(5, parameters={"seed": 1}), said(4, model="big")))])
@settings(max_examples=25, phases=PHASES, suppress_health_check=list(HealthCheck), deadline=None)
def test_what_counts_is_kept_by_an_export(
    tmp_path_factory: Any, files: list[tuple[str, list[dict[str, Any]]]]
) -> None:
    folder = tmp_path_factory.mktemp("counting")
    first = folder / "first.review"
    for number, (policy, records) in enumerate(files):
        file = folder / f"{number}.jsonl"
        # one file names an evaluation once: its lines would be one record in two versions
        once = {record["id"]: record for record in records}
        file.write_text("".join(json.dumps(x) + "\n" for x in once.values()), encoding="utf-8")
        load(first, file, policy)
    before = counting(first)
    for suffix in ("jsonl", "csv"):
        exported = export(first, folder / f"out.{suffix}")
        second = folder / f"{suffix}.review"
        report = load(second, folder / f"out.{suffix}")
        assert report.first_rejected == []
        assert counting(second) == before
        assert export(second, folder / f"again.{suffix}") == exported
        for project in (first, second):
            again = load(project, folder / f"out.{suffix}")
            assert (again.unchanged, again.scores) == (again.read, 0)
            assert counting(project) == before
