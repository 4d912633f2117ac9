"""Whatever people do in which order, on line or off: in the end all files say the same."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reviewer.domain.errors import ReviewerError, Silent
from reviewer.services.adjudicating import decisions
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.queues import bulk_acts, profiles, working
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import labels, reading
from tests.building import redone, undone
from tests.journeys.shell import lines
from tests.services.parcels.sending import METRICS, records
from tests.services.sharing.sharing_projects import Team

FILES = ("Lead", "Second", "Ann", "laptop")
PLACES = {"Lead": (0, 1, 5), "Second": (0, 1, 5), "Ann": (0, 1), "laptop": (0, 1)}
OFF = {"Lead": 0, "Second": -7_200, "Ann": 0, "laptop": 3_600}
"""By how many seconds their clocks are wrong."""
STEPS = 50
EXCLUDED = (
    "SELECT e.ext_id, x.reason, p.name FROM exclusions x "
    "JOIN evaluations e ON e.id = x.evaluation LEFT JOIN labelers p ON p.id = x.labeler ORDER BY 1"
)
TAGS = "SELECT e.ext_id, t.tag FROM tags t JOIN evaluations e ON e.id = t.evaluation ORDER BY 1, 2"
QUEUES = "SELECT name, state FROM queues ORDER BY 1"
RESPONSES = "SELECT ext_id, response FROM evaluations ORDER BY 1"


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
    act = chance.choice(
        ("label", "label", "label", "undo", "undo", "redo", "withdraw", "lead", "lead", "lead")
    )
    match act:
        case "label":
            entering.commit(session, key, metric, value)
        case "undo":
            undone(session)
        case "redo":
            redone(session)
        case "withdraw":
            entering.withdraw(session, key, metric)
        case "lead" if session.labeler.role == "lead":
            act_of_lead(session, key, metric, chance)


def act_of_lead(session: Session, key: int, metric: str, chance: random.Random) -> None:
    value = chance.randint(1, 5)
    match chance.choice(("decide", "name", "exclude", "include", "tag", "untag", "queue", "text")):
        case "decide":
            decisions.decide(session, key, metric, value)
        case "name":
            called = next(x.name for x in session.labelers() if x.name.startswith("Ben"))
            profiles.change(session, called, new_name=f"Ben {chance.randint(2, 99)}")
        case "exclude":
            bulk_acts.exclude(session, [key], f"because {value}")
        case "include":
            bulk_acts.include(session, [key])
        case "tag":
            bulk_acts.tag(session, [key], chance.choice(("odd", "pool")))
        case "untag":
            bulk_acts.untag(session, [key], chance.choice(("odd", "pool")))
        case "queue":
            for given in working.every(session)[:1]:
                working.rename(session, given.queue, f"Queue {chance.randint(2, 99)}")
        case "text":
            replace_text(session, int(session.place(key)[1][2:]), f"Answer {value}.")


def replace_text(session: Session, place: int, text: str) -> None:
    file = session.project.path.with_name("other.jsonl")
    gone = ("labels", "scores", "marks", "feedback", "meta", "judge_said")
    fields = {x: y for x, y in records()[place].items() if x not in gone}
    file.write_text(lines(fields | {"response": text}))
    importing.run(
        session.project.path, ImportRequest(files=(file,), on_conflict="version"), Silent()
    )


def test_the_same_answer_given_again_at_the_same_time_is_another_one(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that is behind gives no time of its own: answers bear that of the last one."""
    team.join("Ann")
    team.join("Ann", "laptop")
    monkeypatch.setattr(labels, "now_text", clock(3_600))
    team.label("laptop", "c-0", 4, "safety")
    team.sync("laptop", "Ann", "Lead")
    monkeypatch.setattr(labels, "now_text", clock(0))
    for value in (5, 4):
        team.label("Ann", "c-0", value, "safety")
        team.sync("Ann", "laptop", "Lead")
    assert team.entries("Lead") == team.on_hub()
    assert team.entries("Ann") == team.entries("laptop")
    assert len(team.entries("Ann")) == 3
    mine = [x[5:7] for x in team.current("Ann") if x[3] == "Ann"]
    assert mine == [("label", 4)]
    assert mine == [x[5:7] for x in team.current("Lead") if x[3] == "Ann"]
    assert mine == [x[5:7] for x in team.current("laptop") if x[3] == "Ann"]


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
    team.sync(*FILES, *FILES, *FILES)
    assert team.entries("Lead") == team.entries("Second") == team.on_hub()
    assert team.entries("Ann") == team.entries("laptop")

    def nameless(name: str) -> list[tuple[Any, ...]]:
        return [(*x[:3], x[3][:3], *x[4:]) for x in team.current(name, "c.blind, c.at_us")]

    assert nameless("Lead") == nameless("Second")
    assert nameless("Ann") == nameless("laptop")
    mine = [x for x in nameless("Lead") if x[3] == "Ann" and x[1] in ("c-0", "c-1", "c-2", "c-3")]
    assert mine == [x for x in nameless("Ann") if x[3] == "Ann"]
    for query in (EXCLUDED, TAGS, RESPONSES):
        assert team.asked("Lead", query) == team.asked("Second", query)
    # undo takes a queue that was made out of one file alone
    assert set(team.asked("Lead", QUEUES)) <= set(team.asked("Second", QUEUES))
    some = f"{RESPONSES} LIMIT 4"
    assert team.asked("Lead", some) == team.asked("Ann", some) == team.asked("laptop", some)
    assert [x[0] for x in team.asked("Lead", EXCLUDED) if x[0] < "c-4"] == [
        x[0] for x in team.asked("Ann", EXCLUDED)
    ]
    for name in FILES:
        again = team.sync(name)
        assert (again.sent, again.pulled.facts, again.pulled.texts, again.told) == (0, 0, 0, [])
