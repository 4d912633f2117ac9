"""Recent projects are told with what they hold, or why they cannot be opened."""

from pathlib import Path

import pytest

from reviewer.domain.errors import CancelledError, Silent
from reviewer.services.computer.recents import summarise
from reviewer.services.computer.settings import Recent
from tests.building import build_project


class Stopped(Silent):
    cancelled = True


def test_each_is_summarised_in_its_place(tmp_path: Path) -> None:
    two_runs = ("a", "b")
    kept = build_project(tmp_path / "kept.review", evaluations=3, runs=two_runs)
    one = build_project(tmp_path / "one.review", evaluations=1)
    odd = tmp_path / "odd.review"
    odd.write_text("hello")
    recents = [Recent(x, "2026-11-20T10:00:00Z") for x in (kept, tmp_path / "gone", one, odd)]
    found = summarise(recents, Silent())
    assert [x.path for x in found] == [x.path for x in recents]
    assert found[0].summary == "3 responses · 0 labelled · 2 runs"
    assert found[1].problem == "The file is gone."
    assert found[2].summary == "1 response · 0 labelled"
    assert found[3].problem is not None
    assert "odd.review" in found[3].problem


def test_it_stops_when_nobody_looks_any_more(tmp_path: Path) -> None:
    with pytest.raises(CancelledError):
        summarise([Recent(tmp_path / "a.review", "")], Stopped())
