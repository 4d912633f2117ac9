"""Rubrics and settings that everybody of a hub has: versions, each made of the one before it."""

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from msgspec.structs import replace

from reviewer.domain import uids
from reviewer.domain.errors import RubricError
from reviewer.domain.evaluation import now_text
from reviewer.hub import reading
from reviewer.hub.connecting import Work
from reviewer.hub.writing import Document, put_document
from reviewer.services.project.guidelines import GUIDELINES
from reviewer.services.project.session import BLIND
from reviewer.services.sharing.link import Link
from reviewer.store import labelers, of_record, packages
from reviewer.store import reading as kept
from reviewer.store import rubrics as stored
from reviewer.store.project import Project
from reviewer.store.watching import FIGURES

RUBRIC, SETTING, RECORD = "rubric", "setting", "record"
_SETTINGS: Final = ("time_zone", GUIDELINES, BLIND, FIGURES)


def here(project: Project) -> Iterator[tuple[str, str, str]]:
    """Give kind, name and text of what this file has of them."""
    for name in stored.names(project):
        yield RUBRIC, name, stored.packed(stored.versions(project, name)[0])
    for name in _SETTINGS:
        text = project.setting(name)
        if text:
            yield SETTING, name, text
    record = _record_here(project)
    if record:
        yield RECORD, RECORD, record


def _record_here(project: Project) -> str:
    """Give whose scores count for what, as text; empty where nothing does yet.

    What an import fixed was fixed in every file at another time, which is no difference.
    """
    conn = project.conn
    people = {x.name: x.key for x in labelers.every(conn)}
    numbers = labelers.uids_of_people(conn)
    told = [
        {
            "run": x.run, "metric": x.metric, "version": x.version, "uid": uids.text_of(x.uid),
            "with_repeats": x.with_repeats, "kind": x.entry.kind,
            "at": x.entry.at if x.entry.kind == "named" else None,
            "labeler": uids.text_of(numbers[people[x.entry.labeler]]) if x.entry.labeler else None,
        }
        for x in packages.read_record(project, kept.run_names(conn))
    ]  # fmt: skip
    told.sort(key=lambda x: (x["run"], x["metric"]))
    return json.dumps(told, ensure_ascii=False) if told else ""


def take_record(work: Work, project: Project, link: Link) -> Link:
    """Let those scores count that other leads named, once the runs are here."""
    key = f"{RECORD}/{RECORD}"
    newest = next((x for x in reading.documents(work) if x.kind == RECORD), None)
    if newest is None or newest.version <= link.documents.get(key, (0, ""))[0]:
        return link
    numbers = labelers.uids_of_people(project.conn)
    names = {uids.text_of(numbers[x.key]): x.name for x in labelers.every(project.conn)}
    copies = [
        packages.RecordCopy(
            x["run"], x["metric"], x["version"],
            of_record.Entry(
                key=0, seq=0, run=0, metric=0, score_set=None, with_repeats=x["with_repeats"],
                kind=x["kind"], labeler=names.get(x["labeler"]), at=x["at"] or now_text(),
                before=None,
            ),
            uids.from_text(x["uid"]) or b"", x["with_repeats"], {},
        )
        for x in json.loads(newest.body)
    ]  # fmt: skip
    packages.follow_record(project, copies)
    known = {**link.documents, key: (newest.version, _mark(newest.body))}
    return replace(link, documents=known)


def send(work: Work, project: Project, link: Link) -> tuple[Link, list[str]]:
    """Add versions of what was changed here, and tell where somebody else came first."""
    told: list[str] = []
    known = dict(link.documents)
    there = {(x.kind, x.name): x for x in reading.documents(work)}
    for kind, name, text in here(project):
        version, last = known.get(f"{kind}/{name}", (0, ""))
        newest = there.get((kind, name))
        if newest is not None and newest.body == text:
            known[f"{kind}/{name}"] = (newest.version, _mark(text))
        elif _mark(text) == last:
            continue
        elif (newest is None or newest.version == version) and put_document(
            work, Document(kind, name, version + 1, text, kind != RECORD)
        ):
            known[f"{kind}/{name}"] = (version + 1, _mark(text))
        elif kind != RECORD or last:
            yours = (
                "yours stays in this file as an earlier version"
                if kind == RUBRIC
                else f"here it was {text[:80]!r}"
            )
            told.append(
                f"The {kind} {name} was changed by another lead in the meantime: theirs is taken, "
                f"{yours}."
            )
    return replace(link, documents=known), told


def take(work: Work, project: Project, link: Link) -> tuple[Link, list[str]]:
    """Follow newer versions, and tell which."""
    told: list[str] = []
    known = dict(link.documents)
    for one in reading.documents(work):
        key = f"{one.kind}/{one.name}"
        if one.kind not in (RUBRIC, SETTING) or one.version <= known.get(key, (0, ""))[0]:
            continue
        if one.kind == RUBRIC:
            try:
                _take_rubric(project, one)
            except (RubricError, ValueError) as error:
                # perhaps a newer program's: nothing else waits for it
                told.append(f"{error} The version before stays in force here.")
                continue
        known[key] = (one.version, _mark(one.body))
        if one.kind == SETTING and one.name in _SETTINGS:
            project.set_setting(one.name, one.body)
        told.append(f"The {one.kind} {one.name} has a new version.")
    return replace(link, documents=known), told


def _take_rubric(project: Project, document: Document) -> None:
    known = stored.versions(project, document.name)
    if not known or stored.packed(known[0]) != document.body:
        # most times none comes, and what checks one costs a quarter of a second to load
        from reviewer.services.project import rubrics

        source = f"The rubric {document.name} of the hub"
        stored.add(project, rubrics.from_document(json.loads(document.body), source))


def _mark(text: str) -> str:
    return sha256(text.encode()).hexdigest()
