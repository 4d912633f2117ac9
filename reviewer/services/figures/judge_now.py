"""How a project's judges would score today, against how a score set was made."""

import hashlib
import json
from dataclasses import dataclass
from typing import Literal

from reviewer.domain.judging import EXAMPLES, Judge
from reviewer.domain.rubric import Rubric
from reviewer.domain.run import ScorerVersion
from reviewer.domain.values import JsonValue
from reviewer.paths import resources
from reviewer.store import judging
from reviewer.store.project import Project

Reason = Literal["model", "prompt_hash", "parameters"]
GENERIC = "generic"
HASH_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that was otherwise when scores were made, in words before and now."""

    reason: Reason
    before: str
    now: str


def differences(
    project: Project, rubric: Rubric, metric: str, made_by: ScorerVersion
) -> tuple[Difference, ...]:
    """Say in what the judge that made a score set has changed since; what is unknown is not told.

    A score set without a judge of its scorer's name in the project has nothing to differ from.
    """
    judge = judging.find(project.conn, Judge, made_by.scorer)
    if judge is None:
        return ()
    found = []
    if made_by.model is not None and made_by.model != judge.model:
        found.append(Difference("model", made_by.model, judge.model))
    prompts = {x.hash: x.version for x in judging.prompts(project.conn, rubric.name, metric)}
    if made_by.prompt_hash is not None:
        there = (*prompts, shipped_hash(rubric, metric))
        wanted = dict(judge.prompts).get(metric)
        current = wanted if wanted in there else there[0]
        if made_by.prompt_hash != current:
            words = (_prompt(x, prompts, rubric, metric) for x in (made_by.prompt_hash, current))
            found.append(Difference("prompt_hash", *words))
    before = _parameters(made_by.parameters)
    if before is not None and before != judge.parameters:
        found.append(Difference("parameters", *_apart(before, judge.parameters)))
    return tuple(found)


def shipped_text(rubric: Rubric, metric: str) -> str:
    """Give the prompt that ships for a metric, the general one where there is none of its own."""
    folder = resources() / "prompts"
    file = folder / rubric.name / f"{metric}.j2"
    own = rubric.by_name.get(metric) is not None and file.is_file()
    return (file if own else folder / f"{GENERIC}.j2").read_text(encoding="utf-8")


def shipped_hash(rubric: Rubric, metric: str) -> str:
    """Name the prompt that ships for a metric as score sets do."""
    return hashlib.sha256(shipped_text(rubric, metric).encode()).hexdigest()[:HASH_DIGITS]


def _prompt(mark: str, known: dict[str, int], rubric: Rubric, metric: str) -> str:
    if mark in known:
        return f"prompt v{known[mark]}"
    shipped = mark == shipped_hash(rubric, metric)
    return "the prompt that ships" if shipped else f"the prompt {mark}"


def _parameters(text: str | None) -> dict[str, JsonValue] | None:
    try:
        found = json.loads(text) if text else None
    except ValueError:
        return None
    if not isinstance(found, dict):
        return None
    # examples are chosen for each job: they make another version, but are nothing that changed
    return {name: value for name, value in found.items() if name != EXAMPLES}


def _apart(before: dict[str, JsonValue], now: dict[str, JsonValue]) -> tuple[str, str]:
    names = [name for name in dict.fromkeys((*before, *now)) if before.get(name) != now.get(name)]
    one, other = (
        ", ".join(f"{name} {_said(given.get(name))}" for name in names) for given in (before, now)
    )
    return one, other


def _said(value: JsonValue) -> str:
    return "unset" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
