"""What the README names exists: commands, options, keys, settings, files and examples."""

import json
import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest
import typer
import yaml
from jsonschema import Draft202012Validator

from reviewer.cli import table as cli
from reviewer.cli.program import program
from reviewer.domain import filters
from reviewer.gui import actions
from reviewer.scoring.registry import CONTRADICTIONS
from reviewer.services.computer import settings
from reviewer.services.project import rubrics
from reviewer.services.transfer import column_uses, record_schema
from reviewer.stats.deviations import PRESETS, DeviationOptions
from tests.strength import trials

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
PROSE = re.sub(r"^```.*?^```$", "", README, flags=re.M | re.S)
CODE = re.findall(r"`([^`\n]+)`", PROSE)


def section(title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", README, re.M | re.S)
    assert found, title
    return found[1]


def blocks(language: str) -> list[str]:
    found = re.findall(rf"^```{language}\n(.*?)^```$", README, re.M | re.S)
    assert found, language
    return found


def table(text: str) -> list[list[str]]:
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `")]
    assert rows
    return [[cell.strip() for cell in row] for row in rows]


def options_of(name: str) -> set[str]:
    command = typer.main.get_command(program([name]))
    found = command.commands[name]  # type: ignore[attr-defined]
    opts = (x for one in found.params for x in (*one.opts, *one.secondary_opts))
    return {option for option in opts if option.startswith("--")}


def invocations() -> list[list[str]]:
    lines = [line for block in blocks("console") for line in block.splitlines()]
    lines += [code for code in CODE if code.startswith("reviewer ")]
    return [shlex.split(line)[1:] for line in lines]


def test_every_command_is_described_and_every_described_one_exists() -> None:
    rows = [shlex.split(row[0].strip("`"))[1] for row in table(section("Command line"))]
    assert rows[0] == "chats.review"
    assert rows[1:] == list(cli.COMMANDS)


def test_the_table_of_trials_has_every_kind_in_its_order() -> None:
    text = section("How your data is kept safe")
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| ")]
    assert [cell.strip() for cell in rows[0]] == trials.COLUMNS
    assert [row[0].strip() for row in rows[1:]] == [kind.title for kind in trials.KINDS.values()]


@pytest.mark.parametrize("words", invocations(), ids=" ".join)
def test_every_invocation_is_understood(words: list[str]) -> None:
    given = {word.partition("=")[0] for word in words if word.startswith("--")}
    if words[0] in cli.COMMANDS:
        assert given <= options_of(words[0])
    else:
        assert words[0].endswith(".review")
        assert given <= {"--open"}


def test_the_workflow_runs_what_there_is_and_keeps_what_it_writes() -> None:
    steps = yaml.safe_load(blocks("yaml")[0])["jobs"]["check"]["steps"]
    runs = [shlex.split(step["run"]) for step in steps if "run" in step]
    ours = [words for words in runs if words[0] == "reviewer"]
    assert [words[1] for words in ours] == ["import", "check"]
    for words in ours:
        assert {word for word in words if word.startswith("--")} <= options_of(words[1])
    kept = next(step for step in steps if step.get("uses", "").startswith("actions/upload"))
    assert kept["if"] == "always()"
    assert kept["with"]["path"] == ours[-1][ours[-1].index("--junit") + 1]


def test_every_option_belongs_to_a_command() -> None:
    known = {option for name in cli.COMMANDS for option in options_of(name)}
    named = {word for code in CODE for word in re.findall(r"(?<!\S)--[a-z-]+", code)}
    # the others are of the scripts that check everything and that try how much the program stands
    assert named - known == {"--open", "--audit", "--explore", "--long", "--share"}


def test_options_in_the_table_of_commands_are_those_of_their_command() -> None:
    for command, does in table(section("Command line")):
        name = command.strip("`").split()[1]
        if name in cli.COMMANDS:
            assert set(re.findall(r"--[a-z-]+", does)) <= options_of(name), name


def test_shared_filters_are_shared() -> None:
    line = re.search(r"share filters: (.*?)\n\n", README, re.S)
    assert line
    named = set(re.findall(r"--[a-z-]+", line[1]))
    assert named == options_of("stats") & options_of("export") - {"--json", "--help"}


def keys_of_readme() -> set[str]:
    rows = table(section("Labelling").partition("**Blind")[0])
    keys = {key for row in rows for key in re.findall(r"`([^`]+)`", row[0])}
    for first, last in (("1", "9"), ("Alt+1", "Alt+4")):
        assert {first, last} <= keys
        keys |= {first[:-1] + str(n) for n in range(int(first[-1]), int(last[-1]) + 1)}
    return keys


def test_every_key_is_bound_and_every_bound_key_is_named() -> None:
    commands = actions.COMMANDS.values()
    bound = {key for command in commands for key in command.keys}
    hints = " ".join(command.hint for command in commands)
    assert "Tab does the same" in hints
    assert "Shift+Tab does the same" in hints
    assert keys_of_readme() == bound | {"Tab", "Shift+Tab"}


def test_settings_are_those_of_the_program() -> None:
    text = section("Labelling").partition("Settings (")[2]
    named = [(row[0].strip("`"), row[1].strip("`")) for row in table(text)]
    assert named == [
        (entry.name, str(entry.default).lower() if entry.name == "blind" else str(entry.default))
        for entry in settings.TABLE
    ]


def test_filters_are_understood() -> None:
    for line in blocks("filter")[0].splitlines():
        filters.parse(line)


def test_the_record_is_valid() -> None:
    record = json.loads(blocks("json")[0])
    assert list(Draft202012Validator(record_schema.schema()).iter_errors(record)) == []


def test_mapping_and_rubric_are_sound() -> None:
    assert column_uses.from_text(blocks("mapping")[0]).layout == "long"
    assert rubrics.from_toml(blocks("rubric")[0]).name == "helpdesk"


def test_shipped_rubrics_are_named() -> None:
    line = re.search(r"Five ship: (.*?)\. ", README, re.S)
    assert line
    assert set(re.findall(r"`([^`]+)`", line[1])) == set(rubrics.shipped())


def test_options_of_figures_are_those_of_the_presets() -> None:
    names = {entry.name for entry in fields(DeviationOptions)}
    rows = table(section("How figures are computed"))
    for name, *shown in rows:
        option = name.strip("`")
        assert option in names
        for preset, cell in zip(("published", "recommended"), shown, strict=True):
            value = str(getattr(PRESETS[preset], option))
            assert re.match(r"`([^`]+)`", cell)[1] == value.lower()  # type: ignore[index]
    published, recommended = PRESETS["published"], PRESETS["recommended"]
    differ = {name for name in names if getattr(published, name) != getattr(recommended, name)}
    assert differ == {name.strip("`") for name, *_ in rows}
    named = re.findall(r"--option (\w+)=", README)
    assert named
    assert set(named) <= names


def test_contradictions_are_told_of_shipped_rubrics() -> None:
    rows = table(section("Where published texts contradict themselves"))
    assert {row[0].strip("`") for row in rows} <= set(CONTRADICTIONS)
    assert any("442300" in row[1] for row in rows)


def test_files_it_names_exist() -> None:
    links = re.findall(r"\]\(([^)]+)\)", README)
    paths = [
        code for code in CODE if re.fullmatch(r"(packaging|tests|reviewer|resources)/\S*", code)
    ]
    scripts = re.findall(r"sh (packaging/\w+\.sh)", README)
    assert links
    assert paths
    assert len(scripts) >= 2
    for name in (*links, *paths, *scripts):
        assert (ROOT / name).exists(), name
