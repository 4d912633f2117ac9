"""A hub with a lead and two labelers, made without a project.

Six evaluations of one run; Anna gets the first four blind, Berta all. Berta has answered all of
them and says `SECRET`; so does the judge.
"""

from dataclasses import dataclass, field
from urllib.parse import quote
from uuid import UUID, uuid5

from reviewer.hub import changes, connecting, making, writing
from reviewer.hub.address import Address, parse
from reviewer.hub.connecting import Hub
from tests.servers.postgres import HOST, OWNER, OWNERS_PASSWORD, Server

SECRET = "The judge finds this splendid"
RUN = "one"
METRICS = ("accuracy", "safety")
_SPACE = UUID("8d2b5e5a-4f4d-4d0c-9b0b-0a3c5f0f4a11")


def number(*words: object) -> UUID:
    return uuid5(_SPACE, "/".join(map(str, words)))


@dataclass
class World:
    """A hub, its address and the words with which people come in."""

    server: Server
    address: Address
    passwords: dict[str, str] = field(default_factory=dict)
    made: bool = False

    def hub(self, user: str = OWNER) -> Hub:
        found = connecting.connect(self.address._replace(user=user), self.passwords[user])
        if self.made:
            making.state(found)
        return found


def entry(
    person: str, place: str, metric: str, *, kind: str = "label", value: object = 3, nth: int = 0
) -> writing.Entry:
    """An entry of a person on an evaluation of the run."""
    return writing.Entry(
        number(person), number(person, place, metric, kind, value, nth), RUN, place, "label", kind,
        metric, None, 1_000_000 + nth, f'{{"value": {value}, "comment": "{SECRET}"}}',
    )  # fmt: skip


def make_world(server: Server, database: str, schema: str = "chats") -> World:
    server.make_database(database)
    address = parse(f"postgresql://{OWNER}@{HOST}:{server.port}/{database}/{quote(schema)}")
    world = World(server, address, {OWNER: OWNERS_PASSWORD})
    with world.hub() as hub:
        making.make(hub, number("project"), schema, (number("Lead"), "Lead"))
        world.made = True
        for name in ("Anna", "Berta"):
            account = f"{name.lower()}_{database}"
            word = making.invite(hub, (number(name), name), account, "labeler")
            assert word is not None
            world.passwords[account] = word
        places = [f"c-{n}" for n in range(6)]
        with hub.writing() as work:
            writing.put_run(work, writing.Run(RUN, "guest", list(METRICS)))
            writing.put_evaluations(
                work,
                [
                    writing.Evaluation(
                        RUN, x, f'{{"id": "{x}"}}', f'{{"id": "{x}", "verdict": "{SECRET}"}}'
                    )
                    for x in places
                ],
            )
            writing.put_scores(
                work,
                [
                    writing.Score(RUN, x, number("score", x, m), n, f'{{"reasoning": "{SECRET}"}}')
                    for x in places
                    for n, m in enumerate(METRICS)
                ],
            )
            for name, some in (("Anna", places[:4]), ("Berta", places)):
                queue = number("queue of", name)
                writing.put_queue(
                    work,
                    writing.Queue(queue, f"For {name}", True, True, f'{{"plan": "{SECRET}"}}'),
                    [
                        writing.Item(queue, number(name), n, RUN, x, "label", 0.125)
                        for n, x in enumerate(some)
                    ],
                )
            writing.put_document(work, writing.Document("rubric", "guest", 1, "{}", True))
            writing.put_document(work, writing.Document("record", RUN, 1, SECRET, False))
            changes.put_facts(
                work,
                [
                    changes.Fact(RUN, "c-0", "excluded", "", 1, True, SECRET),
                    changes.Fact(RUN, "c-5", "excluded", "", 1, True, SECRET),
                    changes.Fact(RUN, "c-0", "tag", SECRET, 1, True, ""),
                    changes.Fact(RUN, "c-0", "tag", "gold", 1, True, ""),
                ],
            )
            for place in ("c-0", "c-5"):
                record = writing.Evaluation(RUN, place, f'{{"id": "{place}, anew"}}', SECRET)
                changes.put_text(work, record, 2, "mark")
            writing.put_entries(
                work,
                [
                    entry("Lead", "c-0", "safety", kind="adjudication")._replace(telling=SECRET),
                    entry("Anna", "c-3", "safety", value=2)._replace(telling=SECRET),
                ],
                as_lead=True,
            )
    with world.hub(f"berta_{database}") as hub, hub.writing() as work:
        given = [entry("Berta", x, m, value=5) for x in places for m in METRICS]
        writing.put_entries(work, given, as_lead=False)
    return world
