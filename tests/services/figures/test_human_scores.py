from reviewer.services.figures.human_scores import (
    Choice,
    Entry,
    HumanScore,
    choice_of,
    human_score,
    with_derived,
)
from reviewer.services.project.figure_rules import Derivation, derivations, overall_rule
from reviewer.stats.deviations import PUBLISHED
from tests.services.figure_projects import MIXED

METRIC = MIXED.by_name["a"]
TONE = MIXED.by_name["tone"]
RULE = overall_rule(MIXED, PUBLISHED)


def entry(value: float, *, decided: bool = False, time: int = 0, order: int = 0) -> Entry:
    return Entry(value, decided, time, order)


def test_the_latest_decision_wins_by_time_then_arrival() -> None:
    found = human_score(
        METRIC,
        [entry(1), entry(2, decided=True, time=5), entry(4, decided=True, time=5, order=1)],
        "mean",
    )
    assert found == HumanScore(4, 4, time=5, parts=(4,), decided=True)


def test_labels_are_averaged_and_their_majority_kept() -> None:
    found = human_score(METRIC, [entry(5), entry(5), entry(2)], "mean")
    assert found == HumanScore(4, 5, time=0, parts=(5, 5, 2))
    found = human_score(METRIC, [entry(5), entry(2, time=3)], "mean")
    assert found == HumanScore(3.5, None, time=3, parts=(5, 2))
    found = human_score(METRIC, [entry(5, time=1), entry(2)], "latest")
    assert found == HumanScore(5, None, time=1, parts=(2, 5))
    assert human_score(METRIC, [], "mean") is None


def test_categories_without_majority_have_no_score() -> None:
    assert human_score(TONE, [entry(0), entry(1)], "mean") is None
    found = human_score(TONE, [entry(0), entry(1), entry(1)], "mean")
    assert found == HumanScore(1, 1, time=0, parts=(0, 1, 1))


def test_derived_scores_need_every_part_and_never_replace_an_own_one() -> None:
    rules = derivations(MIXED)
    a, b = HumanScore(4.5, None), HumanScore(2, 2)
    assert with_derived({"a": a}, rules, RULE) == {"a": a}
    found = with_derived({"a": a, "b": b}, rules, RULE)
    assert found["least"] == HumanScore(2, None, derived=True)
    own = HumanScore(5, 5)
    assert with_derived({"a": a, "b": b, "least": own}, rules, RULE)["least"] == own
    whole = {"a": HumanScore(4, 4), "b": b, "reversed": HumanScore(1, 1)}
    assert with_derived(whole, rules, RULE)["satisfaction"].score == (8 + 2 + 2 + 5) / 5


def test_the_other_ways_of_deriving() -> None:
    parts = {"a": HumanScore(4, 4), "b": HumanScore(2, 2)}
    for way, expected in (("max", 4), ("mean", 3)):
        rule = {"made": Derivation(way, ("a", "b"))}  # type: ignore[arg-type]
        assert with_derived(parts, rule, RULE)["made"] == HumanScore(
            expected, expected, derived=True
        )


def test_only_random_strata_and_known_probabilities_stand_for_others() -> None:
    assert choice_of("random", None) is Choice.RANDOM
    assert choice_of("stratum", None) is Choice.STRATUM
    assert choice_of("active", 0.1) is Choice.ACTIVE
    for reason in ("active", "imported", None, "something new"):
        assert choice_of(reason, None) is Choice.UNKNOWN
    for reason in ("browse", "search", "disputed"):
        assert choice_of(reason, 0.5) is Choice.CONVENIENCE
