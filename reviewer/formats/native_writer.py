"""Write records, labels and other rows as JSON Lines: UTF-8, a line feed after each object."""

from pydantic_core import to_json

from reviewer.formats.incoming import Fields


def line(fields: Fields) -> bytes:
    """Write one object; numbers as short as they read back the same, 4.0 as 4.0."""
    return to_json(fields) + b"\n"


def label_fields(run: str, identity: str, label: Fields) -> Fields:
    """Give a label as a record of its own, which an import takes without its evaluation."""
    return {"run": run, "id": identity, **label}
