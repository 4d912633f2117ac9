"""The check of a rubric that comes from outside: from a file or an editor.

It stands apart from the rubric itself, so that a project opens without it.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from reviewer.domain.rubric import Rubric

_CHECK = TypeAdapter(Rubric)


def checked(keys: Mapping[str, Any]) -> Rubric:
    """Make a rubric of the keys of its file.

    Raises:
        pydantic.ValidationError: It breaks a rule.
    """
    return _CHECK.validate_python(keys)
