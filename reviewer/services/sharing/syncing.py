"""Send what was answered here, take in what was answered elsewhere: any number of times."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from msgspec.structs import replace

from reviewer.domain.change import EvaluationsChanged, PeopleChanged
from reviewer.domain.errors import Progress, Silent, heed
from reviewer.domain.evaluation import now_text, parse_time
from reviewer.domain.wording import counted
from reviewer.hub import making, writing
from reviewer.hub.address import HubError
from reviewer.hub.connecting import Hub
from reviewer.hub.making import State
from reviewer.services.computer import versions
from reviewer.services.project.session import Session
from reviewer.services.sharing import claims, facts, forgetting, team, texts, uploading
from reviewer.services.sharing import link as links
from reviewer.services.sharing.entries import outgoing
from reviewer.services.sharing.link import FIRST_PLACE, NOBODY, STOPPED, Link
from reviewer.services.sharing.pulling import Pull, Pulled
from reviewer.store import labelers, shares
from reviewer.store.project import Project
from reviewer.store.schema import PROJECT_ID

ASKED: Final = "asked"
"""What a reveal says that was asked for before the answers."""
_DAY_MINUTES: Final = 1_440
KEPT_S: Final = 30.0
"""Seconds after which it is written down that one looked, though nothing came."""
LATE_S: Final = 300
"""Seconds that a clock may be off before it is said."""


@dataclass
class Synced:
    """What became of one time of sending and taking in.

    Attributes:
        sent: Entries that the hub did not have.
        left: Entries in all that it has no place for.
        pulled: What came.
        claimed: Whether the hub gave more to answer, or took what others answered meanwhile.
        told: What is to be told, in sentences.
    """

    sent: int = 0
    left: int = 0
    pulled: Pulled = field(default_factory=Pulled)
    claimed: bool = False
    told: list[str] = field(default_factory=list)

    @property
    def anything(self) -> bool:
        """Tell whether anything was sent, came, or is to be told."""
        return bool(self.sent or self.told or self.pulled.anything or self.pulled.refused)

    @property
    def sentence(self) -> str:
        """Tell it in words."""
        pulled = self.pulled
        parts = [f"{counted(self.sent, 'entry', 'entries')} sent"]
        for count, what in (
            (pulled.evaluations, "evaluation"), (pulled.labels, "label"), (pulled.marks, "mark"),
            (pulled.scores, "score"), (pulled.texts, "text"),

        ):  # fmt: skip
            if count:
                parts.append(f"{counted(count, what)} came")
        if pulled.facts:
            parts.append(
                counted(pulled.facts, "exclusion or tag", "exclusions and tags") + " came"
            )
        for count, what in (
            (len(pulled.conflicts), "answered otherwise here"),
            (len(pulled.refused), "refused"),
            (pulled.missing, "of evaluations that are not here"),
            (len(pulled.others), "of evaluations with another text here, marked stale"),
            (self.left, "without a place on the hub"),
        ):
            if count:
                parts.append(f"{count:,} {what}")
        return f"{', '.join(parts)}."

    def to_json(self) -> dict[str, Any]:
        """Give the fields that the command line prints."""
        pulled = self.pulled
        return {
            "sent": self.sent, "left": self.left, "claimed": self.claimed,
            "evaluations": pulled.evaluations, "labels": pulled.labels, "marks": pulled.marks,
            "scores": pulled.scores, "texts": pulled.texts, "exclusions_and_tags": pulled.facts,
            "missing": pulled.missing, "changed": list(pulled.others), "refused": pulled.refused,
            "conflicts": [
                {"run": x.run, "id": x.id, "metric": x.metric, "here": x.here, "there": x.there,
                 "later": x.later}
                for x in pulled.conflicts
            ],
            "told": self.told,
        }  # fmt: skip


def sync(
    session: Session, hub: Hub, progress: Progress | None = None, *, whole: bool = True
) -> Synced:
    """Send and take in what both sides lack; a second time at once changes nothing.

    Args:
        session: Of the project.
        hub: Where it is shared.
        progress: Who hears how far it is.
        whole: Whether all of a lead's file is compared, or only answers are sent.

    Raises:
        HubError: The hub is another one, closed to whoever asks, or out of reach.
        ProjectError: The project is not shared, or cannot be written.
    """
    done = _sync_once(session, hub, progress or Silent(), whole=whole)
    if done.claimed:
        # what was taken is here at once
        more = _sync_once(session, hub, progress or Silent(), whole=False)
        more.pulled = done.pulled.then(more.pulled)
        more.sent, more.told = done.sent + more.sent, [*dict.fromkeys(done.told + more.told)]
        more.claimed = True
        return more
    return done


def _sync_once(session: Session, hub: Hub, progress: Progress, *, whole: bool) -> Synced:
    done = Synced()
    state = making.state(hub)
    before = links.must(session.project)
    link = _followed(session, before, state, done)
    sit(session, link)
    if link.lead and whole:
        forgetting.send(session.project, hub)
        link, told = uploading.send_all(session, hub, link, progress)
        done.told += told
        links.follow(session.project, link)
    with hub.reading() as work:
        pull = Pull(session, work, link, progress)
        done.told += _clock(work.one("SELECT clock_timestamp()"))
        link = pull.run()
    done.pulled = pull.pulled
    done.told += pull.pulled.told
    link = facts.send(session.project, hub, link, pull.facts)
    link = texts.send(session, hub, link, pull.texts)
    team.note(session.project, link, pull.pulled.conflicts)
    link = _push(session, hub, link, done, progress)
    team.send(session.project, hub, link)
    link = _looked(link, pull.pulled)
    if whole or done.anything or _seconds(before.pulled_at, link.pulled_at) >= KEPT_S:
        link, done.claimed = claims.claim(session, hub, link)
        links.follow(session.project, link)
    done.left = link.left
    if pull.pulled.anything:
        session.publish(EvaluationsChanged("answers came from the hub"))
        session.publish(PeopleChanged("answers came from the hub"))
    return done


def _looked(link: Link, pulled: Pulled) -> Link:
    """Note when one looked, and how much of what came has no place here."""
    return replace(link, pulled_at=now_text(), refused=link.refused + len(pulled.refused))


def _seconds(since: str, until: str) -> float:
    if not since:
        return KEPT_S
    return abs((parse_time(until) - parse_time(since)).total_seconds())


def sit(session: Session, link: Link) -> None:
    """Let whoever the hub knows work here, whatever they are called on this computer."""
    numbers = labelers.uids_of_people(session.project.conn)
    for person in session.labelers():
        if numbers[person.key] == link.person.bytes:
            session.set_labeler(person.name)


def _followed(session: Session, link: Link, state: State, done: Synced) -> Link:
    """Check that the hub is of this project, and follow who one is there and in which life."""
    check_same(session.project, state)
    if state.me is None:
        raise HubError("The hub knows nobody of your role; ask a lead for an invitation.")
    if link.incarnation != str(state.incarnation):
        done.told.append(
            "The hub came out of an older backup; everything is compared, and what it lacks is "
            "sent again."
        )
        link = link.from_the_beginning(str(state.incarnation))
    if link.lead != state.is_lead:
        done.told.append(
            "You lead on the hub now." if state.is_lead else "You are a labeler on the hub now."
        )
        # what may be read is another set now
        link = link.from_the_beginning(link.incarnation)
    program = versions.version()
    if link.refused and link.program != program:
        # what an older program could not use, this one may
        link = replace(link, after=(0, FIRST_PLACE, NOBODY, NOBODY), refused=0)
    return replace(link, person=state.me, lead=state.is_lead, program=program)


def check_same(project: Project, state: State) -> None:
    """Refuse a hub of another project.

    Raises:
        HubError: It is one.
    """
    if project.setting(PROJECT_ID) != str(state.project):
        raise HubError(
            f"The project {state.name} of the hub is another one than {project.path.name}, with "
            "the same name; share yours under another name with --schema."
        )


def _clock(there: datetime) -> list[str]:
    off = (datetime.now(UTC) - there).total_seconds()
    if abs(off) < LATE_S:
        return []
    way = "ahead of" if off > 0 else "behind"
    minutes = round(abs(off) / 60)
    long = (
        counted(minutes, "minute")
        if minutes < 2 * _DAY_MINUTES
        else counted(minutes // _DAY_MINUTES, "day")
    )
    return [
        f"The clock of this computer is {long} {way} the hub's. Of several "
        "answers of one person the latest counts, so set it right."
    ]


def _push(session: Session, hub: Hub, link: Link, done: Synced, progress: Progress) -> Link:
    """Send entries in the order in which they were made, each batch whole or not at all."""
    project = session.project
    mine = None if link.lead else links.key_of(project, link.person)
    while made := shares.made_in(project, link.unsent, writing.MOST, mine):
        with hub.writing() as work:
            beside = texts.Versions(project, work).of(made)
            found = [outgoing(x, text) for x, text in zip(made, beside, strict=True)]
            may = [x for x in found if x and (link.lead or x.kind != "adjudication")]
            if link.lead:
                writing.put_people(work, uploading.people_here(session).values())
            there = writing.known(work, sorted({(x.run, x.name) for x in may}))
            given = [x for x in may if (x.run, x.name) in there]
            done.sent += writing.put_entries(work, given, as_lead=link.lead)
            for one in made:
                if one.fields.get("kind") == "reveal" and one.fields.get("value") == ASKED:
                    writing.ask_to_see(work, one.run, one.name)
        link = replace(
            link.with_sent(made[-1].seq), left=link.left + len(made) - len(given),
            sent_at=now_text(),
        )  # fmt: skip
        links.follow(project, link)
        progress.advance(done.sent, None, "entries sent")
        heed(progress, STOPPED)
    return link
