"""The people of a project."""

from pathlib import Path

from reviewer.domain.run import Labeler
from reviewer.store import labelers
from reviewer.store.project import Project


def test_a_name_is_one_person(tmp_path: Path) -> None:
    with Project.create(tmp_path / "new.review") as project:
        assert labelers.every(project.conn) == ()
        with project.write() as conn:
            assert not labelers.has_lead(conn)
            keys = [labelers.ensure(conn, name) for name in ("zoe", "Ann", "zoe")]
        assert keys[0] == keys[2] != keys[1]
        assert [person.name for person in labelers.every(project.conn)] == ["Ann", "zoe"]
        found = labelers.find(project.conn, "zoe")
        assert found is not None
        assert (found.key, found.role) == (keys[0], "lead")
        assert [person.role for person in labelers.every(project.conn)] == ["labeler", "lead"]
        assert labelers.find(project.conn, "bo") is None


def test_a_person_has_the_number_of_their_first_name_everywhere(tmp_path: Path) -> None:
    numbers = []
    for name in ("one", "two"):
        with Project.create(tmp_path / f"{name}.review") as project, project.write() as conn:
            key = labelers.ensure(conn, "Ann")
            labelers.change(conn, Labeler(key=key, name="Anna", colour=None, role="lead"))
            labelers.ensure(conn, "Ann")
            numbers.append(conn.execute("SELECT name, uid FROM labelers ORDER BY id").fetchall())
    assert numbers[0] == numbers[1]
    (anna, first), (ann, second) = numbers[0]
    assert (anna, ann) == ("Anna", "Ann")
    assert first != second
