"""A process that labels and says so; arguments: project, labeler, first evaluation, count."""

import itertools
import sys
from contextlib import closing
from pathlib import Path

from reviewer.services.labelling import entering
from reviewer.services.project.session import Session

METRICS = ("relevance", "accuracy", "safety")


def main(path: Path, labeler: str, first: int, count: int) -> None:
    """Label `count` things (0: without end), writing a line when each is on disk."""
    numbers = range(count) if count else itertools.count()
    with closing(Session.open(path, labeler)) as session:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        for number in numbers:
            evaluation, metric = first + number // 3, METRICS[number % 3]
            value = number * 7 % 5 + 1
            entering.commit(session, evaluation, metric, value)
            sys.stdout.write(f"{evaluation} {metric} {value}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
