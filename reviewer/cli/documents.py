"""Write the one JSON document that `--json` promises on standard output."""

import json
import sys
from collections.abc import Mapping
from typing import Any

VERSION = 1
"""The `schema` of every document; it changes when a key changes its meaning or goes away."""


def write(document: Mapping[str, Any]) -> None:
    """Write a document with `"schema"` as its first key.

    Raises:
        ValueError: A number is NaN or infinite, which JSON cannot say.
    """
    write_plain({"schema": VERSION, **document})


def write_plain(document: Mapping[str, Any]) -> None:
    """Write a document as it stands.

    Raises:
        ValueError: A number is NaN or infinite, which JSON cannot say.
    """
    # unpaired surrogates, as undecodable file names have them, would break UTF-8 output
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2)
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")
    sys.stdout.flush()
