"""People among themselves: the FED dialogs' five annotators, JUDGE-BENCH's crowds."""

import json
from pathlib import Path

import pytest

from tests.journeys.reference import Tables, compare, ranges, reference

FED = "DSincerity+FED_Replication"
RECIPES = "data/recipe_crowd_sourcing_data/meta_evaluation_recipes.json"
DICES = "data/dices/dices_350_crowdsourced.json"
CORRELATIONS = ("pearson", "spearman", "kendall_b")
METRICS = {
    "turn": (
        "Interesting", "Engaging", "Specific", "Relevant", "Correct", "Semantically appropriate",
        "Understandable", "Fluent", "Overall",
    ),
    "dialog": (
        "Coherent", "Error recovery", "Consistent", "Diverse", "Depth", "Likeable",
        "Understanding", "Flexible", "Informative", "Inquisitive", "Overall",
    ),
}  # fmt: skip
SCORED = [(level, name) for level, names in METRICS.items() for name in names if name != "Overall"]


@pytest.fixture(scope="module")
def dialogs(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tables]:
    """One project a level: the file holds turns and whole dialogs on different scales."""
    found = {}
    for level in METRICS:
        found[level] = Tables(tmp_path_factory.mktemp(level), shared_data)
        report = found[level].take(f"{FED}/fed_data.json", f"fed_{level}s")
        assert report["added"] == reference(shared_data, "fed", level, "n")
        assert report["rejected_values"] == 0
    return found


@pytest.mark.parametrize("level", METRICS)
def test_five_annotators_of_dialogs(
    shared_data: Path, dialogs: dict[str, Tables], level: str
) -> None:
    for metric in METRICS[level]:
        found = dialogs[level].people(metric)
        assert found["labelers"] == 5
        expected = reference(shared_data, "fed", level, metric)
        compare(found, expected, ("alpha_nominal", "alpha_ordinal", "alpha_interval"))


@pytest.fixture(scope="module")
def likelihoods(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """The FED scores of both levels as runs, and everybody's labels of both."""
    tables = Tables(tmp_path_factory.mktemp("fed"), shared_data)
    names = dict.fromkeys(name for names in METRICS.values() for name in names)
    rubric = ranges("fed", [*names], -50, 50)
    for level in METRICS:
        file, mapping = f"{FED}/{level}_level_FU_scores.jsonl", f"fed_{level}_scores"
        tables.take(file, mapping, rubric, run=level)
    report = tables.take("derived/fed_long.csv", "fed_long")
    assert (report["labels"], report["rejected"], report["rejected_values"]) == (23750, 0, 0)
    return tables


@pytest.mark.parametrize(("level", "metric"), SCORED)
def test_the_likelihood_score_against_the_mean_of_annotators(
    shared_data: Path, likelihoods: Tables, level: str, metric: str
) -> None:
    """Against the plain mean; the published figures trim labels by a rule of their own."""
    expected = reference(shared_data, "fed", level, metric)
    compare(
        likelihoods.judge(metric, "--run", level),
        expected["fed_vs_human_plain_mean"],
        ("n", *CORRELATIONS),
    )
    compare(
        likelihoods.people(metric, "--run", level), expected, {"alpha_interval": "alpha_interval"}
    )


def published_alpha(shared_data: Path, file: str, metric: str) -> float:
    """Give alpha as the data set's own authors report it, to all digits."""
    path = shared_data / "dmg-illc+JUDGE-BENCH/results/regular" / file
    if not path.exists():
        pytest.skip(f"needs {file} in ../shared/data")
    models = json.loads(path.read_text())
    (alpha,) = {model[metric]["krippendorff_alpha"] for model in models.values()}
    return float(alpha)


@pytest.mark.parametrize(
    ("file", "mapping", "labelers", "alpha"),
    [
        (RECIPES, "judge_bench_recipes", 88, "alpha_ordinal"),
        (DICES, "judge_bench_dices", 123, "alpha_nominal"),
        (RECIPES, None, 88, "alpha_ordinal"),
    ],
)
def test_crowds(
    shared_data: Path, tmp_path: Path, file: str, mapping: str | None, labelers: int, alpha: str
) -> None:
    tables = Tables(tmp_path, shared_data)
    tables.take(f"dmg-illc+JUDGE-BENCH/{file}", mapping)
    results = {RECIPES: "recipe-crowd-sourcing-data.json", DICES: "dices-350-crowdsourced.json"}
    for metric, expected in reference(shared_data, f"JUDGE-BENCH {file}").items():
        found = tables.people(metric)
        assert (found["n"], found["labelers"]) == (expected["items"], labelers)
        compare(found, expected, {alpha: "alpha"})
        published = published_alpha(shared_data, results[file], metric)
        assert found[alpha] == pytest.approx(published, abs=1e-9)
