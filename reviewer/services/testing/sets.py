"""Test sets of a project: read from files, edited case by case, each change a new version.

Of a list of cases: what fits a filter, which tags there are, and how they are spread.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from reviewer.domain.case_set import CaseSet, Fields, SetEntry, question_of
from reviewer.domain.errors import ReviewerError
from reviewer.domain.record import run_name
from reviewer.domain.wording import counted, listed
from reviewer.formats import case_files
from reviewer.formats.case_files import FoundCase
from reviewer.formats.incoming import BadRow, Refused
from reviewer.formats.paths import find
from reviewer.services.project import naming, rubrics
from reviewer.services.project.session import Session
from reviewer.services.transfer.import_report import RejectedRow, place_words
from reviewer.store import case_sets, figures
from reviewer.store.case_sets import Edits
from reviewer.store.records import RecordReader

MOST_CASES: Final = 100_000
HARNESS: Final = "harness"
_OF_HARNESS: Final = frozenset({"expected_tools", "expected_keywords"})
"""What only the harness scores of a case."""


@dataclass(slots=True)
class Added:
    """What adding a file did.

    Attributes:
        version: The set's version afterwards; a new one only where something changed.
        added, changed, unchanged: Cases.
        rejected: Rows, and single values whose case was kept, in the file's order.
        rejected_rows: How many of them are whole rows.
        sentences: What else is to be told.
        stored: False where nothing was kept, because of `strict`.
    """

    name: str
    version: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    rejected: list[RejectedRow] = field(default_factory=list)
    rejected_rows: int = 0
    sentences: list[str] = field(default_factory=list)
    stored: bool = True

    @property
    def sentence(self) -> str:
        """Tell the counts in words."""
        parts = [
            f"{self.added:,} added",
            f"{self.changed:,} changed",
            f"{self.unchanged:,} unchanged",
            f"{self.rejected_rows:,} rejected",
        ]
        kept = f"{self.name} v{self.version}" if self.stored else f"{self.name}, nothing stored"
        return f"{kept}: {', '.join(parts)}."


def every(session: Session) -> tuple[SetEntry, ...]:
    """Give the test sets by name, each with its versions."""
    return case_sets.every(session.project.conn)


def get(session: Session, name: str | None = None, version: int | None = None) -> CaseSet:
    """Give a test set's cases; without a name, those of the only set.

    Raises:
        ReviewerError: There is no such set or version, or several sets and no name.
    """
    names = [entry.name for entry in every(session)]
    if name is None:
        if len(names) != 1:
            there = f"it has: {', '.join(names)}" if names else "add one first"
            raise ReviewerError(f"Name the test set of this project; {there}.")
        name = names[0]
    found = case_sets.find(session.project.conn, name, version)
    if found is None and name in names:
        raise ReviewerError(f"The test set {name} has no version {version}.")
    if found is None:
        raise ReviewerError(
            f"The project has no test set {name!r}; it has: {', '.join(names) or 'none'}."
        )
    return found


def read_file(path: Path) -> tuple[dict[str, Fields], Added]:
    """Read a file's cases by id, and what of it cannot be used.

    Raises:
        ReviewerError: The file cannot be read, or holds no case.
    """
    told = Added(run_name(path.name))
    cases: dict[str, Fields] = {}
    places: dict[str, str] = {}
    left_out: dict[str, int] = {}
    is_numbered = case_files.is_numbered(path)
    for count, item in enumerate(case_files.read(path), start=1):
        number = count if is_numbered else 0
        if isinstance(item, BadRow):
            _reject(told, path, item, number)
            continue
        for refused in item.refused:
            told.rejected.append(_rejected(path, item.line, number, refused))
        for key in item.left_out:
            left_out[key] = left_out.get(key, 0) + 1
        id_ = item.fields["id"]
        if id_ in cases and cases[id_] != item.fields:
            reason = f"{places[id_]} has another case of this id; every case needs its own"
            _reject(told, path, BadRow(item.line, "id", id_, reason), number)
        elif len(cases) >= MOST_CASES:
            raise ReviewerError(
                f"{path.name} holds more than {MOST_CASES:,} cases; split it into several sets."
            )
        else:
            cases[id_] = item.fields
            places.setdefault(id_, place_words(item.line, number))
    if not cases and not told.rejected:
        raise ReviewerError(f"{path.name} holds no case.")
    if left_out:
        keys = listed([f"{key} ({count:,})" for key, count in left_out.items()])
        told.sentences.append(f"Left out, as only answers have it: {keys}.")
    return cases, told


def add_file(
    session: Session,
    path: Path,
    *,
    name: str | None = None,
    rubric: str | None = None,
    strict: bool = False,
) -> Added:
    """Add a file's cases to a test set, which is made where there is none.

    Cases with an id that is there are changed, new ones come behind; those that the file does not
    hold stay. Adding the same file again changes nothing and makes no version.

    Args:
        session: the project.
        path: JSON Lines, JSON, CSV or YAML.
        name: of the set; without one it is the file's.
        rubric: by which runs of the set are scored from now on; without one it stays, and a new
            set takes that of the newest run.
        strict: keep nothing where anything is rejected.

    Raises:
        ReviewerError: The file cannot be read, holds no usable case, or the rubric is not there.
    """
    cases, told = read_file(path)
    told.name = naming.checked(name or told.name, "test set")
    if not cases:
        first = told.rejected[0]
        raise ReviewerError(f"{path.name} holds no usable case. {first.sentence}.")
    if strict and told.rejected:
        told.stored = False
        return told
    return add(session, told.name, cases, note=path.name, rubric=rubric, told=told)


def add(
    session: Session,
    name: str,
    cases: Mapping[str, Fields],
    *,
    note: str = "",
    rubric: str | None = None,
    told: Added | None = None,
) -> Added:
    """Add cases by id to a set, or make it; a new version only where anything changes."""
    told = told or Added(name)
    there = case_sets.find(session.project.conn, name)
    known = {case["id"]: case for case in there.cases} if there else {}
    new = {id_: case for id_, case in cases.items() if id_ not in known}
    changed = {id_: case for id_, case in cases.items() if id_ in known and known[id_] != case}
    told.added, told.changed = len(new), len(changed)
    told.unchanged = len(cases) - len(new) - len(changed)
    told.version = there.version if there else 0
    if rubric is not None or there is None:
        rubric = _rubric(session, rubric, cases)
    if new or changed:
        edits = Edits(put=changed | new, note=note, rubric=rubric)
        told.version = case_sets.keep(session.project, name, edits)
    elif rubric is not None:
        case_sets.score_by(session.project, name, rubric)
    return told


def put_case(session: Session, name: str, fields: Fields, *, instead_of: str | None = None) -> int:
    """Put a case into a set, by its id, and give the set's version.

    Args:
        session: the project.
        name: of the set.
        fields: the case; without an id it gets one from its question.
        instead_of: the id of the case that it takes the place of, where its own is another.

    Raises:
        ReviewerError: The case cannot be used; the sentence names the field.
    """
    found = case_files.case_of(dict(fields))
    if isinstance(found, BadRow):
        raise ReviewerError(_said(found.field, found.reason))
    if found.refused:
        raise ReviewerError(_said(found.refused[0].field, found.refused[0].reason))
    case = found.fields
    there = get(session, name)
    known = {x["id"]: x for x in there.cases}
    if case["id"] != instead_of and instead_of is not None and case["id"] in known:
        raise ReviewerError(f"The set {name} has a case {case['id']} already.")
    if known.get(case["id"]) == case:
        return there.version
    moved = instead_of is not None and instead_of in known and instead_of != case["id"]
    gone = [instead_of] if instead_of is not None and moved else []
    what = "changed" if case["id"] in known or gone else "added"
    edits = Edits(put={case["id"]: case}, gone=gone, note=f"{case['id']} {what}")
    return case_sets.keep(session.project, name, edits)


def remove_cases(session: Session, name: str, ids: Sequence[str]) -> int:
    """Take cases out of a set and give its version; older versions keep them.

    Raises:
        ReviewerError: A case is not there.
    """
    known = {case["id"] for case in get(session, name).cases}
    for id_ in ids:
        if id_ not in known:
            raise ReviewerError(f"The test set {name} has no case {id_!r}.")
    edits = Edits(put={}, gone=ids, note=f"{counted(len(ids), 'case')} removed")
    return case_sets.keep(session.project, name, edits)


def removed(name: str, version: int, ids: Sequence[str]) -> str:
    """Say that cases were taken out of a set."""
    return f"{name} v{version}: {counted(len(ids), 'case')} removed; older versions keep them."


def restore(session: Session, name: str, version: int) -> int:
    """Make an older version the newest again, as a version of its own, and give its number."""
    old = {case["id"]: case for case in get(session, name, version).cases}
    now = {case["id"]: case for case in get(session, name).cases}
    edits = Edits(
        put={id_: case for id_, case in old.items() if now.get(id_) != case},
        gone=[id_ for id_ in now if id_ not in old],
        note=f"as v{version}",
    )
    return case_sets.keep(session.project, name, edits)


def from_run(session: Session, run: str, name: str | None = None) -> Added:
    """Make a test set of a run's cases, without their answers.

    Raises:
        ReviewerError: There is no such run, or none of its evaluations asks anything.
    """
    keys = {name: key for key, name, _ in figures.run_places(session.project)}
    if run not in keys:
        raise ReviewerError(f"There is no run {run!r} in this project.")
    cases: dict[str, Fields] = {}
    for stored in RecordReader(session.project).of_run((keys[run], run), {}):
        unanswered = {**stored.fields, "messages": up_to_question(stored.fields)}
        found = case_files.case_of(
            {key: x for key, x in unanswered.items() if key != "run" and (x or key != "messages")}
        )
        if isinstance(found, FoundCase):
            cases[found.fields["id"]] = found.fields
    if not cases:
        raise ReviewerError(f"No evaluation of {run} asks anything, so there is no case.")
    rubric = session.rubric_of_run(keys[run]).name
    checked = naming.checked(name or run, "test set")
    return add(session, checked, cases, note=f"cases of {run}", rubric=rubric)


def up_to_question(case: Mapping[str, Any]) -> list[Fields]:
    """Give the turns of a case's conversation up to its last question, without the answer."""
    turns = list(case.get("messages") or ())
    while turns and turns[-1].get("role") != "user":
        turns.pop()
    return turns


def rename(session: Session, name: str, to: str) -> str:
    """Give a set another name, and give that name.

    Raises:
        ReviewerError: There is no such set, or the name is no name or taken.
    """
    get(session, name)
    made = naming.checked(to, "test set")
    if made in (entry.name for entry in every(session)) and made != name:
        raise ReviewerError(f"There is a test set {made} already.")
    case_sets.rename(session.project, name, made)
    return made


def forget(session: Session, name: str) -> None:
    """Forget a set with its versions; runs of it stay.

    Raises:
        ReviewerError: There is no such set.
    """
    get(session, name)
    case_sets.forget(session.project, name)


def ids(cases: Iterable[Fields]) -> tuple[str, ...]:
    """Give the ids of cases."""
    return tuple(str(case["id"]) for case in cases)


def _rubric(session: Session, name: str | None, cases: Mapping[str, Fields]) -> str | None:
    """Give the rubric of a set: as named, as of the newest run, else as its cases tell."""
    if name is None and session.run_keys():
        return session.current_rubric().name
    if name is None and any(_OF_HARNESS & case.keys() for case in cases.values()):
        name = HARNESS
    if name is None or name in rubrics.names(session.project):
        return name
    return rubrics.save_version(session.project, rubrics.named(session.project, name)).name


def _rejected(path: Path, line: int, number: int, item: BadRow | Refused) -> RejectedRow:
    return RejectedRow(path.name, line, item.field, item.value, item.reason, number)


def _reject(told: Added, path: Path, row: BadRow, number: int) -> None:
    told.rejected.append(_rejected(path, row.line, number, row))
    told.rejected_rows += 1


def _said(name: str, reason: str) -> str:
    return f"{name}: {reason}." if name else f"{reason[:1].upper()}{reason[1:]}."


USUAL_COMPLEXITY = "medium"
NO_CATEGORY = "none"
_PARTS = re.compile(r'(?:[^\s"]|"[^"]*"?)+')


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How many cases there are of each complexity, category and tag.

    Attributes:
        complexity: By name; a case that has none is medium.
        category: By name; `none` counts those without.
        tags: By name; a case may have several.
    """

    cases: int
    complexity: dict[str, int]
    category: dict[str, int]
    tags: dict[str, int]


def complexity_of(case: Fields) -> str:
    """Give a case's complexity, medium where it says none."""
    return str(case.get("complexity") or USUAL_COMPLEXITY)


def matching(
    cases: Iterable[Fields],
    *,
    tags: Sequence[str] = (),
    where: Iterable[tuple[str, object]] = (),
) -> list[Fields]:
    """Give the cases that have every tag and in which every field is as wanted.

    Args:
        cases: All cases.
        tags: Each must be there.
        where: Fields, dotted paths into objects allowed, with the wanted value; in a list one
            element must be so. A missing complexity is medium.
    """
    wanted = tuple(where)
    return [
        case
        for case in cases
        if set(tags) <= set(case.get("tags") or ())
        and all(_is(case, field, value) for field, value in wanted)
    ]


def _is(case: Fields, field: str, wanted: object) -> bool:
    found = complexity_of(case) if field == "complexity" else find(case, field)
    options = found if isinstance(found, list | tuple) else [found]
    return found == wanted or any(_text(one) == _text(wanted) for one in options)


def _text(value: object) -> str | None:
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def tag_index(cases: Iterable[Fields]) -> dict[str, tuple[str, ...]]:
    """Give the ids of the cases of each tag, tags in alphabetical order."""
    there = tuple(cases)
    return {
        tag: tuple(str(there[place]["id"]) for place in places)
        for tag, places in tag_places(there).items()
    }


def tag_places(cases: Iterable[Fields]) -> dict[str, list[int]]:
    """Give where the cases of each tag stand, from 0, tags in alphabetical order."""
    found: dict[str, list[int]] = {}
    for place, case in enumerate(cases):
        for tag in case.get("tags") or ():
            found.setdefault(str(tag), []).append(place)
    return {tag: found[tag] for tag in sorted(found, key=str.lower)}


def spread(cases: Sequence[Fields]) -> Spread:
    """Count cases by complexity, category and tag, the most frequent first."""
    return Spread(
        cases=len(cases),
        complexity=_counted(map(complexity_of, cases)),
        category=_counted(str(case.get("category") or NO_CATEGORY) for case in cases),
        tags=_counted(tag for case in cases for tag in case.get("tags") or ()),
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())


def filtered(cases: Sequence[Fields], text: str) -> list[Fields]:
    """Give the cases that fit what somebody typed.

    `field=value` asks for a field, `tag:name` for a tag; every other word must stand in the id,
    the question, the expected answer, the category or a tag. Quotation marks hold words together.
    """
    tags, where, words = [], [], []
    for part in _PARTS.findall(text):
        bare = part.replace('"', "")
        name, sign, value = bare.partition("=")
        if bare.lower().startswith("tag:"):
            tags.append(bare[4:])
        elif sign and name:
            where.append((name, value))
        elif bare:
            words.append(bare.lower())
    found = matching(cases, tags=tags, where=where)
    return [case for case in found if all(word in _readable(case) for word in words)]


def _readable(case: Fields) -> str:
    parts = (
        case["id"], question_of(case), case.get("expected"), case.get("category"),
        complexity_of(case), *(case.get("tags") or ()), *(case.get("expected_keywords") or ()),
    )  # fmt: skip
    return "\n".join(str(part) for part in parts if part).lower()
