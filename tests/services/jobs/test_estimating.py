"""What a job is likely to take, as the window and the command say it before it starts."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.judging import Bot, Endpoint, Judge, Price, Selection
from reviewer.domain.rubric import Exclusion
from reviewer.paths import resources
from reviewer.services.bots import bots
from reviewer.services.jobs import estimating, planning
from reviewer.services.jobs.control import USUAL_REPLY
from reviewer.services.jobs.estimating import UNHELD, Estimate, forecast
from reviewer.services.jobs.launching import Wish
from reviewer.services.project.session import Session
from reviewer.store import judging
from tests.building import RUBRIC, build_project, record

ROWS = bots.faq_rows(resources() / "examples" / "faq.csv")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """Twelve responses, three metrics, and a judge at an endpoint for nine calls at once."""
    made = build_project(tmp_path / "p.review")
    with closing(Session.open(made, "ann")) as opened:
        place(opened, concurrency=9)
        judging.keep(opened.project, Judge(name="careful", endpoint="near", model="m"))
        yield opened


def place(session: Session, **settings: Any) -> None:
    endpoint = Endpoint(name="near", base_url="http://127.0.0.1:9/v1", **settings)
    judging.keep(session.project, endpoint)


def told(session: Session, **changes: Any) -> str:
    wish = Wish(kind="judge", selection=Selection(), judge="careful", **changes)
    return forecast(session, wish).sentence


def guess(session: Session) -> Estimate:
    return estimating.estimate(session, planning.judging_plan(session, "careful", Selection()))


def test_more_calls_at_once_take_less_time(session: Session) -> None:
    assert told(session).startswith("12 evaluations · 36 calls · ")
    assert told(session).endswith(" · about 12 s.")
    assert told(session, concurrency=2).endswith(" · about 54 s.")
    assert told(session, concurrency=1).endswith(" · about 2 min.")
    assert " · about 4 s · " in told(session, metrics=("safety",))
    assert told(session, metrics=("safety", "accuracy"), concurrency=1).endswith(" · about 72 s.")


def test_a_rate_that_is_slower_than_the_calls_gives_the_time(session: Session) -> None:
    place(session, concurrency=9, per_minute=3)
    assert told(session).endswith(" · about 12 min.")
    place(session, concurrency=1, per_minute=6000)
    assert told(session).endswith(" · about 2 min.")
    place(session, per_minute=1)
    assert told(session, repeats=5).endswith(" · about 3.0 h.")


def test_a_price_is_of_the_tokens_that_are_sent_and_come_back(session: Session) -> None:
    assert "price not known" in told(session)
    price = Price(model="m", input_per_million=1.0, output_per_million=2.0)
    judging.keep_price(session.project, price)
    found = guess(session)
    assert found.tokens_out == 36 * USUAL_REPLY
    assert found.tokens_in > 36
    assert found.cost_usd == pytest.approx((found.tokens_in + 2 * found.tokens_out) / 1e6)
    assert f"about {found.tokens_in + found.tokens_out:,} tokens" in told(session)


def test_what_lies_beyond_the_sample_is_taken_to_be_like_it(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = guess(session)
    monkeypatch.setattr(estimating, "SAMPLE", 4)
    found = guess(session)
    assert (found.evaluations, found.calls) == (12, 36)
    assert found.tokens_in == pytest.approx(whole.tokens_in, rel=0.02)


def test_a_limit_that_ends_a_job_early_is_told_before(session: Session) -> None:
    def warned(limit: float | None) -> str:
        wish = Wish(kind="judge", selection=Selection(), judge="careful", max_cost=limit)
        return forecast(session, wish).warning

    assert (warned(None), warned(1.0)) == ("", UNHELD)
    price = Price(model="m", input_per_million=1000.0, output_per_million=1000.0)
    judging.keep_price(session.project, price)
    cost = guess(session).cost_usd
    assert cost is not None
    assert warned(cost + 1) == ""
    assert warned(0.5) == "It would stop at $0.50, before everything is judged."


def test_nothing_selected_is_said(session: Session) -> None:
    wish = Wish(kind="judge", selection=Selection(part="dev"), judge="careful", max_cost=1.0)
    found = forecast(session, wish)
    assert found.problem == "Nothing is selected, so there is nothing to evaluate."
    assert found.sentence.startswith("0 evaluations · 0 calls")
    assert found.warning == ""


def test_what_a_bot_answers_is_said_with_its_price(session: Session) -> None:
    settings: dict[str, Any] = {"endpoint": "near", "model": "m", "system": "Be kind. " * 100}
    bots.keep(session, Bot(name="chat", kind="chat", settings=settings))
    bots.keep(session, Bot(name="table", kind="strict_match", settings={"rows": ROWS}))

    def guessed(bot: str, **changes: Any) -> Estimate:
        plan = planning.answering_plan(session, bot, Selection())
        return estimating.estimate(session, replace(plan, **changes))

    free = guessed("table")
    assert (free.calls, free.tokens_out, free.cost_usd, free.seconds) == (12, 0, 0.0, 0.0)
    assert guessed("chat").cost_usd is None
    judging.keep_price(session.project, Price(model="m", input_per_million=1000.0,
                                              output_per_million=2000.0))  # fmt: skip
    found = guessed("chat", concurrency=2)
    assert (found.calls, found.tokens_out, found.seconds) == (12, 12 * USUAL_REPLY, 18.0)
    assert found.tokens_in > 12 * 200
    assert found.cost_usd == pytest.approx((found.tokens_in + 2 * found.tokens_out) / 1e3)

    def told(limit: float) -> str:
        wish = Wish(kind="bot", selection=Selection(), bot="chat", max_cost=limit)
        return forecast(session, wish).warning

    assert told(100.0) == ""
    assert told(1.0) == "It would stop at $1.00, before everything is done."


def test_replies_at_hand_and_excluded_responses_stand_in_the_estimate() -> None:
    plain = Estimate(
        evaluations=1, calls=1, cached=0, excluded=0, tokens_in=900, tokens_out=300,
        cost_usd=0.5, seconds=3.0,
    )  # fmt: skip
    assert plain.sentence == "1 evaluation · 1 call · about 1,200 tokens · about $0.5000."
    assert replace(plain, cached=1, excluded=1200).sentence.endswith(
        " · 1 reply from the cache · 1,200 scores excluded by the rubric's pre-checks."
    )


def test_what_a_crash_costs_is_said_in_numbers(session: Session) -> None:
    assert " · at a crash at most 9 calls are paid again · " in told(session)
    assert " · at a crash at most 1 call is paid again · " in told(session, concurrency=1)
    assert "at most 36 calls" in told(session, concurrency=50)
    assert "crash" not in forecast(session, Wish(kind="scorer", selection=Selection())).sentence


def test_what_a_rubric_keeps_out_costs_no_calls(tmp_path: Path) -> None:
    rubric = replace(RUBRIC, exclusions=(Exclusion(name="no_user_turn", text="Nobody asks"),))
    silent = [{"role": "assistant", "content": "Hello."}]
    records = [record(1), record(2), record(3, messages=silent)]
    made = build_project(tmp_path / "silent.review", evaluations=records, rubric=rubric)
    with closing(Session.open(made, "ann")) as session:
        place(session)
        judging.keep(session.project, Judge(name="careful", endpoint="near", model="m"))
        plan = planning.judging_plan(session, "careful", Selection())
        found = estimating.estimate(session, replace(plan, repeats=2))
    assert (found.evaluations, found.calls, found.excluded) == (3, 12, 6)
