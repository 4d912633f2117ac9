"""Records in which every rule of counting meets every other, drawn from a seed."""

import random
from dataclasses import replace
from typing import Any

from reviewer.domain.rubric import Metric, Rubric
from tests.services.figure_projects import MIXED, case, score

Record = dict[str, Any]
SCORED = ("a", "b", "least", "unweighted", "reversed", "share", "tone", "length", "yes")
WAYS: dict[str, tuple[tuple[str | None, float | None], ...]] = {
    "random": (("random", None),),
    "strata": (("stratum", None), ("random", None)),
    "active": (("active", 0.1), ("active", 0.5), ("random", None), ("active", None)),
    "unknown": ((None, None), ("imported", None)),
    "chosen": (("browse", None), ("search", None), ("disputed", None)),
    "every": (
        ("random", None), ("stratum", None), ("stratum", 0.25), ("active", 0.2),
        ("browse", None), ("browse", 0.3), (None, None), ("disputed", None),
    ),
}  # fmt: skip
KINDS: tuple[Record, ...] = (
    {"kind": "withdrawn", "value": None},
    {"kind": "withdrawn", "value": None, "of": "label"},
    {"kind": "not_applicable", "value": None},
    {"kind": "adjudication"},
    {"kind": "adjudication"},
    {"kind": "adjudication", "value": None},
    {"kind": "comment", "value": None, "comment": "So."},
)


class Drawing:
    """Draws a rubric and its records."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - the same records every time
        self.ways = self._chance.choice(list(WAYS.values()))

    def rubric(self) -> Rubric:
        """Give a rubric with every kind of metric."""
        pick = self._chance.choice
        yes = Metric(name="yes", scale="binary", pass_at=1, weight=pick((0, 1)))
        return replace(
            MIXED,
            missing=pick(("renormalise", "null")),
            pass_rule=pick(("every", "overall", "none")),
            pass_at=3.0,
            metrics=(*MIXED.metrics, yes),
        )

    def records(self) -> list[Record]:
        """Give some records of two runs."""
        size, share = self._chance.choice((5, 30, 120)), self._chance.choice((0.3, 1.0))
        return [self._record(number, labelled=number < size * share) for number in range(size)]

    def options(self) -> tuple[tuple[str, str], ...]:
        """Give options that decide what counts."""
        choices = {
            "label_table": ("each", "majority"),
            "label_combine": ("mean", "median", "latest"),
            "selection": ("drawn", "all"),
            "derived_labels": ("none", "count"),
            "window_date": ("evaluation", "label"),
            "window_months": ("6", "2", "none"),
            "composite_band": ("gap", "metrics"),
            "band_gate": ("any", "both", "sum", "labelled"),
            "one_sided": ("mean_gap", "own_side", "none"),
            "band_population": ("labelled", "discordant"),
            "deviation_denominator": ("kept", "side", "labelled"),
            "deviation_rule": ("ge", "gt"),
            "top_rounding": ("ceil", "floor", "half_up"),
            "min_records": ("3", "30"),
            "min_labelled": ("0", "20"),
            "top_which": ("largest", "smallest"),
            "rescale": ("affine", "ratio"),
        }
        return tuple((name, self._chance.choice(words)) for name, words in choices.items())

    def scope(self) -> Record:
        """Give filters of a scope."""
        pick = self._chance.choice
        found: Record = {
            "every_run": pick((True, False)),
            "blind_only": pick((False, False, True)),
        }
        found["categories"] = pick(((), (), ("p",)))
        found["labelers"] = pick(((), (), ("ann", "bo")))
        months = pick(("unset", "unset", 3, None))
        return found if months == "unset" else found | {"window_months": months}

    def _record(self, number: int, *, labelled: bool) -> Record:
        chance, pick = self._chance, self._chance.choice
        scores = [self._score(x, number) for x in SCORED if chance.random() < 0.9]
        scores += [self._score("a", number) | {"scorer": "other"} for _ in range(pick((0, 0, 1)))]
        labels = [
            self._label(metric, who)
            for metric in (*SCORED[:2], *SCORED[3:7], "yes")
            for who in chance.sample(("ann", "bo", "cy"), pick((1, 2, 3)))
            for _ in range(pick((1, 1, 2)))
            if labelled
        ]
        more: Record = {"excluded": {"reason": "broken"}} if chance.random() < 0.1 else {}
        if chance.random() < 0.3:
            more["cluster"] = f"talk {number // 3}"
        found = case(number, scores, labels, run=pick(("r1", "r2")), category=pick(("p", "q")))
        found["evaluated_at"] = self._time()
        if chance.random() < 0.1:
            del found["evaluated_at"]
        return found | more

    def _score(self, metric: str, number: int) -> Record:
        found = score(metric, self._value(metric, judged=True))
        # neither seeds nor the way a number is written make another version
        found["parameters"] = {"temperature": self._chance.choice((0, 0.0)), "seed": number}
        return found | ({"at": self._time()} if self._chance.random() < 0.3 else {})

    def _label(self, metric: str, who: str) -> Record:
        chance = self._chance
        found: Record = {"metric": metric, "labeler": who, "value": self._value(metric)}
        if chance.random() < 0.8:
            found["at"] = self._time()
        if chance.random() < 0.7:
            found["blind"] = chance.random() < 0.7
        reason, probability = chance.choice(self.ways)
        drawn = {"selection_reason": reason, "selection_prob": probability}
        found |= {name: value for name, value in drawn.items() if value}
        if metric in ("a", "b") and chance.random() < 0.05:
            return found | {"aggregate": 2, "value": 2.5}
        return found | (chance.choice(KINDS) if chance.random() < 0.25 else {})

    def _value(self, metric: str, *, judged: bool = False) -> Any:
        pick = self._chance.choice
        if metric == "tone":
            return pick(("warm", "cold", "odd"))
        if metric == "yes":
            return pick((0, 1))
        if metric in ("share", "length"):
            return round(self._chance.uniform(1, 5), 3)
        return pick((2.5, 3.3)) if judged and self._chance.random() < 0.1 else pick(range(1, 6))

    def _time(self) -> str:
        pick = self._chance.randint
        return f"2026-{pick(1, 11):02}-{pick(1, 28):02}T{pick(0, 23):02}:00:00Z"
