"""A lead's project with queues for Ann and Ben, shared in a database of its own."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reviewer.domain.errors import Silent
from reviewer.hub.address import Address
from reviewer.hub.connecting import Hub
from reviewer.hub.making import Role
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.sharing import syncing, taking_part
from reviewer.services.sharing.syncing import Synced
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import reading
from tests.journeys.shell import lines
from tests.servers.postgres import HOST, OWNER, OWNERS_PASSWORD, Server
from tests.services.parcels.sending import METRICS, records

PARTS = {"Ann": (0, 4), "Ben": (2, 6)}


def lead_project(folder: Path) -> Path:
    """Six evaluations; the first four in Ann's queue, the last four in Ben's."""
    file = folder / "one.jsonl"
    file.write_text(lines(*records()), encoding="utf-8")
    path = folder / "lead.review"
    request = ImportRequest(files=(file,), rubric="guest-response")
    importing.run(path, request, Silent())
    with closing(Session.open(path, "Lead")) as session:
        profiles.change(session, "Lead", role="lead")
        keys = tuple(k for (k,) in session.project.conn.execute("SELECT id FROM evaluations"))
        for name, (first, last) in PARTS.items():
            profiles.add(session, name)
            plan = QueuePlan(
                name=f"For {name}", sampling=Sampling.CHOSEN, keys=keys[first:last],
                labelers=(name,),
            )  # fmt: skip
            making.create(session, plan)
    return path


@dataclass
class Team:
    """People with a file each, and the hub that joins them."""

    server: Server
    folder: Path
    address: Address
    words: dict[str, tuple[str, str]] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)

    @contextmanager
    def hub(self, name: str = "Lead") -> Iterator[Hub]:
        user, password = self.words[name]
        with taking_part.opened(self.address._replace(user=user), password) as hub:
            yield hub

    @contextmanager
    def session(self, name: str) -> Iterator[Session]:
        with closing(Session.open(self.files[name], name)) as session:
            yield session

    def invite(self, name: str, role: Role = "labeler") -> None:
        account = f"{name.lower()}_{self.address.database}"
        with self.session("Lead") as session, self.hub() as hub:
            made = taking_part.invite(session, hub, name, role=role, account=account)
        assert made.password is not None
        self.words[name] = (account, made.password)

    def join(self, name: str, file: str = "") -> Synced:
        self.files[file or name] = self.folder / f"{file or name}.review"
        self.words.setdefault(file or name, self.words[name])
        with self.hub(name) as hub:
            return taking_part.join(hub, self.files[file or name])

    def sync(self, *names: str) -> Synced:
        found = Synced()
        for name in names:
            with self.session(name) as session, self.hub(name) as hub:
                found = syncing.sync(session, hub)
        return found

    def label(self, name: str, place: str, value: int, *metrics: str) -> None:
        with self.session(name) as session:
            key = reading.find(session.project.conn, place)
            assert key is not None
            for metric in metrics or METRICS:
                entering.commit(session, key, metric, value)

    def asked(self, name: str, query: str) -> list[tuple[Any, ...]]:
        with self.session(name) as session:
            return session.project.conn.execute(query).fetchall()

    def entries(self, name: str) -> set[str]:
        """The numbers of every entry of a file."""
        query = "SELECT hex(uid) FROM labels UNION ALL SELECT hex(uid) FROM marks"
        found = [x for (x,) in self.asked(name, query)]
        assert len(found) == len(set(found))
        return set(found)

    def on_hub(self) -> set[str]:
        with self.hub() as hub, hub.reading() as work:
            return {x.hex.upper() for (x,) in work.rows("SELECT id FROM entries")}

    def current(self, name: str, more: str = "c.blind") -> list[tuple[Any, ...]]:
        """What counts in a file, in names."""
        return self.asked(
            name,
            "SELECT r.name, e.ext_id, m.name, p.name, c.decided, c.kind, c.value, "
            + more
            + " FROM current_labels c JOIN evaluations e ON e.id = c.evaluation "
            "JOIN runs r ON r.id = e.run JOIN metrics m ON m.id = c.metric "
            "JOIN labelers p ON p.id = c.labeler ORDER BY 1, 2, 3, 4, 5",
        )


def make_team(server: Server, folder: Path, database: str, options: str = "") -> Team:
    """Share a lead's project, and invite Ann and Ben, who have not come yet."""
    server.make_database(database, options)
    address = taking_part.place_of(
        f"postgresql://{OWNER}@{HOST}:{server.port}/{database}", None, Path("chats.review")
    )
    team = Team(server, folder, address, {"Lead": (OWNER, OWNERS_PASSWORD)})
    team.files["Lead"] = lead_project(folder)
    with team.session("Lead") as session, team.hub() as hub:
        taking_part.share(session, hub)
    for name in PARTS:
        team.invite(name)
    return team
