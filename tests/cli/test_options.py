from dataclasses import dataclass, field
from datetime import date
from typing import Annotated

import pytest
import typer
from msgspec import UNSET

from reviewer.cli.options import Filters, day, months, pairs, takes
from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import Scope


@dataclass(frozen=True, kw_only=True)
class _Options(Filters):
    name: Annotated[str, typer.Argument()]
    many: Annotated[list[str], typer.Option("--many")] = field(default_factory=list)


def _parsed(arguments: list[str]) -> _Options:
    seen: list[_Options] = []

    @takes(_Options)
    def command(options: _Options) -> int:
        """Do it."""
        seen.append(options)
        return 7

    app = typer.Typer()
    app.command()(command)
    assert app(args=arguments, standalone_mode=False) == 7
    return seen[0]


def test_a_table_of_options_becomes_a_command() -> None:
    options = _parsed(["x", "--many", "1", "--many", "2", "--run", "agent v7"])
    assert (options.name, options.many, options.run) == ("x", ["1", "2"], ["agent v7"])


def test_no_filter_is_the_empty_scope() -> None:
    assert _parsed(["x"]).scope() == Scope()


@pytest.mark.parametrize(
    ("runs", "scope"),
    [
        (["all"], Scope(every_run=True)),
        (["=all"], Scope(runs=("all",))),
        (["==all", "b"], Scope(runs=("=all", "b"))),
        (["=b", "all but one"], Scope(runs=("=b", "all but one"))),
    ],
)
def test_all_runs_are_pooled_and_a_run_called_all_can_be_named(
    runs: list[str], scope: Scope
) -> None:
    words = [word for run in runs for word in ("--run", run)]
    assert _parsed(["x", *words]).scope() == scope


def test_all_runs_go_with_no_other() -> None:
    with pytest.raises(ReviewerError, match="a run that is called all is named --run =all"):
        _parsed(["x", "--run", "all", "--run", "b"]).scope()


def test_filters_become_a_scope() -> None:
    options = _parsed(
        [
            "x",
            "--run",
            "a",
            "--run",
            "b",
            "--metric",
            "m",
            "--labeler",
            "l",
            "--category",
            "c",
            "--tag",
            "t",
            "--scorer",
            "s@2",
            "--blind-only",
            "--as-of",
            "2026-08-31",
            "--window-months",
            "none",
            "--where",
            "model=big=1",
            "--where",
            "case=",
        ]
    )
    assert options.scope() == Scope(
        runs=("a", "b"),
        metrics=("m",),
        labelers=("l",),
        categories=("c",),
        tags=("t",),
        scorer="s@2",
        blind_only=True,
        as_of=date(2026, 8, 31),
        window_months=None,
        where=(("model", "big=1"), ("case", "")),
    )


@pytest.mark.parametrize("text", ["model", "=x", ""])
def test_a_pair_needs_a_name_and_an_equals_sign(text: str) -> None:
    with pytest.raises(ReviewerError, match=r"--where .*NAME=VALUE"):
        pairs([text], "--where")


@pytest.mark.parametrize("text", ["0", "-3", "6.5", "six", "", "9999"])
def test_a_window_is_whole_months_or_none(text: str) -> None:
    with pytest.raises(ReviewerError, match="--window-months"):
        months(text)
    assert months("12") == 12
    assert months("None") is None
    assert months(None) is UNSET


def test_a_day_is_a_calendar_date() -> None:
    assert day("2026-11-20", "--as-of") == date(2026, 11, 20)
    assert day(None, "--as-of") is None
    with pytest.raises(ReviewerError, match=r"--as-of '20\.11\.2026'"):
        day("20.11.2026", "--as-of")
