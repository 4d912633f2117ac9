"""Read TOML that somebody else has written, such as a rubric or a mapping."""

import tomllib
from typing import Any


def document(text: str) -> dict[str, Any]:
    """Read a TOML document.

    Raises:
        tomllib.TOMLDecodeError: It is none, or holds what no program can keep.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise tomllib.TOMLDecodeError("its values are nested too deeply") from None
    except ValueError:
        # the only other one: more digits than an integer is read of
        raise tomllib.TOMLDecodeError("a number has thousands of digits") from None
