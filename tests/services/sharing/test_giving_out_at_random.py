"""Whatever people do in which order, a queue that is given out comes to the same in all files.

A lead and two labelers, one of them on two computers: off line for a while, with clocks that are
wrong, answering, taking back, deciding, renaming, closing and opening, and taken out.
"""

import random

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.hub.address import HubError
from reviewer.services.adjudicating import decisions
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.queues import bulk_acts, profiles, working
from reviewer.services.sharing import claims, taking_part
from reviewer.store import labels, reading
from tests.building import undone
from tests.services.parcels.sending import METRICS
from tests.services.sharing.sharing_projects import Team
from tests.services.sharing.test_claims import PLACES, give_out, pass_by
from tests.services.sharing.test_interleaving import clock

FILES = ("Lead", "Ann", "laptop", "Ben")
OFF = {"Lead": 0, "Ann": -7_200, "laptop": 3_600, "Ben": 0}
"""By how many seconds their clocks are wrong."""
OWNER_OF = {"Lead": "Lead", "Ann": "Ann", "laptop": "Ann", "Ben": "Ben"}
STEPS = 60
ROUNDS = 8
TAKEN_OUT = 0.02


class Story:
    """One random story of a lead and two labelers, one of them on two computers."""

    def __init__(self, team: Team, seed: int, patch: pytest.MonkeyPatch) -> None:
        self.team, self.patch = team, patch
        self.chance = random.Random(seed)  # noqa: S311 - what is drawn is no secret
        self.lapses = seed % 2 == 0
        self.gone: set[str] = set()

    def sync(self, file: str) -> None:
        if OWNER_OF[file] not in self.gone:
            self.team.sync(file)
            return
        with pytest.raises(HubError):
            self.team.sync(file)

    def step(self) -> None:
        file, chance = self.chance.choice(FILES), self.chance.random()
        self.patch.setattr(labels, "now_text", clock(OFF[file]))
        if chance < 0.4:
            self.sync(file)
        elif chance < 0.47:
            self.pass_by()
        elif chance < 0.47 + TAKEN_OUT and not self.gone:
            with self.team.hub() as hub:
                taking_part.remove(hub, self.team.words["Ben"][0])
            self.gone.add("Ben")
        else:
            self.act(file)

    def pass_by(self) -> None:
        if self.lapses:
            pass_by(self.team, 21)

    def act(self, file: str) -> None:
        with self.team.session(file) as session:
            # what stands may leave nothing to do
            try:
                if file == "Lead":
                    self.lead(session)
                else:
                    self.label(file, session)
            except ReviewerError:
                return

    def lead(self, session: Session) -> None:
        queue = next(x.queue for x in working.every(session) if x.plan.pool)
        match self.chance.choice(("close", "open", "open", "rename", "name", "decide", "exclude")):
            case "decide":
                key = self.key(session, PLACES)
                for metric in METRICS:
                    entering.commit(session, key, metric, 3)
                    decisions.decide(session, key, metric, self.chance.randint(1, 5))
            case "exclude":
                bulk_acts.exclude(session, [self.key(session, PLACES)], "odd")
            case "close":
                working.close(session, queue)
            case "open":
                working.reopen(session, queue)
            case "rename":
                working.rename(session, queue, f"Pool {self.chance.randint(2, 99)}")
            case "name":
                called = next(x.name for x in session.labelers() if x.name.startswith("Ben"))
                number = self.chance.randint(2, 99)
                profiles.change(session, called, new_name=f"Ben {number}")

    def label(self, file: str, session: Session) -> None:
        open_ones = of_pool(self.team, file, OWNER_OF[file])
        if not open_ones:
            return
        key = self.key(session, open_ones)
        match self.chance.choice(("whole", "whole", "part", "undo", "skip", "withdraw")):
            case "whole":
                for metric in METRICS:
                    entering.commit(session, key, metric, self.chance.randint(1, 5))
            case "part":
                entering.commit(session, key, self.chance.choice(METRICS), 3)
            case "undo":
                undone(session)
            case "skip":
                entering.toggle_skip(session, key)
            case "withdraw":
                entering.withdraw(session, key, self.chance.choice(METRICS))

    def key(self, session: Session, names: list[str]) -> int:
        found = reading.find(session.project.conn, self.chance.choice(names))
        assert found is not None
        return found

    def finish(self) -> None:
        """Everybody who is left comes on line and answers what there is."""
        with self.team.session("Lead") as session:
            working.reopen(session, next(x.queue for x in working.every(session) if x.plan.pool))
        self.pass_by()
        for _ in range(ROUNDS):
            for file in FILES:
                self.sync(file)
            for file in ("Ann", "Ben"):
                if file in self.gone:
                    continue
                for place in of_pool(self.team, file, file):
                    self.team.label(file, place, 4)
        for _ in range(3):
            for file in FILES:
                self.sync(file)


def of_pool(team: Team, file: str, name: str) -> list[str]:
    """The evaluations of somebody in a file's queue that is given out, whatever it is called."""
    return [
        x
        for (x,) in team.asked(
            file,
            "SELECT e.ext_id FROM queue_items i JOIN evaluations e ON e.id = i.evaluation "
            "JOIN queues q ON q.id = i.queue JOIN labelers p ON p.id = i.labeler "
            f"WHERE q.name LIKE 'Pool%' AND p.name LIKE '{name}%' ORDER BY i.position",
        )
    ]


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_every_file_knows_who_has_what_and_all_is_answered(
    team: Team, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "AHEAD", 2)
    give_out(team, overlap=2, overlap_share=0.5)
    team.sync("Lead")
    team.join("Ann")
    team.join("Ann", "laptop")
    team.join("Ben")
    story = Story(team, seed, monkeypatch)
    for _ in range(STEPS):
        story.step()
    story.finish()
    assert team.entries("Lead") == team.on_hub()
    assert team.entries("Ann") == team.entries("laptop")
    assert of_pool(team, "Lead", "Ann") == of_pool(team, "Ann", "Ann")
    assert of_pool(team, "laptop", "Ann") == of_pool(team, "Ann", "Ann")
    hers = [x[:7] for x in team.current("Lead") if x[3] == "Ann"]
    assert hers == [x[:7] for x in team.current("Ann") if x[3] == "Ann"]
    assert hers == [x[:7] for x in team.current("laptop") if x[3] == "Ann"]
    if not story.gone:
        assert of_pool(team, "Lead", "Ben") == of_pool(team, "Ben", "Ben")
    with team.hub() as hub, hub.reading() as work:
        answers = dict(
            work.rows(
                "SELECT p.evaluation, count(c.person) - p.people FROM pools p "
                "LEFT JOIN complete c ON c.evaluation = p.evaluation "
                "AND c.person = ANY (SELECT unnest(takers) FROM queues WHERE id = p.queue) "
                "GROUP BY p.evaluation, p.people"
            )
        )
    assert len(answers) == 6
    if not story.gone:
        assert min(answers.values()) >= 0
    if not story.lapses:
        assert max(answers.values()) <= 0
