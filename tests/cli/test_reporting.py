"""`reviewer report`, through the command line itself."""

import hashlib
import json
import re
import shutil
from collections import Counter
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.main import main
from reviewer.domain.errors import Silent
from reviewer.paths import resources
from reviewer.services.audits import auditing, families
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project.session import Session
from reviewer.services.upkeep import projects
from tests.building import build_project, record

SYSTEMS = ("guest-response", "agent-rubric", "harness", "faq-bot", "virtual-agent")
HOSTILE = (
    "</p><script>alert(1)</script><img src=http://a.example/x.png onerror=alert(1)>"
    "![x](http://a.example/y.png)\u202e\x00"
)
VOID = {"meta", "br"}
HEADINGS = (
    "What passes", "Metric by metric", "Judge and people", "People among each other",
    "Where people say otherwise", "Best", "Worst", "What is missing", "Glossary",
    "How this was made",
)  # fmt: skip


@pytest.fixture(scope="module")
def demos(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    return {x: projects.make_demo(folder / f"{x}.review", x, Silent()) for x in SYSTEMS}


class Outline(HTMLParser):
    """What tags a page has, and whether they are closed as they were opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.headings: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] in (["h1"], ["h2"]):
            self.headings.append(data)


def written(project: Path, to: Path, *words: str) -> str:
    assert main(["report", str(project), str(to), *words]) == 0
    return to.read_text(encoding="utf-8")


def outline(text: str) -> Outline:
    found = Outline(text)
    assert found.open == []
    assert not {"script", "iframe", "link", "img", "object", "embed"} & set(found.tags)
    names = {name for name, _ in found.attributes}
    assert not names & {"src", "href", "srcset", "onerror", "onclick", "onload"}
    assert "url(" not in text
    assert "@import" not in text
    return found


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_page_stands_by_itself(demos: dict[str, Path], tmp_path: Path, system: str) -> None:
    text = written(demos[system], tmp_path / "r.html")
    found = outline(text)
    assert "default-src 'none'" in text
    assert "prefers-color-scheme: dark" in text
    assert found.headings[0].startswith("Can the judge be trusted? ")
    places = [found.headings.index(heading) for heading in HEADINGS]
    assert places == sorted(places)
    for name in re.findall(r"var\((--[a-z-]+)\)", text):
        assert f"{name}:" in text


@pytest.mark.parametrize("system", SYSTEMS)
def test_markdown_and_json_of_every_system(
    demos: dict[str, Path], tmp_path: Path, system: str
) -> None:
    document = json.loads(written(demos[system], tmp_path / "r.json"))
    text = written(demos[system], tmp_path / "r.md")
    assert f"\n{document['total_cases']} responses of " in text
    places = [text.index(f"\n## {heading}\n") for heading in HEADINGS]
    assert places == sorted(places)
    assert "{{" not in text
    assert "None" not in text


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_system_has_its_published_template(
    demos: dict[str, Path], tmp_path: Path, system: str
) -> None:
    document = json.loads(written(demos[system], tmp_path / "r.json"))
    text = written(demos[system], tmp_path / "r.md", "--template", system)
    assert document["trust"]["headline"] in text
    published = {
        "agent-rubric": "- total_tests: 21",
        "faq-bot": "| Bot | Question | Answer |",
        "guest-response": "- Total Cases: 24",
        "harness": f"Overall {document.get('system', {}).get('shown')}",
        "virtual-agent": "| Evaluation | Chat | Chat date | Evaluation date | Metric |",
    }
    assert published[system] in text
    assert "{{" not in text
    assert "None" not in text.replace("None.", "")


def test_the_lines_of_the_guest_response_report(demos: dict[str, Path], tmp_path: Path) -> None:
    published = ("--template", "guest-response")
    text = written(demos["guest-response"], tmp_path / "r.md", *published)
    document = json.loads(written(demos["guest-response"], tmp_path / "r.json"))
    passed, failed = document["passed"], document["failed"]
    rate = 100 * document["pass_rate"]
    means = document["avg_scores"]
    warm = document["performance"]["warm"]
    lines = [
        f"- Total Cases: {document['total_cases']}",
        f"- Passed: {passed} ({rate:.1f}%)",
        f"- Failed: {failed} ({100 - rate:.1f}%)",
        "Average Scores:",
        f"- Relevance: {means['relevance']:.2f}/5.0",
        f"- Accuracy: {means['accuracy']:.2f}/5.0",
        f"- Safety: {means['safety']:.2f}/5.0",
        f"- Overall: {means['overall']:.2f}/5.0",
        "Performance:",
        "- Avg latency: ",
        "- Total cost: $",
        "- Avg cost: $",
        "- Template match rate: ",
        "- Direct substitution rate: ",
        f"- Warm cache: avg {warm['average']:,.0f} ms (p50 {warm['p50']:,.0f} ms, p95 ",
        "- Cold cache: avg ",
        "- Cache effect: p95 ",
        "## Top 5 Best Cases",
        "## Top 5 Worst Cases",
        "## Failure patterns",
        "## Targets",
    ]
    places = [text.index(line) for line in lines]
    assert places == sorted(places)
    worst = document["worst_cases"][0]
    score = worst["scores"]["accuracy"]
    assert f"- Accuracy: {score['score']:g}/5 – {score['reasoning']}" in text
    whole = written(demos["guest-response"], tmp_path / "all.md", "--run", "all", *published)
    assert "by the judge 80.9% [67.5%, 89.6%] of 47." in whole
    assert "Minimum pass rate (>= 0.8) cannot be said yet: 68.1% [54.6%, 80.6%]" in whole


def test_what_no_record_carries_is_a_dash(tmp_path: Path) -> None:
    plain = [record(number, latency_ms=None) for number in range(5)]
    rubric = projects.make_demo(tmp_path / "g.review", "guest-response", Silent())
    project = build_project(tmp_path / "p.review", evaluations=plain)
    published = ("--template", "guest-response")
    text = written(project, tmp_path / "r.md", *published)
    assert "- Avg latency: – (p50 –, p95 –, p99 –" in text
    assert "- Total cost: –\n- Avg cost: –" in text
    nowhere = ("--category", "amenities", "--where", "category=policies")
    text = written(rubric, tmp_path / "n.md", *nowhere, *published)
    assert "- Total Cases: 0" in text
    assert "- Passed: 0 (–)" in text
    assert "- Template match rate: –\n- Direct substitution rate: –" in text


def test_hostile_texts_are_shown_and_do_nothing(tmp_path: Path) -> None:
    scores: list[dict[str, Any]] = [
        {"metric": name, "value": 1, "scorer": HOSTILE[:40], "reasoning": HOSTILE}
        for name in ("relevance", "accuracy", "safety")
    ]
    records = [
        record(number, id=f"<b>{number}", input=HOSTILE, response=HOSTILE, category=HOSTILE,
               scores=scores)
        for number in range(3)
    ]  # fmt: skip
    project = build_project(tmp_path / "p.review", evaluations=records)
    text = written(project, tmp_path / "r.html")
    outline(text)
    assert "&lt;script&gt;alert(1)" in text
    assert not re.search("[\u202e\x00]", text)
    text = written(project, tmp_path / "r.md")
    assert not re.search(r"(?<!\\)<(script|img|b)", text)
    assert not re.search(r"(?<!\\)\]\(", text)
    assert not re.search("[\u202e\x00]", text)


def test_filters_and_top(demos: dict[str, Path], tmp_path: Path) -> None:
    words = ("--run", "hut agent 2.0", "--category", "directions", "--top", "1")
    text = written(demos["guest-response"], tmp_path / "r.md", *words)
    worst = text.partition("\n## Worst\n")[2].partition("\n## ")[0]
    assert worst.count("\n### ") == 1
    assert "category: directions" in text
    assert "@2.1" not in text


def test_a_template_of_ones_own(demos: dict[str, Path], tmp_path: Path) -> None:
    mine = tmp_path / "mine.md"
    mine.write_text("{{ total_cases }} of {{ rubric.name }}, {{ pass_rate | percent }}")
    everything = ("--run", "all")
    text = written(demos["harness"], tmp_path / "r.md", "--template", str(mine), *everything)
    assert text == "50 of harness, 72.0%"
    words = ("--template", "report", *everything)
    general = written(demos["guest-response"], tmp_path / "g.md", *words)
    assert "| Relevance (1 – 5, guest-judge@2) | 4.68 (n 47) |" in general


@pytest.mark.parametrize("kind", ["md", "html"])
def test_a_copy_of_the_general_template_says_the_same(
    demos: dict[str, Path], tmp_path: Path, kind: str
) -> None:
    mine = tmp_path / f"mine.{kind}.j2"
    shutil.copy(resources() / "reports" / f"report.{kind}.j2", mine)
    ours = written(demos["harness"], tmp_path / f"ours.{kind}", "--template", "report")
    assert written(demos["harness"], tmp_path / f"own.{kind}", "--template", str(mine)) == ours


def test_the_document_of_the_command(
    demos: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to = tmp_path / "r.html"
    assert main(["report", str(demos["harness"]), str(to), "--json"]) == 0
    content = to.read_bytes()
    assert json.loads(capsys.readouterr().out) == {
        "schema": 1,
        "file": str(to),
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


@pytest.mark.parametrize(
    ("to", "words", "sentence"),
    [
        ("r.docx", [], "says no kind of report"),
        ("r.json", ["--template", "report"], "takes no --template"),
        ("r.html", ["--template", "nowhere"], "There is no template 'nowhere'"),
        ("none/r.html", [], "does not exist; make it first"),
        ("r.md", ["--run", "nowhere"], "There is no run 'nowhere'"),
        ("r.md", ["--where", "x"], "NAME=VALUE is expected"),
    ],
)
def test_wrong_use(
    demos: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    to: str,
    words: list[str],
    sentence: str,
) -> None:
    assert main(["report", str(demos["harness"]), str(tmp_path / to), *words]) == 2
    assert sentence in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_same_scores_are_counted_among_all_that_count(
    demos: dict[str, Path], tmp_path: Path
) -> None:
    document = json.loads(written(demos["guest-response"], tmp_path / "r.json"))
    found = document["figures"]["metrics"]["relevance"]["agreement"]["judge_human"]
    assert found["n_no_majority"] > 0
    assert found["n_table"] == found["n"]
    line = f"\n| Relevance | {found['n']} | {100 * found['percent']:.1f} % ("
    assert line in written(demos["guest-response"], tmp_path / "r.md")
    page = written(demos["guest-response"], tmp_path / "r.html")
    assert f'"value">{found["n"]}</span>' in page


def test_figures_that_weigh_say_so(demos: dict[str, Path], tmp_path: Path) -> None:
    for name in ("r.html", "r.md"):
        text = written(demos["agent-rubric"], tmp_path / name, "--run", "all")
        said = re.findall(r"(.*?): Evaluations were drawn.*each counts 1 over the chance", text)
        assert len(said) == 2
        assert "What passes" in said[0]
        assert "Factual accuracy, Completeness" in said[1]


def test_families_that_disagree_stand_together(demos: dict[str, Path], tmp_path: Path) -> None:
    document = json.loads(written(demos["faq-bot"], tmp_path / "r.json"))
    said = [x["text"] for x in document["system"]["contradictions"]]
    with closing(Session.open(demos["faq-bot"], "lead")) as session:
        listed = families.read(session, auditing.compute(session, StatsRequest())).found
    # the window's lists are the report's: one set of rules, one of thresholds
    assert Counter(said) == {
        f"{x.rule.title}: {x.rule.meaning}": x.keys.size for x in listed if x.keys.size
    }
    text = written(demos["faq-bot"], tmp_path / "r.md")
    for one in set(said):
        assert f"| {one} | {said.count(one)} | " in text
    # where runs are pooled, each answer stands with its own
    assert " (" not in text.split("## Where families disagree")[1].split("##")[0]
    pooled = written(demos["faq-bot"], tmp_path / "p.md", "--run", "all")
    assert "(full context)" in pooled.split("## Where families disagree")[1].split("##")[0]


def test_a_response_that_is_not_there_is_told(demos: dict[str, Path], tmp_path: Path) -> None:
    assert "There is no response." in written(demos["harness"], tmp_path / "r.html")


def test_an_adjusted_mean_stands_where_there_is_one(
    demos: dict[str, Path], tmp_path: Path
) -> None:
    plain = demos["guest-response"]
    document = json.loads(written(plain, tmp_path / "r.json"))
    found = document["figures"]["metrics"]
    assert {x["deviation_status"] for x in found.values()} == {"none"}
    for kind in ("html", "md"):
        assert "Adjusted mean" not in written(plain, tmp_path / f"r.{kind}")
    demo = projects.make_demo(tmp_path / "d.review", None, Silent())
    everything = ("--run", "all")
    document = json.loads(written(demo, tmp_path / "d.json", *everything))
    shown = {x: y["shown"]["adjusted"] for x, y in document["figures"]["metrics"].items()}
    assert shown["accuracy"]["value"] is not None
    few = f"— {shown['safety']['n']} of 30"
    for kind in ("html", "md"):
        text = written(demo, tmp_path / f"d.{kind}", *everything)
        assert "Adjusted mean" in text
        # the deviations that it follows from stand beside it, of so many
        assert "Lower deviation" in text
        lower = document["figures"]["metrics"]["accuracy"]["lower_deviation"]
        assert f"{lower:+.2f}".replace("-", "−") in text
        assert f"{shown['accuracy']['value']:.2f}" in text
        assert few in text


def test_each_run_stands_beside_the_pool(demos: dict[str, Path], tmp_path: Path) -> None:
    project = demos["guest-response"]
    runs = json.loads(written(project, tmp_path / "r.json", "--run", "all"))["figures"]["runs"]
    for name, kind in (("r.html", '"value">{}</span>'), ("r.md", "| Relevance | {} |")):
        text = written(project, tmp_path / name, "--run", "all")
        assert all(kind.format(run) in text for run in runs)
        assert "Not in this report" not in text
    alone = written(project, tmp_path / "one.html")
    assert "Run by run" not in alone
    assert "Not in this report: hut agent 2.0" in alone


def test_every_number_says_its_own_n(demos: dict[str, Path], tmp_path: Path) -> None:
    document = json.loads(written(demos["virtual-agent"], tmp_path / "r.json"))
    block = document["figures"]["metrics"]["truthfulness"]
    text = written(demos["virtual-agent"], tmp_path / "r.md")
    line = next(x for x in text.splitlines() if x.startswith("| Truthfulness (1 – 5"))
    assert f"| {block['auto_mean']:.2f} (n {block['n_auto']}) |" in line
    assert f"(n {block['n_labelled']}, last 6 months) |" in line
    assert f", n {block['corrected']['n']}) |" in line
    own = written(demos["virtual-agent"], tmp_path / "own.md", "--template", "virtual-agent")
    line = next(
        x for x in own.splitlines() if x.startswith("- Truthfulness: auto") and "band" in x
    )
    found = [block[f"{side}_deviation"] for side in ("upper", "lower")]
    upper, lower = ("–" if x is None else f"{x:+.2f}".replace("-", "−") for x in found)
    assert f"upper deviation {upper}, lower {lower}, band " in line


def test_where_to_look_is_said_once(tmp_path: Path) -> None:
    project = projects.make_demo(tmp_path / "g.review", "guest-response", Silent())
    words = ("--where", "category=edge cases", "--run", "hut agent 2.0")
    document = json.loads(written(project, tmp_path / "r.json", *words))
    assert document["where_to_look"] is not None
    for name, times in (("r.md", 1), ("r.html", 1)):
        assert written(project, tmp_path / name, *words).count("Where to look") == times


def test_a_recipe_is_kept_listed_and_made_again(
    demos: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project = str(shutil.copy(demos["guest-response"], tmp_path / "p.review"))
    monkeypatch.chdir(tmp_path)
    assert main(["report", project, "--recipes"]) == 0
    assert "There is no recipe yet" in capsys.readouterr().out
    words = ["--template", "guest-response", "--top", "1", "--category", "policies"]
    assert main(["report", project, "w-{run}.md", "--keep-recipe", "Weekly", *words]) == 0
    first = (tmp_path / "w-hut agent 2.1.md").read_text("utf-8")
    assert "category: policies" in first
    assert "## Top 1 Best Cases" in first
    assert main(["report", project, "--keep-recipe", "Page", "--passing-score", "4"]) == 0
    capsys.readouterr()
    assert main(["report", project, "--recipes", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["recipes"]
    assert [(one["name"], one["file"], one["passing"]) for one in listed] == [
        ("Page", "{project}-{run}.html", 4.0),
        ("Weekly", "w-{run}.md", None),
    ]
    assert main(["report", project, "--recipe", "weekly", "--run", "hut agent 2.0"]) == 0
    again = (tmp_path / "w-hut agent 2.0.md").read_text("utf-8")
    assert "category: policies" in again
    assert main(["report", project, "named.html", "--recipe", "page"]) == 0
    page = (tmp_path / "named.html").read_text("utf-8")
    assert "--passing-score 4" in page
    assert "audit.zip" not in page


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "Name the file to write"),
        (["--recipe", "none"], "There is no recipe 'none'"),
        (["--recipe", "gone"], "The recipe gone cannot be made: There is no run 'v0'"),
        (["--recipe", "odd"], "The recipe odd cannot be made: The rubric harness has no metric"),
        (["--recipe", "gone", "--top", "3"], "A recipe has its own choices"),
        (["--recipe", "gone", "--recipes"], "do different things"),
        (["x.docx", "--keep-recipe", "a"], "says no kind of report"),
        (["--keep-recipe", "Gone"], "There is a recipe 'Gone' already"),
    ],
)
def test_recipes_that_cannot_be_are_sentences(
    demos: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    sentence: str,
) -> None:
    project = str(shutil.copy(demos["harness"], tmp_path / "p.review"))
    assert main(["report", project, "--keep-recipe", "gone", "--run", "v0"]) == 0
    assert main(["report", project, "--keep-recipe", "odd", "--metric", "accuracy"]) == 0
    capsys.readouterr()
    assert main(["report", project, *words]) == 2
    assert sentence in capsys.readouterr().err
    assert [x.name for x in tmp_path.iterdir()] == ["p.review"]


def test_a_template_of_ones_own_knows_the_document(
    demos: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine.j2"
    mine.write_text(
        "{{ measured.labelled }} of {{ total_cases }}, {{ trust.headline }}"
        "{% for one in best_by_people %} {{ one.id }}{% endfor %}",
        encoding="utf-8",
    )
    project = demos["guest-response"]
    text = written(project, tmp_path / "r.md", "--template", str(mine))
    document = json.loads(written(project, tmp_path / "r.json"))
    best = " ".join(one["id"] for one in document["best_by_people"])
    assert text == f"24 of 24, {document['trust']['headline']} {best}"
    mine.write_text("one\n{{ measured.labeled }}", encoding="utf-8")
    assert main(["report", str(project), str(tmp_path / "x.md"), "--template", str(mine)]) == 2
    said = capsys.readouterr().err
    assert f"The template {mine}, line 2," in said
    assert "has no attribute 'labeled'" in said


def test_figures_follow_the_options_that_are_named(demos: dict[str, Path], tmp_path: Path) -> None:
    project = demos["guest-response"]
    plain, other, strict = (
        json.loads(written(project, tmp_path / f"{number}.json", "--run", "all", *words))
        for number, words in enumerate(
            ([], ["--preset", "published", "--option", "min_records=3"], ["--passing-score", "5"])
        )
    )
    assert (plain["made"]["preset"], other["made"]["preset"]) == ("recommended", "published")
    assert other["made"]["options"] == {"min_records": "3"}
    statuses = [x["figures"]["metrics"]["accuracy"]["deviation_status"] for x in (plain, other)]
    assert statuses[0] != statuses[1]
    assert strict["pass_rate"] == strict["figures"]["pass"]["auto_rate"] < plain["pass_rate"]
    assert strict["figures"]["pass"]["human_rate"] < plain["figures"]["pass"]["human_rate"]
