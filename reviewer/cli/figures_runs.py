"""Figures of each of several runs that are pooled, as tables for people."""

from collections.abc import Mapping
from typing import Any

from reviewer.cli.printing import (
    DASH,
    interval,
    number,
    percent,
    shown,
    signed,
    table,
    with_interval,
)

Block = Mapping[str, Any]


def corrected_with_ends(block: Block | None) -> str:
    """Write a corrected mean with its interval; nothing where there is none."""
    if block is None:
        return ""
    if block["mean"] is None:
        return DASH
    ends = interval((block["low"], block["high"]))
    return f"{number(block['mean'])} {ends} n {block['n']:,}".replace("  ", " ")


def share_with_ends(block: Block, ends: Block, name: str) -> str:
    """Write a share of a block as a percentage with its interval, where it has one."""
    around = ends.get(name)
    if not around or None in around:
        return percent(block[name])
    return f"{percent(block[name])} [{percent(around[0])}, {percent(around[1])}]"


def by_run(document: Block) -> None:
    """Show the figures of each run where several are pooled, as far as they differ."""
    found = document.get("runs", {})
    rows = []
    for name in document["metrics"]:
        mine = [(run, _run_row(one["metrics"][name])) for run, one in found.items()]
        if len({cells for _, cells in mine}) > 1:
            rows += [(name, run, *cells) for run, cells in mine]
    if rows:
        table(
            "By run",
            ("metric", "run", "n auto>", "auto>", "n both>", "human>", "gap>", "adjusted>",
             "corrected>", "n agreed on>", "kappa>", "quadratic kappa>"),
            rows,
        )  # fmt: skip
    passed = [(run, _run_rates(one["pass"])) for run, one in found.items()]
    if len({cells for _, cells in passed}) > 1:
        table(
            "Pass by run",
            ("run", "n judge>", "by the judge>", "n people>", "by people>", "n corrected>",
             "corrected>"),
            [(run, *cells) for run, cells in passed],
        )  # fmt: skip


def _run_row(block: Block) -> tuple[str, ...]:
    return (
        f"{block['n_auto']:,}",
        number(block["auto_mean"]),
        f"{block['n_labelled']:,}",
        number(block["human_mean"]),
        signed(block["gap_mean"]),
        shown(block["shown"]["adjusted"], number),
        corrected_with_ends(block["corrected"]),
        f"{block['n']:,}",
        with_interval(block, "kappa"),
        with_interval(block, "kappa_quadratic"),
    )


def _run_rates(block: Block) -> tuple[str, ...]:
    ends, corrected = block["intervals"], block["corrected"]
    around = {"corrected": (corrected["low"], corrected["high"])}
    return (
        f"{block['n_auto']:,}",
        share_with_ends(block, ends, "auto_rate"),
        f"{block['n_human']:,}",
        share_with_ends(block, ends, "human_rate"),
        f"{corrected['n']:,}",
        share_with_ends({"corrected": corrected["mean"]}, around, "corrected"),
    )
