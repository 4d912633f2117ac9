"""Whoever stops an import waits for no file to be read to its end, in whatever format it is."""

from pathlib import Path

import pytest
from typing_extensions import override

from reviewer.domain.errors import CancelledError, Silent
from reviewer.services.transfer import importing, reading_beside
from reviewer.services.transfer.importing import ImportRequest
from reviewer.services.transfer.rubric_proposals import LOOKING
from tests.bench.bench_readers import write_file
from tests.bench.reader_files import KINDS

READ = Path("/proc/self/io")
LOOKED_THROUGH = ("inspect", "inspect-one-line", "promptfoo", "promptfoo-one-line", "lm-eval",
                  "langfuse", "tau-bench")  # fmt: skip
"""Formats that tell metrics and their scales by more than the rows themselves, and large ones."""
PIECE = 4 << 20
"""The most bytes that any of them reads at once."""


class _Asked(Silent):
    """Notes how much the process had read each time it was asked; stops before rows are stored."""

    def __init__(self) -> None:
        self.at = [_read()]
        self._stops = False

    @property
    def cancelled(self) -> bool:  # type: ignore[override]
        self.at.append(_read())
        return self._stops

    @override
    def advance(self, done: int, total: int | None, note: str = "") -> None:
        self._stops = note != LOOKING


def _read() -> int:
    return int(READ.read_text().split()[1])


@pytest.mark.skipif(not READ.exists(), reason="this system does not tell what a process reads")
@pytest.mark.parametrize("kind", LOOKED_THROUGH)
def test_the_wish_to_stop_is_heard_with_every_piece_of_a_file_that_is_looked_through(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # what an ended process read counts as read by the one that waited for its end
    monkeypatch.setattr(reading_beside, "LARGE", 1 << 40)
    told = KINDS[kind]
    for name, megabytes in (("few", 0), ("many", 12)):
        file = tmp_path / f"{name}.{told.suffix}"
        write_file(file, kind, 40, megabytes)
        asked = _Asked()
        with pytest.raises(CancelledError, match="nothing of the file was stored"):
            importing.run(
                tmp_path / "new.review", ImportRequest((file,), answers=told.answers), asked
            )
    # the first file had everything loaded that a format takes
    gaps = [after - before for before, after in zip(asked.at, asked.at[1:], strict=False)]
    assert file.stat().st_size > 2 * PIECE > max(gaps)
