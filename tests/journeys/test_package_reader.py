"""The reader that the README shows, installed as a package, finds its files by itself."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from reviewer.domain.errors import Silent
from reviewer.services.transfer import importing, package_readers
from tests.journeys.shell import Shell

README = (Path(__file__).resolve().parents[2] / "README.md").read_text("utf-8")
LOG = "SHOP 1\n1|Open?|Until six.|4\n2|Paper?\n3|Pens?|Aisle two.|2\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build and install the package of the README into a folder of its own."""
    told = README.partition("**A reader of one's own**")[2]
    metadata, code = (x[1] for x in list(re.finditer(r"```\w+\n(.*?)```", told, re.S))[:2])
    assert len(code.splitlines()) <= 30
    source = tmp_path_factory.mktemp("source")
    (source / "pyproject.toml").write_text(metadata, "utf-8")
    (source / "shop_reader.py").write_text(code, "utf-8")
    place = tmp_path_factory.mktemp("site")
    words = ("install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation",
             "--target", f"{place}", f"{source}")  # fmt: skip
    subprocess.run([sys.executable, "-m", "pip", *words], check=True)
    return place


@pytest.fixture
def shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, site: Path
) -> Shell:
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(sys.modules, "shop_reader", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "monday.log").write_text(LOG)
    return Shell(tmp_path, capsys)


def test_its_files_are_found_without_a_format(shell: Shell) -> None:
    done = shell.document("import", "p.review", "monday.log")
    assert (done["added"], done["rejected"], done["scores"]) == (2, 1, 2)
    row = json.loads(Path("p.rejected.jsonl").read_text().splitlines()[0])
    assert (row["line"], row["reason"]) == (3, "2 parts; four are expected")
    shell.run("formats")
    assert "shop" in shell.out


@pytest.mark.usefixtures("shell")
def test_the_window_shows_its_title_and_how_far_it_is(tmp_path: Path) -> None:
    file = tmp_path / "monday.log"
    [plan] = importing.inspect([file]).files
    assert plan.title == "Chat logs of the shop"
    assert plan.reason == "a log of the shop (by the package shop-reader 1.0)"
    reader, _ = package_readers.recognising(file, Silent())
    assert reader is not None
    told, records = reader.records(file, Silent())
    places = [told.position() for _ in records]
    assert places == sorted(places)
    assert places[-1] == told.size


@pytest.mark.usefixtures("shell")
def test_files_that_our_formats_know_are_not_asked_about(tmp_path: Path) -> None:
    (tmp_path / "own.jsonl").write_text('{"id": "1", "response": "SHOP 1"}\n')
    [plan] = importing.inspect([tmp_path / "own.jsonl"]).files
    assert plan.format == "native"


@pytest.mark.usefixtures("shell")
def test_a_reader_that_cannot_look_keeps_no_table_from_being_read(
    tmp_path: Path, site: Path
) -> None:
    code = (site / "shop_reader.py").read_text()
    (site / "shop_reader.py").write_text(code.replace("with path", "raise OSError('no')", 1))
    (tmp_path / "table.csv").write_text("id,input,response,score\n1,?,!,3\n2,?,!,4\n")
    try:
        plan = importing.inspect([tmp_path / "table.csv"])
    finally:
        (site / "shop_reader.py").write_text(code)
    assert plan.files[0].format == "table"
    assert any("could not" in x or "cannot be loaded" in x for x in plan.sentences)
