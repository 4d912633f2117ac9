"""Make the records that import and export are measured with: the same ones for the same count."""

import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

METRICS = ("correctness", "relevance", "helpfulness", "safety")
CATEGORIES = ("math", "coding", "summarization", "qa", "translation", "reasoning", "creative")
START = datetime(2026, 6, 1, tzinfo=UTC)


def _words(dice: random.Random) -> tuple[list[str], list[float]]:
    words = sorted(
        {
            "".join(dice.choice("bcdfghjklmnpqrstvwz") + dice.choice("aeiou") for _ in range(size))
            for size in dice.choices((1, 2, 3, 4), weights=(1, 3, 2, 1), k=9_000)
        },
        key=lambda word: (len(word), word),
    )
    return words, [1.0 / (rank + 10) for rank in range(len(words))]


def write_results(path: Path, count: int, *, labelled: int = 0) -> Path:
    """Write records with a prompt of 200 characters, a response of 600 and four scores."""
    dice = random.Random(20260601)  # noqa: S311
    words, weights = _words(dice)

    def text(size: int) -> str:
        return " ".join(dice.choices(words, weights, k=round(size / 5.2))).capitalize() + "."

    with path.open("w", encoding="utf-8") as out:
        for number in range(count):
            at = (START + timedelta(seconds=37 * number)).strftime("%Y-%m-%dT%H:%M:%SZ")
            fields: dict[str, Any] = {
                "id": f"item-{number:08}",
                "run": "bench",
                "category": dice.choice(CATEGORIES),
                "input": text(dice.randint(150, 250)),
                "response": text(dice.randint(450, 750)),
                "evaluated_at": at,
                "scores": [
                    {
                        "metric": metric,
                        "value": dice.randint(1, 5),
                        "reasoning": text(150),
                        "scorer": "judge",
                    }
                    for metric in METRICS
                ],
            }
            if number < labelled:
                fields["labels"] = [
                    {"metric": "correctness", "labeler": f"labeler {person}",
                     "value": dice.randint(1, 5), "at": at, "blind": True}
                    for person in (1, 2)
                ]  # fmt: skip
            out.write(json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n")
    return path
