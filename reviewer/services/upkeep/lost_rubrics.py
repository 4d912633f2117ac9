"""Put a rubric in the place of one that a damaged file no longer gives.

A shipped one of the same name is taken as it ships. Else it has the metrics and the values that
were found, by the rule for proposed rubrics, and says so.
"""

import json
from dataclasses import replace

from reviewer.domain.errors import RubricError
from reviewer.domain.rubric import Rubric
from reviewer.services.project.rubrics import MetricSample, propose, shipped
from reviewer.store import rubrics, standins
from reviewer.store.project import Project
from reviewer.store.standins import Lost


def stand_in(project: Project) -> list[Lost]:
    """Give every rubric without a version a new one, and say which these are."""
    told = []
    for name in rubrics.names(project):
        if rubrics.versions(project, name):
            continue
        found = shipped().get(name)
        how = "the one that ships under this name stands in its place"
        if found is None:
            found = _proposed(project, name)
            how = "one proposed from the values stands in its place; import the rubric again"
        rubrics.add(project, found)
        told.append(Lost("rubric text", more=f"{json.dumps(name, ensure_ascii=False)}: {how}"))
    return told


def _proposed(project: Project, name: str) -> Rubric:
    samples: dict[str, MetricSample] = {}
    for metric, value in standins.values_seen(project, name):
        samples.setdefault(metric, MetricSample()).see(value)
    try:
        found = propose(samples, name)
    except RubricError:
        found = replace(shipped()["guest-response"], name=name)
    return replace(
        found,
        version=standins.RUBRIC_LOST,
        description="Its own text could not be read: the project file was damaged.",
    )
