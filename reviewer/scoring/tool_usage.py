"""Tool usage: were the tools used that the question calls for?"""

from typing import Final

from reviewer.scoring.case import Case
from reviewer.scoring.options import Option, Settings, yes_or_no
from reviewer.scoring.outcome import Outcome, ScoreOutcome
from reviewer.scoring.scorer import Deterministic, Rule
from reviewer.scoring.texts import listed


def _build(settings: Settings) -> Rule:
    partial = settings.truth("partial_credit")

    def rule(case: Case) -> Outcome:
        expected = dict.fromkeys(case.tools_expected)
        used = dict.fromkeys(case.tools_used)
        missing = [name for name in expected if name not in used]
        extra = [name for name in used if name not in expected]
        reasoning = (
            f"Expected: {listed(expected)}. Used: {listed(used)}. "
            f"Missing: {listed(missing)}. Extra: {listed(extra)}."
        )
        if not missing:
            return ScoreOutcome(1.0, reasoning)
        if not partial:
            return ScoreOutcome(0.0, reasoning)
        found = len(expected) - len(missing)
        reasoning += f" {found} of {len(expected)} expected tools used."
        return ScoreOutcome(found / len(expected), reasoning)

    return rule


TOOL_USAGE: Final = Deterministic(
    name="tool_usage",
    metrics=("tool_usage",),
    title="Tool usage",
    help=(
        "1 if every expected tool was used, else 0; 1 where none is expected. Further tools, "
        "their order and repeats do not matter."
    ),
    build=_build,
    options=(
        Option(
            "partial_credit",
            default=False,
            help="Give the share of the expected tools that were used; the metric then needs the "
            "range 0 to 1 in place of yes and no.",
            check=yes_or_no,
        ),
    ),
)
