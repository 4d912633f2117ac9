"""Queues that are given out: what a lead lets others take, and what whoever works here takes.

So many evaluations are held ahead that nobody waits for the network; off line one goes on with
those. What others answered meanwhile leaves one's places, unless it was begun.
"""

from dataclasses import replace as with_fields
from typing import Final
from uuid import UUID

from msgspec.structs import replace

from reviewer.domain import uids
from reviewer.hub import claiming
from reviewer.hub.claiming import Place
from reviewer.hub.connecting import Hub, Work
from reviewer.services.project.session import Session
from reviewer.services.queues.plans import QueuePlan
from reviewer.services.sharing.link import Link
from reviewer.store import pools, shares
from reviewer.store.project import Project

AHEAD: Final = 20
"""Evaluations that are held unanswered of each queue, beside those that were put aside."""


def without_pool(plan: str) -> str:
    """Give a plan without what only this file can say: its own keys of what is given out."""
    found = QueuePlan.from_json(plan)
    return with_fields(found, pool=(), takers=()).to_json() if found.pool else plan


def put(work: Work, project: Project, queue: UUID, plan: str) -> None:
    """Let people take what a plan gives out; a plan that deals out lets nobody."""
    found = QueuePlan.from_json(plan)
    if not found.pool:
        return
    names = shares.names(project.conn, [key for key, *_ in found.pool])
    places = [
        Place(*names[key], kind, chance, people)
        for key, kind, chance, people in found.pool
        if key in names
    ]
    claiming.put(work, queue, (UUID(x) for x in found.takers), places)


def with_pool(work: Work, project: Project, queue: UUID, plan: str) -> str:
    """Give a plan with what another lead lets people take, in the keys of this file."""
    takers, places = claiming.read(work, queue)
    if not places:
        return plan
    keys = shares.find(project.conn, [(x.run, x.name) for x in places])
    return with_fields(
        QueuePlan.from_json(plan),
        pool=tuple(
            (keys[x.run, x.name][0], x.kind, x.chance, x.people)
            for x in places
            if (x.run, x.name) in keys
        ),
        takers=tuple(uids.text_of(x.bytes) for x in takers),
    ).to_json()  # fmt: skip


def claim(session: Session, hub: Hub, link: Link) -> tuple[Link, bool]:
    """Take what is free for whoever works here.

    Returns:
        The link, and whether their places may be others now.
    """
    project = session.project
    me = session.labeler.key
    with hub.writing() as work:
        aside = pools.skipped(project.conn, me) if me else 0
        found = claiming.claim(work, AHEAD + aside)
    empty = tuple(sorted(x.name for x in found if x.is_empty))
    return replace(link, empty=empty), any(x.is_changed for x in found)
