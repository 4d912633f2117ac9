"""SummEval: 1,200 summaries, three language model judges, three experts, five turkers.

Correlations, gaps and the agreement of people are those of the reference to its four decimals.
Its kappas and shares of equal scores are not: they round the experts' mean, while Reviewer takes
the label that most experts gave and leaves out summaries without one. These figures are held
against an independent library on the same table instead.
"""

import csv
import gzip
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score

from tests.journeys.reference import Block, Tables, compare, labelers, levels, reference

METRICS = ("coherence", "consistency", "fluency", "relevance")
JUDGES = ("gpt-4-0314_rts", "gpt-3.5-turbo-0301_rts", "gpt-3.5-turbo-0301_mcq")
RUBRIC = levels("summeval", METRICS, range(1, 6))
EXPERTS = labelers("expert_1", "expert_2", "expert_3")
TURKERS = labelers(*(f"turker_{n}" for n in range(1, 6)))
CORRELATIONS = ("pearson", "spearman", "kendall_b")
TABLE = "derived/summeval_long.csv.gz"
BOTH = [(metric, judge) for judge in JUDGES for metric in METRICS]


@pytest.fixture(scope="module")
def summaries(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    tables = Tables(tmp_path_factory.mktemp("summeval"), shared_data)
    report = tables.take(TABLE, "summeval_long", RUBRIC)
    assert (report["added"], report["scores"], report["labels"]) == (1200, 14400, 38400)
    return tables


def judged(tables: Tables, judge: str, by: str, *more: str) -> Block:
    return tables.stats("--scorer", judge, "--group-by", by, *EXPERTS, *more)


@pytest.mark.parametrize(("metric", "judge"), BOTH)
def test_each_judge_over_all_summaries(
    shared_data: Path, summaries: Tables, metric: str, judge: str
) -> None:
    expected = reference(shared_data, "summeval_damo", metric, judge)
    block = judged(summaries, judge, "case")["metrics"][metric]
    found = block["agreement"]["judge_human"]
    assert found["n"] == 1200
    compare(found, expected["dataset"], CORRELATIONS)
    compare(found, expected, {"mae": "mae", "sd_gap": "sd_gap_ddof1"})
    # the gap is human minus judge here, the other way round there
    compare({"bias": -found["bias"]}, expected, {"bias": "mean_gap"})
    compare(block, expected, {"auto_mean": "mean"})
    rmse = (found["bias"] ** 2 + found["sd_gap"] ** 2 * 1199 / 1200) ** 0.5
    compare({"rmse": rmse}, expected, ["rmse"])


@pytest.mark.parametrize(("metric", "judge"), BOTH)
def test_each_judge_within_documents(
    shared_data: Path, summaries: Tables, metric: str, judge: str
) -> None:
    expected = reference(shared_data, "summeval_damo", metric, judge, "per_doc")
    found = judged(summaries, judge, "case")["groups"]["metrics"][metric]
    assert found["n_used"] == expected["used"]
    assert found["n_used"] + found["n_skipped"] == expected["groups"]
    compare(found["mean"], expected, CORRELATIONS)


@pytest.mark.parametrize("judge", JUDGES)
def test_the_average_over_metrics_within_documents(
    shared_data: Path, summaries: Tables, judge: str
) -> None:
    blocks = judged(summaries, judge, "case")["groups"]["metrics"]
    found = {
        name: sum(blocks[metric]["mean"][name] for metric in METRICS) / len(METRICS)
        for name in CORRELATIONS
    }
    compare(found, reference(shared_data, "summeval_damo", f"average_{judge}"), CORRELATIONS)


@pytest.mark.parametrize("judge", JUDGES)
def test_the_means_of_systems(shared_data: Path, summaries: Tables, judge: str) -> None:
    blocks = judged(summaries, judge, "model")["groups"]["metrics"]
    for metric in METRICS:
        expected = reference(shared_data, "summeval_damo", metric, judge, "system")
        assert blocks[metric]["between"]["n"] == expected["n"] == 12
        compare(blocks[metric]["between"], expected, CORRELATIONS)


@pytest.mark.parametrize("metric", METRICS)
def test_experts_among_themselves(shared_data: Path, summaries: Tables, metric: str) -> None:
    expected = reference(shared_data, "summeval_damo", metric, "experts")
    document = judged(summaries, JUDGES[0], "case")
    block = document["metrics"][metric]
    compare(block, expected, {"human_mean": "mean"})
    found = block["agreement"]["human_human"]
    assert (found["n"], found["labelers"]) == (1200, 3)
    compare(found, expected, ("alpha_nominal", "alpha_ordinal", "alpha_interval", "fleiss"))
    pairs = [pair for pair in document["labelers"] if pair["metric"] == metric]
    assert [(pair["a"], pair["b"]) for pair in pairs] == [
        ("expert_1", "expert_2"), ("expert_1", "expert_3"), ("expert_2", "expert_3"),
    ]  # fmt: skip
    for at, pair in enumerate(pairs):
        there = {name: expected[f"pairwise_{name}"][at] for name in ("qwk", "kappa")}
        compare(pair, there, {"kappa_quadratic": "qwk", "kappa": "kappa"})


@pytest.mark.parametrize("metric", METRICS)
def test_turkers_among_themselves(shared_data: Path, summaries: Tables, metric: str) -> None:
    found = summaries.people(metric, *TURKERS)
    assert (found["n"], found["labelers"]) == (1200, 5)
    expected = reference(shared_data, "summeval_damo", metric, "turkers")
    compare(found, expected, ("alpha_ordinal", "alpha_interval"))


def test_the_crowd_as_a_judge(shared_data: Path, tmp_path: Path) -> None:
    tables = Tables(tmp_path, shared_data)
    folder = "DAMO-NLP-SG+LLM_summeval/model_output_annotations"
    report = tables.take(f"{folder}/*_annotations.jsonl.gz", "summeval_crowd", RUBRIC)
    assert (report["added"], report["scores"], report["labels"]) == (1200, 4800, 14400)
    for metric in METRICS:
        expected = reference(shared_data, "summeval_damo", metric, "experts_vs_turkers")
        compare(tables.judge(metric), expected, ("n", *CORRELATIONS))


Rated = tuple[int, int]


@pytest.fixture(scope="module")
def rated(shared_data: Path) -> dict[tuple[str, str], list[Rated]]:
    """Each metric and judge: the label that most experts gave, and the judge's nearest level."""
    path = shared_data / TABLE
    if not path.exists():
        pytest.skip(f"needs {TABLE} in ../shared/data")
    found: defaultdict[tuple[str, str], list[Rated]] = defaultdict(list)
    for row in _rows(path):
        votes = Counter(int(row[f"expert_{n}"]) for n in (1, 2, 3)).most_common()
        if votes[0][1] == 1:
            continue
        for judge in JUDGES:
            score = float(row[f"{judge}_score"])
            nearest = min(range(1, 6), key=lambda level: (abs(level - score), level))
            found[row["metric"], judge].append((votes[0][0], nearest))
    return dict(found)


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", newline="") as table:
        yield from csv.DictReader(table)


@pytest.mark.parametrize(("metric", "judge"), BOTH)
def test_agreement_with_the_label_that_most_experts_gave(
    summaries: Tables, rated: dict[tuple[str, str], list[Rated]], metric: str, judge: str
) -> None:
    document = judged(summaries, judge, "case", "--option", "label_table=majority")
    found = document["metrics"][metric]["agreement"]["judge_human"]
    pairs = rated[metric, judge]
    assert found["n_no_majority"] == 1200 - len(pairs)
    people, auto = zip(*pairs, strict=True)
    for name, weights in (
        ("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic"),
    ):  # fmt: skip
        expected = cohen_kappa_score(people, auto, labels=range(1, 6), weights=weights)
        assert found[name] == pytest.approx(expected, abs=1e-9), name
    shares = [sum(abs(a - b) <= far for a, b in pairs) / len(pairs) for far in (0, 1)]
    assert (found["percent"], found["within_one"]) == pytest.approx(shares, abs=1e-12)


def test_agreement_with_every_label_of_the_experts(shared_data: Path, summaries: Tables) -> None:
    """Every expert's label is a row that counts a third."""
    judge, metric = JUDGES[0], "coherence"
    found = judged(summaries, judge, "case")["metrics"][metric]["agreement"]["judge_human"]
    people, auto = [], []
    for row in _rows(shared_data / TABLE):
        if row["metric"] == metric:
            score = float(row[f"{judge}_score"])
            people += [int(row[f"expert_{n}"]) for n in (1, 2, 3)]
            auto += [min(range(1, 6), key=lambda x: (abs(x - score), x))] * 3
    for name, weights in (("kappa", None), ("kappa_quadratic", "quadratic")):
        expected = cohen_kappa_score(people, auto, labels=range(1, 6), weights=weights)
        assert found[name] == pytest.approx(expected, abs=1e-9), name
    low, high = found["intervals"]["kappa"]
    assert low < found["kappa"] < high
    assert found["kappa_se"] == pytest.approx((high - low) / 2 / 1.96, rel=0.1)


def test_a_rounded_mean_is_another_figure(shared_data: Path, summaries: Tables) -> None:
    """Say where the reference's kappas come from, so that nobody takes them for these."""
    found = judged(summaries, JUDGES[0], "case")["metrics"]["coherence"]["agreement"]
    expected = reference(shared_data, "summeval_damo", "coherence", JUDGES[0])
    assert abs(found["judge_human"]["kappa_quadratic"] - expected["qwk_rounded"]) > 0.001
    assert found["judge_human"]["n_no_majority"] > 0


def test_the_files_of_the_set_give_the_same_without_a_mapping(
    shared_data: Path, tmp_path: Path
) -> None:
    tables = Tables(tmp_path, shared_data)
    report = tables.take("DAMO-NLP-SG+LLM_summeval/model_output_annotations/*.gz")
    # two replies of 14,400 have no score
    assert (report["added"], report["scores"], report["labels"]) == (1200, 14398, 38400)
    people = labelers("expert 1", "expert 2", "expert 3")
    block = tables.stats("--scorer", "gpt-3.5-turbo-0301@mcq", *people)["metrics"]
    for metric in METRICS:
        expected = reference(shared_data, "summeval_damo", metric)
        compare(
            block[metric]["agreement"]["judge_human"],
            expected["gpt-3.5-turbo-0301_mcq"]["dataset"],
            CORRELATIONS,
        )
        compare(block[metric]["agreement"]["human_human"], expected["experts"], ["alpha_ordinal"])
