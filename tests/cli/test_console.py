import io
import os
import signal

import pytest

from reviewer.cli.console import Bar, Lines, Reporter, clean, progress_line, reporting


class _Shown:
    def __init__(self) -> None:
        self.states: list[tuple[int, int | None, str]] = []

    def show(self, done: int, total: int | None, note: str) -> None:
        self.states.append((done, total, note))

    def close(self) -> None:
        self.states.append((-1, None, "closed"))


def test_text_from_files_cannot_steer_a_terminal() -> None:
    assert clean("a\x1b[2Jb\u202ec\nd") == "a·[2Jb·c d"
    assert clean("x" * 10, 4) == "xxx…"


def test_a_line_of_progress_tells_share_and_time_left() -> None:
    assert progress_line("Importing", 25, 100, note="5 records", seconds=10) == (
        "Importing: 25 %, 5 records, about 30 s left"
    )
    assert progress_line("Importing", 1200, None, note="", seconds=1) == "Importing: 1,200"
    assert progress_line("Importing", 100, 100, note="", seconds=1) == "Importing: 100 %"


def test_lines_come_every_few_seconds_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = iter([0.0, 1.0, 3.5, 4.0, 7.0])
    monkeypatch.setattr("time.monotonic", lambda: next(now))
    lines = Lines("Exporting")
    for done in (1, 2, 3, 4):
        lines.show(done, 4, "")
    lines.close()
    assert capsys.readouterr().err.splitlines() == [
        "Exporting: 50 %, about 4 s left",
        "Exporting: 100 %",
    ]


def test_a_bar_is_drawn_on_a_terminal_and_leaves_nothing_behind() -> None:
    terminal = io.StringIO()
    bar = Bar("Importing", terminal)
    bar.show(50, 100, "half\x1b[0m of it")
    bar.close()
    shown = terminal.getvalue()
    assert "Importing" in shown
    assert "50%" in shown
    assert "half·[0m of it" in shown
    assert shown.endswith("\x1b[2K")


def test_ctrl_c_asks_to_stop_and_the_second_one_stops(capsys: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGINT)
    with reporting("Importing") as progress:
        assert not progress.cancelled
        os.kill(os.getpid(), signal.SIGINT)
        assert progress.cancelled
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) == before
    assert capsys.readouterr().out == ""


def test_after_ctrl_c_the_display_says_so() -> None:
    shown = _Shown()
    reporter = Reporter(shown)
    reporter.advance(1, 2, "records")
    reporter.stop(signal.SIGTERM)
    reporter.advance(2, 2, "records")
    assert shown.states == [(1, 2, "records"), (2, 2, "stopping…")]
