"""A process that runs commands one after the other; arguments: each a JSON list of words."""

import json
import sys

from reviewer.cli.main import main


def run(commands: list[str]) -> None:
    """Run each command and write its exit code on a line of its own."""
    for command in commands:
        code = main(json.loads(command))
        sys.stderr.flush()
        sys.stdout.write(f"\nexit {code}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    run(sys.argv[1:])
