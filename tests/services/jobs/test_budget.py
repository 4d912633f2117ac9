"""What fits within a limit, by what calls have cost so far."""

import pytest

from reviewer.domain.judging import Price
from reviewer.services.jobs.control import USUAL_REPLY, Budget

PRICE = Price(model="m", input_per_million=1000.0, output_per_million=0.0)


def budget(limit: float | None = 1.0, spent: float = 0.0) -> Budget:
    return Budget(price=PRICE, limit=limit, spent=spent)


def test_a_guess_is_of_the_text_and_a_usual_reply() -> None:
    dear = Price(model="m", input_per_million=1.0, output_per_million=2.0)
    guess = Budget(price=dear).guess(3499)
    assert guess == pytest.approx((1000 + 2 * USUAL_REPLY) / 1e6)
    assert Budget(price=None).guess(3499) == 0.0


def test_a_call_that_reaches_the_limit_just_so_fits() -> None:
    assert budget(spent=0.75).fits(0.25)
    assert not budget(spent=0.75).fits(0.26)
    assert budget(limit=None, spent=9.0).fits(9.0)


def test_what_is_under_way_counts_as_dear_as_the_dearest_so_far() -> None:
    one = budget()
    one.promise(0.1)
    # nobody knows yet what a reply takes
    assert not one.fits(0.1)
    assert one.settle(0.1, one.cost(200, 0)) == pytest.approx(0.2)
    assert one.fits(0.4)
    assert not one.fits(0.41)
    one.promise(0.25)
    assert one.fits(0.15)
    assert not one.fits(0.16)


def test_what_was_promised_is_taken_back_when_it_is_paid() -> None:
    one = budget(limit=10.0)
    for guess in (0.5, 0.25, 0.25):
        one.promise(guess)
    one.settle(0.25, one.cost(250, 0))
    assert (one.spent, one.promised, one.under_way) == (0.25, 0.75, 2)
    one.settle(0.5, one.cost(500, 0))
    one.settle(0.25, None)
    # without its tokens a reply counts as what it was likely to cost
    assert (one.spent, one.promised, one.under_way) == (1.0, 0.0, 0)
