"""Pictures and files of conversations: they travel with an export and come back with it."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ProjectError, Silent
from reviewer.services.transfer import importing
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.exporting import Exported, export
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store.project import Project

PICTURE = b"\x89PNG\r\n\x1a\n a pool"


def record(name: str, path: str = "pics/pool.png", run: str = "R") -> dict[str, Any]:
    inline = {"type": "image", "name": "tiny", "data": base64.b64encode(b"tiny").decode()}
    content = [
        {"type": "text", "text": "Is this the pool?"},
        {"type": "image", "name": "pool", "path": path},
        inline,
    ]
    return {"id": name, "run": run, "messages": [{"role": "user", "content": content}]}


def project_of(folder: Path, *records: dict[str, Any], picture: bytes = PICTURE) -> Path:
    (folder / "pics").mkdir(parents=True, exist_ok=True)
    (folder / "pics" / "pool.png").write_bytes(picture)
    file = folder / "in.jsonl"
    file.write_text("".join(json.dumps(x) + "\n" for x in records), "utf-8")
    importing.run(folder / "p.review", ImportRequest((file,), rubric="guest-response"), Silent())
    return folder / "p.review"


def exported(project: Path, to: Path, what: str = "evaluations") -> Exported:
    to.parent.mkdir(parents=True, exist_ok=True)
    with Project.open(project) as opened:
        return export(opened, to, ExportRequest(what=what), Silent())  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz", "out.csv"])
def test_pictures_travel_with_the_export_and_back(tmp_path: Path, name: str) -> None:
    project = project_of(tmp_path / "a", record("1"), record("2"))
    there = tmp_path / "b" / name
    made = exported(project, there)
    assert made.files == 1
    assert (there.parent / "pics" / "pool.png").read_bytes() == PICTURE
    report = importing.run(
        tmp_path / "b" / "q.review", ImportRequest((there,), rubric="guest-response"), Silent()
    )
    assert report.rejected_values == 0
    again = exported(tmp_path / "b" / "q.review", tmp_path / "c" / name)
    assert again.sha256 == made.sha256
    assert (tmp_path / "c" / "pics" / "pool.png").read_bytes() == PICTURE


def test_the_same_file_beside_is_left_alone_and_another_is_never_replaced(tmp_path: Path) -> None:
    project = project_of(tmp_path / "a", record("1"))
    there = tmp_path / "a" / "pics" / "pool.png"
    before = there.stat().st_mtime_ns
    exported(project, tmp_path / "a" / "out.jsonl")
    assert there.stat().st_mtime_ns == before
    there.write_bytes(b"somebody else's")
    with pytest.raises(ProjectError, match=r"another file lies there already.*another folder"):
        exported(project, tmp_path / "a" / "other.jsonl")
    assert there.read_bytes() == b"somebody else's"
    assert not (tmp_path / "a" / "other.jsonl").exists()


def test_one_name_for_two_pictures_is_said(tmp_path: Path) -> None:
    project = project_of(tmp_path / "a", record("1"))
    second = tmp_path / "b"
    (second / "pics").mkdir(parents=True)
    (second / "pics" / "pool.png").write_bytes(PICTURE + b" at night")
    file = second / "more.jsonl"
    file.write_text(json.dumps(record("2", run="S")) + "\n", "utf-8")
    importing.run(project, ImportRequest((file,)), Silent())
    with pytest.raises(ProjectError, match="mean different ones"):
        exported(project, tmp_path / "c" / "out.jsonl")
    assert list((tmp_path / "c").iterdir()) == []


def test_labels_alone_bring_no_pictures(tmp_path: Path) -> None:
    project = project_of(tmp_path / "a", record("1"))
    assert exported(project, tmp_path / "b" / "labels.jsonl", "labels").files == 0
    assert [x.name for x in (tmp_path / "b").iterdir()] == ["labels.jsonl"]
