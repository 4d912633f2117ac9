"""The figures of a scope as they were computed last, as long as nothing changed since."""

from dataclasses import dataclass

from reviewer.domain.progress import Progress
from reviewer.domain.scope import Scope
from reviewer.services.audits import auditing
from reviewer.services.audits.auditing import Audit
from reviewer.services.figures.column_memory import memory_of
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.figures.statistics_options import Choices, choices
from reviewer.services.project.session import Session
from reviewer.store import exclusions, figures, watching

NAME = "audit"


@dataclass(frozen=True, slots=True)
class _State:
    """Everything that the figures of a scope depend on."""

    request: StatsRequest
    choices: Choices
    labeler: str
    blind: bool
    content: tuple[object, ...]
    seq: int
    excluded: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Last:
    state: _State
    audit: Audit


def audit_of(session: Session, request: StatsRequest, progress: Progress | None = None) -> Audit:
    """Give the figures of a scope as `auditing.compute` does, the last ones while they are true.

    Raises:
        ReviewerError: The scope names something that the project does not have.
        CancelledError: Nobody waits for it any more.
    """
    with figures.snapshot(session.project):
        state = _state(session, request)
        last = session.kept.get(NAME)
        # scores that are still coming in leave no trace that could be compared
        filling = figures.running_score_sets(session.project)
        if not filling and isinstance(last, _Last) and last.state == state:
            return last.audit
        found = auditing.compute(session, request, progress)
    session.kept[NAME] = _Last(state, found)
    return found


def prepare(session: Session) -> None:
    """Compute what the page shows first, so that it is there at once; call it beside the window.

    Labels of both kinds are read, so that leaving out seen ones takes no longer.
    """
    audit_of(session, StatsRequest(scope=Scope(viewer=session.labeler.name)))
    with figures.snapshot(session.project):
        memory_of(session).look(session.project).labels(Scope(blind_only=True))


def _state(session: Session, request: StatsRequest) -> _State:
    project = session.project
    sight = watching.look(project)
    made_by = choices(project, request.scope, preset=request.preset, options=request.options)
    return _State(
        request=request,
        choices=made_by,
        labeler=session.labeler.name,
        blind=session.blind,
        content=sight.content,
        seq=sight.seq,
        excluded=exclusions.stamp(project.conn),
    )
