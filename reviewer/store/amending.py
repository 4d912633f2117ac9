"""Bring a record together with the evaluation that exists already: what of it is new is added.

Scores, labels and marks are united by their identity; another value of any other key is a
conflict. What is to be written waits for the import's last transaction, on disk where it is much.

An entry of a number that is here is the same one, whatever else it says; without one the same is
what says the same. Equal ones count as often as they come.
"""

import sqlite3
import tempfile
from base64 import b64decode, b64encode
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import IO, Any

from pydantic_core import from_json, to_json

from reviewer.domain.entries import label_identity, mark_identity
from reviewer.domain.evaluation import now_text
from reviewer.domain.run import telling
from reviewer.store import packing, states, tags
from reviewer.store import rows as tables
from reviewer.store.loading import Loading, write_exclusions, write_file, write_people
from reviewer.store.records import RecordReader, Stored
from reviewer.store.rows import EntryUids, Fields, Names, Row, Rows
from reviewer.store.scores import mark_counted

UNITED = ("scores", "labels", "marks")
IN_MEMORY = 8 << 20
BLOCK = 2_000
Files = Callable[[], Sequence[tuple[str, bytes]]]

_SCORE = (
    "INSERT INTO scores(evaluation, metric, score_set, turn, ordinal, value, reasoning, at, "
    "extra, latest, import, at_us) SELECT ?1, ?2, ?3, ?4, "
    "(SELECT ifnull(max(ordinal), -1) + 1 FROM scores "
    "WHERE evaluation = ?1 AND metric = ?2 AND score_set = ?3 AND turn = ?4), "
    "?6, ?7, ?8, ?9, 0, ?11, ?12"
)
_REPLACE = (
    f"UPDATE evaluations SET {', '.join(f'{name} = ?' for name in packing.COLUMN_NAMES)}, "
    "title = ?, dated = ?, extra = ?, turns = ?, revision = revision + 1 WHERE id = ?"
)


@dataclass(slots=True)
class Amended:
    """What became of a record whose evaluation exists: `unchanged`, `updated` or `conflict`.

    Attributes:
        kept_out: Scores that are stored with another value, which was kept, as all else is taken.
    """

    outcome: str
    scores: int = 0
    labels: int = 0
    kept_out: list[Fields] = field(default_factory=list)


@dataclass(slots=True)
class _Step:
    key: int
    fields: Fields | None = None
    drop_scores: bool = False
    scores: list[Any] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    marks: list[Any] = field(default_factory=list)
    exclusions: list[Any] = field(default_factory=list)
    files: list[Any] = field(default_factory=list)
    """Paths with their content, in base64."""


def _read(line: bytes) -> _Step:
    """Read a step that waited on disk, where numbers of entries are texts."""
    step = _Step(*from_json(line))
    for name, places in tables.UIDS.items():
        for row in getattr(step, name):
            for place in places:
                row[place] = None if row[place] is None else bytes.fromhex(row[place])
    return step


class Amender:
    """Compare records with what is stored, and write what is new in the end.

    Attributes:
        policy: `skip`, `replace` or `version`, for records with other content.
    """

    def __init__(self, loading: Loading, policy: str) -> None:
        """Compare within an import at work."""
        self.policy = policy
        self._loading = loading
        self._reader = RecordReader(loading.project, uids=True)
        self._seen: set[int] = set()
        self._entries = Uniting(score_identity)
        self._latest: tuple[int, str, Stored] | None = None
        self._prepared: dict[int, tuple[int, list[Fields]]] = {}
        self._spool: IO[bytes] | None = None
        loading.at_last(self._apply_all)

    def record(self, key: int, run: str, fields: Fields, files: Files = tuple) -> Amended:
        """Unite a record with the evaluation of the same run and id.

        `files` reads what its turns refer to by path; it is called where the text is taken.
        """
        stored = self._stored(key, run)
        other = not _same_content(stored, fields)
        if other and self.policy == "skip":
            return Amended("conflict")
        step = _Step(key)
        revision = stored.revision
        known = stored.fields
        if other:
            revision += 1
            step.fields = fields
            step.files = [(path, b64encode(content).decode()) for path, content in files()]
            step.drop_scores = self.policy == "replace"
            if step.drop_scores:
                known = {**known, "scores": []}
        differing = other_values(known.get("scores") or [], fields.get("scores") or [])
        if self.policy != "skip":
            return self._unite(step, known, fields, revision, differing)
        amended = self._unite(step, known, fields, revision)
        if differing:
            amended.outcome, amended.kept_out = "conflict", differing
        return amended

    def label(self, key: int, place: tuple[str, str], label: Fields) -> Amended:
        """Add a single label to an evaluation, by its number and by its run and id."""
        prepared = self._prepared.get(key)
        if prepared is None:
            stored = self._stored(key, place[0])
            prepared = stored.revision, stored.fields.get("labels") or []
        new = self._new(key, "labels", prepared[1], [label])
        if not new:
            return Amended("unchanged")
        rows, loading = Rows(), self._loading
        tables.add_people(
            rows, loading.names, {"labels": new}, (key, loading.number, prepared[0]),
            EntryUids.beside(*place, prepared[1]),
        )  # fmt: skip
        self._keep(_Step(key, labels=rows.labels))
        return Amended("updated", 0, 1)

    def prepare(self, keys: Iterable[int]) -> None:
        """Read the labels of evaluations together that `label` is about to be called for."""
        self._reader.refresh_names()
        # what this import adds to its own evaluations is stored at once, so they are read anew
        self._prepared = self._reader.labels_of(x for x in keys if not self._loading.is_new(x))

    def _stored(self, key: int, run: str) -> Stored:
        """Read an evaluation as stored; the rows of a file often name the same one in a row."""
        if self._latest is not None and self._latest[:2] == (key, run):
            return self._latest[2]
        self._reader.refresh_names()
        found = next(iter(self._reader.of_keys((key,), run)))
        # what this import adds to a new evaluation is stored at once, the rest in the end
        self._latest = None if self._loading.is_new(key) else (key, run, found)
        return found

    def _unite(
        self,
        step: _Step,
        known: Fields,
        fields: Fields,
        revision: int,
        differing: Sequence[Fields] = (),
    ) -> Amended:
        names, number = self._loading.names, self._loading.number
        people = [*(known.get("labels") or ()), *(known.get("marks") or ())]
        numbers = EntryUids.beside(str(known["run"]), str(known["id"]), people)
        new = {
            name: self._new(step.key, name, known.get(name) or [], fields.get(name) or [])
            for name in UNITED
        }
        for score in differing:
            mark = hash((step.key, score_identity(score), score.get("value")))
            if mark not in self._seen:
                self._seen.add(mark)
                new["scores"].append(score)
        excluded = None if known.get("excluded") else fields.get("excluded")
        if not any(new.values()) and step.fields is None and not excluded:
            return Amended("unchanged")
        if excluded:
            uid = numbers.of_exclusion(excluded)
            step.exclusions = [tables.exclusion_row(names, excluded, (step.key, number), uid)]
        rows = Rows()
        tables.add_people(rows, names, new, (step.key, number, revision), numbers)
        step.scores = tables.score_rows(names, new["scores"], step.key, number)
        step.labels, step.marks = rows.labels, rows.marks
        self._keep(step)
        return Amended("updated", len(step.scores), len(step.labels))

    def _new(self, key: int, name: str, known: list[Fields], given: list[Fields]) -> list[Fields]:
        """Give the entries that are not stored yet."""
        waits = not self._loading.is_new(key)
        return self._entries.new(key, name, known, given, waits=waits)

    def _keep(self, step: _Step) -> None:
        if self._loading.is_new(step.key):
            with self._loading.project.write() as conn:
                states.refresh(conn, self._apply(conn, [step]))
            return
        if self._spool is None:
            self._spool = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
        content = (step.key, step.fields, step.drop_scores, step.scores, step.labels, step.marks,
                   step.exclusions, step.files)  # fmt: skip
        self._spool.write(to_json(content, bytes_mode="hex") + b"\n")

    def close(self) -> None:
        """Forget what was kept for the end, where the import is given up."""
        if self._spool is not None:
            self._spool.close()
            self._spool = None

    def _apply_all(self, conn: sqlite3.Connection) -> None:
        if self._spool is None:
            return
        self._spool.seek(0)
        touched: set[int] = set()
        while block := [_read(line) for line in islice(self._spool, BLOCK)]:
            touched |= self._apply(conn, block)
        self.close()
        # the labels of one evaluation may stand anywhere in the file: its state is worked out once
        keys = iter(sorted(touched))
        while some := list(islice(keys, BLOCK)):
            states.refresh(conn, some)

    def _apply(self, conn: sqlite3.Connection, steps: list[_Step]) -> set[int]:
        """Write steps and give the evaluations whose states have to be worked out anew."""
        rows = Rows()
        touched: set[int] = set()
        for step in steps:
            if step.fields is not None:
                self._replace(conn, step)
                touched.add(step.key)
            rows.scores += step.scores
            rows.labels += step.labels
            rows.marks += step.marks
            rows.exclusions += step.exclusions
        add_scores(conn, rows.scores)
        if rows.scores:
            self._loading.count(rows.scores, _runs_of(conn, {row[0] for row in rows.scores}))
        write_exclusions(self._loading.project, conn, rows)
        replaced = {step.key for step in steps if step.fields is not None}
        date(conn, replaced | {row[0] for row in rows.scores})
        touched.update(row[0] for row in (*rows.labels, *rows.marks))
        if rows.labels or rows.marks:
            write_people(self._loading.project, conn, rows)
        return touched

    def _replace(self, conn: sqlite3.Connection, step: _Step) -> None:
        """Put another text in an evaluation's place; the one before is kept beside it."""
        stored = put(conn, self._reader, self._loading.names, step.key, step.fields or {})
        conn.execute(
            "INSERT OR REPLACE INTO evaluation_versions VALUES (?, ?, ?, ?, ?)",
            (
                step.key,
                stored.revision,
                packing.dump(stored.as_it_came),
                now_text(),
                self._loading.number,
            ),
        )
        rows = Rows()
        for path, content in step.files:
            tables.add_file(rows, step.key, path, b64decode(content))
        for key, path, digest, content in rows.files:
            write_file(conn, (key, path), digest, content)
        if step.drop_scores:
            conn.execute("DELETE FROM scores WHERE evaluation = ?", (step.key,))


def put(
    conn: sqlite3.Connection, reader: RecordReader, names: Names, key: int, fields: Fields
) -> Stored:
    """Put a record's content in an evaluation's place and give what was there before."""
    run, before = conn.execute(
        "SELECT r.name, e.response FROM runs r JOIN evaluations e ON e.run = r.id WHERE e.id = ?",
        (key,),
    ).fetchone()
    stored = next(iter(reader.of_keys((key,), run)))
    conn.execute(tables.UNSEARCH, (key, *packing.search_texts(stored.fields, before)))
    conn.execute("DELETE FROM turns WHERE evaluation = ?", (key,))
    conn.execute("DELETE FROM tags WHERE evaluation = ?", (key,))
    rows = Rows()
    # what people brought beside it is united by its own rows
    content = {x: value for x, value in fields.items() if x not in (*UNITED, "excluded")}
    tables.add_record(rows, names, content, (key, 0, 0))
    row = rows.evaluations[0]
    conn.execute(_REPLACE, (*row[3:17], *row[17:21], key))
    conn.executemany(tables.TURNS, rows.turns)
    conn.executemany(tables.TAGS, rows.tags)
    tags.apply_again(conn, key)
    conn.executemany(tables.SEARCH, rows.search)
    return stored


def _runs_of(conn: sqlite3.Connection, keys: Iterable[int]) -> dict[int, int]:
    return dict(
        conn.execute(
            "SELECT e.id, e.run FROM json_each(?) w CROSS JOIN evaluations e ON e.id = w.value",
            (to_json(sorted(keys)).decode(),),
        )
    )


def add_scores(conn: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """Store more scores of evaluations that exist, and mark the one that counts of each group."""
    conn.executemany(_SCORE, [(*row[:4], None, *row[5:9], None, *row[10:12]) for row in rows])
    for group in {tuple(row[:4]) for row in rows}:
        mark_counted(conn, group)


def other_values(known: Sequence[Fields], given: Sequence[Fields]) -> list[Fields]:
    """Give the scores that are known as the same ones with another value."""
    same = Counter((score_identity(score), score.get("value")) for score in known)
    left = Counter(map(score_identity, known))
    others = []
    for score in given:
        place = (score_identity(score), score.get("value"))
        if same[place] > 0:
            same[place] -= 1
            left[place[0]] -= 1
        else:
            others.append(score)
    differing = []
    for score in others:
        identity = score_identity(score)
        if left[identity] > 0:
            left[identity] -= 1
            differing.append(score)
    return differing


def missing_scores(known: Sequence[Fields], wanted: Sequence[Fields]) -> list[Fields]:
    """Give the wanted scores that are not among the known ones; equal ones count each."""
    present = Counter(map(score_identity, known))
    missing = []
    for score in wanted:
        identity = score_identity(score)
        if present[identity] > 0:
            present[identity] -= 1
        else:
            missing.append(score)
    return missing


def _same_content(stored: Stored, given: Fields) -> bool:
    """Compare a record with what it came as, or with what people made of its tags since."""
    passed_over = {*UNITED, "excluded", "run", "id"}
    wanted = {k: v for k, v in given.items() if k not in passed_over}
    known = (stored.fields,) if stored.tags is None else (stored.fields, stored.as_it_came)
    return any(
        {k: v for k, v in fields.items() if k not in passed_over} == wanted for fields in known
    )


def score_identity(score: Fields) -> tuple[Any, ...]:
    """Give what a score must share with another to be the same one."""
    parameters = telling(score.get("parameters"))
    made = "" if parameters is None else packing.dump(parameters)
    return (score["metric"], score.get("scorer") or "", score.get("scorer_version") or "",
            score.get("model") or "", score.get("prompt_hash") or "", made, score.get("turn"),
            score.get("at"))  # fmt: skip


def date(conn: sqlite3.Connection, keys: set[int]) -> None:
    """Move the dates of evaluations that have none but their newest score's."""
    for key in keys:
        row = conn.execute(
            "SELECT evaluated_at, occurred_at FROM evaluations WHERE id = ?", (key,)
        ).fetchone()
        if row[0] or row[1]:
            continue
        times = conn.execute("SELECT at FROM scores WHERE evaluation = ?", (key,)).fetchall()
        fields = {"scores": [{"at": at} for (at,) in times]}
        conn.execute("UPDATE evaluations SET dated = ? WHERE id = ?", (tables.dated(fields), key))


Identity = Callable[[Fields], tuple[Any, ...]]


class Uniting:
    """The entries of one import, beside those that are stored."""

    def __init__(self, of_scores: Identity, *, numbered: bool = False) -> None:
        """Begin with no entry met; scores are told apart by what is handed in.

        Args:
            of_scores: By what.
            numbered: Whether entries of two numbers are two, whatever they say.
        """
        self._numbered = numbered
        self._identities = {
            "scores": of_scores, "labels": label_identity, "marks": mark_identity,
        }  # fmt: skip
        self._met: set[int] = set()
        self._elsewhere: dict[str, str] = {}
        """Numbers that entries have in the file, and those that the same ones have here."""

    def new(
        self, key: int, name: str, known: Sequence[Fields], given: Sequence[Fields], *, waits: bool
    ) -> list[Fields]:
        """Give the entries of an evaluation that are not stored yet.

        Args:
            key: The evaluation.
            name: `scores`, `labels` or `marks`.
            known: What is stored.
            given: What the file has.
            waits: Whether what is new is stored only after the whole file.
        """
        if not given:
            return []
        identity = self._identities[name]
        came = {x["uid"] for x in given if "uid" in x} & {x["uid"] for x in known if "uid" in x}
        present: dict[tuple[Any, ...], list[str | None]] = defaultdict(list)
        for entry in known:
            if entry.get("uid") not in came:
                present[identity(entry)].append(entry.get("uid"))
        found, met = [], list[int]()
        for entry in given:
            if entry.get("uid") in came:
                continue
            alone = self._numbered and "uid" in entry
            this = (entry["uid"],) if alone else identity(entry)
            signs = {hash((key, name, x)) for x in (this, entry.get("uid")) if x and waits}
            if present[this]:
                self._is_here(entry, present[this].pop(0))
            elif not signs & self._met:
                found.append(entry)
                met.extend(signs)
        self._met.update(met)
        return [self._named(entry) for entry in found]

    def _is_here(self, entry: Fields, uid: str | None) -> None:
        """Remember the number here of an entry that has another one in the file."""
        if uid is not None and entry.get("uid") not in (None, uid):
            self._elsewhere[entry["uid"]] = uid

    def _named(self, entry: Fields) -> Fields:
        """Let an entry restore by the number that the restored one has here."""
        uid = self._elsewhere.get(entry.get("restores") or "")
        return entry if uid is None else {**entry, "restores": uid}
