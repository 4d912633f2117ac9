"""Names that people give: of labelers and of queues."""

import unicodedata
from collections.abc import Iterable

from reviewer.domain.errors import LabelError

LONGEST = 60
"""Characters of a name; more would push everything else out of a line."""


def cleaned(name: str) -> str:
    """Take out what cannot be seen: control signs, direction overrides, double spaces."""
    shown = "".join(
        " " if sign.isspace() else sign
        for sign in unicodedata.normalize("NFC", name)
        if sign.isspace() or unicodedata.category(sign) not in ("Cc", "Cf", "Cs", "Co", "Cn")
    )
    return " ".join(shown.split())


def checked(name: str, what: str = "labeler") -> str:
    """Clean a name.

    Raises:
        LabelError: Nothing is left of it, or it is too long.
    """
    made = cleaned(name)
    if not any(unicodedata.category(sign)[0] in "LNSP" for sign in made):
        raise LabelError(f"A {what} needs a name.")
    if len(made) > LONGEST:
        raise LabelError(
            f"This name of a {what} has {len(made):,} characters; at most {LONGEST} are possible."
        )
    return made


def taken(name: str, known: Iterable[str], what: str = "labeler") -> str:
    """Clean a name, and give the known one that it is, whatever its case.

    Raises:
        LabelError: Nothing is left of it, or it is too long.
    """
    made = checked(name, what)
    same = {one.casefold(): one for one in known}
    return same.get(made.casefold(), made)


def free(name: str, known: Iterable[str], what: str = "labeler") -> str:
    """Clean a name that nobody has yet.

    Raises:
        LabelError: Nothing is left of it, it is too long, or it is taken.
    """
    made = checked(name, what)
    found = next((one for one in known if one.casefold() == made.casefold()), None)
    if found is not None:
        raise LabelError(f"There is a {what} {found!r} already; choose another name.")
    return made
