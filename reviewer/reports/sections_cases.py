"""The responses that a report tells: where people say otherwise, the best and the worst."""

from collections.abc import Iterator, Sequence

from reviewer.domain.evaluation import Value
from reviewer.domain.wording import DASH, listed, score_words, two
from reviewer.reports.evidence import Opinion, Piece, ToldCase
from reviewer.reports.parts import Cases, Part, Words
from reviewer.reports.report import Report, Result, overall_top


def differing(report: Report) -> Iterator[Part]:
    """Show where judge and people differ most."""
    if report.evidence is not None and report.evidence.differing:
        yield Cases(report.evidence.differing)
        yield Words(
            "The largest differences of the metrics that are least to be relied on come first; "
            "what is marked in a response a person highlighted.",
            quiet=True,
        )


def best(report: Report) -> Iterator[Part]:
    """Show the best responses, by people first."""
    yield from _ranked(_told(report, best=True), "Best")


def worst(report: Report) -> Iterator[Part]:
    """Show the worst responses, by people first."""
    yield from _ranked(_told(report, best=False), "Worst")


def _ranked(cases: Sequence[ToldCase], which: str) -> Iterator[Part]:
    if not cases:
        return
    by_people = sum(one.people is not None for one in cases)
    said = f"{which} {len(cases)}, by people's overall first, then the judge's."
    if not by_people:
        said = f"{which} {len(cases)} by the judge's overall: people scored none of them."
    elif by_people < len(cases):
        said += f" People scored {by_people} of them."
    yield Cases(cases)
    yield Words(said, quiet=True)


def _told(report: Report, *, best: bool) -> Sequence[ToldCase]:
    if report.evidence is not None:
        return report.evidence.best if best else report.evidence.worst
    return [_judged(report, one) for one in (report.run.best if best else report.run.worst)]


def _judged(report: Report, result: Result) -> ToldCase:
    """Tell a case of which nobody was asked what people say."""
    case = result.scored.case
    return ToldCase(
        key=case.key,
        id=case.id,
        run=case.run,
        category=case.category,
        question=case.question or "",
        turns=0,
        response=(Piece(case.response),) if case.response else (),
        judge=result.overall,
        top=overall_top(report.rubric),
        judged=result.passed,
        opinions=tuple(
            Opinion(
                metric=name,
                title=metric.heading,
                top=metric.bounds[1] if metric.bounds else None,
                judge=score.value,
                reasoning=score.reasoning or "",
            )
            for name, metric in report.rubric.by_name.items()
            if (score := result.scored.scores.get(name)) is not None and score.value is not None
        ),
    )


def overall_words(case: ToldCase) -> tuple[str, str]:
    """Say the overall of a response by people and by the judge, empty where they gave none."""
    top = "" if case.top is None else f" of {case.top:g}"
    people, judge = (
        "" if value is None else f"{side} {two(value)}{top}{_verdict(passed)}"
        for side, value, passed in (
            ("people", case.people, case.passed),
            ("judge", case.judge, case.judged),
        )
    )
    return people, judge


def _verdict(passed: bool | None) -> str:  # noqa: FBT001 - a verdict
    return "" if passed is None else ", ✓ passed" if passed else ", ✗ failed"


def place_words(case: ToldCase) -> str:
    """Say where a response stands: its run, its category, its conversation."""
    turns = f"the end of {case.turns:,} turns" if case.turns > 2 else ""
    return " · ".join(filter(None, (case.run, case.category, turns)))


def judge_words(one: Opinion) -> str:
    """Say what the judge gave."""
    return f"Judge {_value(one.judge)}"


def people_words(one: Opinion) -> str:
    """Say what people gave and what was decided, empty where nobody said anything."""
    given = ", ".join(_value(value) for value in one.people)
    decided = "" if one.decided is None else f"decided {_value(one.decided)}"
    if not given and not decided:
        return ""
    return "; ".join(filter(None, (f"People {given}" if given else "", decided or ""))).strip()


def comments(one: Opinion) -> str:
    """Give what people wrote, each in quotation marks."""
    return listed([f"“{comment}”" for comment in one.comments])


def _value(value: Value | None) -> str:
    return DASH if value is None else score_words(value)
