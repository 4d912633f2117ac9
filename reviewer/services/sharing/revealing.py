"""Auto scores before the answer: in a shared project the hub keeps who asked, and gives them."""

import json

from reviewer.hub import making, reading, writing
from reviewer.hub.address import HubError
from reviewer.hub.connecting import Hub
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.sharing import link as links
from reviewer.store import shares
from reviewer.store.shares import Arrived

CLOSED = (
    "The hub shows this only once it is answered: it is in no queue of yours by now, or the "
    "project opens nothing before."
)


def asks(session: Session) -> bool:
    """Tell whether a reveal is the hub's to give: leads have all in their file already."""
    link = links.of(session.project)
    return link is not None and not link.lead


def reveal(session: Session, hub: Hub, evaluation: int) -> None:
    """Ask the hub to show the auto scores of an evaluation now, and show them.

    Raises:
        HubError: The hub does not give them, or the line broke.
    """
    run_key, name, _ = session.place(evaluation)
    run = session.run_names()[session.run_keys().index(run_key)]
    making.state(hub)
    with hub.writing() as work:
        if not writing.ask_to_see(work, run, name):
            raise HubError(CLOSED)
    with hub.reading() as work:
        key = reading.key_of(work, run, name)
        found = reading.scores(work, [] if key is None else [key])
        scores = [json.loads(body) for _, _, body in found]
    arrived = Arrived(evaluation, (run_key, run), {"scores": scores})
    # how far both sides know each other is for whoever keeps them in step to say
    shares.unite(session.project, [arrived], lambda *_: None)
    entering.reveal(session, evaluation)
