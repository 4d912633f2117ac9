"""What a job will do and take, before anything is asked."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from reviewer.domain.case_set import CaseSet
from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import JsonValue
from reviewer.domain.judging import Following, JobPlan, Judge, Selection
from reviewer.domain.rubric import Rubric
from reviewer.services.aligning import examples
from reviewer.services.bots import bots
from reviewer.services.calls import clients, selecting
from reviewer.services.jobs import scorers as scorers_there
from reviewer.services.jobs import scoring_jobs
from reviewer.services.judging import judges, prompts
from reviewer.services.judging.judges import PlacedJudge
from reviewer.services.judging.prompts import examples_mark, parameters
from reviewer.services.project import ready_metrics
from reviewer.services.project.session import Session
from reviewer.store import jobs, judging


def judging_plan(
    session: Session,
    judge: str | PlacedJudge,
    selection: Selection,
    *,
    metrics: Sequence[str] = (),
    model: str | None = None,
    repeats: int | None = None,
) -> JobPlan:
    """Plan a judge's job over a selection; without metrics, all that it has a prompt for.

    The judge is named, or handed in where the project keeps none. Its version is the one it would
    have; it is kept when the job is.

    Raises:
        ReviewerError: The judge, its endpoint or a metric is not there.
    """
    asker, endpoint = placed(session, judge) if isinstance(judge, str) else judge
    if model is not None:
        asker = replace(asker, model=model)
    rubric = selecting.rubric_of(session, selection)
    made = asking_plan(
        session, PlacedJudge(asker, endpoint), rubric, metrics=metrics, repeats=repeats
    )
    return replace(made, selection=selection)


def asking_plan(
    session: Session,
    judge: PlacedJudge,
    rubric: Rubric,
    *,
    metrics: Sequence[str] = (),
    repeats: int | None = None,
) -> JobPlan:
    """Plan what a judge asks by a rubric, whatever it is asked about.

    Raises:
        ReviewerError: The rubric has no such metric.
    """
    asker, endpoint = judge
    check_metrics(rubric, metrics)
    asked = tuple(metrics) or tuple(
        x.name
        for x in rubric.metrics
        if x.judge is not None or (x.is_labelled and x.scorer is None)
    )
    wanted = dict(asker.prompts)
    texts = tuple(prompts.current(session, rubric, name, wanted.get(name)) for name in asked)
    made = JobPlan(
        kind="judge",
        title=f"{asker.name} judges {', '.join(asked)}",
        selection=Selection(),
        metrics=asked,
        judge=asker,
        endpoint=endpoint,
        prompts=texts,
        repeats=repeats or asker.repeats,
    )
    return _foreseen(session, made)


def with_prompts(session: Session, plan: JobPlan, texts: Mapping[str, str]) -> JobPlan:
    """Let a judge ask with these texts by metric, whichever versions have them.

    A text that no version has makes no version of the judge, so that looking ahead leaves no
    trace; keep it before the job is added.
    """
    rubric = selecting.rubric_of(session, plan.selection)
    asked = tuple(
        prompts.of_text(session, rubric, x.metric, texts[x.metric]) if x.metric in texts else x
        for x in plan.prompts
    )
    return _foreseen(session, replace(plan, prompts=asked))


def with_examples(session: Session, plan: JobPlan, chosen: Mapping[str, Sequence[int]]) -> JobPlan:
    """Show a judge some evaluations with the scores that people gave, as another version of it.

    Args:
        session: the project.
        plan: a judge's.
        chosen: keys of evaluations by metric; they must be labelled and not held out.

    Raises:
        ReviewerError: an evaluation is held out or has no score of people.
    """
    made = {name: examples.shots(session, name, keys) for name, keys in chosen.items() if keys}
    return _foreseen(session, replace(plan, examples=made))


def with_suggested(session: Session, plan: JobPlan, most: int) -> JobPlan:
    """Show a judge the cases of the dev half on which its scores and people differ most.

    Raises:
        ReviewerError: there is no such case for any metric.
    """
    run = runs[-1] if (runs := plan.selection.runs) else None
    offered = {
        name: [x.key for x in examples.suggest(session, name, run=run, most=most)]
        for name in plan.metrics
    }
    if not any(offered.values()):
        raise ReviewerError(
            "There are no examples to show: no labelled response of the dev half is scored "
            "otherwise than people do."
        )
    return with_examples(session, plan, offered)


def scoring_plan(
    session: Session,
    selection: Selection,
    *,
    scorers: Sequence[str] = (),
    metrics: Sequence[str] = (),
    parameters: Mapping[str, JsonValue] | None = None,
) -> JobPlan:
    """Plan a job of deterministic scorers; without names, every metric that has one.

    Parameters hold instead of the rubric's, which are handed to no scorer but the metric's own.

    Raises:
        ReviewerError: A scorer or metric is not there, or a parameter of the rubric is wrong.
    """
    rubric = selecting.rubric_of(session, selection)
    for name in scorers:
        scorers_there.get(name)
    check_metrics(rubric, metrics)
    found = _by_metric(rubric, scorers, metrics)
    if not found:
        raise ReviewerError(_without_scorer(rubric, scorers))
    return scoring_by_metric(
        rubric, selection, found, dict.fromkeys(found, parameters) if parameters else {}
    )


def _without_scorer(rubric: Rubric, wanted: Sequence[str]) -> str:
    ready = [name for name in wanted if name in ready_metrics.names()]
    if not ready:
        none = f"No metric of the rubric {rubric.name} has a scorer"
        return f"{none}; name one with --metric and --scorer."
    return (
        f"The rubric {rubric.name} has no metric of {', '.join(ready)}; "
        f"{' '.join(f'--add-metric {name}' for name in ready)} lets it have one, and --metric "
        "names one that it has."
    )


def scoring_by_metric(
    rubric: Rubric,
    selection: Selection,
    scorers: dict[str, str],
    parameters: Mapping[str, Mapping[str, JsonValue]],
) -> JobPlan:
    """Plan a job of scorers by metric; the rubric's parameters mean nothing to another scorer.

    Raises:
        ReviewerError: A scorer is not there or does not fit, or a parameter is wrong.
    """
    own = {name: scorers_there.of_metric(rubric.by_name[name]) for name in scorers}
    # most scorers are called as their metric
    plain = all(metric == scorer for metric, scorer in scorers.items())
    which = ", ".join(dict.fromkeys(scorers.values()))
    plan = JobPlan(
        kind="scorer",
        title=f"Score {which}" if plain else f"{which} on {', '.join(scorers)}",
        selection=selection,
        metrics=tuple(scorers),
        scorers=scorers,
        parameters={
            name: dict(parameters.get(name, {}))
            for name, scorer in scorers.items()
            if name in parameters or scorer != (x.name if (x := own[name]) else None)
        },
    )
    scoring_jobs.check(plan, rubric)
    return plan


def _by_metric(rubric: Rubric, scorers: Sequence[str], metrics: Sequence[str]) -> dict[str, str]:
    """Tell which scorer scores which metric: one named with metrics scores all of them."""
    if len(scorers) == 1 and metrics:
        return dict.fromkeys(metrics, scorers[0])
    own = {x.name: scorers_there.of_metric(x, tuple(scorers)) for x in rubric.metrics}
    return {
        name: scorer.name
        for name, scorer in own.items()
        if scorer is not None
        and (not metrics or name in metrics)
        and (not scorers or scorer.name in scorers)
    }


def answering_plan(
    session: Session,
    bot_name: str,
    selection: Selection,
    *,
    run: str | None = None,
    tests: CaseSet | None = None,
    then: Following | None = None,
) -> JobPlan:
    """Plan a bot's job: cases answered anew, as a run of their own, which is scored at once.

    Args:
        session: the project.
        bot_name: of a bot that the project keeps.
        selection: whose cases are answered.
        run: name of the new run; without one it is made of the bot's name.
        tests: a test set, or the part of it, that is answered instead of the selection.
        then: what scores the run; without it the rubric's own scorers do.

    Raises:
        ReviewerError: There is no such bot, its settings are not whole, the run is there, or
            nothing can score it as wished.
    """
    bot = bots.find(session, bot_name)
    bots.check(bot)
    known = {*session.run_names(), *jobs.promised_runs(session.project.conn)}
    if run is not None and run in known:
        raise ReviewerError(f"There is a run {run!r} already; choose another name.")
    numbered = (f"{bot.name} {number}" for number in range(1, len(known) + 2))
    made = JobPlan(
        kind="bot",
        title=f"{bot.name} answers {tests.title if tests else 'again'}",
        selection=selection,
        bot=bot,
        target_run=run or next(name for name in numbered if name not in known),
        then=then or Following(),
    )
    if tests is not None:
        made = bots.with_tests(session, made, tests)
    rubric = bots.rubric_of(session, made)
    if then is not None and then.metrics:
        check_metrics(session.rubric(rubric), then.metrics)
    return made


def check_following(session: Session, wish: Following) -> None:
    """Hold who is to score a run to who is there, before a bot is asked.

    Raises:
        ReviewerError: A scorer, or a judge with its endpoint, is not there.
    """
    for name in wish.scorers:
        scorers_there.get(name)
    for name in wish.judges:
        placed(session, name)


def add(session: Session, plan: JobPlan) -> int:
    """Keep a job so that `running.run` can work on it, and give its number."""
    if plan.kind == "bot":
        total = bots.count(session, plan)
    else:
        total = len(selecting.selected(session, plan.selection)) * len(plan.metrics) * plan.repeats
    if not total:
        raise ReviewerError("Nothing is selected, so there is nothing to evaluate.")
    if plan.judge is not None:
        number = judging.keep_version(session.project, plan.judge.name, _form(plan))
        plan = replace(plan, judge_version=str(number))
    return jobs.add(session.project, plan, total)


def add_together(session: Session, plans: Sequence[JobPlan]) -> list[int]:
    """Keep jobs that one limit holds together, and give their numbers."""
    keys: list[int] = []
    for plan in plans:
        keys.append(add(session, replace(plan, shares=keys[0]) if keys else plan))
    return keys


def placed(session: Session, name: str) -> PlacedJudge:
    """Find a judge by its name: of the project, or of an installed package.

    Raises:
        ReviewerError: The judge or its endpoint is not there.
    """
    judge = judging.find(session.project.conn, Judge, name)
    if judge is not None:
        return judges.place_of(session, judge)
    brought, place = clients.brought(name)
    if brought is None or place is None:
        there = ", ".join(x.name for x in judging.every(session.project.conn, Judge)) or "none"
        raise ReviewerError(
            f"The project has no judge {name!r}; it has: {there}. "
            "Add one with `reviewer judges PROJECT add`."
        )
    return PlacedJudge(brought, place)


def check_metrics(rubric: Rubric, wanted: Sequence[str]) -> None:
    """Hold names to the metrics of a rubric.

    Raises:
        ReviewerError: The rubric has no such metric.
    """
    for name in wanted:
        if name not in rubric.by_name:
            raise ReviewerError(
                f"The rubric {rubric.name} has no metric {name!r}; it has: "
                f"{', '.join(rubric.by_name)}."
            )


def _foreseen(session: Session, plan: JobPlan) -> JobPlan:
    """Give a plan the version that its judge would have if the job were kept now."""
    if plan.judge is None:
        return plan
    return replace(
        plan, judge_version=str(judging.version_of(session.project, plan.judge.name, _form(plan)))
    )


def _form(plan: JobPlan) -> str:
    """Name what decides a judge's scores: another form is another version of it."""
    if plan.judge is None or plan.endpoint is None:
        return ""
    shown = [(name, examples_mark(plan.examples[name])) for name in sorted(plan.examples)]
    form = json.dumps(
        [plan.endpoint.kind, plan.endpoint.base_url, plan.judge.model, parameters(plan.judge),
         sorted((x.metric, x.hash) for x in plan.prompts), *([shown] if shown else [])],
        sort_keys=True,
    )  # fmt: skip
    return hashlib.sha256(form.encode()).hexdigest()[:16]
