"""Who has an account in a shared project; the others only have entries there."""

import json
from collections.abc import Iterable
from typing import Final

from reviewer.store.project import Project
from reviewer.store.schema import HUB

_ACCOUNTS: Final = "accounts"
"""The setting of a lead's file that lists who can come in."""


def keep(project: Project, keys: Iterable[int]) -> None:
    """Keep who has an account, by the keys that people have in this file."""
    text = json.dumps(sorted(keys))
    if text != project.setting(_ACCOUNTS):
        project.set_setting(_ACCOUNTS, text)


def of(project: Project) -> frozenset[int] | None:
    """Give who has an account, None where nothing is shared or that is not known."""
    text = project.setting(_ACCOUNTS)
    return frozenset(json.loads(text)) if text and project.setting(HUB) else None
