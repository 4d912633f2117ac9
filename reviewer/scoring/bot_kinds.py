"""The registry of the kinds of bots, in the order in which they are offered.

A kind declares itself in a module of its own, and stands here in one line.
"""

from reviewer.scoring.bots.command import COMMAND
from reviewer.scoring.bots.kind import Kind
from reviewer.scoring.bots.models import CHAT, FULL_CONTEXT
from reviewer.scoring.bots.question_list import STRICT_MATCH
from reviewer.scoring.bots.web import HTTP
from reviewer.scoring.packages.scorers import PACKAGE

KINDS: dict[str, Kind] = {
    x.name: x for x in (STRICT_MATCH, FULL_CONTEXT, CHAT, HTTP, COMMAND, PACKAGE)
}
"""Every kind by its name."""
