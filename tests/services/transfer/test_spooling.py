"""What can be read only once is brought into a file first."""

import os
import threading
from pathlib import Path

import pytest

from reviewer.domain.errors import FormatError
from reviewer.services.transfer import spooling


def test_a_pipe_is_read_whole_and_its_copy_goes(tmp_path: Path) -> None:
    pipe, plain = tmp_path / "pipe.jsonl", tmp_path / "plain.jsonl"
    os.mkfifo(pipe)
    plain.write_bytes(b"plain")
    writer = threading.Thread(target=pipe.write_bytes, args=(b"x" * 100_000,))
    writer.start()
    with spooling.plain([pipe, plain]) as (copy, same):
        assert copy.read_bytes() == b"x" * 100_000
        assert (copy.name, same) == ("pipe.jsonl", plain)
    writer.join()
    assert not copy.exists()


def test_a_pipe_that_holds_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spooling, "MOST_BYTES", 1000)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        # the reader goes before all is written
        try:
            pipe.write_bytes(b"x" * 100_000)
        except BrokenPipeError:
            return

    writer = threading.Thread(target=write)
    writer.start()
    with pytest.raises(FormatError, match="save it as a file"), spooling.plain([pipe]):
        pass
    writer.join()


def test_standard_input_is_named_as_it_was_typed() -> None:
    assert [spooling.typed(Path(x)) for x in ("-", "/dev/stdin", "/a.csv")] == [
        "-", "/dev/stdin", "/a.csv",
    ]  # fmt: skip
