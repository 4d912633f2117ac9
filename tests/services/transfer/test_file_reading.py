"""What another process is asked for names what reads a format, so that it loads that alone."""

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from reviewer.formats import registry
from reviewer.formats.format import Format, Sniffed
from reviewer.services.transfer.file_reading import Asked, question


def asked(known: Format, folder: Path) -> bytes:
    return question(Asked(folder, Sniffed(known.name, min(known.shapes), ""), None))


@pytest.mark.parametrize("known", registry.FORMATS, ids=lambda known: known.name)
def test_another_process_can_be_asked_for_every_format(known: Format, tmp_path: Path) -> None:
    _, reader = pickle.loads(asked(known, tmp_path))  # noqa: S301
    assert callable(reader)


def test_it_loads_no_other_format(tmp_path: Path) -> None:
    known = next(x for x in registry.FORMATS if x.name == "langfuse")
    script = (
        "import pickle, sys; import reviewer.worker.beside; pickle.load(sys.stdin.buffer); "
        "sys.exit(' '.join(x for x in ('registry', 'tools.promptfoo', 'workbooks') "
        "if f'reviewer.formats.{x}' in sys.modules) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=asked(known, tmp_path),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
