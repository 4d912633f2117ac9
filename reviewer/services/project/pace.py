"""How long somebody's answers take: in a shared project for leads only where they agree."""

import json
from collections.abc import Iterable
from typing import Final

from reviewer.domain.change import PeopleChanged
from reviewer.services.project.session import Session
from reviewer.store.project import Project
from reviewer.store.schema import HUB

SHOWS: Final = "shows_pace"
"""The setting of a labeler's own file in which they agree."""
YES: Final = "yes"
_AGREED: Final = "paces_shown"
"""The setting of a lead's file that lists who agreed."""


def is_shown(project: Project) -> bool:
    """Tell whether whoever works in this file lets leads see their pace."""
    return project.setting(SHOWS) == YES


def show(session: Session, *, shown: bool) -> None:
    """Let leads see one's pace from the next sending on, or no longer."""
    session.project.set_setting(SHOWS, YES if shown else "")
    session.publish(PeopleChanged("leads see the pace" if shown else "the pace is one's own"))


def keep_agreed(project: Project, keys: Iterable[int]) -> None:
    """Keep who agreed, by the keys that people have in this file."""
    text = json.dumps(sorted(keys))
    if text != project.setting(_AGREED, "[]"):
        project.set_setting(_AGREED, text)


def may_be_seen(session: Session, name: str) -> bool:
    """Tell whether whoever works here may see somebody's pace: their own always."""
    project = session.project
    if not project.setting(HUB) or name == session.labeler.name:
        return True
    agreed = set(json.loads(project.setting(_AGREED, "[]")))
    return any(x.key in agreed for x in session.labelers() if x.name == name)
