"""A format costs its module and its name in the registry: everything else follows."""

import importlib
from pathlib import Path

import pytest

from reviewer.formats import registry
from reviewer.formats.native import FORMAT as NATIVE
from reviewer.formats.sniffing import sniff
from tests.journeys.shell import Shell

LOG = '''
"""Read the chat log of a shop: who asked, what was answered."""

import json

from reviewer.formats.format import Format
from reviewer.formats.record import checked


def _recognise(look):
    ours = all("asked" in row and "said" in row for row in look.rows)
    return "a chat log of the shop" if ours and look.rows else None


def _read(source, sniffed, mapping):
    for number, line in enumerate(iter(source.readline, b""), start=1):
        row = json.loads(line)
        fields = {"id": row["no"], "input": row["asked"], "response": row["said"]}
        yield checked(fields, number)


FORMAT = Format(
    name="shop",
    title="Chat logs of the shop",
    suffixes=(".log",),
    recognised_by="lines with asked and said",
    shapes=frozenset({"lines"}),
    recognise=_recognise,
    read=_read,
)
'''


@pytest.fixture
def chats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Add the format of a package that lies elsewhere, and write a file of it."""
    (tmp_path / "shop_log.py").write_text(LOG, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    added = importlib.import_module("shop_log").FORMAT
    monkeypatch.setattr(registry, "FORMATS", (added, *registry.FORMATS))
    file = tmp_path / "monday.log"
    file.write_text(
        '{"no": 1, "asked": "Open?", "said": "Until six."}\n'
        '{"no": 2, "asked": "Paper?", "said": [5]}\n',
        encoding="utf-8",
    )
    return file


def test_a_format_of_its_own_is_listed_recognised_and_imported(
    chats: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shell = Shell(tmp_path, capsys)
    found = sniff(chats)
    assert (found.format, found.reason) == ("shop", "a chat log of the shop")
    listed = shell.document("formats")["formats"]
    assert listed[0]["title"] == "Chat logs of the shop"
    imported = shell.document(
        "import", tmp_path / "shop.review", chats, "--rubric", "guest-response"
    )
    assert (imported["added"], imported["rejected_values"]) == (2, 1)
    exported = tmp_path / "out.jsonl"
    shell.document("export", tmp_path / "shop.review", exported)
    assert '"Until six."' in exported.read_text("utf-8")


def test_what_a_format_cannot_look_like_is_said(chats: Path, tmp_path: Path) -> None:
    listed = tmp_path / "list.json"
    listed.write_text(f"[{','.join(chats.read_text('utf-8').splitlines())}]", encoding="utf-8")
    assert sniff(listed).format == "json"


def test_the_first_format_that_recognises_a_file_has_it(tmp_path: Path) -> None:
    own = tmp_path / "own.jsonl"
    own.write_text('{"id": "a", "input": "Open?", "response": "Until six."}\n', encoding="utf-8")
    assert sniff(own).format == NATIVE.name
    # our own first, then what other tools write, and what only a mapping can tell at last
    assert registry.names()[:2] == ("native", "csv")
    assert registry.names()[-2:] == ("table", "json")
    assert registry.find("word") is None
