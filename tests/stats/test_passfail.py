import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from reviewer.stats.passfail import pass_fail

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "spec" / "vectors"
NAMES = {
    "tpr": "catch_rate",
    "tnr": "specificity",
    "precision": "precision",
    "npv": "npv",
    "f1": "f1",
    "balanced": "balanced_accuracy",
    "mcc": "mcc",
}
COUNT = st.integers(0, 30)


def test_every_case_of_the_case_file() -> None:
    path = VECTORS / "agreement.json"
    if not path.is_file():
        pytest.skip("needs ../shared/spec/vectors/agreement.json beside this checkout")
    checked = 0
    for case in json.loads(path.read_text(encoding="utf-8")):
        if "binary" in case["expect"]:
            # the file's columns are human, ours are auto
            found = pass_fail(np.array(case["table"]).T.tolist())
            for name, attribute in NAMES.items():
                expected = case["expect"]["binary"][name]
                value = found[attribute]
                assert value == (None if expected is None else pytest.approx(expected)), name
                assert (value is None) == (attribute in found.undefined)
            checked += 1
    assert checked == 5


@given(COUNT, COUNT, COUNT, COUNT)
def test_against_scikit_learn(caught: int, missed: int, alarmed: int, passed: int) -> None:
    found = pass_fail([[caught, missed], [alarmed, passed]])
    human = [1] * (caught + missed) + [0] * (alarmed + passed)
    auto = [1] * caught + [0] * missed + [1] * alarmed + [0] * passed
    assert found.n == len(human)
    expected: dict[str, Callable[[], float]] = {
        "catch_rate": lambda: sk.recall_score(human, auto, zero_division=0),
        "precision": lambda: sk.precision_score(human, auto, zero_division=0),
        "f1": lambda: sk.f1_score(human, auto, zero_division=0),
        "mcc": lambda: sk.matthews_corrcoef(human, auto),
        "balanced_accuracy": lambda: sk.balanced_accuracy_score(human, auto),
    }
    for name, oracle in expected.items():
        if found[name] is not None:
            assert found[name] == pytest.approx(oracle()), name


def test_reasons_name_what_is_missing() -> None:
    nothing = pass_fail([[0, 0], [0, 0]])
    assert set(nothing.undefined.values()) == {"no evaluation has both verdicts"}
    assert len(nothing.undefined) == 7
    good = pass_fail([[0, 0], [2, 20]])
    assert good.undefined["catch_rate"] == "no human-failed item labelled yet"
    assert good.undefined["mcc"] == "no human-failed item labelled yet"
    assert pass_fail([[0, 3], [0, 20]]).undefined == {
        "precision": "the judge failed none of the labelled items",
        "mcc": "the judge failed none of the labelled items",
    }
    assert pass_fail([[3, 0], [2, 0]]).undefined["mcc"].startswith("the judge passed none")
    bad = pass_fail([[3, 1], [0, 0]])
    assert bad.undefined["balanced_accuracy"] == "no human-passed item labelled yet"


def test_intervals_follow_the_rate_s_own_class() -> None:
    found = pass_fail([[9, 6], [3, 82]])
    assert set(found.intervals) == {"catch_rate", "specificity", "precision", "npv"}
    found = pass_fail([[4, 5], [3, 82]])
    assert "catch_rate" not in found.intervals
