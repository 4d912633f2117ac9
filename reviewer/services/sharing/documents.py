"""Rubrics and settings that everybody of a hub has: versions, each made of the one before it."""

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from msgspec.structs import replace

from reviewer.hub import reading
from reviewer.hub.connecting import Work
from reviewer.hub.writing import Document, put_document
from reviewer.services.project import rubrics
from reviewer.services.project.guidelines import GUIDELINES
from reviewer.services.project.session import BLIND
from reviewer.services.sharing.link import Link
from reviewer.store import rubrics as stored
from reviewer.store.project import Project
from reviewer.store.watching import FIGURES

RUBRIC, SETTING = "rubric", "setting"
_SETTINGS: Final = ("time_zone", GUIDELINES, BLIND, FIGURES)


def here(project: Project) -> Iterator[tuple[str, str, str]]:
    """Give kind, name and text of what this file has of them."""
    for name in stored.names(project):
        yield RUBRIC, name, stored.packed(stored.versions(project, name)[0])
    for name in _SETTINGS:
        text = project.setting(name)
        if text:
            yield SETTING, name, text


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
            work, Document(kind, name, version + 1, text, for_all=True)
        ):
            known[f"{kind}/{name}"] = (version + 1, _mark(text))
        else:
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
        known[key] = (one.version, _mark(one.body))
        if one.kind == RUBRIC:
            _take_rubric(project, one)
        elif one.name in _SETTINGS:
            project.set_setting(one.name, one.body)
        told.append(f"The {one.kind} {one.name} has a new version.")
    return replace(link, documents=known), told


def _take_rubric(project: Project, document: Document) -> None:
    known = stored.versions(project, document.name)
    if not known or stored.packed(known[0]) != document.body:
        source = f"The rubric {document.name} of the hub"
        stored.add(project, rubrics.from_document(json.loads(document.body), source))


def _mark(text: str) -> str:
    return sha256(text.encode()).hexdigest()
