"""What examples bring beside their runs: test sets, and a bot that needs no model."""

from pathlib import Path

from reviewer import paths
from reviewer.domain.judging import Bot
from reviewer.services.bots import bots
from reviewer.services.project.session import Session
from reviewer.services.testing import sets

DEMO = "house questions"


def add(path: Path, system: str | None) -> None:
    """Add the test set of the demo, or of one system's example, to a new project."""
    session = Session.open(path)
    try:
        resources = paths.resources()
        if system is None:
            file = resources / "demo" / "house-questions.yaml"
            sets.add_file(session, file, name=DEMO, rubric="guest-response")
            return
        file = resources / "examples" / f"{system}-tests.yaml"
        if file.exists():
            sets.add_file(session, file, name=f"{system} questions", rubric=system)
        if system == "faq-bot":
            rows = bots.faq_rows(resources / "examples" / "faq.csv")
            bots.keep(session, Bot(name="strict", kind="strict_match", settings={"rows": rows}))
    finally:
        session.close()
