"""Make a record of a foreign item, whatever a file holds in place of what its tool writes."""

from collections.abc import Callable

from reviewer.formats.incoming import BadRow, Fields, Incoming
from reviewer.formats.record import checked


def made(line: int, make: Callable[[], Fields | str]) -> Incoming:
    """Give the record that a reader makes of an item, or the sentence why it makes none.

    Args:
        line: Where the item stood.
        make: Gives the record's fields, or what is wrong with the item.
    """
    try:
        found = make()
    except RecursionError:
        return BadRow(line, "", None, "its values are nested too deeply to be read")
    # a list where an object belongs, a text where a number does: at any of the places looked at
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return BadRow(line, "", None, "one of its parts is of another kind than this format has")
    return BadRow(line, "", None, found) if isinstance(found, str) else checked(found, line)
