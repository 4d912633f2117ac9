"""Who judged: a judge's name with its model, prompt and parameters."""

import json

from reviewer.domain.run import ScorerVersion
from reviewer.services.audits.auditing import Audit
from reviewer.services.project.session import Session
from reviewer.store import figures, judging

SHORT = 8
"""Letters of a prompt's hash that tell prompts apart."""
LONGEST = 60


def of_metric(session: Session, audit: Audit, metric: str) -> str:
    """Say whose scores count for a metric, nothing where it has none."""
    wanted = audit.frame.table.metrics[metric].score_set
    version = next((x for x in figures.scorer_versions(session.project) if x.key == wanted), None)
    return "" if version is None else words(version, judging.prompt_numbers(session.project.conn))


def by_name(session: Session) -> dict[str, str]:
    """Say what stands behind each judge that a scope can name; several prompts are counted."""
    numbers = judging.prompt_numbers(session.project.conn)
    mine: dict[str, list[ScorerVersion]] = {}
    for version in figures.scorer_versions(session.project):
        mine.setdefault(version.name, []).append(version)
    return {name: _all_words(name, versions, numbers) for name, versions in mine.items()}


def words(version: ScorerVersion, numbers: dict[str, int]) -> str:
    """Say name, model, prompt and parameters; `numbers` are the prompts' versions by hash."""
    model = version.model if version.model != version.scorer else None
    parts = [version.name, model, _prompt(version, numbers), _parameters(version.parameters)]
    return " · ".join(part for part in parts if part)


def _all_words(name: str, versions: list[ScorerVersion], numbers: dict[str, int]) -> str:
    if len(versions) == 1:
        return words(versions[0], numbers)
    models = {x.model for x in versions if x.model and x.model != x.scorer}
    prompts = {_prompt(x, numbers) for x in versions if x.prompt_hash}
    parts = [name, *sorted(models)[:1]]
    parts += (
        sorted(prompts) if len(prompts) == 1 else [f"{len(prompts)} prompts"] if prompts else []
    )
    return " · ".join(parts)


def _prompt(version: ScorerVersion, numbers: dict[str, int]) -> str:
    if not version.prompt_hash:
        return ""
    short = version.prompt_hash[:SHORT]
    number = numbers.get(version.prompt_hash)
    return f"prompt {short}" if number is None else f"prompt v{number} ({short})"


def _parameters(text: str | None) -> str:
    """Write parameters as "temperature 0, seed 1"."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return ""
    if not isinstance(found, dict):
        return ""
    said = ", ".join(f"{name} {value}" for name, value in found.items())
    return said if len(said) <= LONGEST else f"{said[: LONGEST - 1]}…"
