"""An audit packet: one zip from which anybody can work out the main figures again.

The same project and scope give the same bytes. It holds what nobody has to be blind to any more,
so it is for leads alone.
"""

import contextlib
import hashlib
import json
import re
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any, Final

from msgspec import structs

from reviewer import paths
from reviewer.domain.errors import CancelledError, Progress, ProjectError, ReviewerError
from reviewer.domain.judging import Endpoint
from reviewer.domain.rubric import Rubric
from reviewer.domain.rubric_keys import keys_of
from reviewer.domain.run import NO_PARAMETERS, ScorerVersion
from reviewer.domain.wording import counted
from reviewer.formats import native
from reviewer.scoring.masking import is_secret, looks_secret, masked
from reviewer.services.computer import secrets, whole_files
from reviewer.services.computer.versions import version
from reviewer.services.figures import statistics
from reviewer.services.figures.auto_columns import RunRecord
from reviewer.services.figures.judge_details import shipped_hash, shipped_text
from reviewer.services.figures.request import Covered, covered
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.figures.statistics_document import SCHEMA, StatsDocument, filters_json
from reviewer.services.project import project_days, rubrics
from reviewer.services.project.session import Session, require_lead
from reviewer.store import exporting as stored
from reviewer.store import figures, judging
from reviewer.store.project import Project
from reviewer.store.schema import FORMAT
from reviewer.store.scoping import Condition, with_excluded

Json = dict[str, Any]
PACKET: Final = 1
"""The version of the packet's own form."""
SUFFIX: Final = ".zip"
ROWS: Final = 512
"""Records between two looks at whether somebody wants to stop."""
SHORTEST: Final = 8
"""Characters of the shortest text that is taken for a key; masking a word would spoil files."""
_BIRTH: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip can say: a packet knows no clock."""
_ON_UNIX, _READABLE = 3, 0o100644 << 16
_PLAIN: Final = re.compile(r"[0-9a-f]{6,64}")


@dataclass(frozen=True, slots=True)
class AuditPacket:
    """A packet that was written.

    Attributes:
        excluded: How many of the evaluations are in no figure.
        labels: Entries of the history.
    """

    file: Path
    evaluations: int
    excluded: int
    labels: int
    bytes: int
    sha256: str

    def to_json(self) -> Json:
        """Give what the command line prints of it."""
        return {**asdict(self), "file": str(self.file)}

    @property
    def sentence(self) -> str:
        """Tell it in words."""
        return (
            f"{counted(self.evaluations, 'evaluation')} and "
            f"{counted(self.labels, 'entry', 'entries')} of labels, {self.bytes:,} bytes in "
            f"{self.file}"
        )


def make(session: Session, to: Path, request: StatsRequest, progress: Progress) -> AuditPacket:
    """Write the audit packet of a scope, whole or not at all.

    Raises:
        LabelError: The project has leads, and the labeler is none.
        ProjectError: The file is there already or cannot be written.
        ReviewerError: The scope or an option names something that is not there.
        CancelledError: Somebody stopped it; nothing is left behind.
    """
    instead = (
        "Ask them for it; if that is you, choose your name under Switch labeler in the window."
    )
    require_lead(session, "make an audit packet", instead)
    _check(to, request)
    with figures.snapshot(session.project), whole_files.part_of(to) as part:
        with part.open("wb") as file, contextlib.closing(_Zip(file)) as files:
            made = _Packing(session.project, files, to.name, request).write(progress)
        whole_files.put(part, to)
    with to.open("rb") as written:
        digest = hashlib.file_digest(written, "sha256").hexdigest()
    return replace(made, file=to, bytes=to.stat().st_size, sha256=digest)


def _check(to: Path, request: StatsRequest) -> None:
    if request.scope.metrics:
        raise ReviewerError(
            "An audit packet holds every metric of the rubric, as what passes follows from all of "
            f"them; {request.scope.metrics[0]} was named. Leave --metric out."
        )
    if to.suffix.lower() != SUFFIX:
        raise ReviewerError(f"An audit packet is a zip; {to.name} should end in {SUFFIX}.")
    if to.exists():
        raise ProjectError(f"{to} exists already; choose another name.")


class _Zip:
    """A zip whose bytes follow from what is put in alone; it knows the hash of every file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w")
        self.keys: Sequence[str] = ()
        self.files: list[Json] = []

    def add(self, name: str, pieces: Iterable[bytes], *, ours: bool = False) -> None:
        """Put a file in, with a mark in the place of every key where the text is not `ours`."""
        entry = zipfile.ZipInfo(name, _BIRTH)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.create_system, entry.external_attr = _ON_UNIX, _READABLE
        size, digest = 0, hashlib.sha256()
        with self._zip.open(entry, "w", force_zip64=True) as file:
            for piece in pieces:
                content = piece if ours else self._without_keys(piece)
                size += file.write(content)
                digest.update(content)
        self.files.append({"name": name, "bytes": size, "sha256": digest.hexdigest()})

    def add_json(self, name: str, value: object) -> None:
        """Put one JSON value in."""
        self.add(name, [_as_json(value)])

    def close(self) -> None:
        """Write the list of what is in it."""
        self._zip.close()

    def _without_keys(self, piece: bytes) -> bytes:
        if not self.keys:
            return piece
        text = piece.decode("utf-8")
        for key in self.keys:
            text = masked(text, key)
        return text.encode("utf-8")


def figures_json(document: StatsDocument) -> bytes:
    """Give the file of figures; where the project lies is nobody's business."""
    found = document.to_json()
    del found["project"]
    return _as_json(found)


def _as_json(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1)
    return text.encode("utf-8", "backslashreplace") + b"\n"


class _Packing:
    """Writes the files of a packet one after the other."""

    def __init__(self, project: Project, files: _Zip, name: str, request: StatsRequest) -> None:
        self._project, self._zip, self._name = project, files, name
        self._request = request
        self._versions = figures.scorer_versions(project)
        files.keys = _keys(project, self._versions)
        self._evaluations = self._excluded = self._labels = 0

    def write(self, progress: Progress) -> AuditPacket:
        """Write everything; gives how much it is."""
        project, request = self._project, self._request
        progress.advance(0, None, "figures")
        document = statistics.compute(project, request, progress=progress)
        scope = covered(project, request.scope)
        folder = paths.resources() / "packet"
        for name in ("README.txt", "recompute.py"):
            self._zip.add(name, [(folder / name).read_bytes()], ours=True)
        self._zip.add_json("options.json", _options(project, document, request))
        self._zip.add("figures.json", [figures_json(document)])
        self._add_rubric(scope.rubric)
        self._add_judges(scope.rubric, document)
        self._add_records(scope, progress)
        self._zip.add_json("manifest.json", self._manifest())
        return AuditPacket(
            Path(self._name), self._evaluations, self._excluded, self._labels, bytes=0, sha256=""
        )

    def _add_rubric(self, rubric: Rubric) -> None:
        self._zip.add_json("rubric.json", keys_of(rubric))
        self._zip.add("rubric.toml", [rubrics.to_toml(rubric).encode("utf-8")])

    def _add_judges(self, rubric: Rubric, document: StatsDocument) -> None:
        scored = _scored(document)
        known = [x for x in self._versions if x.key in scored]
        texts = _prompts(self._project, rubric, known, scored)
        names = {
            mark: f"prompts/{mark if _PLAIN.fullmatch(mark) else f'prompt-{number}'}.txt"
            for number, mark in enumerate(sorted(texts), start=1)
        }
        places = {x.key: number for number, x in enumerate(known)}
        self._zip.add_json(
            "judges.json",
            {
                "record": [_record(metric, x, places) for metric, x in document.records],
                "versions": [
                    _version(x, sorted(scored[x.key]), names.get(x.prompt_hash or ""))
                    for x in known
                ],
                "unbound": sorted(NO_PARAMETERS),
            },
        )
        for mark, name in names.items():
            self._zip.add(name, [texts[mark].encode("utf-8")])

    def _add_records(self, scope: Covered, progress: Progress) -> None:
        """Write evaluations, and their labels as a history of its own."""
        keys = [key for key, name, _ in figures.run_places(self._project) if name in scope.runs]
        within = with_excluded(scope.within, self._request.scope, keys)
        # only one file of a zip can be written at a time
        with tempfile.TemporaryFile() as labels:
            self._zip.add("records.jsonl", self._records(scope, within, labels, progress))
            labels.seek(0)
            self._zip.add("labels.jsonl", labels)

    def _records(
        self, scope: Covered, within: Condition, labels: IO[bytes], progress: Progress
    ) -> Iterator[bytes]:
        total = stored.count(
            self._project, structs.replace(self._request.scope, runs=scope.runs, every_run=False)
        )
        for fields in stored.records_within(self._project, scope.runs, within):
            for label in fields.pop("labels", None) or ():
                labels.write(native.line(native.label_fields(fields["run"], fields["id"], label)))
                self._labels += 1
            self._excluded += "excluded" in fields
            yield native.line(fields)
            self._evaluations += 1
            if self._evaluations % ROWS == 0:
                if progress.cancelled:
                    raise CancelledError(f"The packet was stopped; {self._name} was not written.")
                progress.advance(self._evaluations, total, "records")

    def _manifest(self) -> Json:
        return {
            "packet": PACKET,
            "program": f"Reviewer {version()}",
            "formats": {"project": FORMAT, "figures": SCHEMA},
            "evaluations": self._evaluations,
            "excluded": self._excluded,
            "labels": self._labels,
            "files": sorted(self._zip.files, key=lambda x: str(x["name"])),
        }


def _scored(document: StatsDocument) -> dict[int, set[str]]:
    """Give the metrics that each version scored in scope, by the version's key."""
    found: dict[int, set[str]] = {}
    for metric, record in document.records:
        mine = [] if record.version is None else [record.version]
        for one in (*mine, *(x for x, _ in record.not_counted)):
            found.setdefault(one.key, set()).add(metric)
    return found


def _prompts(
    project: Project,
    rubric: Rubric,
    known: Sequence[ScorerVersion],
    scored: Mapping[int, set[str]],
) -> dict[str, str]:
    """Give the texts of the prompts that versions name, by hash, as far as they are here."""
    found: dict[str, str] = {}
    kept = {x.hash: x.text for x in judging.prompts(project.conn, rubric.name)}
    for one in known:
        mark = one.prompt_hash
        if mark is None or mark in found:
            continue
        shipped = [x for x in scored[one.key] if shipped_hash(rubric, x) == mark]
        if mark in kept:
            found[mark] = kept[mark]
        elif shipped:
            found[mark] = shipped_text(rubric, shipped[0])
    return found


def _version(found: ScorerVersion, metrics: Sequence[str], prompt: str | None) -> Json:
    return {
        "name": found.name,
        "scorer": found.scorer,
        "version": found.version,
        "model": found.model,
        "prompt_hash": found.prompt_hash,
        "prompt": prompt,
        "parameters": _parameters(found),
        "metrics": list(metrics),
    }


def _parameters(found: ScorerVersion) -> object:
    try:
        return json.loads(found.parameters) if found.parameters else None
    except ValueError:
        return found.parameters


def _record(metric: str, found: RunRecord, places: Mapping[int, int]) -> Json:
    """Give whose scores count for a metric in a run, by the place among the versions."""
    return {
        "run": found.run,
        "metric": metric,
        "version": None if found.version is None else places[found.version.key],
        "n": found.n,
        "of": found.of,
        "by": found.by,
        "at": found.at,
        "with_repeats": found.with_repeats,
        "of_record": found.is_of_record,
        "reason": found.reason,
    }


def _options(project: Project, document: StatsDocument, request: StatsRequest) -> Json:
    """Give everything that decides the figures beside records, labels and rubric."""
    scope = document.scope
    first, after = project_days.ends(document.span, project_days.zone_of(document.time_zone))
    beside = {"decisions": scope.decisions, "dates": scope.dates, "filter": scope.filter}
    return {
        "as_of": document.as_of.isoformat(),
        "time_zone": document.time_zone,
        "preset": document.preset,
        "level": document.level,
        "seed": request.seed,
        "options": asdict(document.options),
        "scope": filters_json(scope, document.runs, document.left_out) | beside,
        "window": document.window_json()
        | {
            "from_micros": first,
            "before_micros": after,
            "bounds_everything": project_days.asked_window(project, scope) is not None,
        },
    }


def _keys(project: Project, versions: Sequence[ScorerVersion]) -> tuple[str, ...]:
    """Give the keys that must stand in no file, the longest first."""
    found: set[str] = set()
    for endpoint in judging.every(project.conn, Endpoint):
        # what is locked away from here was not put in from here
        with contextlib.suppress(ReviewerError):
            found.add(secrets.key_of(endpoint) or "")
    for one in versions:
        found.update(_secrets(_parameters(one)))
    return tuple(sorted((x for x in found if len(x) >= SHORTEST), key=lambda x: (-len(x), x)))


def _secrets(value: object, name: str = "") -> Iterator[str]:
    """Find texts that are likely to be keys, however deep they lie."""
    if isinstance(value, dict):
        for inner, x in value.items():
            yield from _secrets(x, str(inner))
    elif isinstance(value, list):
        for x in value:
            yield from _secrets(x, name)
    elif isinstance(value, str) and (is_secret(name) or looks_secret(value)):
        yield value
