"""How a shared project stands, as its file and whoever keeps it in step know it."""

from dataclasses import dataclass

from msgspec.structs import replace

from reviewer.domain.wording import counted
from reviewer.services.sharing import holding, states
from reviewer.services.sharing import link as links
from reviewer.services.sharing.link import Link
from reviewer.services.sharing.states import SyncState
from reviewer.store import shares
from reviewer.store.project import Project


@dataclass(frozen=True)
class Standing:
    """How a shared project stands.

    Attributes:
        state: What keeps it in step does; `off` where nothing does.
    """

    link: Link
    state: SyncState

    @property
    def sentence(self) -> str:
        """Tell it in words."""
        link = self.link
        parts = [f"Shared as {'a lead' if link.lead else 'a labeler'} at {link.address}."]
        if link.left:
            many = counted(link.left, "earlier entry", "earlier entries")
            parts.append(f"{many} had no place there.")
        if link.refused:
            many = counted(link.refused, "entry", "entries")
            parts.append(f"{many} of the hub had no place here.")
        looked = states.moment(link.pulled_at) if link.pulled_at else "never"
        return f"{' '.join(parts)} {self.state.sentences} Last looked: {looked}."


def standing(project: Project) -> Standing:
    """Tell how a project stands, without asking the hub.

    Raises:
        ProjectError: It is not shared.
    """
    link = links.must(project)
    state = holding.told(project.path) or SyncState(doing="off")
    return Standing(link, of_file(project, link, state))


def of_file(project: Project, link: Link, state: SyncState) -> SyncState:
    """Give a state with what the file itself says: how much waits, and when something was sent."""
    mine = None if link.lead else links.key_of(project, link.person)
    waiting = shares.waiting(project.conn, link.unsent, mine)
    return replace(
        state, waiting=waiting.entries, answers=waiting.answers, sent_at=link.sent_at,
        looked_at=link.pulled_at, empty=link.empty,
    )  # fmt: skip
