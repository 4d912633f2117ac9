"""What the words of `reviewer evaluate` come to: jobs, and what these would take."""

import json
from dataclasses import replace

from reviewer.cli import answering
from reviewer.cli.answering import Tests
from reviewer.cli.evaluate_options import EvaluateOptions
from reviewer.cli.options import pairs
from reviewer.domain.case_set import CaseSet
from reviewer.domain.errors import ReviewerError
from reviewer.domain.job import Following, JobPlan, Selection
from reviewer.domain.values import JsonValue
from reviewer.services.aligning import splitting
from reviewer.services.evaluating import (
    estimating,
    following,
    planning,
    prices,
    scorers,
    selecting,
    starting,
)
from reviewer.services.evaluating.estimating import Estimate
from reviewer.services.evaluating.starting import PlacedJudge
from reviewer.services.project.session import Session

Foretold = list[tuple[JobPlan, Estimate]]


def planned(session: Session, options: EvaluateOptions) -> list[JobPlan]:
    """Plan the jobs that are asked for.

    A file of cases becomes a test set of the project, and the usual judge one of its judges.

    Raises:
        ReviewerError: Something of it is not there, or makes no sense.
    """
    selection = _selection(options)
    _check(session, options, selection)
    return _plans(session, options, selection, _tests(session, options, selection))


def foretold(session: Session, options: EvaluateOptions) -> Foretold:
    """Plan the jobs of a dry run and say what each would take; the project keeps nothing.

    Raises:
        ReviewerError: Something of it is not there, or makes no sense.
    """
    selection = _selection(options)
    with splitting.foreseen(session):
        _check(session, options, selection)
        # while a file of cases is a test set nobody else can write, so that must be short: what a
        # bot answers of it is told by its cases, and all else is read when it is gone again
        with session.project.rehearsal():
            tests = _tests(session, options, selection)
            if options.bot is not None:
                return _estimated(session, _plans(session, options, selection, tests))
        return _estimated(session, _plans(session, options, selection, tests))


def _estimated(session: Session, plans: list[JobPlan]) -> Foretold:
    return [(plan, estimating.estimate(session, plan)) for plan in plans]


def _selection(options: EvaluateOptions) -> Selection:
    return Selection(
        runs=tuple(options.run),
        categories=tuple(options.category),
        filter_text=options.where,
        only=options.only,
        part=options.part,
        limit=options.limit,
    )


def _check(session: Session, options: EvaluateOptions, selection: Selection) -> None:
    """Hold options to each other and to what there is, before anything is kept."""
    if options.bot is not None:
        following.check(session, _then(options))
        if options.examples:
            raise ReviewerError(
                "--examples is of a judge that scores a run which is there; leave out --bot."
            )
    repeats = (options.repeat or 1) > 1
    if (options.examples or repeats) and not _asks_a_judge(session, options, selection):
        name = "--examples" if options.examples else "--repeat"
        raise ReviewerError(f"{name} is of a judge; name one with --judge.")


def _asks_a_judge(session: Session, options: EvaluateOptions, selection: Selection) -> bool:
    if options.judge or options.bot is not None:
        return bool(options.judge or options.model)
    return not options.scorer and not _is_free(session, options, selection)


def _is_free(session: Session, options: EvaluateOptions, selection: Selection) -> bool:
    """Tell whether nothing is named, and the rubric's own scorers score what is selected."""
    if options.judge or options.scorer or options.model:
        return False
    return scorers.cover(selecting.rubric_of(session, selection), tuple(options.metric))


def _tests(session: Session, options: EvaluateOptions, selection: Selection) -> CaseSet | None:
    if options.tests is not None:
        wish = Tests(name=options.tests, tags=tuple(options.tag), where=tuple(options.fields))
        return answering.tests_of(session, wish, selection)
    if options.tag or options.fields:
        raise ReviewerError("--tag and --where choose cases of a test set; name it with --tests.")
    return None


def _plans(
    session: Session, options: EvaluateOptions, selection: Selection, tests: CaseSet | None
) -> list[JobPlan]:
    if options.bot is not None:
        then = _with_usual_judge(session, options, _then(options))
        plans = [planning.answering_plan(session, options.bot, selection, tests=tests, then=then)]
    else:
        if tests is not None:
            selection = answering.narrowed(session, tests, selection)
        plans = _scoring(session, options, selection)
    made = [
        replace(
            plan,
            use_cache=not options.no_cache,
            max_cost=options.max_cost,
            concurrency=options.concurrency,
        )
        for plan in plans
    ]
    for plan in made:
        prices.check_limit(session.project, plan)
    return made


def _then(options: EvaluateOptions) -> Following:
    return Following(
        scorers=tuple(options.scorer),
        judges=tuple(options.judge),
        metrics=tuple(options.metric),
        model=options.model,
        repeats=options.repeat,
    )


def _with_usual_judge(session: Session, options: EvaluateOptions, then: Following) -> Following:
    if then.model is None or then.judges:
        return then
    judge = _usual_judge(session, options)
    return replace(then, judges=(judge if isinstance(judge, str) else judge.judge.name,))


def _usual_judge(session: Session, options: EvaluateOptions) -> str | PlacedJudge:
    """Give the judge of a model that is named without one; in a dry run it is not kept."""
    model = options.model or starting.DEFAULT_MODEL
    if options.dry_run:
        return starting.placed_judge(session, model)
    return starting.judge_for(session, model).name


def _scoring(session: Session, options: EvaluateOptions, selection: Selection) -> list[JobPlan]:
    metrics = tuple(options.metric)
    parameters = _parameters(options)
    free = _is_free(session, options, selection)
    judges: list[str | PlacedJudge] = list(options.judge)
    if not judges and not options.scorer and not free:
        judges.append(_usual_judge(session, options))
    plans = [
        planning.judging_plan(
            session, judge, selection,
            metrics=metrics, model=options.model, repeats=options.repeat,
        )
        for judge in judges
    ]  # fmt: skip
    if options.examples:
        plans = [planning.with_suggested(session, plan, options.examples) for plan in plans]
    if options.scorer or free:
        plans.append(
            planning.scoring_plan(
                session,
                selection,
                scorers=tuple(options.scorer),
                metrics=metrics,
                parameters=parameters,
            )
        )
    return plans


def _parameters(options: EvaluateOptions) -> dict[str, JsonValue]:
    if options.parameter and (len(options.scorer) != 1 or options.bot is not None):
        raise ReviewerError("--parameter is of one --scorer; name that scorer, without a bot.")
    return {name: _value(text) for name, text in pairs(options.parameter, "--parameter")}


def _value(text: str) -> JsonValue:
    try:
        read: JsonValue = json.loads(text)
    except ValueError:
        return text
    return read
