"""Test sets in the project file: versions share the cases that stay the same."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.store import case_sets
from reviewer.store.case_sets import Edits
from reviewer.store.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.review") as made:
        yield made


def put(*ids: str, **more: Any) -> dict[str, dict[str, Any]]:
    return {id_: {"id": id_, "input": f"{id_}?", **more} for id_ in ids}


def ids(project: Project, version: int | None = None) -> list[str]:
    found = case_sets.find(project.conn, "s", version)
    assert found is not None
    return [case["id"] for case in found.cases]


def test_a_case_is_stored_once_for_all_versions(project: Project) -> None:
    assert case_sets.keep(project, "s", Edits(put=put("a", "b", "c"))) == 1
    assert case_sets.keep(project, "s", Edits(put=put("b", expected="x"), gone=["a"])) == 2
    rows = project.conn.execute("SELECT id, since, until FROM test_cases ORDER BY position, since")
    assert list(rows) == [("a", 1, 2), ("b", 1, 2), ("b", 2, None), ("c", 1, None)]
    assert (ids(project, 1), ids(project, 2), ids(project)) == (
        ["a", "b", "c"], ["b", "c"], ["b", "c"],
    )  # fmt: skip
    (entry,) = case_sets.every(project.conn)
    assert [(x.version, x.cases) for x in entry.versions] == [(2, 2), (1, 3)]


def test_a_case_that_comes_back_stands_behind(project: Project) -> None:
    case_sets.keep(project, "s", Edits(put=put("a", "b")))
    case_sets.keep(project, "s", Edits(put={}, gone=["a"]))
    case_sets.keep(project, "s", Edits(put=put("a")))
    assert ids(project) == ["b", "a"]


def test_what_is_not_there(project: Project) -> None:
    assert case_sets.find(project.conn, "s") is None
    case_sets.keep(project, "s", Edits(put=put("a"), rubric="guest-response"))
    case_sets.keep(project, "s", Edits(put=put("b")))
    found = case_sets.find(project.conn, "s")
    assert found is not None
    assert found.rubric == "guest-response", "a later version keeps it"
    assert case_sets.find(project.conn, "s", 3) is None
    assert case_sets.forget(project, "s")
    assert not case_sets.forget(project, "s")
    assert project.conn.execute("SELECT count(*) FROM test_cases").fetchone() == (0,)


_STEP = st.tuples(
    st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3), max_size=3),
    st.sets(st.sampled_from("abcd"), max_size=2),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(_STEP, min_size=1, max_size=6))
def test_every_version_stays_what_it_was(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[dict[str, int], set[str]]]
) -> None:
    with Project.create(tmp_path_factory.mktemp("sets") / "p.review") as project:
        now: dict[str, dict[str, Any]] = {}
        states = []
        for changed, gone in steps:
            cases = {id_: {"id": id_, "n": n} for id_, n in changed.items()}
            left = [id_ for id_ in sorted(gone) if id_ in now and id_ not in cases]
            case_sets.keep(project, "s", Edits(put=cases, gone=left))
            now = {id_: case for id_, case in (now | cases).items() if id_ not in left}
            states.append(now)
        for version, state in enumerate(states, start=1):
            found = case_sets.find(project.conn, "s", version)
            assert found is not None
            assert {case["id"]: case for case in found.cases} == state
