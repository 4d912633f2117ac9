"""A project of 100,000 evaluations and 20,000 labels for benchmarks, built once and copied."""

import random
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reviewer.store import schema
from tests.building import RUBRIC, build_project

METRICS = tuple(metric.name for metric in RUBRIC.metrics)
CATEGORIES = ("math", "coding", "qa", "translation", "reasoning", "creative", "extraction", "faq")
RARE = "zyzzyva"


def records(count: int, labelled: int) -> Iterator[dict[str, Any]]:
    """Records of about 1.7 kB, the first `labelled` of them with two labels a metric or so."""
    chance = random.Random(7)  # noqa: S311 - the same project every time
    words = ["".join(chance.choices("aeioubcdfglmnprst", k=2 + n % 7)) for n in range(6_000)]

    def text(length: int) -> str:
        return " ".join(chance.choices(words, k=length // 6))

    for number in range(count):
        day = f"2026-{number // 8_400 % 11 + 1:02}-{number // 300 % 28 + 1:02}"
        fields: dict[str, Any] = {
            "id": f"item-{number:08}",
            "category": CATEGORIES[int(chance.random() * 8)],
            "input": text(200),
            "response": text(600) + (f" {RARE}" if number % 9_973 == 17 else ""),
            "latency_ms": round(chance.lognormvariate(7, 0.5), 1),
            "evaluated_at": f"{day}T12:00:00Z",
            "scores": [
                {
                    "metric": name,
                    "value": chance.randint(1, 5),
                    "scorer": "judge",
                    "reasoning": text(150),
                }
                for name in METRICS
            ],
        }
        if number < labelled:
            fields["labels"] = [
                {
                    "metric": name,
                    "labeler": labeler,
                    "value": chance.randint(1, 5),
                    "at": f"{day}T13:00:00Z",
                    "blind": True,
                }
                for name in METRICS
                for labeler in ("ann", "bo")
            ]
        yield fields


def large_project(folder: Path, count: int = 100_000, labels: int = 20_000) -> Path:
    """Give a fresh copy of the project in a folder; it is built at the first call.

    Another way of keeping projects asks for another build.
    """
    made = zlib.crc32(Path(schema.__file__).read_bytes())
    source = Path(tempfile.gettempdir()) / f"reviewer-bench-{count}-{labels}-{made:08x}.review"
    if not source.exists():
        part = source.with_suffix(".part")
        part.unlink(missing_ok=True)
        build_project(part, evaluations=records(count, labels // 6))
        part.rename(source)
    return Path(shutil.copy(source, folder / "large.review"))
