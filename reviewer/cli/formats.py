"""The formats that can be read and written, and the shape of our own records."""

from dataclasses import dataclass

from reviewer.cli import console
from reviewer.cli.console import table
from reviewer.cli.options import JsonOption, takes
from reviewer.services.transfer import record_schema


@dataclass(frozen=True, kw_only=True)
class FormatsOptions:
    """How to list."""

    json: JsonOption = False


@takes(FormatsOptions)
def list_formats(options: FormatsOptions) -> int:
    """List the formats that can be read and written, and how each is recognised."""
    found = record_schema.formats()
    if options.json:
        console.write({"formats": [record_schema.to_json(entry) for entry in found]})
        return 0
    table(
        "",
        ("name", "title", "suffixes", "reads", "writes", "recognised by"),
        (
            (
                x.name,
                x.title,
                " ".join(x.suffixes),
                _tick(x.reads),
                _tick(x.writes),
                x.recognised_by,
            )
            for x in found
        ),
    )
    return 0


def _tick(holds: bool) -> str:  # noqa: FBT001  # a value to show, not a switch
    return "yes" if holds else ""


@takes(FormatsOptions)
def print_schema(options: FormatsOptions) -> int:
    """Print the JSON Schema of an evaluation record (one line of a .jsonl file)."""
    write = console.write if options.json else console.write_plain
    write(record_schema.schema())
    return 0
