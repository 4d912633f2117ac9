import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.services.checks.check import (
    AgreementLimit,
    Limits,
    agreement_limit,
    latency_limit,
    score_limit,
)


def test_limits_are_read_from_words() -> None:
    assert agreement_limit("kappa:0.6") == AgreementLimit("kappa", 0.6)
    assert agreement_limit("my:metric:ac1:.5") == AgreementLimit("ac1", 0.5, "my:metric")
    assert agreement_limit("alt_omega:0.5") == AgreementLimit("alt_omega", 0.5)
    assert agreement_limit("my:metric:alt_rho:1") == AgreementLimit("alt_rho", 1.0, "my:metric")
    assert score_limit("accuracy:4") == ("accuracy", 4.0)
    assert latency_limit("median:200") == ("p50", 200.0)
    assert latency_limit("average:200") == latency_limit("mean:200")


@pytest.mark.parametrize(
    "text",
    ["kappa", "kappa:", ":0.5", "kappa:x", "kappa:nan", "mae:1", "accuracy:magic:1",
     "alt_omega:50", "accuracy:alt_rho:-1", "alt_omega", "alt:0.5"],
)  # fmt: skip
def test_what_is_no_agreement_limit_is_a_sentence(text: str) -> None:
    with pytest.raises(ReviewerError, match="--min-agreement"):
        agreement_limit(text)


@pytest.mark.parametrize("text", ["4", ":4", "accuracy:", "accuracy:inf"])
def test_what_is_no_score_limit_is_a_sentence(text: str) -> None:
    with pytest.raises(ReviewerError, match="--min-score"):
        score_limit(text)


@pytest.mark.parametrize("text", ["100", "p90:100", "p95:soon"])
def test_what_is_no_latency_limit_is_a_sentence(text: str) -> None:
    with pytest.raises(ReviewerError, match="--max-latency"):
        latency_limit(text)


def test_nothing_asked_for_is_nothing() -> None:
    assert not Limits().asked
    assert Limits(min_labels=0).asked
    assert Limits(targets=True).asked
