"""How runs, score sets and imports are written in lists."""

import json
from collections.abc import Mapping

from reviewer.domain.rubric import Rubric
from reviewer.domain.run import ScorerVersion
from reviewer.domain.wording import in_percent
from reviewer.gui.kit.text import name_line, one_line
from reviewer.services.transfer.run_details import ImportEntry, ScoreSet
from reviewer.services.upkeep.projects import RunSummary

_COUNTS = (
    ("added", "added"),
    ("updated", "updated"),
    ("conflicts", "in conflict"),
    ("rejected", "refused"),
    ("scores", "scores"),
    ("labels", "labels"),
)
_PASS_RULES = {
    "every": "Passes when every metric reaches its pass mark",
    "overall": "Passes when the overall score reaches {mark:g}",
    "none": "There is no pass or fail",
}


def many(count: int, thing: str) -> str:
    """Count things in words: "1 run", "1,204 runs"."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def hidden(count: int, *, more: bool = False) -> str:
    """Say that responses show no scores yet: "2 more are hidden from you until …"."""
    one = count == 1
    which = f"{count:,}{' more' if more else ''} {'is' if one else 'are'}"
    return f"{which} hidden from you until you have answered {'it' if one else 'them'}"


def percent(share: float | None) -> str:
    """Write a share in percent with one decimal, a missing one as a dash."""
    return "—" if share is None else in_percent(share)


def run_line(run: RunSummary) -> str:
    """Say where a run came from and who scored it."""
    source = name_line(run.source, 60) if run.source else "imported"
    return f"{source} · {many(len(run.scorers), 'scorer')}"


def span(run: RunSummary) -> str:
    """Say from when to when a run's evaluations are."""
    first, last = (text[:10] if text else "" for text in (run.first, run.last))
    if not first or first == last:
        return first or last or "no dates"
    return f"{first} to {last}"


def facts(run: RunSummary) -> str:
    """Say everything about a run in one line."""
    counts = [many(run.evaluations, "evaluation"), f"{run.labelled:,} labelled"]
    if run.excluded:
        counts.append(f"{run.excluded:,} excluded, in no figure")
    return " · ".join((*counts, span(run), run_line(run)))


def made_with(version: ScorerVersion) -> str:
    """Say with which model, prompt and parameters a score set was made."""
    parts = [version.model or ""]
    if version.prompt_hash:
        parts.append(f"prompt {version.prompt_hash[:12]}")
    parts += _parameters(version.parameters)
    return " · ".join(one_line(part, 60) for part in parts if part)


def _parameters(text: str | None) -> list[str]:
    try:
        found = json.loads(text or "{}")
    except json.JSONDecodeError:
        return [text or ""]
    if not isinstance(found, Mapping):
        return [str(found)]
    return [f"{name} {value}" for name, value in found.items()]


def scored(found: ScoreSet, rubric: Rubric | None) -> str:
    """Say how many scores of which metric a set holds."""
    titles = {x.name: x.heading for x in rubric.metrics} if rubric else {}
    return " · ".join(f"{titles.get(name, name)} {n:,}" for name, n in found.metrics.items() if n)


def imported(entry: ImportEntry) -> str:
    """Say what an import brought."""
    return " · ".join(
        f"{entry.counts[key]:,} {words}" for key, words in _COUNTS if entry.counts.get(key)
    )


def pass_sentence(rubric: Rubric) -> str:
    """Say when an evaluation passes."""
    return _PASS_RULES[rubric.pass_rule].format(mark=rubric.pass_at or 0) + "."
