"""Why a plan draws nothing, and what to do about it."""

from reviewer.gui.kit.text import one_line
from reviewer.services.assigning.making import Preview
from reviewer.services.assigning.plans import QueuePlan, Sampling

SELECT = "select responses in the list of Review or Audit and tag them"
GOLD = (
    "No response has a known answer yet. Known answers are decisions on responses with the tag "
    f"gold: {SELECT}, then decide their values on Audit."
)
CHOSEN = (
    "Nothing is chosen. Select responses in the list of Review or Audit, and make a queue of "
    "them from its menu."
)
NO_RESPONSES = "The project has no responses yet. Import evaluation results first (Ctrl+I)."
_NOT_DRAWN: dict[Sampling, str] = {
    Sampling.GOLD: GOLD,
    Sampling.CHOSEN: CHOSEN,
    Sampling.DISAGREEMENT: (
        "Nothing differs. Under “Compare with” choose another judge or run than the one whose "
        "scores are shown now, one that scored the same responses."
    ),
    Sampling.UNDECIDED: (
        "The judge's repeats never differ here, and no score is at the pass mark. Choose another "
        "metric, or draw at random."
    ),
    Sampling.RECENT: "No response is that new. Take more days, or draw at random.",
    Sampling.ACTIVE: "Nothing is left to label on this metric. Choose another one.",
}
TAG = "tag:"


def why_nothing(plan: QueuePlan, found: Preview) -> str:
    """Say why nobody gets anything, nothing where somebody does."""
    if any(one.total for one in found.people):
        return ""
    words = plan.filter_text.strip()
    if not found.population and words and plan.sampling not in (Sampling.GOLD, Sampling.CHOSEN):
        return f"No response matches {one_line(words, 60)}. {_instead(words)}"
    if plan.sampling in _NOT_DRAWN:
        return _NOT_DRAWN[plan.sampling]
    if not found.population:
        return NO_RESPONSES
    return "Nothing is left for these people: they answered all of it already."


def _instead(words: str) -> str:
    tag = words.removeprefix(TAG)
    if words.startswith(TAG) and tag.replace("-", "").replace("_", "").isalnum():
        return f"Give responses the tag {tag} first: {SELECT}. Or change the filter under “From”."
    return "Change the filter under “From”, or empty it."
