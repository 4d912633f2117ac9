"""One evaluation as the active labeler may see it."""

import contextlib
from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from reviewer.domain.errors import LabelError
from reviewer.domain.evaluation import Evaluation, JsonValue, Label, Mark, Score, as_number
from reviewer.domain.rubric import Rubric
from reviewer.domain.run import ScorerVersion, telling
from reviewer.scoring.judging.prechecks import excluded
from reviewer.services.project import sight
from reviewer.services.project.figure_rules import NO_RULE, derivations, derive
from reviewer.services.project.session import Session
from reviewer.store import labels, marks, reading, states
from reviewer.store.of_record import chosen_score_set
from reviewer.store.schema import HUB


class EvaluationView(Struct, frozen=True):
    """Everything the Review page shows of one evaluation.

    While `hidden`, scores, other people's labels and marks are left out, what the labeler said in
    an earlier round, and of the record itself what `sight.seen` leaves out.

    Attributes:
        own: The labeler's current entries by metric: labels, "not applicable", and comments alone
            or beside what was withdrawn.
        others: Other people's current labels, and decisions of anybody, the latest last.
        marks: Current marks (what was taken back is left out), oldest first.
        history: Every entry, oldest first.
        auto: The auto score by metric, of the score set that figures use, or from its parts.
        auto_by: The full name of that version by metric.
        all_scores: Every score, of all score sets.
        revealed: Whether the labeler has seen the auto scores once.
        run: The key of its run.
        judged: Whether there are auto scores at all; where there are none, nothing is revealed.
            What a hub has of them nobody knows before they may.
        left_out: Why the rubric keeps judges from this conversation, None where it does not. That
            follows from the conversation alone, so that it tells nothing of a score.
    """

    evaluation: Evaluation
    rubric: Rubric
    hidden: bool
    own: dict[str, Label]
    others: tuple[Label, ...]
    marks: tuple[Mark, ...]
    history: tuple[Label, ...]
    auto: dict[str, Score]
    all_scores: tuple[Score, ...]
    skipped: bool
    flagged: bool
    revealed: bool
    left_out: str | None = None
    run: int = 0
    judged: bool = True
    auto_by: dict[str, str] = field(default_factory=dict)

    @property
    def shows_auto(self) -> bool:
        """Tell whether auto scores are in sight: a hub gives those of what is answered later."""
        return not self.hidden and bool(self.all_scores)


def view(session: Session, key: int) -> EvaluationView:
    """Read one evaluation with what the active labeler may see of it.

    Raises:
        LabelError: There is no such evaluation.
    """
    run, _, _ = session.place(key)
    evaluation = _read(session, key)
    left_out = excluded(session.rubric_of_run(run), evaluation)
    judged = reading.has_scores(session.project.conn, key) or _may_be_elsewhere(session)
    return replace(_assemble(session, run, evaluation, None), left_out=left_out, judged=judged)


def _may_be_elsewhere(session: Session) -> bool:
    """Tell whether a hub may have auto scores that a labeler's file has not yet."""
    return bool(session.project.setting(HUB)) and session.labeler.role != "lead"


def _read(session: Session, key: int) -> Evaluation:
    found = reading.evaluation(session.project.conn, key)
    if found is None:
        raise LabelError(f"The project has no evaluation {key}; its import may have been undone.")
    return found


def again(session: Session, before: EvaluationView) -> EvaluationView:
    """Read what a label or a mark can change, and keep the text that was read before."""
    after = _assemble(session, before.run, before.evaluation, None if before.hidden else before)
    if before.hidden and not after.hidden:
        whole = _read(session, before.evaluation.key)
        after = replace(after, evaluation=replace(whole, scores=after.all_scores))
    return replace(after, left_out=before.left_out, judged=before.judged)


def _assemble(
    session: Session, run: int, evaluation: Evaluation, seen: EvaluationView | None
) -> EvaluationView:
    conn, me, key = session.project.conn, session.labeler.key, evaluation.key
    rubric = session.rubric_of_run(run)
    state = states.read(conn, me, key)
    hidden = sight.is_hidden(session, state, rubric, key)
    everything, auto = _scores(session, run, key, seen=None if hidden else seen, hidden=hidden)
    since = state.repeat_from if hidden else 0
    current = labels.current(conn, key, me=me, since=since)
    standing = [x for x in marks.current(conn, key) if x.labeler != me or x.first > since]
    history = [x for x in labels.history(conn, key) if x.labeler != me or x.first > since]
    return EvaluationView(
        evaluation=_without_gold(sight.seen(evaluation))
        if hidden
        else replace(evaluation, scores=everything),
        rubric=rubric,
        run=run,
        hidden=hidden,
        own={x.label.metric: x.label for x in current if x.labeler == me and _is_own(x.label)},
        others=()
        if hidden
        else tuple(
            x.label
            for x in current
            if x.label.counts and not (x.labeler == me and _is_own(x.label))
        ),
        marks=tuple(
            x.mark for x in standing if not hidden or x.labeler == me or _asks(x, session)
        ),
        history=tuple(x.label for x in history if not hidden or x.labeler == me),
        auto=auto,
        all_scores=everything,
        skipped=state.skipped,
        flagged=state.flagged,
        revealed=state.revealed,
        auto_by={
            name: version.name
            for name, score in auto.items()
            if score.scorer is not None and (version := session.chosen(run, name)) is not None
        },
    )


def _without_gold(evaluation: Evaluation) -> Evaluation:
    return replace(evaluation, tags=tuple(tag for tag in evaluation.tags if tag != sight.GOLD))


def _scores(
    session: Session, run: int, key: int, *, seen: EvaluationView | None, hidden: bool
) -> tuple[tuple[Score, ...], dict[str, Score]]:
    if hidden:
        return (), {}
    if seen is not None:
        return seen.all_scores, seen.auto
    scores = reading.scores(session.project.conn, key)
    single = tuple(score for score, _, _ in scores if not score.made_of)
    chosen = _chosen(session, run, scores)
    return single, chosen | _from_parts(session.rubric_of_run(run), chosen)


def _asks(entry: marks.Entry, session: Session) -> bool:
    """Tell whether a mark asks the labeler something: they must see that, hidden or not."""
    return entry.mark.kind == "question" and entry.mark.value == session.labeler.name


def _is_own(label: Label) -> bool:
    if label.turn is not None or label.kind == "adjudication":
        return False
    return label.kind not in ("withdrawn", "comment") or bool(label.comment)


def _chosen(session: Session, run: int, scores: list[tuple[Score, int, bool]]) -> dict[str, Score]:
    found: dict[str, Score] = {}
    for score, score_set, counts in scores:
        if not counts or score.turn is not None:
            continue
        version = session.chosen(run, score.metric)
        if version is not None and version.key == score_set:
            found[score.metric] = score
    return found


def keywords_met(evaluation: Evaluation, rubric: Rubric) -> frozenset[str]:
    """Give the expected keywords that the rubric's scorer finds in the response."""
    # scorers are not needed before somebody looks at what was expected
    from reviewer.scoring.harness import RESPONSE_QUALITY, keywords_in
    from reviewer.scoring.registry import scorer_for
    from reviewer.scoring.scorer import ParameterError, case_of

    metric = next((x for x in rubric.metrics if scorer_for(x) is RESPONSE_QUALITY), None)
    with contextlib.suppress(ParameterError):
        return keywords_in(case_of(evaluation), metric.parameters if metric else {})
    return frozenset()


def counted(session: Session, key: int, metric: str, scorer: str | None) -> Score | None:
    """Give the score that counts on an evaluation by a version, or by that of record.

    Args:
        session: The open project.
        key: Of an evaluation that the labeler may see.
        metric: Its id.
        scorer: NAME, NAME@VERSION or the full name of a version.
    """
    version = counting(session, key, metric, scorer)
    if version is None:
        return None
    for score, score_set, counts in reading.scores(session.project.conn, key):
        if counts and score_set == version.key and score.metric == metric and score.turn is None:
            return score
    return None


def counting(session: Session, key: int, metric: str, scorer: str | None) -> ScorerVersion | None:
    """Give the version whose score `counted` gives, None where none counts."""
    run, _, _ = session.place(key)
    return chosen_score_set(session.project, run, metric, scorer)


def is_repeat(one: Score, other: Score) -> bool:
    """Tell whether two scores of an evaluation are of one metric and one version."""
    return _thing(one) == _thing(other)


def _thing(score: Score) -> tuple[JsonValue, ...]:
    return (
        score.metric, score.turn, score.scorer, score.scorer_version, score.model,
        score.prompt_hash, telling(score.parameters),
    )  # fmt: skip


def _from_parts(rubric: Rubric, given: Mapping[str, Score]) -> dict[str, Score]:
    """Give the auto scores that follow from others, with the reasons of those that decided."""
    found = dict(given)
    for name, way in derivations(rubric).items():
        parts = {part: as_number(found[part].value) for part in way.parts if part in found}
        known = {part: value for part, value in parts.items() if value is not None}
        if name in found or way.way == "weighted_mean" or len(known) < len(way.parts):
            continue
        value = derive(way, known, NO_RULE)
        said = [f"{rubric.by_name[part].heading} {known[part]:g}" for part in way.parts]
        deciding = [part for part in way.parts if way.way == "mean" or known[part] == value]
        reasons = [found[part].reasoning or "" for part in deciding]
        words = f"From its parts: {way.way} of {', '.join(said)}."
        found[name] = Score(
            metric=name, value=value, reasoning=" ".join(filter(None, (words, *reasons)))
        )
    return {name: score for name, score in found.items() if name not in given}


def attachment(session: Session, key: int, path: str) -> bytes | None:
    """Give the content of an image or file of an evaluation, None where the project lacks it."""
    return reading.attachment(session.project.conn, key, path)


def key_of(session: Session, text: str) -> int | None:
    """Find an evaluation by id or RUN/ID; the newest run wins where several have the id."""
    conn = session.project.conn
    found = reading.find(conn, text)
    at = text.find("/")
    while found is None and at >= 0:
        found = reading.find(conn, text[at + 1 :], text[:at])
        at = text.find("/", at + 1)
    return found
