"""Rows brought out of damaged files: whichever page is gone, all others give what they hold."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.errors import ProjectError
from reviewer.store import schema
from reviewer.store.salvage import is_foreign, salvage
from reviewer.store.trees import EVERYTHING, Gap, shapes
from tests.building import build_project, record
from tests.dumping import dump

PAGE = 4096
EVALUATIONS = 60
DERIVED = ("", "current_labels")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose largest tables have several levels of pages."""
    scores = [
        {
            "metric": metric,
            "value": 2,
            "scorer": "judge",
            "reasoning": f"{metric}, therefore " * 12,
        }
        for metric in ("relevance", "accuracy", "safety")
    ]
    labels = [
        {"metric": metric, "labeler": name, "value": 3, "comment": f"{name} {metric} " * 20}
        for metric in ("relevance", "accuracy", "safety")
        for name in ("ann", "bob")
    ]
    return build_project(
        tmp_path_factory.mktemp("salvage") / "p.review",
        evaluations=[
            record(
                n,
                scores=scores,
                labels=labels,
                tags=["a"],
                messages=[{"role": "user", "content": f"{n} " * 900}],
            )
            for n in range(EVALUATIONS)
        ],
    )


def overwritten(path: Path, to: Path, pages: dict[int, bytes]) -> Path:
    content = bytearray(path.read_bytes())
    for page, new in pages.items():
        content[(page - 1) * PAGE : page * PAGE] = new
    to.write_bytes(content)
    return to


def root_of(path: Path, name: str) -> int:
    with closing(sqlite3.connect(path)) as conn:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        return int(conn.execute(query, (name,)).fetchone()[0])


def page_of(path: Path, number: int) -> bytes:
    return path.read_bytes()[(number - 1) * PAGE : number * PAGE]


def saved(path: Path) -> dict[str, list[tuple[object, ...]]]:
    fresh = path.with_name("fresh")
    fresh.unlink(missing_ok=True)
    assert salvage(path, fresh) is not None
    return {
        table: rows
        for table, rows in dump(fresh).items()
        if table not in DERIVED and not table.startswith("search_")
    }


def test_of_a_sound_file_every_row_comes_back(original: Path, tmp_path: Path) -> None:
    before = dump(original)
    after = saved(overwritten(original, tmp_path / "p.review", {}))
    assert {x: y for x, y in before.items() if x in after} == after


NOISE = random.Random(3).randbytes(PAGE)  # noqa: S311 - the same noise every time


@pytest.mark.parametrize("new", [bytes(PAGE), NOISE], ids=["zeros", "noise"])
@pytest.mark.parametrize("first", range(3))
def test_whichever_page_is_gone_the_others_give_their_rows(
    original: Path, tmp_path: Path, first: int, new: bytes
) -> None:
    before = dump(original)
    for page in range(1 + first, original.stat().st_size // PAGE + 1, 9):
        after = saved(overwritten(original, tmp_path / "p.review", {page: new}))
        for table, rows in after.items():
            known = set(before[table])
            assert [x for x in rows if x not in known] == [], (page, table)
        # one page holds some 20 of them
        assert len(after["labels"]) >= len(before["labels"]) - 25, page
        gone = sum(len(before[x]) - len(y) for x, y in after.items())
        assert gone <= 100, page


@pytest.mark.parametrize("table", ["labels", "evaluations", "scores", "turns"])
@pytest.mark.parametrize("other", ["metrics", "labels", "scores", "labels_by_seq", "packages"])
def test_a_root_that_is_a_copy_of_another_misleads_nobody(
    original: Path, tmp_path: Path, table: str, other: str
) -> None:
    copy = page_of(original, root_of(original, other))
    path = overwritten(original, tmp_path / "p.review", {root_of(original, table): copy})
    before, after = dump(original), saved(path)
    for name, rows in after.items():
        assert set(rows) <= set(before[name]), name
    assert len(after["labels"]) == len(before["labels"])
    if table in ("scores", "turns"):
        # inner pages of tables without numbers hold rows of their own
        assert len(after[table]) >= len(before[table]) - 15
    else:
        assert len(after[table]) == len(before[table])


def test_the_list_of_tables_may_be_gone(original: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(original)) as conn:
        pages = [
            x for (x,) in conn.execute("SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'")
        ]
    path = overwritten(original, tmp_path / "p.review", dict.fromkeys((1, *pages), NOISE))
    before, after = dump(original), saved(path)
    assert {x: len(y) for x, y in after.items()} == {x: len(before[x]) for x in after}


@pytest.mark.parametrize("root", [b"", bytes(PAGE)])
def test_texts_with_an_end_that_stands_twice_are_told_also_where_nothing_leads_to_them(
    root: bytes, tmp_path: Path
) -> None:
    labels = [{"metric": "accuracy", "labeler": "ann", "value": 3}]
    sound = build_project(
        tmp_path / "sound.review",
        evaluations=[
            record(n, labels=[labels[0] | {"comment": f"{n} because " * 900}])
            for n in range(10, 30)
        ],
    )
    ends = {
        n: number
        for number in range(1, sound.stat().st_size // PAGE + 1)
        for n in (12, 24)
        if page_of(sound, number).startswith(bytes(4))
        and b"%d because" % n in page_of(sound, number)
    }
    blows = {ends[24]: page_of(sound, ends[12])} | (
        {root_of(sound, "labels"): root} if root else {}
    )
    path = overwritten(sound, tmp_path / "p.review", blows)
    found = salvage(path, tmp_path / "fresh")
    assert found is not None
    with closing(sqlite3.connect(sound)) as conn:
        keys = conn.execute(
            "SELECT id FROM labels WHERE comment LIKE '12 %' OR comment LIKE '24 %'"
        )
        assert sorted(found.mixed["labels"]) == sorted(keys)


def test_free_pages_give_nothing(original: Path, tmp_path: Path) -> None:
    path = overwritten(original, tmp_path / "p.review", {})
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("PRAGMA secure_delete = OFF")
        conn.execute("DELETE FROM labels WHERE id > 20")
        conn.commit()
    after = saved(path)
    assert len(after["labels"]) == 20
    path = overwritten(path, path, {root_of(path, "tags"): bytes(PAGE)})
    assert len(saved(path)["labels"]) == 20


def test_an_own_file_is_told_from_a_foreign_one(original: Path, tmp_path: Path) -> None:
    headless = overwritten(original, tmp_path / "headless", {1: NOISE})
    other = tmp_path / "other"
    with closing(sqlite3.connect(other)) as conn:
        conn.execute("CREATE TABLE t(a)")
    text = tmp_path / "text"
    text.write_bytes(b"anything else" * 2_000)
    assert [is_foreign(x) for x in (original, headless, other, text)] == [False, False, True, True]
    assert salvage(other, tmp_path / "fresh") is None


def test_a_newer_file_is_left_alone(original: Path, tmp_path: Path) -> None:
    path = overwritten(original, tmp_path / "p.review", {})
    with closing(sqlite3.connect(path)) as conn:
        conn.execute(f"PRAGMA user_version = {schema.FORMAT + 1}")
    with pytest.raises(ProjectError, match="newer version"):
        salvage(path, tmp_path / "fresh")


def test_every_table_and_index_has_a_shape() -> None:
    with closing(sqlite3.connect(":memory:")) as conn:
        schema.make(conn)
        found = shapes(conn)
        query = "SELECT name FROM sqlite_master WHERE type <> 'view' AND name NOT LIKE 'search%'"
        assert {name for (name,) in conn.execute(query)} == found.keys()
    assert found["scores"].columns[:5] == ("evaluation", "metric", "score_set", "turn", "ordinal")
    assert (found["scores"].keys, found["labels"].keys) == (5, 0)


@pytest.mark.parametrize(
    ("gap", "inside"),
    [
        (EVERYTHING, [1, 5, 9]),
        (Gap((1,), (5,)), [5]),
        (Gap(None, (5,)), [1, 5]),
        (Gap((5,), None), [9]),
    ],
)
def test_a_gap_holds_what_lies_behind_its_first_key_up_to_its_last(
    gap: Gap, inside: list[int]
) -> None:
    assert [x for x in (1, 5, 9) if gap.holds((x,))] == inside
