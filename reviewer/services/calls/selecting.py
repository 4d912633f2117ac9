"""Which evaluations a job works on."""

from array import array

from reviewer.domain.errors import ReviewerError
from reviewer.domain.filters import quote
from reviewer.domain.judging import Selection
from reviewer.domain.rubric import Rubric
from reviewer.domain.run import Scope
from reviewer.services.aligning import splitting
from reviewer.services.figures.request import covered
from reviewer.services.listing import listing
from reviewer.services.project.session import Session
from reviewer.services.transfer import disagreements
from reviewer.store import jobs, reading, splits

_LABELLED = {"labelled": "labeler:1", "unlabelled": "-labeler:1"}


def runs_of(session: Session, selection: Selection) -> tuple[tuple[str, ...], Rubric]:
    """Give the runs that a selection means, and their rubric.

    Raises:
        ReviewerError: There is no such run, or the runs have different rubrics.
    """
    names = selection.runs or session.run_names()[-1:]
    found = covered(session.project, Scope(runs=names))
    if found.left_out:
        raise ReviewerError(
            f"The run {found.left_out[0]!r} has another rubric than {found.runs[-1]!r}; "
            "evaluate them one after the other."
        )
    return found.runs, found.rubric


def run_keys(session: Session, selection: Selection) -> list[int]:
    """Give the numbers of the runs that a selection means.

    Raises:
        ReviewerError: As for `runs_of`.
    """
    if selection.keys is not None:
        return sorted({session.place(key)[0] for key in selection.keys})
    names, _ = runs_of(session, selection)
    found = zip(session.run_keys(), session.run_names(), strict=True)
    return [key for key, name in found if name in names]


def rubric_of(session: Session, selection: Selection) -> Rubric:
    """Give the rubric of what is selected.

    Raises:
        ReviewerError: Nothing is selected, or the evaluations have different rubrics.
    """
    if selection.keys is None:
        return runs_of(session, selection)[1]
    found = {session.rubric_of(key).name: session.rubric_of(key) for key in selection.keys}
    if len(found) != 1:
        names = ", ".join(sorted(found)) or "none"
        raise ReviewerError(f"The chosen evaluations need one rubric in common; theirs: {names}.")
    return next(iter(found.values()))


def selected(session: Session, selection: Selection) -> "array[int]":
    """Give the keys of the selected evaluations, in the order of their runs and files.

    Where a half is selected, newer labels are divided first.

    Raises:
        ReviewerError: A run or category is not there, or the filter cannot be understood.
    """
    if selection.part is not None:
        splitting.ensure(session)
    return divided(session, selection)


def divided(session: Session, selection: Selection) -> "array[int]":
    """Give the keys of what is selected as labels are divided now; writes nothing.

    Raises:
        ReviewerError: As for `selected`.
    """
    if selection.keys is not None:
        return _in_part(session, selection, array("q", selection.keys))
    runs, _ = runs_of(session, selection)
    keys = array("q")
    for run in runs:
        keys.extend(_of_run(session, selection, run))
    if not keys and selection.categories:
        raise ReviewerError(
            f"No evaluation of {', '.join(runs)} is in the category "
            f"{', '.join(selection.categories)}."
        )
    return keys if selection.limit is None else keys[: selection.limit]


def _in_part(session: Session, selection: Selection, keys: "array[int]") -> "array[int]":
    if selection.part is None:
        return keys
    parts = splits.parts_of(session.project.conn, keys)
    return array("q", (key for key in keys if parts.get(key) == selection.part))


def _of_run(session: Session, selection: Selection, run: str) -> "array[int]":
    wanted = [selection.filter_text] if selection.filter_text.strip() else []
    if selection.categories:
        either = " OR ".join(f"category:{quote(name)}" for name in selection.categories)
        wanted.append(f"({either})")
    if selection.only in _LABELLED:
        wanted.append(_LABELLED[selection.only])
    if selection.part is not None:
        wanted.append(f"part:{selection.part}")
    wanted.append("-state:excluded")
    text = " ".join(f"({part})" if " OR " in part else part for part in wanted)
    keys = listing.build(session, filter_text=text, run=run).ids
    if selection.only == "disagreements":
        differing = {
            reading.find(session.project.conn, str(row["id"]), run)
            for row in disagreements.find(session.project, Scope(runs=(run,)))
        }
        return array("q", (key for key in keys if key in differing))
    if selection.only == "failed":
        failed = jobs.last_failed(session.project.conn, keys)
        return array("q", (key for key in keys if key in failed))
    return keys
