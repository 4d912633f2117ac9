"""A project in which everything that a blind labeler may not see can be told from the rest."""

from contextlib import closing
from pathlib import Path

from reviewer.domain.rubric import Metric, Rubric
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.queues import profiles
from tests.building import build_project, record

WHY, SAID = "ZQXWHY", "ZQXSAID"
JUDGED, GIVEN = 73.25, 61.75
"""Values that stand nowhere by chance; others gave one, the judge the other."""
SECRETS = (WHY, SAID, "73.25", "61.75", "73.3", "61.8", "11.5", "−11.5")
RUBRIC = Rubric(
    name="hidden", metrics=(Metric(name="worth", scale="range", min=0, max=100, pass_at=50),)
)


def hidden_project(path: Path) -> Path:
    """Forty responses that a judge and a lead scored, and none of them the labeler `bo`."""
    build_project(
        path,
        rubric=RUBRIC,
        evaluations=[
            record(
                number,
                scores=[{"metric": "worth", "value": JUDGED, "scorer": "judge", "reasoning": WHY}],
            )
            for number in range(1, 41)
        ],
    )
    with closing(Session.open(path, "lea")) as session:
        for key in range(1, 41):
            entering.commit(session, key, "worth", GIVEN)
            entering.comment(session, key, "worth", SAID)
        profiles.add(session, "bo")
    return path


def tells(words: str) -> bool:
    """Tell whether words hold what judge or others said."""
    return any(secret in words for secret in SECRETS)
