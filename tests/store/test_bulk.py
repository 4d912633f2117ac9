"""Actions in steps: journalled before they are applied, and finished by whoever comes next."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.store import bulk, exclusions, journal, labelers, tags
from reviewer.store.journal import Body, Bulk, Excluding, Tagging
from reviewer.store.project import Project
from tests.building import build_project

KEYS = st.sets(st.integers(1, 400)).map(lambda x: tuple(sorted(x)))
PARTS = st.one_of(
    st.builds(Tagging, tag=st.text(min_size=1), keys=KEYS, present=st.booleans()),
    st.builds(
        Excluding, reason=st.text(min_size=1), labeler=st.none() | st.integers(1, 9),
        at=st.none() | st.just("2026-11-01"), keys=KEYS, present=st.booleans(),
        extra=st.none() | st.just('{"x":1}'),
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_project(tmp_path_factory.mktemp("bulk") / "many.review", evaluations=30)


@given(st.lists(PARTS, max_size=3))
def test_the_journal_gives_back_what_it_was_told(path: Path, parts: list[Bulk]) -> None:
    with Project.open(path) as project, project.write() as conn:
        me = labelers.ensure(conn, "ann")
        body = Body(bulk=tuple(parts))
        journal.add(conn, labeler=me, seq=1, kind="tag", title="so", body=body)
        found = journal.top(conn, me, "done")
        assert found is not None
        assert found.body == body
        assert found.title == "so"


def test_taking_back_is_the_mirror_of_doing() -> None:
    part = Tagging("odd", (1, 2))
    assert journal.inverse(part) == Tagging("odd", (1, 2), present=False, back=True)
    assert journal.inverse(journal.inverse(part)) == part


def test_two_windows_may_go_on_with_one_action(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "STEP", 4)
    with Project.open(path) as first, Project.open(path) as second:
        with first.write() as conn:
            me = labelers.ensure(conn, "ann")
        body = Body(bulk=(Tagging("both", tuple(range(1, 21))),))
        action = bulk.do(first, labeler=me, kind="tag", title="Tag", body=body)
        with first.write() as conn:
            journal.settle(conn, action, "doing")
        assert bulk.resume(second.conn, second.write) == 1
        assert bulk.resume(first.conn, first.write) == 0
        assert tags.having(first.conn, "both", range(1, 31)) == list(range(1, 21))
        with second.write() as conn:
            bulk.apply(conn, action, "undone")
        bulk.go_on(first.write, action, "done")
        assert tags.having(first.conn, "both", range(1, 31)) == []


def test_what_is_gone_is_left_out(path: Path) -> None:
    with Project.open(path) as project, project.write() as conn:
        tags.apply(conn, Tagging("x", (1, 999)), (1, 999))
        exclusions.apply(conn, Excluding("why", None, None, (1, 999)), (1, 999), 1)
        assert tags.having(conn, "x", (1, 999)) == [1]
        assert set(exclusions.of(conn, (1, 999))) == {1}


@pytest.mark.parametrize(
    ("came", "since", "now"),
    [
        (["a", "b"], {}, ["a", "b"]),
        (["b", "a", "a"], {"c": True}, ["b", "a", "a", "c"]),
        (["b", "a"], {"b": False, "z": True, "c": True}, ["a", "c", "z"]),
        ([], {"gone": False}, []),
        (["a"], {"a": True}, ["a"]),
    ],
)
def test_tags_keep_the_records_order(
    came: list[str], since: dict[str, bool], now: list[str]
) -> None:
    assert tags.changed(came, since) == now
