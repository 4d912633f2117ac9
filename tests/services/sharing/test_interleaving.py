"""Whatever people do in which order, on line or off: in the end all files say the same."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.services.adjudicating import decisions
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.queues import profiles
from reviewer.store import labels, reading
from tests.building import redone, undone
from tests.services.parcels.sending import METRICS
from tests.services.sharing.sharing_projects import Team

FILES = ("Lead", "Second", "Ann", "laptop")
PLACES = {"Lead": (0, 1, 5), "Second": (0, 1, 5), "Ann": (0, 1), "laptop": (0, 1)}
OFF = {"Lead": 0, "Second": -7_200, "Ann": 0, "laptop": 3_600}
"""By how many seconds their clocks are wrong."""
STEPS = 50


def clock(seconds: int) -> Callable[[], str]:
    def now() -> str:
        there = datetime.now(UTC) + timedelta(seconds=seconds)
        return there.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    return now


def one_act(session: Session, name: str, chance: random.Random) -> None:
    place = f"c-{chance.choice(PLACES[name])}"
    key = reading.find(session.project.conn, place)
    assert key is not None
    metric, value = chance.choice(METRICS), chance.randint(1, 5)
    match chance.choice(
        ("label", "label", "label", "undo", "undo", "redo", "withdraw", "decide", "name")
    ):
        case "label":
            entering.commit(session, key, metric, value)
        case "undo":
            undone(session)
        case "redo":
            redone(session)
        case "withdraw":
            entering.withdraw(session, key, metric)
        case "decide" if session.labeler.role == "lead":
            decisions.decide(session, key, metric, value)
        case "name" if session.labeler.role == "lead":
            called = next(x.name for x in session.labelers() if x.name.startswith("Ben"))
            profiles.change(session, called, new_name=f"Ben {chance.randint(2, 99)}")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_all_files_come_to_the_same(
    team: Team, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)  # noqa: S311 - what is drawn is no secret
    team.invite("Second", "lead")
    team.join("Second")
    team.join("Ann")
    team.join("Ann", "laptop")
    for _ in range(STEPS):
        name = chance.choice(FILES)
        monkeypatch.setattr(labels, "now_text", clock(OFF[name]))
        if chance.random() < 0.3:
            team.sync(name)
            continue
        with team.session(name) as session:
            # what stands may leave nothing to take back
            try:
                one_act(session, name, chance)
            except ReviewerError:
                continue
    team.sync(*FILES, *FILES)
    assert team.entries("Lead") == team.entries("Second") == team.on_hub()
    assert team.entries("Ann") == team.entries("laptop")

    def nameless(name: str) -> list[tuple[Any, ...]]:
        return [(*x[:3], x[3][:3], *x[4:]) for x in team.current(name, "c.blind, c.at_us")]

    assert nameless("Lead") == nameless("Second")
    assert nameless("Ann") == nameless("laptop")
    mine = [x for x in nameless("Lead") if x[3] == "Ann" and x[1] in ("c-0", "c-1", "c-2", "c-3")]
    assert mine == [x for x in nameless("Ann") if x[3] == "Ann"]
