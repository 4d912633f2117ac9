"""A person's settings: one table of frozen entries, from which file, dialog and checks come.

The file in the configuration folder holds only what differs from the defaults. A damaged file or
value falls back to the default and is reported, never fatal.
"""

import json
import logging
import os
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from reviewer import paths
from reviewer.domain.evaluation import now_text
from reviewer.services.computer.places import Places

SettingValue = str | int | bool
RECENTS = 12
_LOG = logging.getLogger(__name__)


class Setting(Struct, frozen=True):
    """One entry of the table.

    Attributes:
        name: The key in the file and in code.
        default: The value where the file says nothing; its type is the setting's type.
        title: What the dialog calls it.
        help: One sentence for the dialog.
        choices: Permitted texts with their titles, for a choice.
        lowest: The smallest number permitted.
        highest: The largest number permitted.
        unit: What stands behind a number, such as ` %`.
    """

    name: str
    default: SettingValue
    title: str
    help: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    lowest: int = 0
    highest: int = 0
    unit: str = ""

    def problem(self, value: object) -> str | None:
        """Say why a value is not permitted, None where it is."""
        if type(value) is not type(self.default):
            return f"{self.name}: {value!r} is no {type(self.default).__name__}"
        if self.choices and value not in dict(self.choices):
            return f"{self.name}: {value!r} is none of {', '.join(dict(self.choices))}"
        if self.highest and isinstance(value, int) and not self.lowest <= value <= self.highest:
            return f"{self.name}: {value} is not within {self.lowest} to {self.highest}"
        return None


TABLE: tuple[Setting, ...] = (
    Setting(
        "theme", "system", "Colours", "Follow the system, or always light or dark.",
        choices=(("system", "As the system"), ("light", "Light"), ("dark", "Dark")),
    ),
    Setting(
        "font_scale", 100, "Text size", "In percent of the system's text size.",
        lowest=80, highest=200, unit=" %",
    ),
    Setting("labeler", "labeler 1", "Labeler", "The name your labels are stored under."),
    Setting(
        "focus", "role", "Focus mode",
        "Review shows conversation, cards and progress alone. F11 turns it on and off.",
        choices=(
            ("role", "For labelers"), ("always", "Always on"), ("never", "Off until F11"),
        ),
    ),
    Setting(
        "goal", 0, "Goal for a day",
        "How many responses you want to answer in a day, 0 for no goal. Nobody else sees it.",
        lowest=0, highest=100_000,
    ),
    Setting(
        "time_format", "system", "Times", "How dates and times are shown.",
        choices=(("system", "As the system"), ("iso", "2026-11-20 14:31"), ("12h", "2:31 pm")),
    ),
)  # fmt: skip
"""Every setting that the dialog shows."""

BY_NAME: dict[str, Setting] = {entry.name: entry for entry in TABLE}


CHOSEN = frozenset({"labeler"})
"""Settings that are kept once somebody chose, though it be the default: nobody is asked twice."""


class Recent(Struct, frozen=True):
    """A project that was opened here before."""

    path: Path
    opened_at: str


class Settings:
    """The settings in force; a change is written at once and told to whoever subscribed.

    Attributes:
        file: Where they are kept.
        problems: Sentences about values of the file that could not be used.
        frames: Sizes that somebody gave to windows and panes, as Qt writes them, by name.
        places: Where labelers were in their projects.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Read the settings of `folder`, by default the person's configuration folder."""
        self.file = (folder or paths.config_folder()) / "settings.json"
        self.problems: list[str] = []
        self._values: dict[str, SettingValue] = {}
        self._recents: tuple[Recent, ...] = ()
        self.frames: dict[str, str] = {}
        self.places = Places()
        self._listeners: list[Callable[[str], None]] = []
        self._read()

    @property
    def theme(self) -> str:
        """Give `system`, `light` or `dark`."""
        return str(self.get("theme"))

    @property
    def font_scale(self) -> int:
        """Give the text size in percent."""
        return int(self.get("font_scale"))

    @property
    def labeler(self) -> str:
        """Give the name that labels are stored under."""
        return str(self.get("labeler"))

    @property
    def name_given(self) -> str | None:
        """Give the labeler's name where somebody chose it, None where it is the default."""
        return self.labeler if self.is_set("labeler") else None

    @property
    def focus(self) -> str:
        """Give `role`, `always` or `never`: when Review begins in focus mode."""
        return str(self.get("focus"))

    @property
    def goal(self) -> int:
        """Give how many responses somebody wants to answer in a day, 0 for no goal."""
        return int(self.get("goal"))

    @property
    def time_format(self) -> str:
        """Give `system`, `iso` or `12h`."""
        return str(self.get("time_format"))

    @property
    def recent_projects(self) -> tuple[Recent, ...]:
        """Give the projects opened before, the newest first."""
        return self._recents

    def is_set(self, name: str) -> bool:
        """Tell whether somebody chose a value; a default was chosen by nobody."""
        return name in self._values

    def get(self, name: str) -> SettingValue:
        """Give a setting's value.

        Raises:
            KeyError: No such setting.
        """
        return self._values.get(name, BY_NAME[name].default)

    def set(self, name: str, value: SettingValue) -> None:
        """Change a setting and keep it.

        Raises:
            ValueError: The value is not permitted.
            OSError: The file cannot be written; the change holds until the program ends.
        """
        problem = BY_NAME[name].problem(value)
        if problem:
            raise ValueError(problem)
        if self.get(name) == value and (self.is_set(name) or name not in CHOSEN):
            return
        self._values[name] = value
        for listener in tuple(self._listeners):
            listener(name)
        self._write()

    def subscribe(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Be told the name of every setting that changes; returns how to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def remember(self, project: Path) -> None:
        """Put a project at the head of the recent ones.

        Raises:
            OSError: The file cannot be written.
        """
        path = project.absolute()
        others = tuple(x for x in self._recents if x.path != path)
        self._recents = (Recent(path, now_text()), *others)[:RECENTS]
        self._write()

    def forget(self, project: Path) -> None:
        """Take a project off the recent ones.

        Raises:
            OSError: The file cannot be written.
        """
        self._recents = tuple(x for x in self._recents if x.path != project.absolute())
        self._write()

    def keep(self) -> None:
        """Write places and frames.

        Raises:
            OSError: The file cannot be written.
        """
        self._write()

    def _read(self) -> None:
        try:
            content = msgspec.json.decode(self.file.read_bytes())
        except FileNotFoundError:
            return
        except (OSError, ValueError, RecursionError, msgspec.DecodeError) as error:
            self._report(
                f"The settings in {self.file} could not be read, the defaults hold: {error}"
            )
            return
        if not isinstance(content, dict):
            self._report(f"The settings in {self.file} are no JSON object, so the defaults hold.")
            return
        for name, value in content.items():
            if name in BY_NAME:
                self._take(BY_NAME[name], value)
        self._recents = tuple(_recents(content.get("recent_projects")))
        frames = content.get("frames")
        if isinstance(frames, dict):
            self.frames = {name: text for name, text in frames.items() if isinstance(text, str)}
        self.places = Places(content.get("places"))

    def _take(self, entry: Setting, value: object) -> None:
        problem = entry.problem(value)
        if problem:
            self._report(f"The default holds for a setting in {self.file}: {problem}.")
        elif isinstance(value, str | int | bool):
            self._values[entry.name] = value

    def _report(self, sentence: str) -> None:
        _LOG.warning("%s", sentence)
        self.problems.append(sentence)

    def _write(self) -> None:
        content: dict[str, object] = {
            name: value
            for name, value in self._values.items()
            if value != BY_NAME[name].default or name in CHOSEN
        }
        if self._recents:
            content["recent_projects"] = [
                {"path": str(x.path), "opened_at": x.opened_at} for x in self._recents
            ]
        if self.frames:
            content["frames"] = self.frames
        if places := self.places.to_json():
            content["places"] = places
        self.file.parent.mkdir(parents=True, exist_ok=True)
        draft = self.file.with_name(f".settings-{os.getpid()}")
        with draft.open("w", encoding="utf-8") as stream:
            json.dump(content, stream, ensure_ascii=False, indent=2)
            stream.write("\n")
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(self.file)


def _recents(content: object) -> list[Recent]:
    entries = content if isinstance(content, list) else []
    return [
        Recent(Path(entry["path"]), str(entry.get("opened_at", "")))
        for entry in entries
        if isinstance(entry, dict) and isinstance(entry.get("path"), str)
    ][:RECENTS]
