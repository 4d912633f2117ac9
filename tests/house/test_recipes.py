"""What is meant to be one entry is one entry: added in one file, it stands everywhere."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENTRY = """    Entry(
        name="bennett",
        title="Bennett's S",
        sign="S",
        family="cohen",
        meaning="(same − 1 / levels) / (1 − 1 / levels).",
        formula="({same} − {even}) / (1 − {even})",
        ordered=False,
        table=_plain(_bennett),
    ),
"""
FORMULA = """def _bennett(stack: Floats) -> Worked:
    same, even = co.percent(stack).value, np.full(len(stack), 1 / stack.shape[1])
    return Worked((same - even) / (1 - even), {"same": same, "even": even})


"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the program, and add a coefficient to its catalogue: nothing else."""
    copy = tmp_path_factory.mktemp("house")
    left = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "reviewer", copy / "reviewer", ignore=left)
    (copy / "resources").symlink_to(ROOT / "resources")
    catalogue = copy / "reviewer" / "stats" / "catalogue.py"
    text = catalogue.read_text("utf-8")
    place, formulas = '    Entry(\n        name="kappa_se",', "def _kappa(power"
    assert text.count(place) == text.count(formulas) == 1
    text = text.replace(place, ENTRY + place).replace(formulas, FORMULA + formulas)
    catalogue.write_text(text, encoding="utf-8")
    assert run(copy, "-m", "reviewer", "demo", "demo.review", "--no-open").returncode == 0
    return copy


def run(house: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=house,
        env={**os.environ, "PYTHONPATH": str(house)},
        capture_output=True,
        check=False,
        text=True,
    )


def test_a_new_coefficient_stands_in_the_document_and_in_words(house: Path) -> None:
    found = run(house, "-m", "reviewer", "stats", "demo.review", "--json")
    blocks = json.loads(found.stdout)["metrics"]
    agreements = {name: block["agreement"]["judge_human"] for name, block in blocks.items()}
    assert {name for name, one in agreements.items() if one["bennett"] is not None}
    for one in agreements.values():
        low, high = one["intervals"].get("bennett", (-1.0, 1.0))
        assert one["bennett"] is None or low <= one["bennett"] <= high
        assert (one["bennett"] is None) == ("bennett" in one["undefined"])
    assert any("bennett" in one["words"] for one in agreements.values())


def test_a_new_coefficient_is_a_limit_of_check(house: Path) -> None:
    words = ("-m", "reviewer", "check", "demo.review", "--json", "--min-agreement", "bennett:-1")
    found = run(house, *words)
    checks = json.loads(found.stdout)["checks"]
    assert checks
    assert all(one["name"].endswith(" bennett") and one["ok"] for one in checks)


def test_a_new_coefficient_is_offered_and_explained(house: Path) -> None:
    asked = """
import numpy as np
from reviewer.gui.audit.metric_figures import CHOICES
from reviewer.services.aligning.standing import STATISTICS, title_of
from reviewer.services.explaining.explanations_agreement import pair_steps
from reviewer.domain.rubric import Level, Metric
from reviewer.services.figures.statistics_blocks import LabelerPair
metric = Metric(name="a", levels=tuple(Level(value=x) for x in (1, 2)))
labels = np.array([1.0, 1, 1, 2]), np.array([1.0, 1, 2, 2])
pair = LabelerPair(a="a", b="b", metric="a", n=4, figures={"bennett": 0.5})
print(("bennett", "S") in CHOICES, "bennett" in STATISTICS, title_of("bennett"))
print(pair_steps(metric, labels, pair, ["bennett"])[0].formula)
"""
    found = run(house, "-c", asked)
    assert found.stdout.splitlines() == [
        "True True Bennett's S",
        "(0.75 − 0.5) / (1 − 0.5) = 0.5",
    ], found.stderr
