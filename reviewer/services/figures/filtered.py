"""What a filter means in a project, as a condition on evaluations that this session may use."""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from reviewer.domain.errors import FilterError
from reviewer.domain.filters import Filter, Term, needs_sight, parse
from reviewer.services.project.figure_rules import derivations
from reviewer.services.project.session import Session
from reviewer.services.project.sight import finds_gold, hidden_now, telling_queue
from reviewer.store import deciding, figures, filtering
from reviewer.store.scoping import Condition

ME = "me"


def found_by(session: Session, filter_text: str) -> Condition:
    """Turn a filter into a condition on `visible_evaluations v`.

    Raises:
        FilterError: The filter cannot be understood, or needs what a blind labeler may not see.
    """
    tree = parse(filter_text)
    check_sight(session, tree)
    return condition(session, tree)


def within(session: Session, filter_text: str) -> Condition:
    """Give what a lead's filter means, whatever it reads, as a condition on evaluations `v`.

    Raises:
        FilterError: It cannot be understood.
    """
    return condition(session, parse(filter_text), sighted=True)


def check_sight(session: Session, tree: Filter, *, by_gap: bool = False) -> None:
    """Refuse a filter, or an order `by_gap`, that tells a blind labeler what stays hidden.

    Raises:
        FilterError: It reads known answers, auto scores or gaps, or what was drawn by them.
    """
    if _finds_gold(session, tree):
        raise FilterError(
            "Which evaluations have known answers stays hidden from labelers who label blind."
        )
    drawn = telling_queue(session, tree) if session.blind else None
    if drawn is not None:
        raise FilterError(
            f"What is in the queue {drawn!r} tells of scores or of other people's answers, which "
            "stay hidden while you label blind; your part of it opens as a queue."
        )
    if session.blind and (needs_sight(tree) or by_gap):
        what = (
            "This filter reads auto scores or gaps"
            if needs_sight(tree)
            else ("This order reads gaps")
        )
        raise FilterError(f"{what}, which stay hidden while you label blind.")


def may_ask(session: Session, tree: Filter) -> bool:
    """Tell whether a filter tells the labeler nothing that stays hidden."""
    if _finds_gold(session, tree):
        return False
    return not (session.blind and (needs_sight(tree) or telling_queue(session, tree)))


def _finds_gold(session: Session, tree: Filter) -> bool:
    return session.blind and session.labeler.role != "lead" and finds_gold(tree)


def condition(session: Session, tree: Filter, *, sighted: bool = False) -> Condition:
    """Turn a filter that was read into a condition; `sighted` reads what blind ones may not.

    One that reads scores leaves out what an open blind queue asks of the labeler.
    """

    def chosen(metric: str) -> list[tuple[int, list[int]]]:
        runs: dict[int, list[int]] = {}
        for run in session.run_keys():
            version = session.chosen(run, metric)
            if version is not None:
                runs.setdefault(version.key, []).append(run)
        return list(runs.items())

    def fulfilling(term: Term) -> Sequence[int]:
        from reviewer.services.figures import every_score

        return every_score.fulfilling(session, term)

    situation = filtering.Situation(
        labeler=session.labeler.key,
        own_only=session.blind and not sighted,
        zone=ZoneInfo(session.project.setting("time_zone", "UTC")),
        metrics=_metrics(session),
        chosen=chosen,
        worked_out=lambda metric: _worked_out(session, metric),
        fulfilling=fulfilling,
        questions=lambda term: _asked(session, term),
    )
    found = filtering.condition(tree, situation)
    if sighted or not needs_sight(tree):
        return found
    asked = hidden_now(session).open_asks(session.project)
    return found if not asked else filtering.apart_from(found, asked)


def _metrics(session: Session) -> dict[str, int]:
    """Give the numbers of all metrics, 0 for one that nobody scored or labelled yet."""
    rubrics = [session.rubric_of_run(run) for run in session.run_keys()]
    declared = {metric.name: 0 for rubric in rubrics for metric in rubric.metrics}
    return declared | figures.metric_keys(session.project)


def _worked_out(session: Session, metric: str) -> bool:
    """Tell whether a metric's auto score may follow from others."""
    return any(metric in derivations(session.rubric_of_run(run)) for run in session.run_keys())


def _asked(session: Session, term: Term) -> Sequence[int]:
    """Give the evaluations with a question that a term such as `asked:me` means.

    A blind labeler finds only the questions to themselves.
    """
    questions = deciding.questions(session.project.conn)
    mine = session.labeler.name
    if session.blind:
        questions = [x for x in questions if x.asked == mine]
    if term.field == "question":
        wanted = term.value == "answered"
        return [x.mark.evaluation for x in questions if x.answered == wanted]
    name = mine if term.value == ME and not term.quoted else term.value
    return [x.mark.evaluation for x in questions if x.asked == name and not x.answered]
