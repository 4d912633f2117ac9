import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from reviewer.cli import main as cli
from reviewer.cli.main import main
from reviewer.cli.table import COMMANDS, EXAMPLES
from reviewer.domain.errors import CancelledError, ReviewerError
from reviewer.services.computer import logs
from reviewer.services.computer.versions import version

ROOT = Path(__file__).resolve().parents[2]


def _fail_with(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: list[str]) -> int:
        raise error

    monkeypatch.setattr(cli, "_run", fail)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_an_example(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "Example: " + " ".join(EXAMPLES[name].split()) in shown


def test_the_program_lists_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(re.search(rf"│ {name} ", shown) for name in COMMANDS)
    assert "[PROJECT] [--open ID]" in shown


def test_the_program_tells_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"Reviewer {version()}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["runs"], "Missing argument 'PROJECT'; `reviewer runs --help`"),
        (["runs", "a.review", "--colour"], "No such option: --colour; `reviewer runs --help`"),
        (["export", "a.review", "b.csv", "--what", "people"], "'people' is not one of"),
        (["import", "a.review"], "Name at least one FILE"),
        (["import", "a.review", "b.jsonl", "--undo", "3"], "--undo takes an import back"),
        (["stats", "a.review", "--level", "95"], "--level 95.0"),
        (["stats", "a.review", "--seed", "-1"], "--seed"),
        (["stats", "a.review", "--as-of", "soon"], "--as-of 'soon': a date is expected"),
        (["stats", "a.review", "--option", "x"], "--option 'x': NAME=VALUE"),
        (["runs", "no.review"], "no project file no.review"),
        (["stats", "no.review", "--json"], "no project file no.review"),
        (["export", "no.review", "x.csv"], "no project file no.review"),
        (["backup", "no.review"], "no project file no.review"),
        (["no.review"], "There is no project file no.review"),
        (["./demo"], "There is no project file demo"),
        (["no.review", "--open"], "--open"),
        (["imprt", "a.review"], "did you mean `reviewer import`?"),
        (["a.review", "b.review"], "more words than the command takes: (b.review)"),
        (["demo", "--system", "x"], "'--system': 'x' is not one of 'guest-response'"),
        (["stats", "a.review", "--level", "x"], "'--level': a number is expected"),
        (["stats", "a.review", "--seed", "x"], "'--seed': a whole number is expected"),
        (["tour", "pages", "--project", "no.review"], "no project file no.review"),
        (["tour", __file__], "test_main.py is a file; name a folder"),
    ],
)
def test_wrong_use_is_one_sentence_and_2(
    arguments: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert words in written.err
    assert len(written.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [[], ["demo"]])
def test_without_a_display_the_window_is_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    written = capsys.readouterr()
    assert "There is no display" in written.err
    assert written.out == ""


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (ReviewerError("The rubric has no metric."), 2, "The rubric has no metric.\n"),
        (CancelledError("Nothing was imported."), 130, "Nothing was imported.\n"),
        (KeyboardInterrupt(), 130, "nothing half is left"),
        (PermissionError(13, "Permission denied", "x.csv"), 2, "Permission denied (x.csv)."),
        (ZeroDivisionError("secret text"), 2, "unexpected happened (ZeroDivisionError)"),
    ],
)
def test_an_error_is_a_sentence_and_a_code(
    error: BaseException,
    code: int,
    words: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _fail_with(error, monkeypatch)
    assert main([]) == code
    shown = capsys.readouterr().err
    assert words in shown
    assert "Traceback" not in shown
    assert "secret" not in shown


def test_an_unexpected_error_is_logged_by_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    _fail_with(ZeroDivisionError("what someone wrote"), monkeypatch)
    main([])
    written = logs.log_file().read_text("utf-8")
    assert "ZeroDivisionError through" in written
    assert re.search(r"test_main\.py:\d+ fail", written)
    assert "what someone wrote" not in written


def test_developers_can_see_an_unexpected_error(monkeypatch: pytest.MonkeyPatch) -> None:
    _fail_with(ZeroDivisionError(), monkeypatch)
    monkeypatch.setenv("REVIEWER_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main([])


def _python(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        check=False,
        cwd=ROOT,
        encoding="utf-8",
        env={**os.environ, **more},
    )


def test_the_module_is_the_command() -> None:
    done = _python("-m", "reviewer", "formats", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert document["schema"] == 1
    assert [entry["name"] for entry in document["formats"]][:2] == ["native", "csv"]
    assert set(document["formats"][0]) == {
        "name", "title", "suffixes", "reads", "writes", "recognised_by",
    }  # fmt: skip


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    script = (
        "import os, sys; read, write = os.pipe(); os.close(read); os.dup2(write, 1);"
        "from reviewer.cli.main import main; sys.exit(main(['schema']))"
    )
    done = _python("-c", script)
    assert (done.returncode, done.stderr) == (0, "")


def test_only_the_window_loads_the_window_system() -> None:
    script = (
        "import sys; from reviewer.cli.main import main;"
        "code = main(['formats', '--json']);"
        "heavy = {'PySide6', 'numpy', 'sqlite_utils', 'pyqtgraph', 'keyring'} & set(sys.modules);"
        "sys.exit(code or (', '.join(heavy) if heavy else 0))"
    )
    done = _python("-c", script)
    assert (done.returncode, done.stderr) == (0, "")


def test_at_its_end_nothing_is_searched_for_garbage_any_more() -> None:
    script = (
        "import atexit, gc, sys; from reviewer.cli.main import main;"
        "sys.argv = ['reviewer', 'import', 'none.review', 'none.jsonl'];"
        "atexit.register(lambda: print(len(gc.get_objects()), gc.get_freeze_count()));"
        "sys.exit(main())"
    )
    done = _python("-c", script)
    assert (done.returncode, done.stderr) == (2, "none.jsonl does not exist.\n")
    searched, kept = map(int, done.stdout.split())
    assert searched * 100 < kept


def test_an_answer_in_any_language_is_written_as_utf_8() -> None:
    done = _python("-m", "reviewer", "schema", PYTHONIOENCODING="ascii:strict", LC_ALL="C")
    assert done.returncode == 0
    assert json.loads(done.stdout)["$defs"]


def test_the_schema_is_a_document_like_the_others_with_json() -> None:
    plain, document = (
        json.loads(_python("-m", "reviewer", "schema", *more).stdout) for more in ([], ["--json"])
    )
    assert document == {"schema": 1, **plain}
    Draft202012Validator.check_schema(document)
