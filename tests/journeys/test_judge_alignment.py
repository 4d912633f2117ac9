"""A bad judge found, its prompt changed on one half of the labels, and held to the other half."""

import json
import math
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.run import Scope
from reviewer.services.figures import figure_table
from reviewer.services.figures.request import covered
from reviewer.services.project.session import Session
from reviewer.stats.deviations import PUBLISHED
from reviewer.store import reading
from tests.journeys.shell import RESOURCES, Document, Shell
from tests.servers.model_server import Answer, Model, model_server

RULE = "A fact that the context does not state scores at most 2, however plausible."
SHIPPED = RESOURCES / "prompts" / "guest-response" / "accuracy.j2"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEAR_KEY", "sk-0123456789")
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")


def people_gave(project: Path) -> dict[str, int]:
    """Give what people say of accuracy, by the text of the response."""
    with closing(Session.open(project)) as session:
        scope = Scope(runs=session.run_names()[-1:])
        found = covered(session.project, scope)
        table = figure_table.load(
            session.project, scope, rubric=found.rubric, within=found.within, options=PUBLISHED
        )
        scores = table.metrics["accuracy"].human.majority.tolist()
        texts = {}
        for key, score in zip(table.keys.tolist(), scores, strict=True):
            evaluation = reading.evaluation(session.project.conn, key)
            if evaluation is not None and evaluation.response and not math.isnan(score):
                texts[evaluation.response] = int(score)
        return texts


class KindModel:
    """A model that is too kind until its prompt tells it to look at the context."""

    def __init__(self, truth: dict[str, int]) -> None:
        self.truth = truth

    def __call__(self, _: int, body: dict[str, Any]) -> Answer:
        asked = "\n".join(str(x["content"]) for x in body["messages"])
        # the response under evaluation comes last
        said = re.findall(r"<<response [^>]*>>\n?(.*?)\n?<</response", asked, re.DOTALL)[-1]
        kind = 5 if len(said) % 3 else 4
        score = self.truth.get(said, 3) if RULE in asked else kind
        return Answer(json.dumps({"score": score, "reasoning": "So it is."}))


class Work:
    """An engineer at the command line with one project and one judge."""

    def __init__(self, shell: Shell, project: Path) -> None:
        self.shell, self.project = shell, project

    def judges(self, *words: str | Path) -> Document:
        return self.shell.document("judges", self.project, *words)

    def board(self, *words: str) -> Document:
        found = self.judges("leaderboard", "--metric", "accuracy", *words)
        board: Document = found["metrics"]["accuracy"]
        return board | {"by name": {row["judge"]: row for row in board["judges"]}}

    def evaluate(self, *words: str) -> Document:
        job: Document = self.shell.document(
            "evaluate", self.project, "--judge", "careful", "--metric", "accuracy",
            "--only", "labelled", *words,
        )["jobs"][0]  # fmt: skip
        return job

    def add_judge(self, server: Model) -> None:
        self.judges(
            "add", "careful", "--endpoint", "near", "--url", server.url, "--variable", "NEAR_KEY",
            "--model", "m", "--price", "1,2",
        )  # fmt: skip

    def keep_prompt(self, text: str) -> None:
        file = self.project.with_name("accuracy.j2")
        file.write_text(text, encoding="utf-8")
        self.judges("prompt", "accuracy", file)


def test_the_second_prompt_is_found_to_be_nearer_to_people(shell: Shell, tmp_path: Path) -> None:
    project = tmp_path / "guest.review"
    assert shell.run("demo", project, "--no-open") == 0, shell.err
    work = Work(shell, project)
    text = SHIPPED.read_text(encoding="utf-8")
    with model_server(KindModel(people_gave(project))) as server:
        work.add_judge(server)
        sizes = work.judges("split")
        assert abs(sizes["dev"] - sizes["held_out"]) <= 4
        dev = work.evaluate("--part", "dev")["total"]
        assert 22 <= dev <= 30
        before = work.board("--part", "dev")
        first = before["by name"]["careful@1"]
        assert before["looks"] == 0
        assert first["held_out"]["value"] is None
        assert first["dev"]["value"] < 0.5
        offered = work.judges("examples", "--metric", "accuracy")["examples"]
        assert offered
        assert all(abs(x["gap"]) >= 1 for x in offered)
        work.keep_prompt(text.replace("The scale:", f"{RULE}\n\nThe scale:"))
        work.evaluate()
        # the first version gets its held-out scores too; what it said before is not paid again
        work.keep_prompt(text)
        assert work.evaluate()["cached"] == dev
    found = work.board()
    check_the_verdict(found)
    assert shell.run("judges", project, "leaderboard", "--metric", "accuracy") == 0
    assert f"looked at {found['looks']} times" in shell.out
    assert "people among themselves" in shell.out


def check_the_verdict(board: Document) -> None:
    first, second = board["by name"]["careful@1"], board["by name"]["careful@2"]
    assert board["judges"][0]["judge"] == "careful@2"
    # nearer than the prompt before it; 22 labels do not tell it from a judge that was good already
    assert first["behind_top"]["level"] == pytest.approx(1 - 0.05 / 3)
    assert board["best"] is None
    assert board["sentence"] == (
        "careful@2 and deepseek-chat@v3 are not told apart on Accuracy by the labels there are."
    )
    # it says what most people say, and every label counts
    assert second["held_out"]["value"] > 0.9
    assert second["held_out"]["bias"] == pytest.approx(0.0, abs=0.2)
    assert first["behind_top"]["interval"][0] > 0
    assert second["kind"] == "judge"
    assert second["cost_usd_per_1000"] == pytest.approx(0.14)
    # replies from the cache are no second opinion
    assert first["calls"] == second["calls"] == 52
    assert first["self_consistency"]["n"] == 0
    assert board["new_looks"] == board["looks"] == len(board["judges"])
