"""The rows of an export: what is asked for, which of the project's records, in which shape."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from operator import attrgetter
from typing import Any, Literal

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Part
from reviewer.domain.record import RECORD, RECORD_KEYS
from reviewer.domain.rubric import Metric
from reviewer.domain.run import Scope, What, aspects, aspects_of
from reviewer.formats.own_columns import Columns
from reviewer.formats.writing import Column, Writer
from reviewer.services.transfer import disagreements, label_rows, personal
from reviewer.services.transfer.export_rows import Shape, keeping_fields, shaping, to_consensus
from reviewer.services.transfer.label_rows import LabelRows, columns_of
from reviewer.services.transfer.personal import Masking
from reviewer.services.transfer.standing import Standing
from reviewer.store import exporting as stored
from reviewer.store import figures, reading, run_details, splits, tags
from reviewer.store.of_record import fitting
from reviewer.store.project import Project
from reviewer.store.records import Stored

LabelForm = Literal["each", "mean", "adjudicated", "consensus"]
Fields = dict[str, Any]
PART = "part"
HELD_OUT = "held out for judging judges"
_FOUND = {
    "disagreements": (disagreements.find, disagreements.COLUMNS),
    "consensus": (disagreements.find_consensus, disagreements.CONSENSUS_COLUMNS),
}
"""Exports that are worked out: what gives the rows, and their columns."""


@dataclass(frozen=True)
class ExportRequest:
    """What to export and how.

    Attributes:
        what: Evaluations with everything, the label history, where people and judge differ, or
            what people say together.
        labels: Every entry, the mean of the people, the decided value, or what they say together.
        format: A format by its name; None goes by the file's suffix.
        filters: Which evaluations, and of whose scores and labels; None for all.
        fields: Of evaluations the keys that are written, none for all; of labels what else is
            told of the evaluation.
        mask: Whether e-mail addresses, telephone, card and account numbers in texts are masked.
        pseudonyms: Whether people stand under other names.
        dictionary: Whether a list of the columns and what they mean is written beside.
    """

    what: What = "evaluations"
    labels: LabelForm = "each"
    format: str | None = None
    filters: Scope | None = None
    fields: tuple[str, ...] = ()
    mask: bool = False
    pseudonyms: bool = False
    dictionary: bool = False


class Source:
    """Gives the rows of a request, cleaned and in shape."""

    def __init__(
        self, project: Project, request: ExportRequest, writer: Writer | None = None
    ) -> None:
        """Look up what the rows need; call and use it inside a snapshot."""
        self.project, self.request, self.writer = project, request, writer
        self.scope = request.filters or Scope()
        self.masking = Masking(
            personal.pseudonyms(project) if request.pseudonyms else {}, request.mask
        )
        self.held_out = 0

    @cached_property
    def standing(self) -> Standing:
        """Give what counts at this moment."""
        return Standing(self.project, self.scope)

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        """Give the metrics of all rubrics by name."""
        rubrics = reading.rubrics(self.project.conn).values()
        return {metric.name: metric for rubric in rubrics for metric in rubric.metrics}

    @property
    def columns(self) -> tuple[Column, ...]:
        """Give the columns of a table of these rows."""
        what, fields = self.request.what, self.request.fields
        if what == "labels":
            return label_rows.columns(fields)
        if what in _FOUND:
            return tuple(_WORKED_OUT[name] for name in _FOUND[what][1])
        known = columns_of(RECORD)
        keys = [key for key in RECORD_KEYS if not fields or key in ("id", "run", *fields)]
        part = (Column(PART, "text", "dev or held_out, where labels are divided"),)
        return (*(known[key] for key in keys), *(part if self._is_parted else ()))

    @property
    def _is_parted(self) -> bool:
        return self.writer is not None and self.writer.by_part

    def rows(self) -> Iterator[Fields]:
        """Give the rows in the order of exports."""
        request = self.request
        if request.what in _FOUND:
            yield from map(self.masking.clean, _FOUND[request.what][0](self.project, self.scope))
        elif request.what == "labels":
            maker = LabelRows(self.standing, self.metrics, request.fields)
            keys = ("labels", "marks", *request.fields)
            records = stored.labelled_records(self.project, request.filters, keys)
            for one in self._shaped(records):
                yield from maker.of(one)
        else:
            records = self._shaped(stored.stored_records(self.project, request.filters))
            if self.writer is not None and (self.writer.by_part or self.writer.for_training):
                records = self._parted(records, self.writer)
            yield from map(attrgetter("fields"), records)

    def wide(self) -> Columns:
        """Give the columns of a table with a row an evaluation; of a source of its own."""
        whole = self.scope.labelers or self.scope.blind_only or self.request.labels != "each"
        read = stored.stored_records if whole else stored.telling_records
        records = self._shaped(read(self.project, self.request.filters))
        return Columns.of((x.fields for x in records), figures.scorer_versions(self.project))

    def _shaped(self, records: Iterable[Stored]) -> Iterator[Stored]:
        scope, request = self.scope, self.request
        is_cleaned = request.mask or request.pseudonyms
        shape = shaping(
            request.filters,
            "each" if request.labels == "consensus" else request.labels,
            of_scorer(self.project, scope) if scope.scorer else None,
        )
        steps = [shape] if shape is not None else []
        if request.labels == "consensus":
            steps.append(to_consensus(disagreements.find_consensus(self.project, scope)))
        if self.writer is not None and self.writer.of_labels:
            steps.append(self._keep_record)
        elif request.what == "labels" and is_cleaned:
            # what is not written is not told as masked
            steps.append(keeping_fields(("labels", "marks", *request.fields)))
        elif request.what == "evaluations" and request.fields:
            steps.append(keeping_fields(request.fields))
        if not (steps or is_cleaned):
            return iter(records)
        return self._changed(records, steps, is_cleaned=is_cleaned)

    def _changed(
        self, records: Iterable[Stored], steps: Sequence[Shape], *, is_cleaned: bool
    ) -> Iterator[Stored]:
        for one in records:
            for step in steps:
                step(one.fields)
            yield one._replace(fields=self.masking.clean(one.fields)) if is_cleaned else one

    def _keep_record(self, fields: Fields) -> None:
        """Keep the scores that count: of the version of record, one a metric."""
        scores: dict[str, Fields] = {}
        for score in fields.get("scores") or ():
            is_meant = score.get("turn") is None and score.get("value") is not None
            if is_meant and self.standing.is_of_record(fields["run"], score):
                scores.setdefault(score["metric"], score)
        fields["scores"] = list(scores.values())

    def _parted(self, records: Iterable[Stored], writer: Writer) -> Iterator[Stored]:
        part_of = _parts(self.project)
        for one in records:
            part = part_of(one)
            if writer.for_training and part == "held_out":
                self.held_out += 1
                continue
            if writer.by_part:
                one.fields[PART] = part
            yield one


def _parts(project: Project) -> Callable[[Stored], Part | None]:
    """Give what tells the part of an evaluation; what is kin to a held-out one is held out."""
    parts = splits.parts(project.conn)
    kin = (
        {one.evaluation: (one.case, one.cluster) for one in splits.kin(project.conn)}
        if parts
        else {}
    )
    held = {key for key, part in parts.items() if part == "held_out"}
    cases = {kin[key][0] for key in held if key in kin}
    clusters = {kin[key][1] for key in held if key in kin} - {None}

    def part_of(one: Stored) -> Part | None:
        case, cluster = kin.get(one.key, (None, None))
        if case in cases or cluster in clusters:
            return "held_out"
        return parts.get(one.key)

    return part_of


_WORKED_OUT = {
    x.name: x
    for x in (
        Column("run", "text", "the run of the evaluation"),
        Column("id", "text", "the evaluation, unique within its run"),
        Column("metric", "text", "what is scored"),
        Column("auto", "value", "the auto score of record"),
        Column("reasoning", "text", "why it was given"),
        Column("human", "value", "the human score"),
        Column("gap", "number", "human score minus auto score"),
        Column("labels", "json", "the label of each person"),
        Column("spread", "number", "highest minus lowest label"),
        Column("state", "text", "open, decided, or decided before newer labels"),
        Column("cause", "text", "why judge and people differ, as a lead found"),
        Column("value", "value", "what people say together; empty where several are as likely"),
        Column("method", "text", "dawid_skene, majority or mean"),
        Column("n", "whole", "how many people"),
        Column("probability", "number", "how likely the value is by that method"),
    )
}


def check(project: Project, request: ExportRequest) -> None:
    """Hold the names in a request, but for runs, against those of the project.

    Raises:
        ReviewerError: There is no such field, metric, labeler or scorer.
    """
    unknown = [name for name in request.fields if name not in RECORD_KEYS]
    if unknown:
        raise ReviewerError(
            f"There is no field {unknown[0]!r}; there are: {', '.join(RECORD_KEYS)}."
        )
    scope = request.filters
    if scope is None:
        return
    _refuse("category", scope.categories, run_details.all_categories(project))
    _refuse("tag", scope.tags, [name for name, _ in tags.every(project.conn)])
    figures.labeler_keys(project, scope.labelers)
    known = {x.name: None for one in reading.rubrics(project.conn).values() for x in one.metrics}
    _refuse("metric", scope.metrics, [*known | figures.metric_keys(project)])
    if scope.scorer is not None:
        versions = figures.scorer_versions(project)
        if not any(x.is_called(scope.scorer) for x in versions):
            _refuse("scorer", (scope.scorer,), sorted({x.name for x in versions}))


def of_scorer(project: Project, scope: Scope) -> Callable[[dict[str, Any]], bool]:
    """Give what tells the scores that a scope's scorer gave: of the full name, else of every one.

    A name that is the full one of a version means that version alone where it scored a metric.
    """
    wanted = scope.scorer or ""
    numbers = figures.metric_keys(project)
    every = {x.key: x for x in figures.scorer_versions(project)}
    called = {frozenset(aspects(x).items()): x for x in every.values() if x.is_called(wanted)}

    @cache
    def meant(metric: str) -> frozenset[int]:
        used = figures.score_sets_present(project, numbers.get(metric, -1))
        found = fitting(wanted, used, versions=every)
        is_exact = any(every[x].name == wanted for x in found)
        return frozenset(found) if is_exact else frozenset(x.key for x in called.values())

    def is_meant(score: dict[str, Any]) -> bool:
        version = called.get(frozenset(aspects_of(score).items()))
        return version is not None and version.key in meant(score["metric"])

    return is_meant


def _refuse(kind: str, wanted: Iterable[str], there: Iterable[str]) -> None:
    known = tuple(there)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        listed = ", ".join(known) or "none yet"
        raise ReviewerError(
            f"There is no {kind} {unknown[0]!r} in this project; there are: {listed}."
        )
