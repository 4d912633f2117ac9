"""What a running job tells of itself while it goes on."""

import pytest

from reviewer.services.jobs import control
from reviewer.services.jobs.control import Teller
from reviewer.store.jobs import Counts


class Heard:
    """Keeps what is reported, and never cancels."""

    cancelled = False

    def __init__(self) -> None:
        self.lines: list[tuple[int, int | None, str]] = []

    def advance(self, done: int, total: int | None, note: str = "") -> None:
        self.lines.append((done, total, note))


def test_what_was_done_before_counts_to_what_is_told() -> None:
    heard = Heard()
    teller = Teller(heard, Counts(done=3, calls=4, cost_usd=0.5), 12)
    teller.tell(Counts(done=1, calls=1, cost_usd=0.25), at_once=True)
    teller.tell(Counts(failed=2, calls=1200, cached=5), at_once=True)
    assert heard.lines == [
        (4, 12, "5 calls · $0.7500"),
        (6, 12, "1,205 calls · 5 from the cache · 2 failed · $0.7500"),
    ]


def test_the_rest_is_told_when_asked_for_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "TELL_EVERY", 3600)
    heard = Heard()
    took: list[float] = []
    teller = Teller(heard, Counts(), 9, lambda counts: took.append(counts["failed"]))
    teller.tell(Counts(done=1), at_once=True)
    for _ in range(3):
        teller.tell(Counts(failed=1, calls=1))
    assert len(heard.lines) == 1
    teller.catch_up()
    teller.catch_up()
    assert heard.lines[1:] == [(4, 9, "3 calls · 3 failed")]
    assert took == [0, 3]


def test_without_being_asked_it_is_told_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = Heard()
    teller = Teller(heard, Counts(), 2)
    monkeypatch.setattr(control, "TELL_EVERY", 0)
    teller.tell(Counts(done=1))
    teller.tell(Counts(done=1))
    assert [done for done, _, _ in heard.lines] == [1, 2]
