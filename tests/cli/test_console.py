import io
import os
import signal

import pytest

from reviewer.cli.console import Bar, Lines, Reporter, TimeLeft, clean, reporting


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


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in seconds, to be set by the test."""
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


def test_time_left_follows_the_pace_of_the_phase(clock: list[float]) -> None:
    left = TimeLeft()
    clock[0] = 1.0
    assert left.words(25, 100, "") == ""
    clock[0] = 10.0
    assert left.words(25, 100, "") == "about 30 s left"
    assert left.words(25, 100, "1 min left") == ""
    assert left.words(25, None, "") == ""
    assert left.words(100, 100, "") == ""
    # a second phase starts from its own beginning
    assert left.words(0, 100, "") == ""
    clock[0] = 20.0
    assert left.words(50, 100, "") == "about 10 s left"


def test_lines_come_every_few_seconds_only(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = Lines("Exporting")
    for second in range(1, 8):
        clock[0] = float(second)
        lines.show(second, 8, "rows\x1b[0m")
    lines.show(1200, None, "")
    clock[0] = 60.0
    lines.show(1200, None, "")
    lines.close()
    assert capsys.readouterr().err.splitlines() == [
        "Exporting: 37 %, rows·[0m, about 5 s left",
        "Exporting: 75 %, rows·[0m, about 2 s left",
        "Exporting: 1,200",
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
