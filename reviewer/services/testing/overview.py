"""Everything that is shown of a project's test sets at once."""

from dataclasses import dataclass

from reviewer.domain.case_set import CaseSet, SetEntry
from reviewer.services.project.session import Session
from reviewer.services.testing import checking, results, sets
from reviewer.services.testing.checking import Finding
from reviewer.services.testing.results import Across


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The test sets, and one version of one of them with its results and its check.

    Attributes:
        tests: None where the project has no test set.
    """

    entries: tuple[SetEntry, ...]
    tests: CaseSet | None = None
    across: Across | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def entry(self) -> SetEntry | None:
        """Give the entry of the set that is shown."""
        name = self.tests.name if self.tests else None
        return next((x for x in self.entries if x.name == name), None)

    @property
    def is_newest(self) -> bool:
        """Tell whether the version that counts is shown, which alone can be edited."""
        entry = self.entry
        return (
            self.tests is not None
            and entry is not None
            and self.tests.version == entry.newest.version
        )


def read(
    session: Session,
    name: str | None = None,
    version: int | None = None,
    metric: str | None = None,
) -> Overview:
    """Read a test set; one that is gone gives way to the set of the newest run's rubric."""
    entries = sets.every(session)
    if not entries:
        return Overview(entries=())
    names = [entry.name for entry in entries]
    if name not in names:
        rubric = session.current_rubric().name if session.run_keys() else None
        fitting = [entry.name for entry in entries if entry.rubric == rubric]
        name, version = (fitting or names)[0], None
    entry = entries[names.index(name)]
    if version not in {x.version for x in entry.versions}:
        version = None
    tests = sets.get(session, name, version)
    across = results.across(session, tests, metric)
    return Overview(
        entries=entries,
        tests=tests,
        across=across,
        findings=checking.check(tests.cases, tests.rubric, results.responses(session, tests)),
    )
