"""The journal: two stacks a labeler, kept in the file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.store import journal, labelers
from reviewer.store.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "new.review") as project:
        with project.write() as conn:
            labelers.ensure(conn, "ann")
            labelers.ensure(conn, "bo")
        yield project


def add(project: Project, title: str, labeler: int = 1, **body: object) -> None:
    with project.write() as conn:
        journal.add(
            conn, labeler=labeler, seq=project.next_seq(), kind="label", title=title,
            body=journal.Body(**body),  # type: ignore[arg-type]
        )  # fmt: skip


def settle(project: Project, before: journal.State, after: journal.State) -> str:
    with project.write() as conn:
        action = journal.top(conn, 1, before)
        assert action is not None
        journal.settle(conn, action, after)
    return action.title


def titles(project: Project, labeler: int = 1) -> list[str | None]:
    tops = (journal.top(project.conn, labeler, state) for state in ("done", "undone"))
    return [action.title if action else None for action in tops]


def test_what_is_undone_last_is_redone_first(project: Project) -> None:
    for title in ("a", "b", "c"):
        add(project, title)
    assert titles(project) == ["c", None]
    assert [settle(project, "done", "undone") for _ in range(2)] == ["c", "b"]
    assert titles(project) == ["a", "b"]
    assert settle(project, "undone", "done") == "b"
    assert titles(project) == ["b", "c"]


def test_a_new_action_drops_what_was_undone_by_the_same_labeler(project: Project) -> None:
    add(project, "a")
    settle(project, "done", "undone")
    add(project, "other", labeler=2)
    assert titles(project) == [None, "a"]
    add(project, "b")
    assert titles(project) == ["b", None]
    assert titles(project, 2) == ["other", None]


def test_the_body_comes_back(project: Project) -> None:
    add(project, "a", labels=((None, 3), (3, 4)), marks=((1, 2),), number=7)
    action = journal.top(project.conn, 1, "done")
    assert action is not None
    assert action.body == journal.Body(labels=((None, 3), (3, 4)), marks=((1, 2),), number=7)
