"""What is fuzzed: everything that reads what somebody else has written, with its own seeds."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from reviewer.domain import filters
from reviewer.domain.errors import ReviewerError, Silent
from reviewer.domain.evaluation import Evaluation, Turn
from reviewer.domain.rubric import Metric
from reviewer.formats import case_files
from reviewer.formats.mapping import mapping_of
from reviewer.paths import resources
from reviewer.reports import rendering
from reviewer.scoring.bots.replies import answer_of
from reviewer.scoring.judging import prompts, replies
from reviewer.services.computer.settings import Settings
from reviewer.services.labelling import entering
from reviewer.services.parcels import merging, packing
from reviewer.services.project import rubrics
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.transfer import exporting, importing
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.file_plans import open_file, plan
from reviewer.services.transfer.importing import ImportRequest
from reviewer.services.upkeep import doctor
from reviewer.store import checking
from reviewer.store.project import Project
from tests import building
from tests.formats.samples import PLAIN, lines, samples
from tests.fuzz.mutations import changed, damaged

IMPORTS = 20
"""One file in so many is imported whole."""
ROOT = Path(__file__).resolve().parents[2]


class Broken(Exception):  # noqa: N818 - a finding, not an error of the program
    """What must hold after any file, and does not."""


@dataclass(frozen=True)
class Target:
    """Something that reads.

    Attributes:
        name: What it is called in what a failure prints.
        seeds: Whole files of it, with their names.
        share: How often it is tried, among the shares of all.
        act: Lets it read a file that is changed.
    """

    name: str
    seeds: tuple[tuple[str, bytes], ...]
    share: int
    act: Callable[[str, bytes, Random], None]

    def attempt(self, random: Random) -> tuple[str, bytes]:
        """Make a changed file of a seed, by its name."""
        name, seed = random.choice(self.seeds)
        return name, changed(seed, random)


def every(folder: Path) -> tuple[Target, ...]:
    """Prepare all targets in a folder of their own."""
    work = folder / "work"
    work.mkdir(parents=True)
    files = folder / "files"
    files.mkdir()
    bench = _Bench(folder, work)
    formats = {name: path for name, path in samples(files).items() if name not in PLAIN}
    packed = [(path.name, path.read_bytes()) for path in formats.values()]
    return (
        *(Target(f"format {name}", (file,), 3, bench.read) for name, file in PLAIN.items()),
        *(Target(f"format {x}", (file,), 3, bench.read)
          for x, file in zip(formats, packed, strict=True)),
        Target("mapping", tuple(_mappings()), 8, bench.mapping),
        Target("rubric", tuple(_files(resources() / "rubrics", "*.toml")), 8, bench.rubric),
        Target("test set", _CASES, 8, bench.cases),
        Target("judge's reply", _REPLIES, 12, bench.reply),
        Target("bot's reply", _ANSWERS, 8, bench.answer),
        Target("filter", _FILTERS, 12, bench.filter),
        Target("queue's plan", _PLANS, 4, bench.plan),
        Target("settings", _SETTINGS, 6, bench.settings),
        Target("report template", _TEMPLATES, 4, bench.template),
        Target("judge's prompt", _PROMPTS, 4, bench.prompt),
        Target("package", (("", b""),), 1, bench.package),
        Target("project", (("", b""),), 2, bench.project),
    )  # fmt: skip


def _files(folder: Path, pattern: str) -> Iterator[tuple[str, bytes]]:
    for file in sorted(folder.glob(pattern)):
        yield file.name, file.read_bytes()


def _mappings() -> Iterator[tuple[str, bytes]]:
    yield from _files(ROOT / "tests" / "mappings", "*.toml")


_CASE = {
    "id": "a", "input": "Is it heated?", "expected": "Yes.", "tags": ["pool"],
    "expected_keywords": ["heated"], "messages": [{"role": "user", "content": "Hi"}],
}  # fmt: skip
_CASES = (
    ("cases.jsonl", lines([_CASE, _CASE | {"id": "b"}])),
    ("cases.json", b'{"cases": [{"question": "Is it heated?", "answer": "Yes."}]}'),
    ("cases.csv", b'id,question,answer,tags\na,"Is it, heated?",Yes.,"pool; spa"\nb,And?,No.,\n'),
    ("cases.yaml", b"cases:\n  - id: a\n    question: |\n      Is it?\n    tags: [pool, spa]\n"
     b"  - &x {question: 'And?', expected: No.}\n"),
)  # fmt: skip
_REPLIES = (
    ("", b'{"score": 4, "reasoning": "It says so.", "examples": ["heated"], "confidence": 0.9}'),
    ("", b'Here it is:\n```json\n{"score": 3.5, "reason": "Hm."}\n```\n{"score": 3.5}'),
    ("", b'{"claims": [{"claim": "It is heated.", "verdict": "supported"}]}'),
)
_ANSWERS = (
    ("", b'{"response": "Yes.", "tokens_in": 12, "latency_ms": 3.5, "sources": [{"id": "s1"}]}'),
    ("", b'{"answer": "Yes.", "error": null, "model": "m", "messages": [{"role": "user"}]}'),
)
_PLANS = (("", QueuePlan(name="A", labelers=("Ann",), keys=(1, 2)).to_json().encode()),)
_FILTERS = (
    ("", b"gap:accuracy>=1 and not tag:pool"),
    ("", b'(category:policies or "is it" ) -state:done auto:accuracy<=2'),
    ("", b'run:"agent v7" labeler:ann human:safety=3..5'),
)
_SETTINGS = (
    ("settings.json", b'{"theme": "dark", "font_scale": 120, "labeler": "ann", "goal": 30,\n'
     b' "recent_projects": [{"path": "/a.review", "opened_at": "2026-11-20T10:00:00Z"}],\n'
     b' "frames": {"main": "AdnQ"}, "places": {"/a.review": {"ann": {"queue": 1}}}}'),
)  # fmt: skip
_TEMPLATES = (
    ("html", b"{% for row in rows %}\n{{ row.name|upper }}: {{ row.mean|number }}\n{% endfor %}\n"
     b"{% if title %}{{ title|line }}{% else %}none{% endif %}"),
    ("md", b"# {{ title }}\n{{ rows|length }} rows {% set n = rows[0].mean * 2 %}{{ n|signed }}"),
)  # fmt: skip
_PROMPTS = (
    (
        "",
        b"{% block system %}Judge {{ metric }}.{% endblock %}\nQ: {{ query }}\nA: {{ response }}",
    ),
    ("", b"{{ response }} {% for turn in messages %}{{ turn.role }}: {{ turn.text }}{% endfor %}"),
)
_FIELDS = {"title": "Pool", "rows": [{"name": "accuracy", "mean": 3.5}, {"name": "safety"}]}
_METRICS = (
    Metric(name="share", scale="range", min=0, max=5),
    Metric(name="yes", scale="binary"),
    Metric(name="kind", scale="categorical", values=("a", "b")),
)
_EVALUATION = Evaluation(
    key=1, id="a", run="one", input="Is it heated?", response="Yes.",
    messages=(Turn(role="user", content="Is it heated?"),),
)  # fmt: skip


class _Bench:
    """The acts, in a folder that each finds empty; only a `ReviewerError` is expected of them."""

    def __init__(self, folder: Path, work: Path) -> None:
        self._work = work
        self._home = folder / "home.review"
        self._package = folder / "package.review"
        _make_home(self._home, self._package)

    def _put(self, name: str, data: bytes) -> Path:
        shutil.rmtree(self._work)
        self._work.mkdir()
        file = self._work / (name or "text")
        file.write_bytes(data)
        return file

    def _copy(self, whole: Path) -> Path:
        return Path(shutil.copy(whole, self._put(whole.name, b"")))

    def read(self, name: str, data: bytes, random: Random) -> None:
        file = self._put(name, data)
        if random.randrange(IMPORTS) == 0:
            self._import(file, random)
            return
        opened = open_file(file)
        opened.declared()
        opened.subject()
        plan(opened)
        with opened.items() as (_, items):
            for _item in items:
                pass

    def _import(self, file: Path, random: Random) -> None:
        """Import a file into a new project or one that holds something; see what is left."""
        fresh = random.random() < 0.5
        path = self._work / "fresh.review"
        if not fresh:
            shutil.copy(self._home, path)
        before = 0 if fresh else _counted(path)
        request = ImportRequest((file,), allow_refused=True, on_conflict=random.choice(
            ("skip", "replace", "version")))  # fmt: skip
        failed = False
        try:
            importing.run(path, request, Silent())
        except ReviewerError:
            failed = True
        if failed and fresh:
            if path.exists():
                raise Broken("a project is left of an import that failed")
            return
        with Project.open(path) as project:
            wrong = checking.problems(project)
            if wrong:
                raise Broken(f"after the import: {wrong}")
            exporting.export(project, self._work / "out.jsonl", ExportRequest(), Silent())
        if failed and _counted(path) != before:
            raise Broken("an import that failed has changed the project")

    def mapping(self, _name: str, data: bytes, _random: Random) -> None:
        mapping_of(data.decode("utf-8", "replace"), "mapping.toml").to_toml()

    def rubric(self, name: str, data: bytes, _random: Random) -> None:
        rubrics.to_toml(rubrics.load(self._put(name, data)))

    def cases(self, name: str, data: bytes, _random: Random) -> None:
        for _found in case_files.read(self._put(name, data)):
            pass

    def reply(self, _name: str, data: bytes, random: Random) -> None:
        text = data.decode("utf-8", "replace")
        candidates = random.choice(((), ("a", "b")))
        replies.reader(random.choice(_METRICS), candidates=candidates)(text)
        replies.reader(_METRICS[0], claims=True)(text)

    def answer(self, _name: str, data: bytes, _random: Random) -> None:
        try:
            reply = json.loads(data)
        except (ValueError, RecursionError):
            return
        answer_of(reply, 1.0)

    def plan(self, _name: str, data: bytes, _random: Random) -> None:
        QueuePlan.from_json(data.decode("utf-8", "replace"))

    def filter(self, _name: str, data: bytes, _random: Random) -> None:
        tree = filters.parse(data.decode("utf-8", "replace"))
        if filters.parse(filters.to_text(tree)) != tree:
            raise Broken(f"{filters.to_text(tree)!r} is another filter")

    def settings(self, name: str, data: bytes, _random: Random) -> None:
        self._put(name, data)
        found = Settings(self._work)
        found.set("theme", "light")
        found.remember(self._work / "a.review")
        if Settings(self._work).theme != "light":
            raise Broken("a setting was not kept")

    def template(self, name: str, data: bytes, _random: Random) -> None:
        kind: rendering.Kind = "html" if name == "html" else "md"
        rendering.render(kind, ("own", data.decode("utf-8", "replace")), _FIELDS)

    def prompt(self, _name: str, data: bytes, _random: Random) -> None:
        text = data.decode("utf-8", "replace")
        prompts.check(text)
        prompts.render(text, _EVALUATION, _METRICS[0])

    def package(self, _name: str, _data: bytes, random: Random) -> None:
        package = self._copy(self._package)
        damaged(package, random)
        home = Path(shutil.copy(self._home, self._work))
        with closing(Session.open(home, "Lead")) as session:
            try:
                merging.merge(session, package)
            except ReviewerError as error:
                if "home.review" in str(error):
                    raise Broken(f"the sound project is blamed: {error}") from error
                raise
            finally:
                wrong = checking.problems(session.project)
                if wrong:
                    raise Broken(f"after the merge: {wrong}")

    def project(self, _name: str, _data: bytes, random: Random) -> None:
        path = self._copy(self._home)
        damaged(path, random)
        with suppress(ReviewerError):
            Project.open(path).close()
        found = doctor.repair(path)
        if not found.ok or doctor.check(path).problems:
            raise Broken("it is no better after the repair")


def _counted(path: Path) -> int:
    with Project.open(path) as project:
        (count,) = project.conn.execute("SELECT count(*) FROM visible_evaluations").fetchone()
        return int(count)


def _make_home(home: Path, package: Path) -> None:
    building.build_project(home, evaluations=6)
    with closing(Session.open(home, "Lead")) as session:
        profiles.change(session, "Lead", role="lead")
        profiles.add(session, "Ann")
        plan = QueuePlan(
            name="First", sampling=Sampling.CHOSEN, keys=(1, 2, 3, 4), labelers=("Ann",)
        )
        making.create(session, plan)
        packing.make(session, package, queue="First", labeler="Ann", blind=True)
    with closing(Session.open(package)) as session:
        for key in (1, 2, 3):
            entering.commit(session, key, "safety", 4)
            entering.commit(session, key, "accuracy", 2, comment="hm")
