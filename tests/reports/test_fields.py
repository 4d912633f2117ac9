"""A field of a report is one declaration: it stands in every kind of file, and nowhere else."""

import re
from typing import Any

import pytest

from reviewer.reports import fields, rendering
from reviewer.reports.document import plain
from reviewer.reports.fields import Field
from reviewer.reports.rendering import Kind
from reviewer.reports.report import Report
from reviewer.reports.wording import percent
from tests.reports.responses import report, scored


def quick_share(found: Report) -> float | None:
    """Give the share of responses that took less than a tenth of a second."""
    times = [result.scored.case.latency_ms for result in found.run.results]
    known = [time for time in times if time is not None]
    return sum(time < 100 for time in known) / len(known) if known else None


QUICK = Field("quick_share", quick_share, title="Quick & done", write=percent)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Report:
    monkeypatch.setattr(fields, "FIELDS", (*fields.FIELDS, QUICK))
    return report(scored(1, 5, 5, 5, latency_ms=50), scored(2, 5, 5, 2, latency_ms=900))


def rendered(found: Report, kind: Kind, template: str | None = None) -> str:
    text = rendering.template(kind, template, found.rubric.name)
    return rendering.render(kind, text, fields.named(found, kind))


@pytest.mark.parametrize("template", ["guest-response", "report"])
def test_a_field_declared_elsewhere_stands_in_markdown(found: Report, template: str) -> None:
    lines = rendered(found, "md", template).splitlines()
    assert "- Quick & done: 50.0%".replace("&", "&amp;") in lines
    assert lines.index("- Total cost: –") < lines.index("- Quick &amp; done: 50.0%")


@pytest.mark.parametrize("kind", ["html", "pdf"])
def test_a_field_declared_elsewhere_stands_in_pages(found: Report, kind: Kind) -> None:
    text = rendered(found, kind, "report")
    performance = text.partition("Performance</h2>")[2].partition("<h2>")[0]
    assert re.search(r"Quick &amp; done</(dt|td)>.*?50.0%", performance)
    assert "Total cost" not in rendered(found, "html")


def test_a_field_declared_elsewhere_stands_in_json(found: Report) -> None:
    document: dict[str, Any] = plain(fields.document(found))
    assert document["quick_share"] == 0.5
    assert list(document)[:-1] == [x.name for x in fields.FIELDS if x.place != "templates"][:-1]
    assert "quick_share" not in fields.trend_line(found)


def test_a_template_of_ones_own_may_name_it(found: Report) -> None:
    named = fields.named(found, "md")
    text = "{{ quick_share | percent }} of {{ total_cases }}, {{ operations.latency.n }} timed"
    assert rendering.render("md", ("mine", text), named) == "50.0% of 2, 2 timed"


def test_fields_of_one_name_are_one_field() -> None:
    names = [field.name for field in fields.FIELDS]
    assert len(names) == len(set(names))
