"""What a record names is taken only if it is a picture or document of the import's folder."""

import json
import os
import socket
import zipfile
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.main import main
from reviewer.domain.errors import Silent
from reviewer.formats.incoming import Refused
from reviewer.services.project import pictures
from reviewer.services.project.pictures import Attachments
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest

PNG = b"\x89PNG\r\n\x1a\n a pool"
KINDS = {
    "a.png": PNG,
    "a.jpg": b"\xff\xd8\xff\xe0 a pool",
    "a.gif": b"GIF89a a pool",
    "a.bmp": b"BM\x36\x00\x00\x00\x00\x00\x00\x00\x36\x00",
    "a.tif": b"II*\x00 a pool",
    "a.webp": b"RIFF\x10\x00\x00\x00WEBPVP8 ",
    "a.avif": b"\x00\x00\x00\x1cftypavif",
    "a.svg": b'<?xml version="1.0"?>\n<!-- made by hand -->\n<svg xmlns="x"></svg>',
    "a.pdf": b"%PDF-1.7 a price list",
    "a.rtf": b"{\\rtf1 a letter}",
    "a.doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 a letter",
}


def named(*paths: str) -> dict[str, Any]:
    parts = [{"type": "file", "path": path} for path in paths]
    return {"id": "a", "messages": [{"role": "user", "content": parts}]}


def taken(folder: Path, *paths: str) -> tuple[dict[str, bytes], dict[str, str]]:
    """What is taken of the named files, and why the others are not."""
    refused: list[Refused] = []
    found = Attachments(folder).collect(named(*paths), refused)
    return dict(found), {str(x.value): x.reason for x in refused}


def test_pictures_and_documents_are_known_by_their_first_bytes(tmp_path: Path) -> None:
    for name, content in KINDS.items():
        (tmp_path / name).write_bytes(content)
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as made:
        made.writestr("[Content_Types].xml", "<Types/>")
    with zipfile.ZipFile(tmp_path / "a.odt", "w") as made:
        made.writestr("mimetype", "application/vnd.oasis.opendocument.text")
    every = (*KINDS, "a.docx", "a.odt")
    found, refused = taken(tmp_path, *every)
    assert refused == {}
    assert found == {name: (tmp_path / name).read_bytes() for name in every}


@pytest.mark.parametrize(
    "content",
    [
        b"-----BEGIN OPENSSH PRIVATE KEY-----",
        b"API_KEY=sk-1234567890",
        b"BMW and GIF and <svg",
        b"\x7fELF\x02\x01\x01",
        b"SQLite format 3\x00",
        b"",
    ],
)
def test_whatever_else_it_is_called_is_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "pool.png").write_bytes(content)
    found, refused = taken(tmp_path, "pool.png")
    assert found == {}
    assert "neither a picture nor a document" in refused["pool.png"]


def test_an_archive_is_no_document(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as made:
        made.writestr("passwords.txt", "secret")
    assert taken(tmp_path, "a.docx")[0] == {}


def test_nothing_hidden_and_nothing_through_a_link_to_it(tmp_path: Path) -> None:
    root, outside = tmp_path / "in", tmp_path / "outside.png"
    for folder in (root / ".ssh", root / "img"):
        folder.mkdir(parents=True)
    for file in (outside, root / ".env", root / ".ssh" / "a.png", root / "img" / "a.png"):
        file.write_bytes(PNG)
    (root / "link.png").symlink_to(".ssh/a.png")
    (root / "away.png").symlink_to(outside)
    (root / "up").symlink_to(tmp_path)
    (root / "same.png").symlink_to("img/a.png")
    found, refused = taken(
        root, ".env", ".ssh/a.png", "img/../.env", "link.png", "away.png", "up/outside.png",
        "same.png", "./img/a.png",
    )  # fmt: skip
    assert sorted(found) == ["./img/a.png", "same.png"]
    hidden = {path for path, reason in refused.items() if "hidden" in reason}
    assert hidden == {".env", ".ssh/a.png", "img/../.env", "link.png"}
    assert {path for path, reason in refused.items() if "outside" in reason} == {
        "away.png", "up/outside.png",
    }  # fmt: skip


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_nobody_waits_for_a_pipe_or_a_device(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(tmp_path)
        listening.bind("socket.png")
        os.chdir(here)
        (tmp_path / "folder.png").mkdir()
        found, refused = taken(tmp_path, "pipe.png", "socket.png", "folder.png")
    assert found == {}
    assert set(refused) == {"pipe.png", "socket.png", "folder.png"}
    assert all("a pipe or a device" in reason for reason in refused.values())


def test_sizes_are_bounded_one_by_one_and_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MOST_BYTES", 3 << 20)
    monkeypatch.setattr(pictures, "MOST_TOGETHER", 5 << 20)
    for name, size in (("a", 2), ("b", 2), ("c", 2), ("d", 4)):
        (tmp_path / f"{name}.png").write_bytes(PNG + bytes((size << 20) - len(PNG)))
    found, refused = taken(tmp_path, "a.png", "b.png", "c.png", "d.png", "a.png")
    assert list(found) == ["a.png", "b.png"]
    assert "one import have more than 5 MB" in refused["c.png"]
    assert "it has 4 MB" in refused["d.png"]


def test_what_is_taken_is_counted_before_and_after(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.png").write_bytes(PNG + bytes(2_340_000))
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.7" + bytes(60_000))
    (tmp_path / ".env").write_bytes(b"SECRET")
    rows = [{"id": f"r-{n}", "input": "?", "response": "!"} for n in range(120)]
    rows += [named("a.png", "b.pdf", ".env"), named("b.pdf") | {"id": "b"}]
    file = tmp_path / "r.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = "r.jsonl brings along 2 pictures and documents of its folder (2.40 MB)"
    plan = importing.inspect([file])
    assert f"{said}." in plan.sentences
    project = tmp_path / "p.review"
    words = ["import", str(project), str(file), "--rubric", "guest-response"]
    assert main([*words, "--dry-run"]) == 0
    told = capsys.readouterr().err
    assert said in told
    assert not project.exists()
    report = importing.run(project, ImportRequest((file,), rubric="guest-response"), Silent())
    assert f"{said}." in report.sentences
