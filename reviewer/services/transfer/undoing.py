"""Take an import back, also later; what people have labelled since can stay."""

from dataclasses import dataclass
from typing import Literal

from reviewer.domain.errors import ProjectError
from reviewer.domain.wording import counted, listed
from reviewer.store import importing as stored
from reviewer.store.importing import Restorer
from reviewer.store.project import Project

Keep = Literal["labelled", "nothing"]
"""What stays of an import that is taken back."""
NOT_BACK = "importing the file anew does not bring them back"


class LabelledError(ProjectError):
    """Report that people have labelled what an import brought, so that one has to choose.

    Attributes:
        evaluations: How many evaluations have such labels or marks.
        entries: How many labels and marks these are.
    """

    def __init__(self, source: str, evaluations: int, entries: int) -> None:
        """Say how much was given, and the two ways on."""
        self.evaluations, self.entries = evaluations, entries
        verb = "was" if entries == 1 else "were"
        super().__init__(
            f"{counted(entries, 'label or mark', 'labels and marks')} {verb} given since on "
            f"{counted(evaluations, 'evaluation')} of the import of {source}. "
            "--keep labelled takes back the rest and keeps these; --keep nothing takes back all: "
            "what was given stays in the project and shows again when the file is imported anew."
        )


@dataclass(frozen=True, slots=True)
class Cost:
    """What taking an import back would cost.

    Attributes:
        labelled: How many of its evaluations people have labelled or marked since.
        entries: How many labels and marks these are.
        places: The places in queues that would go for good, in words; empty for none.
    """

    labelled: int = 0
    entries: int = 0
    places: str = ""


def cost(project: Project, number: int) -> Cost:
    """Tell what taking an import back would cost."""
    evaluations, entries = stored.labelled_since(project, number)
    return Cost(evaluations, entries, places_to_lose(project, number))


def cost_words(cost: Cost) -> str:
    """Say what people gave since, to follow another sentence; empty for nothing."""
    if not cost.labelled:
        return ""
    given = counted(cost.entries, "label or mark", "labels and marks")
    return f" {given} on {counted(cost.labelled, 'evaluation')} so far."


def places_to_lose(project: Project, number: int) -> str:
    """Name the places in queues that taking an import back would cost; empty for none."""
    found = stored.places_to_lose(project, number)
    if not found:
        return ""
    queues = counted(len(found), "queue") if len(found) > 3 else listed(tuple(found))
    which = queues if len(found) > 3 else f"the queue{'s' * (len(found) > 1)} {queues}"
    return f"{counted(sum(found.values()), 'place')} in {which}"


def undo_import(project: Project, number: int, *, keep: Keep | None = None) -> str:
    """Take an import back and say what was taken back.

    Args:
        project: The project.
        number: The import's.
        keep: Whether the evaluations that people have labelled since stay; None where nobody has
            said so.

    Raises:
        ProjectError: There is no such import, or it was taken back already.
        LabelledError: Some were labelled since, and nobody has said what becomes of them.
    """
    source = _of(project, number)
    labelled, later = stored.labelled_since(project, number)
    if labelled and keep is None:
        raise LabelledError(source, labelled, later)
    entries = stored.brought_to_others(project, number)
    brought = counted(entries, "score, label or mark", "scores, labels and marks")
    texts = len(Restorer(project, number).found)
    back = f" Replaced texts that are back: {texts:,}." if texts else ""
    places = places_to_lose(project, number)
    count = stored.take_back(project, number, keep_labelled=keep == "labelled")
    parts = [counted(count, "evaluation")] if count or not entries else []
    parts += [f"{brought} that it gave to earlier evaluations"] if entries else []
    lost = f" Lost with it: {places}; {NOT_BACK}." if places else ""
    kept = _kept(labelled, later, stays=keep == "labelled") if labelled else ""
    return f"Took back the import of {source}: {listed(parts)}.{back}{kept}{lost}"


def _of(project: Project, number: int) -> str:
    found = stored.state(project, number)
    if found is None:
        known = ", ".join(f"{x} ({name})" for x, name in stored.standing(project)) or "none"
        raise ProjectError(
            f"There is no import {number} in {project.path.name}; those that can be taken back: "
            f"{known}."
        )
    state, source = found
    if state != "done":
        raise ProjectError(f"The import {number} of {source} is {state} already.")
    return source


def newest(project: Project) -> int:
    """Give the number of the newest import that can be taken back.

    Raises:
        ProjectError: There is none.
    """
    numbers = [number for number, _ in stored.standing(project)]
    if not numbers:
        raise ProjectError(f"There is no import in {project.path.name} to take back.")
    return numbers[-1]


def stay_words(evaluations: int) -> str:
    """Say how many evaluations stay because people have labelled them."""
    verb = "stays" if evaluations == 1 else "stay"
    return f"{counted(evaluations, 'evaluation')} that people labelled since {verb}"


def _kept(evaluations: int, entries: int, *, stays: bool) -> str:
    if stays:
        return f" {stay_words(evaluations)}."
    since = counted(entries, "label or mark", "labels and marks")
    verbs = ("stays", "shows") if entries == 1 else ("stay", "show")
    return (
        f" {since} given since {verbs[0]} in the project and {verbs[1]} again when the file is "
        "imported anew."
    )
