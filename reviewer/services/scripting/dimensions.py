"""Rubrics as scripts have them: dimensions by name, each with its weight and its levels."""

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from reviewer.domain.errors import RubricError
from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.scoring.overall import RUBRIC_PASS_AT, overall_rule
from reviewer.services.project import rubrics
from reviewer.stats.satisfaction import weighted_mean

Given = str | Path | Rubric | Mapping[str, Any]
Config = Mapping[str, Any]
AGENT_RUBRIC: Final = "agent-rubric"
OWN: Final = "own dimensions"


def rubric_of(given: Given) -> Rubric:
    """Give a rubric: one that ships by name, a file, or weights by dimension.

    Args:
        given: a name, a TOML file, a rubric, or dimensions with a weight each: a number or a
            mapping with `weight` and maybe `description` and `levels`, a number by name or a text
            by number. Dimensions of the agent rubric keep its texts; own levels make the range of
            their dimension, and seven tenths of it pass.

    Raises:
        RubricError: There is no such rubric, or a weight or a level is no number.
    """
    if isinstance(given, Rubric):
        return given
    if isinstance(given, Mapping):
        return _of_configs(given)
    return rubrics.shipped().get(str(given)) or rubrics.load(Path(given))


def configs_of(given: Given) -> dict[str, Config]:
    """Give the dimensions of a rubric as scripts write them: weight, description and levels.

    A mapping's entries stay as they are; a bare weight becomes one.
    """
    if isinstance(given, Mapping):
        return {name: _config(entry) for name, entry in given.items()}
    return {
        metric.name: {
            "weight": metric.weight,
            "description": metric.description,
            "levels": {_word(level): level.value for level in metric.levels},
        }
        for metric in rubric_of(given).overall_metrics
    }


def overall(scores: Mapping[str, float | None], given: Given) -> float | None:
    """Give the weighted mean of the dimensions that are there; None where none is."""
    return weighted_mean(dict(scores), overall_rule(rubric_of(given)))


def _word(level: Level) -> str:
    return level.title.lower() or str(level.value)


def _config(entry: object) -> Config:
    return entry if isinstance(entry, Mapping) else {"weight": entry}


def _of_configs(given: Mapping[str, Any]) -> Rubric:
    base = rubrics.shipped()[AGENT_RUBRIC]
    if not given:
        raise RubricError("The rubric has no dimension; give each a weight.")
    metrics = tuple(_dimension(base, str(name), _config(x)) for name, x in given.items())
    ranges = {metric.bounds for metric in metrics if metric.weight}
    # dimensions on different ranges make an overall from 0 to 1
    low, high = (len(ranges) == 1 and ranges.pop()) or (0.0, 1.0)
    published = set(given) == set(base.by_name) and all(
        metric.levels == base.by_name[metric.name].levels for metric in metrics
    )
    return replace(
        base,
        name=AGENT_RUBRIC if published else OWN,
        metrics=metrics,
        pass_at=low + RUBRIC_PASS_AT * (high - low),
    )


def _dimension(base: Rubric, name: str, fields: Config) -> Metric:
    weight = fields.get("weight")
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not weight >= 0:
        raise RubricError(f"Dimension {name}: the weight is {weight!r}; a number from 0 is right.")
    levels = _levels(name, fields.get("levels"))
    known = base.by_name.get(name)
    if known is not None and {x.value for x in levels} <= {x.value for x in known.levels}:
        return replace(known, weight=float(weight))
    values = [float(level.value) for level in levels] or [0.0, 1.0]
    text = str(fields.get("description", "")) or (known.description if known else "")
    return Metric(
        name=name,
        description=text,
        weight=float(weight),
        scale="range",
        min=min(values),
        max=max(values),
        levels=levels,
    )


def _levels(name: str, given: object) -> tuple[Level, ...]:
    """Read levels, the highest first: numbers by name, or texts by number."""
    if not given:
        return ()
    if not isinstance(given, Mapping):
        raise RubricError(
            f"Dimension {name}: the levels are {type(given).__name__}; a mapping such as "
            '{"good": 1.0, "poor": 0.0} is right.'
        )
    found = []
    for key, value in given.items():
        described = isinstance(value, str)
        number = _number(key if described else value)
        if number is None:
            raise RubricError(f"Dimension {name}: the level {key!r} is {value!r}, no number.")
        title, text = ("", value) if described else (str(key).capitalize(), "")
        found.append(Level(value=number, title=title, description=text))
    if len({level.value for level in found}) < 2:
        raise RubricError(f"Dimension {name}: at least two different levels are needed.")
    return tuple(sorted(found, key=lambda level: -float(level.value)))


def _number(given: object) -> float | None:
    """Give a number, also one that a key of a JSON object writes; None of anything else."""
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return None
    with contextlib.suppress(ValueError):
        return float(given)
    return None
