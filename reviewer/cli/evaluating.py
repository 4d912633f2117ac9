"""Score, judge or answer again: what the words come to, what it would take, and the work."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from reviewer.cli import console, evaluate_options
from reviewer.cli.comparing import print_comparison
from reviewer.cli.console import be_known, begun, clean, opened, out, reporting, say, table, tell
from reviewer.cli.evaluate_options import EvaluateOptions, Tests, tests_of
from reviewer.cli.options import JsonOption, ProjectArgument, pairs, pass_mark, takes
from reviewer.cli.table import DONE, NOT_HELD, STOPPED
from reviewer.domain.case_set import CaseSet
from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import JsonValue
from reviewer.domain.judging import Following, Job, JobPlan, Selection
from reviewer.domain.run import Scope
from reviewer.domain.wording import fixed
from reviewer.services.aligning import splitting
from reviewer.services.bots import bots
from reviewer.services.calls import prices, selecting
from reviewer.services.comparing import comparing
from reviewer.services.comparing.comparison import Side
from reviewer.services.jobs import estimating, job_list, planning, running, scorers
from reviewer.services.jobs.away import Workers
from reviewer.services.jobs.control import Control
from reviewer.services.jobs.job_list import JobRow
from reviewer.services.judging import judges
from reviewer.services.judging.judges import PlacedJudge
from reviewer.services.project.session import Session
from reviewer.services.reporting import making


@takes(EvaluateOptions)
def evaluate(options: EvaluateOptions) -> int:
    """Score again, or let a bot answer again: a new score set or run, the old ones kept.

    With nothing named the rubric's own scorers score; a rubric without any asks its judge.
    """
    with evaluate_options.workers(options) as workers:
        return _evaluated(evaluate_options.imported(options), workers)


def _evaluated(options: EvaluateOptions, workers: Workers | None) -> int:
    # whoever brings cases may begin with them
    place = begun if options.tests and not options.dry_run else opened
    with place(options.project, tells=True) as session:
        session.sees_all = True
        evaluate_options.add_metrics(session, options)
        passing = pass_mark(session, options.passing_score, Scope(runs=tuple(options.run)))
        if options.resume and not options.dry_run:
            keys = [job_list.newest_open(session)]
            if options.max_cost is not None:
                job_list.set_limit(session, keys[0], options.max_cost)
        elif options.dry_run:
            return _foretell(session, options)
        else:
            plans = planned(session, options)
            _warn(session, plans)
            making.check(session, plans, passing=passing, folder=options.output_dir)
            keys = planning.add_together(session, plans)
    done = _work_all(options.project, keys, workers)
    is_recorded = _record(options.project, done) if options.record else _tell(options, done)
    compared = told(options.project, done, quiet=options.json)
    reported = evaluate_options.report(
        options.project,
        done,
        passing=passing,
        folder=options.output_dir,
        quiet=options.json,
    )
    if options.json:
        with opened(options.project) as session:
            jobs = {"jobs": [job_list.fields(session, job) for job in done]}
        console.write(jobs | compared | reported)
    return max(*map(_code, done), _failed(done, options), DONE if is_recorded else NOT_HELD)


def _failed(done: list[Job], options: EvaluateOptions) -> int:
    """Give the exit code for what could not be scored.

    Raises:
        ReviewerError: Nothing could be scored.
    """
    scored = [job for job in done if job.kind != "bot" and job.state == "done"]
    failed = sum(job.failed for job in scored)
    if failed and not any(job.done for job in scored):
        raise ReviewerError("Nothing could be scored; `reviewer jobs PROJECT --json` says why.")
    return NOT_HELD if failed > (options.allow_failures or 0) else DONE


def _record(project: Path, done: list[Job]) -> bool:
    """Let what was scored count; tells whether all of it ended whole and does."""
    with opened(project) as session:
        be_known(session)
        scored = [job for job in done if job.kind != "bot"]
        whole = [job for job in scored if job.state == "done"]
        for job in whole:
            say(job_list.name_record(session, job.key))
    for job in scored:
        if job.state != "done":
            say(f"Job {job.key} did not end whole, so its scores do not count.")
    return len(whole) == len(scored)


def _tell(options: EvaluateOptions, done: list[Job]) -> bool:
    """Say where other scores count than those that were made."""
    with opened(options.project) as session:
        for sentence in job_list.not_counted(session, [job.key for job in done]):
            say(sentence)
    return True


def _warn(session: Session, plans: list[JobPlan]) -> None:
    """Say before anything is asked what a judge would not see."""
    for sentence in dict.fromkeys(estimating.unasked(session, plan) for plan in plans):
        if sentence:
            say(sentence)


def _foretell(session: Session, options: EvaluateOptions) -> int:
    if options.resume:
        raise ReviewerError(
            "--resume goes on with a job that is planned already; leave out --dry-run. "
            "`reviewer jobs PROJECT` says how far it is."
        )
    jobs = []
    for plan, guess in foretold(session, options):
        jobs.append(
            {
                "title": plan.title,
                "evaluations": guess.evaluations,
                "calls": guess.calls,
                "cached": guess.cached,
                "excluded": guess.excluded,
                "tokens_in": guess.tokens_in,
                "tokens_out": guess.tokens_out,
                "cost_usd": guess.cost_usd,
                "seconds": guess.seconds,
                "at_once": guess.at_once,
            }
        )
        if not options.json:
            out(f"{clean(plan.title)}: {guess.sentence}")
    if options.json:
        console.write({"dry_run": True, "jobs": jobs})
    else:
        out("Nothing was asked and nothing kept (--dry-run).")
    return DONE


def _work_all(project: Path, keys: list[int], workers: Workers | None) -> list[Job]:
    """Work on jobs one after the other, and on what scores a bot's answers right after it.

    Who stops one of them stops those that were to come, too; they wait.
    """
    done: list[Job] = []
    waiting = list(keys)
    while waiting and not (done and _stopped(done[-1])):
        done.append(_work(project, waiting.pop(0), workers))
        waiting = followers(project, done[-1]) + waiting
    return done


def _work(project: Path, key: int, workers: Workers | None) -> Job:
    with reporting("Evaluating") as progress:
        job = running.run(project, key, progress, Control(), workers)
    say(job_list.sentence(job))
    if job.failed and job.kind != "bot":
        with opened(project) as session:
            for failure in job_list.failures(session, key):
                say(failure.told)
    return job


def _code(job: Job) -> int:
    if job.state == "failed":
        raise ReviewerError(job.sentence or "The job failed.")
    if job.state in ("paused", "cancelled"):
        return STOPPED if job.sentence in (None, "Paused.") else NOT_HELD
    return DONE


def _stopped(job: Job) -> bool:
    """Tell whether somebody stopped a job; at its limit it stops by itself."""
    return job.state == "cancelled" or (job.state == "paused" and _code(job) == STOPPED)


@dataclass(frozen=True, kw_only=True)
class JobsOptions:
    """Which project, and whose scores to take back."""

    project: ProjectArgument
    action: Annotated[
        Literal["list", "discard"],
        typer.Argument(help="list, or discard to take a job's scores back.", show_default=False),
    ] = "list"
    job: Annotated[int | None, typer.Argument(metavar="JOB", help="The number of the job.")] = None
    json: JsonOption = False


@takes(JobsOptions)
def list_jobs(options: JobsOptions) -> int:
    """List what was evaluated again, and how far it is, or take the scores of a job back."""
    with opened(options.project, tells=True) as session:
        if options.action == "discard":
            be_known(session)
            if options.job is None:
                raise ReviewerError(
                    "Name the job: `reviewer jobs PROJECT discard JOB`; `jobs PROJECT` lists them."
                )
            tell(job_list.discard(session, options.job), as_json=options.json, job=options.job)
            return DONE
        found = job_list.every(session)
        rows = [job_list.row(session, job) for job in found]
        discarded = {row.job.key for row in rows if row.discarded}
        if options.json:
            listed = [
                job_list.fields(session, x) | {"discarded": x.key in discarded} for x in found
            ]
            console.write({"jobs": listed})
            return DONE
        notes = [_note(session, row) for row in rows]
    table(
        "",
        ("job>", "what", "state", "done>", "failed>", "calls>", "cost>", "note"),
        [
            (
                str(job.key), job.title, job.state, f"{job.done:,} of {job.total:,}",
                f"{job.failed:,}", f"{job.calls:,}", _spent(row),
                note,
            )
            for row, job, note in zip(rows, found, notes, strict=True)
        ],
    )  # fmt: skip
    return DONE


def _note(session: Session, row: JobRow) -> str:
    """Say what became of a job: its scores, how it ended, else why some failed."""
    if row.discarded:
        return "scores discarded"
    told = [x.told for x in job_list.failures(session, row.job.key)[:1]]
    return row.job.sentence or "".join(told)


def _spent(row: JobRow) -> str:
    is_told = row.priced or row.job.cost_usd > 0
    return f"${fixed(row.job.cost_usd, 4)}" if is_told else "not known"


Foretold = list[estimating.Foretold]


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
            if options.bot:
                return _estimated(session, _plans(session, options, selection, tests))
        plans = _plans(session, options, selection, tests)
        _warn(session, plans)
        return _estimated(session, plans)


def _estimated(session: Session, plans: list[JobPlan]) -> Foretold:
    return [
        told
        for plan in plans
        for told in (
            (plan, estimating.estimate(session, plan)),
            *estimating.followed(session, plan),
        )
    ]


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
    if options.bot:
        planning.check_following(session, _then(options))
        if options.examples:
            raise ReviewerError(
                "--examples is of a judge that scores a run which is there; leave out --bot."
            )
    repeats = (options.repeat or 1) > 1
    if (options.examples or repeats) and not _asks_a_judge(session, options, selection):
        name = "--examples" if options.examples else "--repeat"
        raise ReviewerError(f"{name} is of a judge; name one with --judge.")


def _asks_a_judge(session: Session, options: EvaluateOptions, selection: Selection) -> bool:
    if options.judge or options.bot:
        return bool(options.judge or options.model)
    return not options.scorer and not _is_free(session, options, selection)


def _is_free(session: Session, options: EvaluateOptions, selection: Selection) -> bool:
    """Tell whether nothing is named, and the rubric's own scorers score what is selected."""
    if options.judge or options.scorer or options.model:
        return False
    return scorers.cover(selecting.rubric_of(session, selection), tuple(options.metric))


def _tests(session: Session, options: EvaluateOptions, selection: Selection) -> CaseSet | None:
    if options.tests is not None:
        wish = Tests(
            name=options.tests, tags=tuple(options.tag), where=tuple(options.fields),
            rubric=options.rubric,
        )  # fmt: skip
        return tests_of(session, wish, selection)
    if options.tag or options.fields or options.rubric:
        raise ReviewerError(
            "--tag, --where and --rubric are of a test set, which --tests names; --rubric is of "
            "what --import brings, too."
        )
    return None


def _plans(
    session: Session, options: EvaluateOptions, selection: Selection, tests: CaseSet | None
) -> list[JobPlan]:
    if options.bot:
        then = _with_usual_judge(session, options, _then(options))
        named = [bots.named(session, word) for word in options.bot]
        plans = [
            planning.answering_plan(session, name, selection, tests=tests, then=then)
            for name in named
        ]
    else:
        if tests is not None:
            selection = narrowed(session, tests, selection)
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
    model = options.model or judges.DEFAULT_MODEL
    if options.dry_run:
        return judges.placed_judge(session, model)
    return judges.judge_for(session, model).name


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
    if options.parameter and (len(options.scorer) != 1 or options.bot):
        raise ReviewerError("--parameter is of one --scorer; name that scorer, without a bot.")
    return {name: _value(text) for name, text in pairs(options.parameter, "--parameter")}


def _value(text: str) -> JsonValue:
    try:
        read: JsonValue = json.loads(text)
    except ValueError:
        return text
    return read


def narrowed(session: Session, tests: CaseSet, selection: Selection) -> Selection:
    """Narrow a selection to the evaluations of a test set's cases.

    Raises:
        ReviewerError: The run holds none of them.
    """
    keys = bots.evaluations_of(session, tests, replace(selection, limit=None))
    if not keys:
        raise ReviewerError(
            f"The chosen run holds no case of {tests.title}; let a bot answer it with --bot NAME."
        )
    return replace(selection, keys=tuple(keys))


def followers(project: Path, job: Job) -> list[int]:
    """Give the jobs that score what a bot's job has just answered."""
    if job.kind != "bot" or job.state != "done":
        return []
    with opened(project) as session:
        return [x.key for x in job_list.waiting(session, job.key)]


def told(project: Path, done: list[Job], *, quiet: bool) -> dict[str, Any]:
    """Compare a bot's run with the one before, and give its part of the document."""
    answered = [job for job in done if job.kind == "bot" and job.state == "done"]
    if not answered:
        return {}
    with opened(project) as session:
        session.sees_all = True
        run = job_list.target(session, answered[-1].key)
        if run is None:
            return {}
        before = comparing.run_before(session, run)
        found = comparing.compare(session, Side(before), Side(run)) if before else None
    if found is not None and not quiet:
        print_comparison(found)
    return {
        "run": run,
        "score_sets": [],
        "summary": None,
        "reports": None,
        "comparison": found.to_json() if found is not None else None,
    }
